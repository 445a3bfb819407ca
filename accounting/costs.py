# SPDX-License-Identifier: MIT
"""From what one trial left behind to what its kilobytes cost, machine by machine.

CPU comes from one named source per table: QT the QUERY TIME samples as a classic system prints
them, IC instruction and byte counts through a machine model, AC accounting cards and QUERY ACNT, HT
the host's clock, PB numbers that somebody printed, RM a Ready message, which is of one command.  A
letter means one thing: what QUERY TIME prints under a model is made of the counts, so it is IC, in
steps of 0.01 s, and no witness of them.
Bytes and the rate come from FTP's own messages between the samples, or from what the trial was
given (the wire's counters, the user); utilization is over the time between the samples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from vmkb.accounting.counter import counter_note, layout_error
from vmkb.accounting.intervals import Interval, between, samples
from vmkb.accounting.models import Model
from vmkb.accounting.records import (
    Record,
    Source,
    Unit,
    UnitError,
    Value,
    Where,
)
from vmkb.accounting.store import Trial
from vmkb.accounting.units import (
    KB,
    Figure,
    FigureError,
    add,
    add_figures,
    complete,
    cp_share,
    cpu_per_kb,
    rate,
    tv_ratio,
    utilization,
)
from vmkb.errors import VmkbError

#: A part with this userid is the whole system: utilization yes, never part of a Total.
SYSTEM = "SYSTEM"
#: The account of CP's own work for nobody, as QUERY ACNT calls it: a part like others.
CP_ITSELF = "*SYSTEM"
SOURCES = (Source.QT, Source.IC, Source.AC, Source.HT, Source.PB, Source.RM)
#: What a cost by the Ready message is of.
COMMAND = "command"


class CostError(VmkbError, ValueError):
    """A trial whose records do not carry what was asked for; the sentence says what is missing."""


@dataclass(frozen=True, slots=True)
class PartCost:
    """The share of one machine, or of all with one label, in one trial.

    cpu, virtual: us; instructions, virtual_instructions: instr, where counted; moved: bytes.
    """

    machine: str
    label: str
    cpu: Value | None
    virtual: Value | None
    instructions: Value | None
    per_kb: Figure | None
    virtual_instructions: Value | None = None
    moved: Value | None = None

    @property
    def systematic(self) -> float:
        """The part by which the counter that CPU was made of may be off in every trial."""
        return self.per_kb.systematic if self.per_kb else 0.0

    @property
    def cp_share(self) -> Figure | None:
        """CP's part of the CPU in percent; None if VIRTCPU is unknown."""
        if self.cpu is None or self.virtual is None or self.cpu.value <= 0:
            return None
        return cp_share(self.virtual, self.cpu)

    @property
    def tv_ratio(self) -> Figure | None:
        """TOTCPU over VIRTCPU; None if the machine itself used no CPU or it is unknown."""
        if self.cpu is None or self.virtual is None or self.virtual.value <= 0:
            return None
        return tv_ratio(self.cpu, self.virtual)

    def utilization(self, elapsed: Value | None) -> Figure | None:
        """Percent of one engine over ELAPSED."""
        if self.cpu is None or elapsed is None or elapsed.value <= 0:
            return None
        return utilization(self.cpu, elapsed)._replace(systematic=self.systematic)


