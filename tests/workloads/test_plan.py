# SPDX-License-Identifier: MIT
"""The plan: which trials, in which order, and what is refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.accounting.published import published
from vmkb.errors import UsageError
from vmkb.hercules.guest import PROJECT
from vmkb.workloads.base.definition import choose_cases, choose_releases, parse
from vmkb.workloads.base.found import read
from vmkb.workloads.base.workload import rounds
from vmkb.workloads.ftp import Workload
from vmkb.workloads.ftp.plan import Definition, plan
from vmkb.workloads.ftp.workload import TIME_WAITS

WORKLOAD = Workload().definition


def test_every_published_run_belongs_to_one_case() -> None:
    rows = published("zvm310_ftp").rows
    mine = {name: case for case in WORKLOAD.case for name in case.published}
    assert sorted(mine) == sorted(r["run_id"] for r in rows)
    for row in rows:
        case = mine[row["run_id"]]
        assert (case.direction, case.mode.lower(), case.size) == (
            row["direction"], row["mode"], row["file"],
        )  # fmt: skip
        assert row["run_id"].startswith(case.id)
        assert case.table.startswith(f"Table {row['table']}.")


def test_full_is_what_was_published() -> None:
    assert (WORKLOAD.size["2MB"].full, WORKLOAD.size["24KB"].full) == (50, 500)
    # As many as the published two trials at least, and more than one build.
    assert WORKLOAD.trials.full >= 2 and WORKLOAD.builds is not None
    assert WORKLOAD.builds.full >= WORKLOAD.builds.quick > 1
    assert (WORKLOAD.mtu, WORKLOAD.data_buffer_pool_size, WORKLOAD.wire, WORKLOAD.model) == (
        4000, 32768, "token-ring-16", "2064-109",
    )  # fmt: skip


def test_base_and_new_alternate() -> None:
    made = plan(WORKLOAD, "quick", rounds(WORKLOAD.case, WORKLOAD.releases, 5))
    assert len(made) == len(WORKLOAD.case) * 2 * 5
    assert [p.release.name for p in made] == ["213", "221"] * (len(made) // 2)
    for base, new in zip(made[::2], made[1::2], strict=True):
        assert (base.case, base.pair) == (new.case, new.pair)
    assert [p.seq for p in made] == list(range(1, len(made) + 1))


def test_rounds_that_follow_are_of_other_builds_as_far_as_there_are_any() -> None:
    def builds(here: int | None) -> list[int]:
        case = WORKLOAD.case[:1]
        made = rounds(case, WORKLOAD.releases, 1, 2, {case[0].id: 4}, True, here)
        return [p.build for p in made[:: len(WORKLOAD.releases)]]

    assert builds(None) == [1, 2, 3, 4, 5, 6]
    assert builds(3) == [1, 2, 3, 1, 2, 3]


def test_run_ids_are_as_long_as_the_published_ones() -> None:
    for planned in plan(WORKLOAD, "quick", rounds(WORKLOAD.case, WORKLOAD.releases, 1)):
        assert len(planned.run_id) == len("G2M_AF2A")


@given(
    st.integers(1, 12),
    st.lists(st.sampled_from([c.id for c in WORKLOAD.case]), max_size=4),
    st.sampled_from(["", "213", "221", "221,213"]),
)
def test_ids_never_repeat(trials: int, cases: list[str], releases: str) -> None:
    made = plan(
        WORKLOAD,
        "full",
        rounds(choose_cases(WORKLOAD.case, cases), choose_releases(WORKLOAD, releases), trials),
    )
    assert len({p.id for p in made}) == len(made)
    again = plan(
        WORKLOAD,
        "full",
        rounds(choose_cases(WORKLOAD.case, cases), choose_releases(WORKLOAD, releases), trials),
    )
    assert made == again


def test_cases_by_beginning_and_by_published_run() -> None:
    assert [c.id for c in choose_cases(WORKLOAD.case, ["g2m"])] == ["G2M_A", "G2M_B"]
    assert [c.id for c in choose_cases(WORKLOAD.case, ["P24KBFAA", "G24KA"])] == ["G24KA", "P24KB"]


@pytest.mark.parametrize("wanted", ["G3M", "", "2M"])
def test_unknown_case_names_the_known_ones(wanted: str) -> None:
    with pytest.raises(UsageError, match="there are G2M_A"):
        choose_cases(WORKLOAD.case, [wanted])


@pytest.mark.parametrize("wanted", ["999", "213,213", ","])
def test_bad_releases_are_refused(wanted: str) -> None:
    with pytest.raises(UsageError):
        choose_releases(WORKLOAD, wanted)


def test_the_first_release_named_is_the_base() -> None:
    assert [r.name for r in choose_releases(WORKLOAD, "221,213")] == ["221", "213"]


def test_a_misspelt_key_is_named() -> None:
    values = read("ftp")
    values["size"]["2MB"]["quik"] = 1
    with pytest.raises(UsageError, match=r"size\.2MB\.quik"):
        parse(Definition, values, "ftp.toml")


def test_a_case_of_an_unknown_size_is_refused() -> None:
    values = read("ftp")
    values["case"][0]["size"] = "3MB"
    with pytest.raises(UsageError, match="3MB"):
        parse(Definition, values, "ftp.toml")


def test_no_trials_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one"):
        plan(WORKLOAD, "quick", rounds(WORKLOAD.case, WORKLOAD.releases, 0))


def test_the_warm_up_fills_what_tcpip_remembers() -> None:
    source = PROJECT / "guests" / "vmkb" / "service" / "tcpip" / "port" / "tcp.c"
    defined = re.search(r"^#define TIME_WAITS (\d+)", source.read_text("utf-8"), re.M)
    assert defined is not None and int(defined[1]) == TIME_WAITS


def test_a_release_that_is_a_file_is_named_as_it_was_typed() -> None:
    with pytest.raises(UsageError, match=r"mine=/tmp/Own\.core"):
        choose_releases(WORKLOAD, "213,mine=/tmp/Own.core")
