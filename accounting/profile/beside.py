# SPDX-License-Identifier: MIT
"""A kernel natively and in a virtual machine, function by function. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vmkb.accounting.profile.summary import Function, Profile
from vmkb.accounting.profile.tables import number
from vmkb.accounting.tables.grown import ALL, MOST
from vmkb.accounting.tables.listing import Columns, listing
from vmkb.accounting.tables.table import Table

UNDER = " under "
"""Between the name of a kernel and that of what it runs under."""
NEAR = 0.005
"""What is nearer to native than this part of it is not taken apart (docs/guide/profile.md)."""
REST = "the others"


class _Line(NamedTuple):
    """Instructions per KB of functions called NAME, natively and in the machine."""

    case: str
    release: str
    name: str
    native: float
    virtual: float


def beside_table(profiles: Sequence[Profile]) -> Table | None:
    """The functions that make the difference between a kernel that ran both ways; None if none did,
    or all cost nearly the same."""
    whole = [p for p in profiles if p.whole]
    known = {(p.case, p.title): p for p in whole}
    rows = [
        line
        for p in whole
        if UNDER in p.title and (base := known.get((p.case, p.title.partition(UNDER)[0])))
        for line in _lines(base, p)
    ]
    columns: Columns[_Line] = [
        ("Case", lambda line: line.case),
        ("Release", lambda line: line.release),
        ("Function", lambda line: line.name),
        ("Native", lambda line: number(line.native)),
        ("VIRT", lambda line: number(line.virtual)),
        ("More", lambda line: number(line.virtual - line.native, signed=True)),
    ]
    notes = (
        f"Cases in which VIRT is more than {100 * NEAR:g} % from native: up to {MOST} functions"
        " that have more in the machine, and as many that have less, by their difference.",
    )
    title = "The kernel's functions, natively and in a machine"
    return listing(
        "beside", title, rows, columns, notes, by=lambda line: line[:2], keys=2, once=True
    )


def _lines(base: Profile, new: Profile) -> list[_Line]:
    native, virtual = ({f: p.per_kb(n) for f, n in p.functions().items()} for p in (base, new))
    all_of = sum(native.values()), sum(virtual.values())
    if abs(all_of[1] - all_of[0]) <= NEAR * all_of[0]:
        return []

    def both(function: Function) -> tuple[float, float]:
        return native.get(function, 0.0), virtual.get(function, 0.0)

    def grown(function: Function) -> float:
        before, after = both(function)
        return after - before

    order = sorted({**native, **virtual}, key=grown, reverse=True)
    told = [f for f in order[:MOST] if grown(f) > 0] + [f for f in order[-MOST:] if grown(f) < 0]
    named = [(f"{f.file} {f.name}", *both(f)) for f in told]
    rest = (REST, all_of[0] - sum(x for _, x, _ in named), all_of[1] - sum(x for *_, x in named))
    return [_Line(new.case, new.release, *each) for each in (*named, rest, (ALL, *all_of))]
