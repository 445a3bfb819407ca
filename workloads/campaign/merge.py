# SPDX-License-Identifier: MIT
"""Trials from workers into one store, each once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vmkb.accounting.store import Store, upgrade
from vmkb.accounting.store.rows import check_row
from vmkb.workloads.base.results import TRANSCRIPTS
from vmkb.workloads.campaign.job import Finished


class Merge:
    """Puts what workers send into the results of FOLDER, as of the run called RUN. `done` are the
    ids of planned trials that are there."""

    def __init__(self, folder: Path, run: str, meta: Mapping[str, str], at: str) -> None:
        self._folder = folder
        self._store = Store(folder)
        self.done: set[str] = set()
        self._store.begin_run(run, dict(meta), at)

    def add(self, finished: Finished) -> str:
        """Store a trial that a worker has ended, unless it is there; its status, or nothing."""
        if finished.trial in self.done:
            return ""
        place = self._folder / TRANSCRIPTS
        place.mkdir(parents=True, exist_ok=True)
        for name, data in finished.files.items():
            (place / name).write_bytes(data)
        for row in finished.rows:
            check_row(upgrade(dict(row)))
        self._store.append(*finished.rows)
        self.done.add(finished.trial)
        ends = [row for row in finished.rows if row["row"] == "end"]
        untrusted = [row["why"] for row in ends if row["status"] != "good"]
        return f"NOT TRUSTED: {untrusted[0]}" if untrusted else "good"
