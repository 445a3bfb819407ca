# SPDX-License-Identifier: MIT
"""TCP/IP stacks beside each other, and Linux beside them: files by FTP on a wire that loses nothing
and on one that does, round trips and connections by echo, and sizes, all at one MTU. Each part is a
run of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from vmkb.accounting.analysis.analyse import failed, untrusted
from vmkb.accounting.costs import TrialCost, costs, per_event
from vmkb.accounting.measures import Measure, instructions_of, part_cpu, throughput, value
from vmkb.accounting.models import model
from vmkb.accounting.profile.summary import Profile
from vmkb.accounting.records import Source
from vmkb.accounting.store import Trial, read
from vmkb.accounting.tables.grown import Program
from vmkb.accounting.tables.listing import Columns, Shown, listing, span
from vmkb.accounting.tables.table import Cell, Table, printed
from vmkb.errors import UsageError
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import Guest
from vmkb.workloads.base.here import Here
from vmkb.workloads.base.own import taken
from vmkb.workloads.base.profile.changes import OF_STACK, programs
from vmkb.workloads.base.profile.report import profiles
from vmkb.workloads.base.profile.told import TCPIP
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import Asked, Settings, save
from vmkb.workloads.base.workload import Stage, Workload
from vmkb.workloads.conform import Workload as Conform
from vmkb.workloads.conform.tables import table as conforming
from vmkb.workloads.echo import Workload as Echo
from vmkb.workloads.ftp.plan import Planned
from vmkb.workloads.ftp.workload import FtpBench, station_name
from vmkb.workloads.ftp.workload import Workload as Ftp
from vmkb.workloads.sweeping.beside import LINUX, WHOLE, EchoServed, LossyServe

MTU, WIRE = 1500, "ethernet-10"
"""Those of echo."""
_LINUX = "-linux"
GET, PUT, TRIP, MANY, CONNECT = "G2M_B", "P2M_B", "1B", "RR64", "CRR1"
SERVED = {GET: PUT, PUT: GET}
"""What a client gets, its server puts."""
LOSS, SEEDS = 0.01, 3
"""The part of the frames that the lossy link loses each way, and trials on it."""
NOTE = (
    "Linux: all that its guest executes, with the kernel's scheduler, vsftpd or a program that"
    " echoes, and files in memory. It serves, so its get is what its client puts, and it accepts"
    " the connections that stacks make. Its window is 64 KB, its driver the kernel's ctcm. What of"
    " it is TCP/IP, and sizes of that, are not told apart."
)
PORT = "service/tcpip/"
"""Where TCPIP's own files are; those of ports in folders."""


class LossyFtp(Ftp):
    """FTP at our MTU; the link of the guest that is measured loses the part LOSS of the frames."""

    def __init__(self, loss: float = 0.0) -> None:
        super().__init__(Ftp().definition.model_copy(update={"mtu": MTU}))
        self._loss = loss

    def about(self, settings: Settings) -> dict[str, str]:
        """The loss too."""
        return {**super().about(settings), "loss": f"{self._loss:g}"}

    def begin(self, stage: Stage[Planned]) -> FtpBench:
        """The wire loses frames in trials."""
        bench = super().begin(stage)
        if self._loss:
            first = stage.left[0]
            bench.losses = {station_name(first.release.name, first.build): self._loss}
        return bench


class Part(NamedTuple):
    """A run: its name, workload and request."""

    name: str
    workload: Workload[Any, Any]
    asked: Asked


class Stack(NamedTuple):
    """What is known of a release: costs by part and case, all those of the machines called LABEL,
    instructions per KB of what it got by where they are written, and sizes. Of Linux the last two
    are not known."""

    release: str
    title: str
    label: str
    costs: Mapping[tuple[str, str], Sequence[TrialCost]]
    where: Mapping[str, float] = {}
    program: Program | None = None


def parts(asked: Asked, kernels: str = "") -> list[Part]:
    """The runs that ASKED, which has the releases, means; and those of KERNELS, as --releases names
    them. Conform's peer has IPv4 alone; UsageError if Linux is to have another."""
    if kernels and asked.ip == 6:
        raise UsageError("--linux serves over IPv4 alone: leave out --ip 6.")
    files: dict[str, Any] = {"cases": (GET, PUT), "wire": WIRE, "builds": 1}
    trips: dict[str, Any] = {"cases": (TRIP, MANY, CONNECT), "builds": 1, "trials": 1}
    lossy = {**files, "trials": SEEDS}
    made = [] if asked.ip == 6 else [Part("conform", Conform(), asked)]
    made += [
        Part("whole", LossyFtp(), replace(asked, **files, trials=1, profile=True)),
        Part("lossy", LossyFtp(LOSS), replace(asked, **lossy)),
        Part("echo", Echo(), replace(asked, **trips)),
    ]
    if kernels:
        linux = Asked(releases=kernels, guests=(LINUX,))
        made += [
            Part(f"whole{_LINUX}", LossyServe(), replace(linux, **files, trials=1)),
            Part(f"lossy{_LINUX}", LossyServe(LOSS), replace(linux, **lossy)),
            Part(f"echo{_LINUX}", EchoServed(), replace(linux, **trips)),
        ]
    return made


