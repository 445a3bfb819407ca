# SPDX-License-Identifier: MIT
"""Published beside reproduced: the printed number, ours, their ratio, a sentence for each kind of
difference.

A difference is a result: nothing is tuned to make it small.  Our first release stands beside the
published base, our second beside the published new one; cases meet by direction, file and mode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.records import Source
from vmkb.accounting.stats import Estimate
from vmkb.accounting.tables.group import (
    Column,
    Measure,
    columns,
    estimate,
    part_us_kb,
    rate_kb_s,
    releases,
)
from vmkb.accounting.tables.table import (
    STEP_NOTE,
    Cell,
    Row,
    Section,
    Table,
    TableError,
    fixed,
    header,
    known,
    lettered,
    word,
)
from vmkb.accounting.units import Figure, add_figures

PARTS = ("TCPIP", "VM Client")
"""The machines that the published Total is made of."""


def _published_total(cost: TrialCost) -> Figure | None:
    """The sum of the machines that the published Total has, whatever other parts there are."""
    found = [p.per_kb for p in cost.parts if p.label in PARTS]
    there = [f for f in found if f is not None]
    return add_figures(there) if len(there) == len(PARTS) else None


#: Printed row, published column, our measure, unit, from our unit to it.
_ROWS: tuple[tuple[str, str, Measure, str, float], ...] = (
    ("Rate (KB/sec)", "rate_kb_s", rate_kb_s, "KB/s", 1.0),
    ("TCPIP CPU/KB (msec)", "tcpip_ms_kb", part_us_kb(PARTS[0]), "ms/KB", 1e-3),
    ("VM Client CPU/KB", "client_ms_kb", part_us_kb(PARTS[1]), "ms/KB", 1e-3),
    ("Total of the two", "total_ms_kb", _published_total, "ms/KB", 1e-3),
)
#: By published column: the row's label, our measure, from our unit to its.
MEASURES = {name: (label, measure, scale) for label, name, measure, _, scale in _ROWS}
#: What a condition of a measurement is about.
KINDS = {
    "guest": "Guest", "data_buffer_pool_size": "Guest", "model": "Machine", "wire": "Wire",
    "mtu": "Wire", "server": "Peer", "transfers": "Method", "trials": "Method",
}  # fmt: skip


def printed_key(row: Mapping[str, str]) -> tuple[str, ...]:
    """What tells a case of a published table from the others."""
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
    made: list[Row] = []
    found = columns(costs)
    for column in found:
        first = column.trials[0].trial
        theirs = [
            r for r in rows if printed_key(r) == printed_key({"mode": first.mode, **first.params})
        ]
        order = releases([c for c in found if c.case == column.case]).index(column.release)
        if not theirs or order >= len(theirs):
            continue
        row = theirs[order]
        for label, name, measure, unit, scale in _ROWS:
            if column.has(measure) and row.get(name):
                made.append(_line(column, row, label, row[name], measure, unit, scale))
    if not made:
        raise TableError("no case of these results has published numbers")
    heads = ("Release", "Row", "Published run", "Published", "Reproduced", "Ratio")
    coarse = any(r.cells[4].text.startswith("<") or "+/-" in r.cells[4].text for r in made)
    made_table = Table(
        "beside",
        "Published beside reproduced",
        (
            header("Run Id", heads),
            Section("body", tuple(made)),
        ),
        (
            f"Published (PB): {source}.",
            *_ranges(made),
            *differences(setup, costs),
            *([STEP_NOTE] if coarse else []),
        ),
        keys=2,
    )
    return lettered(made_table)


def _line(
    column: Column,
    row: Mapping[str, str],
    label: str,
    theirs: str,
    measure: Measure,
    unit: str,
    scale: float,
) -> Row:
    figures = column.figures(measure)
    ours = estimate(figures)
    letters = figures[0].letters
    return Row(
        column.head,
        (
            word(column.release),
            word(label),
            word(f"{row['run_id']} ({row.get('tcpip_release', '')})"),
            Cell(theirs, float(theirs), unit, "(PB)"),
            known(ours, unit, letters, scale=scale),
            _against(ours, float(theirs) / scale, letters),
        ),
    )


def _against(ours: Estimate, theirs: float, letters: str) -> Cell:
    """Our figure as part of theirs; a bound where ours is below its step."""
    if not theirs:
        return word("-")
    quotient = ours.value / theirs
    if ours.below_step:
        return word(f"< {ours.step / theirs:.2g}")
    return Cell(fixed(quotient, 2 if quotient >= 0.1 else 3), quotient, "ratio", letters)


def _ranges(made: Sequence[Row]) -> list[str]:
    """One sentence on how far all rows of a kind are from the published ones."""
    spans: dict[str, list[float]] = {}
    for row in made:
        ratio = row.cells[5]
        if ratio.value is not None:
            spans.setdefault(row.cells[1].text.partition(" (")[0], []).append(ratio.value)
    if not spans:
        return []
    parts = [f"{label} {_times(min(x))} to {_times(max(x))}" for label, x in spans.items()]
    return [f"Reproduced over published, least and most: {'; '.join(parts)}."]


def _times(x: float) -> str:
    return f"{x:.2f}" if x >= 0.1 else f"{x:.3f}"


def differences(setup: Mapping[str, str], costs: Sequence[TrialCost]) -> list[str]:
    """A sentence for each kind of published condition that our metadata or parameters do not
    repeat: guest, machine, wire, peer, method.
    """
    said: dict[str, list[str]] = {}
    for key, theirs in setup.items():
        here = list(
            dict.fromkeys(
                x for c in costs if (x := c.trial.meta.get(key) or c.trial.params.get(key))
            )
        )
        if here != [theirs]:
            what = ", ".join(here) or "not recorded"
            said.setdefault(KINDS.get(key, "Method"), []).append(
                f"{key.replace('_', ' ')} published {theirs}, here {what}"
            )
    if any(Source.IC in p.per_kb.sources for c in costs for p in c.parts if p.per_kb):
        said.setdefault("Machine", []).append(
            "published by the clock of a real one, here counts of an emulated CPU through a model"
        )
    return [f"Differs in {kind.lower()}: {'; '.join(texts)}." for kind, texts in said.items()]
