# SPDX-License-Identifier: MIT
"""What a trial's transcript says: records for the tables, and whether to trust them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounting.records import ParseError, Record, Source, Unit, Value, Where
from accounting.scan import scan
from workloads.accounts import named
from workloads.ftp.execs import DONE
from workloads.ftp.plan import Part, Planned, Workload

#: The accounts of all machines must add up to elapsed time within this part (the guest's promise).
ACCOUNTS_WITHIN = 0.01
#: Records that a trial keeps; the rest of the transcript stays in its file.
KINDS = ("time_is", "connect", "ftp_transfer", "acnt", "acnt_sum")
_TCP = ("sent", "received", "dropped", "checksum", "length", "memory")


@dataclass(frozen=True)
class Readout:
    """Records of one trial; `broken` says why it has no numbers, `doubts` why not to trust it."""

    records: tuple[Record, ...]
    broken: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    model: str = ""  # the CPU model that CP named, or nothing


def read_trial(transcript: bytes, file: str, workload: Workload, planned: Planned) -> Readout:
    """The records in a trial's TRANSCRIPT, which is kept in FILE, and what is wrong with them."""
    items = list(scan([transcript], file))
    read = [named(i) for i in items if isinstance(i, Record)]
    records = tuple(r._replace(trial=planned.id) for r in read if r.kind in KINDS)
    text = transcript.decode("latin-1")
    broken = [str(i) for i in items if isinstance(i, ParseError)]
    ended = [line for line in text.splitlines() if DONE in line]
    code = ended[-1].split(DONE)[1].strip() if ended else "none"
    if code != "0":
        broken.append(f"the procedure ended with return code {code}")
    broken += _moved(records, workload, planned)
    broken += _samples(records, workload.part, workload.client.user)
    return Readout(records + _books(read), tuple(broken), tuple(_doubts(read)), model_of(read))


def _moved(records: Sequence[Record], workload: Workload, planned: Planned) -> list[str]:
    """Every file must have been transferred once, in its whole length."""
    want = workload.size[planned.case.size].bytes
    sizes = [r.value("bytes").value for r in records if r.kind == "ftp_transfer"]
    said = []
    if len(sizes) != planned.files:
        said.append(f"{len(sizes)} of {planned.files} files were transferred")
    wrong = sorted({int(s) for s in sizes if s != want})
    if wrong:
        said.append(f"files of {want} bytes were transferred as {', '.join(map(str, wrong))}")
    return said


def _samples(records: Sequence[Record], parts: Sequence[Part], client: str) -> list[str]:
    """Each machine must have been asked twice, with counts."""
    said = []
    for part in parts:
        mine = [
            r
            for r in records
            if r.kind == "connect" and (r.word("userid") or r.origin or client) == part.user
        ]
        if len(mine) != 2 or any("total_instr" not in r.fields for r in mine):
            said.append(f"{part.user} has {len(mine)} QUERY TIME (FULL samples instead of 2")
    return said


def _grown(pair: Sequence[Record], names: Sequence[str]) -> dict[str, Value]:
    """How much each counter of NAMES has grown from the first of PAIR to the second."""
    first, last = pair
    return {name: last.value(name).minus(first.value(name)) for name in names}


def _made(kind: str, fields: Mapping[str, Value], read: Sequence[Record]) -> Record:
    """What several records say together; it points at the first of them."""
    return Record(kind, dict(fields), "\n".join(r.raw for r in read), read[0].where)


def _books(read: Sequence[Record]) -> tuple[Record, ...]:
    """QUERY ACNT and NETSTAT before and after as records: accounts' sum, elapsed, corrections,
    and what TCP counted. Kept for the sanity table; the lines themselves are the raw text.
    """
    made: list[Record] = []
    sums = [r for r in read if r.kind == "acnt_sum"]
    totals = [r for r in read if r.kind == "acnt_total"]
    tcp = [r for r in read if r.kind == "netstat_counters" and r.word("protocol") == "TCP"]
    if len(sums) == 2 and len(totals) == 2:
        fields = _grown(sums, ("accounted", "elapsed")) | _grown(totals, ("corrections",))
        lines = sorted((*sums, *totals), key=lambda r: r.where.line)
        made.append(_made("accounts", fields, lines))
    if len(tcp) == 2:
        made.append(_made("tcp", _grown(tcp, _TCP), tcp))
    return tuple(made)


def _doubts(read: Sequence[Record]) -> list[str]:
    sums = [r for r in read if r.kind == "acnt_sum"]
    if len(sums) != 2:
        return ["QUERY ACNT was not answered twice: it is not known that the accounts add up"]
    grown = _grown(sums, ("accounted", "elapsed"))
    accounted, elapsed = grown["accounted"].value, grown["elapsed"].value
    if elapsed <= 0 or abs(accounted - elapsed) > ACCOUNTS_WITHIN * elapsed:
        return [
            f"the accounts add up to {accounted} us in {elapsed} us elapsed, more than"
            f" {100 * ACCOUNTS_WITHIN:g} % apart"
        ]
    return []


def model_of(read: Sequence[Record]) -> str:
    """The CPU model that CP named last in answer to QUERY MODEL, or nothing."""
    return next((r.word("model") for r in reversed(read) if r.kind == "model"), "")


def wire_record(
    before: Mapping[str, Any], after: Mapping[str, Any], port: str, raw: str, where: Where
) -> Record:
    """What crossed the wire at PORT between two readings of its counters (source WI)."""
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


def compare_digests(
    transfers: Sequence[tuple[Any, Any]],
    sources: Mapping[Any, tuple[str, int] | None],
    targets: Mapping[Any, tuple[str, int] | None],
) -> list[str]:
    """A sentence for each file that is not the same at both ends."""
    said = []
    for source, target in transfers:
        there, here = sources.get(source), targets.get(target)
        names = f"{' '.join(source)} and {' '.join(target)}"
        if there is None or here is None:
            missing = source if there is None else target
            said.append(f"{' '.join(missing)} is not on its minidisk after the trial")
        elif there != here:
            said.append(f"{names} differ: {there[1]} bytes {there[0][:8]}, {here[1]} {here[0][:8]}")
    return said
