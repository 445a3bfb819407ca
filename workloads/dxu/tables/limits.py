# SPDX-License-Identifier: MIT
"""The limit of each case, and the report's questions answered from that. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.digits import spoken
from vmkb.accounting.measures import (
    Group,
    Measure,
    elapsed,
    estimated,
    figures,
    over,
    param,
    throughput,
    value,
)
from vmkb.accounting.models import Model
from vmkb.accounting.records import Unit
from vmkb.accounting.stats import Estimate, StatsError
from vmkb.accounting.tables.group import ratio_of
from vmkb.accounting.tables.listing import Columns, case, grouped, listing, release
from vmkb.accounting.tables.table import Table
from vmkb.hercules.wire.profile import profile
from vmkb.workloads.dxu.tables.afs import taken
from vmkb.workloads.dxu.tables.figures import (
    SERVER,
    bus,
    busy,
    card,
    channel,
    of_table,
    per_call,
    printed,
)

FULL = 85.0
"""Percent from which something is said to be what limits."""
SMALL, LARGE = "RX48K", "RX48K.L"
"""Writes of the size that the MTU's effect is told at, at both MTUs."""
LIMITS: tuple[tuple[str, str, Measure], ...] = (
    ("a guest's CPU", "All guests' CPU", busy("")),
    ("a channel", "Busiest channel", channel),
    ("a client's card", "A client's card", card),
    ("the clients' Ethernet", "Ethernet", bus),
)


def _mean(group: Group, measure: Measure) -> float:
    return estimated(group, measure).value


def what_limits(group: Group) -> str:
    """The name of what is full, or nothing."""
    shares = [(_mean(group, m), name) for name, _, m in LIMITS if m(group[0]) is not None]
    most, name = max(shares, default=(0.0, ""))
    return name if most >= FULL else ""


def limits_table(costs: Sequence[TrialCost], model: Model) -> Table | None:
    """How much of each thing that could limit a case it took, and the answers; None without
    trials."""
    columns: Columns[Group] = [
        ("Case", case),
        ("Release", release),
        *((head, value(measure)) for _, head, measure in LIMITS),
        ("What limits", lambda g: what_limits(g) or "nothing is full"),
    ]
    notes = (
        f"CPU: of one engine of {model.describe()} over the time of the transfers. Channel: whole"
        " frames, both ways. Card and Ethernet: the files' bytes alone. What limits is what is"
        f" at least {FULL:g} % busy.",
        *answers(costs),
    )
    rows = (g for g in of_table(costs) if busy("")(g[0]) is not None)
    return listing("limits", "What limits", rows, columns, notes)


class Told:
    """The trials of a case, whose figures a sentence has by their names."""

    figures: dict[str, Measure] = {
        "guest": busy(""), "server": busy(SERVER), "channel": channel, "card": card, "bus": bus,
        "took": elapsed, "speed": throughput, "others": taken,
        "ms": over(elapsed, lambda c: int(param(c, "files")) / 1000, Unit.MS),
        "packets": per_call("sent"),
    }  # fmt: skip

    def __init__(self, group: Group) -> None:
        self.group, self.case = group, case(group)

    def __getattr__(self, name: str) -> str:
        return spoken(_mean(self.group, self.figures[name]))

    @property
    def limited(self) -> str:
        """The limit in words."""
        name = what_limits(self.group)
        return f"{name} is what limits" if name else "nothing is full, so each waits for the other"

    @property
    def beside(self) -> str:
        """The published figure behind ours, if there is one."""
        theirs = printed(self.group)
        return f" (published {theirs})" if theirs else ""

    @property
    def crossing(self) -> str:
        """Milliseconds of a whole packet on a channel."""
        rate = profile(self.group[0].trial.meta["wire"]).rate
        return spoken(8000 * int(param(self.group[0], "case_mtu")) / rate if rate else 0.0)


