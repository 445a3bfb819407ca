# SPDX-License-Identifier: MIT
"""Trials from workers into one store, each once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vmkb.accounting.counter import LAYOUT_ERROR
from vmkb.accounting.store import Store, check_clocks, clock_of, upgrade
from vmkb.accounting.store.rows import check_row
from vmkb.workloads.base.results import TRANSCRIPTS
from vmkb.workloads.campaign.job import Finished


class Merge:
    """Puts what workers send into the results of FOLDER, as of the run called RUN. `done` are the
    ids of planned trials that are there."""

    def __init__(self, folder: Path, run: str, meta: Mapping[str, str], at: str) -> None:
        self._folder, self._run = folder, run
        self._meta = dict(meta)
        self._store = Store(folder)
        self.done: set[str] = set()
        self._store.begin_run(run, self._meta, at)
        self._at = at

    def add(self, finished: Finished, part: str, worker: Mapping[str, str]) -> str:
        """Store a trial of PART that WORKER has ended, unless it is there; its status, or nothing.
        MixError if it ran on another clock."""
        if finished.trial in self.done:
            return ""
        check_clocks((self._meta, finished.meta))
        self._layouts(finished.meta)
        # A trial on virtual time is the same wherever it ran: nothing tells of the worker.
        virtual = clock_of(self._meta) == "virtual"
        place = TRANSCRIPTS if virtual else f"{TRANSCRIPTS}/{part}"
        named = {} if virtual else {**worker, "worker_load": finished.load}
        (self._folder / place).mkdir(parents=True, exist_ok=True)
        for name, data in finished.files.items():
            (self._folder / place / name).write_bytes(data)
        rows = [self._row(row, place, named) for row in finished.rows]
        for row in rows:
            check_row(upgrade(row))
        self._store.append(*rows)
        self.done.add(finished.trial)
        ends = [row for row in rows if row["row"] == "end"]
        untrusted = [row["why"] for row in ends if row["status"] != "good"]
        return f"NOT TRUSTED: {untrusted[0]}" if untrusted else "good"

    def _row(self, row: Mapping[str, Any], place: str, worker: Mapping[str, str]) -> dict[str, Any]:
        made = dict(row)
        if made["row"] == "trial":
            made["params"] = {**made["params"], **worker}
        if made["row"] == "record":
            file, line, column = made["where"]
            made["where"] = [file.replace(TRANSCRIPTS, place, 1), line, column]
        return made

    def _layouts(self, meta: Mapping[str, str]) -> None:
        """What a stock counter's layouts are apart is known only when a worker has asked; the worst
        that one says holds for all."""
        said = meta.get(LAYOUT_ERROR)
        if said is None or float(said) <= float(self._meta.get(LAYOUT_ERROR, "-1")):
            return
        self._meta |= dict(meta) | {"host": self._meta.get("host", "")}
        self._store.begin_run(self._run, self._meta, self._at)
