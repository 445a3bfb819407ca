# SPDX-License-Identifier: MIT
"""What nodes do by the clock is given to trials by their time, and nothing of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.accounting.costs import TrialCost, trial_cost
from vmkb.accounting.models import model
from vmkb.accounting.records import Record, Source, Unit, Value, Where
from vmkb.accounting.store import Trial
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.terminal.tables.clock import CLOCK, LABEL, spread

MODEL = model("VAX750")
EACH = ("time", "instr", "moved", "summed")


def sample(user: str, instr: int, clock: int | None) -> Record:
    """One QUERY TIME (FULL of a machine, with some of its instructions by the clock."""
    views = {"virt": 0, "total": instr} | ({} if clock is None else {"clock": clock})
    fields = {
        f"{view}_{what}": Value(n if what == "instr" else 0, unit, Source.IC, 1)
        for view, n in views.items()
        for what, unit in zip(EACH, (Unit.US, Unit.INSTR, Unit.BYTE, Unit.BYTE), strict=True)
    }
    zero = {k: Value(0, Unit.US, Source.QT, 1) for k in ("connect", "virtcpu", "totcpu")}
    return Record("connect", {**zero, **fields, "userid": user, "model": "VAX750"}, "", Where("m"))


def cost(number: int, clock: int | None, seconds: float = 5.5, kind: str = "type") -> TrialCost:
    """A trial in which CP itself had 40000 instructions and what the clock had."""
    begun = [sample("TERM01", 0, None), sample(SYSTEM, 0, None if clock is None else 0)]
    ended = [sample(SYSTEM, 40000 + (clock or 0), clock), sample("TERM01", 100000, None)]
    trial = Trial(
        id=f"T{number}", run="R", case="LAT", release="221", seq=number,
        parts={"TERM01": "TYPE", SYSTEM: "CP itself"}, data=Value(4096, Unit.BYTE, Source.WI),
        elapsed=Value(round(1e6 * seconds), Unit.US, Source.WI),
        params={"kind": kind, "node": "CLE750"}, records=(*begun, *ended),
    )  # fmt: skip
    made = trial_cost(trial, Source.IC, MODEL)
    assert made.usable, made.missing
    return made


def instructions(found: TrialCost, label: str) -> float:
    value = found.part(label).instructions
    assert value is not None
    return float(value.value)


def total(found: list[TrialCost]) -> float:
    return sum(p.instructions.value for c in found for p in c.parts if p.instructions)


def test_trials_that_differ_by_when_a_hello_fell_cost_the_same() -> None:
    made = spread([cost(1, 0), cost(2, 3000), cost(3, 0)], MODEL)
    assert [instructions(c, "CP itself") for c in made] == [40000] * 3
    assert [instructions(c, LABEL) for c in made] == pytest.approx([1000] * 3)
    assert len({round(c.total_us_kb, 6) for c in made}) == 1
    assert [p.machine for p in made[0].parts] == ["TERM01", SYSTEM, CLOCK]


def test_a_longer_trial_has_more_of_it() -> None:
    made = spread([cost(1, 1200, seconds=5), cost(2, 600, seconds=10)], MODEL)
    assert [instructions(c, LABEL) for c in made] == pytest.approx([600, 1200])


def test_other_trials_and_those_of_an_older_guest_stay_as_they_are() -> None:
    found = [cost(1, 500, kind="monitor"), cost(2, None)]
    assert spread(found, MODEL) == found


@given(st.lists(st.tuples(st.integers(0, 9000), st.floats(1, 60)), min_size=1, max_size=6))
def test_nothing_is_lost(each: list[tuple[int, float]]) -> None:
    found = [cost(k, clock, seconds) for k, (clock, seconds) in enumerate(each)]
    made = spread(found, MODEL)
    assert total(made) == pytest.approx(total(found))
    assert sum(c.total_us_kb for c in made) == pytest.approx(sum(c.total_us_kb for c in found))
