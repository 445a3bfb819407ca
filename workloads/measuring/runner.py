# SPDX-License-Identifier: MIT
"""The trials of a measurement: interleaved, each kept with its transcript as soon as it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from vmkb.accounting.records import Source, Unit, Value
from vmkb.accounting.store import Store, Trial, read
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.results import TRANSCRIPTS
from vmkb.workloads.measuring.asked import Variant, order
from vmkb.workloads.measuring.repeats import Repeats, choose
from vmkb.workloads.measuring.tables import REPEAT
from vmkb.workloads.measuring.trial import Bench, Taken

CASE = "command"


@dataclass(frozen=True)
class Measurement:
    """A request: variants, trials of each, repetitions (0: chosen), KB that one moves."""

    variants: tuple[Variant, ...]
    trials: int
    repeat: int = 0
    kb: float = 0.0


class MeasureRun:
    """Runs a Measurement on a bench and keeps its results in FOLDER."""

    def __init__(self, asked: Measurement, folder: Path, meta: Mapping[str, str]) -> None:
        self.asked, self.folder = asked, folder
        self.plan = order(asked.variants, asked.trials)
        self.notes: list[str] = []
        self._meta = dict(meta)
        self._run = f"measure-{datetime.now(UTC):%Y%m%dT%H%M%S}"
        (folder / TRANSCRIPTS).mkdir(parents=True, exist_ok=True)
        self._store = Store(folder)

    def run(self, bench: Bench, progress: Progress) -> None:
        """All trials. Raises what Bench.take does; what has ended by then is kept."""
        self._store.begin_run(self._run, self._meta, datetime.now(UTC).isoformat())
        repeats = self._prepare(bench, progress.say)
        for seq, (pair, variant) in enumerate(self.plan, start=1):
            progress.trial(variant.label, 1)
            began = time.monotonic()
            taken = self._take(bench, variant, repeats[variant.label].count, f"trial-{seq:03d}")
            taken.interval(bench.user)
            trial = self._trial(bench.user, seq, pair, variant, taken)
            self._store.write_trial(trial)
            progress.transferred()
            progress.done(f"{time.monotonic() - began:.1f} s")

    def trials(self) -> Sequence[Trial]:
        """Those that came to their end."""
        return read(self.folder).trials

    def _prepare(self, bench: Bench, say: Callable[[str], None]) -> dict[str, Repeats]:
        """An interval with nothing in it, and how often each variant is run in one of its own."""
        empty = self._take(bench, None, 0, "empty").interval(bench.user)
        what = f"{empty.total.value / 1000:g} ms of TOTCPU (step {empty.total.tick / 1000:g} ms)"
        if "total_instr" in empty.used:
            what = f"{empty.used['total_instr'].value:.0f} instructions"
        self.notes.append(f"An interval with nothing in it, the question itself, uses {what}.")
        found = {}
        for k, variant in enumerate(self.asked.variants, start=1):

            def take(count: int, variant: Variant = variant, k: int = k) -> Taken:
                return self._take(bench, variant, count, f"warm-up-{k}")

            chosen = choose(
                take, lambda taken: taken.interval(bench.user), empty, self.asked.repeat
            )
            found[variant.label] = chosen
            if chosen.note:
                self.notes.append(f"{variant.label}: {chosen.note}.")
            say(f"{variant.label}: {chosen.count} in each interval")
        return found

    def _take(self, bench: Bench, variant: Variant | None, repeat: int, name: str) -> Taken:
        file = f"{TRANSCRIPTS}/{name}.txt"
        begin = len(bench.session.lines)
        try:
            taken = bench.take(variant, repeat, file)
        except BaseException:
            self._keep(file, [bench.masked(line) for line in bench.session.lines[begin:]])
            raise
        self._keep(file, taken.lines)
        return taken

    def _keep(self, file: str, lines: Sequence[str]) -> None:
        (self.folder / file).write_text("".join(f"{line}\n" for line in lines), "utf-8")

    def _trial(self, user: str, seq: int, pair: int, variant: Variant, taken: Taken) -> Trial:
        moved = self.asked.kb * taken.repeat
        return Trial(
            id=f"{self._run}/{seq:03d}", run=self._run, case=CASE, release=variant.label,
            pair=pair, seq=seq, parts={user: user},
            params={REPEAT: str(taken.repeat), "command": variant.command},
            data=Value(moved, Unit.KB, Source.PB) if moved else None,
            meta=self._meta, records=taken.records, status="good",
        )  # fmt: skip
