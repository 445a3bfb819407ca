# SPDX-License-Identifier: MIT
"""The output of run, report and compare: one screen with the answer, or with --all everything."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vmkb.workloads.command.output import say

if TYPE_CHECKING:
    from vmkb.accounting.analysis.analyse import Analysis
    from vmkb.accounting.tables.table import Table

EXIT_REGRESSION = 1
EXIT_FAILED = 3
#: Notes that are printed beside the screen.
NOTES = 2
WIDTH = 80


def show(
    found: Analysis,
    notes: Sequence[str] = (),
    *,
    rest: Sequence[str] = (),
    whole: bool = False,
    fail_above: float | None = None,
) -> int:
    """Print the screen of FOUND, REST telling where more is, or WHOLE: every table, note and doubt;
    the exit code. FAIL_ABOVE: percent from which a case that became dearer is a regression."""
    notes = [*notes, *found.notes]
    if whole:
        from vmkb.accounting.analysis.first import how
        from vmkb.accounting.report.terminal import Output
        from vmkb.accounting.report.terminal import show as print_tables

        say(f"{found.sentence}\n")
        print_tables(found.tables, Output(width=None if sys.stdout.isatty() else 120))
        say(how(found))
        under = {note for table in found.tables for note in table.notes}
        notes = [note for note in notes if note not in under]
    else:
        from vmkb.accounting.analysis.first import first_screen

        say(first_screen(found, rest), nl=False)
    return said(found, notes if whole else brief(notes), fail_above, told=not whole)


def brief(notes: Sequence[str]) -> list[str]:
    """The first few notes, and how many more there are."""
    if len(notes) <= NOTES:
        return list(notes)
    return [*notes[: NOTES - 1], f"{len(notes) - NOTES + 1} more notes: --all prints them"]


def _lines(text: str) -> str:
    """TEXT as a terminal has it, which would part words; whole for other readers."""
    if not sys.stderr.isatty():
        return text
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_long_words=False)


def said(
    found: Analysis, notes: Sequence[str], fail_above: float | None = None, told: bool = False
) -> int:
    """Notes on standard error, and doubts that were not TOLD yet; the exit code."""
    from vmkb.accounting.analysis.rule import beyond

    for note in notes:
        say(_lines(f"Note: {note}"), err=True)
    for doubt in () if told else found.doubts:
        say(f"NOT TRUSTED: {doubt}", err=True)
    if found.doubts:
        return EXIT_FAILED
    if fail_above is None:
        return 0
    dearer = beyond(found.rulings, fail_above)
    for change in dearer:
        name = found.specification.cases.get(change.known.column.case, change.known.column.case)
        more = 100 * (change.ratio.value - 1)
        say(f"Beyond --fail-above {fail_above:g} %: {name} costs {more:+.2f} %.", err=True)
    return EXIT_REGRESSION if dearer else 0


def show_profile(tables: Sequence[Table]) -> None:
    """Print the layers on one screen, then what changed, and the notes of both."""
    from vmkb.accounting.profile.screen import screen
    from vmkb.accounting.profile.tables import LAYERS_NAME
    from vmkb.accounting.report.terminal import Output
    from vmkb.accounting.report.terminal import show as show_tables

    layers_of = [t for t in tables if t.name.startswith(LAYERS_NAME)]
    say(screen(layers_of))
    others = [t for t in tables if t not in layers_of]
    show_tables(others, Output(width=None if sys.stdout.isatty() else 120))
    for note in dict.fromkeys(note for t in layers_of for note in t.notes):
        say(f"Note: {note}", err=True)
