# SPDX-License-Identifier: MIT
"""Samples of a machine's CPU counters paired into intervals, with everything odd said aloud.

A sample is a CONNECT= line with the clock stamp next to it.  The counters restart at LOGON and
at ACNT (GC20-1806, ACNT; the command reference for LOGOFF), and of course at an IPL; CONNECT
may stand still at 99:59:59.  So elapsed time comes from TIME IS stamps and is checked against
CONNECT, never taken from CONNECT alone where there are stamps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta

from vmkb.accounting.records import Item, Record, Source, Text, Unit, Value

#: What VIRTCPU= and TOTCPU= can show, mmm:ss.hh. That they wrap there is inferred, not documented.
CPU_LIMIT_US = 1000 * 60 * 1_000_000
#: CONNECT= stands still here on long-running servers (seen described for z/VM, not captured).
CONNECT_CAP_US = (99 * 3600 + 59 * 60 + 59) * 1_000_000
#: Stamps and CONNECT both count whole seconds: more than this apart is a stepped clock.
CLOCK_SLACK_US = 2_000_000
DAY_US = 86_400_000_000

#: CP says DMKCPI...I when it has come up.
_IPL = re.compile(r"\bDMKCPI\d*I\b")
#: Fields of a connect record that only ever grow; the counts come with QUERY TIME (FULL.
COUNTERS = (
    "virtcpu", "totcpu",
    "virt_time", "virt_instr", "virt_moved", "virt_summed",
    "total_time", "total_instr", "total_moved", "total_summed",
    "corrections", "idle_time",
    "intr_time", "intr_instr", "intr_moved", "intr_summed",
    "clock_time", "clock_instr", "clock_moved", "clock_summed",
)  # fmt: skip

#: Counters that are a part of others.
_WITHIN = (("virtcpu", "totcpu"), ("virt_instr", "total_instr"))


@dataclass(frozen=True, slots=True)
class Sample:
    """One reading of one machine's counters. restart says what restarted them since the last."""

    machine: str
    record: Record
    at: datetime | None = None
    dated: bool = False
    restart: str = ""

    @property
    def place(self) -> str:
        """File and line, for a note."""
        return f"{self.record.where.file}:{self.record.where.line}"


@dataclass(frozen=True, slots=True)
class Interval:
    """The use of a machine between two samples.

    used: growth of each counter that both samples print (us, instr or B); since_restart:
    the same after a restart, when `valid` is False and `used` is empty.  elapsed: us, None
    if neither stamps nor CONNECT tell.
    """

    machine: str
    start: Sample
    end: Sample
    used: Mapping[str, Value]
    elapsed: Value | None
    valid: bool = True
    notes: tuple[str, ...] = ()
    since_restart: Mapping[str, Value] = field(default_factory=dict)

    @property
    def virtual(self) -> Value:
        """VIRTCPU used, in us."""
        return self.used["virtcpu"]

    @property
    def total(self) -> Value:
        """TOTCPU used, in us."""
        return self.used["totcpu"]


def _clock(text: str) -> timedelta | None:
    parts = text.split(":")
    if len(parts) != 3 or not all(len(p) <= 2 and p.isdecimal() for p in parts):
        return None
    hours, minutes, seconds = map(int, parts)
    return timedelta(hours=hours, minutes=minutes, seconds=seconds)


def _stamp(record: Record) -> datetime | None:
    """Date and time of a TIME IS, LOGON AT or LOGOFF AT record; None for what is none."""
    try:
        day = datetime.combine(date.fromisoformat(record.word("date")), time())
        return day + timedelta(seconds=float(record.value("clock").value))
    except (KeyError, ValueError, OverflowError):
        return None


