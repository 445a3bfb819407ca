# SPDX-License-Identifier: MIT
"""What limits each case, and the report's questions answered from that. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accounting.costs import TrialCost
from accounting.models import Model
from accounting.records import Record, Source, Unit
from accounting.stats import StatsError
from accounting.tables.group import Measure, rate_kb_s, ratio_of
from accounting.tables.table import Cell, Row, Section, Table, fixed, word
from accounting.units import Figure
from hercules.wire.profile import profile
from workloads.dxu.tables.afs import NEAR, SERVER, busy, fetches
from workloads.dxu.tables.figures import (
    PUBLISHED,
    Group,
    cell,
    elapsed_s,
    estimate,
    heads,
    of_table,
    param,
    published_rate,
)

FULL = 85.0
"""Percent from which something is said to be what limits."""
CARD, BUS = "fddi-card-510", "ethernet-10"
_TO_CARDS = ("RS1", "RS2", "AFS1M1", "AFS1M2", "AFS10M1", "AFS10M2")
_WRITE = "RX48K"
"""The size of write that the MTU's effect is told at; its case at the larger MTU ends in `.L`."""


def channel(cost: TrialCost) -> Figure | None:
    """Percent of the time that the busiest channel moved frames, both ways together."""
    took, wires = elapsed_s(cost), [r for r in cost.trial.records if r.kind == "wire"]
    rate = profile(cost.trial.meta.get("wire", "")).rate
    if took is None or not wires or not rate or took.value <= 0:
        return None
    octets = max(r.value("bytes_in").value + r.value("bytes_out").value for r in wires)
    return Figure(100 * octets * 8 / rate / took.value, Unit.PERCENT, (Source.WI,))


def card(cost: TrialCost) -> Figure | None:
    """Percent of a card's rate that each client took, in bytes of the file alone."""
    if cost.trial.case not in _TO_CARDS or cost.rate is None:
        return None
    each = cost.rate.value / int(param(cost, "senders"))
    part = 100 * each * 8192 / profile(CARD).rate
    return Figure(part, Unit.PERCENT, cost.rate.sources)


def bus(cost: TrialCost) -> Figure | None:
    """Percent of the common Ethernet's rate, in bytes of the files alone, until the last client on
    it had its own."""
    mine = [r for r in fetches(cost) if r.word("client") != NEAR]
    if param(cost, "table") != "5" or not mine:
        return None
    octets = sum(r.value("bytes").value for r in mine)
    took = max(r.value("elapsed").to(Unit.S).value for r in mine)
    return Figure(100 * octets * 8 / profile(BUS).rate / took, Unit.PERCENT, (Source.WI,))


LIMITS: tuple[tuple[str, Measure], ...] = (
    ("a guest's CPU", busy("")), ("a channel", channel), ("a client's card", card),
    ("the clients' Ethernet", bus),
)  # fmt: skip


def _cell(group: Group, measure: Measure) -> Cell:
    return word("-") if measure(group[0]) is None else cell(group, measure, "%")


def what_limits(group: Group) -> str:
    """What is full, or nothing."""
    found = [(estimate(group, m).value, name) for name, m in LIMITS if m(group[0]) is not None]
    most, name = max(found, default=(0.0, ""))
    return name if most >= FULL else ""


def limits_table(found: Iterable[TrialCost], model: Model) -> Table | None:
    """How much of each thing that could limit a case it took, and the answers; None without
    trials."""
    found = list(found)
    rows = []
    for number in PUBLISHED:
        for (case, release), group in of_table(found, number).items():
            if busy("")(group[0]) is not None:
                cells = (_cell(group, measure) for _, measure in LIMITS)
                said = word(what_limits(group) or "nothing is full")
                rows.append(Row(case, (word(release), *cells, said)))
    if not rows:
        return None
    head = heads(
        "Case", "Release", "All guests' CPU % (IC)", "Busiest channel % (WI)",
        "A client's card %", "Ethernet % (WI)", "What limits",
    )  # fmt: skip
    notes = (
        f"CPU: of one engine of {model.describe()} over the time of the transfers. Channel: whole"
        " frames, both ways. Card and Ethernet: the files' bytes alone. What limits is what is"
        f" at least {FULL:g} % busy.",
        *answers(found),
    )
    return Table("limits", "What limits", (Section("head", (head,)), Section("body", tuple(rows))),
                 notes, keys=1)  # fmt: skip


def _limited(group: Group) -> str:
    """The same in words."""
    name = what_limits(group)
    return f"{name} is what limits" if name else "nothing is full, so each waits for the other"


