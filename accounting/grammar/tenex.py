# SPDX-License-Identifier: MIT
"""PDP-10 and TENEX figures: the lines and tables of RFCs 415, 557 and 573.

RFC 415 (1972): bytes/size, real baud, CPU baud, CPU needed.  RFC 573 (1973): Table II, the
summary, and Table III, what the PFTPST program printed for each transfer.  The same rows
as CSV with the headers named in HEADS.  CPU seconds per megabit are kept as microseconds
per Mbit; 1 KB is 8192 bits.
"""

from __future__ import annotations

from typing import Any

from vmkb.accounting.grammar.base import Mismatch, p_error
from vmkb.accounting.grammar.times import CLOCK, clock, fixed, iso_date
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

HEADS = {
    "rfc415": "mode,bytes_per_string,byte_size_bits,real_kbaud,cpu_kbaud,cpu_needed_pct",
    "rfc557": "case,cpu_sec_per_megabit,approx_cost_usd_per_megabit",
    "rfc573": "subset,files,Mbits,av_file_Kbits,speed_Kbps,cpu_sec_per_Mb,cpu_msec_per_KB_derived",
}
#: Columns of each CSV: field, unit, scale (of a whole number kept instead of the decimal).
_COLUMNS: dict[str, list[tuple[str, Unit, int]]] = {
    "rfc415": [
        ("string_bytes", Unit.COUNT, 0),
        ("byte_bits", Unit.COUNT, 0),
        ("real_rate", Unit.KBIT_S, 0),
        ("cpu_rate", Unit.KBIT_S, 0),
        ("cpu", Unit.PERCENT, 0),
    ],
    "rfc557": [("cpu_per_mbit", Unit.US_MBIT, 1_000_000), ("cost", Unit.USD_MBIT, 0)],
    "rfc573": [
        ("files", Unit.COUNT, 0),
        ("volume", Unit.MBIT, 0),
        ("file_size", Unit.KBIT, 0),
        ("real_rate", Unit.KBIT_S, 0),
        ("cpu_per_mbit", Unit.US_MBIT, 1_000_000),
        ("cpu_per_kb", Unit.US_KB, 1000),
    ],
}
_N = r"\d{1,9}(?:\.\d{1,6})?"
_VERBS = "STOR|RETR|MLFL|MAIL|APPE|LIST|NLST"
LEXICON = [
    ("HEAD", r"(?m:^)(?:" + "|".join(HEADS.values()) + r")(?!\S)", "a table's CSV header"),
    ("TITLE", r"Subset of data +# Files +# bits[^\n]*(?:\n *Mbits[^\n]*)?", "Table II's header"),
    ("STRING", r"\d{1,6}/\d{1,2}(?!\S)", "bytes/size"),
    ("BAUD", rf"{_N}K(?!\S)", "kilobaud with K"),
    ("SHARE", r"\d{1,3}%(?!\S)", "a percentage"),
    ("HOST", rf"\d{{1,3}} +[A-Za-z0-9-]{{1,12}} +(?:{_VERBS})(?!\S)", "host number, name, command"),
    ("WHEN", rf"\d\d/\d\d/\d\d +{CLOCK}(?!\S)", "yy/mm/dd hh:mm:ss"),
    ("SIZES", r"\d{1,12} +\d{1,9} +\d{1,6}(?= +[IAL] )", "bits, bits per second, us per bit"),
    ("MODE", r"[IAL] +\d{1,2} +[US](?!\S)", "type, byte size, U or S"),
    (
        "SUMMARY",
        rf"[A-Z][A-Za-z0-9 -]{{0,24}}? +{_N} +{_N} +{_N} +{_N} +{_N}(?=[ \r]*(?:\n|$))",
        "a row of five numbers",
    ),
    ("NUMBER", rf"{_N}(?=[,\r\n]|$)", "a number"),
    ("CASE", r"[A-Za-z][^,\r\n]*(?=,)", "the name of a case"),
    ("COMMA", r",", "a comma"),
    ("NL", r"\n", "a new line"),
]
tokens = [name for name, _, _ in LEXICON]
_PB = Source.PB


