# SPDX-License-Identifier: MIT
"""Published beside reproduced: the printed number, ours, their ratio, a sentence for each.

A difference is a result: nothing is tuned to make it small.  Our first release stands beside the
published base, our second beside the published new one; cases meet by direction, file and mode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from accounting.costs import SYSTEM, TrialCost
from accounting.stats import median
from accounting.tables.group import Column, Measure, columns, part_us_kb, rate_kb_s, releases
from accounting.tables.table import (
    Cell,
    Row,
    Section,
    Table,
    TableError,
    fixed,
    lettered,
    word,
)

#: A reproduced number within this part of the published one is said to agree.
AGREES = 0.05
#: Printed row, published column, our measure, decimals, unit.
_ROWS: tuple[tuple[str, str, Measure, int, str], ...] = (
    ("Rate (KB/sec)", "rate_kb_s", rate_kb_s, 1, "KB/s"),
    ("TCPIP CPU/KB (msec)", "tcpip_ms_kb", part_us_kb("TCPIP"), 3, "ms/KB"),
    ("VM Client CPU/KB", "client_ms_kb", part_us_kb("VM Client"), 3, "ms/KB"),
)


def _key(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row.get(k, "").replace(" ", "").lower() for k in ("direction", "file", "mode"))


def beside_table(
    costs: Sequence[TrialCost],
    rows: Sequence[Mapping[str, str]],
    setup: Mapping[str, str],
    source: str,
) -> Table:
    """Our columns beside published ROWS (direction, file, mode, run_id, the figures).

    SETUP is how those were measured; where our metadata or parameters say otherwise there is a
    sentence.  TableError if no case is in both.
    """
    made, notes = [], []
    found = columns(costs)
    for column in found:
        first = column.trials[0].trial
        theirs = [r for r in rows if _key(r) == _key({"mode": first.mode, **first.params})]
        order = releases([c for c in found if c.case == column.case]).index(column.release)
        if not theirs or order >= len(theirs):
            continue
        row = theirs[order]
        for label, name, measure, places, unit in _ROWS:
            if not column.has(measure) or not row.get(name):
                continue
            scale = 1 if measure is rate_kb_s else 1000
            ours = fixed(median(column.values(measure)) / scale, places)
            made.append(_line(column, row, label, row[name], ours, unit))
            notes.append(_sentence(made[-1]))
        parts = [part_us_kb(x) for x in column.labels if x != SYSTEM]
        if row.get("total_ms_kb") and all(column.has(p) for p in parts):
            # As in the release table: the sum of the printed parts.
            total = sum(Decimal(fixed(median(column.values(p)) / 1000, 3)) for p in parts)
            line = _line(column, row, "Total CPU/KB", row["total_ms_kb"], f"{total:.3f}", "ms/KB")
            made.append(line)
            notes.append(_sentence(line))
    if not made:
        raise TableError("no case of these results has published numbers")
    heads = ("Release", "Row", "Published run", "Published", "Reproduced", "Ratio")
    made_table = Table(
        "beside",
        "Published beside reproduced",
        (
            Section("head", (Row("Run Id", tuple(map(word, heads))),)),
            Section("body", tuple(made)),
        ),
        (f"Published (PB): {source}.", *differences(setup, costs), *notes),
        keys=2,
    )
    return lettered(made_table)


def _line(
    column: Column,
    row: Mapping[str, str],
    label: str,
    theirs: str,
    ours: str,
    unit: str,
) -> Row:
    cost = column.trials[0]
    figure = cost.rate if unit == "KB/s" else next(p.per_kb for p in cost.parts if p.per_kb)
    letters = figure.letters if figure else ""
    ratio = word("-")
    if float(theirs):
        quotient = float(ours) / float(theirs)
        ratio = Cell(fixed(quotient, 2), quotient, "ratio", letters)
    return Row(
        column.head,
        (
            word(column.release),
            word(label),
            word(f"{row['run_id']} ({row.get('tcpip_release', '')})"),
            Cell(theirs, float(theirs), unit, "(PB)"),
            Cell(ours, float(ours), unit, letters, n=len(column.trials)),
            ratio,
        ),
    )


def _sentence(row: Row) -> str:
    release, label, run, theirs, ours, ratio = row.cells
    what = (
        f"{row.label} {release.text}, {label.text}: {ours.text} {ours.source} against"
        f" {theirs.text} of {run.text}"
    )
    if ratio.value is None:
        return f"{what}, which leaves no ratio."
    if abs(ratio.value - 1) <= AGREES:
        return f"{what}: within {100 * AGREES:.0f} %."
    if ratio.value > 1:
        return f"{what}: {ratio.text} times as much."
    return f"{what}: {fixed(100 * (1 - ratio.value), 0)} % less."


def differences(setup: Mapping[str, str], costs: Sequence[TrialCost]) -> list[str]:
    """A sentence for each published condition that our metadata or parameters do not repeat."""
    said = []
    for key, theirs in setup.items():
        here = list(
            dict.fromkeys(
                x for c in costs if (x := c.trial.meta.get(key) or c.trial.params.get(key))
            )
        )
        if here != [theirs]:
            what = ", ".join(here) or "not recorded"
            said.append(f"Differs in {key.replace('_', ' ')}: published {theirs}; here {what}.")
    return said
