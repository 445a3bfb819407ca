# SPDX-License-Identifier: MIT
"""Tables in Markdown and in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vmkb.accounting.tables.table import Table

_MARKDOWN = re.compile(r"([\\|*_<>`\[\]~#]|&(?=[#\w]))")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def escaped(text: str) -> str:
    """TEXT in one line of Markdown, which shows it as it is."""
    return _MARKDOWN.sub(r"\\\1", text.replace("\n", " "))


def markdown(tables: Sequence[Table], doubts: Sequence[str] = ()) -> str:
    """TABLES as GitHub Markdown: a pipe table each, sections divided by a word in bold; DOUBTS."""
    out = []
    for table in tables:
        out += [f"## {escaped(table.title)}", ""] if table.title else []
        first, *more = table.head
        out.append("| " + " | ".join(escaped(x) for x in (first.label, *table.columns)) + " |")
        out.append("|---|" + "---|" * table.keys + "---:|" * (len(table.columns) - table.keys))
        for row in more:
            out.append(
                "| " + " | ".join(escaped(x) for x in (row.label, *_texts(row.cells))) + " |"
            )
        for section in table.body:
            if section.kind == "ratio":
                out.append("| **Ratio to base** |" + " |" * len(table.columns))
            for row in section.rows:
                out.append(
                    "| " + " | ".join(escaped(x) for x in (row.label, *_texts(row.cells))) + " |"
                )
        out.append("")
        out += [f"- {escaped(note)}" for note in table.notes]
        out.append("")
    if doubts:
        out += [*(f"- **Not trusted:** {escaped(doubt)}" for doubt in doubts), ""]
    return "\n".join(out)


def _texts(cells: Sequence[object]) -> list[str]:
    return [c.text for c in cells]  # type: ignore[attr-defined]


def _tex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def latex(tables: Sequence[Table], doubts: Sequence[str] = ()) -> str:
    """TABLES as longtable environments (packages longtable, booktabs), which break over pages;
    DOUBTS."""
    out = ["% needs \\usepackage{longtable,booktabs}"]
    for table in tables:
        line = "l" * (1 + table.keys) + "r" * (len(table.columns) - table.keys)
        out += [r"\begin{longtable}{" + line + "}", r"\caption{" + _tex(table.title) + r"} \\",
                r"\toprule"]  # fmt: skip
        for row in table.head:
            out.append(" & ".join(_tex(x) for x in (row.label, *_texts(row.cells))) + r" \\")
        out.append(r"\midrule")
        out.append(r"\endhead")
        for k, section in enumerate(table.body):
            if k:
                out.append(r"\midrule")
            for row in section.rows:
                out.append(" & ".join(_tex(x) for x in (row.label, *_texts(row.cells))) + r" \\")
        out += [r"\bottomrule", r"\end{longtable}"]
        out += [r"\noindent " + _tex(n) + r"\par" for n in table.notes]
        out.append("")
    out += [r"\noindent\textbf{Not trusted:} " + _tex(d) + r"\par" for d in doubts]
    return "\n".join(out)
