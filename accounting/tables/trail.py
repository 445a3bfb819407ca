# SPDX-License-Identifier: MIT
"""The cost of a kilobyte by commit: the steps, the commits without a cost, all commits, a plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vmkb.accounting.digits import bare, fixed
from vmkb.accounting.tables.table import Cell, Plot, Row, Section, Table, header, printed, word

SOURCE = "(IC/FT)"
SUBJECT = 56
"""Characters of a commit's subject, and of a reason, in a table."""


@dataclass(frozen=True)
class Point:
    """A commit: its full name, date and first line; usec per KB of all machines and of TCPIP, or
    why it has no cost; a digest of its program, and its bytes of text, data and bss."""

    commit: str
    date: str
    subject: str
    total: float | None
    part: float | None
    program: str
    why: str = ""
    sizes: tuple[int, int, int] | None = None

    @property
    def short(self) -> str:
        """Ten digits of its name."""
        return self.commit[:10]


class Change(NamedTuple):
    """A commit's cost over that of the last commit with a cost, less 1. same: its program is
    that commit's; before: its full name. The first commit has no change."""

    point: Point
    value: float | None = None
    same: bool = False
    before: str = ""


def changes(points: Sequence[Point]) -> list[Change]:
    """A change for each of POINTS, oldest first."""
    made = []
    last: Point | None = None
    for point in points:
        if point.total is None or last is None or last.total is None:
            made.append(Change(point))
        else:
            same = point.program == last.program
            made.append(Change(point, point.total / last.total - 1, same, last.commit))
        last = point if point.total is not None else last
    return made


def steps(points: Sequence[Point], threshold: float) -> list[Change]:
    """The changes of POINTS by more than THRESHOLD, a part of the cost, oldest first."""
    return [c for c in changes(points) if c.value is not None and abs(c.value) > threshold]


def tables(points: Sequence[Point], case: str, threshold: float) -> list[Table]:
    """The steps beyond THRESHOLD with the plot, the commits without a cost, and all commits."""
    found = changes(points)
    numbered = {c.point.commit: n for n, c in enumerate(steps(points, threshold), start=1)}
    beyond = [c for c in found if c.point.commit in numbered]
    title = f"{case}: CPU per KB by commit"
    note = (
        f"A step is a change of more than {100 * threshold:g} % from the last commit before it"
        " that has a cost. Each commit has one build and one trial on virtual time. A trial of the"
        " same program repeats exactly; the compiler arranges every other program anew, so a small"
        " step can be the compiler's."
    )
    made = [
        Table("steps", f"{title}: steps", (
            header("Step", ("Commit", "Date", "Subject", "us/KB", "Change %", "TCPIP us/KB")),
            Section("body", tuple(
                Row(str(numbered[c.point.commit]), _cells(c)) for c in beyond
            )),
        ), (note,), (_plot(points, beyond, title),), keys=3),
    ]  # fmt: skip
    failed = [c.point for c in found if c.point.total is None]
    if failed:
        rows = tuple(Row(p.short, (word(p.date), word(p.why[:SUBJECT]))) for p in failed)
        head = header("Commit", ("Date", "Why"))
        made.append(
            Table("failed", "Commits without a cost", (head, Section("body", rows)), keys=2)
        )
    head = header("Commit", ("Date", "Subject", "us/KB", "Change %", "TCPIP us/KB"))
    rows = tuple(Row(c.point.short, _cells(c)[1:]) for c in found)
    same = "=: the same program as the last commit with a cost."
    made.append(Table("trail", "All commits", (head, Section("body", rows)), (same,), keys=2))
    return made


def _cells(change: Change) -> tuple[Cell, ...]:
    """Commit, date, subject, cost, change, TCPIP's part."""
    point = change.point
    return (
        word(point.short), word(point.date), word(point.subject[:SUBJECT]),
        _cost(point.total), _percent(change), _cost(point.part),
    )  # fmt: skip


def _cost(value: float | None) -> Cell:
    return word("-") if value is None else printed(value, "us/KB", SOURCE)


def _percent(change: Change) -> Cell:
    if change.value is None:
        return word("")
    if change.same:
        return word("=")
    text = fixed(100 * change.value, 2)
    return Cell(text if text.startswith("-") else f"+{text}", 100 * change.value, "%", SOURCE)


def _plot(points: Sequence[Point], beyond: Sequence[Change], title: str) -> Plot:
    places = {p.commit: float(n) for n, p in enumerate(points)}
    line = tuple(
        (places[p.commit], p.total, p.total, p.total) for p in points if p.total is not None
    )
    marked = tuple(
        (places[c.point.commit], t, t, t) for c in beyond if (t := c.point.total) is not None
    )
    failed = tuple((places[p.commit], 0.0, 0.0, 0.0) for p in points if p.total is None)
    names = tuple(f"{p.date} {p.short} {p.subject}" for p in points)
    return Plot(
        "trail", title, "us/KB", (("commits", line), ("steps", marked), ("no cost", failed)),
        x_title="commits, oldest first", names=names,
    )  # fmt: skip


def sentence(points: Sequence[Point], case: str, threshold: float) -> str:
    """The change from the first commit to the last, in words."""
    known = [p for p in points if p.total is not None]
    if not known:
        return f"{case}: none of {len(points)} commits has a cost."
    first, last = known[0], known[-1]
    assert first.total is not None and last.total is not None
    failed = len(points) - len(known)
    beyond = steps(points, threshold)
    said = (
        f"{case}: from {first.short} ({first.date}) to {last.short} ({last.date}) a kilobyte went"
        f" from {bare(first.total)} to {bare(last.total)} us of CPU,"
        f" {100 * (last.total / first.total - 1):+.2f} %. {len(points)} commits were measured, with"
        f" {len({p.program for p in known})} different programs; {len(beyond)} changed the cost by"
        f" more than {100 * threshold:g} %."
    )
    return said + (f" {failed} {'has' if failed == 1 else 'have'} no cost." if failed else "")
