# SPDX-License-Identifier: MIT
"""The witness beside the counts: what the emulated CPU took of the host's, by the host's clock.

Pure. The reader takes the clock at the two answers of QUERY ACNT, so the accounts' instructions
between them are those of the same time.
"""

from __future__ import annotations

from collections.abc import Sequence

from vmkb.accounting.costs import SYSTEM
from vmkb.accounting.records import Record, Source, Unit, Value, Where
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.listing import (
    Columns,
    by_case,
    case,
    interval,
    listing,
    number,
    record,
    release,
    value,
)
from vmkb.accounting.tables.table import Table
from vmkb.accounting.units import Figure, FigureError, add, cpu_per_kb


def host_record(first: float, last: float, step: float, raw: str, where: Where) -> Record:
    """CPU time of the emulated CPU's thread between two readings in seconds, in steps of STEP."""
    used = Value((last - first) * 1e6, Unit.US, Source.HT, 2 * step * 1e6)
    return Record("host_cpu", {"userid": SYSTEM, "cpu": used}, raw, where)


def _per_kb(trial: Trial) -> Figure | None:
    """Host CPU per KB of the files, in us/KB; None if the trial does not have both."""
    used = [r.value("cpu") for r in trial.records if r.kind == "host_cpu"]
    data = [r.value("bytes") for r in trial.records if r.kind == "ftp_transfer"]
    try:
        return cpu_per_kb(add(used), add(data)) if used and data else None
    except FigureError:
        return None


def _per_instruction(trial: Trial) -> Figure | None:
    """Host CPU in ns for one instruction of any account; None if the trial does not have both."""
    used = [r.value("cpu") for r in trial.records if r.kind == "host_cpu"]
    kept: dict[str, list[int | float]] = {}
    for r in trial.records:
        if r.kind == "acnt":
            kept.setdefault(r.word("userid"), []).append(r.value("instr").value)
    done = sum(seen[-1] - seen[0] for seen in kept.values())
    if len(used) != 1 or done <= 0:
        return None
    scale = 1000 / done
    return Figure(used[0].value * scale, Unit.RATIO, (Source.HT, Source.IC), used[0].tick * scale)


def witness_table(trials: Sequence[Trial]) -> Table | None:
    """Host CPU per KB and per instruction with their spread; None where it was not read."""
    columns: Columns[Sequence[Trial]] = [
        ("Case", case),
        ("Release", release),
        ("Host CPU, ms/KB (HT/FT)", value(_per_kb, "ms/KB", scale=1e-3)),
        ("Interval", interval(_per_kb, "ms/KB", scale=1e-3)),
        ("Host CPU, ns/instruction (HT/IC)", value(_per_instruction, "ns/instr")),
        ("Interval", interval(_per_instruction, "ns/instr")),
        ("n", number),
    ]
    notes = (
        "CPU time that the host gave to the thread of the emulated CPU, all accounts together,"
        " between the two answers of QUERY ACNT: the witness of the counts. It depends on the host"
        " and its load; where a release's ms/KB moves and its instructions do not, that was the"
        " host. Means of the trials.",
    )
    read = by_case(t for t in trials if record(t, "host_cpu")).values()
    return listing("witness", "What the host's clock says", read, columns, notes)
