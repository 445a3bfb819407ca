# SPDX-License-Identifier: MIT
"""The plan of the dxu workload: which trials, in which order, and what its file may not say."""

from __future__ import annotations

import copy
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.accounting.published import published
from vmkb.errors import UsageError
from vmkb.guests.base import Choice
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.definition import Release, Style, choose_cases, choose_releases, parse
from vmkb.workloads.base.found import read
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.dxu import Workload
from vmkb.workloads.dxu.plan import Definition, Planned, plan
from vmkb.workloads.dxu.tables.figures import PUBLISHED

WORKLOAD = Workload().definition
IDS = [c.id for c in WORKLOAD.case]


def made(style: Style, cases: list[str], releases: str = "", trials: int = 3) -> list[Planned]:
    """A plan from options as they are given."""
    chosen = choose_cases(WORKLOAD.case, cases)
    wanted = choose_releases(WORKLOAD, releases)
    return plan(WORKLOAD, style, chosen, wanted, trials)


def test_every_line_of_the_reports_tables_has_its_case() -> None:
    for number, name in PUBLISHED.items():
        rows = [next(iter(r.values())) for r in published(name).rows]
        ours = {c.row for c in WORKLOAD.case if c.table == number and c.row}
        if number == 1:  # the RISC System/6000 and the RT by themselves are no guests
            rows = rows[:1]
        if number == 5:  # the clients, then their average
            load = next(c for c in WORKLOAD.case if c.table == 5)
            assert [*load.clients, "average"] == rows
        else:
            assert ours == set(rows)


@given(st.sampled_from(get_args(Style)), st.sampled_from(["", "213", "221,213"]))
def test_a_plan_is_whole_and_an_mtu_is_not_left_for_another_and_back(
    style: Style, releases: str
) -> None:
    planned = made(style, [], releases)
    assert len({p.id for p in planned}) == len(planned)
    assert [p.seq for p in planned] == list(range(1, len(planned) + 1))
    mtus = [p.mtu for p in planned]
    assert mtus == sorted(mtus)
    if style == "full":
        assert {p.case.id for p in planned} == set(IDS)
    names = [r.name for r in choose_releases(WORKLOAD, releases)]
    for p in planned:
        if p.case.id == "LOOP":
            assert p.release.name in names
        else:
            assert p.release.name == names[0]


def test_guests_beside_have_loopback_alone_and_come_last() -> None:
    cases = choose_cases(WORKLOAD.case, ["LOOP", "RX6K"])
    own = choose_releases(WORKLOAD, "221")
    linux = Release.model_construct(name="6.1", title="Linux 6.1.176", parameter="")
    planned = plan(WORKLOAD, "quick", cases, own, 2, [linux])
    said = [(p.id, p.beside) for p in planned]
    assert said[-2:] == [("LOOP-6.1-1", True), ("LOOP-6.1-2", True)]
    assert not any(beside for _, beside in said[:-2])
    with pytest.raises(UsageError, match="loopback alone"):
        plan(WORKLOAD, "quick", cases[1:], own, 2, [linux])


def test_releases_of_the_guests_beside_are_told_from_those_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[tuple[str, ...], list[str]]] = []

    def choices(guests: tuple[str, ...], wanted: list[str]) -> dict[str, Choice]:
        asked.append((guests, wanted))
        return {name: Choice(name, f"Linux {name}.1", load_guest("linux")) for name in wanted}

    monkeypatch.setattr("vmkb.workloads.dxu.workload.choices", choices)
    one = Asked(trials=1, releases="221,6.12", guests=("linux",), cases=("LOOP",))
    settings = Workload().settings(one)
    assert settings.releases == ("221", "6.12") and settings.guests == ("linux",)
    again = Workload()  # as a run that is taken up again
    assert [p.id for p in again.plan(settings)] == ["LOOP-221-1", "LOOP-6.12-1"]
    assert asked == [(("linux",), ["6.12"])] * 2
    with pytest.raises(UsageError, match="no release 6.12"):
        Workload().settings(Asked(releases="221,6.12"))


def test_a_guest_without_a_client_of_its_own_cannot_be_beside() -> None:
    with pytest.raises(UsageError, match="'vmkb' cannot be the guest beside"):
        Workload().settings(Asked(guests=("vmkb",)))


def test_rounds_go_over_the_cases_and_the_monitor_comes_last() -> None:
    planned = made("quick", ["LOOP", "RS1", "AFS10M1"], trials=2)
    said = [(p.case.id, p.release.name, p.pair, p.monitored) for p in planned]
    one = [("LOOP", "213"), ("LOOP", "221"), ("RS1", "213"), ("AFS10M1", "213")]
    one.append(("AFS10M1.DSK", "213"))
    rounds = [(*who, pair, False) for pair in (1, 2) for who in one]
    assert said == [*rounds, ("AFS10M1", "213", 1, True), ("AFS10M1.DSK", "213", 1, True)]


def test_a_case_that_quick_leaves_out_is_refused_in_words() -> None:
    case = _changed(trials={"quick": 0, "full": 5})["case"][0]["id"]
    known = parse(Definition, _changed(trials={"quick": 0, "full": 5}), "dxu.toml")
    cases, releases = choose_cases(known.case, [case]), choose_releases(known, "213")
    with pytest.raises(UsageError, match="--full has them"):
        plan(known, "quick", cases, releases, 5)
    assert plan(known, "full", cases, releases, 5)
    with pytest.raises(UsageError, match="no case RX99K"):
        Workload().settings(Asked(cases=("RX99K",)))


def _changed(**changes: Any) -> dict[str, Any]:
    values = copy.deepcopy(read("dxu"))
    values["case"][0].update(changes)
    return values


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"pairs": [["lisa", "nobody"]]}, "names nobody, which is no system"),
        ({"clients": ["maggie"]}, "an afs case has a server and clients"),
        ({"pairs": [["lisa", "bart"], ["lisa", "bart"]]}, "each pair is there once"),
        ({"kind": "uucp"}, "kind"),
        ({"table": 6}, "table"),
    ],
)
def test_a_wrong_case_names_the_file_and_itself(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why) as refused:
        parse(Definition, _changed(**changes), "dxu.toml")
    assert "dxu.toml" in str(refused.value)
