# SPDX-License-Identifier: MIT
"""The plan of the terminal workload: which trials, in which order, and what is refused."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.errors import UsageError
from vmkb.workloads.base.definition import Style, choose_cases, choose_releases, parse
from vmkb.workloads.base.found import read
from vmkb.workloads.base.settings import Settings
from vmkb.workloads.terminal import Workload
from vmkb.workloads.terminal.plan import KEYS_MAX, Definition, Planned, plan
from vmkb.workloads.terminal.workload import KEYS, nodes_of

WORKLOAD = Workload().definition
T, C, S, L = "TELNET", "TELNET CMU", "SET HOST", "LAT"
PATHS = [p.id for p in WORKLOAD.case]
some_paths = st.lists(st.sampled_from(["tel", "SET_HOST", "lat", "SET HOST"]), max_size=3)
some_releases = st.sampled_from(["", "213", "221", "221,213"])


def made(trials: int, paths: list[str], releases: str, style: Style = "quick") -> list[Planned]:
    """A plan from options as they are given."""
    chosen = choose_cases(WORKLOAD.case, paths)
    return plan(WORKLOAD, style, chosen, choose_releases(WORKLOAD, releases), trials)


def test_paths_take_turns_then_the_monitor_the_echo_nothing_and_the_sweeps() -> None:
    order = [(p.release.name, p.kind, p.case.id, p.terminals) for p in made(2, [], "221,213")]
    sweep = WORKLOAD.quick.sweep
    expected = []
    for release in ("221", "213"):
        expected += [(release, "type", path, 1) for path in (T, C, S, L) * 2]
        expected += [
            (release, kind, path, 1) for kind in ("monitor", "echo") for path in (T, C, S, L)
        ]
        expected += [(release, "job", S, 1)]
        expected += [(release, "idle", T, 1)]
        expected += [(release, "sweep", path, n) for path in (T, C, S, L) for n in sweep]
    assert order == expected


def test_each_trial_does_its_own_work_only() -> None:
    amount = WORKLOAD.full
    for p in made(1, [], "", "full"):
        documents = dict.fromkeys(("type", "monitor", "job"), amount.documents)
        documents["sweep"] = amount.sweep_documents
        assert p.documents == documents.get(p.kind, 0)
        assert p.keys == (amount.keys if p.kind == "echo" else 0)
        assert p.idle_seconds == (amount.idle_seconds if p.kind == "idle" else 0)


@given(st.integers(1, 9), some_paths, some_releases, st.sampled_from(get_args(Style)))
def test_ids_never_repeat_and_stay_when_trials_are_added(
    trials: int, paths: list[str], releases: str, style: Style
) -> None:
    first = made(trials, paths, releases, style)
    assert [p.seq for p in first] == list(range(1, len(first) + 1))
    more = {p.id: p for p in made(trials + 1, paths, releases, style)}
    assert len({p.id for p in first}) == len(first)
    for p in first:
        assert more[p.id].model_copy(update={"seq": p.seq}) == p


@given(some_paths)
def test_a_trial_of_a_chosen_path_has_the_id_it_has_among_all(paths: list[str]) -> None:
    every = {p.id: (p.kind, p.case, p.terminals) for p in made(2, [], "")}
    for p in made(2, paths, ""):
        if p.kind != "idle":  # goes by the first path that there is
            assert every[p.id] == (p.kind, p.case, p.terminals)


def test_settings_mean_the_same_plan_again() -> None:
    settings = Settings(
        workload="terminal", style="quick", trials=3, releases=("213",), cases=("LAT",),
        model="VAX750", wire="fast",
    )  # fmt: skip
    assert Workload().plan(settings) == made(3, ["LAT"], "213")


def test_a_session_passes_both_nodes_but_for_lat() -> None:
    nodes = {p.case.id: nodes_of(WORKLOAD, p) for p in made(1, [], "")}
    near, far = (n.name for n in WORKLOAD.node)
    assert nodes == {T: [near, far], C: [near, far], S: [near, far], L: [far]}


@pytest.mark.parametrize(
    ("wanted", "paths"),
    [
        ([], PATHS),
        (["lat"], [L]),
        (["set_host"], [S]),
        (["L", "T"], [T, C, L]),
        (["S", "SET"], [S]),
    ],
)
def test_paths_by_their_beginning_and_in_the_files_order(
    wanted: list[str], paths: list[str]
) -> None:
    assert [p.id for p in choose_cases(WORKLOAD.case, wanted)] == paths


@pytest.mark.parametrize("wanted", ["X25", "", "ELNET"])
def test_an_unknown_path_names_the_known_ones(wanted: str) -> None:
    with pytest.raises(UsageError, match="there are TELNET, TELNET CMU, SET HOST, LAT"):
        choose_cases(WORKLOAD.case, ["LAT", wanted])


def test_one_release_unless_more_are_named() -> None:
    assert [r.name for r in choose_releases(WORKLOAD, "")] == [WORKLOAD.releases[0].name]
    assert [r.name for r in choose_releases(WORKLOAD, " 213, 221")] == ["213", "221"]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [("999", "no release 999; there are 221, 213"), ("213,213", "once"), (",", "once")],
)
def test_bad_releases_are_refused(wanted: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        choose_releases(WORKLOAD, wanted)


def test_no_trials_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one"):
        made(0, [], "")


def test_there_are_keys_for_the_longest_echo_and_cms_takes_them_as_a_comment() -> None:
    assert len(KEYS) >= KEYS_MAX
    assert KEYS.startswith("*")


def at(values: dict[str, Any], *keys: str | int) -> Any:
    """What is found on the way of KEYS."""
    for key in keys:
        values = values[key]  # type: ignore[index]
    return values


@pytest.mark.parametrize(
    ("keys", "value", "said"),
    [
        (("quick", "kyes"), 3, r"t\.toml: quick\.kyes: Extra"),
        (("full", "keys"), KEYS_MAX + 1, r"t\.toml: full\.keys: .*less than or equal"),
        (("trials", "quick"), 0, r"t\.toml: trials\.quick: "),
        (("node", 1, "name"), "toolong7", r"t\.toml: node\.1\.name: "),
        (("mtu",), 9000, r"t\.toml: mtu: "),
        (("terminals_max",), 81, r"t\.toml: terminals_max: "),
        (("quick", "documents"), 20, r"t\.toml: there are only 19 documents"),
        (("full", "sweep_documents"), 20, r"t\.toml: there are only 19 documents"),
        (("full", "sweep"), [1, 65], r"t\.toml: sweep goes from 1 to 64"),
        (("quick", "sweep"), [0], r"t\.toml: sweep goes from 1 to 64"),
        (("case", 0, "id"), "X25", r"t\.toml: case\.0\.id: "),
        (("case", 1, "id"), "TELNET", r"t\.toml: case: each id is there once"),
        (("case", 0, "enter"), "NOWHERE", r"t\.toml: path TELNET begins at NOWHERE"),
        (("case", 0, "enter"), "CLE750", r"t\.toml: path TELNET: .*begin at LNS53"),
        (("case", 2, "command"), "", r"t\.toml: path SET HOST: .*begin at LNS53"),
        (("case", 3, "enter"), "LNS53", r"t\.toml: path LAT: LAT begins at CLE750"),
        (("case", 0, "idle"), [["LNS53", 4]], r"t\.toml: path TELNET: a node has at most 3 idle"),
    ],
)
def test_a_wrong_value_is_refused_by_file_and_key(
    keys: tuple[str | int, ...], value: object, said: str
) -> None:
    values = read("terminal")
    at(values, *keys[:-1])[keys[-1]] = value
    with pytest.raises(UsageError, match=said):
        parse(Definition, values, "t.toml")


def test_every_error_has_its_line() -> None:
    values = read("terminal")
    del values["wire"], values["trials"]["quick"]
    with pytest.raises(UsageError) as caught:
        parse(Definition, values, "t.toml")
    lines = str(caught.value).splitlines()
    assert sorted(line.split(": ")[1] for line in lines) == ["trials.quick", "wire"]
