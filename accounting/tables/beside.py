# SPDX-License-Identifier: MIT
"""Published beside reproduced: the printed number, ours, their ratio, a sentence for each.

A difference is a result: nothing is tuned to make it small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accounting.costs import TrialCost
from accounting.tables.table import Cell, Row, Section, Table, TableError, fixed, word

#: A reproduced number within this factor of the published one is said to agree.
AGREES = 0.05


def beside_table(
    printed: Sequence[Table],
    ours: Sequence[Table],
    costs: Sequence[TrialCost],
    setup: Mapping[str, str],
    source: str,
) -> Table:
    """Absolute cells of release tables PRINTED and OURS with equal run ids and row names.

    SETUP is how the published numbers were measured; what our trials' metadata say otherwise
    gets a sentence.  TableError if no run id is in both.
    """
    mine = _cells(ours)
    rows, notes = [], []
    for (head, label), theirs in _cells(printed).items():
        here = mine.get((head, label))
        if here is None or theirs.value is None or here.value is None:
            continue
        quotient = here.value / theirs.value if theirs.value else None
        cells = (
            word(label),
            Cell(theirs.text, theirs.value, theirs.unit, theirs.source),
            Cell(here.text, here.value, here.unit, here.source, here.lo, here.hi, here.n),
            word("-")
            if quotient is None
            else Cell(fixed(quotient, 2), quotient, "ratio", here.source),
        )
        rows.append(Row(head, cells))
        notes.append(_sentence(head, label, theirs, here, quotient))
    if not rows:
        raise TableError("no run id of these results has published numbers")
    return Table(
        "beside",
        "Published beside reproduced",
        (
            Section(
                "head",
                (Row("Run Id", tuple(map(word, ("Row", "Published", "Reproduced", "Ratio")))),),
            ),
            Section("body", tuple(rows)),
        ),
        (f"Published: {source}.", *differences(setup, costs), *notes),
        keys=1,
    )


def _cells(tables: Sequence[Table]) -> dict[tuple[str, str], Cell]:
    """(run id, row name without unit and source) -> cell of the absolute rows."""
    found = {}
    for table in tables:
        for section in table.body:
            if section.kind != "absolute":
                continue
            for row in section.rows:
                name = row.label.split(" (")[0]
                for head, cell in zip(table.columns, row.cells, strict=True):
                    found[head, name] = cell
    return found


def _sentence(head: str, label: str, theirs: Cell, ours: Cell, quotient: float | None) -> str:
    what = f"{head} {label}: {ours.text} {ours.source} against {theirs.text} published"
    if quotient is None:
        return f"{what}, which leaves no ratio."
    if abs(quotient - 1) <= AGREES:
        return f"{what}: within {100 * AGREES:.0f} %."
    if quotient > 1:
        return f"{what}: {fixed(quotient, 2)} times as much."
    return f"{what}: {fixed(100 * (1 - quotient), 0)} % less."


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
