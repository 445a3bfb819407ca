# SPDX-License-Identifier: MIT
"""What run, report and compare print: one screen with the answer, or with --all everything."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from accounting.costs import TrialCost
    from accounting.tables.table import Table

from accounting.counter import BUILD, COUNTER, build_note, counter_note
from accounting.shown import plain

EXIT_UNTRUSTED = 1
#: Notes that are printed beside the screen.
NOTES = 3


def setup(costs: Sequence[TrialCost]) -> str:
    """What was run on what, in a few words; nothing for what nobody recorded."""
    if not costs:
        return ""
    meta = costs[0].trial.meta
    said = []
    if meta.get("emulator"):
        counter = f", {meta[COUNTER]} counter" if meta.get(COUNTER) else ""
        said.append(f"{meta['emulator']} {meta.get('emulator_version', '')}".strip() + counter)
    said += [f"{k} {meta[k]}" for k in ("model", "wire") if meta.get(k)]
    fewest: dict[tuple[str, str], int] = {}
    for cost in costs:
        key = cost.trial.case, cost.trial.release
        fewest[key] = fewest.get(key, 0) + 1
    counts = sorted(set(fewest.values()))
    said.append(f"trials of a case: {', '.join(map(str, counts))}")
    builds = len({c.trial.params.get(BUILD, "1") for c in costs})
    several = len({c.trial.release for c in costs}) > 1
    said += [n for n in (counter_note(meta), build_note(meta, builds) if several else "") if n]
    return "; ".join(said) + "."


def show(
    tables: Sequence[Table],
    sentence: str,
    doubts: Sequence[str],
    notes: Sequence[str],
    *,
    rest: str,
    about: str = "",
    whole: bool = False,
) -> int:
    """Print the screen, or WHOLE: every table, note and doubt; the exit code."""
    if whole:
        from accounting.report.terminal import Output
        from accounting.report.terminal import show as print_tables

        click.echo(plain(f"{sentence}\n"))
        print_tables(tables, Output(width=None if sys.stdout.isatty() else 120))
    else:
        from accounting.report.screen import screen

        click.echo(plain(screen(sentence, tables, doubts, rest, about)), nl=False)
    return said(doubts if whole else (), notes if whole else brief(notes), bool(doubts))


def brief(notes: Sequence[str]) -> list[str]:
    """The first few notes, and how many more there are."""
    if len(notes) <= NOTES:
        return list(notes)
    return [*notes[: NOTES - 1], f"{len(notes) - NOTES + 1} more notes: --all prints them"]


def said(doubts: Sequence[str], notes: Sequence[str], untrusted: bool) -> int:
    """Notes and doubts on standard error; the exit code."""
    for note in notes:
        click.echo(plain(f"Note: {note}"), err=True)
    for doubt in doubts:
        click.echo(plain(f"NOT TRUSTED: {doubt}"), err=True)
    return EXIT_UNTRUSTED if untrusted else 0
