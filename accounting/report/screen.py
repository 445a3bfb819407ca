# SPDX-License-Identifier: MIT
"""One screen with the answer: the sentence, the release table, the trust, where the rest is.

At most LINES lines of WIDTH columns, whatever there is to say; what does not fit is in the rest.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from accounting.tables.table import NO_INTERVAL, STEP_NOTE, WIDE, Row, Table, packed, word

LINES, WIDTH = 50, 100
_GAP = " "


@dataclass(frozen=True)
class Block:
    """Columns of the release tables that stand side by side: printed lines."""

    lines: tuple[str, ...]


def screen(
    sentence: str,
    tables: Sequence[Table],
    doubts: Sequence[str],
    rest: str,
    setup: str = "",
) -> str:
    """The screen. TABLES: all that there are; SETUP: what was run on what, in a few words."""
    head = [*_wrapped(sentence), ""]
    shown = [t for t in tables if t.name.startswith("release")] or list(tables[:1])
    foot = ["", *_marks(shown), *_trust(doubts, shown), *_wrapped(setup), *_wrapped(rest)]
    room = LINES - len(head) - len(foot)
    return "\n".join([*head, *_body(shown, room), *foot]) + "\n"


def _wrapped(text: str, most: int = 6) -> list[str]:
    return textwrap.wrap(text, WIDTH, max_lines=most, placeholder=" ...") if text else []


def _trust(doubts: Sequence[str], tables: Sequence[Table]) -> list[str]:
    """The line on trust."""
    counts = [c.n for t in tables for _, _, _, c in t.numbers() if c.n and "PB" not in c.source]
    if not doubts and counts and min(counts) < 5:
        few = f"{min(counts)} trial{'s' if min(counts) > 1 else ''} of a case"
        return _wrapped(
            f"{few}: {NO_INTERVAL}, so how sure the figures are is not known; nothing else was"
            " found to be wrong."
        )
    if not doubts:
        kilobyte = any("CPU/KB" in r.label for t in tables for s in t.body for r in s.rows)
        what = "a kilobyte" if kilobyte else "it"
        return [f"Trusted: what {what} costs is known to the target, and nothing else is wrong."]
    first = doubts[0].split(": run more trials")[0]
    more = f" (and {len(doubts) - 1} more: --all)" if len(doubts) > 1 else ""
    return textwrap.wrap(f"NOT TRUSTED{more}: {first}.", WIDTH, max_lines=3, placeholder=" ...")


def _marks(tables: Sequence[Table]) -> list[str]:
    """What the marks in the tables mean, in one line each."""
    texts = [c.text for t in tables for s in t.body for r in s.rows for c in r.cells]
    said = []
    if any("~" in x for x in texts):
        said.append("~ the interval covers 1")
    if any(x.endswith(WIDE) for x in texts):
        said.append("! wider than the target")
    if any(NO_INTERVAL in x for x in texts):
        said.append("no interval: fewer than 5 trials, or a part that is below its step")
    lines = _wrapped("; ".join(said) + "." if said else "")
    ours = [c.text for t in tables for _, _, _, c in t.numbers() if "PB" not in c.source]
    if any(x.startswith("<") or " +/- " in x for x in ours):
        lines += _wrapped(STEP_NOTE)
    return lines


def _body(tables: Sequence[Table], room: int) -> list[str]:
    """The release tables side by side in ROOM lines: with ratios, with the Total's alone, or as
    many columns as there is room for.
    """
    whole = _joined(tables)
    fewer = () if whole.listing else (_total_ratio(whole), _totals(whole))
    for rows in (whole, *fewer):
        lines = _blocks(rows)
        if sum(len(b.lines) for b in lines) <= room:
            return [x for b in lines for x in b.lines]
    kept: list[str] = []
    for block in lines:
        left = room - len(kept) - 1
        if len(block.lines) > left:
            kept += block.lines[:left] if whole.listing and not kept else []
            break
        kept += block.lines
        if whole.keys:
            break  # what a row is stands in the first block alone
    what = "columns" if whole.listing else "runs"
    return [*kept, f"More {what} do not fit here: --all prints them."]


@dataclass(frozen=True)
class _Rows:
    head: list[Row]
    absolute: list[Row]
    ratio: list[Row]
    keys: int = 0
    listing: bool = False
    """Rows are what is compared, and not columns."""


def _joined(tables: Sequence[Table]) -> _Rows:
    """The rows of several tables in one: columns side by side, rows by their label."""
    made = _Rows([], [], [])
    if len(tables) == 1:
        listing = any(s.kind == "body" for s in tables[0].body)
        made = _Rows([], [], [], tables[0].keys, listing)
    width = 0
    for table in tables:
        across = len(table.columns)
        kinds = {"absolute": made.absolute, "ratio": made.ratio, "body": made.absolute}
        for row in table.head:
            _add(made.head, row, width)
        for section in table.body:
            for row in section.rows:
                _add(kinds.get(section.kind, made.absolute), row, width)
        width += across
        for rows in (made.head, made.absolute, made.ratio):
            for k, row in enumerate(rows):
                missing = width - len(row.cells)
                rows[k] = Row(row.label, (*row.cells, *(word("") for _ in range(missing))))
    return made


def _add(rows: list[Row], row: Row, width: int) -> None:
    """Put ROW's cells behind WIDTH others in the row of its label, the Total always last."""
    for k, old in enumerate(rows):
        if old.label == row.label and len(old.cells) == width:
            rows[k] = Row(old.label, (*old.cells, *row.cells))
            return
    at = len(rows)
    if rows and rows[-1].label.startswith("Total") and not row.label.startswith("Total"):
        at -= 1
    rows.insert(at, Row(row.label, (*(word("") for _ in range(width)), *row.cells)))


def _total_ratio(rows: _Rows) -> _Rows:
    return _Rows(rows.head, rows.absolute, rows.ratio[-1:], rows.keys)


def _totals(rows: _Rows) -> _Rows:
    return _Rows(rows.head, rows.absolute[-1:], rows.ratio[-1:], rows.keys)


def _blocks(rows: _Rows) -> list[Block]:
    every = [*rows.head, *rows.absolute, *rows.ratio]
    if not every:
        return []
    label = max(len(r.label) for r in every)
    widths = [max(len(r.cells[k].text) for r in every) for k in range(len(every[0].cells))]
    heads = [c.text for c in rows.head[0].cells] if rows.head else [""] * len(widths)
    groups = packed(heads, [width + len(_GAP) for width in widths], WIDTH - label)
    made = []
    for group in groups:
        shape = (group, widths, label, rows.keys)
        lines = [_line(r, *shape) for r in rows.head if any(r.cells[k].text for k in group)]
        lines.append("-" * max(len(x) for x in lines))
        parts = [
            [_line(r, *shape) for r in part if any(r.cells[k].text for k in group)]
            for part in (rows.absolute, rows.ratio)
        ]
        lines += parts[0]
        if parts[1]:
            lines += ["Ratio to the base", *parts[1]] if len(parts[1]) == 1 else ["", *parts[1]]
        made.append(Block((*lines, "") if group is not groups[-1] else tuple(lines)))
    return made


def _line(row: Row, group: Sequence[int], widths: Sequence[int], label: int, keys: int) -> str:
    """One printed line; the first KEYS columns are words, which stand left."""
    cells = (
        row.cells[k].text.ljust(widths[k]) if k < keys else row.cells[k].text.rjust(widths[k])
        for k in group
    )
    return (row.label.ljust(label) + _GAP + _GAP.join(cells)).rstrip()
