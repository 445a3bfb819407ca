# SPDX-License-Identifier: MIT
"""The published tables, and the measures that several of ours have. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import (
    Group,
    Measure,
    elapsed,
    estimated,
    field,
    over,
    param,
    record,
    records,
    trial_of,
)
from vmkb.accounting.published import published
from vmkb.accounting.records import Record, Source, Unit
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.listing import Shown, against, by_case, case
from vmkb.accounting.tables.table import printed as cell
from vmkb.accounting.units import Figure, add_figures, complete, rate
from vmkb.hercules.wire.profile import profile

PUBLISHED = {
    1: "citi_dxu_1_loopback", 2: "citi_dxu_2_tcp", 3: "citi_dxu_3_rx", 4: "citi_dxu_4_afs",
    5: "citi_dxu_5_clientload",
}  # fmt: skip
SERVER = "AFSSERVE"
NEAR = "pumper"
"""The client that alone is on another bus."""
CARD, BUS = "fddi-card-510", "ethernet-10"
INPUTS = ("RS1", "RS2")
"""Cases that give back a rate which was put in: that of the clients' cards."""


def to_cards(item: Trial | TrialCost) -> bool:
    """Whether the clients of a trial are behind the cards."""
    return trial_of(item).case in INPUTS or param(item, "table") == "4"


def link(group: Group) -> Shown:
    """KB/s of the slowest link on the way, which is an input."""
    first = group[0]
    names = [param(first, "wire") or trial_of(first).meta.get("wire", "")]
    names += [CARD] * to_cards(first) + [BUS] * (param(first, "table") == "5")
    speeds = [speed for name in names if name and (speed := profile(name).rate)]
    if param(first, "table") == "1" or not speeds:
        return None
    return cell(min(speeds) / 8192, "KB/s", "(IN)")


def ratio(group: Group) -> Shown:
    """Our rate as part of the published one; where it is an input that comes back, that word."""
    if case(group) in INPUTS:
        return "input (IN)"
    return against(estimated(group, rate_of_each).value, printed(group), "")


def of_table(costs: Iterable[TrialCost], *numbers: int) -> list[list[TrialCost]]:
    """The trials of published tables by table, case and release, in the order in which they ran."""
    every = list(costs)
    return [
        group
        for n in numbers or PUBLISHED
        for group in by_case(c for c in every if param(c, "table") == str(n)).values()
    ]


def printed(group: Group, what: str = "kb_s") -> str:
    """The report's figure for the trials of GROUP, or nothing."""
    first = group[0]
    number, name, clients = (param(first, key) for key in ("table", "row", "senders"))
    what = f"mtu{param(first, 'case_mtu')}_{what}" if number == "3" else what
    for row in published(PUBLISHED[int(number)]).rows:
        if next(iter(row.values())) == name and row.get("clients", clients) == clients:
            return row.get(what, "")
    return ""


def rate_of_each(cost: TrialCost) -> Figure | None:
    """KB/s of one sender or client, on the average, where several were at it at once: of a client
    by its own clock."""
    own = [rate(r.value("bytes"), r.value("elapsed")) for r in fetches(cost)]
    if own:
        mean, tick = (sum(x) / len(own) for x in ([f.value for f in own], [f.tick for f in own]))
        return own[0]._replace(value=mean, tick=tick)
    if cost.rate is None:
        return None
    senders = int(param(cost, "senders") or 1)
    return cost.rate._replace(value=cost.rate.value / senders, tick=cost.rate.tick / senders)


def size_kb(cost: TrialCost) -> float:
    """KB of a call."""
    return int(param(cost, "bytes")) / 1024


def per_call(name: str) -> Measure:
    """A count of RXPERF's for each call."""

    def calls(cost: TrialCost) -> float | None:
        many = field("rxperf", "calls")(cost)
        return many and many.value

    return over(field("rxperf", name), calls, Unit.COUNT)


def fetches(cost: TrialCost) -> list[Record]:
    """The fetches of each client in a trial."""
    return records(cost, "fetch")


def seconds_of(client: str) -> Measure:
    """How long one client's fetch took."""
    return field("fetch", "elapsed", Unit.S, client=client)


def speed_of(client: str) -> Measure:
    """One client's KB/s."""

    def measure(cost: TrialCost) -> Figure | None:
        fetch = record(cost, "fetch", client=client)
        return fetch and rate(fetch.value("bytes"), fetch.value("elapsed"))

    return measure


def busy(label: str) -> Measure:
    """Percent of one engine of the model that the machine whose label ends so used, or all."""

    def measure(cost: TrialCost) -> Figure | None:
        mine = (p for p in cost.parts if p.label.endswith(label))
        shares = complete(p.utilization(cost.trial.elapsed) for p in mine)
        return add_figures(shares) if shares else None

    return measure


def channel(cost: TrialCost) -> Figure | None:
    """Percent of the time that the busiest channel moved frames, both ways together."""
    took, wires = elapsed(cost), records(cost, "wire")
    speed = profile(param(cost, "wire") or cost.trial.meta.get("wire", "")).rate
    if took is None or not wires or not speed or took.value <= 0:
        return None
    octets = max(r.value("bytes_in").value + r.value("bytes_out").value for r in wires)
    return Figure(100 * octets * 8 / speed / took.value, Unit.PERCENT, (Source.WI,))


def card(cost: TrialCost) -> Figure | None:
    """Percent of a card's rate that each client took, in bytes of the file alone."""
    if not to_cards(cost) or cost.rate is None:
        return None
    each = cost.rate.value / int(param(cost, "senders"))
    return Figure(100 * each * 8192 / profile(CARD).rate, Unit.PERCENT, cost.rate.sources)


def on_bus(cost: TrialCost) -> list[Record]:
    """The fetches of the clients on the common Ethernet."""
    return [r for r in fetches(cost) if r.word("client") != NEAR]


def bus(cost: TrialCost) -> Figure | None:
    """Percent of the common Ethernet's rate, in bytes of the files alone, until the last client on
    it had its own."""
    mine = on_bus(cost)
    if param(cost, "table") != "5" or not mine:
        return None
    octets = sum(r.value("bytes").value for r in mine)
    took = max(r.value("elapsed").to(Unit.S).value for r in mine)
    return Figure(100 * octets * 8 / profile(BUS).rate / took, Unit.PERCENT, (Source.WI,))
