# SPDX-License-Identifier: MIT
"""Reading the texts of one node: records for the tables, and whether to trust them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Record, Source, Unit, Value, Where
from vmkb.accounting.stats import jain
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.base.readout import not_sampled, read_console
from vmkb.workloads.terminal.others import NAMES as OTHERS

MONITOR_KINDS = ("rtm_system", "rtm_user")
_DAY = 86_400.0


@dataclass(frozen=True)
class Readout:
    """Records of one trial on one node; `broken` says why it has no numbers."""

    records: tuple[Record, ...]
    broken: tuple[str, ...] = ()


def read_meter(transcript: bytes, file: str, trial: str, users: Sequence[str]) -> Readout:
    """The QUERY TIME samples in a TRANSCRIPT of the meter, kept in FILE: each of USERS and CP
    itself must have been asked twice, with counts; CP also of what it did in interruptions."""
    records, broken = read_console(transcript, file, trial)
    broken += not_sampled(records, (*users, SYSTEM))
    mine = [r for r in records if r.kind == "connect" and r.word("userid") == SYSTEM]
    if any("intr_instr" not in r.fields for r in mine):
        broken.append("CP did not say what it did in interruptions (INTR)")
    return Readout(records, tuple(broken))


def read_monitor(
    log: bytes, file: str, trial: str, begun: float, ended: float
) -> tuple[Record, ...]:
    """The lines of RTMSF's LOG for the intervals that touch the time from BEGUN to ENDED (seconds
    since midnight, UTC, as the guest's clock). A line's clock is the whole second in which its
    interval ended, so that one interval too many may be taken at either end."""
    made = []
    for item in scan([log], file):
        if not isinstance(item, Record) or item.kind not in MONITOR_KINDS:
            continue
        end = float(item.value("clock").value)
        start = end - item.value("interval").to(Unit.S).value
        if (end + 1 - begun) % _DAY < _DAY / 2 and (ended - start) % _DAY < _DAY / 2:
            made.append(item._replace(trial=trial))
    return tuple(made)


def lan_record(
    before: Mapping[str, Any], after: Mapping[str, Any], raw: str, where: Where
) -> Record:
    """The LAN's traffic between two readings of its counters (WI): `frames` and `bytes` are of
    every port but the other systems', each frame once, where it came in; `lat_*` those that a
    terminal server sent or was sent; `other_bytes` the other systems'. A port that is new has
    counted from nothing; one that is gone took its counts with it."""
    old, new = before["ports"], after["ports"]

    def grown(name: str, ports: Iterable[str]) -> int:
        return int(sum(new[p][name] - (old[p][name] if p in old else 0) for p in ports))

    def lost(side: str) -> int:
        def count(reading: Mapping[str, Any]) -> int:
            return sum(sum(port[side]["dropped"].values()) for port in reading.values())

        return count(new) - count({p: old[p] for p in new if p in old})

    others = [p for p in new if p in OTHERS]
    mine = [p for p in new if p not in OTHERS]
    servers = [p for p in mine if new[p]["kind"] == "stream"]
    values = {
        "frames": (grown("frames_in", mine), Unit.COUNT),
        "bytes": (grown("bytes_in", mine), Unit.BYTE),
        "other_bytes": (grown("bytes_in", others), Unit.BYTE),
        "lat_frames": (grown("frames_in", servers) + grown("frames_out", servers), Unit.COUNT),
        "lat_bytes": (grown("bytes_in", servers) + grown("bytes_out", servers), Unit.BYTE),
        "dropped": (lost("up") + lost("down"), Unit.COUNT),
    }
    return Record("lan", {k: Value(n, u, Source.WI) for k, (n, u) in values.items()}, raw, where)


def sessions_record(
    rates: Sequence[float], characters: int, wrong: int, raw: str, where: Where
) -> Record:
    """The terminals' characters (WI: counted by the terminal servers, which end the wire). RATES
    in characters a second, from the command to a terminal's last character."""
    ordered = sorted(rates)
    per_s = {"slowest": ordered[0], "median": ordered[len(ordered) // 2], "fastest": ordered[-1]}
    fields = {k: Value(v, Unit.PER_S, Source.WI) for k, v in per_s.items()}
    fields["jain"] = Value(jain(rates), Unit.RATIO, Source.WI)
    fields["terminals"] = Value(len(rates), Unit.COUNT, Source.WI)
    fields["characters"] = Value(characters, Unit.BYTE, Source.WI)
    fields["wrong"] = Value(wrong, Unit.COUNT, Source.WI)
    return Record("sessions", fields, raw, where)


def echo_record(waits: Sequence[float], raw: str, where: Where) -> Record:
    """How long typed characters took to be shown; WAITS in seconds, one for each key."""
    ordered = sorted(waits)
    at = {"median": 0.5, "p95": 0.95, "most": 1.0}
    fields = {
        k: Value(1e6 * ordered[min(len(ordered) - 1, int(q * len(ordered)))], Unit.US, Source.WI)
        for k, q in at.items()
    }
    fields["keys"] = Value(len(waits), Unit.COUNT, Source.WI)
    return Record("echo", fields, raw, where)
