# SPDX-License-Identifier: MIT
"""Counts of workers of which one was busier: what goes with time is told apart from the rest."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from statistics import median

import pytest

from accounting.costs import PartCost, TrialCost
from accounting.pooled import brought, disagree, growth
from accounting.records import Source, Unit, Value
from accounting.store import Trial
from accounting.units import cpu_per_kb

DATA = Value(100.0, Unit.KB, Source.WI)
PER_SECOND = 5000.0
"""Instructions that TCPIP's timers take in these trials, of some 2.7 million."""
KEPT_FROM = 20000.0
"""Those that CP takes for nobody in a second in which the host has the emulator wait, of some
450,000."""


def cost(
    pair: int, seconds: float, worker: str, level: float, release: str = "213", busy: float = 0.0
) -> TrialCost:
    """A trial whose TCPIP counts LEVEL instructions and PER_SECOND, an instruction a microsecond;
    CP for each second that was BUSY; its client counts the same always."""
    counts = {
        "TCPIP": level + PER_SECOND * (seconds - busy),
        "System": level / 6 + KEPT_FROM * busy,
        "Client": 780_000.0,
    }
    parts = []
    for label, count in counts.items():
        cpu = Value(count, Unit.US, Source.IC)
        parts.append(
            PartCost(label, label, cpu, cpu, Value(count, Unit.INSTR, Source.IC),
                     cpu_per_kb(cpu, DATA))
        )  # fmt: skip
    trial = Trial(
        id=f"C{release}-{pair}", run="r", case="C", release=release, pair=pair,
        params={"worker": worker},
    )  # fmt: skip
    span = Value(seconds, Unit.S, Source.QT)
    wait = Value(seconds - busy, Unit.S, Source.QT) if busy else None
    return TrialCost(trial, Source.IC, tuple(parts), DATA, span, None, span, wait=wait)


def series(seed: int, slow: dict[str, float], off: float = 0.0) -> list[TrialCost]:
    """Twelve pairs of trials, by turns on the workers named, each so many times slower than a
    second; the second worker's counts are OFF by that part."""
    draw, found = Random(seed), []
    for pair in range(1, 13):
        which = pair % len(slow)
        worker = list(slow)[which]
        for release in ("213", "221"):
            level = draw.gauss(2.7e6, 2000) * (1 + off * which)
            seconds = slow[worker] * draw.uniform(1.0, 1.6)
            found.append(cost(pair, seconds, worker, level, release))
    return found


def test_what_is_planted_is_found_within_its_error() -> None:
    found = series(1, {"quiet": 1.0, "busy": 4.0})
    points = [
        (c.trial.release, c.trial.params["worker"], (c.span.value,), c.part("TCPIP").cpu.value)  # type: ignore[union-attr]
        for c in found
    ]
    known = growth(points)
    assert known.shown and abs(known.of((1.0,)) - PER_SECOND) < known.error((1.0,)) < PER_SECOND
    assert not growth([]).shown and not growth(points[:2]).shown
    assert not growth([("g", "w", (1.0,), x) for x in (5.0, 6.0, 7.0)]).shown  # all took as long


@pytest.mark.parametrize("seed", range(5))
def test_a_busy_worker_s_counts_are_those_of_a_quiet_one(seed: int) -> None:
    quiet, busy = (
        series(seed, {"a": 1.0, "b": 1.0}), series(seed + 100, {"a": 4.0, "b": 6.0}),
    )  # fmt: skip

    def middle(found: list[TrialCost]) -> float:
        return median(c.total_us_kb for c in found)

    assert middle(busy) / middle(quiet) - 1 > 0.003
    made = brought([*quiet, *busy])
    assert abs(middle(made[24:]) / middle(made[:24]) - 1) < 0.001
    part = made[-1].part("TCPIP")
    assert part.cpu is not None and part.instructions is not None and part.virtual is not None
    assert part.per_kb is not None and part.per_kb.systematic > 0  # how well that is known
    assert part.cpu.value == pytest.approx(part.instructions.value)
    assert part.per_kb.value == pytest.approx(part.cpu.value / DATA.value)
    assert made[-1].part("Client") == busy[-1].part("Client")
    assert any("TCPIP" in n and "Client" not in n for n in made[-1].notes)


def test_a_wait_and_the_host_s_delays_are_told_apart() -> None:
    """One worker waits longer, another is kept from its CPU: TCPIP's timers go with the one, what
    CP does for nobody with the other."""
    draw, found = Random(5), []
    for pair in range(1, 25):
        busy, wait = (0.2, draw.uniform(2.0, 6.0)) if pair % 2 else (draw.uniform(0.2, 2.0), 2.0)
        level = draw.gauss(2.7e6, 2000)
        found.append(cost(pair, wait + busy, "ab"[pair % 2], level, busy=busy))
    points = [
        (c.trial.release, c.trial.params["worker"],
         (c.wait.value, c.span.value - c.wait.value), c.part("System").cpu.value)  # type: ignore[union-attr]
        for c in found
    ]  # fmt: skip
    known = growth(points)
    assert known.rates[0] == 0.0  # a wait is nothing to CP: it is not told that it is
    assert known.rates[1] == pytest.approx(KEPT_FROM, rel=0.1)
    made = brought(found)
    middle = median(c.part("System").cpu.value for c in made)  # type: ignore[union-attr]
    assert middle == pytest.approx(2.7e6 / 6 + KEPT_FROM * 0.2, rel=0.002)
    assert "TCPIP" in made[0].notes[-1] and " a second waited" in made[0].notes[-1]
    assert "System" in made[0].notes[-1] and " a second not waited" in made[0].notes[-1]


def test_what_does_not_show_takes_nothing_away() -> None:
    found = [cost(1, 1.0, "a", 2.7e6), cost(2, 9.0, "b", 2.7e6)]
    made = brought(found)
    assert [c.parts for c in made] == [c.parts for c in found]
    assert "no count is shown to go with the seconds" in made[0].notes[-1]
    unknown = [replace(c, span=None) for c in found]
    assert [c.parts for c in brought(unknown)] == [c.parts for c in found]


def test_a_worker_that_counts_otherwise_is_named_and_no_other() -> None:
    slow = {"a": 1.0, "b": 5.0}
    assert disagree(brought(series(3, slow))) == []
    assert disagree(brought(series(3, slow, off=0.0005))) == []
    said = disagree(brought(series(3, slow, off=0.01)))
    assert len(said) == 2
    assert any("worker b counts +0.7" in s and "0.1 % is the limit" in s for s in said)
