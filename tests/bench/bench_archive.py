# SPDX-License-Identifier: MIT
"""Prints what a question to an archive of 10^8 made records costs: `bench_archive.py FOLDER`.

The median by case and release, by medians() and by SQL's own median, each in a process of its own;
seconds of wall and CPU, and the most storage it had.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from vmkb.accounting.store.dataset.write import PARQUET

RUNS, RECORDS = 1000, 100_000
QUESTIONS = (
    "SELECT * FROM medians(us_per_kb) ORDER BY ALL",
    "SELECT case_id, release, median(us_per_kb) FROM costs GROUP BY ALL ORDER BY ALL",
    "SELECT case_id, release, avg(us_per_kb) FROM costs GROUP BY ALL ORDER BY ALL",
)
ROW = """
SELECT '{run}/' || i AS trial, 'C' || (i % 8) AS case_id,
       CASE WHEN i // 8 % 2 = 0 THEN '213' ELSE '221' END AS release,
       'TCPIP' AS machine, 'TCPIP' AS label,
       5.7 + i % 8 * 1.3 + hash(i + {first}) % 1000000 / 1e7 AS us_per_kb
FROM range({records}) t(i)
"""


def make(archive: Path) -> None:
    """RUNS runs of RECORDS rows of costs each."""
    import duckdb

    archive.mkdir(parents=True)
    (archive / "vmkb-archive.json").write_text(json.dumps({"schema": 1}))
    with duckdb.connect() as db:
        for k in range(RUNS):
            run = f"run-{k:04d}"
            path = archive / "costs" / f"run={run}" / "part.parquet"
            path.parent.mkdir(parents=True)
            rows = ROW.format(run=run, first=k * RECORDS, records=RECORDS)
            db.execute(f"COPY ({rows}) TO '{path}' ({PARQUET})")


def ask(archive: Path, sql: str) -> None:
    """One question, in a process of its own."""
    began = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "-m", "vmkb.workloads.cli", "query", str(archive), sql, "--to", "csv"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    said = child.stdout.read()
    _, _, used = os.wait4(child.pid, 0)
    wall = time.monotonic() - began
    print(
        f"{wall:6.1f} s wall {used.ru_utime + used.ru_stime:6.1f} s CPU"
        f" {used.ru_maxrss * 1024 / 1e9:5.2f} GB  {sql}\n        {said.splitlines()[-1][:90]}"
    )


def main() -> None:
    archive = Path(sys.argv[1])
    if not archive.exists():
        make(archive)
    print(f"load average {os.getloadavg()[0]:.1f}")
    for sql in QUESTIONS:
        ask(archive, sql)


if __name__ == "__main__":
    main()
