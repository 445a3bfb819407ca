# SPDX-License-Identifier: MIT
"""Published tables as data, and whether their own arithmetic holds.

Each TOML file has `source`, `columns`, `rows` of text as printed, and sometimes `setup`, and `page`
and `because` (vmkb.accounting.compare).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any

from vmkb.accounting.costs import figures_trial
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.table import Row, Section, Table, header, word
from vmkb.accounting.units import FigureError

#: 1 KB is 8192 bits: seconds per 1 000 000 bits times this is milliseconds per KB.
MS_KB_PER_S_MBIT = Decimal("8.192")


@dataclass(frozen=True)
class Published:
    """One published table: rows of column name -> text as printed; its place on a page, and what is
    said there of cells that are not as published."""

    name: str
    source: str
    rows: tuple[Mapping[str, str], ...]
    setup: Mapping[str, str]
    map: Mapping[str, str | list[str]] = field(default_factory=dict)
    page: Mapping[str, Any] = field(default_factory=dict)
    because: tuple[Mapping[str, Any], ...] = ()


def names() -> list[str]:
    """The published tables that are here."""
    return sorted(p.stem for p in Path(__file__).parent.glob("*.toml"))


@cache
def published(name: str) -> Published:
    """The published table NAME; KeyError says which there are."""
    path = Path(__file__).parent / f"{name}.toml"
    if name not in names():
        raise KeyError(f"there is no published table {name!r}; there are {', '.join(names())}")
    with path.open("rb") as f:
        data = tomllib.load(f)
    made = tuple(dict(zip(data["columns"], row, strict=True)) for row in data["rows"])
    return Published(
        name, data["source"], made, data.get("setup", {}), data.get("map", {}),
        data.get("page", {}), tuple(data.get("because", ())),
    )  # fmt: skip


def as_table(found: Published) -> Table:
    """FOUND as it was printed, cell by cell."""
    first, *heads = found.rows[0]
    rows = tuple(Row(row[first], tuple(word(row[h]) for h in heads)) for row in found.rows)
    head = header(first, heads)
    notes = [f"Published (PB): {found.source}."]
    notes += [f"{k.replace('_', ' ')}: {v}." for k, v in found.setup.items()]
    return Table(found.name, found.name, (head, Section("body", rows)), tuple(notes), keys=1)


_PARTS = {"tcpip": ("TCPIP", "TCPIP"), "client": ("CLIENT", "VM Client"),
          "server": ("SERVER", "VM Server")}  # fmt: skip


def figure_trials(rows: tuple[Mapping[str, str], ...], origin: str) -> list[Trial]:
    """Rows of printed rates and `<part>_ms_kb` figures as trials of one run each.

    Needs columns run_id and tcpip_release (or release) and one `<part>_ms_kb`; total_ms_kb and
    ratio_* are results and are not read. FigureError says what is missing, no figure, or there
    twice.
    """
    trials: list[Trial] = []
    seen: dict[tuple[str, str], str] = {}
    for number, row in enumerate(rows, start=1):
        if None in row:
            raise FigureError(f"row {number} has more fields than the head")
        release = _needed(row, number, "tcpip_release", "release")
        run = _needed(row, number, "run_id")
        what = [row.get(k) or "" for k in ("direction", "file")]
        mode = row.get("mode") or ""
        title = " ".join(w.capitalize() if w.islower() else w for w in what if w)
        case = " ".join([*what, mode]).strip() or row.get("case") or ""
        if (case, release) in seen:
            raise FigureError(
                f"runs {seen[case, release]} and {run} are both release {release} of"
                f" {f'case {case!r}' if case else 'one case'}, and are not trials of one another;"
                " tell them apart by the columns direction, file, mode or case"
            )
        seen[case, release] = run
        trials.append(
            figures_trial(
                run, origin, _figures(row, number), row.get("rate_kb_s") or None,
                case=case, release=release,
                table=row.get("table") and f"Table {row['table']}" or title,
                mode=mode.capitalize() if mode != "ascii" else "ASCII", run_id=run,
            )
        )  # fmt: skip
    if not trials:
        raise FigureError("there is no row below the head")
    return trials


def _needed(row: Mapping[str, str], number: int, *names: str) -> str:
    for name in names:
        if found := (row.get(name) or "").strip():
            return found
    known = f"column {' or '.join(names)}"
    raise FigureError(
        f"row {number} has nothing in {known}" if set(names) & set(row) else f"there is no {known}"
    )


def _figures(row: Mapping[str, str], number: int) -> dict[str, tuple[str, str]]:
    """userid -> (label, ms per KB as printed)."""
    parts = {}
    for column, text in row.items():
        part = column.removesuffix("_ms_kb")
        if column.endswith("_ms_kb") and part != "total" and text:
            who, label = _PARTS.get(part, (part.upper(), part.upper()))
            parts[who] = (label, text)
    if not parts:
        raise FigureError(f"row {number} has no CPU per KB: a column <part>_ms_kb for each machine")
    return parts


def rounded(x: Decimal, places: int) -> Decimal:
    """X to PLACES decimals, halves away from zero, as the published tables round."""
    return x.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def inconsistent() -> Iterator[str]:
    """Sentences about rows of the RFC tables whose printed result is not that of their inputs.

    A result may be cut off or rounded. Each sentence says whether the inputs' own rounding
    could explain the row (every number that prints as the input does is tried).
    """
    yield from _rfc415()
    yield from _rfc557()
    yield from _rfc573()


def _step(x: Decimal) -> Decimal:
    """One unit in the last printed place of X."""
    exponent = x.as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)


def _range(text: str) -> tuple[Decimal, Decimal]:
    x = Decimal(text)
    half = _step(x) / 2
    return x - half, x + half


def _fits(text: str, low: Decimal, high: Decimal) -> bool:
    """True if some number from LOW to HIGH is printed as TEXT, cut off or rounded."""
    want = Decimal(text)
    step = _step(want)
    return low.quantize(step, ROUND_DOWN) <= want <= high.quantize(step, ROUND_HALF_UP)


def _rfc415() -> Iterator[str]:
    """CPU needed, percent, is 100 x real rate / CPU rate."""
    for k, row in enumerate(published("rfc415_tenex_bandwidth").rows, start=1):
        real, cpu = _range(row["real_kbaud"]), _range(row["cpu_kbaud"])
        low, high = 100 * real[0] / cpu[1], 100 * real[1] / cpu[0]
        quotient = 100 * Decimal(row["real_kbaud"]) / Decimal(row["cpu_kbaud"])
        if not _fits(row["cpu_needed_pct"], quotient, quotient):
            explained = _fits(row["cpu_needed_pct"], low, high)
            yield (
                f"RFC 415 row {k} ({row['mode']}, {row['bytes_per_string']} bytes of"
                f" {row['byte_size_bits']} bits): prints {row['cpu_needed_pct']} %, but"
                f" {row['real_kbaud']}/{row['cpu_kbaud']} is {quotient:.1f} %"
                f" ({'within' if explained else 'outside'} {low:.1f} to {high:.1f} %,"
                " what the rounding of the inputs allows)"
            )


def _rfc557() -> Iterator[str]:
    """The two parts of the RJS add up; cost is one price per CPU second."""
    rows = published("rfc557_bbn_rjs").rows
    total, *parts = [Decimal(r["cpu_sec_per_megabit"]) for r in rows[2:5]]
    if sum(parts) != total:
        yield f"RFC 557: parts {parts} do not add up to {total} s/Mb"
    priced = [r for r in rows if r["cpu_sec_per_megabit"] and r["approx_cost_usd_per_megabit"]]
    prices = [
        (r["case"], _range(r["approx_cost_usd_per_megabit"]), _range(r["cpu_sec_per_megabit"]))
        for r in priced
    ]
    # The most exact row gives the price; the others must agree with it.
    _, cost, cpu = next(p for p in prices if p[0].startswith("BBN FTP"))
    least, most = cost[0] / cpu[1], cost[1] / cpu[0]
    for case, (low, high), (cpu_low, cpu_high) in prices:
        if high / cpu_low < least or low / cpu_high > most:
            yield (
                f"RFC 557, {case}: {low / cpu_high:.3f} to {high / cpu_low:.3f} dollars per CPU"
                f" second, where the FTP row has {least:.4f} to {most:.4f}"
            )


def _rfc573() -> Iterator[str]:
    """Average file size is volume over files; msec/KB is sec/Mb x 8.192."""
    for row in published("rfc573_ftp_summary").rows:
        low, high = (1000 * v / Decimal(row["files"]) for v in _range(row["Mbits"]))
        if not _fits(row["av_file_Kbits"], low, high):
            yield (
                f"RFC 573, {row['subset']}: prints {row['av_file_Kbits']} Kbits a file, but"
                f" {row['Mbits']} Mbits in {row['files']} files are {low:.1f} to {high:.1f}"
            )
        derived = rounded(Decimal(row["cpu_sec_per_Mb"]) * MS_KB_PER_S_MBIT, 1)
        if derived != Decimal(row["cpu_msec_per_KB_derived"]):
            yield (
                f"RFC 573, {row['subset']}: {row['cpu_sec_per_Mb']} s/Mb are {derived} msec/KB,"
                f" not {row['cpu_msec_per_KB_derived']}"
            )
