# SPDX-License-Identifier: MIT
"""Databases of DuckDB, which ends the process without a word where it may not have the memory."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

NEEDS_MB = 1024
"""Address space that DuckDB and its threads take before they hold anything."""
TOO_LITTLE = (
    f"DuckDB needs {NEEDS_MB} MB of address space, and this process may have less (ulimit -v)"
)


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
