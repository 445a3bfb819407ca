# SPDX-License-Identifier: MIT
"""CP INDICATE USER: VM/370's two lines, and z/VM's block with one pair of lines per CPU.

The VM/370 manual's text is an OCR reading that mixes '-' and '=' after the names: both
are taken.  Its times are minutes:seconds, too coarse for CPU per KB.  z/VM's CTIME is
hours:minutes.  A z/VM user with n CPUs gives n records; the first has the user's pages.
"""

from __future__ import annotations

import re
from typing import Any

from vmkb.accounting.grammar.base import p_error
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

_NUMBERS = (
    "RES|WS|READS|WRITES|DISK|DRUM|SIO|IO|RDR|PRT|PCH"
    "|LOCKEDREAL|LOCKED|RESVD|INSTAN|NPREF|PREF|DEVNUM"
)
_WORDS = {
    "MACH": "machine",
    "STOR": "defined",
    "VIRT": "virtual",
    "XSTORE": "expanded",
    "IPLSYS": "ipl",
    "TYPE": "type",
    "CPUAFFIN": "affinity",
}
LEXICON = [
    (
        "EXPANDED",
        r"XSTORE=[ ]*\d{1,12} +READS=[ ]*\d{1,12} +WRITES=[ ]*\d{1,12} +MIGRATES=[ ]*\d{1,12}"
        r"(?!\S)",
        "XSTORE=nnnnnn READS=nnnnnn WRITES=nnnnnn MIGRATES=nnnnnn",
    ),
    ("USERID", r"USERID=[ ]*\S{1,8}(?!\S)", "USERID=name"),
    ("NUMBER", rf"(?:{_NUMBERS})[-=][ ]*\d{{1,12}}(?!\S)", "RES-nnnn, WS-nnnn, READS=nnnnnn"),
    ("TIME", r"(?:VTIME|TTIME|CTIME)[-=][ ]*\d{1,9}:[0-5]\d(?!\S)", "VTIME=nnn:nn TTIME=nnn:nn"),
    ("PAGES", r"PAGES:", "PAGES:"),
    ("CPU", r"CPU +[0-9A-F]{2}:", "CPU nn:"),
    (
        "WORD",
        r"(?:MACH|STOR|VIRT|XSTORE|TYPE|CPUAFFIN)[-=]\S+"
        r"|IPLSYS=[^\n]\S*+(?:(?![^\S\n]++DEVNUM=)[^\S\n]++\S++)*",
        "another z/VM field",
    ),
    ("NL", r"\n", "a new line"),
]
tokens = [name for name, _, _ in LEXICON]
_FIELD = {
    "RES": ("resident", Unit.PAGE),
    "WS": ("wss", Unit.PAGE),
    "READS": ("reads", Unit.COUNT),
    "WRITES": ("writes", Unit.COUNT),
    "DISK": ("disk", Unit.PAGE),
    "DRUM": ("drum", Unit.PAGE),
    "SIO": ("sio", Unit.COUNT),
    "IO": ("sio", Unit.COUNT),
    "RDR": ("reader", Unit.COUNT),
    "PRT": ("printer", Unit.COUNT),
    "PCH": ("punch", Unit.COUNT),
    "LOCKEDREAL": ("locked", Unit.PAGE),
    "LOCKED": ("locked", Unit.PAGE),
    "RESVD": ("reserved", Unit.PAGE),
    "INSTAN": ("instantiated", Unit.PAGE),
    "NPREF": ("not_preferred", Unit.PAGE),
    "PREF": ("preferred", Unit.PAGE),
    "DEVNUM": ("devices", Unit.COUNT),
}
_MINUTE = 60_000_000


def p_vm370(p: Any) -> None:
    "user : PAGES parts"
    p[0] = [("indicate_user", dict(p[2]), (), 0)]


def p_zvm(p: Any) -> None:
    "user : USERID parts NL PAGES parts cpus"
    first: dict[str, Field] = {"userid": p[1][7:].strip(), **dict(p[2]), **dict(p[5])}
    records = []
    text, at, counted = p.lexer.text, 0, 0
    for number, (begin, fields) in enumerate(p[6]):
        at, counted = at + text.count("\n", counted, begin), begin
        shared = first if number == 0 else {"userid": first["userid"]}
        records.append(("indicate_user", {**shared, **fields}, (), 0 if number == 0 else at))
    p[0] = records


def p_cpus(p: Any) -> None:
    """cpus : cpus cpu
    | cpu"""
    if len(p) == 3:
        p[1].append(p[2])
        p[0] = p[1]
    else:
        p[0] = [p[1]]


def p_cpu(p: Any) -> None:
    "cpu : CPU parts"
    p[0] = (p.slice[1].lexpos, {"processor": p[1][3:-1].strip(), **dict(p[2])})


def p_parts(p: Any) -> None:
    "parts : parts part"
    if p[2]:
        p[1].append(p[2])
    p[0] = p[1]


def p_no_parts(p: Any) -> None:
    "parts :"
    p[0] = []


def p_number(p: Any) -> None:
    "part : NUMBER"
    name, value = re.split("[-=]", p[1])
    field, unit = _FIELD[name]
    p[0] = (field, Value(int(value), unit, Source.CI, 1))


def p_time(p: Any) -> None:
    "part : TIME"
    name, value = re.split("[-=]", p[1])
    big, small = (int(part) for part in value.split(":"))
    if name == "CTIME":
        p[0] = ("connect", Value((big * 60 + small) * _MINUTE, Unit.US, Source.CI, _MINUTE))
    else:
        micros = (big * 60 + small) * 1_000_000
        p[0] = (name.lower(), Value(micros, Unit.US, Source.CI, 1_000_000))


def p_word(p: Any) -> None:
    "part : WORD"
    name, value = re.split("[-=]", p[1], maxsplit=1)
    p[0] = (_WORDS[name], value)


def p_expanded(p: Any) -> None:
    "part : EXPANDED"
    p[0] = ("expanded_pages", Value(int(p[1].split("=")[1].split()[0]), Unit.PAGE, Source.CI, 1))


def p_line_end(p: Any) -> None:
    "part : NL"
    p[0] = None
