# SPDX-License-Identifier: MIT
"""Tables of a profile: instructions per KB by layer, functions that grew and shrank. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from vmkb.accounting.digits import fixed
from vmkb.accounting.profile.summary import ALL, WITHIN, Function, Profile
from vmkb.accounting.profile.symbols import Frame
from vmkb.accounting.tables.grown import LEAST, MOST
from vmkb.accounting.tables.table import Cell, Row, Section, Table, header, word

SMALL = 0.02
"""A layer below this part of its machine in every column is told with the others of its size."""
TRIALS = 3
"""Of fewer it is luck that those of two releases lie apart: of two each, one time in three."""
SOURCE = "(IC/FT)"
UNIT = "instr/KB"
SMALLER = "smaller layers"
TOTAL = "Total"
LAYERS_NAME = "layers-"
"""The beginning of the names of tables of layers; the machine's userid follows."""
_MACHINE = (
    "CP's work for a machine is in it. A function that the compiler put into another one counts as"
    " itself."
)
_WHOLE = (
    "They are of the whole guest, less those in as much time without work: a row may be below 0."
    " All programs are one row. A function that the compiler put into another one counts as that."
)
NAME_MAX = 34
"""Characters of a function's name and file in a table."""


def number(x: float, signed: bool = False) -> Cell:
    """X instructions per KB."""
    text = fixed(x, 1)
    if signed:
        text = "0.0" if text in ("0.0", "-0.0") else f"{'+' if x > 0 else ''}{text}"
    return Cell(text, x, UNIT, SOURCE)


def _short(function: Function) -> str:
    name = f"{function.file.rsplit('/', 1)[-1]} {function.name}"
    if len(name) <= NAME_MAX:
        return name
    tail = NAME_MAX // 3  # names of one family differ at their ends
    return f"{name[: NAME_MAX - tail - 3]}...{name[-tail:]}"


def _cases(profiles: Sequence[Profile]) -> list[str]:
    return list(dict.fromkeys(p.case for p in profiles))


def _sums_note(profiles: Sequence[Profile]) -> str:
    """How the sums of PROFILES fit the machines' counts."""
    worst = max(profiles, key=lambda p: abs(p.apart))
    apart = f"within {100 * abs(worst.apart):.2g} %" if worst.apart else "to the instruction"
    counter = "the guest" if worst.whole else "QUERY TIME (FULL"
    return f"The sum over all layers is what {counter} counted, {apart}."


def apart_from_counts(profiles: Sequence[Profile]) -> list[str]:
    """A doubt for each of PROFILES that does not sum to what was counted."""
    said = [
        f"the profile of {p.label} in {p.case}{p.release} sums to {p.total} instructions,"
        f" {'the guest' if p.whole else 'QUERY TIME'} counted {p.counted}"
        for p in profiles
        if abs(p.apart) > WITHIN
    ]
    return said + [
        f"the profile of {p.label} in {p.case}{p.release} has {p.programs} instructions of"
        f" programs, the guest counted {p.in_programs}"
        for p in profiles
        if p.whole and abs(p.programs - p.in_programs) > WITHIN * p.in_programs
    ]


def layers_table(profiles: Sequence[Profile], layer: Callable[[Frame], str]) -> Table:
    """Instructions per KB of one machine's PROFILES: a row for each layer and release, a column for
    each case.
    """
    label = profiles[0].label
    cases = _cases(profiles)
    mine = {(p.release, p.case): p for p in profiles}
    found = {key: p.layers(layer) for key, p in mine.items()}
    everything = sum(found.values(), Counter())
    big = [
        name
        for name, _ in everything.most_common()
        if any(found[key][name] >= SMALL * p.total for key, p in mine.items())
    ]
    small = sorted(name for name in everything if name not in big)

    def row(name: str, release: str) -> Row:
        cells = [word(release)]
        for case in cases:
            p = mine.get((release, case))
            count = _part(found[release, case], name, big) if p else 0
            cells.append(number(p.per_kb(count)) if p else word("-"))
        return Row(name, tuple(cells))

    releases = list(dict.fromkeys(r for r, _ in mine))
    names = [*big, *([SMALLER] if small else [])]
    layers = tuple(row(name, release) for name in names for release in releases)
    notes = [
        "Instructions per KB (IC/FT): of all trials, over all bytes that they moved."
        f" {_WHOLE if profiles[0].whole else _MACHINE}",
        _sums_note(profiles),
    ]
    if small:
        notes.append(
            f"`{SMALLER}` are below {100 * SMALL:g} % of {label} in every case: {'; '.join(small)}."
        )
    sections = (
        header("Layer", ("Release", *cases)),
        Section("body", layers),
        Section("body", tuple(row(TOTAL, release) for release in releases)),
    )
    name, title = f"{LAYERS_NAME}{profiles[0].machine}", f"Where the instructions of {label} go"
    return Table(name, f"{title}, per KB", sections, tuple(notes), keys=1)


