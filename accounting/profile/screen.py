# SPDX-License-Identifier: MIT
"""The layers of all machines on one screen: releases beside each other in each case. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from vmkb.accounting.digits import fixed
from vmkb.accounting.tables.table import Row, Table

#: Columns of a number with the blank before it, where no case's name is longer; 16 of them and a
#: layer's name fit 120.
NUMBER = 6
_LAYER = 22


def screen(tables: Sequence[Table]) -> str:
    """TABLES of layers (accounting.profile.tables) as text: a line for each layer."""
    return "\n".join(line for table in tables for line in [*_lines(table), ""])


def _lines(table: Table) -> list[str]:
    cases = table.columns[1:]
    rows = [row for section in table.body for row in section.rows]
    releases = list(dict.fromkeys(row.cells[0].text for row in rows))
    number = max(NUMBER, -(-(max(map(len, cases)) + 1) // len(releases)))
    wide = number * len(releases)
    lines = [
        table.title,
        f"{'Layer':{_LAYER}}" + "".join(f"{case:>{wide}}" for case in cases),
    ]
    if len(releases) > 1:
        lines.append(" " * _LAYER + "".join(f"{r:>{number}}" for r in releases) * len(cases))
    by_layer: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_layer.setdefault(row.label, {})[row.cells[0].text] = row
    for layer, of in by_layer.items():
        line = f"{layer:{_LAYER}}"
        for k in range(1, len(cases) + 1):
            for release in releases:
                line += f"{_number(of.get(release), k):>{number}}"
        lines.append(line)
    return lines


def _number(row: Row | None, k: int) -> str:
    value = row.cells[k].value if row else None
    if value is None:
        return "-"
    return fixed(value, 1 if abs(value) < 999.95 else 0)
