# SPDX-License-Identifier: MIT
"""Worlds side by side, as many as a time allows."""

from __future__ import annotations

import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from tests.worlds.plan import draw
from tests.worlds.volume import prepare
from tests.worlds.world import Verdict, run
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.lanes import in_lanes

GUEST = "vmkb"


@contextmanager
def volume() -> Iterator[Path]:
    """The volume that worlds begin with."""
    with tempfile.TemporaryDirectory(prefix="vmkb-worlds-") as folder:
        image = Path(folder) / "volume.fba"
        prepare(load_guest(GUEST), image)
        yield image


def one(seed: int, image: Path, keep: Path | None = None) -> Verdict:
    """The world of a seed. What no world may do, such as an error in the program, is wrong too."""
    try:
        if keep is None:
            return run(draw(seed), load_guest(GUEST), image, choose())
        keep.mkdir(parents=True, exist_ok=True)
        with (keep / "trace").open("w", encoding="ascii") as trace:
            return run(draw(seed), load_guest(GUEST), image, choose(), keep / "guests", trace)
    except Exception:
        return Verdict(seed, (traceback.format_exc(),), "", 0.0, 0)


def worlds(seeds: Sequence[int], seconds: float) -> Iterator[Verdict]:
    """What became of the worlds of SEEDS, in their order, until SECONDS are over."""
    end = time.monotonic() + seconds
    with volume() as image, closing(in_lanes(seeds, lambda seed, _: one(seed, image))) as done:
        for _, verdict, _ in done:
            yield verdict
            if time.monotonic() > end:
                return
