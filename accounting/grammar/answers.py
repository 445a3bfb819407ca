# SPDX-License-Identifier: MIT
"""Single lines in which VM/KB tells a program something: QUERY MODEL, the last line of CALIBRATE,
and RTMSF's settings.  Our own forms (docs/cp-commands.md, docs/formats.md)."""

from __future__ import annotations

from typing import Any

from accounting.grammar.base import p_error
from accounting.records import Field, Record, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "render", "tokens"]

_NAME = r"[A-Z0-9@#$_.+-]{1,8}"
LEXICON = [
    ("MODEL", rf"MODEL +{_NAME} +OF(?: +{_NAME})+(?!\S)", "MODEL name OF names"),
    (
        "LAYOUT",
        r"LAYOUT ERROR \d{1,9}\.\d\d PERCENT WORST \d{1,9}\.\d\d LAYOUTS \d{1,9}"
        r" COUNTER (?:EXACT|BATCHED)(?!\S)",
        "LAYOUT ERROR n.nn PERCENT WORST n.nn LAYOUTS n COUNTER word",
    ),
    (
        "SETTINGS",
        rf"INTERVAL \d{{1,9}} S, LOG (?:OFF|ON {_NAME} {_NAME}), CONSOLE O(?:N|FF)(?!\S)",
        "INTERVAL n S, LOG ON or OFF, CONSOLE ON or OFF",
    ),
]
tokens = [name for name, _, _ in LEXICON]


def p_model(p: Any) -> None:
    "line : MODEL"
    _, name, _, *known = p[1].split()
    p[0] = [("model", {"model": name, "known": " ".join(known)}, (), 0)]


def p_layout(p: Any) -> None:
    "line : LAYOUT"
    words = p[1].split()
    fields: dict[str, Field] = {
        "error": Value(float(words[2]), Unit.PERCENT, Source.IC, 0.01),
        "worst": Value(float(words[5]), Unit.PERCENT, Source.IC, 0.01),
        "layouts": Value(int(words[7]), Unit.COUNT, Source.IC, 1),
        "counter": words[9],
    }
    p[0] = [("layout_error", fields, (), 0)]


def p_settings(p: Any) -> None:
    "line : SETTINGS"
    interval, log, console = p[1].split(", ")
    seconds = Value(int(interval.split()[1]) * 1_000_000, Unit.US, Source.RT, 1_000_000)
    fields: dict[str, Field] = {
        "interval": seconds, "log": log.partition(" ")[2], "console": console.split()[1],
    }  # fmt: skip
    p[0] = [("rtm_settings", fields, (), 0)]


def render(record: Record) -> str:
    """RECORD as VM/KB prints it."""
    if record.kind == "model":
        return f"MODEL {record.word('model')} OF {record.word('known')}"
    if record.kind == "rtm_settings":
        seconds = int(record.value("interval").value) // 1_000_000
        return f"INTERVAL {seconds} S, LOG {record.word('log')}, CONSOLE {record.word('console')}"
    error, worst = (record.value(name).value for name in ("error", "worst"))
    return (
        f"LAYOUT ERROR {error:07.2f} PERCENT WORST {worst:07.2f}"
        f" LAYOUTS {int(record.value('layouts').value):04} COUNTER {record.word('counter')}"
    )
