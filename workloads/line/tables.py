# SPDX-License-Identifier: MIT
"""The workload's tables: bytes a second beside the printed ones, what each complaint takes away,
what each TCP did, and the picture of a transfer. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from accounting.analysis.answer import release_name
from accounting.records import Record, Unit
from accounting.stats import mean_estimate
from accounting.store import Trial
from accounting.tables.table import (
    Cell,
    Plot,
    Row,
    Section,
    Table,
    fixed,
    interval_cell,
    printed,
    word,
)
from workloads.line.plan import Definition
from workloads.line.readout import picture

BASE, ALL = "RFC", "FAL"
COMPLAINTS = ("CSM", "CRS", "CST", "CLA")
Groups = dict[tuple[str, str], list[Trial]]


def by_case(trials: Iterable[Trial]) -> Groups:
    """The trials of each case and release, in the order in which they were run."""
    found: Groups = {}
    for trial in sorted(trials, key=lambda t: t.seq):
        found.setdefault((trial.case, trial.release), []).append(trial)
    order = list(dict.fromkeys(case for case, _ in found))
    return dict(sorted(found.items(), key=lambda item: order.index(item[0][0])))


def _one(trial: Trial, kind: str) -> Record | None:
    return next((r for r in trial.records if r.kind == kind), None)


def told_rate(trial: Trial) -> float | None:
    """Bytes a second as the near host's FTP tells it."""
    said = _one(trial, "ftp_transfer")
    if said is None:
        return None
    seconds = said.value("elapsed").to(Unit.S).value
    return said.value("bytes").value / seconds if seconds > 0 else None


def seen_rate(trial: Trial) -> float | None:
    """Bytes a second from the first data to the last acknowledgement, in the capture; None where
    the file did not come whole."""
    seen = _one(trial, "tcp_sender")
    if seen is None or not seen.value("elapsed").value:
        return None
    if trial.params["what"] == "get" and _one(trial, "ftp_transfer") is None:
        return None
    return seen.value("bytes").value / seen.value("elapsed").to(Unit.S).value


def _numbers(group: Sequence[Trial], measure: Callable[[Trial], float | None]) -> list[float]:
    return [x for t in group if (x := measure(t)) is not None]


def _middle(xs: Sequence[float], places: int, unit: str, source: str) -> Cell:
    if not xs:
        return word("-")
    middle = median(xs)
    return Cell(fixed(middle, places), middle, unit, source, min(xs), max(xs), len(xs))


def _range(xs: Sequence[float], places: int, unit: str, source: str) -> Cell:
    if not xs:
        return word("-")
    text = f"{fixed(min(xs), places)}..{fixed(max(xs), places)}"
    return Cell(text, None, unit, source, min(xs), max(xs), len(xs))


RATE_HEADS = (
    "Far host", "Bytes/s (FT)", "From..to", "% of best", "Bytes/s (WI)", "% of best (WI)",
    "n", "Failed",
)  # fmt: skip


def rate_table(definition: Definition, groups: Groups) -> Table:
    """Bytes a second by line and far host."""
    titles = {r.name: r.title for r in definition.releases}
    sections, points = [], []
    for case in dict.fromkeys(case for case, _ in groups):
        rows = []
        for (_, release), group in ((k, g) for k, g in groups.items() if k[0] == case):
            best = float(group[0].params["best"])
            told, seen = _numbers(group, told_rate), _numbers(group, seen_rate)
            rows.append(
                Row(
                    group[0].params["title"],
                    (
                        word(release_name(release, titles)),
                        _middle(told, 1, "B/s", "(FT)"),
                        _range(told, 1, "B/s", "(FT)"),
                        _middle([100 * x / best for x in told], 1, "%", "(FT)"),
                        _middle(seen, 1, "B/s", "(WI)"),
                        _middle([100 * x / best for x in seen], 1, "%", "(WI)"),
                        word(str(len(group))),
                        word(str(len(group) - len(seen))),
                    ),
                )
            )
            if seen:
                share = [100 * x / best for x in seen]
                points.append((f"{release} {case}", median(share), min(share), max(share)))
        sections.append(Section("body", tuple(rows)))
    head = Section("head", (Row("Line", tuple(map(word, RATE_HEADS))),))
    notes = (
        "FT: as the near host's FTP prints it, from its command to the server's last reply; WI:"
        " from the first data to the last acknowledgement, in a capture at the far end of the line."
        " Best: 192 of each 240 characters are data, of 203 where headers are compressed. From..to:"
        " all trials. Failed: of the n trials, those in which the file did not come whole.",
    )
    plot = Plot("intervals", "Share of the best case", "%", (("", tuple(points)),), 100.0)
    return Table("bytes", "Bytes a second", (head, *sections), notes, plots=(plot,), keys=1)


