# SPDX-License-Identifier: MIT
"""The designed experiment: every combination once, planted effects found, none made up."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.narrow import some
from vmkb.accounting.store import Store, Trial
from vmkb.errors import UsageError
from vmkb.guests.base import driver
from vmkb.guests.contents import Text
from vmkb.hercules.guest import load_guest
from vmkb.workloads.cli.main import group
from vmkb.workloads.sweeping.design import FILE, Point, load
from vmkb.workloads.sweeping.effects import FACTORS, effect_table, effects, sentence
from vmkb.workloads.sweeping.lab import PointFtp, settings_of
from vmkb.workloads.sweeping.readout import doubted, labels


def test_every_combination_is_measured_once_in_a_drawn_order() -> None:
    design = load()
    points = design.points()
    every = set(itertools.product(design.mtu, design.buffers, design.loss))
    assert {(p.mtu, p.buffers, p.loss) for p in points} == every and len(points) == len(every)
    assert points == load().points()
    ordered = sorted(points, key=lambda p: (p.mtu, p.buffers, p.loss))
    assert points != ordered
    workload = PointFtp(points[0])
    settings = settings_of(design, workload)
    plan = workload.plan(settings)
    each = design.trials * settings.builds
    assert len(plan) == len(design.releases) * len(design.files) * each
    assert workload.definition.mtu == points[0].mtu


def test_a_points_buffers_are_in_tcpips_profile() -> None:
    contents = PointFtp(Point(mtu=1500, buffers=8192, loss=0.0)).contents(
        driver(load_guest("vmkb"))
    )
    profile = contents.files["TCPIP"]["PROFILE", "TCPIP"]
    assert isinstance(profile, Text)
    assert "DATABUFFERPOOLSIZE 48 8192" in profile.text


def test_a_trial_that_failed_or_is_untrusted_is_doubted(tmp_path: Path) -> None:
    design = load()
    for point, status in zip(design.points(), ("failed", "untrusted", "good"), strict=False):
        store = Store(point.place(tmp_path))
        store.begin_run("r", {}, at="2026-11-21T10:00:00")
        store.write_trial(
            Trial(id=status, run="r", case="c", release="213", status=status, why="W")
        )
    assert sorted(doubted(design, tmp_path)) == ["failed failed: W", "untrusted: W"]


def made(effect: dict[str, float], trials: int = 3) -> tuple[dict[tuple[str, ...], float], object]:
    """Costs of all settings, in which the second level of a factor costs EFFECT times as much."""
    rng = random.Random(1)
    levels = labels(load())
    costs = {}
    for setting in itertools.product(*levels.values()):
        for trial in range(trials):
            cost = 10 * (1 + rng.uniform(-1, 1) * 1e-3)
            for factor, level in zip(FACTORS, setting, strict=True):
                cost *= effect.get(factor, 1.0) if level == levels[factor][1] else 1.0
            costs[*setting, str(trial)] = cost
    return costs, levels


def test_planted_effects_are_found_and_no_others() -> None:
    costs, levels = made({"MTU": 0.7, "Loss": 1.05})
    found = {e.factor: e for e in effects(costs, levels)}  # type: ignore[arg-type]
    assert list(found) == list(FACTORS)
    assert found["MTU"].ratio.covers(0.7) and found["Loss"].ratio.covers(1.05)
    assert all(found[f].ratio.covers(1) for f in ("Release", "File", "Buffer"))
    said = sentence(list(found.values()))
    assert said.startswith("CPU per KB: MTU 4000 instead of 1500: 29.989 % less (29.97")
    assert "; Release 221 instead of 213: at most 0.0" in said
    table = effect_table(list(found.values()), "(IC)")
    assert len(some(table).body[0].rows) == 5 and len(some(table).plots) == 1


def test_factors_that_act_on_each_other_show_it() -> None:
    costs, levels = made({"MTU": 0.7})
    for setting in costs:
        if setting[2] == "4000" and setting[4] != "0 %":
            costs[setting] *= 1.4
    (mtu,) = (e for e in effects(costs, levels) if e.factor == "MTU")  # type: ignore[arg-type]
    assert mtu.least == pytest.approx(0.7, rel=0.01)
    assert mtu.most == pytest.approx(0.98, rel=0.01)


def test_what_was_not_measured_yet_is_left_out() -> None:
    costs, levels = made({})
    few = {k: v for k, v in costs.items() if k[4] == "0 %"}
    assert "Loss" not in {e.factor for e in effects(few, levels)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("mtu = [1500, 4000]", "mtu = [100]", "mtu: an MTU is 576 to 32767"),
        ("loss = [0.0, 0.001]", "loss = [0.9]", "loss: a loss is a part"),
        ("buffers = [8192, 32768]", "buffers = [1, 2]", "a data buffer has 4096"),
        ('releases = ["213", "221"]', 'releases = ["213", "213"]', "each level stands there once"),
        ('wire = "fast"', 'wires = "fast"', "wires: Extra inputs"),
        ("trials = 2", "trials = ", "is not TOML"),
    ],
)
def test_a_wrong_design_is_said(tmp_path: Path, old: str, new: str, says: str) -> None:
    mine = tmp_path / "mine.toml"
    text = FILE.read_text()
    assert old in text
    mine.write_text(text.replace(old, new))
    with pytest.raises(UsageError, match=says.replace("(", r"\(")):
        load(mine)
    done = CliRunner().invoke(group, ["sweep", "--design", str(mine), "--out", str(tmp_path / "o")])
    assert done.exit_code == 2 and says in done.output and not (tmp_path / "o").exists()
