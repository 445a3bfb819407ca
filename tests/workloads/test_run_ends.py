# SPDX-License-Identifier: MIT
"""A run whose cases are not decided ends when its workload has no more trials of them."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import load_guest
from vmkb.workloads import ftp
from vmkb.workloads.base import further
from vmkb.workloads.base import run as base
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.cli import run
from vmkb.workloads.telnet import Workload


def test_no_more_trials_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Analysis always wants a round more, and the plan never gets one."""
    left: dict[str, Any] = {"left": [], "plan": [1], "virtual": True, "emulator": None}
    rounds = itertools.count(1)
    monkeypatch.setattr(
        base, "Run", lambda workload, *_: SimpleNamespace(workload=workload, **left)
    )
    monkeypatch.setattr(run, "_run", lambda *_: None)
    monkeypatch.setattr(run, "_analysed", lambda *_: ("found", ()))
    monkeypatch.setattr(run, "_further", lambda *_: {"A": next(rounds)})
    monkeypatch.setattr(run, "tell", lambda *_: 0)
    workload = Workload()
    settings = workload.settings(Asked())
    guest, aim = load_guest("vmkb"), run.Aim(seconds=60.0)
    assert run.run_workload(workload, settings, tmp_path, guest, False, aim=aim) == 0
    assert next(rounds) == 2
    assert "more trials" not in capsys.readouterr().err


@pytest.mark.parametrize(("exact", "more"), [(True, {"A": 1}), (False, None)])
def test_a_stock_counter_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch, exact: bool, more: dict[str, int] | None
) -> None:
    """Its error is that of each layout: more rounds leave the interval as wide."""
    monkeypatch.setattr(further, "undecided", lambda *_: ["A"])
    monkeypatch.setattr(further, "wanted", lambda *_: {"A": 1})
    found: Any = SimpleNamespace(doubts=[], rulings=[])
    a_run: Any = SimpleNamespace(emulator=SimpleNamespace(exact=exact))
    settings = Workload().settings(Asked())
    assert run._further(found, a_run, settings, run.Aim()) == more


def test_a_check_that_cannot_be_decided_says_so_and_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(further, "undecided", lambda *_: ["A"])
    found: Any = SimpleNamespace(rulings=[])
    assert run._open(found, run.Aim(fail_above=1.0)) == 1
    assert capsys.readouterr().err == "Undecided, and more trials would not decide it.\n"
    assert run._open(found, run.Aim()) == 0
    assert run._open(found, run.Aim(fail_above=1.0, fixed=True)) == 0


def test_the_users_releases_have_the_builds_of_later_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that was not decided by two builds ended with a guest that had no TCPIP."""
    made: list[int] = []

    def with_own(guest: Any, settings: Any, say: Any, builds: int) -> Any:
        made.append(builds)
        raise EmulatorError("it is known")

    monkeypatch.setattr(base, "with_own", with_own)
    workload = ftp.Workload()
    settings = workload.settings(Asked(cases=("G2M_B",), builds=2, trials=1))
    for more in ({}, {"G2M_B": 3}):
        with pytest.raises(EmulatorError, match="it is known"):
            base.Run(
                workload, settings.model_copy(update={"more": more}), load_guest("vmkb"), tmp_path
            )
    assert made == [2, 5]
