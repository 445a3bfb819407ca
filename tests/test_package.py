# SPDX-License-Identifier: MIT
"""One name is installed, and every room is reached through it: a room that is imported by a second
name would exist twice."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

ROOMS = ("accounting", "guests", "hercules", "workloads")
KINDS = ("vmkb.guests.vmkb", "vmkb.guests.linux", "vmkb.guests.vm370")


def names(path: Path) -> set[str]:
    """The modules that the file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_a_package_of_vmkb(project: Path, room: str) -> None:
    assert (project / "vmkb" / room).resolve() == project / room


def test_one_name_is_installed(project: Path) -> None:
    table = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))
    assert table["tool"]["setuptools"]["packages"]["find"]["include"] == ["vmkb*"]


@pytest.mark.parametrize("room", [*ROOMS, "tests"])
def test_no_file_imports_a_room_by_another_name(project: Path, room: str) -> None:
    wrong = {
        str(path.relative_to(project)): sorted(other)
        for path in (project / room).rglob("*.py")
        if (other := {n for n in names(path) if n.split(".")[0] in ROOMS})
    }
    assert wrong == {}


def test_workloads_know_no_guest(project: Path) -> None:
    """What a workload needs of a guest, its driver does."""
    wrong = {
        str(path.relative_to(project)): sorted(other)
        for path in (project / "workloads").rglob("*.py")
        if (other := {n for n in names(path) if n.startswith(KINDS)})
    }
    assert wrong == {}


@pytest.mark.parametrize("room", ROOMS)
def test_each_module_is_in_a_package_that_is_installed(project: Path, room: str) -> None:
    """A folder without __init__.py is found in a clone and is not in the wheel."""
    files = [path for path in (project / room).rglob("*.py") if "build" not in path.parts]
    assert {path.parent for path in files if not (path.parent / "__init__.py").exists()} == set()
