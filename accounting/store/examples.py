# SPDX-License-Identifier: MIT
"""Questions that people ask of results and of logs, and what to say where an answer is empty."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

#: Column names and rows of the answer to a question in SQL.
Answer = tuple[Sequence[str], Sequence[Sequence[Any]]]
_TOTALS = (
    "(SELECT trial, case_id, release, sum(us_per_kb) AS total FROM costs"
    " WHERE machine <> 'SYSTEM' GROUP BY ALL)"
)
RESULTS = (
    ("What was run?", "SELECT DISTINCT key, value FROM runs WHERE key IN ('workload', 'guest',"
     " 'emulator', 'model', 'wire', 'clock') ORDER BY ALL"),
    ("How many trials are there, and how did they end?", "SELECT case_id, release, status,"
     " count(*) AS trials FROM trials GROUP BY ALL ORDER BY ALL"),
    ("What does a KB cost each machine?", "SELECT case_id, release, label, median(us_per_kb) AS"
     " us_per_kb FROM costs GROUP BY ALL ORDER BY ALL"),
    ("What does a KB cost in all?", "SELECT case_id, release, median(total) AS us_per_kb FROM"
     f" {_TOTALS} GROUP BY ALL ORDER BY ALL"),
    ("Which release is cheapest, and how much dearer is the dearest?", "SELECT case_id,"
     " arg_min(release, us) AS cheapest, arg_max(release, us) AS dearest, max(us) / min(us) AS"
     f" ratio FROM (SELECT case_id, release, median(total) AS us FROM {_TOTALS} GROUP BY ALL)"
     " GROUP BY ALL ORDER BY ALL"),
    ("How far do trials differ, in percent?", "SELECT case_id, release, 100 * (max(total) -"
     f" min(total)) / median(total) AS percent FROM {_TOTALS} GROUP BY ALL ORDER BY ALL"),
    ("Which trials are the dearest?", f"SELECT trial, total FROM {_TOTALS} ORDER BY total DESC,"
     " trial LIMIT 5"),
    ("How fast was it?", "SELECT case_id, release, median(rate_kb_s) AS kb_s FROM costs"
     " GROUP BY ALL ORDER BY ALL"),
    ("Which numbers were read?", 'SELECT kind, field, unit, source, count(*) AS n FROM "values"'
     " GROUP BY ALL ORDER BY ALL LIMIT 20"),
    ("What did the text say?", 'SELECT DISTINCT trial, machine, file, line, raw FROM "values" WHERE'
     " kind = 'connect' ORDER BY ALL LIMIT 4"),
)  # fmt: skip
_NUMBER = "CAST(value AS DOUBLE)"
LOGS = (
    ("Which records are there?", "SELECT kind, count(DISTINCT (file, line)) AS records FROM"
     " records GROUP BY kind ORDER BY kind"),
    ("Which numbers do they have?", "SELECT kind, field, unit, source FROM records GROUP BY ALL"
     " ORDER BY ALL LIMIT 20"),
    ("What did QUERY TIME say?", f"SELECT file, line, origin, {_NUMBER} / 1e6 AS totcpu_s FROM"
     " records WHERE kind = 'connect' AND field = 'totcpu' ORDER BY ALL LIMIT 10"),
    ("How much CPU was used between two QUERY TIMEs?", f"SELECT file, line, origin, ({_NUMBER} -"
     f" lag({_NUMBER}) OVER (PARTITION BY file, origin ORDER BY line)) / 1e6 AS used_s FROM records"
     " WHERE kind = 'connect' AND field = 'totcpu' ORDER BY file, line LIMIT 10"),
    ("Which commands cost most, by their Ready message?", f"SELECT file, line, {_NUMBER} / 1e6 AS"
     " total_s FROM records WHERE kind = 'ready' AND field = 'totcpu' ORDER BY total_s DESC, line"
     " LIMIT 10"),
    ("How much of that was the machine's own?", f"SELECT field, sum({_NUMBER}) / 1e6 AS s FROM"
     " records WHERE kind = 'ready' AND field IN ('virtcpu', 'totcpu') GROUP BY ALL ORDER BY ALL"),
    ("Which commands failed?", "SELECT file, line, value AS code FROM records WHERE kind = 'ready'"
     " AND field = 'rc' AND value <> '0' ORDER BY ALL LIMIT 10"),
    ("What did FTP move?", f"SELECT file, count(*) AS files, sum({_NUMBER}) / 1024 AS kb FROM"
     " records WHERE kind = 'ftp_transfer' AND field = 'bytes' GROUP BY ALL ORDER BY ALL"),
    ("What do accounting cards and blocks charge?", f"SELECT kind, field, sum({_NUMBER}) / 1e6 AS s"
     " FROM records WHERE source = 'AC' AND field IN ('totcpu', 'virtcpu', 'cpu') GROUP BY ALL"
     " ORDER BY ALL"),
    ("Who speaks, and when first and last?", "SELECT origin, min(stamp) AS first, max(stamp) AS"
     " last, count(DISTINCT (file, line)) AS records FROM records GROUP BY ALL ORDER BY ALL"),
)  # fmt: skip
#: Values of a column that are named.
SHOWN = 20
_EQUALS = re.compile(r"\b(\w+)\s*=\s*'([^']*)'")


def why_empty(
    sql: str, tables: Mapping[str, Sequence[str]], ask: Callable[[str], Answer]
) -> list[str]:
    """Sentences on why SQL's answer has no rows: values it asks for that no column has. TABLES:
    each with its columns of words; ASK answers a question."""
    said = []
    named = [t for t in tables if re.search(rf"\b{t}\b", sql, re.IGNORECASE)]
    for column, value in dict.fromkeys(_EQUALS.findall(sql)):
        for table in named:
            if column.lower() not in tables[table]:
                continue
            _, rows = ask(
                f'SELECT DISTINCT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL'
                f" ORDER BY 1 LIMIT {SHOWN + 1}"
            )
            there = [str(row[0]) for row in rows]
            if value not in there:
                more = ", ..." if len(there) > SHOWN else ""
                known = ", ".join(map(repr, there[:SHOWN])) + more or "nothing"
                text = f"no {column} in {table} is {value!r}; there are {known}"
                if (column, value) == ("label", "Total"):
                    text += ". The Total of a trial is sum(us_per_kb) over its labels"
                said.append(text)
    return said or ["no row fits the question"]
