# SPDX-License-Identifier: MIT
"""CP QUERY NAMES, QUERY USERS, QUERY FILES and the message of an AUTOLOG.

NAMES: userid padded to 8, ' - ', a terminal address or DSC, ' , ' between (z/VM 7.3 as
quoted by a program; up to four on a line is from memory).  One record per line.
USERS: 'nnn USERS, nnn DIALED' (VM/370, from memory), with ', nnn NET' on z/VM (capture).
FILES: 'FILES: 0016 RDR, 0001 PRT,   NO PUN' (z/VM, quoted by a program): NO is 0.
AUTO LOGON: '***', the userid and 'USERS = nnn', with BY on the operator's console (message sample).
"""

from __future__ import annotations

from typing import Any

from vmkb.accounting.grammar.base import Mismatch, p_error
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

LEXICON = [
    ("USERS", r"\d{1,9} +USERS(?=,)", "nnn USERS"),
    ("DIALED", r"\d{1,9} +DIALED(?=[\s,]|$)", "nnn DIALED"),
    ("NET", r"\d{1,9} +NET(?!\S)", "nnn NET"),
    (
        "NAME",
        r"[A-Z0-9@#$_+:-]{1,8} +- *[A-Z0-9]{1,8}(?=\s*(?:,|$)) *,?",
        "userid - terminal or DSC",
    ),
    ("FILES", r"FILES:(?= )", "FILES:"),
    ("SPOOL", r"(?:NO|\d{1,9}) +(?:RDR|PRT|PUN)(?=[\s,]|$)", "nnn RDR, nnn PRT, nnn PUN"),
    (
        "AUTO",
        r"AUTO LOGON +\*\*\* +[A-Z0-9@#$_+:-]{1,8} +USERS = *\d{1,9}(?!\S)",
        "AUTO LOGON *** userid USERS = nnn",
    ),
    ("BY", r"BY +[A-Z0-9@#$_+:-]{1,8}(?!\S)", "BY userid"),
    ("MORE", r"\.\.\.(?!\S)", "..."),
    ("COMMA", r",", "a comma"),
]
tokens = [name for name, _, _ in LEXICON]


def _count(text: str) -> Value:
    return Value(int(text.split()[0]), Unit.COUNT, Source.CI, 1)


def p_users(p: Any) -> None:
    """line : USERS COMMA DIALED
    | USERS COMMA DIALED COMMA NET"""
    fields: dict[str, Field] = {"users": _count(p[1]), "dialed": _count(p[3])}
    if len(p) > 4:
        fields["net"] = _count(p[5])
    p[0] = [("users", fields, (), 0)]


def p_line(p: Any) -> None:
    "line : names"
    p[0] = [("names", {"users": tuple(p[1])}, (), 0)]


def p_cut_line(p: Any) -> None:
    "line : names MORE"
    p[0] = [("names", {"users": tuple(p[1])}, ("the list goes on beyond this text",), 0)]


_SPOOL = {"RDR": "reader", "PRT": "printer", "PUN": "punch"}


def p_files(p: Any) -> None:
    "line : FILES SPOOL COMMA SPOOL COMMA SPOOL"
    fields: dict[str, Field] = {}
    for index in (2, 4, 6):
        count, name = p[index].split()
        fields[_SPOOL[name]] = _count("0" if count == "NO" else count)
    if len(fields) < 3:
        raise Mismatch(p.slice[6], "each of RDR, PRT and PUN once")
    p[0] = [("files", fields, (), 0)]


def p_auto(p: Any) -> None:
    """line : AUTO
    | AUTO BY"""
    words, _, count = p[1].rpartition("=")
    fields: dict[str, Field] = {"userid": words.split()[3], "users": _count(count)}
    if len(p) > 2:
        fields["by"] = p[2].split()[1]
    p[0] = [("auto_logon", fields, (), 0)]


def p_names(p: Any) -> None:
    "names : names NAME"
    slots = p.slice
    slots[0].value = slots[1].value
    slots[0].value.append(_name(slots[2].value))


def p_first(p: Any) -> None:
    "names : NAME"
    p[0] = [_name(p[1])]


def _name(text: str) -> tuple[str, str]:
    user, _, terminal = text.rpartition("-")
    return user.rstrip(), terminal.strip(" ,")
