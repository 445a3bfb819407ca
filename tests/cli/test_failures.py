# SPDX-License-Identifier: MIT
"""Bad days of the command itself: a sentence and an exit code, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.accounting.texts import make_results
from vmkb.accounting.store import StoreError
from vmkb.hercules.deadline import EmulatorError
from vmkb.workloads.command.failures import kept, stopped

START = "import sys; from vmkb.workloads.cli import main as m; sys.argv[0] = 'vmkb'; "


def vmkb(code: str, *arguments: str, **more: Any) -> subprocess.Popen[str]:
    """The command with something done to it first."""
    return subprocess.Popen(
        [sys.executable, "-c", START + code + "; m.main()", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (FileNotFoundError(2, "No such file or directory", "r/results.jsonl"), "r/results.jsonl: "),
        (MemoryError(), "no storage left"),
        (StoreError("results.jsonl:3: it is none"), "results.jsonl:3"),
        (EmulatorError("the guest has ended"), "the guest has ended"),
    ],
)
def test_a_run_that_cannot_go_on_says_how_it_does(
    error: Exception, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    goes_on = "vmkb run ftp --resume r goes on."
    with pytest.raises(EmulatorError, match=said), kept(goes_on, tmp_path):
        raise error
    assert "What is done is kept; vmkb run ftp --resume r goes on." in capsys.readouterr().err


def test_a_folder_that_was_removed_is_not_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    gone = tmp_path / "r"
    gone.mkdir()
    with pytest.raises(EmulatorError, match="r/results.jsonl"), kept("It goes on.", gone):
        gone.rmdir()
        raise FileNotFoundError(2, "No such file or directory", "r/results.jsonl")
    err = capsys.readouterr().err
    assert f"{gone} was removed" in err and "What is done" not in err and "It goes on" not in err


def test_a_run_that_is_stopped_says_whether_it_can_go_on(tmp_path: Path) -> None:
    assert stopped("It goes on.", tmp_path) == "\nStopped; It goes on."
    gone = tmp_path / "r"
    assert f"{gone} was removed" in stopped("It goes on.", gone)


def test_ctrl_c_is_130_also_before_a_command_has_begun() -> None:
    code = "import os, signal; signal.raise_signal(signal.SIGINT)"
    slow = f"m.group.get_command = lambda *_: [{code!r} and exec({code!r})]"
    process = vmkb(slow, "list")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.strip() == "vmkb: stopped."


def test_a_memory_limit_is_a_sentence() -> None:
    process = vmkb("m.group.get_command = lambda *_: bytearray(1 << 62)", "list")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3 and "Traceback" not in err
    assert "no storage left" in err


def test_a_reader_that_has_gone_is_no_failure(tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    process = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "list", "models"], stdout=theirs,
        stderr=subprocess.PIPE, text=True, timeout=60, check=False,
    )  # fmt: skip
    os.close(theirs)
    assert (process.returncode, process.stderr) == (0, "")


def test_a_reader_of_every_table_that_has_gone_is_no_failure(tmp_path: Path) -> None:
    """rich would end with 1, which says that the measurement is not to be trusted."""
    folder = make_results(tmp_path)
    ours, theirs = os.pipe()
    os.close(ours)
    process = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "compare", str(folder), "--all"],
        stdout=theirs, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
    )  # fmt: skip
    os.close(theirs)
    assert (process.returncode, process.stderr) == (0, "")


def test_what_click_refuses_is_2() -> None:
    process = vmkb("pass", "list", "--nonsense")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2 and "No such option" in err


@pytest.mark.parametrize("words", [("run", "echo"), ("sweep",)])
def test_a_folder_that_cannot_be_made_is_a_sentence(words: tuple[str, ...], tmp_path: Path) -> None:
    """Whatever the reason is: here a file stands where a folder should."""
    (tmp_path / "file").touch()
    process = vmkb("0", *words, "--out", str(tmp_path / "file" / "out"))
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    assert "Traceback" not in err and str(tmp_path / "file") in err
