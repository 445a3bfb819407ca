# SPDX-License-Identifier: MIT
"""The sweep table: how cost, rate and utilization move with one parameter of the cases."""

from __future__ import annotations

import re
from collections.abc import Sequence

from accounting.costs import TrialCost
from accounting.tables.group import (
    columns,
    configuration,
    letters_of,
    rate_kb_s,
    said,
    total_us_kb,
)
from accounting.tables.table import Plot, Row, Section, Table, TableError, word
from accounting.tables.utilization import busy_sum, cell

_NUMBER = re.compile(r"^\s*([\d.]+)\s*([KMG]?)")
_SCALE = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


def magnitude(text: str) -> float:
    """The number that a parameter begins with: 24 KB is 24576; infinity for a word."""
    found = _NUMBER.match(text)
    return float(found[1]) * _SCALE[found[2]] if found and found[1] != "." else float("inf")


def sweep_table(costs: Sequence[TrialCost], parameter: str) -> Table:
    """One line per value of PARAMETER and release, in order of size. TableError if none has it."""
    found = [c for c in columns(costs) if c.trials[0].trial.params.get(parameter)]
    if not found:
        known = sorted({k for c in costs for k in c.trial.params})
        raise TableError(
            f"no trial has a parameter {parameter!r}; there are {', '.join(known) or 'none'}"
        )
    values: dict[int, str] = {id(c): c.trials[0].trial.params[parameter] for c in found}
    found.sort(key=lambda c: (magnitude(values[id(c)]), values[id(c)]))
    rows = []
    lines: dict[str, list[tuple[str | float, float, float, float]]] = {}
    for column in found:
        value = values[id(column)]
        rows.append(
            Row(
                value,
                (
                    word(column.release),
                    word(column.mode or column.case),
                    cell(column, rate_kb_s, "KB/s"),
                    cell(column, total_us_kb, "us/KB"),
                    cell(column, busy_sum, "%"),
                    word(str(len(column.trials))),
                ),
            )
        )
        if column.has(total_us_kb):
            e = column.estimate(total_us_kb)
            name = f"{column.release} {column.mode}".strip()
            lines.setdefault(name, []).append((magnitude(value), e.value, e.lo, e.hi))
    where = configuration(costs)
    heads = (
        "Release",
        "Mode",
        f"Rate KB/s {letters_of(found, rate_kb_s)}",
        f"CPU us/KB {letters_of(found, total_us_kb)}",
        f"CPU % {letters_of(found, busy_sum)}",
        "n",
    )
    return Table(
        "sweep",
        f"Sweep over {parameter}",
        (
            Section("head", (Row(parameter, tuple(word(h.strip()) for h in heads)),)),
            Section("body", tuple(rows)),
        ),
        tuple(x for x in (where and f"Configuration: {where}.", *said(costs)) if x),
        (
            Plot(
                "lines", f"CPU per KB over {parameter}", "us/KB",
                tuple((k, tuple(v)) for k, v in lines.items()), x_title=parameter,
            ),
        ) if lines else (),
        keys=2,
    )  # fmt: skip
