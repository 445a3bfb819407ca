# SPDX-License-Identifier: MIT
from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from workloads.cli.main import LazyGroup, group


def run(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "workloads.cli", *args],
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
        "import sys, workloads.cli.main as m; m.group.get_command(None, 'list');"
        "print(sorted(set(sys.modules) & {'pydantic', 'numpy', 'duckdb', 'matplotlib', 'rich'}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


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
    from workloads.cli import list as listing

    files = {
        "guests/tiny/guest.toml": 'title = "Tiny"\n[ipl]\nimage = "build/x.ins"\n',
        "workloads/ftp.toml": (
            'title = "FTP"\n[[case]]\nid = "G2M"\ntitle = "get 2 MB"\n'
            '[[release]]\nname = "213"\ndescription = "lwIP 2.1.3"\n'
        ),
        "accounting/machines.toml": (
            '[[model]]\nkey = "m1"\nname = "One"\n'
            '[[model]]\nkey = "m2"\nname = "Two"\navailable = false\n'
        ),
        "hercules/wire_profiles.toml": '[slow]\nsource = "a book"\n',
        "accounting/published/old.toml": 'source = "a report"\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(listing, "PROJECT", tmp_path)
    result = CliRunner().invoke(listing.command)
    assert result.output.splitlines() == [
        "guests:",
        "  tiny  Tiny (not built; scripts/setup builds it)",
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


def test_the_command_starts_quickly() -> None:
    run("list", "models")
    best = min(_seconds("list", "models") for _ in range(5))
    assert best < 0.5


def _seconds(*args: str) -> float:
    began = time.monotonic()
    assert run(*args).returncode == 0
    return time.monotonic() - began
