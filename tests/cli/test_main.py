# SPDX-License-Identifier: MIT
from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path
from unittest.mock import Mock

import click
import pytest
from click.testing import CliRunner

from vmkb.hercules.emulator import choice
from vmkb.workloads.cli import list as listing
from vmkb.workloads.cli.main import EXAMPLES, SENTENCE, LazyGroup, group, of_workloads


def run(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", *args],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_every_file_of_the_package_is_a_command_with_help() -> None:
    assert isinstance(group, LazyGroup)
    result = CliRunner().invoke(group, ["--help"])
    assert result.exit_code == 0
    for name in ("boot", "status", "stop", "console", "lat", "script", "list"):
        assert f"\n  {name} " in result.output


def test_a_command_imports_only_what_it_needs() -> None:
    code = (
        "import sys, vmkb.workloads.cli.main as m; m.group.get_command(None, 'list');"
        "print(sorted(set(sys.modules) & {'pydantic', 'numpy', 'duckdb', 'matplotlib', 'rich'}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize("words", [["--help"], ["parse"]])
def test_help_and_parse_load_no_heavy_module(words: list[str]) -> None:
    heavy = set(
        "asyncio duckdb jinja2 matplotlib multiprocessing numpy psutil pydantic rich".split()
    )
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "vmkb.workloads.cli", *words],
        input="", capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "click" in loaded and not heavy & loaded


def test_the_help_of_all_is_what_each_says_of_itself() -> None:
    assert isinstance(group, LazyGroup)
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        assert group.sentence(ctx, name) == command.get_short_help_str(SENTENCE) != ""


def test_an_unknown_command_is_a_usage_error() -> None:
    result = run("frobnicate")
    assert result.returncode == 2
    assert "frobnicate" in result.stderr


def test_a_failing_guest_is_one_message_and_exit_code_3() -> None:
    result = run("boot", "no-such-guest")
    assert result.returncode == 3
    assert result.stderr.startswith("vmkb: There is no guest 'no-such-guest'")
    assert "Traceback" not in result.stderr


def test_a_script_with_a_mistake_says_where() -> None:
    result = run("script", "-", stdin="\nlogon A\n")
    assert result.returncode == 3
    assert "<stdin>:2: logon: write it as" in result.stderr


def test_stopping_what_does_not_run_is_no_failure() -> None:
    result = run("stop", "no-such-guest")
    assert result.returncode == 3
    assert run("status").returncode == 0


def test_list_shows_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "guests/tiny/guest.toml": 'title = "Tiny"\n[ipl]\nimage = "build/x.ins"\n',
        "workloads/ftp/ftp.toml": (
            'question = "FTP"\n[[case]]\nid = "G2M"\ntitle = "get 2 MB"\n'
            '[[releases]]\nname = "213"\ndescription = "lwIP 2.1.3"\n'
        ),
        "accounting/machines.toml": (
            '[[model]]\nkey = "m1"\nname = "One"\n'
            '[[model]]\nkey = "m2"\nname = "Two"\navailable = false\n'
        ),
        "hercules/wire/profiles.toml": '[slow]\nsource = "a book"\n',
        "accounting/published/old.toml": 'source = "a report"\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(listing, "PROJECT", tmp_path)
    monkeypatch.setattr(listing, "emulators", lambda: iter([("exact", "Hercules 3.13 (used)")]))
    result = CliRunner().invoke(listing.command)
    assert result.output.splitlines() == [
        "guests:",
        "  tiny  Tiny (not built; boot and run build it)",
        "emulators:",
        "  exact  Hercules 3.13 (used)",
        "workloads:",
        "  ftp  FTP",
        "cases:",
        "  ftp/G2M  get 2 MB",
        "releases:",
        "  ftp/213  lwIP 2.1.3",
        "models:",
        "  m1  One",
        "  m2  Two (cannot be chosen: no citable figure)",
        "profiles:",
        "  slow  a book",
        "published:",
        "  old  a report",
    ]
    assert CliRunner().invoke(listing.command, ["models"]).output.startswith("  m1  One\n")
    assert CliRunner().invoke(listing.command, ["colours"]).exit_code == 2


def test_list_is_whole_in_a_pipe_and_one_line_each_on_a_terminal() -> None:
    command = [sys.executable, "-m", "vmkb.workloads.cli", "list", "workloads"]
    piped = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    asked = [line.split(maxsplit=1)[1] for line in piped.splitlines()]
    assert max(map(len, asked)) > 100 and all(q.endswith("?") for q in asked)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 60, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    subprocess.run(command, stdout=theirs, env=environment, timeout=60, check=True)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # EIO: all is read
        while piece := os.read(ours, 4096):
            shown += piece
    os.close(ours)
    lines = shown.decode().splitlines()
    assert len(lines) == len(asked) and max(map(len, lines)) == 60
    assert any(line.endswith("...") for line in lines)


def test_the_emulator_that_is_used_is_told_before_its_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """docs/reference/counter.md promises it; a long path was cut off with what stood behind it."""
    path = Path("/" + "a" * 200 + "/hercules")
    one = choice.Emulator(path, Mock(), "3.13", choice.EXACT)
    monkeypatch.setattr(choice, "choose", lambda: one)
    monkeypatch.setattr(choice, "exact_build", lambda: one)
    assert "(used): /aaa" in dict(listing.emulators())["exact"]


def test_what_only_lists_loads_no_heavy_library() -> None:
    """It answers in a fifth of a second, of which each of these would take as much again."""
    heavy = {"dask", "distributed", "duckdb", "jinja2", "matplotlib", "numpy", "pyarrow", "scipy"}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "vmkb.workloads.cli", "list", "models"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "click" in loaded and not heavy & loaded


def test_help_is_in_groups_and_ends_with_examples() -> None:
    lines = CliRunner().invoke(group, ["--help"]).output.splitlines()
    at = {name: lines.index(f"{name}:") for name in ("Measure", "Other", "Examples")}
    assert at["Measure"] < at["Other"] < at["Examples"]
    assert any(line.startswith("  run ") for line in lines[at["Measure"] : at["Other"]])
    assert not [line for line in lines[1:] if line.endswith("...")]


def test_examples_of_the_help_name_commands_that_exist() -> None:
    names = set(LazyGroup().list_commands(click.Context(group)))
    for example, _ in [*of_workloads(), *EXAMPLES]:
        for part in example.split(" && "):
            assert part.split()[0] == "vmkb" and part.split()[1] in names


def test_the_manual_page_is_one_that_groff_takes() -> None:
    made = run("man").stdout
    assert made.startswith(".TH VMKB 1") and "\n.SS run " in made
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    said = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z"], input=made, capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip
    assert said.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_a_subcommand(shell: str) -> None:
    assert "_VMKB_COMPLETE" in run("completion", shell).stdout
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli"], capture_output=True, text=True, timeout=60,
        check=False, env={**os.environ, "_VMKB_COMPLETE": "bash_complete", "COMP_CWORD": "1",
                          "COMP_WORDS": "vmkb stat"},
    )  # fmt: skip
    assert done.stdout.strip() == "plain,status"


def test_a_folder_of_somebody_else_is_one_sentence() -> None:
    code = (
        "import vmkb.workloads.cli.main as m\n"
        "def refuse(**_): raise PermissionError(13, 'Permission denied', '/somebody/.run')\n"
        "m.group.main = refuse\nm.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 3
    assert done.stderr == (
        "vmkb: /somebody/.run: Permission denied; nothing can be written there.\n"
    )


def test_a_full_disk_is_one_sentence() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "vmkb.workloads.cli", "list"], stdout=full,
            stderr=subprocess.PIPE, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr == "vmkb: No space left on device; nothing can be written there.\n"


def test_what_parse_cannot_write_is_not_called_unreadable(tmp_path: Path) -> None:
    log = tmp_path / "console.log"
    log.write_text("R;\n")
    words = [sys.executable, "-m", "vmkb.workloads.cli", "parse", str(log)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    assert done.returncode == 3
    assert done.stderr == "vmkb: No space left on device; nothing can be written there.\n"
    rest = tmp_path / "none" / "rest"
    done = subprocess.run(
        [*words, "--rest", str(rest)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 3
    assert done.stderr == f"vmkb: {rest}: No such file or directory.\n"