@dataclass(frozen=True, slots=True)
class TrialCost:
    """The cost of one trial. missing: sentences about why it has no numbers (then unusable).

    per: what costs and the rate are of. elapsed: how long the data took, which gives the rate;
    span: between the samples, which gives the utilization; wait: how much of that the processor
    waited, None if it was not told.
    """

    trial: Trial
    source: Source
    parts: tuple[PartCost, ...]
    data: Value | None
    elapsed: Value | None
    rate: Figure | None
    span: Value | None = None
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    wait: Value | None = None
    per: str = KB

    @property
    def usable(self) -> bool:
        """True if every part has its number."""
        return not self.missing

    @property
    def total_us_kb(self) -> float:
        """Sum of the parts in us/KB, unrounded; the whole system is not a part."""
        return sum(p.per_kb.value for p in self.parts if p.per_kb and p.machine != SYSTEM)

    @property
    def total(self) -> Figure | None:
        """The sum of the parts; None if one has no number."""
        figures = complete(p.per_kb for p in self.parts if p.machine != SYSTEM)
        return add_figures(figures) if figures else None

    @property
    def instructions(self) -> Value | None:
        """The instructions of all parts; None if those of one are unknown."""
        counts = complete(p.instructions for p in self.parts)
        return add(counts) if counts else None

    def part(self, label: str) -> PartCost:
        """The part printed as LABEL; KeyError if the trial has none."""
        for part in self.parts:
            if part.label == label:
                return part
        raise KeyError(label)


def took(record: Record) -> Value:
    """How long one transfer took: the finer of its seconds and its rate, which is cut, not rounded.

    Seconds of 0.01 say little about a small file that went at 1200 KB/s; the rate says it within
    0.1 %. A rate that is not that of the seconds (another K, another count) is not used.
    """
    seconds = record.value("elapsed").to(Unit.US)
    if "rate" not in record.fields:
        return seconds
    speed, size = record.value("rate").to(Unit.KB_S), record.value("bytes").to(Unit.KB)
    if speed.value <= 0 or size.value <= 0:
        return seconds
    low = 1e6 * size.value / (speed.value + speed.tick)
    high = 1e6 * size.value / speed.value
    step = seconds.tick / 2
    agree = low <= seconds.value + step and high >= seconds.value - step
    if not agree or high - low >= seconds.tick:
        return seconds
    return Value((low + high) / 2, Unit.US, seconds.source, high - low)


def transfers(records: Iterable[Record]) -> tuple[Value | None, Value | None, list[str]]:
    """Bytes and elapsed time summed over FTP's console messages, as the published tables did.

    Transfers of several machines at once overlap: their bytes add up, their times do not, so
    the longest machine's time is taken and said.
    """
    by_origin: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.kind == "ftp_transfer":
            by_origin[record.origin].append(record)
    if not by_origin:
        return None, None, []
    data = add(r.value("bytes") for group in by_origin.values() for r in group)
    spans = [
        add(took(r) for r in group)
        for group in by_origin.values()
        if all("elapsed" in r.fields for r in group)
    ]
    notes = []
    if len(by_origin) > 1:
        notes.append(
            f"{len(by_origin)} machines transferred at the same time: elapsed time is the longest"
            " machine's, not the sum"
        )
    return data, max(spans, default=None, key=lambda v: v.value), notes


def _sum(found: list[Interval], name: str) -> Value | None:
    if not found or any(name not in i.used for i in found):
        return None
    return add(i.used[name] for i in found)


def counted_cpu(found: list[Interval], model: Model, side: str) -> Value | None:
    """CPU time of intervals on MODEL's machine, from the counts of SIDE: total, virt, intr or
    clock."""
    if model.is_timer:
        return _sum(found, f"{side}_time")
    counts = [_sum(found, f"{side}_{what}") for what in ("instr", "moved", "summed")]
    instructions, moved, summed = counts
    if instructions is None:
        return None
    nothing = Value(0, Unit.BYTE, instructions.source)
    return model.cpu(instructions, moved or nothing, summed or nothing)


def _accounts(records: Iterable[Record], machine: str) -> tuple[Value | None, Value | None]:
    """Growth of an account in QUERY ACNT, or the sum of a machine's accounting cards."""
    kept = [r for r in records if r.kind == "acnt" and r.word("userid") == machine]
    if len(kept) > 1:
        grown = [kept[-1].value(n).minus(kept[0].value(n)) for n in ("virt_time", "cp_time")]
        return add(grown), grown[0]
    return _cards(records, machine)


