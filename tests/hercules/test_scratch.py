# SPDX-License-Identifier: MIT
"""Folders of processes that were killed are removed by the next who makes one; others stay."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from vmkb.hercules.deadline import wait_until
from vmkb.hercules.scratch import LEASE, Scratch, sweep

MAKER = """
import os, sys, time
from vmkb.hercules.deadline import wait_until
from vmkb.hercules.scratch import Scratch
scratch = Scratch(sys.argv[1], **eval(sys.argv[2]))
(scratch.path / "full").mkdir()
print(scratch.path, flush=True)
time.sleep(60)
"""


def test_what_nobody_holds_goes_and_what_somebody_holds_stays(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", MAKER, str(tmp_path), "{}"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    theirs = Path(process.stdout.readline().strip())
    with Scratch(tmp_path) as mine:
        assert stat.S_IMODE(mine.path.stat().st_mode) == 0o700
        assert sweep(tmp_path) == [] and theirs.is_dir()
        process.kill()
        process.communicate()
        with Scratch(tmp_path):
            assert not theirs.exists() and mine.path.is_dir()
    assert list(tmp_path.iterdir()) == []


def test_a_child_that_has_the_lease_keeps_the_folder(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    child = subprocess.Popen(["sleep", "60"], pass_fds=[scratch.lease])
    scratch.release()
    assert sweep(tmp_path) == []
    child.kill()
    child.wait()
    assert sweep(tmp_path) == [scratch.path]


@pytest.mark.parametrize("interrupted", ["shutil.rmtree", "pathlib.Path.rename"])
def test_a_second_ctrl_c_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interrupted: str
) -> None:
    """It meets the removal, or the making of one."""

    def interrupt(*anything: object, **more: object) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(interrupted, interrupt)
    with pytest.raises(KeyboardInterrupt), Scratch(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_folders_that_are_not_ours_stay(tmp_path: Path) -> None:
    other = tmp_path / "vmkb-other"
    other.mkdir()
    away = tmp_path / "away"
    away.touch()
    linked = tmp_path / "vmkb-linked"
    linked.mkdir()
    (linked / LEASE).symlink_to(away)
    assert sweep(tmp_path) == []
    assert other.is_dir() and linked.is_dir() and away.exists()


def test_a_guarded_one_goes_when_its_process_is_killed(tmp_path: Path) -> None:
    """As what a volume is made in: it is large, and nobody may make another for weeks."""
    process = subprocess.Popen(
        [sys.executable, "-c", MAKER, str(tmp_path), "{'guarded': True}"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    theirs = Path(process.stdout.readline().strip())
    assert theirs.parent == tmp_path and theirs.is_dir()
    process.kill()
    process.communicate()
    wait_until(lambda: not list(tmp_path.iterdir()), 20, "the folder to go")


def test_what_was_never_finished_goes_once_it_is_old(tmp_path: Path) -> None:
    """A process may be killed before it has locked the lease, or while it removes the folder."""
    old, new, other = (tmp_path / name for name in (".vmkb-old", ".vmkb-new", ".other"))
    for path in (old, new, other):
        (path / "full").mkdir(parents=True)
    for path in (old, other):
        os.utime(path, (1, 1))
    assert sweep(tmp_path) == [old]
    assert sorted(tmp_path.iterdir()) == [other, new]