PUBLISHED_HEADS = (
    "System",
    "bit/s",
    "Published (PB)",
    "As",
    "Reproduced (FT)",
    "From..to",
    "Ratio",
)


def published_table(definition: Definition, groups: Groups) -> Table | None:
    """The printed figures beside those of the host that stands for each; None without any."""
    rows = []
    for line in definition.hosts:
        figures = definition.printed(line.host, line.bps)
        group = groups.get((line.case, line.release))
        if not group:
            continue
        told = _numbers(group, told_rate)
        ratio = [x / median(figures) for x in told]
        rows.append(
            Row(
                line.host,
                (
                    word(definition.system(line.host)),
                    word(str(line.bps)),
                    _range(figures, 0, "B/s", "(PB)"),
                    word(f"{line.release} {line.case}"),
                    _middle(told, 1, "B/s", "(FT)"),
                    _range(told, 1, "B/s", "(FT)"),
                    _middle(ratio, 2, "ratio", "(FT/PB)"),
                ),
            )
        )
    if not rows:
        return None
    head = Section("head", (Row("Host", tuple(map(word, PUBLISHED_HEADS))),))
    notes = (
        "Which TCP stands for which host is inferred (docs/lab/line.md); nothing is fitted."
        " The printed ones came over a noisy line, whose noise nobody measured.",
    )
    return Table("published", "Published beside reproduced", (head, Section("body", tuple(rows))),
                 notes, keys=1)  # fmt: skip


CAUSE_HEADS = ("Complaint", "Bytes/s (WI)", "Taken away (WI)", "Interval", "% of best", "n")


def cause_table(definition: Definition, groups: Groups) -> Table | None:
    """What each complaint takes away by itself, and all of them together; None without any."""
    titles = {r.name: r.title for r in definition.releases}
    sections = []
    for case in dict.fromkeys(case for case, _ in groups):
        base = {t.pair: seen_rate(t) for t in groups.get((case, BASE), ())}
        rows = []
        for release in (*COMPLAINTS, ALL):
            group = groups.get((case, release), [])
            pairs = [(base.get(t.pair), seen_rate(t)) for t in group]
            lost = [a - b for a, b in pairs if a is not None and b is not None]
            if not lost or group[0].params["what"] != "get":
                continue
            best = float(group[0].params["best"])
            e = mean_estimate(lost)
            rows.append(
                Row(
                    group[0].params["title"],
                    (
                        word(titles[release]),
                        _middle(_numbers(group, seen_rate), 1, "B/s", "(WI)"),
                        printed(e.value, 1, "B/s", "(WI)"),
                        interval_cell(e, 1, "B/s", "(WI)"),
                        printed(100 * e.value / best, 1, "%", "(WI)"),
                        word(str(len(lost))),
                    ),
                )
            )
        if rows:
            sections.append(Section("body", tuple(rows)))
    if not sections:
        return None
    head = Section("head", (Row("Line", tuple(map(word, CAUSE_HEADS))),))
    notes = (
        "Taken away: bytes a second less than the TCP as RFC 1122 has it, in the same round; below"
        " 0: it was faster. An interval needs five trials.",
    )
    return Table("causes", "What each complaint takes away", (head, *sections), notes, keys=1)


DID_HEADS = (
    "Far host", "Segments", "Mean size, B", "Sent again", "% of bytes", "Lone ACKs a segment",
    "ACKs a command", "RTT, s", "Least wait, s", "Most in flight, B", "Longest silence, s",
)  # fmt: skip


