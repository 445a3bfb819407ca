# SPDX-License-Identifier: MIT
"""Which scripts are played, for how many users, on which machine."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.errors import UsageError
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.cms import Workload, content
from vmkb.workloads.cms.machine import USERS_MAX, enlarged, storage_mb
from vmkb.workloads.cms.plan import deal, shares, steps

KNOWN = Workload().definition


@given(st.integers(0, 1000), st.integers(1, 400))
def test_any_number_of_scripts_has_the_mix(seed: int, taken: int) -> None:
    found = Counter(islice(deal(KNOWN.script, seed), taken))
    for name, share in shares(KNOWN.script).items():
        assert abs(found[name] - taken * share / 100) < 3, name


def test_seeds_differ_in_the_order() -> None:
    orders = {tuple(islice(deal(KNOWN.script, seed), 20)) for seed in range(8)}
    assert len(orders) == 8


def test_each_script_is_one_that_a_user_can_play() -> None:
    assert all(steps(script.name) for script in KNOWN.script)


def test_users_files_and_disks_are_as_many_as_the_definition_says() -> None:
    made = content.contents(KNOWN, 3)
    assert sum(line.startswith("USER U") for line in made.added.splitlines()) == 3
    assert [len(made.files[owner]) for owner in ("U001", "U003", content.SHARED)] == [
        KNOWN.files, KNOWN.files, KNOWN.shared_files,
    ]  # fmt: skip


@pytest.mark.parametrize(("users", "displays", "memory"), [(1, 32, 64), (100, 104, 252)])
def test_the_machine_has_displays_and_storage(users: int, displays: int, memory: int) -> None:
    machine = enlarged(load_guest("vmkb"), users).machine
    assert len(machine.terminals) == displays
    assert machine.memory_mb == storage_mb(users) == memory


def test_users_are_asked_for_or_the_styles() -> None:
    made = Workload()
    assert made.settings(Asked(users=7)).users == 7
    assert made.settings(Asked(style="full")).users == KNOWN.users.full
    with pytest.raises(UsageError, match=f"displays for {USERS_MAX} users"):
        made.settings(Asked(users=USERS_MAX + 1))
