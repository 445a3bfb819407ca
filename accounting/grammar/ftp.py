# SPDX-License-Identifier: MIT
"""The FTP client's console message with bytes, seconds and rate.

'2097152 bytes transferred in 1.65 seconds. Transfer rate 1241 Kbytes/sec.'  Its K is
1024 and the rate is cut, not rounded (checked on that line).  The printed seconds are
rounded themselves, so a rate is only doubted when no seconds within half a step give it.
"""

from __future__ import annotations

from typing import Any

from accounting.grammar.base import p_error
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
    slots = p.slice
    count = int(slots[1].value.split()[0])
    seconds, rate = slots[2].value.split()[0], slots[3].value.split()[2]
    whole, _, part = seconds.partition(".")
    step = _STEPS[len(part)]
    micros = int(whole) * 1_000_000 + (int(part) * step if part else 0)
    decimals = len(rate.partition(".")[2])
    tick = 10**-decimals if decimals else 1
    printed = float(rate) if decimals else int(rate)
    fields: dict[str, Field] = {
        "bytes": _new(Value, (count, Unit.BYTE, _FT, 0)),
        "elapsed": _new(Value, (micros, Unit.US, _FT, step)),
        "rate": _new(Value, (printed, Unit.KB_S, _FT, tick)),
    }
    kilobytes = count * 1_000_000 / 1024
    slow = kilobytes / (micros + step / 2)
    fast = kilobytes / (micros - step / 2) if micros > step / 2 else float("inf")
    notes: tuple[str, ...] = ()
    if not slow - tick <= printed <= fast + tick:
        notes = (f"the printed rate is not bytes / 1024 / seconds, {slow:.1f} to {fast:.1f}",)
    slots[0].value = [("ftp_transfer", fields, notes, 0)]


_STEPS = [10 ** (6 - digits) for digits in range(7)]
_new = tuple.__new__


def render(record: Record) -> str:
    """RECORD as the client prints it: hundredths of a second, whole Kbytes."""
    hundredths = int(record.value("elapsed").value) // 10_000
    count, rate = int(record.value("bytes").value), int(record.value("rate").value)
    seconds = f"{hundredths // 100}.{hundredths % 100:02}"
    return f"{count} bytes transferred in {seconds} seconds. Transfer rate {rate} Kbytes/sec."
