# SPDX-License-Identifier: MIT
"""Trials on virtual time run once more, and where they differ from what they left before."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from vmkb import given
from vmkb.errors import UsageError
from vmkb.hercules.emulator.boot import find_guest
from vmkb.hercules.emulator.choice import BUILDER
from vmkb.hercules.scratch import Scratch
from vmkb.workloads.base.found import workload
from vmkb.workloads.base.progress import progress
from vmkb.workloads.base.results import TRANSCRIPTS
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import FILE_NAME, restore
from vmkb.workloads.base.virtual import TRACE

NOTHING = "nothing"


def again(folder: Path, names: Sequence[str], guest: str) -> Iterator[tuple[str, str]]:
    """Each trial of the run in FOLDER, or those of NAMES, run again: its id, and how it differs;
    empty if it is equal to the byte. UsageError for a run that cannot be repeated."""
    try:
        name = json.loads(given.data(folder / FILE_NAME))["workload"]
    except (OSError, ValueError, KeyError):
        raise UsageError(f"{folder} is no folder of a run: it has no {FILE_NAME}.") from None
    found = workload(name)
    settings = restore(folder, name)
    before = folder / TRANSCRIPTS
    with Scratch(tempfile.gettempdir(), "vmkb-replay-") as scratch:
        run = Run(found, settings, find_guest(guest), scratch.path)
        worlds = {p.id: run.first_of_world(p).id for p in run.plan}
        kept = {trial for trial, world in worlds.items() if (before / f"{world}{TRACE}").is_file()}
        if not kept:
            raise UsageError(f"{folder} has no trial on virtual time: no other is repeated.")
        if not run.virtual:
            raise UsageError(f"{run.emulator.name} has no virtual time: {BUILDER} builds one.")
        if unknown := sorted(set(names) - kept):
            known = ", ".join(sorted(kept))
            raise UsageError(f"{folder} has no trial {unknown[0]}; it has {known}.")
        run.left = [p for p in run.plan if p.id in kept and p.id in (names or kept)]
        run.run(progress([p.like for p in run.left]))
        for planned in run.left:
            trial = planned.id
            yield trial, differs(before, scratch.path / TRANSCRIPTS, trial, worlds[trial])


def differs(before: Path, after: Path, trial: str, world: str) -> str:
    """How the files of TRIAL and of its WORLD in the folder AFTER differ from those in BEFORE;
    empty if they do not."""
    with (
        gzip.open(before / f"{world}{TRACE}", "rt") as old,
        gzip.open(after / f"{world}{TRACE}", "rt") as new,
    ):
        for number, (was, now) in enumerate(zip_longest(old, new), start=1):
            if was != now:
                return (
                    f"event {number} was {(was or NOTHING).strip()}, now it is"
                    f" {(now or NOTHING).strip()}"
                )
    for path in sorted(after.glob(f"{trial}.*")):
        earlier = before / path.name
        if not earlier.is_file() or earlier.read_bytes() != path.read_bytes():
            return f"the events are equal, but {path.name} differs"
    return ""
