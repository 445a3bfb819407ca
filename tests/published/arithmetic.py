# SPDX-License-Identifier: MIT
"""Whether the arithmetic of the published RFC tables holds."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

from vmkb.accounting.published import published

#: 1 KB is 8192 bits: seconds per 1 000 000 bits times this is milliseconds per KB.
MS_KB_PER_S_MBIT = Decimal("8.192")


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
