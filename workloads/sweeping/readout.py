# SPDX-License-Identifier: MIT
"""From the runs of a sweep to what a kilobyte costs in each setting."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vmkb.accounting.analysis.analyse import failed, untrusted
from vmkb.accounting.costs import costs
from vmkb.accounting.models import model
from vmkb.accounting.records import Source
from vmkb.accounting.store import FILE_NAME, Trial, read
from vmkb.workloads.sweeping.design import Design, Point
from vmkb.workloads.sweeping.effects import Setting


def labels(design: Design) -> dict[str, Sequence[str]]:
    """The levels of each factor, as they are printed."""
    return {
        "Release": design.releases,
        "File": design.files,
        "MTU": [str(x) for x in design.mtu],
        "Buffer": [str(x) for x in design.buffers],
        "Loss": [_loss(x) for x in design.loss],
    }


def _loss(part: float) -> str:
    return f"{100 * part:g} %"


def measured(design: Design, folder: Path) -> tuple[dict[Setting, float], list[Trial]]:
    """us/KB of each trial of a sweep in FOLDER by its setting, and the trials. ModelError,
    CostError, StoreError."""
    found: dict[Setting, float] = {}
    trials: list[Trial] = []
    for point in design.points():
        place = point.place(folder)
        if not (place / FILE_NAME).exists():
            continue
        mine = read(place).trials
        trials += mine
        for cost in costs(mine, Source.IC, model(mine[0].meta["model"]) if mine else None):
            if cost.usable:
                found[_setting(point, cost.trial)] = cost.total_us_kb
    return found, trials


def doubted(design: Design, folder: Path) -> list[str]:
    """A doubt for each trial of a sweep in FOLDER that failed, or that its run did not trust."""
    places = [point.place(folder) for point in design.points()]
    results = [read(place) for place in places if (place / FILE_NAME).exists()]
    return [d for r in results for d in (*untrusted(r.trials), *failed(r.unfinished))]


def _setting(point: Point, trial: Trial) -> Setting:
    return (
        trial.release, trial.case, str(point.mtu), str(point.buffers), _loss(point.loss),
        str(trial.pair),
    )  # fmt: skip
