# SPDX-License-Identifier: MIT
"""Tables in Markdown and in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vmkb.accounting.tables.table import Row, Table

_MARKDOWN = re.compile(r"([\\|*_<>`\[\]~#]|&(?=[#\w]))")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def escaped(text: str) -> str:
    """TEXT in one line of Markdown, which shows it as it is."""
    return _MARKDOWN.sub(r"\\\1", text.replace("\n", " "))


def _piped(texts: Sequence[str]) -> str:
    return f"| {' | '.join(map(escaped, texts))} |"


def markdown(tables: Sequence[Table], doubts: Sequence[str] = ()) -> str:
    """TABLES as GitHub Markdown: a pipe table each, sections divided by a word in bold; DOUBTS."""
    out = []
    for table in tables:
        out += [f"## {escaped(table.title)}", ""] if table.title else []
        first, *more = table.head
        out.append(_piped((first.label, *table.columns)))
        out.append("|---|" + "---|" * table.keys + "---:|" * (len(table.columns) - table.keys))
        out += [_piped(row.texts) for row in more]
        for section in table.body:
            if section.kind == "ratio":
                out.append("| **Ratio to base** |" + " |" * len(table.columns))
            out += [_piped(row.texts) for row in section.rows]
        out += ["", *(f"- {escaped(note)}" for note in table.notes), ""]
    if doubts:
        out += [*(f"- **Not trusted:** {escaped(doubt)}" for doubt in doubts), ""]
    return "\n".join(out)


def _tex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def _aligned(row: Row) -> str:
    return " & ".join(map(_tex, row.texts)) + r" \\"


def latex(tables: Sequence[Table], doubts: Sequence[str] = ()) -> str:
    """TABLES as longtable environments (packages longtable, booktabs), which break over pages;
    DOUBTS."""
    out = ["% needs \\usepackage{longtable,booktabs}"]
    for table in tables:
        line = "l" * (1 + table.keys) + "r" * (len(table.columns) - table.keys)
        out += [r"\begin{longtable}{" + line + "}", r"\caption{" + _tex(table.title) + r"} \\",
                r"\toprule", *map(_aligned, table.head), r"\midrule", r"\endhead"]  # fmt: skip
        for k, section in enumerate(table.body):
            out += [*([r"\midrule"] if k else []), *map(_aligned, section.rows)]
        out += [r"\bottomrule", r"\end{longtable}"]
        out += [*(r"\noindent " + _tex(n) + r"\par" for n in table.notes), ""]
    out += [r"\noindent\textbf{Not trusted:} " + _tex(d) + r"\par" for d in doubts]
    return "\n".join(out)
