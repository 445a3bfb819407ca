# SPDX-License-Identifier: MIT
"""Questions to an archive in SQL: any number of runs, in storage that does not grow with them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from vmkb.accounting.store.bounded import ask, quoted
from vmkb.accounting.store.dataset.write import COLUMNS, TABLES, check_schema
from vmkb.accounting.store.query import FIELD_COLUMNS

SECONDS = 600.0
"""For one question: an archive may hold 10^8 rows."""

# The exact median by case and release in two readings and little storage, where SQL's own median
# keeps every value. A sample tells between which values the median lies (six standard errors of
# its rank to either side), and only these are kept: 2.4 % of them where 62 500 are drawn. Fewer
# drawn save nothing, since all are read for that too, and leave more to keep and to sort. A sample
# that misled would be seen in the ranks, and is an error, not an answer.
_MEDIANS = """
CREATE MACRO medians(x) AS TABLE
WITH drawn AS (
    SELECT case_id, release, x AS v FROM costs USING SAMPLE 1% (bernoulli)
), sorted AS (
    SELECT case_id, release, count(*) AS many, list_sort(list(v)) AS vs
    FROM drawn WHERE v IS NOT NULL GROUP BY ALL HAVING count(*) >= 100
), around AS (
    SELECT case_id, release, vs[floor(many / 2 - 3 * sqrt(many))::BIGINT] AS lo,
           vs[ceil(many / 2 + 3 * sqrt(many))::BIGINT] AS hi
    FROM sorted
), seen AS (
    SELECT c.case_id, c.release, count(x) AS n, count(x) FILTER (x < lo) AS below,
           list_sort(list(x) FILTER (lo IS NULL OR x BETWEEN lo AND hi)) AS middle
    FROM costs AS c LEFT JOIN around AS a ON c.case_id = a.case_id AND c.release = a.release
    WHERE x IS NOT NULL GROUP BY c.case_id, c.release
)
SELECT case_id, release, n,
       CASE WHEN (n - 1) // 2 >= below AND n // 2 - below < len(middle)
            THEN (middle[(n - 1) // 2 - below + 1] + middle[n // 2 - below + 1]) / 2
            ELSE error('the sample misled: ask again') END AS median
FROM seen
"""


def query_archive(path: Path, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and rows of SQL's answer over the archive PATH: the tables of its runs, each
    with the column run, and records. QueryError if it is not SQL, ArchiveError if PATH is none."""
    check_schema(path)
    here = path.resolve()
    with tempfile.TemporaryDirectory() as folder:
        views = [*(_view(here, table) for table in TABLES), _MEDIANS]
        return ask(views, sql, readable=[here, Path(folder)], spill=Path(folder), seconds=SECONDS)


def _view(archive: Path, table: str) -> str:
    """SQL for the rows of all runs in TABLE; without a file an empty table with its columns."""
    below = archive / table
    if next(below.glob("run=*/*.parquet"), None) is not None:
        every = quoted(below / "run=*" / "*.parquet")
        return (
            f'CREATE VIEW "{table}" AS SELECT * FROM read_parquet({every},'
            " hive_partitioning=true, hive_types={'run': VARCHAR})"
        )
    columns = {**COLUMNS[table], "run": "VARCHAR"}
    if table == "values":
        columns = {**columns, **FIELD_COLUMNS}
        del columns["fields"]
    named = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
    return f'CREATE TABLE "{table}" ({named})'
