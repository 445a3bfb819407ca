# SPDX-License-Identifier: MIT
"""The limit of each case, and the report's questions answered from that. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.digits import spoken
from vmkb.accounting.measures import Group, Measure, estimated, param, throughput, value
from vmkb.accounting.models import Model
from vmkb.accounting.records import Record
from vmkb.accounting.stats import Estimate, StatsError
from vmkb.accounting.tables.group import ratio_of
from vmkb.accounting.tables.listing import Columns, case, listing, release
from vmkb.accounting.tables.table import Table
from vmkb.hercules.wire.profile import profile
from vmkb.workloads.dxu.tables.afs import taken
from vmkb.workloads.dxu.tables.figures import (
    SERVER,
    bus,
    busy,
    card,
    channel,
    elapsed_s,
    of_table,
    printed,
)

FULL = 85.0
"""Percent from which something is said to be what limits."""
_WRITE = "RX48K"
"""The size of write that the MTU's effect is told at; its case at the larger MTU ends in `.L`."""
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
    found = [(_mean(group, m), name) for name, _, m in LIMITS if m(group[0]) is not None]
    most, name = max(found, default=(0.0, ""))
    return name if most >= FULL else ""


def limits_table(found: Sequence[TrialCost], model: Model) -> Table | None:
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
        *answers(found),
    )
    rows = (g for g in of_table(found) if busy("")(g[0]) is not None)
    return listing("limits", "What limits", rows, columns, notes)


def _limited(group: Group) -> str:
    """The same in words."""
    name = what_limits(group)
    return f"{name} is what limits" if name else "nothing is full, so each waits for the other"


def answers(found: Sequence[TrialCost]) -> list[str]:
    """The report's questions, as far as there are trials to answer them."""
    every = (_server(found), _disk(found), _mvs(found), _mtu(found), _fifteen(found), _elc2(found))
    return [x for x in every if x]


def _case(found: Sequence[TrialCost], case: str) -> list[TrialCost]:
    return [c for c in found if c.trial.case == case]


def _server(found: Sequence[TrialCost]) -> str:
    """Is the server limited by CPU or I/O?"""
    group = next((g for name in ("AFS10M2", "AFS1M2") if (g := _case(found, name))), [])
    if not group:
        return ""
    guest, server = _mean(group, busy("")), _mean(group, busy(SERVER))
    return (
        "Is the file server limited by CPU or by I/O? The report concluded by I/O, not CPU. Here,"
        f" with two clients ({group[0].trial.case}), the file server takes {spoken(server)} % and"
        f" its guest {spoken(guest)} % of one engine, its channel is"
        f" {spoken(_mean(group, channel))} % busy and each client's card"
        f" {spoken(_mean(group, card))} %: {_limited(group)}."
    )


def _disk(found: Sequence[TrialCost]) -> str:
    """The same with the file on the server's disk."""
    cached, read = _case(found, "AFS1M2"), _case(found, "AFS1M2.DSK")
    if not cached or not read:
        return ""
    took = [_mean(g, elapsed_s) for g in (cached, read)]
    return (
        "And with the file on the disk instead of in CP's cache, which holds 8 MB? Two fetches of"
        f" 1 MB take {spoken(took[1])} s instead of {spoken(took[0])}, with the guest"
        f" {spoken(_mean(read, busy('')))} % busy and each card {spoken(_mean(read, card))} %:"
        " what was added is waiting for the disk, so I/O limits, as the report concluded."
    )


def _mvs(found: Sequence[TrialCost]) -> str:
    """Does a guest beside it that wants the processor matter?"""
    alone, beside = _case(found, "AFS10M2"), _case(found, "AFS10M2.MVS")
    if not alone or not beside:
        return ""
    rates = [_mean(g, throughput) for g in (alone, beside)]
    return (
        "Does MVS matter? In one run of the report it took more of the processor, and the"
        f" throughput of two clients stayed. Here they get {spoken(rates[1])} KB/s beside a"
        f" machine that took {spoken(taken(beside))} % of the engine (AC), and"
        f" {spoken(rates[0])} without it."
    )


