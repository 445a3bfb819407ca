# SPDX-License-Identifier: MIT
"""What a trail keeps in its folder: a line for each commit, and the functions of each step. So no
commit is measured twice, also where its builds are gone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vmkb.accounting.tables.table import Cell, Section, Table
from vmkb.accounting.tables.table import Row as Line
from vmkb.errors import UsageError
from vmkb.guests.release.sizes import Sizes

FILE = "trail.jsonl"
FUNCTIONS = "functions.json"


@dataclass(frozen=True)
class Commit:
    """A commit of the repository: its full name, date and first line."""

    name: str
    date: str
    subject: str


@dataclass(frozen=True)
class Row:
    """The cost of a commit.

    source, text, program: digests of the source's files, of what the compiler gets of them, and of
    the program, or all of VM/KB's. total, part: usec per KB of all machines and of TCPIP. sizes: of
    the program; rows of older trails have none. why: why it has no cost.
    """

    commit: str
    source: str
    text: str = ""
    program: str = ""
    total: float | None = None
    part: float | None = None
    why: str = ""
    sizes: Sizes | None = None


def rows(folder: Path, about: dict[str, Any]) -> list[Row]:
    """The rows of FOLDER, which begin with what they are ABOUT. UsageError if they are of another
    case or guest."""
    path = folder / FILE
    folder.mkdir(parents=True, exist_ok=True)
    text = path.read_text("utf-8") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]  # a trail that was killed leaves part of a line
    if not whole:
        whole = json.dumps(about) + "\n"
    if whole != text:
        path.write_text(whole, "utf-8")
    first, *lines = whole.splitlines()
    if json.loads(first) != about:
        raise UsageError(f"{path} has costs of {first}, not of {json.dumps(about)}.")
    return [_row(**json.loads(line)) for line in lines]


def _row(sizes: list[int] | None = None, **words: Any) -> Row:
    return Row(**words, sizes=Sizes(*sizes) if sizes else None)


def keep(folder: Path, row: Row) -> None:
    """Add ROW to those of FOLDER."""
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(row)) + "\n")


def once(folder: Path, make: Callable[[], Table | None]) -> Table | None:
    """The table that MAKE makes, which is kept in FOLDER."""
    path = folder / FUNCTIONS
    if not path.exists():
        made = make()
        new = path.with_suffix(".new")
        new.write_text(json.dumps(made and asdict(made)), "utf-8")
        new.rename(path)
    found = json.loads(path.read_text("utf-8"))
    return found and Table(found["name"], found["title"], tuple(
        Section(s["kind"], tuple(
            Line(r["label"], tuple(Cell(**c) for c in r["cells"])) for r in s["rows"]
        )) for s in found["sections"]
    ), tuple(found["notes"]), keys=found["keys"])  # fmt: skip