def did_table(definition: Definition, groups: Groups) -> Table:
    """What each far host's TCP did, from the captures, and its first transfer as a picture."""
    titles = {r.name: r.title for r in definition.releases}
    sections, plots = [], []
    for case in dict.fromkeys(case for case, _ in groups):
        rows = []
        for (_, release), group in ((k, g) for k, g in groups.items() if k[0] == case):
            seen = [r for t in group if (r := _one(t, "tcp_sender"))]
            if not seen:
                continue
            rows.append(
                Row(group[0].params["title"], (word(release_name(release, titles)), *_did(seen)))
            )
            plots.append(
                _plot(f"{release_name(release, titles)}, {group[0].params['title']}", seen[0])
            )
        sections.append(Section("body", tuple(rows)))
    head = Section("head", (Row("Line", tuple(map(word, DID_HEADS))),))
    notes = (
        "Medians over the trials, of the data connection (WI, docs/reference/capture.md). Lone ACKs"
        " a segment: the near host's, for each data segment. ACKs a command: segments of the far"
        " host on the control connection with nothing but an acknowledgement, for each segment with"
        " a command in it. Silence: with data outstanding; a packet takes 2 s at 1200 bit/s.",
    )
    return Table("tcp", "What each TCP did", (head, *sections), notes, plots=tuple(plots), keys=1)


def _did(seen: Sequence[Record]) -> tuple[Cell, ...]:
    def column(measure: Callable[[Record], float | None], places: int, unit: str) -> Cell:
        found = [x for r in seen if (x := measure(r)) is not None]
        return _middle(found, places, unit, "(WI)")

    def of(name: str, scale: float = 1.0) -> Callable[[Record], float | None]:
        return lambda r: r.value(name).value * scale if name in r.fields else None

    def share(a: str, b: str, scale: float = 1.0) -> Callable[[Record], float | None]:
        return lambda r: scale * r.value(a).value / r.value(b).value if r.value(b).value else None

    return (
        column(of("segments"), 0, ""),
        column(share("sent", "segments"), 0, "B"),
        column(of("again"), 0, ""),
        column(share("resent", "sent", 100), 1, "%"),
        column(share("lone", "segments"), 2, ""),
        column(share("answered", "commanded"), 2, ""),
        column(of("trip", 1e-6), 1, "s"),
        column(of("wait", 1e-6), 1, "s"),
        column(of("flight"), 0, "B"),
        column(of("longest", 1e-6), 1, "s"),
    )


def _plot(title: str, seen: Record) -> Plot:
    drawn = picture(seen)
    series = tuple(
        (name, tuple((float(at), float(place), float(place), float(place)) for at, place in points))
        for name, points in (("sent", drawn["sent"]), ("acknowledged", drawn["acked"]))
    )
    return Plot("lines", title, "B", series, x_title="s")


def line_tables(definition: Definition, trials: Sequence[Trial]) -> list[Table]:
    """Bytes a second first, what each complaint takes away, what each TCP did."""
    groups = by_case(trials)
    own = (
        rate_table(definition, groups),
        published_table(definition, groups),
        cause_table(definition, groups),
        did_table(definition, groups),
    )
    return [t for t in own if t is not None]


def sentence(definition: Definition, trials: Sequence[Trial]) -> str:
    """The slowest and the fastest host of the first line, as parts of the best case."""
    groups = by_case(trials)
    titles = {r.name: r.title for r in definition.releases}
    said = []
    for case in dict.fromkeys(case for case, _ in groups):
        found = {
            release: median(rates) / float(group[0].params["best"])
            for (c, release), group in groups.items()
            if c == case and (rates := _numbers(group, seen_rate))
        }
        if len(found) < 2:
            continue
        low, high = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
        title = next(g[0].params["title"] for (c, _), g in groups.items() if c == case)
        best, worst = (release_name(r, titles) for r in (high, low))
        said.append(
            f"At {title}: {best} moves {100 * found[high]:.0f} % of what the line can"
            f" carry, {worst} {100 * found[low]:.0f} %."
        )
    return " ".join(said) or "Nothing can be compared: there is one far host."
