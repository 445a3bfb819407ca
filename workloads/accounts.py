# SPDX-License-Identifier: MIT
"""CP's accounts: their names, and where an answer of QUERY ACNT ends. Pure."""

from __future__ import annotations

from accounting.costs import CP_ITSELF
from accounting.records import Record

SYSTEM = CP_ITSELF
"""CP's own work, as QUERY ACNT calls it: one account beside the machines', not their sum."""
IDLE = "*IDLE"


def named(record: Record) -> Record:
    """The answer of QUERY TIME SYSTEM carries the userid SYSTEM, which is not all machines."""
    if record.kind == "connect" and record.word("userid") == "SYSTEM":
        return record._replace(fields={**record.fields, "userid": SYSTEM})
    return record


def ends_accounts(line: str) -> bool:
    """True for the last line of a QUERY ACNT answer."""
    return "SUM " in line and " US, ELAPSED " in line
