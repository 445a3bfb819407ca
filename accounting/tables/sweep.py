# SPDX-License-Identifier: MIT
"""The sweep table: how cost, rate and utilization move with one parameter of the cases."""

from __future__ import annotations

import re
from collections.abc import Sequence

from accounting.costs import TrialCost
from accounting.stats import decimals
from accounting.tables.group import (
    Column,
    Measure,
    columns,
    configuration,
    left_out,
    letters,
    rate_kb_s,
    said,
    total_us_kb,
)
from accounting.tables.table import Cell, Plot, Row, Section, Table, TableError, estimated, word
from accounting.tables.utilization import busy_sum

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
    values: dict[int, str] = {
        id(c): c.trials[0].trial.params[parameter] for c in found
    }
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
                    _cell(column, rate_kb_s, "KB/s", 1),
                    _cell(column, total_us_kb, "us/KB"),
                    _cell(column, busy_sum, "%", 1),
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
        f"Rate KB/s {_of(found, rate_kb_s)}",
        f"CPU us/KB {_of(found, total_us_kb)}",
        f"CPU % {_of(found, busy_sum)}",
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
        tuple(left_out(costs)),
        (
            Plot(
                "lines", f"CPU per KB over {parameter}", "us/KB",
                tuple((k, tuple(v)) for k, v in lines.items()), x_title=parameter,
            ),
        ) if lines else (),
        keys=2,
    )  # fmt: skip


def _source(cost: TrialCost, measure: Measure) -> str | None:
    if measure is rate_kb_s:
        return cost.rate.letters if cost.rate else None
    for part in cost.parts:
        figure = part.utilization(cost.elapsed) if measure is busy_sum else part.per_kb
        if figure:
            return figure.letters
    return None


def _of(found: list[Column], measure: Measure) -> str:
    return letters(found, lambda c: _source(c, measure))


def _cell(column: Column, measure: Measure, unit: str, places: int | None = None) -> Cell:
    if not column.has(measure):
        return word("-")
    e = column.estimate(measure)
    source = _of([column], measure)
    return estimated(e, decimals(e) if places is None else places, unit, source)
