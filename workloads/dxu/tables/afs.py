# SPDX-License-Identifier: MIT
"""Tables 4 and 5: AFS fetches by one client, two and fifteen, published beside reproduced. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from accounting.costs import TrialCost
from accounting.published import published
from accounting.records import Record, Unit
from accounting.stats import mean_estimate
from accounting.tables.group import Measure, rate_kb_s
from accounting.tables.table import Cell, Row, Section, Table, fixed, known, printed, word
from accounting.units import Figure
from workloads.dxu.tables.figures import (
    MOST,
    PUBLISHED,
    Group,
    against,
    cell,
    estimate,
    heads,
    of_table,
    param,
    printed_cell,
    source_note,
)

SERVER = "AFSSERVE"
NEAR = "pumper"
"""The client that alone is on another bus."""


def fetches(cost: TrialCost, client: str = "") -> list[Record]:
    """What each client fetched in a trial, or one of them."""
    mine = (r for r in cost.trial.records if r.kind == "fetch")
    return [r for r in mine if not client or r.word("client") == client]


def seconds_of(client: str) -> Measure:
    """How long one client's fetch took."""

    def measure(cost: TrialCost) -> Figure | None:
        found = fetches(cost, client)
        if not found:
            return None
        took = found[0].value("elapsed").to(Unit.S)
        return Figure(took.value, Unit.S, (took.source,), took.tick)

    return measure


def speed_of(client: str) -> Measure:
    """One client's KB/s."""

    def measure(cost: TrialCost) -> Figure | None:
        found = fetches(cost, client)
        if not found:
            return None
        took, size = found[0].value("elapsed").to(Unit.S), found[0].value("bytes").to(Unit.KB)
        speed = size.value / took.value
        return Figure(speed, Unit.KB_S, (took.source,), speed * took.tick / took.value)

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


def monitor(cost: TrialCost, name: str) -> list[float]:
    """What RTMSF logged under NAME in each interval of a trial."""
    return [float(r.value(name).value) for r in cost.trial.records if r.kind == "rtm_system"]


def _monitored(found: Iterable[TrialCost], case: str, name: str, unit: str) -> tuple[Cell, float]:
    """The median of the intervals of the monitored trials of CASE."""
    values = [x for c in found if c.trial.case == case for x in monitor(c, name)]
    if not values:
        return word("-"), 0.0
    e = mean_estimate(values)
    return known(e, unit, "(RT)", most=MOST.get(unit, 2)), e.value


def _line(number: int, **keys: str) -> dict[str, str]:
    for row in published(PUBLISHED[number]).rows:
        if keys.items() <= row.items():
            return dict(row)
    return {}


def afs_table(found: Iterable[TrialCost], watched: Sequence[TrialCost]) -> Table | None:
    """Elapsed time and throughput of each client, and how busy server and guest are; WATCHED are
    the trials with the monitor. None without trials."""
    sections = []
    for (case, _), group in of_table(found, 4).items():
        size, many = param(group[0], "row"), param(group[0], "senders")
        rows = []
        for record in fetches(group[0]):
            client = record.word("client")
            theirs = _line(4, file=size, clients=many, client=client)
            rows.append(_client(size, many, client, theirs, group))
        totals = {**_line(4, file=size, clients=many, client=rows[0].cells[1].text)}
        totals |= _line(4, file=size, clients=many, client="totals")
        rows.append(_total(size, many, case, totals, group, watched))
        sections.append(Section("body", tuple(rows)))
    if not sections:
        return None
    head = heads(
        "File", "Clients", "Client", "Published s (PB)", "Ours s (WI)", "Published KB/s (PB)",
        "Ours KB/s (WI)", "Ratio (WI)", "File server % (IC/WI)", "Guest % (IC/WI)",
        "Guest % (RT)", "I/O a second (RT)", "n",
    )  # fmt: skip
    known_rows = [row for row in published(PUBLISHED[4]).rows if row["lisa_cpu_pct"]]
    said = "; ".join(
        f"{r['file']} to {r['clients']}: "
        + (f"file server {r['fs_cpu_pct']} %, " if r["fs_cpu_pct"] else "")
        + f"guest {r['lisa_cpu_pct']} %, {r['lisa_io_s']} I/O a second"
        for r in known_rows
    )
    notes = (
        f"Published utilization (PB): {said}.",
        "Ours by the counts is of one engine of the model, at the speed as run; RTMSF's is in a"
        " trial of its own, the median of its intervals of a second, and has the monitor's work in"
        " it. I/O are channel programs of disks and of the wire; a READ of the wire that waits is"
        " one when it ends.",
        source_note(4),
    )
    return Table("afs", "Table 4: AFS fetches", (Section("head", (head,)), *sections), notes,
                 keys=2)  # fmt: skip