def _cards(records: Iterable[Record], machine: str) -> tuple[Value | None, Value | None]:
    """A machine's accounting cards, or a user's VMS accounting blocks, which say no VIRTCPU, or how
    his process grew."""
    records = list(records)
    cards = [r for r in records if r.kind == "card_01" and r.word("userid") == machine]
    if cards:
        return add(c.value("totcpu") for c in cards), add(c.value("virtcpu") for c in cards)
    blocks = [
        r
        for r in records
        if r.kind == "vms_accounting" and r.origin == machine and "cpu" in r.fields
    ]
    if blocks:
        return add(b.value("cpu") for b in blocks), None
    shown = [r.value("cpu") for r in records if r.kind == "vms_usage" and r.origin == machine]
    return (shown[-1].minus(shown[0]) if len(shown) > 1 else None), None


def _host(records: Iterable[Record], machine: str) -> Value | None:
    found = [r for r in records if r.kind == "host_cpu" and r.word("userid") == machine]
    return add(r.value("cpu") for r in found) if found else None


def _printed(records: Iterable[Record], machine: str) -> Figure | None:
    for r in records:
        if r.kind == "figures" and r.word("userid") == machine and "cpu_per_kb" in r.fields:
            got = r.value("cpu_per_kb").to(Unit.US_KB)
            return Figure(got.value, Unit.US_KB, (got.source,), got.tick)
    return None


def trial_cost(trial: Trial, source: Source = Source.QT, model: Model | None = None) -> TrialCost:
    """The cost of one trial from SOURCE; MODEL is needed for IC and ignored otherwise."""
    if source not in SOURCES:
        raise CostError(f"CPU is made from {', '.join(SOURCES)}, not from {source}")
    if source is Source.IC and model is None:
        raise CostError("instruction counts need a machine model: give one with --model")
    if source is Source.RM:
        return _command(trial)
    data, elapsed, notes = transfers(trial.records)
    data, elapsed = trial.data or data, trial.elapsed or elapsed
    found = between(samples(trial.records), trial.engines)
    missing: list[str] = []
    spans: list[Value] = []
    parts = []
    said_by = Source.IC if under_model(trial.records) else Source.QT
    for machine, label in trial.parts.items():
        mine = [i for i in found if i.machine.upper() == machine.upper()]
        for i in mine:
            notes.extend(i.notes)
            if i.elapsed:
                spans.append(i.elapsed)
        broken = [n for i in mine if not i.valid for n in i.notes]
        good = [] if broken else mine
        cpu, virtual, printed = None, None, None
        if source is Source.QT:
            cpu, virtual = (_as(said_by, _sum(good, n)) for n in ("totcpu", "virtcpu"))
        elif source is Source.IC and model:
            cpu, virtual = (counted_cpu(good, model, side) for side in ("total", "virt"))
        elif source is Source.AC:
            cpu, virtual = _accounts(trial.records, machine)
        elif source is Source.HT:
            cpu = _host(trial.records, machine)
        else:
            printed = _printed(trial.records, machine)
        if broken and cpu is None and printed is None:
            missing.append(f"{trial.id}: {machine}: {broken[0]}")
        elif cpu is None and printed is None:
            missing.append(f"{trial.id}: {_nothing(source, machine, mine)}")
        per_kb = printed
        if cpu is not None:
            try:
                per_kb = cpu_per_kb(cpu, data) if data else None
                if per_kb is not None and cpu.source is Source.IC:
                    per_kb = per_kb._replace(systematic=layout_error(trial.meta))
            except FigureError as error:
                missing.append(f"{trial.id}: {error}")
        counts = (_sum(good, n) for n in ("total_instr", "virt_instr", "total_moved"))
        instructions, own, moved = counts
        parts.append(PartCost(machine, label, cpu, virtual, instructions, per_kb, own, moved))
    parts = _by_label(parts)
    span = _span(trial, spans)
    elapsed = elapsed or span
    if any(p.cpu is not None and p.cpu.source is Source.IC for p in parts):
        notes += [note for note in (counter_note(trial.meta),) if note]
    return TrialCost(
        trial, source, tuple(parts), data, elapsed, _rate(trial, data, elapsed), span,
        tuple(dict.fromkeys(notes)), tuple(missing), _wait(found),
    )  # fmt: skip


