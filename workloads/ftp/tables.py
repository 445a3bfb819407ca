# SPDX-License-Identifier: MIT
"""The workload's own tables: what crossed the wire, and whether the books balance. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from accounting.records import Record
from accounting.store import Trial
from accounting.tables.table import Cell, Row, Section, Table, fixed, word
from workloads.base.accounts import IDLE

CLOSES_WITHIN = 0.01
"""The rows of a table and all accounts of its interval must agree within this part."""

WIRE_HEADS = (
    "Release", "Frames (WI)", "KB to the client (WI)", "KB from the client (WI)",
    "Wire bytes per file byte (WI)", "Dropped (WI)", "n",
)  # fmt: skip
SANITY_HEADS = (
    "Release", "Accounts' sum less elapsed, % (AC)", "Others less rows, % of rows (IC)",
    "Counter corrections (IC)",
    "TCP sent (RT)", "TCP received (RT)", "TCP dropped or damaged (RT)", "n",
)  # fmt: skip


def by_case(trials: Iterable[Trial]) -> dict[tuple[str, str], list[Trial]]:
    """The trials of each case and release, in the order in which cases were first run."""
    found: dict[tuple[str, str], list[Trial]] = {}
    for trial in sorted(trials, key=lambda t: t.seq):
        found.setdefault((trial.case, trial.release), []).append(trial)
    order = list(dict.fromkeys(case for case, _ in found))
    return dict(sorted(found.items(), key=lambda item: order.index(item[0][0])))


def _record(trial: Trial, kind: str) -> Record | None:
    return next((r for r in trial.records if r.kind == kind), None)


def _column(found: Sequence[Record], *names: str) -> list[float]:
    return [float(sum(r.value(n).value for n in names)) for r in found]


def _cell(values: Sequence[float], places: int, unit: str, source: str) -> Cell:
    middle = median(values)
    return Cell(fixed(middle, places), middle, unit, source, min(values), max(values), len(values))


def wire_table(trials: Sequence[Trial]) -> Table | None:
    """Median over trials of what the wire counted at the client's port; None without counts."""
    rows = []
    for (case, release), group in by_case(trials).items():
        found = [r for t in group if (r := _record(t, "wire"))]
        if not found:
            continue
        moved = [
            sum(r.value("bytes").value for r in t.records if r.kind == "ftp_transfer")
            for t in group
            if _record(t, "wire")
        ]
        both = _column(found, "bytes_in", "bytes_out")
        share = [w / m for w, m in zip(both, moved, strict=True) if m]
        cells = (
            word(release),
            _cell(_column(found, "frames_in", "frames_out"), 0, "count", "(WI)"),
            _cell([x / 1024 for x in _column(found, "bytes_out")], 1, "KB", "(WI)"),
            _cell([x / 1024 for x in _column(found, "bytes_in")], 1, "KB", "(WI)"),
            _cell(share, 4, "ratio", "(WI)") if share else word("-"),
            _cell([sum(_column(found, "dropped"))], 0, "count", "(WI)"),
            word(str(len(found))),
        )
        rows.append(Row(case, cells))
    if not rows:
        return None
    head = Section("head", (Row("Case", tuple(map(word, WIRE_HEADS))),))
    notes = (
        "Counted by the wire at the client's port, from the trial's beginning to its end: the logon"
        " to the server is in it. Medians of the trials; Dropped is the sum over all of them."
        " Wire bytes are whole Ethernet frames, both ways; a repeated segment would show here.",
    )
    body = Section("body", tuple(rows))
    return Table("wire", "What crossed the wire", (head, body), notes, keys=1)


def others_share(trial: Trial) -> float | None:
    """Instructions of the accounts that are no row, in percent of those that are; None where
    QUERY ACNT was not answered twice.
    """
    used: dict[str, float] = {}
    for r in trial.records:
        if r.kind == "acnt":
            who, count = r.word("userid"), float(r.value("instr").value)
            used[who] = count - used[who] if who in used else count
    if len([r for r in trial.records if r.kind == "acnt_sum"]) != 2:
        return None
    rows = sum(n for who, n in used.items() if who in trial.parts)
    rest = sum(n for who, n in used.items() if who not in trial.parts and who != IDLE)
    return 100 * rest / rows if rows > 0 else None


def close_sentences(trials: Sequence[Trial]) -> tuple[list[str], list[str]]:
    """The line that says whether the rows are all there is, and doubts about trials where not."""
    shares = [(t, s) for t in trials if (s := others_share(t)) is not None]
    if not shares:
        return [], []
    worst = max(s for _, s in shares)
    labels = ", ".join(dict.fromkeys(x for t in trials for x in t.parts.values()))
    amount = f"at most {fixed(worst, 3)} % of it" if worst > 0 else "nothing"
    said = (
        f"Total is {labels}. All other accounts together used {amount} in the same interval"
        " (QUERY ACNT, instructions)."
    )
    doubts = [
        f"{t.id}: accounts that are no row used {fixed(s, 1)} % of what the rows did"
        for t, s in shares
        if s > 100 * CLOSES_WITHIN
    ]
    return [said], doubts


def _share(found: Sequence[float]) -> Cell:
    if not found:
        return word("-")
    worst = max(found)
    return Cell(fixed(worst, 3), worst, "%", "(IC)", n=len(found))


def sanity_table(trials: Sequence[Trial]) -> Table | None:
    """Whether the accounts of all machines add up to elapsed time, and what TCP counted."""
    rows = []
    for (case, release), group in by_case(trials).items():
        found = [r for t in group if (r := _record(t, "accounts"))]
        tcp = [r for t in group if (r := _record(t, "tcp"))]
        if not found or not tcp:
            continue
        apart = [
            100 * (r.value("accounted").value / r.value("elapsed").value - 1)
            for r in found
            if r.value("elapsed").value
        ]
        worst = max(apart, key=abs, default=0.0)
        cells = (
            word(release),
            Cell(fixed(worst, 3), worst, "%", "(AC)"),
            _share([x for t in group if (x := others_share(t)) is not None]),
            _cell([sum(_column(found, "corrections"))], 0, "count", "(IC)"),
            _cell(_column(tcp, "sent"), 0, "count", "(RT)"),
            _cell(_column(tcp, "received"), 0, "count", "(RT)"),
            _cell([sum(_column(tcp, "dropped", "checksum", "length", "memory"))], 0, "count",
                  "(RT)"),
            word(str(len(found))),
        )  # fmt: skip
        rows.append(Row(case, cells))
    if not rows:
        return None
    head = Section("head", (Row("Case", tuple(map(word, SANITY_HEADS))),))
    notes = (
        "QUERY ACNT around the samples, NETSTAT COUNTERS around the whole trial, on the measured"
        " guest. The percentages are those of the worst trial; others are the accounts that are no"
        " row; corrections are readings of the"
        " instruction counter that could not be true and were replaced by CPU timer x recent rate,"
        " summed over trials and machines.",
    )
    return Table("sanity", "Do the books balance?", (head, Section("body", tuple(rows))), notes,
                 keys=1)  # fmt: skip
