# SPDX-License-Identifier: MIT
"""The published tables, and the measures that several of ours have. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import Group, Measure, param, record, trial_of
from vmkb.accounting.published import published
from vmkb.accounting.records import Record, Source, Unit
from vmkb.accounting.stats import Estimate
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.listing import Shown, against, by_case, case
from vmkb.accounting.tables.table import TableError
from vmkb.accounting.tables.table import printed as cell
from vmkb.accounting.units import Figure
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
    rates = [profile(name).rate for name in names if name]
    known = [rate for rate in rates if rate]
    if param(first, "table") == "1" or not known:
        return None
    return cell(min(known) / 8192, "KB/s", "(IN)")


def ratio(group: Group, ours: Estimate, source: str) -> Shown:
    """Ours as part of the published rate; where it is an input that comes back, that word."""
    if case(group) in INPUTS:
        return "input (IN)"
    return against(ours.value, printed(group), source)


def usable(found: Iterable[TrialCost]) -> list[TrialCost]:
    """Those that came to their end with numbers; TableError if the samples of one give none."""
    kept = [c for c in found if c.trial.counts]
    for cost in kept:
        if not cost.usable:
            raise TableError(cost.missing[0])
    return kept


def of_table(found: Iterable[TrialCost], *numbers: int) -> list[list[TrialCost]]:
    """The trials of published tables by table, case and release, in the order in which they ran."""
    every = list(found)
    return [
        group
        for n in numbers or PUBLISHED
        for group in by_case(c for c in every if param(c, "table") == str(n)).values()
    ]


def line_of(number: int, **keys: str) -> dict[str, str]:
    """The line of the published table NUMBER with these KEYS, or nothing."""
    rows = published(PUBLISHED[number]).rows
    return next((dict(row) for row in rows if keys.items() <= row.items()), {})


def published_row(number: int, row: str) -> dict[str, str]:
    """The line of the published table NUMBER whose first column is ROW, or nothing."""
    rows = published(PUBLISHED[number]).rows
    return next((dict(found) for found in rows if row and next(iter(found.values())) == row), {})


def printed(group: Group, what: str = "kb_s") -> str:
    """The report's figure for the trials of GROUP, or nothing."""
    first = group[0]
    number, row = int(param(first, "table")), param(first, "row")
    line = published_row(number, row)
    if number == 4:
        line = line_of(4, file=row, clients=param(first, "senders"))
    return line.get(f"mtu{param(first, 'case_mtu')}_{what}" if number == 3 else what, "")


def elapsed_s(cost: TrialCost) -> Figure | None:
    """Seconds that the work took, by who did it."""
    if cost.trial.elapsed is None:
        return None
    took = cost.trial.elapsed.to(Unit.S)
    return Figure(took.value, Unit.S, (took.source,), took.tick)


def rate_of_each(cost: TrialCost) -> Figure | None:
    """KB/s of one sender or client, on the average, where several were at it at once: of a client
    by its own clock."""
    own = [f for r in fetches(cost) if (f := speed_of(r.word("client"))(cost)) is not None]
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

    def measure(cost: TrialCost) -> Figure | None:
        found = record(cost, "rxperf")
        if found is None:
            return None
        calls = found.value("calls").value
        return Figure(found.value(name).value / calls, Unit.COUNT, (Source.PM,))

    return measure


def fetches(cost: TrialCost, client: str = "") -> list[Record]:
    """The fetches of each client in a trial, or of one."""
    mine = (r for r in cost.trial.records if r.kind == "fetch")
    return [r for r in mine if not client or r.word("client") == client]


def seconds_of(client: str) -> Measure:
    """How long one client's fetch took."""

    def measure(cost: TrialCost) -> Figure | None:
        for found in fetches(cost, client):
            took = found.value("elapsed").to(Unit.S)
            return Figure(took.value, Unit.S, (took.source,), took.tick)
        return None

    return measure


def speed_of(client: str) -> Measure:
    """One client's KB/s."""

    def measure(cost: TrialCost) -> Figure | None:
        for found in fetches(cost, client):
            took, size = found.value("elapsed").to(Unit.S), found.value("bytes").to(Unit.KB)
            speed = size.value / took.value
            return Figure(speed, Unit.KB_S, (took.source,), speed * took.tick / took.value)
        return None

    return measure


def busy(label: str) -> Measure:
    """Percent of one engine of the model that the machine whose label ends so used, or all."""

    def measure(cost: TrialCost) -> Figure | None:
        parts = [p for p in cost.parts if p.label.endswith(label)]
        shares = [p.utilization(cost.trial.elapsed) for p in parts]
        there = [s for s in shares if s is not None]
        if not there or len(there) != len(shares):
            return None
        value, tick = sum(s.value for s in there), sum(s.tick for s in there)
        return there[0]._replace(value=value, tick=tick)

    return measure


def channel(cost: TrialCost) -> Figure | None:
    """Percent of the time that the busiest channel moved frames, both ways together."""
    took, wires = elapsed_s(cost), [r for r in cost.trial.records if r.kind == "wire"]
    rate = profile(param(cost, "wire") or cost.trial.meta.get("wire", "")).rate
    if took is None or not wires or not rate or took.value <= 0:
        return None
    octets = max(r.value("bytes_in").value + r.value("bytes_out").value for r in wires)
    return Figure(100 * octets * 8 / rate / took.value, Unit.PERCENT, (Source.WI,))


def card(cost: TrialCost) -> Figure | None:
    """Percent of a card's rate that each client took, in bytes of the file alone."""
    if not to_cards(cost) or cost.rate is None:
        return None
    each = cost.rate.value / int(param(cost, "senders"))
    return Figure(100 * each * 8192 / profile(CARD).rate, Unit.PERCENT, cost.rate.sources)


def bus(cost: TrialCost) -> Figure | None:
    """Percent of the common Ethernet's rate, in bytes of the files alone, until the last client on
    it had its own."""
    mine = [r for r in fetches(cost) if r.word("client") != NEAR]
    if param(cost, "table") != "5" or not mine:
        return None
    octets = sum(r.value("bytes").value for r in mine)
    took = max(r.value("elapsed").to(Unit.S).value for r in mine)
    return Figure(100 * octets * 8 / profile(BUS).rate / took, Unit.PERCENT, (Source.WI,))