def _value(text: str, unit: Unit, scale: int) -> Value:
    decimals = len(text.partition(".")[2])
    if scale:
        return Value(fixed(text, scale), unit, _PB, scale // 10**decimals)
    return Value(float(text) if decimals else int(text), unit, _PB, 10.0**-decimals)


def _row(table: str, case: str, numbers: list[str]) -> dict[str, Field]:
    fields: dict[str, Field] = {"table": table, "case": case}
    for (name, unit, scale), text in zip(_COLUMNS[table], numbers, strict=False):
        if text:
            fields[name] = _value(text, unit, scale)
    return fields


def _line(p: Any, token: Any) -> int:
    line: int = p.lexer.text.count("\n", 0, token.lexpos)
    return line


def p_string(p: Any) -> None:
    "table : STRING BAUD BAUD SHARE"
    size, _, bits = p[1].partition("/")
    numbers = [size, bits, p[2][:-1], p[3][:-1], p[4][:-1]]
    p[0] = [("tenex_rate", _row("rfc415", "", numbers), (), 0)]


def p_transfer(p: Any) -> None:
    "table : HOST WHEN SIZES MODE"
    site, host, verb = p[1].split()
    day, at = p[2].split()
    try:
        iso, _ = iso_date(f"{day[3:]}/{day[:2]}")
    except Mismatch as miss:
        raise Mismatch(p.slice[2], miss.expected) from None
    bits, bps, cost = (int(word) for word in p[3].split())
    kind, width, program = p[4].split()
    fields: dict[str, Field] = {
        "site": site,
        "host": host,
        "command": verb,
        "date": iso,
        "clock": clock(at, _PB),
        "volume": Value(bits / 1e6, Unit.MBIT, _PB, 1e-6),
        "real_rate": Value(bps / 1e3, Unit.KBIT_S, _PB, 1e-3),
        "cpu_per_mbit": Value(cost * 1_000_000, Unit.US_MBIT, _PB, 1_000_000),
        "type": kind,
        "byte_bits": Value(int(width), Unit.COUNT, _PB),
        "program": program,
    }
    p[0] = [("tenex_transfer", fields, (), 0)]


def p_summary(p: Any) -> None:
    "table : TITLE rows"
    if not p[2]:
        raise Mismatch(None, "a row below the header")
    p[0] = p[2]


def p_rows(p: Any) -> None:
    """rows : rows NL SUMMARY
    | rows NL
    |"""
    if len(p) == 1:
        p[0] = []
        return
    if len(p) == 4:
        words = p[3].split()
        fields = _row("rfc573", " ".join(words[:-5]), words[-5:])
        p[1].append(("tenex_rate", fields, (), _line(p, p.slice[3])))
    p[0] = p[1]


def p_csv(p: Any) -> None:
    "table : HEAD cases"
    table = next(name for name, head in HEADS.items() if head == p[1])
    wanted = len(_COLUMNS[table])
    if not p[2]:
        raise Mismatch(None, "a row below the header")
    for token, cells, _ in p[2]:
        if len(cells) != wanted:
            raise Mismatch(token, f"{wanted} numbers after the case")
    p[0] = [
        ("tenex_rate", _row(table, token.value.strip(), cells), (), line)
        for token, cells, line in p[2]
    ]


def p_cases(p: Any) -> None:
    """cases : cases NL CASE cells
    | cases NL
    |"""
    if len(p) == 1:
        p[0] = []
        return
    if len(p) == 5:
        p[1].append((p.slice[3], p[4], _line(p, p.slice[3])))
    p[0] = p[1]


def p_cells(p: Any) -> None:
    """cells : cells COMMA NUMBER
    | cells COMMA
    |"""
    if len(p) == 1:
        p[0] = []
    else:
        p[1].append(p[3] if len(p) == 4 else "")
        p[0] = p[1]
