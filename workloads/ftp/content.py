# SPDX-License-Identifier: MIT
"""The files that are transferred, made from a seed: every run moves the same bytes. Pure."""

from __future__ import annotations

import random

from vmkb.guests.base import FileName
from vmkb.guests.contents import Content, Fixed, Text
from vmkb.workloads.ftp.plan import Case, Definition, Planned

SEED = 320
LRECL = 80
"""Record length of binary files: what CMS FTP gives a binary file that it receives."""
LINE_MIN, LINE_MAX = 8, 78
"""Characters of a text line; with CR LF none is longer than a card."""
_WORDS = (
    "account bytes channel console control device directory disk file frame guest instruction "
    "kilobyte line machine memory message minidisk operator packet page processor program queue "
    "record release segment server storage system terminal time track transfer user volume"
).split()


def text_lines(size: int, rng: random.Random) -> list[str]:
    """Lines of words which, with CR LF behind each, are exactly SIZE bytes on the wire."""
    words = " ".join(rng.choices(_WORDS, k=1000))
    lines: list[str] = []
    left = size
    while left:
        want = LINE_MIN + _below(LINE_MAX - LINE_MIN + 1, rng)
        if left - (want + 2) < LINE_MIN + 2:
            want = left - 2
            if want > LINE_MAX:  # two lines, each of a legal length
                want = want // 2 - 1
        at = _below(len(words) - LINE_MAX, rng)
        lines.append(words[at : at + want - 1] + "x")
        left -= want + 2
    return lines


def _below(limit: int, rng: random.Random) -> int:
    """A number from 0 on and below LIMIT, as rng.randrange draws it, in a third of its time."""
    bits = limit.bit_length()
    while (drawn := rng.getrandbits(bits)) >= limit:
        pass
    return drawn


def source_name(case: Case, number: int) -> FileName:
    """Name of source file NUMBER (from 1): the same at both ends."""
    return f"{case.mode[0]}{case.size.upper()}{number}", "SOURCE"


def target_name(number: int) -> FileName:
    """Name that transfer NUMBER (from 1) leaves at the other end."""
    return f"F{number:03d}", "OUT"


def transfers(definition: Definition, planned: Planned) -> list[tuple[FileName, FileName]]:
    """Source and target of each transfer of a trial, in order; the sources take turns."""
    sources = min(definition.size[planned.case.size].sources, planned.files)
    return [
        (source_name(planned.case, k % sources + 1), target_name(k + 1))
        for k in range(planned.files)
    ]


def source_files(definition: Definition) -> dict[FileName, Content]:
    """All source files as a minidisk stores them."""
    made: dict[FileName, Content] = {}
    for case in definition.case:
        size = definition.size[case.size]
        for number in range(1, size.sources + 1):
            name = source_name(case, number)
            if name in made:
                continue
            rng = random.Random(f"{SEED} {name[0]}")
            if case.mode == "ASCII":
                made[name] = Text("\n".join(text_lines(size.bytes, rng)) + "\n")
            else:
                made[name] = Fixed(rng.randbytes(size.bytes), LRECL)
    return made
