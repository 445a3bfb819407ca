# SPDX-License-Identifier: MIT
"""Who passes which check, in words and as a table."""

from __future__ import annotations

import pytest

from vmkb.accounting.analysis.analyse import analyse
from vmkb.accounting.analysis.specification import Specification
from vmkb.accounting.store import Trial
from vmkb.workloads.command.show import show
from vmkb.workloads.conform.tables import answer, notes, table


def trial(release: str, case: str, said: str, n: int = 1) -> Trial:
    name = f"{case}{release}-{n}"
    params = {
        "title": f"a {case.lower()}",
        "said": said,
        **({"capture": f"{name}.pcapng"} if said else {}),
    }
    return Trial(id=name, run="r", case=case, release=release, pair=n, seq=n, params=params)


TRIALS = [
    trial("221", "LOSS", ""), trial("221", "FLOOD", ""),
    trial("MINE", "LOSS", "", 1), trial("MINE", "LOSS", "is silent for 60 s", 2),
    trial("MINE", "FLOOD", "refuses connections"),
]  # fmt: skip


def test_who_fails_is_named_with_what_and_the_capture_of_it() -> None:
    assert answer(TRIALS) == "221 passes 2 of 2; MINE passes 0 of 2, not LOSS, FLOOD."
    assert notes(TRIALS) == [
        "MINE LOSS: is silent for 60 s (LOSSMINE-2.pcapng).",
        "MINE FLOOD: refuses connections (FLOODMINE-1.pcapng).",
    ]


def test_a_check_that_fails_for_a_seed_is_told_with_how_many_it_passed() -> None:
    made = table(TRIALS)
    assert made is not None
    head, body = made.sections
    assert [cell.text for cell in head.rows[0].cells] == ["", "221", "MINE"]
    rows = {row.label: [cell.text for cell in row.cells] for row in body.rows}
    assert rows == {"LOSS": ["a loss", "yes", "1 of 2"], "FLOOD": ["a flood", "yes", "NO"]}


def test_with_all_a_note_is_said_once_below_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    spec = Specification(
        name="conform", alone=True, select=lambda trials: (),
        tables=lambda given: [table(given.trials)], answer=lambda given: answer(given.trials),
        notes=lambda given: [*notes(given.trials), "something else"],
    )  # fmt: skip
    show(analyse(TRIALS, spec), whole=True)
    out, err = capsys.readouterr()
    assert "is silent for 60 s" in out and err == "Note: something else\n"


def test_nothing_is_no_table() -> None:
    assert table([]) is None
