# SPDX-License-Identifier: MIT
"""What a KB costs by machine, by the counts and as QUERY TIME prints it. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from accounting.costs import TrialCost
from accounting.models import Model
from accounting.tables.group import TOTAL, Measure, instr_kb, part_us_kb, total_us_kb
from accounting.tables.table import STEP_NOTE, Row, Section, Table, word
from workloads.dxu.tables.figures import PUBLISHED, cell, heads, interval, of_table, param


def cost_table(
    counted: Iterable[TrialCost], asked: Iterable[TrialCost], model: Model
) -> Table | None:
    """A line for each machine of each case: COUNTED by instructions, ASKED as QUERY TIME prints it;
    None without trials."""
    counted, asked = list(counted), list(asked)
    sections = []
    for number in PUBLISHED:
        printed = of_table(asked, number)
        for key, group in of_table(counted, number).items():
            case, release = key
            rows = []
            whole = bool(param(group[0], "beside"))  # nobody in it is asked for his own time
            for label in (*(p.label for p in group[0].parts), TOTAL):
                cost: Measure = total_us_kb if label == TOTAL else part_us_kb(label)
                rows.append(
                    Row(
                        case,
                        (
                            word(release),
                            word(label),
                            cell(group, instr_kb(label), "instr/KB"),
                            cell(group, cost, "us/KB"),
                            interval(group, cost, "us/KB"),
                            word("-") if whole else cell(printed[key], cost, "us/KB"),
                            word(str(len(group))),
                        ),
                    )
                )
            sections.append(Section("body", tuple(rows)))
    if not sections:
        return None
    head = heads(
        "Case", "Release", "Machine", "Instructions per KB (IC)", "CPU/KB usec (IC)", "Interval",
        "the same as QUERY TIME prints it (QT)", "n",
    )  # fmt: skip
    texts = [c.text for s in sections for r in s.rows for c in r.cells]
    notes = (
        f"CPU through {model.describe()}.",
        "QUERY TIME prints hundredths of a second. Under a model it makes them of the same counts,"
        " so that column is the coarse one that a classic system gives, and no witness.",
        *([STEP_NOTE] if any(x.startswith("<") or "+/-" in x for x in texts) else []),
    )
    return Table("cost", "What a KB costs, by machine",
                 (Section("head", (head,)), *sections), notes, keys=3)  # fmt: skip
