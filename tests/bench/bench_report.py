# SPDX-License-Identifier: MIT
"""How long reading results, making tables and printing each format take.

Run by hand: `python tests/bench/bench_report.py [TRIALS]`. It makes its own results.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.accounting.texts import make_results
from vmkb.accounting.analysis.analyse import analyse
from vmkb.accounting.analysis.specification import Specification
from vmkb.accounting.report import data
from vmkb.accounting.report.formats import FORMATS, render
from vmkb.accounting.store import read
from vmkb.accounting.store.query import query

T = TypeVar("T")


def timed(name: str, work: Callable[[], T]) -> T:
    """Run WORK once and print how long it took."""
    begin = time.perf_counter()
    made = work()
    print(f"{name:24} {1000 * (time.perf_counter() - begin):9.1f} ms")
    return made


def main(trials: int) -> None:
    """Six cases under two releases, TRIALS of each."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        cases = tuple(f"CASE{k}" for k in range(6))
        timed("make and store", lambda: make_results(path, cases=cases, trials=trials))
        size = (path / "results.jsonl").stat().st_size
        print(f"{12 * trials} trials, {size / 1e6:.1f} MB")
        found = timed("read", lambda: read(path))
        made = timed("tables", lambda: analyse(found.trials, Specification()))
        for form in FORMATS:
            timed(form, partial(render, made, form))
        timed("parquet", lambda: data.write_parquet(made.tables, path / "t.parquet"))
        timed("query", lambda: query(found, "SELECT median(us_per_kb) FROM costs"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'peak memory':24} {peak:9.1f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
