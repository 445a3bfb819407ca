# SPDX-License-Identifier: MIT
"""The process that asks DuckDB one question of a user and ends (bounded.ask starts it).

It holds no more than it may, whatever allocates; the system sees to that, because DuckDB's own
limit does not count all that DuckDB holds. Its limit of processor time ends it should its parent
be killed.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import sys
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from vmkb.accounting.store.bounded import database

if TYPE_CHECKING:
    import duckdb

_PIECE = 1000
_THREAD_MB = 10
"""A thread of DuckDB's: its stack and what it has before it holds anything."""
_OWN_MB = 512
"""Python, DuckDB itself, and a piece of the answer as Python has it."""
_ONLY_SELECT = (
    "a question may only read: ask with SELECT, WITH, FROM, SHOW, DESCRIBE, SUMMARIZE or PIVOT"
    " ... IN"
)
_NO_SQL = "there is no SQL in that question; ask SELECT label FROM costs"


def main() -> None:
    """Read the question from standard input, write the answer in pieces to standard output."""
    given = pickle.load(sys.stdin.buffer)
    with Connection(os.dup(1), readable=False) as out, contextlib.suppress(BrokenPipeError):

        def say(what: str, told: Any = None) -> None:
            out.send_bytes(pickle.dumps((what, told)))

        try:
            db = database()
        except MemoryError:
            say("little")
            return
        import duckdb

        try:
            _limit(given)
            _answer(db, given, say)
        except (duckdb.OutOfMemoryException, MemoryError):
            say("refused")  # bounded has the words
        except (duckdb.Error, ValueError, RuntimeError) as error:
            say("refused", str(error))


def _limit(given: dict[str, Any]) -> None:
    threads = os.cpu_count() or 1
    held = (given["memory_mb"] + _OWN_MB + _THREAD_MB * threads) << 20
    for what, most in (
        (resource.RLIMIT_DATA, held),
        (resource.RLIMIT_CPU, int(given["seconds"] * threads) + 10),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def _answer(db: duckdb.DuckDBPyConnection, given: dict[str, Any], say: Any) -> None:
    import duckdb

    db.execute(f"SET memory_limit = '{given['memory_mb']}MB'")
    for view in given["views"]:
        db.execute(view)
    if given["spill"]:
        db.execute("SET temp_directory = $spill", {"spill": given["spill"]})
        db.execute(f"SET max_temp_directory_size = '{given['spill_gb']}GB'")
        db.execute("SET preserve_insertion_order = false")
    db.execute("SET allowed_paths = $files", {"files": given["files"]})
    db.execute("SET allowed_directories = $folders", {"folders": given["folders"]})
    db.execute("SET enable_external_access = false")
    db.execute("SET lock_configuration = true")
    statements = db.extract_statements(given["sql"])
    if not statements:  # nothing but blanks, comments and semicolons
        raise ValueError(_NO_SQL)
    if any(s.type != duckdb.StatementType.SELECT for s in statements):
        raise ValueError(_ONLY_SELECT)
    for statement in statements:
        found = db.execute(statement)
    say("names", [d[0] for d in found.description or ()])
    while piece := found.fetchmany(_PIECE):
        say("rows", piece)
    say("end")


if __name__ == "__main__":
    main()
