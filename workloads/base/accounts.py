# SPDX-License-Identifier: MIT
"""CP's accounts: their names and whether they add up. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vmkb.accounting.costs import CP_ITSELF
from vmkb.accounting.records import Record, Value

SYSTEM = CP_ITSELF
"""CP's own work, as QUERY ACNT calls it: one account beside the machines', not their sum."""
IDLE = "*IDLE"
#: The accounts of all machines must add up to elapsed time within this part (the guest's promise).
ACCOUNTS_WITHIN = 0.01
#: Records of QUERY ACNT that a trial keeps.
KINDS = ("acnt", "acnt_sum")


def named(record: Record) -> Record:
    """The answer of QUERY TIME SYSTEM carries the userid SYSTEM, which is not all machines."""
    if record.kind == "connect" and record.word("userid") == "SYSTEM":
        return record._replace(fields={**record.fields, "userid": SYSTEM})
    return record


def grown(pair: Sequence[Record], names: Sequence[str]) -> dict[str, Value]:
    """How much each counter of NAMES has grown from the first of PAIR to the second."""
    first, last = pair
    return {name: last.value(name).minus(first.value(name)) for name in names}


def do_not_add_up(records: Iterable[Record]) -> list[str]:
    """Why not to trust the accounts in two answers of QUERY ACNT."""
    sums = [r for r in records if r.kind == "acnt_sum"]
    if len(sums) != 2:
        return ["QUERY ACNT was not answered twice: it is not known that the accounts add up"]
    accounted, elapsed = (v.value for v in grown(sums, ("accounted", "elapsed")).values())
    if elapsed <= 0 or abs(accounted - elapsed) > ACCOUNTS_WITHIN * elapsed:
        return [
            f"the accounts add up to {accounted} us in {elapsed} us elapsed, more than"
            f" {100 * ACCOUNTS_WITHIN:g} % apart"
        ]
    return []
