# SPDX-License-Identifier: MIT
"""Reading a trial's transcript: records for the tables, and whether to trust them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vmkb.accounting.records import Record, Value
from vmkb.workloads.base import accounts, readout
from vmkb.workloads.base.accounts import do_not_add_up, grown
from vmkb.workloads.base.readout import not_sampled, read_console
from vmkb.workloads.ftp.execs import DONE
from vmkb.workloads.ftp.plan import Definition, Planned

#: Records that a trial keeps; the rest of the transcript stays in its file.
KINDS = (*readout.KINDS, *accounts.KINDS, "ftp_transfer", "ftp_data")
_BOOKS = ("acnt_total", "netstat_counters")
_TCP = ("sent", "received", "dropped", "checksum", "length", "memory")


@dataclass(frozen=True)
class Readout:
    """Records of one trial; `broken` says why it has no numbers, `doubts` why not to trust it."""

    records: tuple[Record, ...]
    broken: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def read_trial(transcript: bytes, file: str, definition: Definition, planned: Planned) -> Readout:
    """The records in a trial's TRANSCRIPT, which is kept in FILE, and what is wrong with them."""
    read, broken = read_console(transcript, file, planned.id, (*KINDS, *_BOOKS))
    records = tuple(r for r in read if r.kind in KINDS)
    ended = [line for line in transcript.decode("latin-1").splitlines() if DONE in line]
    code = ended[-1].split(DONE)[1].strip() if ended else "none"
    if code != "0":
        broken.append(f"the procedure ended with return code {code}")
    broken += _moved(records, definition, planned)
    broken += not_sampled(records, [p.user for p in definition.part], definition.client.user)
    return Readout((*records, *_books(read)), tuple(broken), tuple(do_not_add_up(records)))


def _moved(records: Sequence[Record], definition: Definition, planned: Planned) -> list[str]:
    """Every file must have been transferred once, in its whole length."""
    want = definition.size[planned.case.size].bytes
    sizes = [r.value("bytes").value for r in records if r.kind == "ftp_transfer"]
    said = []
    if len(sizes) != planned.files:
        said.append(f"{len(sizes)} of {planned.files} files were transferred")
    wrong = sorted({int(s) for s in sizes if s != want})
    if wrong:
        said.append(f"files of {want} bytes were transferred as {', '.join(map(str, wrong))}")
    return said


def _made(kind: str, fields: Mapping[str, Value], read: Sequence[Record]) -> Record:
    """One record of several; it points at the first of them."""
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
        fields = grown(sums, ("accounted", "elapsed")) | grown(totals, ("corrections",))
        lines = sorted((*sums, *totals), key=lambda r: r.where.line)
        made.append(_made("accounts", fields, lines))
    if len(tcp) == 2:
        made.append(_made("tcp", grown(tcp, _TCP), tcp))
    return tuple(made)


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
