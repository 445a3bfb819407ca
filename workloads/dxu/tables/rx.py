# SPDX-License-Identifier: MIT
"""Table 3: Rx writes of many sizes at two MTUs, the line through them, and their packets. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import (
    Group,
    elapsed,
    estimated,
    has,
    of_value,
    over,
    param,
    records,
    throughput,
    value,
)
from vmkb.accounting.published import published
from vmkb.accounting.records import Record, Unit
from vmkb.accounting.solve import fitted
from vmkb.accounting.stats import Estimate, mean_estimate
from vmkb.accounting.tables.listing import (
    Columns,
    grouped,
    listing,
    named,
    number,
    series,
    with_interval,
)
from vmkb.accounting.tables.table import Plot, Table, interval_cell, known
from vmkb.accounting.tables.table import printed as cell
from vmkb.accounting.units import Figure
from vmkb.workloads.dxu.tables.figures import (
    PUBLISHED,
    of_table,
    per_call,
    printed,
    size_kb,
)

WRITES = 1000
"""Of each size in the report; our times are of as many, from the writes that were made."""


def thousand_s(cost: TrialCost) -> Figure | None:
    """Seconds of a thousand calls."""
    return over(elapsed, lambda c: int(param(c, "files")) / WRITES, Unit.S)(cost)


def _size(group: Group) -> str:
    return f"{size_kb(group[0]):g} K"


def _in_order(costs: Iterable[TrialCost]) -> list[list[TrialCost]]:
    return sorted(of_table(costs, 3), key=lambda g: (int(param(g[0], "case_mtu")), size_kb(g[0])))


def rx_table(costs: Iterable[TrialCost]) -> Table | None:
    """Elapsed time and throughput of each size and MTU; None without trials."""
    columns: Columns[Group] = [
        ("Write", _size),
        ("MTU", named("case_mtu")),
        ("1000 take", value(thousand_s)),
        *with_interval("Speed", throughput),
        ("Writes a trial", named("files")),
        ("n", number),
    ]
    groups, points = _in_order(costs), []
    for group in groups:
        name, at, theirs = f"MTU {param(group[0], 'case_mtu')}", size_kb(group[0]), printed(group)
        points.append((name, at, estimated(group, throughput)))
        if theirs:
            points.append((f"{name}, published", at, mean_estimate([float(theirs)])))
    plot = Plot("lines", "Rx writes, guest to guest", "KB/s", series(points),
                x_title="KB a write")  # fmt: skip
    notes = (
        "One write after the other. Seconds are those of 1000 writes, from as many as a trial has."
        " Beyond 96 KB the report's test hung and prints nothing.",
    )
    return listing("rx", "Table 3: Rx writes", groups, columns, notes, plots=(plot,))


class Line(NamedTuple):
    """Seconds of a call of any size, and seconds of each KB."""

    call_s: float
    kb_s: float

    def seconds(self, kilobytes: float) -> float:
        """Seconds of a call of so many KB on the line."""
        return self.call_s + self.kb_s * kilobytes


def fit(points: Sequence[tuple[float, float]]) -> Line | None:
    """The line that makes the sum of the squares of relative errors least, through POINTS (KB,
    seconds of a call, more than 0); None with fewer than two sizes. Relative, because the times
    have two digits each, from the shortest to the longest."""
    if len({kb for kb, _ in points}) < 2:
        return None
    return Line(*fitted([((1.0, kb), seconds) for kb, seconds in points])[0])


class _Fit(NamedTuple):
    """An MTU's line as published, those of our rounds, and its groups."""

    mtu: str
    theirs: Line
    ours: Sequence[Line]
    groups: Sequence[Group]

    def mean(self, what: Callable[[Line], float]) -> Estimate:
        """That of our rounds."""
        return mean_estimate([what(line) for line in self.ours])


def _fits(groups: Sequence[Group]) -> list[_Fit]:
    """Over the sizes that the report has too."""
    made = []
    for mtu, mine in grouped(groups, lambda g: param(g[0], "case_mtu")).items():
        rounds = grouped(
            (c for g in mine for c in g if param(c, "row") and thousand_s(c)),
            lambda c: c.trial.pair,
        ).values()
        most = max(map(len, rounds), default=0)
        ours = [
            fit([(size_kb(c), took.value / WRITES) for c in each if (took := thousand_s(c))])
            for each in rounds
            if len(each) == most
        ]
        theirs = fit([
            (float(r["write_size"].split()[0]), float(r[f"mtu{mtu}_elapsed_s"]) / WRITES)
            for r in published(PUBLISHED[3]).rows
        ])  # fmt: skip
        lines = [line for line in ours if line is not None]
        if lines and theirs is not None:
            made.append(_Fit(mtu, theirs, lines, mine))
    return made


