# SPDX-License-Identifier: MIT
"""A seed's plan is always the same, and one that can be played."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.plan import HOSTS, LAST_FAULT, MTU, SIZES, TARGETS, Kind, draw
from tests.worlds.volume import procedure
from vmkb.hercules.wire.profile import change, profile

LINE_MAX = 130
"""Characters of a line that CMS takes from its stack."""


@given(st.integers(0, 1 << 40))
def test_a_plan_can_be_played(seed: int) -> None:
    plan = draw(seed)
    assert plan == draw(seed)
    assert plan.mtu <= profile(plan.wire).mtu
    assert plan.wire in MTU and plan.full in ("", *HOSTS)
    for move in (move for session in plan.sessions for move in session):
        assert 0 <= move.source < len(SIZES) and 0 <= move.target < TARGETS
    times = [fault.at for fault in plan.faults]
    assert times == sorted(times) and all(0 <= at <= LAST_FAULT**2 for at in times)
    for fault in plan.faults:
        change(profile(plan.wire), dict(fault.changes))
        assert bool(fault.machine) == (fault.kind in (Kind.FORCE, Kind.TERMINAL))
        assert bool(fault.changes) == (fault.kind is Kind.LINE)
    assert all(len(line) <= LINE_MAX for line in procedure(plan).splitlines())


def test_seeds_draw_everything() -> None:
    plans = [draw(seed) for seed in range(300)]
    assert {fault.kind for plan in plans for fault in plan.faults} == set(Kind)
    assert {plan.full for plan in plans} == {"", *HOSTS}
    assert any(not plan.faults for plan in plans)
