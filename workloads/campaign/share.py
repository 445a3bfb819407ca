# SPDX-License-Identifier: MIT
"""What of one run is left, and where its trials are put together."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from vmkb.workloads.base.results import TRANSCRIPTS
from vmkb.workloads.base.run import Run
from vmkb.workloads.campaign.identity import source_digest
from vmkb.workloads.campaign.job import Job
from vmkb.workloads.campaign.merge import Merge
from vmkb.workloads.campaign.parts import pairs


class Share:
    """RUN, whose workers find its guest by the name GUEST. `left` are the pairs that nobody has,
    `job` what a worker is sent, without its trials, `again` trials that have ended and are run once
    more."""

    def __init__(self, run: Run[Any, Any], guest: str) -> None:
        self.run = run
        name = run.folder.resolve().name
        settings = run.settings.model_dump(mode="json")
        self.job = Job(source_digest(), run.workload.name, guest, settings, name)
        wanted = {p.id for p in run.left}
        # Of a pair of which one has ended both are run: they are to be neighbours on one machine.
        self.left = [ids for ids in pairs(run.plan) if wanted & set(ids)]
        self._every = {i for ids in self.left for i in ids}
        self.again = self._every - wanted
        begun = datetime.now(UTC).isoformat("T", "seconds")
        self.merge = Merge(run.folder, name, run.meta, begun)

    @property
    def ended(self) -> bool:
        """Whether all trials are there."""
        return self._every <= self.merge.done

    def parts(self) -> int:
        """The highest number that a part of this run has had."""
        earlier = (self.run.folder / TRANSCRIPTS).glob("part-*")
        return max((int(p.name[5:]) for p in earlier if p.name[5:].isdigit()), default=0)

    def whole(self, mine: Iterable[tuple[str, ...]]) -> bool:
        """Whether all trials of the pairs MINE are there."""
        return all(i in self.merge.done for ids in mine for i in ids)

    def take_back(self, mine: Iterable[tuple[str, ...]]) -> int:
        """Put back those of the pairs MINE that have not ended; how many trials these are. A pair
        of which one has ended is run again as a whole, elsewhere."""
        again = [ids for ids in mine if set(ids) - self.merge.done]
        self.merge.done.difference_update(*again)
        self.left = again + self.left
        return sum(map(len, again))