def _elc2(found: Sequence[TrialCost]) -> str:
    """The gain of fifteen clients from the DXU."""
    dxu, elc2 = _case(found, "LOAD"), _case(found, "LOAD.ELC2")
    if not dxu or not elc2:
        return ""
    rates = [_mean(g, throughput) for g in (dxu, elc2)]
    return (
        "Is the DXU worth it beside the BTI ELC2? The report's fifteen clients gained nothing."
        f" Here they get {spoken(rates[0])} KB/s in all over the DXU and {spoken(rates[1])}"
        " over the ELC2: it is, as far as nothing behind the Ethernet holds the clients back. In"
        " the report something did, and an ELC2 was enough."
    )


def _mtu(found: Sequence[TrialCost]) -> str:
    """The effect of the larger MTU, and its reason."""
    both = small, large = _case(found, _WRITE), _case(found, f"{_WRITE}.L")
    if not small or not large:
        return ""
    ratio = _faster(small, large)
    if ratio is None:
        return ""
    rate = profile(small[0].trial.meta["wire"]).rate
    crossing = [8000 * int(param(g[0], "case_mtu")) / rate if rate else 0.0 for g in both]
    took = [1000 * _mean(g, elapsed_s) / int(param(g[0], "files")) for g in both]
    packets = [_packets(g) for g in both]
    sure = f" ({spoken(ratio.lo)} to {spoken(ratio.hi)})" if ratio.has_interval else ""
    slower = ""
    if (ratio.hi if ratio.has_interval else ratio.value) < 1:
        slower = (
            " In this model of the router that is enough to make the larger MTU slower; whether it"
            " was the cause in 1991 is not known."
        )
    return (
        "What does the larger MTU change, and why? Writes of 48 KB go at"
        f" {spoken(ratio.value)} times{sure} the speed, in {spoken(packets[1])} packets instead"
        f" of {spoken(packets[0])}. A packet crosses the second channel only when it has come"
        f" whole over the first, which takes {spoken(crossing[1])} ms instead of"
        f" {spoken(crossing[0])}; with fewer packets the two channels work at the same time less."
        f" A write takes {spoken(took[1])} ms instead of {spoken(took[0])}.{slower}"
    )


def _faster(small: Group, large: Group) -> Estimate | None:
    """The rate of LARGE as part of that of SMALL; None where there is none."""
    rates = [[f for c in g if (f := throughput(c)) is not None] for g in (small, large)]
    try:
        return ratio_of(*rates, paired=False)
    except StatsError:
        return None


def _packets(group: Group) -> float:
    records: list[Record] = [r for c in group for r in c.trial.records if r.kind == "rxperf"]
    sent = sum(r.value("sent").value for r in records)
    return sent / sum(r.value("calls").value for r in records)


def _fifteen(found: Sequence[TrialCost]) -> str:
    """Where is the bottleneck with fifteen clients?"""
    group = _case(found, "LOAD")
    if not group:
        return ""
    return (
        "Where is the bottleneck with fifteen clients? The report put it between the DXU and the"
        f" workstations. Here the clients' Ethernet is {spoken(_mean(group, bus))} %"
        f" busy, the channel {spoken(_mean(group, channel))} %, the guest"
        f" {spoken(_mean(group, busy('')))} % of one engine: {_limited(group)}."
    )


def sentence(found: Sequence[TrialCost]) -> str:
    """The answer: what was measured, beside what the report printed. What was put in, such as the
    rate of a client's card, is no answer."""
    said = []
    for name, what in (("GG", "FTP"), ("RX96K", "Rx in writes of 96 KB")):
        group = _case(found, name)
        if group:
            speed = _mean(group, throughput)
            theirs = printed(group)
            beside = f" (published {theirs})" if theirs else ""
            said.append(f"{what} moves {spoken(speed)} KB/s from guest to guest{beside}")
    small, large = _case(found, _WRITE), _case(found, f"{_WRITE}.L")
    ratio = _faster(small, large) if small and large else None
    if ratio is not None:
        much, word = (
            spoken(abs(100 * (ratio.value - 1))),
            "faster" if ratio.value > 1 else "slower",
        )
        changed = f"makes Rx writes of 48 KB {much} % {word}"
        if much == "0" or (ratio.has_interval and ratio.covers(1)):
            changed = "leaves Rx writes of 48 KB as fast as they are"
        said.append(f"the larger MTU {changed}")
    group = _case(found, "LOAD")
    if group:
        said.append(f"with fifteen AFS clients {_limited(group)}")
    loops = _case(found, "LOOP")
    if not said and loops:
        return f"FTP moves {spoken(_mean(loops, throughput))} KB/s through loopback."
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}." if said else "No trial that answers has ended."
