# SPDX-License-Identifier: MIT
"""DuckDB within limits: of address space, and one question within those of time, storage and length
of the answer."""

from __future__ import annotations

import resource
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vmkb.errors import VmkbError

if TYPE_CHECKING:
    import duckdb

SECONDS = 60.0
MEMORY_MB = 1024
ROWS = 1_000_000
_PIECE = 10_000
GRACE = 2.0
"""Seconds that a question has to end after its first interrupt."""
_AGAIN = 0.1
_folders: set[str] = set()


class QueryError(VmkbError, ValueError):
    """SQL that DuckDB does not take, or that takes too much; the message says which."""


NEEDS_MB = 1024
"""Address space that DuckDB and its threads take before they hold anything."""
TOO_LITTLE = (
    f"DuckDB needs {NEEDS_MB} MB of address space, and this process may have less (ulimit -v)"
)


ON_DEAF: list[Callable[[QueryError], object]] = []
"""What ends the process, in the last place, where a question cannot be interrupted; a library is
not ended."""


def bounded(
    db: duckdb.DuckDBPyConnection, sql: str, seconds: float = SECONDS, rows: int = ROWS
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and rows of SQL's answer. The connection's settings are fixed afterwards.

    QueryError with DuckDB's words, or after `seconds`, MEMORY_MB or more than `rows` rows."""
    import duckdb

    db.execute(f"SET memory_limit = '{MEMORY_MB}MB'")
    db.execute("SET lock_configuration = true")
    ends = time.monotonic() + seconds
    answered = threading.Event()
    too_long = QueryError(f"the answer takes more than {seconds:g} s")
    watch = threading.Thread(target=_watch, args=(db, answered, seconds, too_long), daemon=True)
    watch.start()
    try:
        found = db.execute(sql)
        if found is None:  # nothing but blanks, comments and semicolons
            raise QueryError("there is no SQL in that question; ask SELECT label FROM costs")
        names = [d[0] for d in found.description or ()]
        answer: list[tuple[Any, ...]] = []
        while names and (piece := found.fetchmany(_PIECE)):
            answer += piece
            if len(answer) > rows:
                raise QueryError(f"the answer has more than {rows} rows: add LIMIT or GROUP BY")
            if time.monotonic() > ends:
                raise too_long
        return names, answer
    except duckdb.InterruptException:
        raise too_long from None
    except duckdb.OutOfMemoryException:
        raise QueryError(f"the answer takes more than {MEMORY_MB} MB of storage") from None
    except (duckdb.Error, ValueError) as error:
        if isinstance(error, QueryError):
            raise
        raise QueryError(str(error)) from error
    finally:
        answered.set()
        watch.join()  # it has the connection, whose end DuckDB would miss at this process's


def _watch(
    db: duckdb.DuckDBPyConnection, answered: threading.Event, seconds: float, error: QueryError
) -> None:
    """Interrupt what takes more than SECONDS. Some functions of DuckDB do not look whether they
    were: GRACE seconds later the process is ended by ON_DEAF."""
    if answered.wait(seconds):
        return
    ends = time.monotonic() + GRACE
    while time.monotonic() < ends:
        db.interrupt()  # once is too little: one that comes between two statements is forgotten
        if answered.wait(_AGAIN):
            return
    if ON_DEAF:
        for folder in tuple(_folders):
            shutil.rmtree(folder, ignore_errors=True)
        ON_DEAF[-1](error)


@contextmanager
def working_folder() -> Iterator[str]:
    """A temporary folder, which goes even if a question ends the process."""
    with tempfile.TemporaryDirectory() as folder:
        _folders.add(folder)
        try:
            yield folder
        finally:
            _folders.discard(folder)


def database() -> duckdb.DuckDBPyConnection:
    """A new database in memory. MemoryError if this process's limit leaves too little for it."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit - _taken() < NEEDS_MB << 20:
        raise MemoryError(TOO_LITTLE)
    import duckdb

    return duckdb.connect(":memory:")


def _taken() -> int:
    """Bytes of address space that this process has already."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * resource.getpagesize()