def answers(found: Sequence[TrialCost]) -> list[str]:
    """The report's questions, as far as there are trials to answer them."""
    return [x for x in (_server(found), _mtu(found), _fifteen(found)) if x]


def _case(found: Sequence[TrialCost], case: str) -> list[TrialCost]:
    return [c for c in found if c.trial.case == case]


def _server(found: Sequence[TrialCost]) -> str:
    """Is the server limited by CPU or I/O?"""
    group = next((g for name in ("AFS10M2", "AFS1M2") if (g := _case(found, name))), [])
    if not group:
        return ""
    guest, server = estimate(group, busy("")).value, estimate(group, busy(SERVER)).value
    return (
        "Is the file server limited by CPU or by I/O? The report concluded by I/O, not CPU. Here,"
        f" with two clients ({group[0].trial.case}), the file server takes {fixed(server, 1)} % and"
        f" its guest {fixed(guest, 1)} % of one engine, its channel is"
        f" {fixed(estimate(group, channel).value, 0)} % busy and each client's card"
        f" {fixed(estimate(group, card).value, 0)} %: {_limited(group)}."
    )


def _mtu(found: Sequence[TrialCost]) -> str:
    """What does the larger MTU change, and why?"""
    small, large = _case(found, _WRITE), _case(found, f"{_WRITE}.L")
    if not small or not large:
        return ""
    try:
        ratio = ratio_of(_figures(small, rate_kb_s), _figures(large, rate_kb_s), paired=False)
    except StatsError:
        return ""
    rate = profile(small[0].trial.meta["wire"]).rate
    crossing = [1000 * 8 * int(param(g[0], "case_mtu")) / rate if rate else 0.0
                for g in (small, large)]  # fmt: skip
    took = [1000 * estimate(g, elapsed_s).value / int(param(g[0], "files")) for g in (small, large)]
    packets = [_packets(g) for g in (small, large)]
    sure = f" ({fixed(ratio.lo, 2)} to {fixed(ratio.hi, 2)})" if ratio.has_interval else ""
    return (
        "What does the larger MTU change, and why? Writes of 48 KB go at"
        f" {fixed(ratio.value, 2)} times{sure} the speed, in {fixed(packets[1], 1)} packets instead"
        f" of {fixed(packets[0], 1)}. A packet crosses the second channel only when it has come"
        f" whole over the first, which takes {fixed(crossing[1], 1)} ms instead of"
        f" {fixed(crossing[0], 1)}; with fewer packets the two channels work at the same time less."
        f" A write takes {fixed(took[1], 1)} ms instead of {fixed(took[0], 1)}. In this model of"
        " the router that is enough to make the larger MTU slower; whether it was the cause in 1991"
        " is not known."
    )


def _figures(group: Group, measure: Measure) -> list[Figure]:
    return [f for c in group if (f := measure(c)) is not None]


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
        f" workstations. Here the clients' Ethernet is {fixed(estimate(group, bus).value, 0)} %"
        f" busy, the channel {fixed(estimate(group, channel).value, 0)} %, the guest"
        f" {fixed(estimate(group, busy('')).value, 0)} % of one engine: {_limited(group)}."
    )


def sentence(found: Sequence[TrialCost]) -> str:
    """The answer: what was measured, beside what the report printed. What was put in, such as the
    rate of a client's card, is no answer."""
    said = []
    for case, what in (("GG", "FTP"), ("RX96K", "Rx in writes of 96 KB")):
        group = _case(found, case)
        if group:
            speed = estimate(group, rate_kb_s).value
            theirs = published_rate(group[0])
            beside = f" (published {theirs})" if theirs else ""
            said.append(f"{what} moves {fixed(speed, 0)} KB/s from guest to guest{beside}")
    small, large = _case(found, _WRITE), _case(found, f"{_WRITE}.L")
    if small and large:
        by = estimate(large, rate_kb_s).value / estimate(small, rate_kb_s).value - 1
        much, word_ = fixed(abs(100 * by), 0), "faster" if by > 0 else "slower"
        changed = f"makes Rx writes of 48 KB {much} % {word_}"
        if much == "0":
            changed = "leaves Rx writes of 48 KB as fast as they are"
        said.append(f"the larger MTU {changed}")
    group = _case(found, "LOAD")
    if group:
        said.append(f"with fifteen AFS clients {_limited(group)}")
    loops = _case(found, "LOOP")
    if not said and loops:
        return f"FTP moves {fixed(estimate(loops, rate_kb_s).value, 0)} KB/s through loopback."
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}." if said else "No trial that answers has ended."
