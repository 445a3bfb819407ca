# SPDX-License-Identifier: MIT
"""Tables of what the host's timing does to a guest's count, and of counts at equally many events.
Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import NamedTuple

from accounting.costs import costs
from accounting.models import model
from accounting.records import Source
from accounting.stats import Estimate, StatsError, median, median_estimate, places, ratio_of_counts
from accounting.store import Trial
from accounting.tables.group import TOTAL, Column, columns, instr_kb
from accounting.tables.table import (
    Cell,
    Row,
    Section,
    Table,
    fixed,
    interval_cell,
    known,
    ratio_cell,
    word,
)
from workloads.serve.levelled import Observed, levelled, open_by, prices, widened
from workloads.serve.levels import where_known
from workloads.serve.reading import EVENTS
from workloads.serve.tables import TARGET, titles_of

_MEASURE = instr_kb(TOTAL)
_HEADS = (
    "Serves", "As it came (IC/FT)", "Half %", "Evened (IC/FT)", "Interval", "Half %",
    "Ratio (IC/FT)", "Interval", "User mode (IC/FT)", "By the clock (IC/FT)",
    "Channel per MB", "Switches per MB", "Softirqs per MB", "Sent per MB", "Taken in per MB",
    "n",
)  # fmt: skip


_TOLD = ("channel", "switches", "softirqs", "sent", "taken in")
"""The kinds of events that have a column."""
_PRICED = ("channel", "switches", "sent", "taken in")
"""Those that have a price. What softirqs do comes with the others; an interruption of the clock
costs less in a program that works than what is taken off for it, an idle one."""
_ONE = {"switches": "switch"}
_SENT, _SWITCH = _PRICED.index("sent"), _PRICED.index("switches")
WINDOW_KB = 64
"""What a client takes without an acknowledgement, here."""


def _own(trial: Trial) -> tuple[int, ...]:
    """The kinds that are levelled within a system, as how many there are is its own doing. In a put
    what it sends are acknowledgements; in a get how many pieces TCP sends follows from how the
    acknowledgements come. A file that fits into the window is sent without a wait for one: then
    the switches are between the server's processes."""
    if trial.params["direction"] == "put":
        return (_SENT,)
    return (_SWITCH,) if float(trial.params["file_kb"]) <= WINDOW_KB else ()


def _kb(trial: Trial) -> float:
    return float(trial.params["file_kb"]) * int(trial.params["files"])


def _told(trial: Trial) -> dict[str, float]:
    """How many events a trial had of each kind."""
    said = {**dict.fromkeys(EVENTS, 0.0), **json.loads(trial.params["events"])}
    return {**said, "taken in": said["received"] - said["merged"]}


def _events(trial: Trial) -> tuple[float, ...]:
    """How many of each kind that has a price."""
    said = _told(trial)
    return tuple(float(said[kind]) for kind in _PRICED)


def _mine(trials: Sequence[Trial]) -> list[Column]:
    """The columns of systems that tell their events."""
    mine = [t for t in trials if t.counts and len(json.loads(t.params.get("events", "{}"))) > 1]
    return columns(costs(mine, Source.IC, model(mine[0].meta["model"]))) if mine else []


def _observed(column: Column) -> list[Observed]:
    return [
        Observed(column.case, per_kb * _kb(c.trial), _events(c.trial), c.trial.params["direction"])
        for c, per_kb in zip(column.trials, column.values(_MEASURE), strict=True)
    ]


def _by_release(found: Sequence[Column]) -> dict[str, list[Observed]]:
    made: dict[str, list[Observed]] = {}
    for column in found:
        made.setdefault(column.release, []).extend(_observed(column))
    return made


