# SPDX-License-Identifier: MIT
"""The workload's tables: bytes a second beside the printed ones, what each complaint takes away,
what each TCP did, and the picture of a transfer. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median

from vmkb.accounting.analysis.answer import release_name
from vmkb.accounting.digits import spoken
from vmkb.accounting.measures import param, record
from vmkb.accounting.records import Record
from vmkb.accounting.stats import Estimate, mean_estimate
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.listing import (
    Columns,
    Shown,
    by_case,
    grouped,
    listing,
    middle,
    named,
    number,
    release,
    span,
)
from vmkb.accounting.tables.listing import case as case_of
from vmkb.accounting.tables.table import Plot, Table, interval_cell, printed
from vmkb.workloads.line.measures import half, seen_rate, told_rate
from vmkb.workloads.line.plan import Definition
from vmkb.workloads.line.readout import picture

BASE, ALL = "RFC", "FAL"
COMPLAINTS = ("CSM", "CRS", "CST", "CLA")
Group = Sequence[Trial]
Groups = Mapping[tuple[str, str], Group]
Rate = Callable[[Trial], float | None]


def _numbers(group: Group, measure: Rate) -> list[float]:
    return [x for t in group if (x := measure(t)) is not None]


def _shares(group: Group, measure: Rate) -> list[float]:
    """Percent of what the line can carry."""
    return [100 * x / float(group[0].params["best"]) for x in _numbers(group, measure)]


def _called(definition: Definition) -> Callable[[Group], str]:
    titles = {r.name: r.title for r in definition.releases}
    return lambda group: release_name(release(group), titles)


def rate_table(definition: Definition, groups: Groups) -> Table | None:
    """Bytes a second by line and far host."""
    columns: Columns[Group] = [
        ("Line", named("title")),
        ("Far host", _called(definition)),
        ("Moved", lambda g: middle(_numbers(g, told_rate), "B/s", "(FT)")),
        ("From..to", lambda g: span(_numbers(g, told_rate), "B/s", "(FT)")),
        ("Of best", lambda g: middle(_shares(g, told_rate), "%", "(FT)")),
        ("Moved", lambda g: middle(_numbers(g, seen_rate), "B/s", "(WI)")),
        ("Of best", lambda g: middle(_shares(g, seen_rate), "%", "(WI)")),
        ("n", number),
        ("Failed", lambda g: str(len(g) - len(_numbers(g, seen_rate)))),
    ]
    notes = (
        "FT: as the near host's FTP prints it, from its command to the server's last reply; WI:"
        " from the first data to the last acknowledgement, in a capture at the far end of the line."
        " Best: 192 of each 240 characters are data, of 203 where headers are compressed. From..to:"
        " all trials. Failed: of the n trials, those in which the file did not come whole.",
    )
    shares = {f"{name} {case}": _shares(g, seen_rate) for (case, name), g in groups.items()}
    points = tuple((name, median(xs), min(xs), max(xs)) for name, xs in shares.items() if xs)
    plot = Plot("intervals", "Share of the best case", "%", (("", points),), 100.0)
    return listing(
        "bytes", "Bytes a second", groups.values(), columns, notes, by=case_of, plots=(plot,)
    )


def cause_table(definition: Definition, groups: Groups) -> Table | None:
    """The loss by each complaint, and all of them together; None without any."""

    def lost(group: Group) -> list[float]:
        """Bytes a second less than the TCP as it should be, in the same round."""
        base = {t.pair: seen_rate(t) for t in groups.get((case_of(group), BASE), ())}
        pairs = [(base.get(t.pair), seen_rate(t)) for t in group]
        return [a - b for a, b in pairs if a is not None and b is not None]

    def taken(group: Group) -> Estimate:
        return mean_estimate(lost(group))

    def share(group: Group) -> float:
        return 100 * taken(group).value / float(group[0].params["best"])

    columns: Columns[Group] = [
        ("Line", named("title")),
        ("Complaint", _called(definition)),
        ("Moved", lambda g: middle(_numbers(g, seen_rate), "B/s", "(WI)")),
        ("Taken away", lambda g: printed(taken(g).value, "B/s", "(WI)")),
        ("Interval", lambda g: interval_cell(taken(g), "B/s", "(WI)")),
        ("Of best", lambda g: printed(share(g), "%", "(WI)")),
        ("n", lambda g: str(len(lost(g)))),
    ]
    wanted = ((case, c) for case in dict.fromkeys(c for c, _ in groups) for c in (*COMPLAINTS, ALL))
    rows = (
        g for key in wanted if (g := groups.get(key)) and param(g[0], "what") == "get" and lost(g)
    )
    notes = (
        "Taken away: bytes a second less than the TCP as RFC 1122 has it, in the same round; below"
        " 0: it was faster. An interval needs two trials.",
    )
    return listing("causes", "What each complaint takes away", rows, columns, notes, by=case_of)


def _senders(group: Group) -> list[Record]:
    return [r for t in group if (r := record(t, "tcp_sender"))]


def _did(top: str, below: str = "", scale: float = 1.0, unit: str = "") -> Callable[[Group], Shown]:
    """The median of a number of the capture's, or of one for each of another."""

    def numbers(group: Group) -> Iterator[float]:
        for r in _senders(group):
            by = r.value(below).value if below else 1
            if top in r.fields and by:
                yield scale * r.value(top).value / by

    return lambda group: middle(list(numbers(group)), unit, "(WI)")


