# SPDX-License-Identifier: MIT
"""Single lines in which VM/KB tells a program something: QUERY MODEL, the last line of CALIBRATE,
RTMSF's settings, and what GMSBENCH, GMSREAD and GMSWRITE did.  Our own forms
(docs/reference/cp-commands.md, docs/reference/formats.md)."""

from __future__ import annotations

from typing import Any

from vmkb.accounting.grammar.base import p_error
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

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
    (
        "CALLS",
        r"GMS CALLS \d{1,9} OF \d{1,5} BYTES BY \d{1,3} IN \d{1,12} US FAILED \d{1,9}(?!\S)",
        "GMS CALLS n OF n BYTES BY n IN n US FAILED n",
    ),
    (
        "DATA",
        r"FTP DATA \d{1,9} CONNECTIONS \d{1,18} BYTES IN \d{1,15} US(?!\S)",
        "FTP DATA n CONNECTIONS n BYTES IN n US",
    ),
    (
        "PAGES",
        r"GMS (?:READ|WRITE) \d{1,12} BYTES \d{1,3} AHEAD IN \d{1,12} US SUM [0-9A-F]{8}(?!\S)",
        "GMS READ or WRITE n BYTES n AHEAD IN n US SUM hhhhhhhh",
    ),
]
tokens = [name for name, _, _ in LEXICON]


def _numbers(words: list[str], source: Source, **at: tuple[int, Unit]) -> dict[str, Field]:
    """The whole numbers among WORDS, by their fields: the place of each, and its unit."""
    return {name: Value(int(words[n]), unit, source, 1) for name, (n, unit) in at.items()}


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


def p_calls(p: Any) -> None:
    "line : CALLS"
    count = Unit.COUNT
    fields = _numbers(
        p[1].split(), Source.PM, calls=(2, count), bytes=(4, Unit.BYTE), callers=(7, count),
        elapsed=(9, Unit.US), failed=(12, count),
    )  # fmt: skip
    p[0] = [("gms_calls", fields, (), 0)]


def p_data(p: Any) -> None:
    "line : DATA"
    fields = _numbers(
        p[1].split(), Source.FT, connections=(2, Unit.COUNT), bytes=(4, Unit.BYTE),
        elapsed=(7, Unit.US),
    )  # fmt: skip
    p[0] = [("ftp_data", fields, (), 0)]


def p_pages(p: Any) -> None:
    "line : PAGES"
    words = p[1].split()
    fields = _numbers(
        words, Source.PM, bytes=(2, Unit.BYTE), ahead=(4, Unit.COUNT), elapsed=(7, Unit.US)
    )
    fields["sum"] = words[10]
    p[0] = [(f"gms_{words[1].lower()}", fields, (), 0)]
