# SPDX-License-Identifier: MIT
"""From the profiles that a run kept to their tables and files for other tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from vmkb import given
from vmkb.accounting.costs import PartCost as Part
from vmkb.accounting.costs import TrialCost
from vmkb.accounting.profile import counts
from vmkb.accounting.profile.beside import beside_table
from vmkb.accounting.profile.export import callgrind, collapsed
from vmkb.accounting.profile.layers import LayerError, layer_of, parse
from vmkb.accounting.profile.summary import Profile
from vmkb.accounting.profile.symbols import Frame
from vmkb.accounting.profile.tables import changes_table, layers_table
from vmkb.accounting.records import Unit
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.table import Table
from vmkb.errors import UsageError
from vmkb.guests.base import LAYERS
from vmkb.workloads.base.profile.kept import CONTROL, FOLDER, kept, places
from vmkb.workloads.base.profile.kernel import PROGRAMS_AT, net, net_of_cp


def profiles(folder: Path, costs: Sequence[TrialCost]) -> list[Profile]:
    """The profile of each machine in each case and release of the run in FOLDER.

    COSTS are those of its trials, whose counts the profiles must sum to. Raises UsageError for
    a damaged file, EmulatorError when there are no tools to find names.
    """
    made: dict[tuple[str, str, str], Profile] = {}
    found: list[tuple[Profile, tuple[int, str], _Counted, float]] = []
    for cost in costs:
        trial = cost.trial
        try:
            samples = kept(folder, trial.id)
        except counts.ProfileError as error:
            raise UsageError(f"{error}.") from None
        for part in cost.parts:
            if part.instructions is None or cost.data is None:
                continue
            for mine in _counted(samples, trial, part):
                key = mine.machine, trial.case, trial.release
                title = trial.params.get("title", "")
                profile = made.setdefault(key, Profile(mine.machine, mine.label, *key[1:],
                                                       whole=mine.whole, title=title))  # fmt: skip
                profile.in_programs += mine.in_programs
                programs = int(trial.params.get("build", 1)), trial.release + mine.of
                found.append((profile, programs, mine, cost.data.to(Unit.KB).value))
    for build, release in sorted({of for _, of, *_ in found}):
        of_it = [(p, mine, kb) for p, of, mine, kb in found if of == (build, release)]
        names = places(folder, build, {a for _, mine, _ in of_it for a in mine.counts}, release)
        for profile, mine, kb in of_it:
            profile.add(mine.counts, names, kb, mine.counted)
    return list(made.values())


class _Counted(NamedTuple):
    """What a trial counted of a machine: its userid and name in tables, COUNTS by address, and what
    these must sum to; of a WHOLE guest what its programs were counted to execute. `of` is behind
    the release's name in that of the folder of its programs."""

    machine: str
    label: str
    counts: Mapping[int, int]
    counted: int
    whole: bool = False
    in_programs: int = 0
    of: str = ""


def _counted(samples: Sequence[counts.Sample], trial: Trial, part: Part) -> Iterator[_Counted]:
    """What SAMPLES of TRIAL have of PART; of a kernel in a virtual machine also CP's for it."""
    machine, label = part.machine.replace("*", ""), part.label  # *SYSTEM in the accounts
    assert part.instructions is not None
    counted = int(part.instructions.value)
    if not samples or samples[0].userid != counts.KERNEL:
        if mine := [s for s in samples if s.userid == machine]:
            yield _Counted(machine, label, counts.merged(mine), counted)
        return
    by_kernel, by_cp = net(samples), net_of_cp(samples)
    if not by_cp:
        in_programs = int(trial.params["user_instr"])
        yield _Counted(machine, label, by_kernel, counted, True, in_programs)
        return
    told = json.loads(trial.params["machine"])
    yield _Counted(machine, label, by_kernel, told["virt"], True, by_kernel.get(PROGRAMS_AT, 0))
    yield _Counted(f"{machine} CP", f"CP for {label}", by_cp, told["cp"], of=CONTROL)


def layers(folder: Path) -> Callable[[Frame], str]:
    """The layer of a function, by the layers.toml that the run in FOLDER kept."""
    path = folder / FOLDER / LAYERS
    try:
        return partial(layer_of, parse(given.text(path), str(path)))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}.") from None
    except LayerError as error:
        raise UsageError(f"{error}.") from None


def profile_tables(folder: Path, found: Sequence[Profile]) -> list[Table]:
    """The tables of the profiles FOUND in FOLDER; none without any. Raises what `layers` does."""
    if not found:
        return []
    layer = layers(folder)
    made = [
        layers_table([p for p in found if p.machine == machine], layer)
        for machine in dict.fromkeys(p.machine for p in found)
    ]
    more = changes_table(found), beside_table(found)
    return made + [table for table in more if table is not None]


def write_files(folder: Path, found: Sequence[Profile]) -> list[Path]:
    """Write the profiles FOUND in FOLDER for other tools. Raises what `layers` does."""
    layer = layers(folder)
    written = []
    for p in found:
        name = f"callgrind.out.{p.case}{p.release}.{p.machine.replace(' ', '.')}"
        text = callgrind(p, f"{folder.resolve().name} {p.case}{p.release}")
        written.append(_write(folder / FOLDER / name, text))
    for case, release in dict.fromkeys((p.case, p.release) for p in found):
        mine = [p for p in found if (p.case, p.release) == (case, release)]
        path = folder / FOLDER / f"{case}{release}.folded"
        written.append(_write(path, collapsed(mine, layer)))
    return written


def _write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path
