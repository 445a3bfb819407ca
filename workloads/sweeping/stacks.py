# SPDX-License-Identifier: MIT
"""TCP/IP stacks beside each other, and Linux beside them: files by FTP on a wire that loses nothing
and on one that does, round trips and connections by echo, and sizes, all at one MTU. Each part is a
run of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from vmkb.accounting.analysis.analyse import failed, untrusted
from vmkb.accounting.costs import TrialCost, costs, per_event
from vmkb.accounting.models import model
from vmkb.accounting.profile.summary import Profile
from vmkb.accounting.records import Source
from vmkb.accounting.store import Trial, read
from vmkb.accounting.tables.table import Table
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
from vmkb.workloads.base.settings import Asked, Settings, over_of, save
from vmkb.workloads.base.workload import Workload
from vmkb.workloads.conform import Workload as Conform
from vmkb.workloads.conform.tables import table as conforming
from vmkb.workloads.echo import Workload as Echo
from vmkb.workloads.sweeping.beside import (
    LINUX,
    WHOLE,
    ConformServed,
    EchoServed,
    LossyServe,
)
from vmkb.workloads.sweeping.lossy import MTU, WIRE, LossyEcho, LossyFtp
from vmkb.workloads.sweeping.stack_tables import (
    CONNECT,
    FEW,
    FEW_PUT,
    GET,
    LOSS,
    MANY,
    PUT,
    SEEDS,
    TRIP,
    Stack,
)
from vmkb.workloads.sweeping.stack_tables import tables as of_stacks

_LINUX = "-linux"
SERVED = {GET: PUT, PUT: GET, FEW: FEW_PUT, FEW_PUT: FEW}
"""What a client gets, its server puts."""
PORT = "service/tcpip/"
"""Where TCPIP's own files are; those of ports in folders."""


class Part(NamedTuple):
    """A run: its name, workload and request."""

    name: str
    workload: Workload[Any, Any]
    asked: Asked


def parts(asked: Asked, kernels: str = "") -> list[Part]:
    """The runs that ASKED, which has the releases, means; and those of KERNELS, as --releases names
    them. UsageError if Linux is to have IPv6."""
    if kernels and asked.ip == 6:
        raise UsageError("--linux serves over IPv4 alone: leave out --ip 6.")
    files: dict[str, Any] = {"cases": tuple(SERVED), "wire": WIRE, "builds": 1}
    trips: dict[str, Any] = {"cases": (TRIP, MANY, CONNECT), "builds": 1, "trials": 1}
    lossy = {**files, "trials": SEEDS}
    made = [
        Part("conform", Conform(), asked),
        Part("whole", LossyFtp(), replace(asked, **files, trials=1, profile=True)),
        Part("lossy", LossyFtp(LOSS), replace(asked, **lossy)),
        Part("echo", Echo(), replace(asked, **trips)),
        Part("lossy-echo", LossyEcho(LOSS), replace(asked, cases=(MANY,), builds=1, trials=SEEDS)),
    ]
    if kernels:
        linux = Asked(releases=kernels, guests=(LINUX,))
        made += [
            Part(f"conform{_LINUX}", ConformServed(), linux),
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
    made = conforming([trial for run in checked for trial in read(run.folder).trials])
    about = f"MTU {MTU}, {WIRE}{over_of(costly[0].settings.own)}"
    costs = of_stacks(_found(costly), about)
    return [*filter(None, [made]), *costs]


def _divided(runs: Sequence[Run[Any, Any]]) -> tuple[list[Run[Any, Any]], list[Run[Any, Any]]]:
    """Those of RUNS that look at what stacks do, and those that measure what they cost."""
    checked = [run for run in runs if isinstance(run.workload, Conform | ConformServed)]
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