class Evened(NamedTuple):
    """Instructions per KB of each trial at the case's usual numbers of events, and within how many
    all of the case's are known by the prices of events and of an idle clock (two standard
    errors)."""

    trials: list[float]
    open: float

    @property
    def estimate(self) -> Estimate:
        """Their median."""
        return widened(median_estimate(self.trials), self.open)

    def ratio(self, base: Evened) -> Estimate | None:
        """To BASE; None if there are too few trials for one."""
        try:
            found = ratio_of_counts(base.trials, self.trials)
        except StatsError:
            return None
        part = math.hypot(*(each.open / median(each.trials) for each in (base, self)))
        return widened(found, found.value * part)


def _evened(found: Sequence[Column]) -> dict[tuple[str, str], Evened]:
    """By case and release; without those of which there are too few."""
    observed_of = _by_release(found)
    own = {c.case: _own(c.trials[0].trial) for c in found}
    usual = where_known(list(observed_of.values()), own)
    made: dict[tuple[str, str], Evened] = {}
    for release, observed in observed_of.items():
        mine = [c for c in found if c.release == release]
        kept = {c.case: _at_its_own(c, own[c.case]) for c in mine}
        at = {
            c.case: [kept[c.case][kind].value if kind in kept[c.case] else n
                     for kind, n in enumerate(usual[c.case])]
            for c in mine
        }  # fmt: skip
        even = levelled(observed, at)
        if even is None:
            continue
        left, errors, told = iter(even), open_by(observed, at), prices(observed)
        for column in mine:
            kb = [_kb(c.trial) for c in column.trials]
            clock = median([f.step for f in column.figures(_MEASURE)])
            direction = column.trials[0].trial.params["direction"]
            each = told[direction if direction in told else ""]
            moved = [
                math.hypot(each[kind].each, each[kind].error) * (typical.hi - typical.lo) / 2
                for kind, typical in kept[column.case].items()
            ]
            made[column.case, release] = Evened(
                [next(left) / kilobytes for kilobytes in kb],
                math.hypot(clock, *(x / median(kb) for x in (2 * errors[column.case], *moved))),
            )
    return made


def _at_its_own(column: Column, kinds: tuple[int, ...]) -> dict[int, Estimate]:
    """The typical number of events of KINDS in a case of one system."""
    return {kind: median_estimate([_events(c.trial)[kind] for c in column.trials])
            for kind in kinds}  # fmt: skip


def even_estimates(trials: Sequence[Trial]) -> dict[tuple[str, str], Estimate]:
    """The evened instructions per KB with their interval, by case and release, where there are
    enough trials for that."""
    return {key: mine.estimate for key, mine in _evened(_mine(trials)).items()}


def _half(e: Estimate) -> Cell:
    return Cell(fixed(e.half_width_percent, 2), e.half_width_percent, "%", "")


