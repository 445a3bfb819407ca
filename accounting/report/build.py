# SPDX-License-Identifier: MIT
"""From trials to the tables of a report, and from tables to a format's text."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from accounting.costs import CostError, TrialCost, costs
from accounting.models import Model, model
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
    """What to print. source "" chooses: PB for printed figures, else QT. accept: any width."""

    source: str = ""
    model: str = ""
    base: str = ""
    target: float = WIDTH_TARGET
    accept: bool = False
    allow: tuple[str, ...] = ()
    layouts: tuple[str, ...] = ()
    sweep: str = ""


def _source(trials: Sequence[Trial], wanted: str) -> Source:
    if wanted:
        try:
            return Source(wanted.upper())
        except ValueError:
            known = ", ".join(Source)
            raise CostError(f"there is no source {wanted!r}; the letters are {known}") from None
    printed = [any(r.kind == "figures" for r in t.records) for t in trials]
    if any(printed) and not all(printed):
        raise CostError("printed figures (PB) and measured trials do not stand in one table")
    return Source.PB if printed and all(printed) else Source.QT


def chosen_model(trials: Sequence[Trial], wanted: str) -> Model | None:
    """The model to put counts through: WANTED, else the one that the trials ran under."""
    name = wanted or next((t.meta["model"] for t in trials if t.meta.get("model")), "")
    return model(name) if name else None


def _counted(trials: Sequence[Trial]) -> bool:
    return bool(trials) and all(
        any("total_instr" in r.fields for r in t.records if r.kind == "connect") for t in trials
    )


def build(trials: Sequence[Trial], options: Options) -> tuple[list[Table], list[TrialCost]]:
    """The tables of TRIALS and the costs behind the first one.

    Raises MixError, CostError, TableError, ModelError, UnitError or StatsError with a sentence.
    """
    if not trials:
        raise TableError("there are no finished trials here; run the workload, or resume it")
    for layout in options.layouts:
        if layout not in LAYOUTS:
            raise TableError(f"there is no layout {layout!r}; there are {', '.join(LAYOUTS)}")
    source = _source(trials, options.source)
    mixed = check_mix(trials, allow=options.allow, host=source is Source.HT)
    ran = chosen_model(trials, "")
    chosen = chosen_model(trials, options.model)
    if options.model and not options.source and chosen != ran and _counted(trials):
        source = Source.IC  # QUERY TIME printed another model's milliseconds
    well = " ".join(f"Note well: {said}." for said in mixed)

    def note(through: Model | None) -> str:
        """What was mixed on purpose, and whose milliseconds these are."""
        if through is None or source is Source.PB:
            return well
        return f"{well} CPU through {through.describe()}.".strip()

    target = math.inf if options.accept else options.target
    first = costs(trials, source, chosen)
    counts = _counted(trials) and chosen is not None and source in (Source.QT, Source.IC)
    fine = costs(trials, Source.IC, chosen) if counts else first
    want = options.layouts or _usual(first, counts, bool(options.sweep))
    made: list[Table] = []
    for layout in want:
        if layout == "release":
            # The width is judged where the digits are: in the wide table, if it is made too.
            loud = math.inf if "wide" in want else target
            by = note(chosen if source is Source.IC else ran)
            made += release_tables(first, base=options.base, target=loud, note=by)
        elif layout == "wide":
            by = note(chosen if counts else ran)
            made.append(wide_table(fine, base=options.base, target=target, note=by))
        elif layout == "utilization":
            made += _utilization(trials, first, fine if counts else (), chosen)
        elif layout == "sweep":
            made.append(sweep_table(fine, options.sweep))
        else:
            table = published("zvm310_ftp")
            made.append(beside_table(first, table.rows, table.setup, table.source))
    made[0] = replace(made[0], doubts=(*_untrusted(trials), *made[0].doubts))
    if options.accept:
        said = "Intervals of any width were accepted (--accept)."
        made[0] = replace(made[0], notes=(*made[0].notes, said))
    return made, first


def _untrusted(trials: Sequence[Trial]) -> list[str]:
    return [
        f"{t.id}: {t.why or 'the run marked it untrusted'}"
        for t in trials
        if t.status == "untrusted"
    ]


def _usual(first: Sequence[TrialCost], counts: bool, sweep: bool) -> tuple[str, ...]:
    """The layouts that a result has numbers for."""
    want = ["release"]
    many = max((len([c for c in first if c.trial.case == x.trial.case and
                     c.trial.release == x.trial.release]) for x in first), default=0)  # fmt: skip
    if counts or many > 1:
        want.append("wide")
    if any(p.cpu for c in first for p in c.parts) and any(c.elapsed for c in first):
        want.append("utilization")
    if sweep:
        want.append("sweep")
    return tuple(want)


def _utilization(
    trials: Sequence[Trial],
    first: Sequence[TrialCost],
    modelled: Sequence[TrialCost],
    chosen: Model | None,
) -> list[Table]:
    """By machine and, where VIRTCPU is known, by mode; measured by the CPU timer if counted."""
    measured = costs(trials, Source.IC, model("host")) if modelled else first
    through = modelled if chosen and not chosen.is_timer else ()
    made = [machine_table(measured, through, chosen)]
    with contextlib.suppress(TableError):  # cards and host time have no VIRTCPU
        made.append(mode_table(measured, through))
    return made


def with_published(tables: list[Table], first: Sequence[TrialCost]) -> list[Table]:
    """TABLES and, where a case has published numbers, those beside ours."""
    table = published("zvm310_ftp")
    try:
        return [*tables, beside_table(first, table.rows, table.setup, table.source)]
    except TableError:
        return tables


def render(
    tables: Sequence[Table],
    first: Sequence[TrialCost],
    form: str,
    *,
    width: int = 100,
    title: str = "vmkb report",
) -> str:
    """TABLES in the text format FORM; benchfmt prints the trials (FIRST) behind them."""
    if form == "terminal":
        return terminal.text(tables, width)
    if form == "markdown":
        return markup.markdown(tables)
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

        return html(tables, title, f"{len(first)} trials")
    raise TableError(f"there is no format {form!r}; there are {', '.join(FORMATS)} and parquet")


def write_all(
    tables: Sequence[Table], first: Sequence[TrialCost], folder: Path, title: str
) -> list[Path]:
    """Every format into FOLDER; the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for form, name in FILES.items():
        path = folder / name
        if form == "parquet":
            data.write_parquet(tables, path)
        else:
            path.write_text(render(tables, first, form, title=title), "utf-8")
        made.append(path)
    return made
