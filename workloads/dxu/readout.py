# SPDX-License-Identifier: MIT
"""Reading a trial: records for the tables, and whether to trust them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vmkb.accounting.costs import took
from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Record, Source, Unit, Value, Where
from vmkb.accounting.units import add
from vmkb.workloads.base import accounts, readout
from vmkb.workloads.base.accounts import SYSTEM, do_not_add_up
from vmkb.workloads.base.readout import not_sampled, of_guest, read_console
from vmkb.workloads.dxu.content import DONE, SENDERS, SERVERS, asked
from vmkb.workloads.dxu.plan import Kind

DAY_S = 86_400.0

_METER_KINDS = (*readout.KINDS, *accounts.KINDS)
_LABELS = {SYSTEM: "System"}
_STUCK = -7
"""RXPERF's code for calls of which none ended in LIMIT seconds."""


@dataclass(frozen=True)
class Said:
    """A text of a trial, and the file it is kept in."""

    text: str
    file: str


@dataclass(frozen=True)
class Work:
    """The work of a trial: bytes moved and the time that took, and the records that say so."""

    data: Value | None
    elapsed: Value | None
    records: tuple[Record, ...]
    broken: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fetched:
    """The fetch of one workstation: seconds by its own clock, and whether every byte was right."""

    client: str
    seconds: float
    size: int
    right: bool


@dataclass(frozen=True)
class Meter:
    """The accounts of a guest before and after a trial, its machines called `GUEST USERID`; what is
    broken; why not to trust them; and the machines that took part, with what a table calls them."""

    records: tuple[Record, ...]
    broken: tuple[str, ...]
    doubts: tuple[str, ...]
    parts: tuple[tuple[str, str], ...]


def read_meter(
    said: Said, guest: str, kind: Kind, users: Sequence[str], serves: bool, trial: str,
    others: Sequence[str] = (),
) -> Meter:  # fmt: skip
    """The answers to the meter of GUEST in a trial of KIND, in which USERS of that guest sent, and
    in which it SERVES others or not. OTHERS are machines that took no part, whose accounts are
    kept all the same."""
    read, broken = read_console(said.text.encode(), said.file, trial, _METER_KINDS)
    mine = [r for r in read if r.kind == "connect"]
    away = {*SENDERS, SERVERS[kind]} - {*users, *([SERVERS[kind]] if serves else [])}
    there = [user for user in asked(kind) if user not in away]
    broken += not_sampled((r for r in mine if _whose(r) in there), there)
    books = (
        r._replace(fields={**r.fields, "userid": f"{guest.upper()} {r.word('userid')}"})
        for r in read
        if r.kind == "acnt" and r.word("userid") in (*there, *others)
    )
    sums = (r for r in read if r.kind == "acnt_sum")
    records = (*of_guest(guest.upper(), (r for r in mine if _whose(r) in there)), *books, *sums)
    parts = tuple((u, _LABELS.get(u, "sender" if u in SENDERS else u)) for u in there)
    return Meter(records, tuple(broken), tuple(do_not_add_up(read)), parts)


def _whose(record: Record) -> str:
    return record.word("userid") or record.origin


def read_transfers(
    said: Mapping[str, Said], senders: Sequence[tuple[str, str]], size: int, files: int, trial: str
) -> Work:
    """The transfers of SENDERS (guest, user) in what each guest's console SAID: each of them sent
    FILES of SIZE bytes, all at once; so bytes add up and the longest time is taken."""
    found: list[Record] = []
    broken: list[str] = []
    spans: list[Value] = []
    for guest, user in senders:
        text = said[guest].text
        read, wrong = read_console(text.encode(), said[guest].file, trial, ("ftp_transfer",))
        broken += wrong
        mine = [r._replace(origin=f"{guest} {user}") for r in read if r.origin == user]
        sizes = [int(r.value("bytes").value) for r in mine]
        if sizes != [size] * files:
            broken.append(f"{guest} {user} moved {sizes} bytes, not {files} times {size}")
            continue
        ended = re.search(rf"DXU {trial} {user} {DONE}(-?\d+)", text)
        if ended is None or ended[1] != "0":
            broken.append(f"the procedure of {guest} {user} did not end well")
        spans.append(add(took(r) for r in mine))
        found += mine
    if broken:
        return Work(None, None, (), tuple(broken))
    data = add(r.value("bytes") for r in found)
    return Work(data, max(spans, key=lambda v: v.value), tuple(found))


