# SPDX-License-Identifier: MIT
"""Worlds of a run on the workers of Dask's scheduler, as workloads.base.here has them here."""

from __future__ import annotations

import pickle
from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any

from vmkb.workloads.base.here import Left, World
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.results import TRANSCRIPTS
from vmkb.workloads.base.run import Run
from vmkb.workloads.campaign.campaign import Campaign
from vmkb.workloads.campaign.identity import identity
from vmkb.workloads.campaign.job import Job


class Away:
    """The workers of the SCHEDULER at that address, which find the guest by the name GUEST."""

    def __init__(self, scheduler: str, guest: str) -> None:
        self._scheduler, self._guest = scheduler, guest

    def worlds(
        self, run: Run[Any, Any], worlds: Sequence[World], progress: Progress
    ) -> Generator[tuple[World, Left, float], None, None]:
        """As an Executor does."""
        settings = run.settings.model_dump(mode="json")
        job = Job(
            identity(run.guest, run.emulator), run.workload.name, self._guest, settings,
            run.folder.resolve().name, tuple(world[0].id for world in worlds),
        )  # fmt: skip
        with closing(Campaign(self._scheduler, job, progress).results()) as results:
            for world, (left, seconds) in zip(worlds, results, strict=True):
                files, read = pickle.loads(left)
                for name, data in files.items():
                    (run.folder / TRANSCRIPTS / name).write_bytes(data)
                yield world, read, seconds
