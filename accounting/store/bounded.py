# SPDX-License-Identifier: MIT
"""DuckDB within limits. Questions of users run in a process of their own (asked.py): it may hold
so much, take so long and write nothing, and whatever DuckDB does it can be ended."""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from vmkb.errors import VmkbError

if TYPE_CHECKING:
    import duckdb

SECONDS = 60.0
MEMORY_MB = 1024
SPILL_GB = 16
"""Bytes that a question to an archive may put into its temporary folder."""
ROWS = 1_000_000
ANSWER_MB = 256
"""Size of an answer on its way from the process that asks."""


class QueryError(VmkbError, ValueError):
    """SQL that DuckDB does not take, or that takes too much; the message says which."""


NEEDS_MB = 1024
"""Address space that DuckDB and its threads take before they hold anything."""
TOO_LITTLE = (
    f"DuckDB needs {NEEDS_MB} MB of address space, and this process may have less (ulimit -v)"
)
_TOO_MUCH = f"the answer takes more than {MEMORY_MB} MB of storage"


def ask(
    views: Sequence[str],
    sql: str,
    *,
    readable: Sequence[Path] = (),
    spill: Path | None = None,
    seconds: float | None = None,
    rows: int = ROWS,
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and rows of SQL's answer over VIEWS, statements that make them.

    DuckDB may read what is READABLE (files, and folders with all in them). It may write to the
    folder SPILL alone, and what SQL says may write nothing. QueryError with DuckDB's words, or
    after SECONDS, MEMORY_MB, ROWS or ANSWER_MB."""
    seconds = SECONDS if seconds is None else seconds
    given = {
        "views": list(views), "sql": sql, "seconds": seconds, "memory_mb": MEMORY_MB,
        "files": [str(p) for p in readable if not p.is_dir()],
        "folders": [str(p) for p in readable if p.is_dir()],
        "spill": str(spill or ""), "spill_gb": SPILL_GB, "needs_mb": NEEDS_MB,
    }  # fmt: skip
    child = subprocess.Popen(
        [sys.executable, "-m", "vmkb.accounting.store.asked"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert child.stdin is not None and child.stdout is not None
    try:
        # The pipe has our end twice: by Popen, and by the connection, which closes its own.
        with Connection(os.dup(child.stdout.fileno()), writable=False) as answers:
            try:
                child.stdin.write(pickle.dumps(given))
                child.stdin.close()
            except BrokenPipeError:
                raise QueryError(_TOO_MUCH) from None
            return _collected(answers, time.monotonic() + seconds, seconds, rows)
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def _collected(
    answers: Connection, ends: float, seconds: float, rows: int
) -> tuple[list[str], list[tuple[Any, ...]]]:
    names: list[str] = []
    found: list[tuple[Any, ...]] = []
    left = ANSWER_MB << 20
    while True:
        if not answers.poll(max(0.0, ends - time.monotonic())):
            raise QueryError(f"the answer takes more than {seconds:g} s")
        try:
            piece = answers.recv_bytes(left)
        except EOFError:  # the process ended in the middle of something
            raise QueryError(_TOO_MUCH) from None
        except OSError:
            raise QueryError(
                f"the answer is longer than {ANSWER_MB} MB: add LIMIT or ask for fewer columns"
            ) from None
        left -= len(piece)
        what: Literal["names", "rows", "end", "refused", "little"]
        what, told = pickle.loads(piece)
        if what == "names":
            names = told
        elif what == "rows":
            found += told
            if len(found) > rows:
                raise QueryError(f"the answer has more than {rows} rows: add LIMIT or GROUP BY")
        elif what == "refused":
            raise QueryError(told or _TOO_MUCH)
        elif what == "little":
            raise MemoryError(TOO_LITTLE)
        else:
            return names, found


def database() -> duckdb.DuckDBPyConnection:
    """A new database in memory. MemoryError if this process's limit leaves too little for it."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit - _taken() < NEEDS_MB << 20:
        raise MemoryError(TOO_LITTLE)
    import duckdb

    return duckdb.connect(":memory:", config={"temp_directory": ""})


def _taken() -> int:
    """Bytes of address space that this process has already."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * resource.getpagesize()


def quoted(path: Path) -> str:
    """PATH as a text in SQL."""
    return "'" + str(path).replace("'", "''") + "'"
