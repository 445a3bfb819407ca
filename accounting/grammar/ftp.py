# SPDX-License-Identifier: MIT
"""The FTP clients' messages with bytes, time and rate.

'2097152 bytes transferred in 1.65 seconds. Transfer rate 1241 Kbytes/sec.'  Its K is
1024 and the rate is cut, not rounded (checked on that line).  The printed seconds are
rounded themselves, so a rate is only doubted when no seconds within half a step give it.

'1362944 bytes sent in 00:00 (22.75 MiB/s)' is tnftp's (Debian, a running Linux): its time is cut to
seconds, so what it says is the middle of a second, give or take half of one; the rate is cut too.
"""

from __future__ import annotations

from typing import Any

from vmkb.accounting.grammar.base import p_error
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

LEXICON = [
    ("BYTES", r"\d{1,18} +bytes? transferred in(?!\S)", "n bytes transferred in"),
    ("SECONDS", r"\d{1,9}(?:\.\d{1,6})? +seconds?\.(?!\S)", "n.nn seconds."),
    (
        "CUT",
        r"\d{1,18} bytes? (?:sent|received) in (?: ?\d{1,2}:)?\d\d:\d\d(?!\S)",
        "n bytes sent in mm:ss",
    ),
    ("BINARY", r"\( *\d{1,4}\.\d\d [KMGT]iB/s\)(?!\S)", "(n.nn MiB/s)"),
    ("RATE", r"Transfer rate +\d{1,12}(?:\.\d{1,6})? +Kbytes/sec\.?(?!\S)", "Transfer rate n"),
]
tokens = [name for name, _, _ in LEXICON]
_KB = {"KiB/s)": 1, "MiB/s)": 1 << 10, "GiB/s)": 1 << 20, "TiB/s)": 1 << 30}
SECOND = 1_000_000
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


def p_cut(p: Any) -> None:
    "line : CUT BINARY"
    count, _, _, _, at = p[1].split(None, 4)
    seconds = 0
    for part in at.split(":"):
        seconds = 60 * seconds + int(part)
    number, unit = p[2][1:].split()
    scale = _KB[unit]
    rate = Value(int(number.replace(".", "")) * scale / 100, Unit.KB_S, _FT, scale / 100)
    fields: dict[str, Field] = {
        "bytes": Value(int(count), Unit.BYTE, _FT),
        "elapsed": Value(seconds * SECOND + SECOND // 2, Unit.US, _FT, SECOND),
        "rate": rate,
    }
    kilobytes = int(count) / 1024
    notes: tuple[str, ...] = ()
    # The rate is cut at each of two steps.
    if not seconds * rate.value <= kilobytes < (seconds + 1) * (rate.value + 2 * rate.tick):
        notes = ("the printed rate is not that of bytes and time",)
    p[0] = [("ftp_transfer", fields, notes, 0)]


_STEPS = [10 ** (6 - digits) for digits in range(7)]
_new = tuple.__new__