def _part(found: Counter[str], name: str, big: Sequence[str]) -> int:
    if name == TOTAL:
        return sum(found.values())
    if name == SMALLER:
        return sum(count for layer, count in found.items() if layer not in big)
    return found[name]


class _Change(NamedTuple):
    """Growth in instructions per KB; sure: beyond what trials of one release differ by."""

    value: float
    sure: bool


def _changes(before: Profile, after: Profile) -> dict[Function | None, _Change]:
    made: dict[Function | None, _Change] = {}
    was, now = before.functions(), after.functions()
    enough = min(len(before.trials), len(after.trials)) >= TRIALS
    for function in (*{**was, **now}, ALL):
        low, high = before.span(function)
        least, most = after.span(function)
        grown = after.per_kb(after.total if function is ALL else now[function])
        grown -= before.per_kb(before.total if function is ALL else was[function])
        made[function] = _Change(grown, enough and (low > most or least > high))
    return made


def changes_table(profiles: Sequence[Profile]) -> Table | None:
    """Functions whose instructions per KB grew and shrank most from the first release to the last;
    None for one release.
    """
    releases = list(dict.fromkeys(p.release for p in profiles))
    if len(releases) < 2:
        return None
    base, new = releases[0], releases[-1]
    cases = _cases(profiles)
    changes: dict[tuple[str, Function | None], dict[str, _Change]] = {}
    by = {(p.label, p.case, p.release): p for p in profiles}
    for label, case in dict.fromkeys((p.label, p.case) for p in profiles):
        before, after = by.get((label, case, base)), by.get((label, case, new))
        if before is None or after is None:
            continue
        for function, change in _changes(before, after).items():
            changes.setdefault((label, function), {})[case] = change

    few = not any(c.sure for of in changes.values() for c in of.values())
    told = {
        key: [c.value for c in of.values() if (c.sure or few) and abs(c.value) >= LEAST]
        for key, of in changes.items()
        if key[1] is not ALL
    }
    order = sorted(filter(told.get, told), key=lambda k: sum(told[k]))
    shrank = [k for k in order if sum(told[k]) < 0][:MOST]
    grew = [k for k in reversed(order) if sum(told[k]) > 0][:MOST]
    everything = [k for k in changes if k[1] is ALL]
    sections = [
        Section("body", tuple(_row(k, changes[k], cases) for k in keys))
        for keys in (grew, shrank, everything)
        if keys
    ]
    head = header("Function", ("Machine", *cases))
    notes = (
        f"Instructions per KB of release {new} less those of {base} (IC/FT): up to {MOST}"
        f" functions that grew and {MOST} that shrank most over all cases. ~: some trial of"
        f" one release lies within those of the other, or there are fewer than {TRIALS} of each.",
    )
    return Table("functions", f"What grew and what shrank from {base} to {new}",
                 (head, *sections), notes, keys=1)  # fmt: skip


def _row(
    key: tuple[str, Function | None], changes: dict[str, _Change], cases: Sequence[str]
) -> Row:
    label, function = key
    cells = [word(label)]
    for case in cases:
        if case not in changes:
            cells.append(word("-"))
            continue
        change = changes[case]
        cell = number(change.value, signed=True)
        cells.append(cell if change.sure else replace(cell, text=f"{cell.text}~"))
    return Row("all functions" if function is None else _short(function), tuple(cells))
