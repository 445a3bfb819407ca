# SPDX-License-Identifier: MIT
"""Trials and a specification in, everything that is printed of them out. Pure."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vmkb.accounting.analysis.answer import sentence
from vmkb.accounting.analysis.rule import BYTE_PRICES, Ruling, judged, priced
from vmkb.accounting.analysis.specification import Brief, Given, Specification
from vmkb.accounting.analysis.verdicts import verdict_table
from vmkb.accounting.compare import RULE, compare, of_workload
from vmkb.accounting.costs import CostError, TrialCost, costs, per_event, under_model
from vmkb.accounting.counter import NOTHING
from vmkb.accounting.models import Model, chosen_model
from vmkb.accounting.records import Source
from vmkb.accounting.shown import plain
from vmkb.accounting.stats import WIDTH_TARGET
from vmkb.accounting.store import Trial, check_mix
from vmkb.accounting.tables.group import left_out
from vmkb.accounting.tables.lines import Comparison, compared
from vmkb.accounting.tables.release import release_tables
from vmkb.accounting.tables.sweep import sweep_table
from vmkb.accounting.tables.table import Table, TableError
from vmkb.accounting.tables.utilization import machine_table, mode_table
from vmkb.accounting.tables.wide import wide_table

#: Layouts that can be asked for by name.
LAYOUTS = ("release", "wide", "utilization", "sweep", "beside")


@dataclass(frozen=True)
class Options:
    """Options. source "" chooses: PB for printed figures, AC where there are cards alone, RM where
    there are Ready messages alone, IC where there are counts and a model, else QT. target: percent
    within which the interval of a change must lie for it to be decided. published: whether
    published figures stand beside ours.
    """

    source: str = ""
    model: str = ""
    base: str = ""
    target: float = WIDTH_TARGET
    allow: tuple[str, ...] = ()
    layouts: tuple[str, ...] = ()
    sweep: str = ""
    published: bool = True


@dataclass(frozen=True)
class Analysis:
    """The result: the `sentence` and the `rulings` behind it, tables, the costs behind them,
    why not to trust it (nothing: there is no reason), and notes."""

    trials: tuple[Trial, ...]
    specification: Specification
    sentence: str
    rulings: tuple[Ruling, ...]
    comparison: Comparison
    tables: tuple[Table, ...]
    costs: tuple[TrialCost, ...]
    doubts: tuple[str, ...]
    notes: tuple[str, ...]
    model: Model | None
    given: Given | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "sentence", plain(self.sentence))
        object.__setattr__(self, "doubts", tuple(map(plain, self.doubts)))
        object.__setattr__(self, "notes", tuple(map(plain, self.notes)))


def analyse(
    trials: Sequence[Trial],
    spec: Specification,
    options: Options | None = None,
    unfinished: Sequence[Trial] = (),
) -> Analysis:
    """The analysis of TRIALS, which SPEC describes. UNFINISHED ones that failed are a
    doubt.

    Raises MixError, CostError, TableError, ModelError, UnitError or StatsError with a sentence.
    """
    asked = options or Options()
    if spec.named is not None:
        spec = replace(spec, releases=spec.named(trials))
    own_order = not (asked.source or asked.layouts or asked.sweep)
    found = list(spec.select(trials))
    if not trials or not (found or spec.alone):
        raise TableError("there are no finished trials here; run the workload, or resume it")
    counted = _counted_costs(found, spec, asked) if found else None
    made, first, every, chosen = counted or ([], [], Comparison((), {}), None)
    if first:
        spec = replace(spec, unit=first[0].per)
    rulings = tuple(judged(every, asked.target))
    if chosen is not None and _assumes(chosen, first):
        ends = (
            _compared(found, spec, asked, Source.IC, chosen.with_byte_price(price))[2]
            for price in BYTE_PRICES
        )
        others = [judged(end, asked.target) for end in ends]
        rulings = tuple(priced(rulings, others, asked.target))
    name = asked.model or trials[0].meta.get("model", "")
    given = Given(trials, first, made, name, asked.base)
    own = [t for t in spec.tables(given) if t is not None] if own_order else []
    tables = own if spec.alone and own_order else [*own, *made]
    lead = verdict_table(spec, every, rulings, chosen) if own_order else None
    if lead is not None and not spec.alone:
        tables.insert(0, lead)
    if asked.published and own_order or "beside" in asked.layouts:
        tables += _beside(spec, given)
    if not tables:
        raise TableError("these trials have no number that a table could show")
    doubts = [
        *unmeasured(trials[0]), *untrusted(trials), *failed(unfinished),
        *left_out(first), *spec.doubts(given),
    ]  # fmt: skip
    own_words = spec.answer(given) if spec.answer is not None else None
    if own_words is None:
        spec = replace(spec, brief=None)
        said = sentence(spec, every, rulings)
    else:
        said = f"{spec.name}: {own_words}" if spec.name else own_words
    return Analysis(
        tuple(trials), spec, said, rulings, every, tuple(tables), tuple(first),
        tuple(dict.fromkeys(doubts)), tuple(spec.notes(given)), chosen, given,
    )  # fmt: skip


def of_tables(tables: Sequence[Table], answer: str = "", doubts: Sequence[str] = ()) -> Analysis:
    """Tables that are of no trials, or that say all of them themselves, as an analysis."""
    spec = Specification(brief=Brief(tables[0].name) if tables else None)
    return Analysis(
        (), spec, answer, (), Comparison((), {}), tuple(tables), (),
        tuple(dict.fromkeys(doubts)), (), None, None,
    )  # fmt: skip


def _counted_costs(
    trials: Sequence[Trial], spec: Specification, asked: Options
) -> tuple[list[Table], list[TrialCost], Comparison, Model | None]:
    """The tables of CPU, the costs behind the first one, and how they compare."""
    for layout in asked.layouts:
        if layout not in LAYOUTS:
            raise TableError(f"there is no layout {layout!r}; there are {', '.join(LAYOUTS)}")
    chosen = chosen_model(trials, asked.model)
    source = _source(trials, asked.source, chosen)
    mixed = check_mix(trials, allow=asked.allow, host=source is Source.HT)
    well = " ".join(f"Note well: {said}." for said in mixed)
    through = chosen if source in (Source.IC, Source.QT) else None
    if source is Source.QT:
        through = chosen_model(trials, "") or through
    note = f"{well} CPU through {through.describe()}.".strip() if through else well

    by_machine, first, every = _compared(trials, spec, asked, source, chosen)
    want = asked.layouts or _usual(first, bool(asked.sweep))
    made: list[Table] = []
    for layout in want:
        if layout == "release":
            made += release_tables(first, every, base=asked.base, note=note)
        elif layout == "wide":
            made.append(wide_table(first, every, note))
        elif layout == "utilization":
            made += _utilization(trials, _each(by_machine, spec), chosen, spec)
        elif layout == "sweep":
            made.append(sweep_table(first, asked.sweep))
    return made, first, every, through


def _compared(
    trials: Sequence[Trial], spec: Specification, asked: Options, source: Source,
    model: Model | None,
) -> tuple[list[TrialCost], list[TrialCost], Comparison]:  # fmt: skip
    """The costs by machine, those that tables show, and how these compare."""
    by_machine = first = costs(trials, source, model)
    if spec.parted is not None and source is Source.IC and model is not None:
        first = spec.parted(by_machine, model)
    first = _each(first, spec)
    return by_machine, first, compared(first, asked.base, spec.luck, spec.built)


def _assumes(model: Model, found: Sequence[TrialCost]) -> bool:
    """Whether the costs FOUND are of counts, to which MODEL gives a price that nobody measured."""
    counts = all(c.source is Source.IC for c in found)
    return bool(found) and counts and not model.verified and not model.is_timer


def _each(found: Sequence[TrialCost], spec: Specification) -> list[TrialCost]:
    """The costs FOUND for each KB, or for each of the events that SPEC counts."""
    if not spec.count:
        return list(found)
    return per_event(found, lambda trial: int(trial.params[spec.count]), spec.unit)


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
    if all({r.kind for r in t.records} == {"ready"} for t in trials):
        return Source.RM
    return Source.IC if chosen is not None and _counted(trials) else Source.QT


def _accounting_only(trial: Trial) -> bool:
    """True if a trial has accounting cards or blocks and no QUERY TIME."""
    kinds = {r.kind for r in trial.records}
    return "connect" not in kinds and bool(kinds & {"card_01", "vms_accounting", "vms_usage"})


def _counted(trials: Sequence[Trial]) -> bool:
    return bool(trials) and all(
        any("total_instr" in r.fields for r in t.records if r.kind == "connect") for t in trials
    )


def untrusted(trials: Sequence[Trial]) -> list[str]:
    """A doubt for each trial that its run did not trust."""
    return [
        f"{t.id}: {t.why or 'the run marked it untrusted'}"
        for t in trials
        if t.status == "untrusted"
    ]


def unmeasured(trial: Trial) -> list[str]:
    """A doubt for each release whose changes are in no program of TRIAL's run."""
    return [
        f"nothing of what {key.removeprefix(NOTHING)} changes is in its program: {files}"
        for key, files in trial.meta.items()
        if key.startswith(NOTHING)
    ]