def prepared(
    asked: Asked, kernels: str, guest: Guest, folder: Path, say: Callable[[str], None]
) -> list[Run[Any, Any]]:
    """The runs of ASKED and KERNELS in folders below FOLDER, their releases built. UsageError."""
    every: list[tuple[Part, Settings]] = []
    told: list[str] = []
    for part in parts(asked, kernels):
        plain, own = taken(part.workload, part.asked)
        settings = part.workload.settings(plain)
        settings = settings.model_copy(update={"own": (*settings.own, *own)})
        told += [f"Release {each.name}: {each.about()}" for each in settings.own]
        every.append((part, settings))
    for line in dict.fromkeys(told):
        say(line)
    made: list[Run[Any, Any]] = []
    for part, settings in every:
        place = folder / part.name
        place.mkdir(parents=True)
        save(settings, place)
        made.append(Run(part.workload, settings, guest, place, say))
    return made


def run(runs: Sequence[Run[Any, Any]], shown: Progress) -> None:
    """Run what is left of RUNS. A trial that fails is a result (`doubts`); EmulatorError if none
    has come to its end since the last one did."""
    for each in runs:
        shown.say(each.folder.name)
        while each.left:
            try:
                each.run(shown, Here())
                break
            except EmulatorError:
                ended = {t.id for t in _stored(each) if t.status}
                left = [p for p in each.left if p.id not in ended]
                if len(left) == len(each.left):
                    raise
                each.left = left


def _stored(run: Run[Any, Any]) -> Sequence[Trial]:
    """What RUN has stored, also of trials that failed."""
    kept = read(run.folder)
    return (*kept.trials, *kept.unfinished)


def doubts(runs: Sequence[Run[Any, Any]]) -> list[str]:
    """A sentence for each trial of RUNS that failed or is not to be trusted."""
    each = [read(run.folder) for run in runs]
    return [said for one in each for said in (*untrusted(one.trials), *failed(one.unfinished))]


def tables(runs: Sequence[Run[Any, Any]]) -> list[Table]:
    """What the stacks of RUNS do as TCP says, what they cost, how fast they are, what they
    take."""
    checked, costly = _divided(runs)
    made = [conforming(read(run.folder).trials) for run in checked]
    over = ", over IPv6" if any(o.ip == 6 for o in costly[0].settings.own) else ""
    made += _costly(_found(costly), over)
    return [table for table in made if table is not None]


def _divided(runs: Sequence[Run[Any, Any]]) -> tuple[list[Run[Any, Any]], list[Run[Any, Any]]]:
    """Those of RUNS that look at what stacks do, and those that measure what they cost."""
    checked = [run for run in runs if isinstance(run.workload, Conform)]
    return checked, [run for run in runs if run not in checked]


def _found(runs: Sequence[Run[Any, Any]]) -> list[Stack]:
    """What RUNS, the first of files without loss, say of each release."""
    whole = runs[0]
    each = {r.folder.name: _costs(r) for r in runs}
    seen = profiles(whole.folder, each[whole.folder.name])
    trials = read(whole.folder).trials
    sizes = programs(whole, whole.settings.releases, trials)
    titles = {r.name: r.title for r in whole.workload.definition.releases}
    stacks = [
        Stack(
            release,
            titles[release],
            TCPIP,
            _grouped(release, {p: mine for p, mine in each.items() if not p.endswith(_LINUX)}),
            _where([p for p in seen if (p.release, p.case, p.label) == (release, GET, TCPIP)]),
            program,
        )
        for release, program in zip(whole.settings.releases, sizes, strict=True)
    ]
    served = {p.removesuffix(_LINUX): mine for p, mine in each.items() if p.endswith(_LINUX)}
    kernels = {c.trial.release: c.trial.params["title"] for mine in served.values() for c in mine}
    return stacks + [
        Stack(release, title, WHOLE, {
            (part, SERVED.get(case, case)): mine
            for (part, case), mine in _grouped(release, served).items()
        })
        for release, title in kernels.items()
    ]  # fmt: skip


def _costs(run: Run[Any, Any]) -> list[TrialCost]:
    made = costs(read(run.folder).trials, Source.IC, model(run.settings.model))
    usable = [cost for cost in made if cost.usable]
    if not run.workload.per:
        return usable
    return per_event(usable, lambda trial: int(trial.params["count"]), run.workload.per)


def _grouped(
    release: str, every: Mapping[str, Sequence[TrialCost]]
) -> dict[tuple[str, str], list[TrialCost]]:
    made: dict[tuple[str, str], list[TrialCost]] = {}
    for part, all_of in every.items():
        for cost in all_of:
            if cost.trial.release == release:
                made.setdefault((part, cost.trial.case), []).append(cost)
    return made


