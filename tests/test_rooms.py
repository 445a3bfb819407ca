# SPDX-License-Identifier: MIT
"""No folder holds more files than a person can look over, no line of C more than Python's."""

from __future__ import annotations

import os
from pathlib import Path

LIMIT = 25
#: Characters in a line of C, as of Python (pyproject.toml has that one for ruff).
WIDTH = 100
ROOMS = ("accounting", "docs", "guests", "hercules", "scripts", "tests", "workloads")
#: Made, not written.
MADE = {"build", "__pycache__", "results"}
#: What only says that a folder is a package is nothing to look over.
MARKS = {"__init__.py", "py.typed"}


def test_no_folder_has_more_than_25_files(project: Path) -> None:
    full: dict[str, int] = {}
    seen = 0
    for room in ROOMS:
        for folder, folders, files in os.walk(project / room):
            folders[:] = [f for f in folders if f not in MADE and not f.startswith(".")]
            files = [f for f in files if f not in MARKS]
            seen += len(files)
            if len(files) > LIMIT:
                full[str(Path(folder).relative_to(project))] = len(files)
    assert seen > 300
    assert not full


def test_no_line_of_c_is_wider_than_python_s(project: Path) -> None:
    wide: list[str] = []
    seen = 0
    for room in ROOMS:
        for folder, folders, files in os.walk(project / room):
            folders[:] = [f for f in folders if f not in MADE and not f.startswith(".")]
            for path in (Path(folder) / f for f in files if f.endswith((".c", ".h"))):
                lines = path.read_text(encoding="utf-8").split("\n")
                seen += len(lines)
                wide += [
                    f"{path.relative_to(project)}:{n}"
                    for n, line in enumerate(lines, 1)
                    if len(line) > WIDTH
                ]
    assert seen > 30000
    assert not wide