def _client(size: str, many: str, client: str, theirs: dict[str, str], group: Group) -> Row:
    ours = estimate(group, speed_of(client))
    return Row(
        size,
        (
            word(many),
            word(client),
            printed_cell(theirs.get("elapsed_s", ""), "s"),
            cell(group, seconds_of(client), "s"),
            printed_cell(theirs.get("kb_s", ""), "KB/s"),
            cell(group, speed_of(client), "KB/s"),
            against(ours, theirs.get("kb_s", ""), "(WI)"),
            *(word("-") for _ in range(4)),
            word(str(len(group))),
        ),
    )


def _total(
    size: str, many: str, case: str, theirs: dict[str, str], group: Group,
    watched: Sequence[TrialCost],
) -> Row:  # fmt: skip
    ours = estimate(group, rate_kb_s)
    return Row(
        size,
        (
            word(many),
            word("all"),
            word("-"),
            word("-"),
            printed_cell(theirs.get("kb_s", ""), "KB/s"),
            cell(group, rate_kb_s, "KB/s"),
            against(ours, theirs.get("kb_s", ""), "(WI)"),
            cell(group, busy(SERVER), "%"),
            cell(group, busy(""), "%"),
            _monitored(watched, case, "cpu", "%")[0],
            _monitored(watched, case, "io", "/s")[0],
            word(str(len(group))),
        ),
    )


def jain(values: Sequence[float]) -> float:
    """Jain's index of fairness: 1 if all are equal."""
    squares = sum(x * x for x in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else 0.0


def fairness(cost: TrialCost) -> float:
    """Jain's index of the clients' rates on the common bus."""
    rates = [1 / r.value("elapsed").value for r in fetches(cost) if r.word("client") != NEAR]
    return jain(rates)


def load_table(found: Iterable[TrialCost], watched: Sequence[TrialCost]) -> Table | None:
    """Each client's elapsed time with fifteen at once, their average, how fair it was, and how busy
    the server; None without trials."""
    groups = of_table(found, 5)
    if not groups:
        return None
    ((case, _), group), *_ = groups.items()
    rows = []
    for record in fetches(group[0]):
        client = record.word("client")
        theirs = _line(5, client=client).get("elapsed_s", "")
        ours = estimate(group, seconds_of(client))
        rows.append(
            Row(
                client,
                (
                    printed_cell(theirs, "s"),
                    cell(group, seconds_of(client), "s"),
                    against(ours, theirs, "(WI)"),
                ),
            )
        )
    means = [_mean(c) for c in group]
    theirs = _line(5, client="average").get("elapsed_s", "")
    average = mean_estimate(means)
    rows.append(
        Row(
            "average",
            (printed_cell(theirs, "s"), known(average, "s", "(WI)", most=2),
             against(average, theirs, "(WI)")),
        )
    )  # fmt: skip
    every = [float(r["elapsed_s"]) for r in published(PUBLISHED[5]).rows
             if r["client"] not in (NEAR, "average")]  # fmt: skip
    fair = median([fairness(c) for c in group])
    others: list[tuple[str, Cell, Cell]] = [
        ("Jain's index, all but pumper", printed(jain([1 / x for x in every]), 3, "ratio", "(PB)"),
         printed(fair, 3, "ratio", "(WI)")),
        ("all clients, KB/s", word("-"), cell(group, rate_kb_s, "KB/s")),
        ("file server, % (IC/WI)", word("-"), cell(group, busy(SERVER), "%")),
        ("guest, % (IC/WI)", word("-"), cell(group, busy(""), "%")),
        ("guest, % (RT)", word("-"), _monitored(watched, case, "cpu", "%")[0]),
        ("I/O a second (RT)", word("-"), _monitored(watched, case, "io", "/s")[0]),
    ]  # fmt: skip
    more = Section("body", tuple(Row(name, (a, b, word("-"))) for name, a, b in others))
    head = heads("Client", "Published s (PB)", "Ours s (WI)", "Ratio (WI)")
    worst = min(fairness(c) for c in group)
    notes = (
        f"{len(group)} trial(s); medians. Jain's index is of the rates; the least of a trial is"
        f" {fixed(worst, 3)}. Fourteen clients are on one Ethernet behind a router of"
        " 131,072 bytes, pumper alone on another; the campus ring between the report's FDDI and its"
        " Ethernets is not modelled.",
        source_note(5),
    )
    return Table("clientload", "Table 5: clientload, fifteen clients at once",
                 (Section("head", (head,)), Section("body", tuple(rows)), more), notes)  # fmt: skip


def _mean(cost: TrialCost) -> float:
    every = [r.value("elapsed").to(Unit.S).value for r in fetches(cost)]
    return sum(every) / len(every)