def _command(trial: Trial) -> TrialCost:
    """The cost of a trial that is one Ready message. Whether T= is rounded or cut is not known, so
    it may be off by a whole step in either direction."""
    (machine, label), *_ = trial.parts.items()
    ready = trial.records[0] if len(trial.records) == 1 else None
    if ready is None or ready.kind != "ready" or "totcpu" not in ready.fields:
        why = f"{trial.id}: is not one command with a Ready message (RM)"
        return TrialCost(trial, Source.RM, (), None, None, None, missing=(why,), per=COMMAND)
    virtual, total = (v._replace(tick=2 * v.tick) for v in map(ready.value, ("virtcpu", "totcpu")))
    cost = Figure(total.value, Unit.US, (Source.RM,), total.tick, per=COMMAND)
    part = PartCost(machine, label, total, virtual, None, cost)
    return TrialCost(trial, Source.RM, (part,), None, None, None, notes=ready.notes, per=COMMAND)


def under_model(records: Iterable[Record]) -> bool:
    """True if QUERY TIME told milliseconds of a machine model, not of the CPU timer."""
    named = {r.word("model").upper() for r in records if r.kind == "connect"} - {""}
    return bool(named - {"HOST"})


def _as(source: Source, value: Value | None) -> Value | None:
    return None if value is None else value._replace(source=source)


def _span(trial: Trial, found: list[Value]) -> Value | None:
    """How long the CPU was counted: the accounts' own clock around the samples, else stamps."""
    clocks = [r for r in trial.records if r.kind == "acnt_sum"]
    if len(clocks) > 1:
        return clocks[-1].value("elapsed").minus(clocks[0].value("elapsed"))
    if trial.elapsed is not None:
        return trial.elapsed
    return max(found, default=None, key=lambda v: v.value)


def _wait(found: list[Interval]) -> Value | None:
    """How long the processor waited, which one machine tells: CP itself."""
    told = [i for i in found if i.valid and "idle_time" in i.used]
    return _sum(told, "idle_time") if len({i.machine for i in told}) == 1 else None


def _by_label(parts: list[PartCost]) -> list[PartCost]:
    """Machines with one label made one part: 64 users who do the same are one row of a table."""
    groups: dict[str, list[PartCost]] = defaultdict(list)
    for part in parts:
        groups[part.label].append(part)
    return [group[0] if len(group) == 1 else _added(group) for group in groups.values()]


def _added(group: list[PartCost]) -> PartCost:
    def total(name: str) -> Any:
        values = complete(getattr(part, name) for part in group)
        return add(values) if values else None

    sums = ("cpu", "virtual", "instructions", "virtual_instructions", "moved")
    figures = complete(part.per_kb for part in group)
    per_kb = add_figures(figures) if figures else None
    return replace(group[0], **{name: total(name) for name in sums}, per_kb=per_kb)


def _nothing(source: Source, machine: str, mine: list[Interval]) -> str:
    if source is Source.IC and mine:
        return f"{machine} has no instruction counts; QUERY TIME (FULL prints them, or use QT"
    what = {
        Source.QT: "two QUERY TIME samples",
        Source.IC: "two QUERY TIME (FULL samples",
        Source.AC: "accounting card",
        Source.HT: "host CPU time",
        Source.PB: "printed figure",
    }[source]
    return f"no {what} of {machine}"