def _where(found: Sequence[Profile]) -> dict[str, float]:
    """Instructions per KB of TCPIP by where they are written: the stack, its port, the rest;
    nothing without a profile."""
    made = {"stack": 0.0, "port": 0.0, "rest": 0.0} if found else {}
    for profile in found:
        for function, count in profile.functions().items():
            made[_place(function.file)] += profile.per_kb(count)
    return made


def _place(file: str) -> str:
    if file.startswith(OF_STACK):
        return "stack"
    return "port" if file.startswith(PORT) and "/" in file.removeprefix(PORT) else "rest"


def lost(label: str, whole: Sequence[TrialCost], lossy: Sequence[TrialCost]) -> list[float]:
    """Instructions of what is measured for each frame that its link lost, in each LOSSY trial: what
    it took more than a WHOLE one."""
    lossless = [_instructions(cost, label) for cost in whole[:1]]
    return [
        (_instructions(cost, label) - base) / frames
        for base in lossless
        for cost in lossy
        if (frames := _dropped(cost.trial))
    ]


def _instructions(cost: TrialCost, label: str) -> float:
    counts = (p.instructions for p in cost.parts if p.label == label)
    return sum(count.value for count in counts if count is not None)


def _dropped(trial: Trial) -> float:
    return sum(r.value("dropped").value for r in trial.records if r.kind == "wire")


def _costly(stacks: Sequence[Stack], over: str) -> list[Table | None]:
    """What STACKS cost, how fast they are and what they take; OVER which IP, if not 4."""
    names = "; ".join(f"{s.release}: {s.title}" for s in stacks)
    of_linux = [NOTE] if any(s.label == WHOLE for s in stacks) else []
    return [
        _table("stacks", "CPU of TCPIP", stacks, [
            ("Get", _of("whole", GET, part_cpu)),
            ("Put", _of("whole", PUT, part_cpu)),
            ("One", _of("echo", TRIP, part_cpu)),
            ("Of 64", _of("echo", MANY, part_cpu)),
            ("Connection", _of("echo", CONNECT, part_cpu)),
        ], (
            f"{names}.",
            f"Files of 2 MB; round trips of a byte over one connection, over one of 64 side by"
            f" side, and with a connection each. MTU {MTU}, {WIRE}{over}.",
            *of_linux,
        )),
        _table("stacks-where", "Instructions of TCPIP", stacks, [
            ("Put", _of("whole", PUT, instructions_of)),
            ("Get", _of("whole", GET, instructions_of)),
            ("of it stack", _written("stack")),
            ("port", _written("port")),
            ("rest", _written("rest")),
        ], ("The rest is TCPIP's own code, and CP's work for it.",)),
        _table("stacks-lost", "A lost frame", stacks, [
            ("In get", _lost(GET)),
            ("In put", _lost(PUT)),
            *_rates("lossy", ", lossy"),
            *_rates("whole", ", whole"),
        ], (
            f"Instructions of TCPIP for each frame that its link loses, of {100 * LOSS:g} % each"
            f" way, {SEEDS} seeds: what a trial takes more than one without loss.",
        )),
        _table("stacks-sizes", "Sizes", stacks, _sizes(), (
            "text: instructions of the stack's own files; data, bss: of the whole program; RAM:"
            " heap and pools at most, which only lwIP tells.",
        ), once=True),
    ]  # fmt: skip


def _table(
    name: str, title: str, stacks: Sequence[Stack], columns: Columns[Stack],
    notes: Sequence[str], once: bool = False,
) -> Table | None:  # fmt: skip
    named: Columns[Stack] = [("Release", lambda s: s.release)]
    return listing(name, title, stacks, [*named, *columns], notes, keys=0, once=once)


def _of(part: str, case: str, measure: Callable[[str], Measure]) -> Callable[[Stack], Shown]:
    def cell(stack: Stack) -> Shown:
        group = stack.costs.get((part, case))
        return value(measure(stack.label))(group) if group else None

    return cell


def _written(place: str) -> Callable[[Stack], Shown]:
    return lambda s: printed(s.where[place], "instr/KB", "(IC)") if s.where else None


def _lost(case: str) -> Callable[[Stack], Shown]:
    def cell(stack: Stack) -> Shown:
        whole, lossy = (stack.costs.get((part, case), ()) for part in ("whole", "lossy"))
        return span(lost(stack.label, whole, lossy), "instr", "(IC/WI)")

    return cell


def _rates(part: str, word: str) -> Iterator[tuple[str, Callable[[Stack], Shown]]]:
    yield f"Get{word}", _of(part, GET, lambda label: throughput)
    yield f"Put{word}", _of(part, PUT, lambda label: throughput)


def _sizes() -> Columns[Stack]:
    def size(of: Callable[[Program], int | None]) -> Callable[[Stack], Shown]:
        def cell(stack: Stack) -> Shown:
            number = of(stack.program) if stack.program else None
            return None if number is None else Cell(f"{number:,}", number, "B")

        return cell

    return [
        ("text", size(lambda p: p.text)),
        ("data", size(lambda p: p.data)),
        ("bss", size(lambda p: p.bss)),
        ("largest frame", size(lambda p: p.frame)),
        ("RAM", size(lambda p: p.ram)),
    ]