def did_table(definition: Definition, groups: Groups) -> Table | None:
    """The behaviour of each far host's TCP, from the captures, and its first transfer as a
    picture."""
    called = _called(definition)
    columns: Columns[Group] = [
        ("Line", named("title")),
        ("Far host", called),
        ("Segments", _did("segments")),
        ("Mean size", _did("sent", "segments", unit="B")),
        ("Sent again", _did("again")),
        ("Of bytes", _did("resent", "sent", 100, "%")),
        ("Lone ACKs a segment", _did("lone", "segments")),
        ("ACKs a command", _did("answered", "commanded")),
        ("RTT", _did("trip", scale=1e-6, unit="s")),
        ("Least wait", _did("wait", scale=1e-6, unit="s")),
        ("Most in flight", _did("flight", unit="B")),
        ("Longest silence", _did("longest", scale=1e-6, unit="s")),
    ]
    notes = (
        "Medians over the trials, of the data connection (WI, docs/reference/capture.md). Lone ACKs"
        " a segment: the near host's, for each data segment. ACKs a command: segments of the far"
        " host on the control connection with nothing but an acknowledgement, for each segment with"
        " a command in it. Silence: with data outstanding; a packet takes 2 s at 1200 bit/s.",
    )
    rows = [g for g in groups.values() if _senders(g)]
    plots = [_plot(f"{called(g)}, {param(g[0], 'title')}", _senders(g)[0]) for g in rows]
    return listing("tcp", "What each TCP did", rows, columns, notes, by=case_of, plots=plots)


def _plot(title: str, seen: Record) -> Plot:
    drawn = picture(seen)
    series = tuple(
        (name, tuple((float(at), float(place), float(place), float(place)) for at, place in points))
        for name, points in (("sent", drawn["sent"]), ("acknowledged", drawn["acked"]))
    )
    return Plot("lines", title, "B", series, x_title="s")


def line_tables(definition: Definition, trials: Sequence[Trial]) -> list[Table | None]:
    """Bytes a second first, what each complaint takes away, what each TCP did."""
    groups = by_case(trials)
    makers = (rate_table, cause_table, did_table)
    return [make(definition, groups) for make in makers]


def sentence(definition: Definition, trials: Sequence[Trial]) -> str:
    """The fastest and the slowest hosts of each line, as parts of the best case, as far as trials
    tell them apart: hosts whose 95 % intervals overlap stand together, and one whose interval
    overlaps those of both with neither."""
    called, said = _called(definition), []
    for mine in grouped(by_case(trials).values(), case_of).values():
        hosts = [g for g in mine if _numbers(g, seen_rate)]
        known = [(g, mean_estimate(_shares(g, seen_rate))) for g in hosts]
        if len(known) < 2:
            continue
        low, high = (pick(known, key=lambda x: x[1].value)[1] for pick in (min, max))
        at = f"At {param(hosts[0][0], 'title')}"
        if not all(e.has_interval for _, e in known):
            said.append(f"{at} no host is told from another: one trial has no interval.")
            continue
        fast = [g for g, e in known if e.hi >= high.lo]
        slow = [g for g, e in known if e.lo <= low.hi]
        if low.hi >= high.lo:
            said.append(f"{at} no host is told from another: {_moved(fast)}, intervals overlap.")
            continue
        both = [id(g) for g in fast if any(g is h for h in slow)]
        fast, slow = ([g for g in x if id(g) not in both] for x in (fast, slow))
        best, worst = (
            called(x[0]) if len(x) == 1 else f"{len(x)} of {len(known)} hosts" for x in (fast, slow)
        )
        said.append(
            f"{at} the fastest ({best}) moves {_moved(fast)} of what the line can carry, the"
            f" slowest ({worst}) {_moved(slow)}."
        )
    part = half(by_case(trials))
    if part is not None:
        said.insert(
            0,
            f"At 1200 bit/s with noise, one like IBM's FAL 1.2.1 has {spoken(part)} of the speed of"
            " its competitors (published: half).",
        )
    return " ".join(said) or "Nothing can be compared: there is one far host."


def _moved(groups: Sequence[Group]) -> str:
    """Percent of the best case, from the slowest to the fastest of GROUPS."""
    ends = sorted({spoken(median(_shares(g, seen_rate))) for g in groups}, key=float)
    return f"{' to '.join(dict.fromkeys((ends[0], ends[-1])))} %"
