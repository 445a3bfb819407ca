# SPDX-License-Identifier: MIT
"""The post's figures beside ours: one of our transfers for each of its. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from vmkb.accounting.compare import Lookup, Ours
from vmkb.accounting.measures import record
from vmkb.accounting.published import published
from vmkb.accounting.records import Unit
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.listing import by_case
from vmkb.hercules.wire.profile import profile
from vmkb.workloads.line.plan import Definition

TABLE, TEXT = "tcp1990_line_ftp", "tcp1990_line_text"
ALL, NOISY = "FAL", "12N"
Groups = Mapping[tuple[str, str], Sequence[Trial]]


def told_rate(trial: Trial) -> float | None:
    """Bytes a second as the near host's FTP tells it."""
    said = record(trial, "ftp_transfer")
    if said is None:
        return None
    seconds = said.value("elapsed").to(Unit.S).value
    return said.value("bytes").value / seconds if seconds > 0 else None


def seen_rate(trial: Trial) -> float | None:
    """Bytes a second from the first data to the last acknowledgement, in the capture; None where
    the file did not come whole."""
    seen = record(trial, "tcp_sender")
    if seen is None or not seen.value("elapsed").value:
        return None
    if trial.params["what"] == "get" and record(trial, "ftp_transfer") is None:
        return None
    return seen.value("bytes").value / seen.value("elapsed").to(Unit.S).value


def _beside(definition: Definition, groups: Groups) -> dict[int, Trial]:
    """The transfer that stands beside each printed figure, one for each as both ran in order."""
    made: dict[int, Trial] = {}
    used: Counter[tuple[str, str]] = Counter()
    for line in published(TABLE).rows:
        host = next(
            h for h in definition.hosts if (h.host, str(h.bps)) == (line["host"], line["bps"])
        )
        key = host.case, host.release
        mine = sorted(groups.get(key, ()), key=lambda t: t.pair)
        if used[key] < len(mine):
            made[id(line)] = mine[used[key]]
        used[key] += 1
    return made


def cells(definition: Definition, trials: Sequence[Trial]) -> dict[str, Lookup]:
    """Our figures for the post's table and for its text."""
    groups = by_case(trials)
    beside = _beside(definition, groups)
    text = dict(_text(definition, groups))

    def of_table(line: Mapping[str, str], column: str) -> Ours | None:
        trial = beside.get(id(line))
        rate = told_rate(trial) if trial is not None else None
        return None if rate is None else Ours(rate, "(FT)")

    return {TABLE: of_table, TEXT: lambda line, column: text.get(line["key"])}


def _text(definition: Definition, groups: Groups) -> Iterator[tuple[str, Ours]]:
    """Our figures for the post's text, by the rows' keys."""
    yield "packet", Ours(definition.mtu, "(IN)")
    for bps, case in ((9600, "96N"), (1200, NOISY)):
        mine = [t for (c, _), group in groups.items() if c == case for t in group]
        rates = [x for t in mine if (x := seen_rate(t)) is not None]
        if rates:
            yield f"best {bps}", Ours(max(rates), "(WI)", float(mine[0].params["best"]))
    fal = [t for (case, name), group in groups.items() if name == ALL for t in group]
    if fal:
        seen = [r for t in fal if (r := record(t, "tcp_sender"))]

        def total(name: str) -> float:
            return sum(r.value(name).value for r in seen)

        yield "small", Ours(total("sent") / total("segments"), "(WI)")
        yield "again", Ours(100 * total("resent") / total("sent"), "(WI)")
        yield "stall", Ours(max(r.value("longest").value for r in seen) / 1e6, "(WI)")
        yield "alone", Ours(total("answered") / total("commanded"), "(WI)")
    part = half(groups)
    if part is not None:
        yield "half", Ours(part, "(FT)")
    yield "trip", Ours(2 * profile("far-nic-whole").delay, "(IN)")


def half(groups: Groups) -> float | None:
    """The IBM's speed as a part of the other hosts' at 1200 bit/s with noise; None without both."""

    def rates(*names: str) -> list[float]:
        found = (t for name in names for t in groups.get((NOISY, name), ()))
        return [x for t in found if (x := told_rate(t)) is not None]

    mine, others = rates(ALL), rates("RFC", "B42", "TAH")
    return fmean(mine) / fmean(others) if mine and others else None