def even_table(trials: Sequence[Trial]) -> Table | None:
    """Instructions per KB as they came, and as they would be had each trial of a case had the same
    numbers of interruptions, switches, softirqs, packets sent and segments taken in."""
    found = _mine(trials)
    even = _evened(found)
    titles = titles_of(trials)
    first: dict[str, str] = {}
    rows = []
    for column in found:
        mine = even.get((column.case, column.release))
        if mine is None:
            continue
        came, own = column.estimate(_MEASURE), mine.estimate
        cells = [
            word(titles[column.release]),
            known(came, "instr/KB", "(IC/FT)"), _half(came),
            known(own, "instr/KB", "(IC/FT)", target=TARGET),
            interval_cell(own, places(own), "instr/KB", "(IC/FT)"), _half(own),
        ]  # fmt: skip
        base = first.setdefault(column.case, column.release)
        other = None if base == column.release else mine.ratio(even[column.case, base])
        if other is None:
            cells += [word("1.000" if base == column.release else "-"), word("")]
        else:
            cells += [ratio_cell(other, "(IC/FT)"), interval_cell(other, 4, "ratio", "(IC/FT)")]
        users = [float(c.trial.params.get("user_instr", 0)) / _kb(c.trial) for c in column.trials]
        told = median_estimate(users)
        cells.append(known(told, "instr/KB", "(IC/FT)") if min(users) > 0 else word("-"))
        clock = median([float(c.trial.params["by_clock"]) / _kb(c.trial) for c in column.trials])
        cells.append(Cell(fixed(clock, 0), clock, "instr/KB", "(IC/FT)"))
        for kind in _TOLD:
            per_mb = [1024 * _told(c.trial)[kind] / _kb(c.trial) for c in column.trials]
            lo, hi = min(per_mb), max(per_mb)
            cells.append(Cell(f"{fixed(lo, 0)}..{fixed(hi, 0)}", median(per_mb), "1/MB", "(IC)"))
        cells.append(word(str(len(column.trials))))
        rows.append(Row(column.case, tuple(cells)))
    if not rows:
        return None
    head = Section("head", (Row("Case", tuple(map(word, _HEADS))),))
    notes = (
        "How many packets go into a block, and so how often the channel interrupts, processes"
        " change and work is put off, follows from how fast the host runs the other side. Evened:"
        " what the trials would have cost had each of a case had the same numbers of events, at the"
        " prices of the table below, each trial with prices told by the others; these numbers lie"
        " between the systems' medians, where all are known best. Each system keeps its own median"
        " of a put's acknowledgements, and of the switches of a get of files that fit into the"
        " window: these are its own doing. What the prices leave open of the"
        " whole case (two standard errors) is in the interval, and is much where systems need"
        " different numbers of events. What a system does about the same"
        " packets is in it; that it needs more or fewer events for them is not, and is in the first"
        " figure.",
        "Sent: what was handed to IP, several segments at once or one. Taken in: what came for TCP,"
        " less the segments that it put together with others, while a program had the connection,"
        " before it looked at them.",
        "User mode: what programs executed in problem state, as the counting emulator counts it:"
        " the FTP server's own, and a shell that waits. All the rest is the kernel's.",
        "By the clock: interruptions of the clock times what one of them costs when nothing else is"
        " done; it is in neither figure. These kernels tick 250 times a second also when idle.",
        f"! is wider than {TARGET:g} %, ~ covers 1.",
    )
    title = "The same, at equally many events"
    return Table("even", title, (head, Section("body", tuple(rows))), notes, keys=1)


def price_table(trials: Sequence[Trial]) -> Table | None:
    """What an event costs each system, over all of its cases of one direction."""
    found = _mine(trials)
    titles = titles_of(trials)
    even = _evened(found)
    rows = []
    for release, observed in _by_release(found).items():
        told = prices(observed)
        if not told:
            continue
        left = []
        for column in found:
            if column.release == release:
                mine = even[column.case, release].trials
                left += [abs(x / median(mine) - 1) for x in mine]
        serves = titles[release]
        for direction, each in told.items():
            for kind, price in zip(_PRICED, each, strict=True):
                error = 2 * price.error
                rows.append(Row(serves, (
                    word(direction or "all"), word(_ONE.get(kind, kind)),
                    Cell(fixed(price.each, 0), price.each, "instr", "(IC)"),
                    Cell(f"+/- {fixed(error, 0)}", error, "instr", "(IC)"),
                )))  # fmt: skip
        worst = 100 * (sorted(left)[math.ceil(0.9 * len(left)) - 1])
        rows.append(Row(serves, (
            word("all"), word("left over in nine of ten trials, %"),
            Cell(fixed(worst, 2), worst, "%", ""), word(""),
        )))  # fmt: skip
    if not rows:
        return None
    head = Section("head", (Row("Serves", (word("In trials"), word("An event"),
                                           word("Instructions (IC)"), word("")),),))  # fmt: skip
    notes = (
        "Least squares over a system's trials of one direction (of both, if they are few), each"
        " against the mean of its case; +/- is twice the standard error (jackknife), and none is"
        " below nothing. Events come with others: the prices say what a trial with more of them"
        " cost, not what the code of one is.",
    )
    title = "What an event costs"
    return Table("prices", title, (head, Section("body", tuple(rows))), notes, keys=1)
