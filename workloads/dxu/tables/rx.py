# SPDX-License-Identifier: MIT
"""Table 3: Rx writes of many sizes at two MTUs, the line through them, and their packets. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accounting.costs import TrialCost
from accounting.published import published
from accounting.records import Source, Unit
from accounting.stats import mean_estimate, places
from accounting.tables.group import Measure, rate_kb_s
from accounting.tables.table import (
    Cell,
    Plot,
    Row,
    Section,
    Table,
    interval_cell,
    known,
    printed,
    word,
)
from accounting.units import Figure
from workloads.dxu.tables.figures import (
    PUBLISHED,
    Group,
    against,
    cell,
    elapsed_s,
    estimate,
    heads,
    interval,
    of_table,
    param,
    printed_cell,
    published_row,
    source_note,
)
from workloads.dxu.tables.fit import Line, fit

WRITES = 1000
"""Of each size in the report; our times are of as many, from the writes that were made."""
_POINT = tuple[str | float, float, float, float]


def thousand_s(cost: TrialCost) -> Figure | None:
    """Seconds of a thousand calls."""
    took = elapsed_s(cost)
    if took is None:
        return None
    scale = WRITES / int(param(cost, "files"))
    return took._replace(value=took.value * scale, tick=took.tick * scale)


def size_kb(cost: TrialCost) -> float:
    """KB of a call."""
    return int(param(cost, "bytes")) / 1024


def _published(group: Group) -> tuple[str, str]:
    """Elapsed time and KB/s as printed, or nothing."""
    row = published_row(3, param(group[0], "row")) if param(group[0], "row") else {}
    mtu = f"mtu{param(group[0], 'case_mtu')}"
    return row.get(f"{mtu}_elapsed_s", ""), row.get(f"{mtu}_kb_s", "")


def _in_order(found: Iterable[TrialCost]) -> list[list[TrialCost]]:
    groups = of_table(found, 3).values()
    return sorted(groups, key=lambda g: (int(param(g[0], "case_mtu")), size_kb(g[0])))


def rx_table(found: Iterable[TrialCost]) -> Table | None:
    """Elapsed time and throughput of each size and MTU, published beside ours; None without
    trials."""
    rows = []
    series: dict[str, list[_POINT]] = {}
    for group in _in_order(found):
        seconds, speed = _published(group)
        mtu = param(group[0], "case_mtu")
        ours = estimate(group, rate_kb_s)
        rows.append(
            Row(
                f"{size_kb(group[0]):g} K",
                (
                    word(mtu),
                    printed_cell(seconds, "s"),
                    cell(group, thousand_s, "s"),
                    printed_cell(speed, "KB/s"),
                    cell(group, rate_kb_s, "KB/s"),
                    interval(group, rate_kb_s, "KB/s"),
                    against(ours, speed, "(PM)"),
                    word(param(group[0], "files")),
                    word(str(len(group))),
                ),
            )
        )
        at = size_kb(group[0])
        series.setdefault(f"MTU {mtu}", []).append((at, ours.value, ours.lo, ours.hi))
        if speed:
            theirs = (at, float(speed), float(speed), float(speed))
            series.setdefault(f"MTU {mtu}, published", []).append(theirs)
    if not rows:
        return None
    head = heads(
        "Write", "MTU", "Published s of 1000 (PB)", "Ours s of 1000 (PM)", "Published KB/s (PB)",
        "Ours KB/s (PM)", "Interval", "Ratio (PM)", "Writes a trial", "n",
    )  # fmt: skip
    plot = Plot("lines", "Rx writes, guest to guest", "KB/s",
                tuple((name, tuple(points)) for name, points in series.items()),
                x_title="KB a write")  # fmt: skip
    notes = (
        "One write after the other. Seconds are those of 1000 writes, from as many as a trial has."
        " Beyond 96 KB the report's test hung and prints nothing.",
        source_note(3),
    )
    return Table("rx", "Table 3: Rx writes",
                 (Section("head", (head,)), Section("body", tuple(rows))), notes, plots=(plot,),
                 keys=1)  # fmt: skip


def _lines(groups: Sequence[Group]) -> list[Line]:
    """The line of each round of trials, over the sizes that the report has too."""
    rounds: dict[int, list[tuple[float, float]]] = {}
    for group in groups:
        for cost in group:
            took = thousand_s(cost)
            if took is not None and param(cost, "row"):
                points = rounds.setdefault(cost.trial.pair, [])
                points.append((size_kb(cost), took.value / WRITES))
    most = max((len(points) for points in rounds.values()), default=0)
    made = (fit(points) for points in rounds.values() if len(points) == most)
    return [line for line in made if line is not None]


def _middle(values: Sequence[float], unit: str) -> tuple[Cell, Cell]:
    e = mean_estimate(values)
    at = min(places(e), 3)
    return known(e, unit, "(PM)", most=3), interval_cell(e, at, unit, "(PM)")


def fit_table(found: Iterable[TrialCost]) -> Table | None:
    """What a call and what a KB takes by the line through Table 3, published and ours; None
    without two sizes."""
    groups = _in_order(found)
    rows, beyond = [], []
    for mtu in dict.fromkeys(param(g[0], "case_mtu") for g in groups):
        mine = [g for g in groups if param(g[0], "case_mtu") == mtu]
        lines = _lines(mine)
        theirs = fit([
            (float(r["write_size"].split()[0]), float(r[f"mtu{mtu}_elapsed_s"]) / WRITES)
            for r in published(PUBLISHED[3]).rows
        ])  # fmt: skip
        if not lines or theirs is None:
            continue
        call = _middle([1000 * line.call_s for line in lines], "ms")
        kilobyte = _middle([1000 * line.kb_s for line in lines], "ms")
        slope = mean_estimate([line.kb_s for line in lines]).value
        rows.append(
            Row(
                mtu,
                (
                    printed(1000 * theirs.call_s, 1, "ms", "(PB)"),
                    *call,
                    printed(1000 * theirs.kb_s, 2, "ms", "(PB)"),
                    *kilobyte,
                    printed(1 / theirs.kb_s, 0, "KB/s", "(PB)"),
                    printed(1 / slope, 0, "KB/s", "(PM)"),
                    word(str(len(lines))),
                ),
            )
        )
        line = Line(mean_estimate([x.call_s for x in lines]).value, slope)
        for group in mine:
            if not param(group[0], "row"):
                at = size_kb(group[0])
                off = estimate(group, thousand_s).value / WRITES / line.seconds(at) - 1
                beyond.append(f"{at:g} KB at MTU {mtu} {100 * off:+.0f} %")
    if not rows:
        return None
    head = heads(
        "MTU", "Published ms a call (PB)", "Ours ms a call (PM)", "Interval",
        "Published ms a KB (PB)", "Ours ms a KB (PM)", "Interval", "Published KB/s at most (PB)",
        "Ours KB/s at most (PM)", "Rounds",
    )  # fmt: skip
    notes = [
        "elapsed = calls x (a + b x size): a is a call's, b a KB's; the least squares of relative"
        " errors over the sizes that the report has, of each round of trials, and the median of"
        " those; the most that the line allows is 1 / b."
    ]
    if beyond:
        notes.append(f"Beyond 96 KB, time against that line: {', '.join(beyond)}.")
    return Table("fit", "Table 3: what a call and a KB takes",
                 (Section("head", (head,)), Section("body", tuple(rows))), tuple(notes),
                 keys=1)  # fmt: skip


def _per_call(name: str) -> Measure:
    """A count of RXPERF's for each call."""

    def measure(cost: TrialCost) -> Figure | None:
        record = next((r for r in cost.trial.records if r.kind == "rxperf"), None)
        if record is None:
            return None
        calls = record.value("calls").value
        return Figure(record.value(name).value / calls, Unit.COUNT, (Source.PM,))

    return measure


