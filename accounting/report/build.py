# SPDX-License-Identifier: MIT
"""From trials to the tables of a report, and from tables to a format's text."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from accounting.bounded import TOO_LITTLE
from accounting.costs import CostError, TrialCost, costs, under_model
from accounting.models import Model, chosen_model
from accounting.pooled import disagree
from accounting.published import published
from accounting.records import Source
from accounting.report import data, markup, terminal
from accounting.stats import WIDTH_TARGET
from accounting.store import Trial, check_mix
from accounting.tables.beside import beside_table
from accounting.tables.release import release_tables
from accounting.tables.sweep import sweep_table
from accounting.tables.table import Table, TableError
from accounting.tables.utilization import machine_table, mode_table
from accounting.tables.wide import wide_table

#: Layouts that can be asked for by name.
LAYOUTS = ("release", "wide", "utilization", "sweep", "beside")
#: Formats that are text; parquet is a file.
FORMATS = ("terminal", "markdown", "csv", "json", "latex", "html", "benchfmt")
FILES = {
    "terminal": "report.txt", "markdown": "report.md", "csv": "report.csv", "json": "report.json",
    "latex": "report.tex", "html": "report.html", "benchfmt": "report.bench",
    "parquet": "report.parquet",
}  # fmt: skip


@dataclass(frozen=True)
class Options:
    """What to print. source "" chooses: PB for printed figures, AC where there are cards alone,
    IC where there are counts and a model, else QT. accept: any width. published: the name of the
    table to stand beside ours.
    """

    source: str = ""
    model: str = ""
    base: str = ""
    target: float = WIDTH_TARGET
    accept: bool = False
    allow: tuple[str, ...] = ()
    layouts: tuple[str, ...] = ()
    sweep: str = ""
    published: str = ""


def _source(trials: Sequence[Trial], wanted: str, chosen: Model | None) -> Source:
    if wanted:
        try:
            return Source(wanted.upper())
        except ValueError:
            known = ", ".join(Source)
            raise CostError(f"there is no source {wanted!r}; the letters are {known}") from None
    printed = [any(r.kind == "figures" for r in t.records) for t in trials]
    if any(printed) and not all(printed):
        raise CostError("printed figures (PB) and measured trials do not stand in one table")
    if printed and all(printed):
        return Source.PB
    if all(_accounting_only(t) for t in trials):
        return Source.AC
    return Source.IC if chosen is not None and _counted(trials) else Source.QT


def _accounting_only(trial: Trial) -> bool:
    """True if a trial has accounting cards or blocks and no QUERY TIME."""
    kinds = {r.kind for r in trial.records}
    return "connect" not in kinds and bool(kinds & {"card_01", "vms_accounting"})


def _counted(trials: Sequence[Trial]) -> bool:
    return bool(trials) and all(
        any("total_instr" in r.fields for r in t.records if r.kind == "connect") for t in trials
    )


#: Costs of trials, and the machine on which they are, to costs with other parts.
Parting = Callable[[Sequence[TrialCost], Model], list[TrialCost]]


def build(
    trials: Sequence[Trial], options: Options, parting: Parting | None = None
) -> tuple[list[Table], list[TrialCost]]:
    """The tables of TRIALS and the costs behind the first one. PARTING: what a workload makes of
    counted costs before they are shown; utilization stays by machine.

    Raises MixError, CostError, TableError, ModelError, UnitError or StatsError with a sentence.
    """
    if not trials:
        raise TableError("there are no finished trials here; run the workload, or resume it")
    for layout in options.layouts:
        if layout not in LAYOUTS:
            raise TableError(f"there is no layout {layout!r}; there are {', '.join(LAYOUTS)}")
    chosen = chosen_model(trials, options.model)
    source = _source(trials, options.source, chosen)
    mixed = check_mix(trials, allow=options.allow, host=source is Source.HT)
    well = " ".join(f"Note well: {said}." for said in mixed)
    through = chosen if source in (Source.IC, Source.QT) else None
    if source is Source.QT:
        through = chosen_model(trials, "") or through
    note = f"{well} CPU through {through.describe()}.".strip() if through else well

    target = math.inf if options.accept else options.target
    by_machine = first = costs(trials, source, chosen)
    if parting is not None and source is Source.IC and chosen is not None:
        first = parting(by_machine, chosen)
    want = options.layouts or _usual(first, bool(options.sweep))
    made: list[Table] = []
    for layout in want:
        if layout == "release":
            # The width is judged once: in the wide table, if it is made too.
            made += release_tables(
                first, base=options.base, target=target, note=note, judge="wide" not in want
            )
        elif layout == "wide":
            made.append(wide_table(first, base=options.base, target=target, note=note))
        elif layout == "utilization":
            made += _utilization(trials, by_machine, chosen)
        elif layout == "sweep":
            made.append(sweep_table(first, options.sweep))
        else:
            made.append(_beside(first, options.published))
    made[0] = replace(made[0], doubts=(*untrusted(trials), *disagree(first), *made[0].doubts))
    if options.accept:
        said = "Intervals of any width were accepted (--accept)."
        made[0] = replace(made[0], notes=(*made[0].notes, said))
    return made, first


def untrusted(trials: Sequence[Trial]) -> list[str]:
    """A doubt for each trial that its run did not trust."""
    return [
        f"{t.id}: {t.why or 'the run marked it untrusted'}"
        for t in trials
        if t.status == "untrusted"
    ]


def failed(unfinished: Sequence[Trial]) -> list[str]:
    """A doubt for each of the UNFINISHED trials that failed; an interrupted one is none."""
    return [f"{t.id} failed: {t.why or 'its reason was not kept'}" for t in unfinished
            if t.status == "failed"]  # fmt: skip


def _usual(first: Sequence[TrialCost], sweep: bool) -> tuple[str, ...]:
    """The layouts that a result has numbers for."""
    want = ["release"]
    many = max((len([c for c in first if c.trial.case == x.trial.case and
                     c.trial.release == x.trial.release]) for x in first), default=0)  # fmt: skip
    if many > 1 or any(c.source is Source.IC for c in first):
        want.append("wide")
    if any(p.cpu for c in first for p in c.parts) and any(c.span for c in first):
        want.append("utilization")
    if sweep:
        want.append("sweep")
    return tuple(want)


def _utilization(
    trials: Sequence[Trial], first: Sequence[TrialCost], chosen: Model | None
) -> list[Table]:
    """By machine and, where VIRTCPU is known, by mode. Measured is by the CPU timer: QUERY ACNT's,
    or QUERY TIME's where no model makes it; what is made of the counts stands as modelled.
    """
    counted = first if any(c.source is Source.IC for c in first) else ()
    measured: Sequence[TrialCost] = () if counted else first
    if counted:
        timer = costs(trials, Source.AC)
        if all(c.usable for c in timer):
            measured = timer
        elif not any(under_model(t.records) for t in trials):
            measured = costs(trials, Source.QT)
    made = [machine_table(measured, counted, chosen)]
    with contextlib.suppress(TableError):  # cards and host time have no VIRTCPU
        made.append(mode_table(measured, counted))
    return made


def _beside(first: Sequence[TrialCost], name: str) -> Table:
    """The published table NAME beside FIRST."""
    if not name:
        raise TableError("these results are of no workload with a published table")
    table = published(name)
    return beside_table(first, table.rows, table.setup, table.source)


def with_published(tables: list[Table], first: Sequence[TrialCost], name: str) -> list[Table]:
    """TABLES and, where a case has numbers in the published table NAME, those beside ours."""
    try:
        return [*tables, _beside(first, name)]
    except TableError:
        return tables


def ordered(tables: Sequence[Table]) -> list[Table]:
    """As a page shows them: the release tables, published beside reproduced, then the rest."""
    first = [t for t in tables if t.name.startswith("release")]
    second = [t for t in tables if t.name == "beside"]
    head = [*first, *second] or list(tables[:1])
    return [*head, *(t for t in tables if t not in head)]


def render(
    tables: Sequence[Table],
    first: Sequence[TrialCost],
    form: str,
    *,
    width: int = 100,
    title: str = "vmkb report",
    sentence: str = "",
) -> str:
    """TABLES in the text format FORM; benchfmt prints the trials (FIRST) behind them."""
    if form == "terminal":
        return (f"{sentence}\n\n" if sentence else "") + terminal.text(tables, width)
    if form == "markdown":
        return (f"{sentence}\n\n" if sentence else "") + markup.markdown(tables)
    if form == "latex":
        return markup.latex(tables)
    if form == "csv":
        return data.as_csv(tables)
    if form == "json":
        return data.as_json(tables)
    if form == "benchfmt":
        return data.benchfmt(first)
    if form == "html":
        from accounting.report.html import html

        return html(ordered(tables), title, f"{len(first)} trials", sentence)
    raise TableError(f"there is no format {form!r}; there are {', '.join(FORMATS)} and parquet")


def unwritten(made: Sequence[Path]) -> list[str]:
    """Notes on what is missing among the files that write_all has MADE."""
    if FILES["parquet"] in {path.name for path in made}:
        return []
    return [f"{FILES['parquet']} was not written: {TOO_LITTLE}"]


def write_all(
    tables: Sequence[Table],
    first: Sequence[TrialCost],
    folder: Path,
    title: str,
    sentence: str = "",
) -> list[Path]:
    """Every format into FOLDER; the paths. Parquet is left out where memory is too little."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for form, name in FILES.items():
        path = folder / name
        if form == "parquet":
            with contextlib.suppress(MemoryError):
                data.write_parquet(tables, path)
                made.append(path)
        else:
            text = render(tables, first, form, title=title, sentence=sentence)
            path.write_text(text, "utf-8")
            made.append(path)
    return made