def samples(items: Iterable[Item], machine: str = "") -> list[Sample]:
    """Samples in input order. MACHINE names the console's user where the text does not.

    A CONNECT= line belongs to the userid that it prints, else to the one in front of it
    (a secondary console), else to MACHINE.
    """
    found: list[Sample] = []
    clock: dict[str, datetime] = {}
    restart: dict[str, str] = {}
    ipl = 0
    seen_ipl: dict[str, int] = {}
    last: dict[str, int] = {}
    for item in items:
        if isinstance(item, Text):
            ipl += bool(_IPL.search(item.raw))
            continue
        if not isinstance(item, Record):
            continue
        user = item.word("userid") or item.origin or machine or "(console)"
        if item.kind in ("time_is", "logon", "logoff", "disconnect"):
            at = _stamp(item)
            if item.kind == "time_is" and at:
                clock[user] = at
            elif item.kind == "logon":
                restart[user] = "LOGON"
            elif item.kind == "logoff" and user in last:
                # LOGOFF prints the CONNECT= line first and its own stamp below.
                k = last[user]
                if found[k].at is None and at:
                    found[k] = replace(found[k], at=at, dated=True)
                restart[user] = "LOGOFF"
        elif item.kind == "connect":
            why = restart.pop(user, "")
            if not why and user in last and seen_ipl.get(user, 0) < ipl:
                why = "an IPL"
            seen_ipl[user] = ipl
            at, dated = clock.pop(user, None), True
            if at is None and (since := _clock(item.stamp)) is not None:
                at, dated = datetime.min + since, False
            found.append(Sample(user, item, at, dated and at is not None, why))
            last[user] = len(found) - 1
    return found


def _read(sample: Sample, name: str) -> Value | None:
    value = sample.record.fields.get(name)
    return value if isinstance(value, Value) else None


def _elapsed(a: Sample, b: Sample, notes: list[str]) -> Value | None:
    """Elapsed us from the stamps, checked against CONNECT."""
    before, after = _read(a, "connect"), _read(b, "connect")
    by_connect: float | None = None
    if before and after:
        by_connect = after.value - before.value
        if after.value >= CONNECT_CAP_US or by_connect < 0:
            by_connect = None  # capped, wrapped or restarted: no witness
    source = before.source if before else Source.QT
    by_stamp: float | None = None
    if a.at and b.at and a.dated == b.dated:
        by_stamp = (b.at - a.at) / timedelta(microseconds=1)
        if not a.dated and by_stamp < 0:
            by_stamp += DAY_US
            notes.append(f"midnight passed between {a.place} and {b.place}")
        elif a.dated and a.at.date() < b.at.date():
            notes.append(f"midnight passed between {a.place} and {b.place}")
    if by_stamp is None and by_connect is None:
        return None
    if by_stamp is None:
        assert by_connect is not None
        return Value(by_connect, Unit.US, source, 2_000_000)
    if by_connect is not None and abs(by_stamp - by_connect) > CLOCK_SLACK_US:
        step = (by_stamp - by_connect) / 1e6
        notes.append(
            f"the clock was stepped by {step:+.0f} s between {a.place} and {b.place};"
            " elapsed time is CONNECT's"
        )
        return Value(by_connect, Unit.US, source, 2_000_000)
    if by_stamp < 0:
        notes.append(f"the clock went back between {a.place} and {b.place}: no elapsed time")
        return None
    return Value(by_stamp, Unit.US, source, 2_000_000)


def _restarted(a: Sample, b: Sample) -> str:
    """Why the counters of B do not continue A's, or nothing."""
    if b.restart:
        return b.restart
    before, after = _read(a, "connect"), _read(b, "connect")
    if before is None or after is None:
        return ""
    cpu, later = _read(a, "totcpu"), _read(b, "totcpu")
    fell = cpu is not None and later is not None and later.value < cpu.value
    # A CONNECT that fell from its cap may have wrapped; CPU time that fell with it tells.
    if after.value < before.value and (before.value < CONNECT_CAP_US or fell):
        return "ACNT, or a LOGOFF and LOGON that this text does not show"
    if a.at and b.at and a.dated and b.dated and after.value < CONNECT_CAP_US:
        passed = (b.at - a.at) / timedelta(microseconds=1)
        if after.value + CLOCK_SLACK_US < passed:
            return "ACNT or a LOGON (CONNECT is younger than the previous sample)"
    return ""


