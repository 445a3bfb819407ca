# SPDX-License-Identifier: MIT
"""The cost of a kilobyte and the size of the code by commit: the steps, the releases, the commits
without a cost, all commits, plots."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vmkb.accounting.digits import bare, fixed
from vmkb.accounting.shown import cut
from vmkb.accounting.tables.table import (
    Cell,
    Plot,
    Row,
    Section,
    Table,
    header,
    printed,
    without_empty,
    word,
)

SOURCE = "(IC/FT)"
SUBJECT, WHY, SHORT = 72, 160, 14
"""Characters of a commit's subject and of a reason in a table, and of a version at a plot."""
COSTS = "us/KB", "Change %", "TCPIP us/KB"
SIZES = "Text bytes", "Data bytes", "Bss bytes"
BYTES = "bytes"
NONE = None, None, None
Series = tuple[tuple[str, tuple[tuple[float, float, float, float], ...]], ...]


@dataclass(frozen=True)
class Point:
    """A commit: its full name, date and first line; usec per KB of all machines and of TCPIP, or
    why it has no cost; a digest of its program, its bytes of text, data and bss; tags."""

    commit: str
    date: str
    subject: str
    total: float | None
    part: float | None
    program: str
    why: str = ""
    sizes: tuple[int, int, int] | None = None
    tags: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """Ten digits of its name."""
        return self.commit[:10]

    @property
    def page(self) -> str:
        """The page that tells of it if it is a step."""
        return f"step-{self.short}.html"


class Change(NamedTuple):
    """A commit's cost over that of the last commit with a cost, BEFORE, less 1. same: its program
    is that commit's. The first commit has no change."""

    point: Point
    value: float | None = None
    same: bool = False
    before: Point | None = None

    @property
    def bytes(self) -> int | None:
        """By how many bytes its text is larger."""
        if self.before is None or self.before.sizes is None or self.point.sizes is None:
            return None
        return self.point.sizes[0] - self.before.sizes[0]


def changes(points: Sequence[Point]) -> list[Change]:
    """A change for each of POINTS, oldest first."""
    made = []
    last: Point | None = None
    for point in points:
        if point.total is None or last is None or last.total is None:
            made.append(Change(point))
        else:
            same = point.program == last.program
            made.append(Change(point, point.total / last.total - 1, same, last))
        last = point if point.total is not None else last
    return made


def steps(points: Sequence[Point], threshold: float) -> list[Change]:
    """The changes of POINTS by more than THRESHOLD, a part of the cost, oldest first."""
    return [c for c in changes(points) if c.value is not None and abs(c.value) > threshold]


def tables(points: Sequence[Point], case: str, threshold: float, sized: str) -> list[Table]:
    """The steps beyond THRESHOLD with the plots, the releases, the commits without a cost, and all
    commits. SIZED: what their sizes are of."""
    found = changes(points)
    beyond = steps(points, threshold)
    title = f"{case}: CPU per KB by commit"
    note = (
        f"A step is a change of more than {100 * threshold:g} % from the last commit before it"
        " that has a cost. Each commit has one build and one trial on virtual time. A trial of the"
        " same program repeats exactly; the compiler arranges every other program anew, so a small"
        " step can be the compiler's."
    )
    bytes_note = (
        f"Bytes are those of {sized}: text with constants, data with values, bss that begins as"
        " zeros."
    )
    made = [
        Table("steps", f"{title}: steps", (
            header("Step", ("Commit", "Date", "Subject", *COSTS, "Text change")),
            Section("body", tuple(
                Row(str(n), (*what(c.point), *_costs(c), _more(c.bytes)), c.point.page)
                for n, c in enumerate(beyond, start=1)
            ) or (Row("none", (word(""),) * 7),)),
        ), (note, bytes_note), (_plot(points, beyond, title),), keys=3),
        _releases(points, beyond, sized),
    ]  # fmt: skip
    failed = [c.point for c in found if c.point.total is None]
    if failed:
        rows = tuple(Row(p.short, (word(p.date), word(cut(p.why, WHY)))) for p in failed)
        head = header("Commit", ("Date", "Why"))
        made.append(
            Table("failed", "Commits without a cost", (head, Section("body", rows)), keys=2)
        )
    head = header("Commit", ("Date", "Subject", *COSTS, *SIZES))
    rows = tuple(
        Row(c.point.short, (*what(c.point)[1:], *_costs(c), *sizes(c.point))) for c in found
    )
    same = "=: the same program as the last commit with a cost."
    made.append(
        Table("trail", "All commits", (head, Section("body", rows)), (same, bytes_note), keys=2)
    )
    return [without_empty(table) for table in made]


