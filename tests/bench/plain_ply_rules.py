# SPDX-License-Identifier: MIT
"""The smallest ply grammar for one kind of record, as ply's own manual would write it."""

from __future__ import annotations

from typing import Any

from ply import lex, yacc

tokens = ("CONNECT", "VIRTCPU", "TOTCPU")
t_CONNECT = r"CONNECT=[ ]*\d+:\d\d:\d\d"
t_VIRTCPU = r"VIRTCPU=[ ]*\d+:\d\d\.\d\d"
t_TOTCPU = r"TOTCPU=[ ]*\d+:\d\d\.\d\d"
t_ignore = " \t"


def t_error(token: Any) -> None:
    token.lexer.skip(1)


def p_line(p: Any) -> None:
    "line : CONNECT VIRTCPU TOTCPU"
    p[0] = (p[1], p[2], p[3])


def p_error(_: object) -> None:
    return None


lexer = lex.lex(errorlog=lex.NullLogger())
parser = yacc.yacc(debug=False, write_tables=False, errorlog=yacc.NullLogger())


def plain_ply(lines: list[str]) -> int:
    """Every line through ply's lexer and parser; how many were records."""
    return sum(parser.parse(line, lexer=lexer) is not None for line in lines)
