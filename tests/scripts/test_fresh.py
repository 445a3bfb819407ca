# SPDX-License-Identifier: MIT
"""scripts/fresh as far as no root is made; .ci/run makes them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest


def stand_in(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Programs that stand in for root's, for apt's and for the maker of roots."""
    folder = tmp_path / "bin"
    folder.mkdir()
    stand_in(folder, "id", "echo 0")
    stand_in(folder, "apt-get", "echo deb http://127.0.0.1/debian/ bookworm main '#Debian'")
    stand_in(folder, "apt-config", "")
    stand_in(folder, "mmdebstrap", f"echo made >>{tmp_path}/tries; exit 1")
    stand_in(folder, "sleep", f"echo slept >>{tmp_path}/tries")
    return folder


def fresh(project: Path, programs: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(project / "scripts" / "fresh"), *args],
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["--who"],
        ["--who", "nobody", "trixie"],
        ["--fast", "trixie"],
        ["/etc"],
        ["--work"],
        ["--bring", "/nothing", "trixie"],
    ],
)
def test_usage(project: Path, programs: Path, args: list[str]) -> None:
    done = fresh(project, programs, *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: scripts/fresh ")


def test_who_is_not_root_is_told(project: Path, programs: Path) -> None:
    stand_in(programs, "id", "echo 1000")
    done = fresh(project, programs, "trixie")
    assert done.returncode == 3
    assert done.stderr == "fresh: making a root needs root: run it as root or with sudo\n"


def test_an_archive_that_does_not_answer_is_tried_twice_and_has_its_own_code(
    project: Path, programs: Path, tmp_path: Path
) -> None:
    done = fresh(project, programs, "--work", str(tmp_path / "roots here"), "trixie")
    assert done.returncode == 75, done.stderr
    assert (tmp_path / "tries").read_text() == "made\nslept\nmade\n"
    assert "not reached in two tries; this says nothing about the project" in done.stdout
    assert list((tmp_path / "roots here").iterdir()) == []


def test_a_machine_without_debians_archive(project: Path, programs: Path, tmp_path: Path) -> None:
    stand_in(programs, "apt-get", "echo deb http://127.0.0.1/other/ bookworm main '#Other'")
    done = fresh(project, programs, "--work", str(tmp_path / "roots"), "trixie")
    assert done.returncode == 3
    assert done.stderr == "fresh: apt on this machine names no archive of Debian\n"


def test_what_a_fresh_machine_runs_is_a_command_that_vmkb_has(project: Path) -> None:
    commands = re.findall(r"scripts/vmkb [^']*", (project / ".ci" / "run").read_text())
    assert commands
    for command in commands:
        done = subprocess.run(
            [*command.split(), "--help"], cwd=project,
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