#: The report's questions: the cases that answer one (A/B: A, else B), and the answer.
QUESTIONS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("AFS10M2/AFS1M2",),
        "Is the file server limited by CPU or by I/O? The report concluded by I/O, not CPU. Here,"
        " with two clients ({0.case}), the file server takes {0.server} % and its guest"
        " {0.guest} % of one engine, its channel is {0.channel} % busy and each client's card"
        " {0.card} %: {0.limited}."),
    (("AFS1M2", "AFS1M2.DSK"),
        "And with the file on the disk instead of in CP's cache, which holds 8 MB? Two fetches of"
        " 1 MB take {1.took} s instead of {0.took}, with the guest {1.guest} % busy and each card"
        " {1.card} %: what was added is waiting for the disk, so I/O limits, as the report"
        " concluded."),
    (("AFS10M2", "AFS10M2.MVS"),
        "Does MVS matter? In one run of the report it took more of the processor, and the"
        " throughput of two clients stayed. Here they get {1.speed} KB/s beside a machine that"
        " took {1.others} % of the engine (AC), and {0.speed} without it."),
    ((SMALL, LARGE),
        "What does the larger MTU change, and why? Writes of 48 KB go at {times} the speed, in"
        " {1.packets} packets instead of {0.packets}. A packet crosses the second channel only"
        " when it has come whole over the first, which takes {1.crossing} ms instead of"
        " {0.crossing}; with fewer packets the two channels work at the same time less. A write"
        " takes {1.ms} ms instead of {0.ms}.{slower}"),
    (("LOAD",),
        "Where is the bottleneck with fifteen clients? The report put it between the DXU and the"
        " workstations. Here the clients' Ethernet is {0.bus} % busy, the channel {0.channel} %,"
        " the guest {0.guest} % of one engine: {0.limited}."),
    (("LOAD", "LOAD.ELC2"),
        "Is the DXU worth it beside the BTI ELC2? The report's fifteen clients gained nothing."
        " Here they get {0.speed} KB/s in all over the DXU and {1.speed} over the ELC2: it is, as"
        " far as nothing behind the Ethernet holds the clients back. In the report something did,"
        " and an ELC2 was enough."),
)  # fmt: skip
_SLOWER = (
    " In this model of the router that is enough to make the larger MTU slower; whether it was the"
    " cause in 1991 is not known."
)
#: The parts of the answer, likewise.
SAID = (
    (("GG",), "FTP moves {0.speed} KB/s from guest to guest{0.beside}"),
    (("RX96K",), "Rx in writes of 96 KB moves {0.speed} KB/s from guest to guest{0.beside}"),
    ((SMALL, LARGE), "the larger MTU {changed}"),
    (("LOAD",), "with fifteen AFS clients {0.limited}"),
)
LOOPBACK = ((("LOOP",), "FTP moves {0.speed} KB/s through loopback"),)


def _told(costs: Sequence[TrialCost], texts: Iterable[tuple[tuple[str, ...], str]]) -> list[str]:
    """Those of TEXTS whose cases there are all, with their figures."""
    by_case, made = grouped(costs, lambda c: c.trial.case), []
    ratio = _faster(by_case.get(SMALL, ()), by_case.get(LARGE, ()))
    for cases, text in texts:
        groups = [next((by_case[x] for x in name.split("/") if x in by_case), []) for name in cases]
        if all(groups) and (ratio is not None or LARGE not in cases):
            made.append(text.format(*map(Told, groups), **_words(ratio)))
    return made


def answers(costs: Sequence[TrialCost]) -> list[str]:
    """The report's questions, as far as there are trials to answer them."""
    return _told(costs, QUESTIONS)


def _faster(small: Group, large: Group) -> Estimate | None:
    """The rate of LARGE as part of that of SMALL; None where there is none."""
    try:
        rates = [figures(group, throughput) for group in (small, large)]
        return ratio_of(*rates, paired=False) if all(rates) else None
    except StatsError:
        return None


def _words(ratio: Estimate | None) -> dict[str, str]:
    """What the larger MTU does to writes: `times` the speed, `changed` and, if so, `slower`."""
    if ratio is None:
        return {}
    sure = f" ({spoken(ratio.lo)} to {spoken(ratio.hi)})" if ratio.has_interval else ""
    much, way = spoken(abs(100 * (ratio.value - 1))), "faster" if ratio.value > 1 else "slower"
    same = much == "0" or (ratio.has_interval and ratio.covers(1))
    return {
        "times": f"{spoken(ratio.value)} times{sure}",
        "slower": _SLOWER if (ratio.hi if ratio.has_interval else ratio.value) < 1 else "",
        "changed": "leaves Rx writes of 48 KB as fast as they are" if same
        else f"makes Rx writes of 48 KB {much} % {way}",
    }  # fmt: skip


def sentence(costs: Sequence[TrialCost]) -> str:
    """The answer: what was measured, beside what the report printed. What was put in, such as the
    rate of a client's card, is no answer."""
    text = "; ".join(_told(costs, SAID)) or "; ".join(_told(costs, LOOPBACK))
    return f"{text[:1].upper()}{text[1:]}." if text else "No trial that answers has ended."