def failed(unfinished: Sequence[Trial]) -> list[str]:
    """A doubt for each of the UNFINISHED trials that failed; an interrupted one is none."""
    return [f"{t.id} failed: {t.why or 'its reason was not kept'}" for t in unfinished
            if t.status == "failed"]  # fmt: skip


def _usual(first: Sequence[TrialCost], sweep: bool) -> tuple[str, ...]:
    """The layouts that a result has numbers for."""
    want = ["release"]
    trials: dict[tuple[str, str], int] = {}
    for cost in first:
        key = cost.trial.case, cost.trial.release
        trials[key] = trials.get(key, 0) + 1
    if max(trials.values(), default=0) > 1 or any(c.source is Source.IC for c in first):
        want.append("wide")
    if any(p.cpu for c in first for p in c.parts) and any(c.span for c in first):
        want.append("utilization")
    if sweep:
        want.append("sweep")
    return tuple(want)


def _utilization(
    trials: Sequence[Trial],
    first: Sequence[TrialCost],
    chosen: Model | None,
    spec: Specification,
) -> list[Table]:
    """By machine and, where VIRTCPU is known, by mode. Measured is by the CPU timer: QUERY ACNT's,
    or QUERY TIME's where no model makes it; what is made of the counts stands as modelled.
    """
    counted = first if any(c.source is Source.IC for c in first) else ()
    measured: Sequence[TrialCost] = () if counted else first
    if counted:
        timer = costs(trials, Source.AC)
        if all(c.usable for c in timer):
            measured = _each(timer, spec)
        elif not any(under_model(t.records) for t in trials):
            measured = _each(costs(trials, Source.QT), spec)
    made = [machine_table(measured, counted, chosen)]
    with contextlib.suppress(TableError):  # cards and host time have no VIRTCPU
        made.append(mode_table(measured, counted))
    return made


def _beside(spec: Specification, given: Given) -> list[Table]:
    """The published tables that the workload is compared with, as far as there are figures."""
    lookups = spec.cells(given)
    made = (compare(x, lookups[x.name]) for x in of_workload(spec.name) if x.name in lookups)
    tables = [table for table in made if table is not None]
    return [replace(t, notes=(*t.notes, RULE)) for t in tables[:1]] + tables[1:]