def _rate(trial: Trial, data: Value | None, elapsed: Value | None) -> Figure | None:
    for r in trial.records:
        if r.kind == "figures" and "rate" in r.fields:
            got = r.value("rate").to(Unit.KB_S)
            return Figure(got.value, Unit.KB_S, (got.source,), got.tick)
    if data and elapsed and elapsed.value > 0:
        return rate(data, elapsed)
    return None


def costs(
    trials: Iterable[Trial], source: Source = Source.QT, model: Model | None = None
) -> list[TrialCost]:
    """The costs of all trials, in order."""
    return [trial_cost(t, source, model) for t in trials]


def per_event(
    found: Iterable[TrialCost], events: Callable[[Trial], int], what: str
) -> list[TrialCost]:
    """The same costs for each of the EVENTS that a trial counted, called WHAT, such as a call,
    instead of each KB: us/event and events/s over the time between the samples. An event stands
    where a KB did."""
    made = []
    for cost in found:
        count = events(cost.trial)
        if count < 1:
            raise CostError(f"{cost.trial.id}: nothing was counted that CPU could be divided by")
        if cost.data is None or cost.data.value <= 0:
            raise CostError(f"{cost.trial.id}: no bytes were counted")
        share = cost.data.to(Unit.KB).value / count
        parts = tuple(replace(p, per_kb=_each(p, share, what)) for p in cost.parts)
        speed = None
        if cost.span and cost.span.value > 0:
            span = cost.span.to(Unit.S)
            per_s = count / span.value
            tick = per_s * span.tick / span.value
            speed = Figure(per_s, Unit.PER_S, (span.source,), tick, per=what)
        events_as_data = cost.data._replace(value=count, unit=Unit.KB)
        made.append(replace(cost, parts=parts, rate=speed, data=events_as_data, per=what))
    return made


def _each(part: PartCost, kilobytes: float, event: str) -> Figure | None:
    """The cost of PART for an EVENT, each of which moved so many KILOBYTES."""
    if part.per_kb is None:
        return None
    figure = part.per_kb
    return Figure(
        figure.value * kilobytes, Unit.US, figure.sources[:1], figure.tick * kilobytes,
        figure.systematic, event,
    )  # fmt: skip


def _printed_value(text: str, what: str, scale: int, unit: Unit) -> Value:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        raise FigureError(f"{what} is {text!r}, which is no number") from None
    if not number.is_finite() or number < 0:
        raise FigureError(f"{what} is {text!r}, which nothing can be")
    exponent = number.as_tuple().exponent
    step = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
    return Value(float(number * scale), unit, Source.PB, float(step * scale))


def figures_trial(
    ident: str,
    run: str,
    parts: Mapping[str, tuple[str, str]],
    rate_kb_s: str | None,
    *,
    case: str,
    release: str,
    source: Source = Source.PB,
    **more: str,
) -> Trial:
    """A trial made of printed figures: PARTS is userid -> (label, ms per KB as printed).

    The printed decimals are the step. FigureError for what is no figure of a cost or a rate.
    """
    if source is not Source.PB:
        raise UnitError(f"printed figures have the source PB, not {source}")
    records = [
        Record(
            "figures",
            {"userid": who, "cpu_per_kb": _printed_value(ms, f"{label} ms/KB", 1000, Unit.US_KB)},
            f"{label} {ms}",
            Where(ident),
        )
        for who, (label, ms) in parts.items()
    ]
    if rate_kb_s is not None:
        speed = _printed_value(rate_kb_s, "rate", 1, Unit.KB_S)
        records.append(Record("figures", {"rate": speed}, f"rate {rate_kb_s}", Where(ident)))
    return Trial(
        id=ident, run=run, case=case, release=release, records=tuple(records), status="good",
        parts={who: label for who, (label, _) in parts.items()},
        table=more.get("table", ""), mode=more.get("mode", ""), run_id=more.get("run_id", ""),
    )  # fmt: skip