def pair(a: Sample, b: Sample, engines: int = 1) -> Interval:
    """The interval from A to B of one machine, which may use ENGINES engines at once."""
    if a.machine != b.machine:
        raise ValueError(f"samples of {a.machine} and {b.machine} do not make an interval")
    notes: list[str] = []
    both = {n: (x, y) for n in COUNTERS if (x := _read(a, n)) and (y := _read(b, n))}
    if why := _restarted(a, b):
        fresh = {n: y for n in COUNTERS if (y := _read(b, n))}
        notes.append(
            f"{b.machine}: {why} restarted the counters between {a.place} and {b.place};"
            " only what was used since is known"
        )
        return Interval(b.machine, a, b, {}, None, False, tuple(notes), fresh)
    valid = True
    used: dict[str, Value] = {}
    for name, (x, y) in both.items():
        grown = y.minus(x)
        if grown.value < 0:
            if name in ("virtcpu", "totcpu") and y.value < CPU_LIMIT_US / 2 <= x.value:
                grown = grown._replace(value=grown.value + CPU_LIMIT_US)
                notes.append(f"{name.upper()} taken as wrapped at 999:59.99 before {b.place}")
            else:
                valid = False
                notes.append(
                    f"{name.upper()} went back by {-grown.value:g} {grown.unit} between {a.place}"
                    f" and {b.place} though CONNECT went on"
                )
        used[name] = grown
    if (fixed := used.get("corrections")) and fixed.value > 0:
        notes.append(
            f"{b.machine}: {fixed.value:g} readings of the instruction counter were put right"
            f" by the CPU timer between {a.place} and {b.place}"
        )
    elapsed = _elapsed(a, b, notes)
    for text in _implausible(used, elapsed, engines):
        valid = False
        notes.append(f"{text} between {a.place} and {b.place}")
    for text in (*contradictions(a), *contradictions(b)):
        valid = False
        notes.append(text)
    return Interval(b.machine, a, b, used, elapsed, valid, tuple(notes))


def _implausible(used: Mapping[str, Value], elapsed: Value | None, engines: int) -> Iterator[str]:
    """Sentences about an interval that cannot be true."""
    for low, high in _WITHIN:
        if low in used and high in used:
            virtual, total = used[low], used[high]
            # One step of each counter may have been cut off differently.
            if total.value + total.tick < virtual.value:
                yield f"{high.upper()} grew less ({total}) than {low.upper()} ({virtual})"
    total_cpu = used.get("totcpu")
    if total_cpu and elapsed and total_cpu.value > engines * elapsed.value + elapsed.tick:
        yield (
            f"TOTCPU grew by {total_cpu.value / 1e6:g} s in {elapsed.value / 1e6:g} s"
            f" on {engines} engine(s)"
        )


def between(readings: Iterable[Sample], engines: int = 1) -> list[Interval]:
    """All intervals of all machines in the READINGS, which are in input order: each between
    neighbouring samples of one machine.

    Where every machine's counters restarted in the same stretch of text, that was an IPL, and
    the notes say so.
    """
    last: dict[str, Sample] = {}
    found: list[Interval] = []
    for sample in readings:
        if sample.machine in last:
            found.append(pair(last[sample.machine], sample, engines))
        last[sample.machine] = sample
    return _name_ipl(found, len(last))


def _name_ipl(found: list[Interval], machines: int) -> list[Interval]:
    """Restarts of all machines (two or more) over one common stretch of text are one IPL."""
    restarts = [i for i in found if i.since_restart]
    begin = max((i.start.record.where.line for i in restarts), default=0)
    end = min((i.end.record.where.line for i in restarts), default=0)
    one_each = len({i.machine for i in restarts}) == len(restarts) == machines
    if machines < 2 or not one_each or begin >= end:
        return found
    said = f"every machine's counters restarted between lines {begin} and {end}: an IPL"
    return [replace(i, notes=(*i.notes, said)) if i.since_restart else i for i in found]


def contradictions(sample: Sample) -> list[str]:
    """Sentences about a sample that cannot be true: the whole is less than its part."""
    found = []
    for part, whole in _WITHIN:
        some, every = _read(sample, part), _read(sample, whole)
        if not some or not every:
            continue
        wrapped = whole == "totcpu" and every.value < CPU_LIMIT_US / 2 <= some.value
        # A step of each counter may have been cut off differently.
        if not wrapped and every.value + 2 * every.tick < some.value:
            found.append(f"{sample.place}: {whole.upper()} ({every}) is less than {part.upper()}"
                         f" ({some}), which is a part of it")  # fmt: skip
    return found
