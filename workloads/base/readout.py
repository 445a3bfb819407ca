# SPDX-License-Identifier: MIT
"""Reading a trial's transcript and the wire's counters, for every workload. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import ParseError, Record, Source, Unit, Value, Where
from vmkb.workloads.base.accounts import named

#: Records of QUERY TIME; the rest of a transcript stays in its file.
KINDS = ("time_is", "connect")

POOLS = ("netstat_pool",)
"""Records of how much of its storage TCP/IP had in use."""


def read_console(
    transcript: bytes, file: str, trial: str, kinds: Collection[str] = KINDS
) -> tuple[tuple[Record, ...], list[str]]:
    """The records of KINDS in a TRANSCRIPT that is kept in FILE, and what could not be read."""
    items = list(scan([transcript], file))
    found = (i for i in items if isinstance(i, Record) and i.kind in kinds)
    broken = [str(i) for i in items if isinstance(i, ParseError)]
    return tuple(named(r)._replace(trial=trial) for r in found), broken


def of_guest(name: str, records: Iterable[Record]) -> tuple[Record, ...]:
    """The samples among RECORDS of the guest NAME: its machines are called `NAME USERID`, since
    other guests have machines of the same names."""
    mine = (r for r in records if r.kind == "connect")
    return tuple(
        r._replace(fields={**r.fields, "userid": f"{name} {r.word('userid')}"}) for r in mine
    )


def not_sampled(records: Iterable[Record], users: Iterable[str], asker: str = "") -> list[str]:
    """A sentence for each of USERS that was not asked twice, with counts. The ASKER's own answers
    name nobody."""
    asked = [r for r in records if r.kind == "connect"]
    said = []
    for user in users:
        mine = [r for r in asked if (r.word("userid") or r.origin or asker) == user]
        if len(mine) != 2 or any("total_instr" not in r.fields for r in mine):
            said.append(f"{user} has {len(mine)} QUERY TIME (FULL samples instead of 2")
    return said


def model_of(records: Iterable[Record]) -> str:
    """The CPU model that CP named in its answers, or nothing."""
    return next((r.word("model") for r in records if "model" in r.fields), "")


def wire_record(
    before: Mapping[str, Any], after: Mapping[str, Any], port: str, raw: str, where: Where
) -> Record:
    """The traffic at PORT of the wire between two readings of its counters (source WI)."""
    a, b = before["ports"][port], after["ports"][port]

    def grown(name: str) -> int:
        return int(b[name]) - int(a[name])

    def lost(side: str) -> int:
        return int(sum(b[side]["dropped"].values()) - sum(a[side]["dropped"].values()))

    numbers = {
        "frames_in": (grown("frames_in"), Unit.COUNT),
        "frames_out": (grown("frames_out"), Unit.COUNT),
        "bytes_in": (grown("bytes_in"), Unit.BYTE),
        "bytes_out": (grown("bytes_out"), Unit.BYTE),
        "dropped": (lost("up") + lost("down"), Unit.COUNT),
    }
    fields = {k: Value(n, unit, Source.WI) for k, (n, unit) in numbers.items()}
    return Record("wire", fields, raw, where)
