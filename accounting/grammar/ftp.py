# SPDX-License-Identifier: MIT
"""The FTP client's console message with bytes, seconds and rate.

'2097152 bytes transferred in 1.65 seconds. Transfer rate 1241 Kbytes/sec.'  Its K is
1024 and the rate is cut, not rounded (checked on that line).  The printed seconds are
rounded themselves, so a rate is only doubted when no seconds within half a step give it.
"""

from __future__ import annotations

from typing import Any

from accounting.grammar.base import p_error
from accounting.grammar.times import fixed
from accounting.records import Field, Record, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "render", "tokens"]

LEXICON = [
    ("BYTES", r"\d{1,18} +bytes? transferred in(?!\S)", "n bytes transferred in"),
    ("SECONDS", r"\d{1,9}(?:\.\d{1,6})? +seconds?\.(?!\S)", "n.nn seconds."),
    ("RATE", r"Transfer rate +\d{1,12}(?:\.\d{1,6})? +Kbytes/sec\.?(?!\S)", "Transfer rate n"),
]
tokens = ["BYTES", "SECONDS", "RATE"]
_FT = Source.FT


def p_line(p: Any) -> None:
    "line : BYTES SECONDS RATE"
    count = int(p[1].split()[0])
    seconds, rate = p[2].split()[0], p[3].split()[2]
    step = 10 ** (6 - len(seconds.partition(".")[2]))
    micros = fixed(seconds, 1_000_000)
    decimals = len(rate.partition(".")[2])
    tick = 10**-decimals if decimals else 1
    fields: dict[str, Field] = {
        "bytes": Value(count, Unit.BYTE, _FT),
        "elapsed": Value(micros, Unit.US, _FT, step),
        "rate": Value(float(rate) if decimals else int(rate), Unit.KB_S, _FT, tick),
    }
    slow = count * 1_000_000 / 1024 / (micros + step / 2)
    fast = count * 1_000_000 / 1024 / (micros - step / 2) if micros > step / 2 else float("inf")
    notes: tuple[str, ...] = ()
    if not slow - tick <= float(rate) <= fast + tick:
        notes = (f"the printed rate is not bytes / 1024 / seconds, {slow:.1f} to {fast:.1f}",)
    p[0] = [("ftp_transfer", fields, notes, 0)]


def render(record: Record) -> str:
    """RECORD as the client prints it: hundredths of a second, whole Kbytes."""
    hundredths = int(record.value("elapsed").value) // 10_000
    count, rate = int(record.value("bytes").value), int(record.value("rate").value)
    seconds = f"{hundredths // 100}.{hundredths % 100:02}"
    return f"{count} bytes transferred in {seconds} seconds. Transfer rate {rate} Kbytes/sec."
