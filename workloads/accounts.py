# SPDX-License-Identifier: MIT
"""CP's accounts as records: QUERY ACNT, and QUERY TIME SYSTEM told from the whole system. Pure."""

from __future__ import annotations

import re

from accounting.costs import CP_ITSELF
from accounting.records import Record, Source, Unit, Value, Where

SYSTEM = CP_ITSELF
"""CP's own work, as QUERY ACNT calls it: one account beside the machines', not their sum."""
IDLE = "*IDLE"
_HEAD = re.compile(r"USERID +VIRTUAL US +CP US +INSTRUCTIONS CORR'D")
_ROW = re.compile(r"(?:^|: )(\S{1,8}) +(\d+) +(\d+) +(\d+) +(\d+)$")
_SUM = re.compile(r"SUM (\d+) US, ELAPSED (\d+) US, DIFFERENCE")


def named(record: Record) -> Record:
    """The answer of QUERY TIME SYSTEM carries the userid SYSTEM, which is not all machines."""
    if record.kind == "connect" and record.word("userid") == "SYSTEM":
        return record._replace(fields={**record.fields, "userid": SYSTEM})
    return record


def ends_accounts(line: str) -> bool:
    """True for the last line of a QUERY ACNT answer."""
    return _SUM.search(line) is not None


def accounts(text: str, file: str) -> tuple[Record, ...]:
    """Each account of each QUERY ACNT answer in a transcript, and the sums below them.

    Microseconds are the CPU timer's whatever model is in force (AC); instructions are IC.
    """
    made: list[Record] = []
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        where = Where(file, number)
        if _HEAD.search(line):
            inside = True
        elif inside and (found := _ROW.search(line)):
            if found[1] != "TOTAL":
                made.append(_account(found, line, where))
        elif inside and (found := _SUM.search(line)):
            inside = False
            fields = {
                "accounted": Value(int(found[1]), Unit.US, Source.AC, 1),
                "elapsed": Value(int(found[2]), Unit.US, Source.AC, 1),
            }
            made.append(Record("acnt_sum", dict(fields), line, where))
    return tuple(made)


def _account(found: re.Match[str], line: str, where: Where) -> Record:
    numbers = [int(found[k]) for k in range(2, 6)]
    return Record(
        "acnt",
        {
            "userid": found[1],
            "virt_time": Value(numbers[0], Unit.US, Source.AC, 1),
            "cp_time": Value(numbers[1], Unit.US, Source.AC, 1),
            "instr": Value(numbers[2], Unit.INSTR, Source.IC, 1),
            "corrections": Value(numbers[3], Unit.COUNT, Source.IC, 1),
        },
        line,
        where,
    )
