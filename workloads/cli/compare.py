# SPDX-License-Identifier: MIT
"""vmkb compare: two results, or the releases of one, in the release table."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from vmkb import given as files
from vmkb.errors import VmkbError
from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.number import Number
from vmkb.workloads.command.output import say
from vmkb.workloads.command.show import said, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vmkb.accounting.analysis.analyse import Analysis
    from vmkb.accounting.store import Trial


NO_TIME = "no machine has two QUERY TIME responses, and there are no accounting cards"
NO_READY = "no Ready message has T="
TO_LOG = (
    "give console logs with QUERY TIME before and after the work, or with Ready; T= behind commands"
    " (CMS: SET RDYMSG LMSG)"
)


class Loaded(NamedTuple):
    """Trials, what is to be told about them, why they are not to be trusted, those that did
    not come to their end, and, of a log, what its Ready messages say and what is not used."""

    trials: list[Trial]
    notes: list[str]
    doubts: list[str]
    unfinished: list[Trial]
    ready: Sequence[Trial] = ()
    unused: Sequence[str] = ()


def from_csv(path: Path, given: tuple[str, ...] = ()) -> list[Trial]:
    """Trials of printed figures (run_id, release, rate_kb_s, *_ms_kb), comments allowed; GIVEN
    says what the columns of any other table hold, as for vmkb table."""
    if given:
        from vmkb.accounting.input.mapped import MappingError, mapped_trials, read_map, read_rows
        from vmkb.workloads.cli.table import mapping, read_csv

        try:
            return mapped_trials(read_rows(read_csv(path), read_map(mapping(given))), path.name)
        except MappingError as error:
            raise Refused(f"{path}: {error}") from None
    from vmkb.accounting.published import figure_trials
    from vmkb.workloads.cli.table import TABLE

    try:
        with io.StringIO(files.text(path, TABLE).removeprefix("\ufeff"), newline="") as f:
            rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
        return figure_trials(tuple(rows), path.name)
    except OSError as error:
        raise Refused(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, csv.Error) as error:
        raise Refused(
            f"{path}: not a table of figures: {error}; it needs the columns run_id, release,"
            " one <part>_ms_kb for each machine, and rate_kb_s if known, or --map"
        ) from error


def from_log(where: str, kb: float | None, user: str, case_from: str) -> Loaded:
    """A console log's trials; KB (if given) is how much data was moved in each. '-' is standard
    input."""
    from vmkb.accounting.input.commands import command_trials
    from vmkb.accounting.input.logs import log_trials, unused
    from vmkb.accounting.input.reading import ReadingError, items, opened
    from vmkb.accounting.records import Source, Unit, Value

    data = Value(kb, Unit.KB, Source.PB) if kb else None
    name = "standard input" if where == "-" else Path(where).name
    try:
        with opened(where) as stream:
            found = list(items(stream, where, keep_text=True))
            trials, notes = log_trials(name, found, user, data, case_from)
            ready = command_trials(name, found)
    except ReadingError as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"cannot read {where}: {error.strerror or error}") from None
    if not trials and not ready:
        raise Refused(f"{where}: {NO_TIME}, {NO_READY}; {TO_LOG}")
    if kb:
        notes.append(f"{where}: {kb:g} KB is the number given with --kb (PB)")
    doubts = []
    if not any(t.data or any(r.kind == "ftp_transfer" for r in t.records) for t in trials):
        doubts.append(f"{where} does not say how many bytes were moved, so CPU per KB is not"
                      " known: give --kb N, the KB moved in each trial")  # fmt: skip
    return Loaded(trials, notes, doubts, [], ready, unused(name, found))


def load(
    where: str,
    kb: float | None = None,
    user: str = "",
    case_from: str = "",
    given: tuple[str, ...] = (),
) -> Loaded:
    """The trials of DIR, DIR:RELEASE, results file, CSV file of figures, console log."""
    from vmkb.accounting.store import read

    if where == "-":
        return from_log(where, kb, user, case_from)
    path, release = Path(where), ""
    if not path.exists() and ":" in where:
        head, release = where.rsplit(":", 1)
        path = Path(head)
    if not path.exists():
        raise Refused(f"{where}: there is no such results directory or file")
    lost: list[Trial] = []
    if path.suffix == ".csv":
        trials, notes = from_csv(path, given), []
    elif not path.is_dir() and path.suffix != ".jsonl":
        return from_log(where, kb, user, case_from)
    else:
        found = read(path)
        trials, notes = list(found.trials), list(found.notes)
        lost = [t for t in found.unfinished if not release or t.release == release]
        if found.unfinished:
            notes.append(f"{path}: {len(found.unfinished)} unfinished trials are left out")
    if release:
        trials = [t for t in trials if t.release == release]
        if not trials:
            raise Refused(f"{path} has no finished trial of release {release!r}")
    return Loaded(trials, notes, [], lost)


def _home(where: str) -> Path:
    """The directory or file that WHERE names, without a release."""
    return Path(where if Path(where).exists() else where.rsplit(":", 1)[0]).resolve()


def together(
    base: str,
    new: str | None,
    kb: float | None = None,
    user: str = "",
    case_from: str = "",
    given: tuple[str, ...] = (),
    source: str = "",
) -> Loaded:
    """Trials of BASE, then of NEW; releases of one name are told apart by their directories. SOURCE
    RM: of logs, their Ready messages."""
    names = [base, *([] if new is None else [new])]
    sides = [load(where, kb, user, case_from, given) for where in names]
    loaded, *rest = _in_one_way(sides, names, source.upper(), kb, case_from)
    if new is None:
        return loaded
    trials, notes, doubts, lost, *_ = loaded
    ((others, more, further, gone, *_),) = rest
    if _home(base) != _home(new):
        # Trials of two directories never ran side by side, whatever their runs are called.
        others = [replace(t, run=f"{t.run} of {new}") for t in others]
    both = {t.release for t in trials} & {t.release for t in others}
    if both:
        here, there = _home(base).name, _home(new).name
        if here == there:
            here, there = "base", "new"
        trials = [replace(t, release=f"{t.release} {here}") for t in trials]
        others = [replace(t, release=f"{t.release} {there}") for t in others]
    last = max((t.seq for t in trials), default=0) + 1
    every = [*trials, *(replace(t, seq=t.seq + last) for t in others)]
    return Loaded(every, [*notes, *more], [*doubts, *further], [*lost, *gone])


def _in_one_way(
    sides: list[Loaded], names: list[str], source: str, kb: float | None, case_from: str
) -> list[Loaded]:
    """SIDES by what SOURCE names, else by QUERY TIME where all of them have it and the bytes moved,
    else by Ready messages where all have them."""
    from vmkb.accounting.input.commands import CommandError, matched

    known = all(side.trials and not side.doubts for side in sides)
    by_ready = source == "RM" or not (source or known) and all(side.ready for side in sides)
    for where, side in zip(names, sides, strict=True):
        if not (side.ready if by_ready else side.trials) and (by_ready or side.ready):
            raise Refused(f"{where}: {NO_READY if by_ready else NO_TIME}; {TO_LOG}")
    if not by_ready:
        return [*(side._replace(notes=[*side.notes, *side.unused]) for side in sides)]
    try:
        found, notes = matched([side.ready for side in sides])
    except CommandError as error:
        raise Refused(str(error)) from None
    if kb or case_from:
        notes.append("--kb and --case-from are for QUERY TIME: Ready messages are compared by"
                     " command")  # fmt: skip
    elif not source and all(side.trials for side in sides):
        notes.append("for CPU per KB by QUERY TIME give --kb N, the KB moved in each trial")
    notes += [note for side in sides for note in side.unused]
    return [Loaded(trials, notes if k == 0 else [], [], []) for k, trials in enumerate(found)]


def options(command: Any) -> Any:
    """The options that compare and report share."""
    for option in reversed(
        [
            click.option("--source", default="", help="QT, IC, AC, HT, PB or RM; default: IC where"
                         " there are counts, else QT; RM, a log's Ready messages, without QT."),
            click.option("--model", default="", help="Machine model for instruction counts."),
            click.option("--base", "base_release", default="", help="Release to compare with."),
            click.option("--layout", multiple=True, help="release, wide, utilization, sweep or"
                         " beside; may be given more than once."),
            click.option("--sweep", default="", help="Parameter for the sweep table."),
            click.option("--allow", multiple=True, metavar="KEY",
                         help="Compare although KEY (emulator, wire, ...) differs."),
            click.option("--width", "target", default=1.0, show_default=True,
                         help="Percent that a case may have changed and be called the same."),
            click.option("--fail-above", type=Number(-100), metavar="PERCENT",
                         help="Exit with 1 if a case became dearer by more than this."),
        ]
    ):  # fmt: skip
        command = option(command)
    return command


def make(loaded: Loaded, published: bool = True, **given: Any) -> Analysis:
    """The analysis of trials; every refusal becomes a sentence and exit code 2."""
    from vmkb.accounting.analysis.analyse import Options
    from vmkb.accounting.tables.table import TableError
    from vmkb.workloads.base.report import analysed

    layouts = (*given["layout"], *(["sweep"] if given["sweep"] and given["layout"] else []))
    asked = Options(
        source=given["source"], model=given["model"], base=given["base_release"],
        target=given["target"], allow=given["allow"], layouts=tuple(dict.fromkeys(layouts)),
        sweep=given["sweep"], published=published,
    )  # fmt: skip
    try:
        found = analysed(loaded.trials, asked, loaded.unfinished)
    except VmkbError as error:
        why = loaded.doubts[0] if loaded.doubts and isinstance(error, TableError) else str(error)
        raise Refused(why) from error
    return replace(found, doubts=tuple(dict.fromkeys([*loaded.doubts, *found.doubts])))


def emit(found: Analysis, form: str, out: str | None, title: str) -> None:
    """Print FOUND as FORM, to the file OUT or to standard output."""
    from vmkb.accounting.report import data, formats

    if form == "parquet":
        if not out:
            raise Refused("parquet is no text: give a file with --out")
        data.write_parquet(found.tables, Path(out))
        return
    text = formats.render(found, form, title=title)
    if out:
        Path(out).write_text(text, "utf-8")
    else:
        say(text, nl=False)


@click.command("compare")
@click.argument("base")
@click.argument("new", required=False)
@options
@click.option("--to", "form", default="terminal", show_default=True,
              type=click.Choice(["terminal", "markdown", "csv", "json", "latex", "html",
                                 "benchfmt", "parquet"]))  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False), help="File to write to.")
@click.option(
    "--kb",
    type=Number(0, 1e12, min_open=True),
    help="KB moved in each trial, where a log does not say.",
)
@click.option("--case-from", default="", metavar="WHAT",
              help="Name a log's trials: 'command', what was typed first in each, or a regular"
              " expression for a line above its end.")  # fmt: skip
@click.option("--user", default="", help="Userid of samples that name nobody in a console log.")
@click.option("--map", "mapped", multiple=True, metavar="KEY=COLUMN[:UNIT]|FILE",
              help="What the columns of a CSV table hold, as for vmkb table.")  # fmt: skip
@click.option("--all", "whole", is_flag=True, help="Print every table and note.")
def command(
    base: str,
    new: str | None,
    form: str,
    out: str | None,
    kb: float | None,
    user: str,
    case_from: str,
    mapped: tuple[str, ...],
    whole: bool,
    fail_above: float | None,
    **given: Any,
) -> None:
    """Compare BASE with NEW: result directories, DIR:RELEASE, console logs with QUERY TIME
    before and after the work or with Ready; T= behind commands, or CSV files of printed figures.

    Without NEW, the releases found in BASE are compared with the first of them. Exit codes: 0
    compared, 1 a case became dearer than --fail-above allows, 2 usage, 3 a trial failed or is not
    to be trusted, and the reason is printed.
    """
    from vmkb.accounting.store import StoreError

    if base == new == "-":
        raise Refused("standard input can be read once: give a file for one of the two")
    try:
        re.compile(case_from)
    except re.error as error:
        raise Refused(f"--case-from {case_from!r} is no regular expression: {error}") from None
    try:
        loaded = together(base, new, kb, user.upper(), case_from, mapped, given["source"])
    except StoreError as error:
        raise Refused(str(error)) from error
    if given["source"].upper() == "RM":
        given["source"] = ""  # the trials say it, so that their own tables are made
    found = make(loaded, published=False, **given)
    if form == "terminal" and not out:
        asked = whole or bool(given["layout"] or given["sweep"])
        rest = ["All tables: --all; a page with plots: --to html --out FILE."]
        raise SystemExit(show(found, loaded.notes, rest=rest, whole=asked, fail_above=fail_above))
    emit(found, form, out, f"{base} and {new}" if new else base)
    raise SystemExit(said(found, loaded.notes, fail_above))