def _releases(points: Sequence[Point], beyond: Sequence[Change], sized: str) -> Table:
    """The cost by release: of the first commit, of those that have tags, and of the last one; with
    the plot of sizes."""
    chosen = [p for p in points if p.tags or p in (points[0], points[-1])]
    page = {c.point.commit: c.point.page for c in beyond}
    rows = tuple(
        Row(cut(", ".join(c.point.tags), SUBJECT) or c.point.short,
            (*what(c.point)[:2], *_costs(c), *sizes(c.point), _more(c.bytes)),
            page.get(c.point.commit, ""))
        for c in changes(chosen)
    )  # fmt: skip
    head = header("Release", ("Commit", "Date", *COSTS, *SIZES, "Text change"))
    note = (
        "A change is from the release in the line above. A release stands at the last commit up to"
        " its tag that changes a linked file."
    )
    body = Section("body", rows)
    return Table("releases", "By release", (head, body), (note,), _sizes(points, sized), keys=2)


def what(point: Point) -> tuple[Cell, Cell, Cell]:
    """Commit, date, subject."""
    return word(point.short), word(point.date), word(cut(point.subject, SUBJECT))


def _costs(change: Change) -> tuple[Cell, Cell, Cell]:
    """Cost, change, TCPIP's part."""
    return cost(change.point.total), percent(change), cost(change.point.part)


def sizes(point: Point) -> tuple[Cell, ...]:
    """Text, data and bss of POINT."""
    return tuple(word("-") if n is None else Cell(f"{n}", n, BYTES) for n in point.sizes or NONE)


def _more(count: int | None) -> Cell:
    return word("") if count is None else Cell(f"{count:+}" if count else "0", count, BYTES)


def cost(value: float | None) -> Cell:
    """A cost of VALUE."""
    return word("-") if value is None else printed(value, "us/KB", SOURCE)


def percent(change: Change) -> Cell:
    """CHANGE with its sign."""
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
    return _by_commit(
        points, title, "us/KB", (("commits", line), ("steps", marked), ("no cost", failed))
    )


def _sizes(points: Sequence[Point], sized: str) -> tuple[Plot, ...]:
    """The plot of the code's size, if any is known."""
    kb = ((float(n), sum(p.sizes[:2]) / 1024) for n, p in enumerate(points) if p.sizes)
    line = tuple((n, size, size, size) for n, size in kb)
    title = f"Text and data of {sized} by commit"
    found = _by_commit(points, title, "KB", (("commits", line), ("steps", ()), ("no cost", ())))
    return (found,) if line else ()


def _by_commit(points: Sequence[Point], title: str, unit: str, series: Series) -> Plot:
    names = tuple(f"{p.date} {p.short} {cut(p.subject, SUBJECT)}" for p in points)
    marks = tuple((n, version(p.tags[-1])) for n, p in enumerate(points) if p.tags)
    return Plot(
        "trail", title, unit, series, x_title="commits, oldest first", names=names, marks=marks
    )


def version(tag: str) -> str:
    """The version that TAG names, such as 2.1.0 of STABLE-2_1_0_RELEASE; TAG's beginning if it
    names none."""
    found = re.search(r"\d+([._]\d+)+([._-]?rc\d+)?", tag, re.IGNORECASE)
    return found[0].replace("_", ".")[:SHORT] if found else tag[:SHORT]


def sentence(points: Sequence[Point], case: str, threshold: float, sized: str) -> str:
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
    if first.sizes and last.sizes:
        said += f" The text of {sized} went from {first.sizes[0]} to {last.sizes[0]} bytes."
    return said + (f" {failed} {'has' if failed == 1 else 'have'} no cost." if failed else "")