def fit_table(costs: Iterable[TrialCost]) -> Table | None:
    """The time of a call and of a KB by the line through Table 3, published and ours; None
    without two sizes."""

    def ms(what: Callable[[Line], float]) -> Callable[[_Fit], Estimate]:
        return lambda f: f.mean(lambda line: 1000 * what(line))

    call, kb = ms(lambda line: line.call_s), ms(lambda line: line.kb_s)
    columns: Columns[_Fit] = [
        ("MTU", lambda f: f.mtu),
        ("A call, published", lambda f: cell(1000 * f.theirs.call_s, "ms/call", "(PB)")),
        ("A call, ours", lambda f: known(call(f), "ms/call", "(PM)")),
        ("Interval", lambda f: interval_cell(call(f), "ms/call", "(PM)")),
        ("A KB, published", lambda f: cell(1000 * f.theirs.kb_s, "ms/KB", "(PB)")),
        ("A KB, ours", lambda f: known(kb(f), "ms/KB", "(PM)")),
        ("Interval", lambda f: interval_cell(kb(f), "ms/KB", "(PM)")),
        ("At most, published", lambda f: cell(1 / f.theirs.kb_s, "KB/s", "(PB)")),
        ("At most, ours", lambda f: cell(1000 / kb(f).value, "KB/s", "(PM)")),
        ("Rounds", lambda f: str(len(f.ours))),
    ]
    fits = _fits(_in_order(costs))
    beyond = []
    for f in fits:
        line = Line(call(f).value / 1000, kb(f).value / 1000)
        for group in f.groups:
            if not param(group[0], "row"):
                at = size_kb(group[0])
                off = estimated(group, thousand_s).value / WRITES / line.seconds(at) - 1
                beyond.append(f"{at:g} KB at MTU {f.mtu} {100 * off:+.0f} %")
    notes = [
        "elapsed = calls x (a + b x size): a is a call's, b a KB's; the least squares of relative"
        " errors over the sizes that the report has, of each round of trials, and the mean of"
        " those; the most that the line allows is 1 / b."
    ]
    if beyond:
        notes.append(f"Beyond 96 KB, time against that line: {', '.join(beyond)}.")
    return listing("fit", "Table 3: what a call and a KB takes", fits, columns, notes)


_INSTRUCTIONS = over(
    lambda c: of_value(c.instructions), lambda c: int(param(c, "files")), Unit.INSTR, "call"
)


def packets_table(costs: Iterable[TrialCost]) -> Table | None:
    """The wire's traffic for a call, so that an MTU's effect can be told; None without
    trials."""
    columns: Columns[Group] = [
        ("Write", _size),
        ("MTU", named("case_mtu")),
        ("Packets sent a call", value(per_call("sent"))),
        ("Acknowledgements a call", value(per_call("acks_received"))),
        ("Sent again a call", value(per_call("again"))),
        ("Both guests", value(_INSTRUCTIONS)),
    ]
    rows = (g for g in _in_order(costs) if has(g, _INSTRUCTIONS))
    return listing("packets", "Table 3: packets and instructions of a call", rows, columns)


def hang_table(costs: Iterable[TrialCost]) -> Table | None:
    """The end of writes under a rule that hangs; None without such a trial."""
    columns: Columns[tuple[TrialCost, Record]] = [
        ("Write", lambda r: f"{r[1].value('size').value / 1024:g} K"),
        ("Packets that are held", lambda r: param(r[0], "held")),
        ("Took", lambda r: cell(r[1].value("elapsed").to(Unit.S).value, "s", "(PM)")),
        ("Writes done", lambda r: cell(r[1].value("calls").value, "count", "(PM)")),
        ("Ended", lambda r: r[1].word("ended")),
    ]
    notes = (
        "The report: 'at buffer sizes much above 96 K the test hangs irretrievably'. Here the"
        " server takes a write only when all of it is there, and has buffers for so many packets"
        " (RXPERFD PARM WHOLE n): 96 KB fit, 128 KB do not. What is longer never ends by itself:"
        " the server has no room and answers pings, so nobody is dead; RXPERF's LIMIT ends"
        " it. With today's rule, by which a program gets its data as it comes, the same sizes are"
        " in Table 3.",
        "This shows a rule that would hang as the report says, not that Rx had it in 1991: its"
        " windows, buffers and the test's way to read are not in the report. Unknown: the cause.",
    )
    rows = ((cost, r) for cost in costs for r in records(cost, "hang"))
    return listing("hang", "Table 3: above 96 KB under a rule that hangs", rows, columns, notes)