def packets_table(found: Iterable[TrialCost]) -> Table | None:
    """What went over the wire for a call, so that an MTU's effect can be told; None without
    trials."""
    rows = []
    for group in _in_order(found):
        parts = [p.label for p in group[0].parts]
        counted = [p.instructions for c in group for p in c.parts]
        if not parts or any(c is None for c in counted):
            continue
        rows.append(
            Row(
                f"{size_kb(group[0]):g} K",
                (
                    word(param(group[0], "case_mtu")),
                    cell(group, _per_call("sent"), "count"),
                    cell(group, _per_call("acks_received"), "count"),
                    cell(group, _per_call("again"), "count"),
                    cell(group, _instructions_a_call, "instr"),
                ),
            )
        )
    if not rows:
        return None
    head = heads(
        "Write", "MTU", "Packets sent a call (PM)", "Acknowledgements a call (PM)",
        "Sent again a call (PM)", "Instructions a call, both guests (IC)",
    )  # fmt: skip
    return Table("packets", "Table 3: packets and instructions of a call",
                 (Section("head", (head,)), Section("body", tuple(rows))), (), keys=1)  # fmt: skip


def hang_table(found: Iterable[TrialCost]) -> Table | None:
    """What became of writes under a rule that hangs; None without such a trial."""
    rows = []
    for cost in found:
        for r in cost.trial.records:
            if r.kind == "hang":
                seconds = r.value("elapsed").to(Unit.S).value
                cells = (
                    word(param(cost, "held")),
                    printed(seconds, 3, "s", "(PM)"),
                    printed(r.value("calls").value, 0, "count", "(PM)"),
                    word(r.word("ended")),
                )
                rows.append(Row(f"{r.value('size').value / 1024:g} K", cells))
    if not rows:
        return None
    head = heads("Write", "Packets that are held", "Seconds (PM)", "Writes done (PM)", "Ended")
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
    return Table("hang", "Table 3: above 96 KB under a rule that hangs",
                 (Section("head", (head,)), Section("body", tuple(rows))), notes,
                 keys=1)  # fmt: skip


def _instructions_a_call(cost: TrialCost) -> Figure | None:
    counts = [p.instructions for p in cost.parts]
    calls = int(param(cost, "files"))
    there = [c for c in counts if c is not None]
    if len(there) != len(counts):
        return None
    total, tick = sum(c.value for c in there), sum(c.tick for c in there)
    return Figure(total / calls, Unit.INSTR, (Source.IC,), tick / calls)
