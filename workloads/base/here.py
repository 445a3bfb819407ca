# SPDX-License-Identifier: MIT
"""Who runs the worlds of a run: here this computer's processes (workloads.base.lanes); the other
way is workloads.campaign, workers anywhere."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from vmkb.guests.base import driver
from vmkb.guests.compiled import PLAIN
from vmkb.hercules.warden import Warden
from vmkb.workloads.base.lanes import in_lanes
from vmkb.workloads.base.profile import kept as profiles
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.variants import installed, variant
from vmkb.workloads.base.virtual import volumes_dated
from vmkb.workloads.base.workload import Outcome, Planned

if TYPE_CHECKING:
    from vmkb.workloads.base.run import Run

World = Sequence[Planned]
"""Trials of which each follows from those before it, and from nothing else."""


@dataclass(frozen=True)
class Left:
    """The results of a world: the outcomes of each of its trials, and what its lab said of the
    counter (Lab.calibration)."""

    outcomes: Sequence[Sequence[Outcome]]
    calibration: str = ""


class Executor(Protocol):
    """Runs worlds, which know nothing of each other."""

    def worlds(
        self, run: Run[Any, Any], worlds: Sequence[World], progress: Progress
    ) -> Generator[tuple[World, Left, float], None, None]:
        """Each of WORLDS of RUN, in their order, with what it left, and the seconds that it held up
        the others. Its transcripts are in the run's folder then. EmulatorError when not all can be
        run."""


class Here:
    """Processes of this computer: LANES of them, or one for each processor. Where the guests' time
    is this computer's, one alone."""

    def __init__(self, lanes: int = 0) -> None:
        self._lanes = lanes

    def worlds(
        self, run: Run[Any, Any], worlds: Sequence[World], progress: Progress
    ) -> Generator[tuple[World, Left, float], None, None]:
        """As an Executor does."""
        volume = run.folder / "volume.fba"

        def work(world: World, lane: int) -> Left:
            return run.in_world(world, volume, run.folder / "guests" / str(lane))

        def start(world: World) -> Hashable:
            return run.workload.start(world[0]) or world[0].id

        with Warden() as guard:
            for made in (volume, volume.with_name(volume.name + ".new")):  # as it is built
                guard.remove(made)  # also if this process is killed before there is a lab
            try:
                _build(run, progress)
                hands = driver(run.guest)
                with volumes_dated():
                    hands.prepare(run.workload.contents(hands), volume)
                lanes = self._lanes if run.virtual else 1
                with closing(
                    in_lanes(worlds, work, lanes, progress.now, start, run.end_start)
                ) as ended:
                    yield from ended
            finally:
                volume.unlink(missing_ok=True)


def _build(run: Run[Any, Any], progress: Progress) -> None:
    """Make the builds that the trials need."""
    kernels = run.workload.kernels(run.settings) if run.settings.profile else {}
    for name, guest in kernels.items():
        profiles.keep_symbols(guest, run.folder, name, run.emulator)
    for build in sorted(set(map(run.build_of_guest, run.left))):
        about = f"Building {run.guest.title} once more, number {build}"
        if build != PLAIN and not installed(run.guest):
            progress.say(about)

        def linked(n: int, of: int, about: str = about) -> None:
            progress.say(f"{about}: {n} of {of} programs")

        made = variant(run.guest, build, linked=linked)
        if build != PLAIN:  # made once: nobody asks make again for each trial
            images = {**run.guest.images, (build, ""): str(made.ipl.image)}
            run.guest = run.guest.model_copy(update={"images": images})
        if run.settings.profile and not kernels:
            profiles.keep_programs(made, run.folder, build)
            for release in run.workload.definition.releases:
                own = variant(run.guest, build, release.parameter)
                if own.image != made.image:
                    profiles.keep_programs(own, run.folder, build, release.name)
