# SPDX-License-Identifier: MIT
"""The work of nodes at fixed times, spread over the time in which it may come. Pure.

Every 15 s CP sends a DECnet hello, every 30 s a LAT announcement, takes those of the other node,
and samples its load: some thousand instructions, which a trial of 5 s has or has not, as its
moment falls. They are the node's cost and not that of what the trial does. CP tells them apart
(the line CLOCK of QUERY TIME SYSTEM); here each trial is given its share by time of what all
trials on that node had. Nothing is left out: over all trials the sum stays what was counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vmkb.accounting.costs import PartCost, TrialCost, counted_cpu
from vmkb.accounting.intervals import Interval, between, samples
from vmkb.accounting.models import Model
from vmkb.accounting.records import Unit, Value
from vmkb.accounting.units import add, cpu_per_kb
from vmkb.workloads.base.accounts import SYSTEM

CLOCK = "*CLOCK"
LABEL = "CP by the clock"
KIND = "type"
"""Trials of other kinds are one of a kind, and are what they are."""


def spread(costs: Iterable[TrialCost], model: Model) -> list[TrialCost]:
    """COSTS, those of KIND with CP's work of fixed times as a part of its own: their shares, by
    seconds, of what all of one release and node had. Trials whose CP did not tell it stay."""
    made = list(costs)
    pools: dict[tuple[str, str], list[int]] = {}
    clocked = {k: c for k, cost in enumerate(made) if (c := _clocked(cost, model)) is not None}
    for k in clocked:
        trial = made[k].trial
        pools.setdefault((trial.release, trial.params.get("node", "")), []).append(k)
    for pool in pools.values():
        everything = [add(each) for each in zip(*(clocked[k] for k in pool), strict=True)]
        whole = sum(_seconds(made[k]) for k in pool)
        for k in pool:
            part = _seconds(made[k]) / whole
            share = [v._replace(value=v.value * part, tick=v.tick * part) for v in everything]
            made[k] = _shared(made[k], clocked[k], share)
    return made


def _seconds(cost: TrialCost) -> float:
    assert cost.trial.elapsed is not None
    return cost.trial.elapsed.to(Unit.S).value


def by_clock(cost: TrialCost) -> Value | None:
    """Instructions of what this trial's node did at fixed times; None where its CP did not say."""
    return _told(_system(cost))


def _told(system: list[Interval]) -> Value | None:
    if not system or any("clock_instr" not in i.used for i in system):
        return None
    return add(i.used["clock_instr"] for i in system)


def _system(cost: TrialCost) -> list[Interval]:
    return [i for i in between(samples(cost.trial.records)) if i.machine == SYSTEM]


def _clocked(cost: TrialCost, model: Model) -> list[Value] | None:
    """CPU and instructions that CP's clock had in this trial, if it is one of those and CP said."""
    if cost.trial.params.get("kind") != KIND or cost.trial.elapsed is None:
        return None
    system = _system(cost)
    counted, cpu = _told(system), counted_cpu(system, model, "clock")
    return None if cpu is None or counted is None else [cpu, counted]


def _shared(cost: TrialCost, had: list[Value], share: list[Value]) -> TrialCost:
    parts: list[PartCost] = []
    for part in cost.parts:
        if part.machine != SYSTEM or part.cpu is None or part.instructions is None:
            parts.append(part)
            continue
        wholes = (part.cpu, part.instructions)
        left = [whole.minus(its) for whole, its in zip(wholes, had, strict=True)]
        parts.append(_with(part, left, cost.data))
        own = replace(part, machine=CLOCK, label=LABEL)
        parts.append(_with(own, share, cost.data))
    return replace(cost, parts=tuple(parts))


def _with(part: PartCost, used: list[Value], data: Value | None) -> PartCost:
    cpu, instructions = used
    per_kb = cpu_per_kb(cpu, data)._replace(systematic=part.systematic) if data else None
    return replace(part, cpu=cpu, instructions=instructions, per_kb=per_kb)
