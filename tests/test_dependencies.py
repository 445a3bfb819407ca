# SPDX-License-Identifier: MIT
"""What pyproject.toml requires is what the packages import, no more and no less."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

OURS = {"vmkb"}
ROOMS = ("accounting", "guests", "hercules", "workloads")
#: Modules that are not called as what they are installed by.
CALLED = {"re2": "google-re2"}


def imported(project: Path) -> set[str]:
    """Names of modules outside the project and the standard library that its code imports."""
    found: set[str] = set()
    for package in ROOMS:
        for path in (project / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    found |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                    found.add(node.module.split(".")[0])
    found -= OURS | set(sys.stdlib_module_names)
    return {CALLED.get(name, name) for name in found}


@pytest.fixture(scope="module")
def required(project: Path) -> dict[str, set[str]]:
    """The requirements of a plain installation and of each extra, by name."""
    table = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    lists = {"": table["dependencies"], **table["optional-dependencies"]}
    return {k: {re.split(r"[=<>\[]", word)[0] for word in v} for k, v in lists.items()}


def test_each_requirement_is_imported_and_each_import_required(
    project: Path, required: dict[str, set[str]]
) -> None:
    assert imported(project) == required[""] | required["history"] | required["campaign"]


def test_an_extra_is_no_part_of_the_default_installation(required: dict[str, set[str]]) -> None:
    assert not required[""] & (required["history"] | required["campaign"])


def test_every_requirement_is_pinned_once(project: Path) -> None:
    table = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    words = [*table["dependencies"]]
    for extra in table["optional-dependencies"].values():
        words += extra
    pins = (project / "scripts" / "constraints.txt").read_text("utf-8").splitlines()
    words += [line for line in pins if line and not line.startswith("#")]
    assert [word for word in words if not re.fullmatch(r"[\w.-]+==[\w.]+", word)] == []
    names = [word.split("==")[0].lower() for word in words]
    assert sorted(names) == sorted(set(names))
