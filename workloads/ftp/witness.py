# SPDX-License-Identifier: MIT
"""The witness beside the counts: what the emulated CPU took of the host's, by the host's clock.

Pure. The reader takes the clock at the two answers of QUERY ACNT, so the accounts' instructions
between them are those of the same time.
"""

from __future__ import annotations

from collections.abc import Sequence

from accounting.costs import SYSTEM
from accounting.records import Record, Source, Unit, Value, Where
from accounting.stats import places
from accounting.store import Trial
from accounting.tables.group import estimate
from accounting.tables.table import Cell, Row, Section, Table, interval_cell, known, scaled, word
from accounting.units import Figure, FigureError, add, cpu_per_kb
from workloads.ftp.tables import by_case

HEADS = (
    "Release", "Host CPU, ms/KB (HT/FT)", "Interval", "Host CPU, ns/instruction (HT/IC)",
    "Interval", "n",
)  # fmt: skip


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


def _cells(found: Sequence[Figure | None], unit: str, scale: float) -> tuple[Cell, Cell]:
    """The median in UNIT, which is SCALE of the figures' own, and its interval."""
    there = [f for f in found if f is not None]
    if not there:
        return word("-"), word("-")
    e = scaled(estimate(there), scale)
    letters = there[0].letters
    return known(e, unit, letters), interval_cell(e, places(e), unit, letters)


def witness_table(trials: Sequence[Trial]) -> Table | None:
    """Host CPU per KB and per instruction with their spread; None where it was not read."""
    rows = []
    for (case, release), group in by_case(trials).items():
        read = [t for t in group if any(r.kind == "host_cpu" for r in t.records)]
        if read:
            cells = (
                word(release),
                *_cells([_per_kb(t) for t in read], "ms/KB", 1e-3),
                *_cells([_per_instruction(t) for t in read], "ns/instr", 1.0),
                word(str(len(read))),
            )
            rows.append(Row(case, cells))
    if not rows:
        return None
    head = Section("head", (Row("Case", tuple(map(word, HEADS))),))
    notes = (
        "CPU time that the host gave to the thread of the emulated CPU, all accounts together,"
        " between the two answers of QUERY ACNT: the witness of the counts. It depends on the host"
        " and its load; where a release's ms/KB moves and its instructions do not, that was the"
        " host. Medians of the trials.",
    )
    return Table("witness", "What the host's clock says", (head, Section("body", tuple(rows))),
                 notes, keys=1)  # fmt: skip
