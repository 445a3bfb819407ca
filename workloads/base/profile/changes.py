# SPDX-License-Identifier: MIT
"""What a change did beside its cost, for `vmkb check`: one more trial of base and new, profiled,
and the sizes of their programs. The run's folder keeps it in changes.json."""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vmkb.accounting.analysis.analyse import Analysis
from vmkb.accounting.analysis.answer import case_name, release_name
from vmkb.accounting.analysis.first import same_programs
from vmkb.accounting.costs import costs
from vmkb.accounting.models import model
from vmkb.accounting.profile.summary import Profile
from vmkb.accounting.records import Record, Source
from vmkb.accounting.store import Trial, read
from vmkb.accounting.tables.grown import Program
from vmkb.guests.compiled import PLAIN, flags, of_build
from vmkb.guests.release.sizes import functions, objects, program_sizes
from vmkb.hercules.guest import Guest
from vmkb.workloads.base.here import Here
from vmkb.workloads.base.own import LEVEL, Say
from vmkb.workloads.base.profile.kept import in_program
from vmkb.workloads.base.profile.report import profiles
from vmkb.workloads.base.profile.told import FILE, TCPIP, Changes
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.readout import POOLS
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import FREERTOS, LWIP, SMOLTCP, Settings
from vmkb.workloads.base.variants import variant
from vmkb.workloads.base.workload import Workload

_KINDS = (LWIP, FREERTOS, SMOLTCP)
OF_STACK = ("lwip/", "freertos/", "smoltcp/", "crates/", "rust/")
"""The beginnings of the names of the stacks' own files, and of what smoltcp is built with."""


def find(
    found: Analysis, workload: Workload[Any, Any], settings: Settings, guest: Guest, folder: Path,
    say: Say,
) -> None:  # fmt: skip
    """Keep in FOLDER what changed between the first and the last release of its run of WORKLOAD
    with SETTINGS on GUEST, of which FOUND is the analysis. Nothing if their programs are equal.
    SAY is told before more is run. A VmkbError says why it cannot be told."""
    if not found.rulings or same_programs(found.trials) or "profile" not in workload.options:
        return
    ruling = found.rulings[-1]
    largest = max(ruling.changes, key=lambda c: abs(math.log(c.ratio.value)), default=None)
    if largest is None:
        return
    case, releases = largest.known.column.case, (ruling.base, ruling.release)
    one = settings.model_copy(update={
        "trials": 1, "builds": 1, "cases": (case,), "releases": releases, "more": {},
        "profile": True, "fixed": True,
    })  # fmt: skip
    say("One more trial of each tells sizes and functions")
    within = folder / "changes"
    within.mkdir(exist_ok=True)
    try:
        run = Run(workload, one, guest, within)
        run.run(Progress(), Here())
        trials = read(within).trials
        seen = profiles(within, costs(trials, Source.IC, model(one.model)))
        stack = all(own.what in _KINDS for own in one.own if own.name in releases)
        each, whole = _grown([p for p in seen if not stack or p.label == TCPIP], releases)
        sized = None
        if stack:
            base, new = programs(run, releases, trials)
            sized = base, new
        called = found.specification.releases
        made = Changes(
            case=case_name(case, found.specification.cases),
            names=(release_name(ruling.base, called), release_name(ruling.release, called)),
            compiled=flags(of_build(one.compiled, PLAIN)),
            programs=sized,
            functions=each,
            whole=whole,
        )
    finally:
        shutil.rmtree(within, ignore_errors=True)
    (folder / FILE).write_text(made.model_dump_json(indent=1) + "\n", "utf-8")


def _grown(found: Sequence[Profile], releases: Sequence[str]) -> tuple[dict[str, float], float]:
    """Instructions per KB of each function, and of all, under the second of RELEASES less those
    under the first."""
    each: Counter[str] = Counter()
    whole = 0.0
    for p in found:
        sign = 1 if p.release == releases[1] else -1
        whole += sign * p.per_kb(p.total)
        for function, count in p.functions().items():
            name = f"{function.file.rpartition('/')[2]} {function.name}"
            each[name] += sign * p.per_kb(count)  # type: ignore[assignment]
    return {name: round(x, 3) for name, x in each.items() if round(x, 3)}, round(whole, 3)


def programs(
    run: Run[Any, Any], releases: Sequence[str], trials: Sequence[Trial]
) -> tuple[Program, ...]:
    """The TCPIP of each of RELEASES in RUN, whose TRIALS told of their storage."""
    parameters = {r.name: r.parameter for r in run.workload.definition.releases}
    made = []
    for release in releases:
        image = variant(run.guest, PLAIN, parameters[release]).image
        elf = image.parent / f"tcpip{parameters[release].removeprefix(LEVEL)}.elf"
        made.append(_program(elf, run.guest, [t for t in trials if t.release == release]))
    return tuple(made)


def _program(elf: Path, guest: Guest, trials: Sequence[Trial]) -> Program:
    """The sizes of the TCPIP that is linked as ELF, which told of its storage in TRIALS."""
    code = [(f, list(f.instructions())) for f in functions(elf)]
    addresses = [address for _, all_of in code for address, _ in all_of]
    named = in_program(elf, str(guest.folder.resolve()), addresses)
    text, frame, deepest = 0, 0, ""
    for function, all_of in code:
        text += sum(len(i) for address, i in all_of if _of_stack(named[address].frame.file))
        if _of_stack(named[function.address].frames[-1].file) and function.frame > frame:
            frame, deepest = function.frame, named[function.address].frames[-1].function
    _, data, bss = program_sizes(elf)
    return Program(text, data, bss, frame, deepest, most_ram(trials, objects(elf)))


def _of_stack(file: str) -> bool:
    return file.startswith(OF_STACK)


def most_ram(trials: Sequence[Trial], sizes: dict[str, int]) -> int | None:
    """The largest `ram` of TRIALS; None if one of them does not tell."""
    each = [ram([r for r in t.records if r.kind in POOLS], sizes) for t in trials]
    told = [used for used in each if used is not None]
    return max(told) if told and len(told) == len(each) else None


def ram(pools: Sequence[Record], sizes: dict[str, int]) -> int | None:
    """Bytes of heap and pools that lwIP had in use at most; None where that is not told. SIZES has
    the array of each pool, of which an alignment is part."""
    used = None
    for pool in pools:
        name = pool.word("pool")
        most = int(pool.value("most_used").value) if "most_used" in pool.fields else 0
        if name == "HEAP BYTES":
            used = most
        elif not most:
            continue
        elif used is not None and (array := sizes.get(f"memp_memory_{name}_base")):
            used += most * (array // int(pool.value("size").value) // 8 * 8)
        else:
            return None
    return used
