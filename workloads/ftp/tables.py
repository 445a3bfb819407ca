# SPDX-License-Identifier: MIT
"""The workload's own tables: what crossed the wire, and whether the books balance. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vmkb.accounting.digits import spoken
from vmkb.accounting.measures import record
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.listing import (
    Columns,
    Shown,
    by_case,
    case,
    listing,
    middle,
    number,
    release,
)
from vmkb.accounting.tables.table import Table, printed
from vmkb.workloads.base.accounts import IDLE

CLOSES_WITHIN = 0.01
"""The rows of a table and all accounts of its interval must agree within this part."""
RESENT = 1.15
"""Bytes on the wire for a file's byte beyond which segments were sent again. Headers and
acknowledgements make 1.01 to 1.03 of it at an MTU of 4000, and 1.11 at one of 576."""
Group = Sequence[Trial]


def _sums(group: Group, kind: str, *names: str) -> list[float]:
    """Of each trial the sum of these fields of its record of a KIND."""
    kept = [r for t in group if (r := record(t, kind))]
    return [float(sum(r.value(n).value for n in names)) for r in kept]


def _median(
    kind: str, *names: str, unit: str = "count", source: str = "(WI)", by: int = 1
) -> Callable[[Group], Shown]:
    return lambda g: middle([x / by for x in _sums(g, kind, *names)], unit, source)


def _all(kind: str, *names: str, source: str = "(WI)") -> Callable[[Group], Shown]:
    """The sum over all trials."""
    return lambda g: middle([sum(_sums(g, kind, *names))], "count", source)


def _shares(group: Group, *names: str) -> list[float]:
    """Of each trial the wire's bytes of these NAMES for a byte of its files."""
    moved = [
        sum(r.value("bytes").value for r in t.records if r.kind == "ftp_transfer") for t in group
    ]
    crossed = _sums(group, "wire", *names)
    return [w / m for w, m in zip(crossed, moved, strict=True) if m]


def _per_byte(group: Group) -> Shown:
    return middle(_shares(group, "bytes_in", "bytes_out"), "ratio", "(WI)")


def resent(trials: Sequence[Trial]) -> list[str]:
    """A sentence for each case in which segments were sent again on a wire that lost nothing."""
    said = []
    for group in by_case(t for t in trials if record(t, "wire")).values():
        share = max([*_shares(group, "bytes_in"), *_shares(group, "bytes_out"), 0.0])
        if share > RESENT and not any(_sums(group, "wire", "dropped")):
            first = group[0]
            said.append(
                f"{first.case} of {first.release}: {spoken(share)} bytes crossed the wire for a"
                " file's byte, although none was lost: segments were sent again."
            )
    return said


def wire_table(trials: Sequence[Trial]) -> Table | None:
    """Median over trials of what the wire counted at the client's port; None without counts."""
    columns: Columns[Group] = [
        ("Case", case),
        ("Release", release),
        ("Frames", _median("wire", "frames_in", "frames_out")),
        ("To the client", _median("wire", "bytes_out", unit="KB", by=1024)),
        ("From the client", _median("wire", "bytes_in", unit="KB", by=1024)),
        ("Wire bytes per file byte", _per_byte),
        ("Dropped", _all("wire", "dropped")),
        ("n", number),
    ]
    notes = (
        "Counted by the wire at the client's port, from the trial's beginning to its end: the logon"
        " to the server is in it. Medians of the trials; Dropped is the sum over all of them."
        " Wire bytes are whole Ethernet frames, both ways; a repeated segment would show here.",
    )
    groups = by_case(t for t in trials if record(t, "wire")).values()
    return listing("wire", "What crossed the wire", groups, columns, notes)


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
    amount = f"at most {spoken(worst)} % of it" if worst > 0 else "nothing"
    said = (
        f"Total is {labels}. All other accounts together used {amount} in the same interval"
        " (QUERY ACNT, instructions)."
    )
    doubts = [
        f"{t.id}: accounts that are no row used {spoken(s)} % of what the rows did"
        for t, s in shares
        if s > 100 * CLOSES_WITHIN
    ]
    return [said], doubts


def _worst(shares: Sequence[float], source: str) -> Shown:
    if not shares:
        return None
    worst = max(shares, key=abs)
    return printed(worst, "%", source)


def _apart(group: Group) -> list[float]:
    """Percent by which the accounts' sum and elapsed time differ."""
    accounts = [(r.value("accounted").value, r.value("elapsed").value)
             for t in group if (r := record(t, "accounts"))]  # fmt: skip
    return [100 * (used / elapsed - 1) for used, elapsed in accounts if elapsed]


def sanity_table(trials: Sequence[Trial]) -> Table | None:
    """Whether the accounts of all machines add up to elapsed time, and what TCP counted."""
    columns: Columns[Group] = [
        ("Case", case),
        ("Release", release),
        ("Accounts' sum less elapsed", lambda g: _worst(_apart(g) or [0.0], "(AC)")),
        ("Others less rows, of rows", lambda g: _worst(
            [x for t in g if (x := others_share(t)) is not None], "(IC)")),
        ("Counter corrections", _all("accounts", "corrections", source="(IC)")),
        ("TCP sent", _median("tcp", "sent", source="(RT)")),
        ("TCP received", _median("tcp", "received", source="(RT)")),
        ("TCP dropped or damaged",
         _all("tcp", "dropped", "checksum", "length", "memory", source="(RT)")),
        ("n", lambda g: str(len(_sums(g, "accounts")))),
    ]  # fmt: skip
    notes = (
        "QUERY ACNT around the samples, NETSTAT COUNTERS around the whole trial, on the measured"
        " guest. The percentages are those of the worst trial; others are the accounts that are no"
        " row; corrections are readings of the"
        " instruction counter that could not be true and were replaced by CPU timer x recent rate,"
        " summed over trials and machines.",
    )
    groups = (g for g in by_case(trials).values() if _sums(g, "accounts") and _sums(g, "tcp"))
    return listing("sanity", "Do the books balance?", groups, columns, notes)
