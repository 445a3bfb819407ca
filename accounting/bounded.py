# SPDX-License-Identifier: MIT
"""One question to DuckDB, within limits of time, storage and length of the answer."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

SECONDS = 60.0
MEMORY_MB = 1024
ROWS = 1_000_000
_PIECE = 10_000


class QueryError(ValueError):
    """SQL that DuckDB does not take, or that takes too much; the message says which."""


def bounded(
    db: duckdb.DuckDBPyConnection, sql: str, seconds: float = SECONDS, rows: int = ROWS
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and rows of SQL's answer. The connection's settings are fixed afterwards.

    QueryError with DuckDB's words, or after `seconds`, MEMORY_MB or more than `rows` rows."""
    import duckdb

    db.execute(f"SET memory_limit = '{MEMORY_MB}MB'")
    db.execute("SET lock_configuration = true")
    ends = time.monotonic() + seconds
    timer = threading.Timer(seconds, db.interrupt)
    timer.daemon = True
    timer.start()
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
                raise QueryError(f"the answer takes more than {seconds:g} s")
        return names, answer
    except duckdb.InterruptException:
        raise QueryError(f"the answer takes more than {seconds:g} s") from None
    except duckdb.OutOfMemoryException:
        raise QueryError(f"the answer takes more than {MEMORY_MB} MB of storage") from None
    except (duckdb.Error, ValueError) as error:
        if isinstance(error, QueryError):
            raise
        raise QueryError(str(error)) from error
    finally:
        timer.cancel()