def read_loopback(said: Said, size: int, files: int, trial: str) -> Work:
    """The work that a guest's own client SAID of FILES transfers of SIZE bytes to itself, one after
    the other."""
    read, broken = read_console(said.text.encode(), said.file, trial, ("ftp_transfer",))
    sizes = [int(r.value("bytes").value) for r in read]
    if sizes != [size] * files:
        broken.append(f"the guest moved {sizes} bytes through loopback, not {files} times {size}")
    if broken:
        return Work(None, None, (), tuple(broken))
    return Work(add(r.value("bytes") for r in read), add(map(took, read)), read)


def read_calls(said: Said, size: int, calls: int, trial: str) -> Work:
    """The work that RXPERF SAID of CALLS writes of SIZE bytes."""
    read, broken = read_console(said.text.encode(), said.file, trial, ("rxperf",))
    if broken or len(read) != 1:
        return Work(None, None, (), tuple(broken) or ("RXPERF did not say what it did",))
    made = int(read[0].value("calls").value), int(read[0].value("size").value)
    if made != (calls, size):
        why = f"RXPERF made {made[0]} calls of {made[1]} bytes, not {calls} of {size}"
        return Work(None, None, (), (why,))
    return Work(Value(calls * size, Unit.BYTE, Source.PM), read[0].value("elapsed"), read)


def read_hang(said: Said, sizes: Sequence[int], trial: str) -> Work:
    """The records of what RXPERF SAID of a write of each of SIZES bytes under the rule that hangs:
    a `hang` record each, `ended` by itself or by LIMIT."""
    read, broken = read_console(said.text.encode(), said.file, trial, ("rxperf", "rxperf_ended"))
    made: list[Record] = []
    for number, record in enumerate(read):
        if record.kind != "rxperf":
            continue
        why = next((r for r in read[number + 1 : number + 2] if r.kind == "rxperf_ended"), None)
        stuck = why is not None and why.value("code").value == _STUCK
        calls = record.value("calls")
        if (why is not None) != stuck or (calls.value == 1) == stuck:
            continue
        fields = {name: record.value(name) for name in ("size", "elapsed", "calls")}
        ended = {"ended": "by LIMIT" if stuck else "by itself"}
        made.append(record._replace(kind="hang", fields={**fields, **ended}))
    if broken or [int(r.value("size").value) for r in made] != list(sizes):
        why_not = tuple(broken) or ("RXPERF did not say how each write ended",)
        return Work(None, None, (), why_not)
    return Work(None, None, tuple(made))


def read_fetches(found: Sequence[Fetched], size: int, raw: str, where: Where, trial: str) -> Work:
    """The work that workstations FOUND when each fetched SIZE bytes, all at once; RAW is kept at
    WHERE."""
    broken = [
        f"{f.client} got {f.size} bytes, and not those of the file"
        for f in found
        if not f.right or f.size != size
    ]
    records = tuple(
        Record(
            "fetch",
            {
                "client": f.client,
                "bytes": Value(f.size, Unit.BYTE, Source.WI),
                "elapsed": Value(round(1e6 * f.seconds), Unit.US, Source.WI, 1),
            },
            raw, where, trial=trial,
        )
        for f in found
    )  # fmt: skip
    if broken:
        return Work(None, None, (), tuple(broken))
    data = add(r.value("bytes") for r in records)
    spans = [r.value("elapsed") for r in records]
    return Work(data, max(spans, key=lambda v: v.value), records)


def read_monitor(log: str, file: str, trial: str, begun: float, ended: float) -> tuple[Record, ...]:
    """The SYSTEM lines of RTMSF's LOG of intervals that lie within the time from BEGUN to ENDED
    (seconds since midnight, UTC, as the guest's clock; a line's clock is cut to whole seconds)."""
    made = []
    for item in scan([log.encode()], file):
        if isinstance(item, Record) and item.kind == "rtm_system":
            end = float(item.value("clock").value)
            start = end - item.value("interval").to(Unit.S).value
            if (start - begun) % DAY_S < DAY_S / 2 and (ended - end) % DAY_S < DAY_S / 2:
                made.append(item._replace(trial=trial))
    return tuple(made)
