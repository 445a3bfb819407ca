# SPDX-License-Identifier: MIT
"""Published tables as data.

Each TOML file has `source`, `columns`, `rows` of text as printed, and sometimes `setup`, and `page`
and `because` (vmkb.accounting.compare).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from vmkb.accounting.costs import figures_trial
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.table import Row, Section, Table, header, word
from vmkb.accounting.units import FigureError


@dataclass(frozen=True)
class Published:
    """One published table: rows of column name -> text as printed; its place on a page, and what is
    said there of cells that are not as published."""

    name: str
    source: str
    rows: tuple[Mapping[str, str], ...]
    setup: Mapping[str, str]
    map: Mapping[str, str | list[str]] = field(default_factory=dict)
    page: Mapping[str, Any] = field(default_factory=dict)
    because: tuple[Mapping[str, Any], ...] = ()


def names() -> list[str]:
    """The published tables that are here."""
    return sorted(p.stem for p in Path(__file__).parent.glob("*.toml"))


@cache
def published(name: str) -> Published:
    """The published table NAME; KeyError says which there are."""
    path = Path(__file__).parent / f"{name}.toml"
    if name not in names():
        raise KeyError(f"there is no published table {name!r}; there are {', '.join(names())}")
    with path.open("rb") as f:
        data = tomllib.load(f)
    made = tuple(dict(zip(data["columns"], row, strict=True)) for row in data["rows"])
    return Published(
        name, data["source"], made, data.get("setup", {}), data.get("map", {}),
        data.get("page", {}), tuple(data.get("because", ())),
    )  # fmt: skip


def as_table(found: Published) -> Table:
    """FOUND as it was printed, cell by cell."""
    first, *heads = found.rows[0]
    rows = tuple(Row(row[first], tuple(word(row[h]) for h in heads)) for row in found.rows)
    head = header(first, heads)
    notes = [f"Published (PB): {found.source}."]
    notes += [f"{k.replace('_', ' ')}: {v}." for k, v in found.setup.items()]
    return Table(found.name, found.name, (head, Section("body", rows)), tuple(notes), keys=1)


_PARTS = {"tcpip": ("TCPIP", "TCPIP"), "client": ("CLIENT", "VM Client"),
          "server": ("SERVER", "VM Server")}  # fmt: skip


def figure_trials(rows: tuple[Mapping[str, str], ...], origin: str) -> list[Trial]:
    """Rows of printed rates and `<part>_ms_kb` figures as trials of one run each.

    Needs columns run_id and tcpip_release (or release) and one `<part>_ms_kb`; total_ms_kb and
    ratio_* are results and are not read. FigureError says what is missing, no figure, or there
    twice.
    """
    trials: list[Trial] = []
    seen: dict[tuple[str, str], str] = {}
    for number, row in enumerate(rows, start=1):
        if None in row:
            raise FigureError(f"row {number} has more fields than the head")
        release = _needed(row, number, "tcpip_release", "release")
        run = _needed(row, number, "run_id")
        what = [row.get(k) or "" for k in ("direction", "file")]
        mode = row.get("mode") or ""
        title = " ".join(w.capitalize() if w.islower() else w for w in what if w)
        case = " ".join([*what, mode]).strip() or row.get("case") or ""
        if (case, release) in seen:
            raise FigureError(
                f"runs {seen[case, release]} and {run} are both release {release} of"
                f" {f'case {case!r}' if case else 'one case'}, and are not trials of one another;"
                " tell them apart by the columns direction, file, mode or case"
            )
        seen[case, release] = run
        trials.append(
            figures_trial(
                run, origin, _figures(row, number), row.get("rate_kb_s") or None,
                case=case, release=release,
                table=row.get("table") and f"Table {row['table']}" or title,
                mode=mode.capitalize() if mode != "ascii" else "ASCII", run_id=run,
            )
        )  # fmt: skip
    if not trials:
        raise FigureError("there is no row below the head")
    return trials


def _needed(row: Mapping[str, str], number: int, *names: str) -> str:
    for name in names:
        if found := (row.get(name) or "").strip():
            return found
    known = f"column {' or '.join(names)}"
    raise FigureError(
        f"row {number} has nothing in {known}" if set(names) & set(row) else f"there is no {known}"
    )


def _figures(row: Mapping[str, str], number: int) -> dict[str, tuple[str, str]]:
    """userid -> (label, ms per KB as printed)."""
    parts = {}
    for column, text in row.items():
        part = column.removesuffix("_ms_kb")
        if column.endswith("_ms_kb") and part != "total" and text:
            who, label = _PARTS.get(part, (part.upper(), part.upper()))
            parts[who] = (label, text)
    if not parts:
        raise FigureError(f"row {number} has no CPU per KB: a column <part>_ms_kb for each machine")
    return parts
