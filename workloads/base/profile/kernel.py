# SPDX-License-Identifier: MIT
"""The profile of a guest whose kernel tells nobody whom it works for (Linux).

It is of the whole guest: its kernel by function, and its programs as one. Of a trial it is what was
executed in its work, less what was executed without work in as much time behind it.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vmkb.accounting.profile import counts, summary
from vmkb.accounting.profile.kallsyms import Kernel, modules_of, parse
from vmkb.accounting.profile.symbols import Frame, Place, SymbolError
from vmkb.hercules.deadline import EmulatorError

SYMBOLS = "functions.gz"
_WRAPS = 1 << 32
PROGRAMS_AT = -1
"""The address of all programs, which are not told apart."""
PROGRAMS = Place(summary.PROGRAMS, (Frame(summary.PROGRAMS, summary.PROGRAMS, 0),))


@dataclass(frozen=True)
class Whole:
    """The part of a whole guest's profile that is a trial's: its work and then its rest, each from
    one value of the emulator's count to another (low 32 bits); and where the kernel's modules
    are."""

    work: tuple[int, int]
    rest: tuple[int, int]
    modules: str


def kernel(folder: Path) -> Kernel | None:
    """The functions that are kept in the FOLDER of a build; None if it has none. EmulatorError."""
    path = folder / SYMBOLS
    if not path.is_file():
        return None
    try:
        return parse(gzip.decompress(path.read_bytes()).decode("ascii"), str(path))
    except (OSError, EOFError, UnicodeError, SymbolError) as error:
        raise EmulatorError(f"The functions of the kernel cannot be read: {error}.") from None


def part_of(samples: Sequence[counts.Sample], whole: Whole, known: Kernel) -> list[counts.Sample]:
    """Kernel and programs in the work, then both in the rest: those of SAMPLES, which are all from
    before the work, with modules where KNOWN has them. EmulatorError, SymbolError."""
    loaded = modules_of(whole.modules, "the guest")
    known.check(loaded)
    found = []
    for since, until in (whole.work, whole.rest):
        at = [s.at % _WRAPS for s in samples]
        if until not in at or at.index(until) < 2 or at[at.index(until) - 1] != since:
            raise EmulatorError(
                f"between {since} and {until} instructions, where the guest was read, the emulator"
                " took no samples"
            )
        k = at.index(until)
        system, programs = samples[k : k + 2]
        moved: Counter[int] = Counter()
        for address, count in system.counts.items():
            moved[known.home(address, loaded)] += count
        found += [replace(system, counts=moved), replace(programs, counts={0: programs.total})]
    return found


def net(samples: Sequence[counts.Sample]) -> dict[int, int]:
    """The counts of `part_of`, by address: the work less the rest."""
    made: Counter[int] = Counter()
    for sign, pair in ((1, samples[:2]), (-1, samples[2:])):
        for sample in pair:
            programs = sample.userid == counts.PROGRAMS
            for address, count in sample.counts.items():
                made[PROGRAMS_AT if programs else address] += sign * count
    return dict(made)
