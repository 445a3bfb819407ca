# SPDX-License-Identifier: MIT
"""What .ci/run says of a change's costs, with a stand-in for vmkb."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.guests.release.lwip import committed, git


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with one commit, whose scripts/vmkb says what it is asked and fails."""
    script = tmp_path / "clone" / "scripts" / "vmkb"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\necho asked: $*\nexit 3\n")
    script.chmod(0o755)
    put(tmp_path / "clone", "guests/vmkb/cp/a.c", "int a;\n")
    committed(tmp_path / "clone")
    return tmp_path / "clone"


def put(clone: Path, name: str, text: str) -> None:
    """A file of the clone."""
    (clone / name).parent.mkdir(parents=True, exist_ok=True)
    (clone / name).write_text(text)


def costs(project: Path, clone: Path) -> str:
    """What .ci/run prints about costs in CLONE."""
    found = re.search(r"^costs\(\) \{.*?^\}$", (project / ".ci" / "run").read_text(), re.M | re.S)
    assert found is not None
    return subprocess.run(
        ["bash", "-uc", f"scripts=$1\n{found[0]}\ncosts", "ci", str(clone / "scripts")],
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout  # fmt: skip


def test_without_a_parent_costs_are_not_compared(project: Path, clone: Path) -> None:
    assert (
        costs(project, clone) == "CI: the parent is not in this clone, so costs are not compared\n"
    )
    put(clone, "guests/vmkb/cp/a.c", "int b;\n")
    committed(clone)
    git(clone.parent, "clone", "-q", "--depth", "1", f"file://{clone}", "shallow")
    assert "the parent is not in this clone" in costs(project, clone.parent / "shallow")


def test_nor_for_a_change_that_no_program_is_built_from(project: Path, clone: Path) -> None:
    put(clone, "README.md", "words\n")
    put(clone, "guests/vmkb/volume/help/cms.txt", "help\n")
    committed(clone)
    assert "no source of VM/KB differs" in costs(project, clone)


def test_what_fails_is_said_and_not_held_against_a_change(project: Path, clone: Path) -> None:
    put(clone, "guests/vmkb/cp/a.c", "int b;\n")
    committed(clone)
    said = costs(project, clone).splitlines()
    asked = [line for line in said if line.startswith("asked: run ")]
    assert len(asked) == 2 and all("parent=.@HEAD~1" in line for line in asked)
    assert said.count("CI: it ended with 3; this is not held against the change") == 2
