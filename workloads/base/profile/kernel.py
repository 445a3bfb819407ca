# SPDX-License-Identifier: MIT
"""The profile of a guest whose kernel tells nobody whom it works for (Linux).

It is of the whole guest: its kernel by function, and its programs as one. Of a trial it is what was
executed in its work, less what was executed without work in as much time behind it.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator, Sequence
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
    one value of the emulator's count to another (low 32 bits), or, IN_MACHINE, of what CP charges
    the virtual machine; and where the kernel's modules are."""

    work: tuple[int, int]
    rest: tuple[int, int]
    modules: str
    in_machine: bool = False


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
    """Kernel and programs in the work, then both in the rest, with modules where KNOWN has them: of
    SAMPLES, which are all from before the work. Of a virtual machine, CP's on its behalf in both
    follow. EmulatorError, SymbolError."""
    loaded = modules_of(whole.modules, "the guest")
    known.check(loaded)
    found, by_cp = [], []
    for own in (_charged if whole.in_machine else _counted)(samples, whole):
        *control, system, programs = own
        by_cp += control
        moved: Counter[int] = Counter()
        for address, count in system.counts.items():
            moved[known.home(address, loaded)] += count
        found += [replace(system, counts=moved), replace(programs, counts={0: programs.total})]
    return found + by_cp


def _counted(samples: Sequence[counts.Sample], whole: Whole) -> Iterator[Sequence[counts.Sample]]:
    """The samples of kernel and programs in the work, and those in the rest."""
    for since, until in (whole.work, whole.rest):
        at = [s.at % _WRAPS for s in samples]
        if until not in at or at.index(until) < 2 or at[at.index(until) - 1] != since:
            raise EmulatorError(
                f"between {since} and {until} instructions, where the guest was read, the emulator"
                " took no samples"
            )
        k = at.index(until)
        yield samples[k : k + 2]


def _charged(samples: Sequence[counts.Sample], whole: Whole) -> list[Sequence[counts.Sample]]:
    """The samples of CP, kernel and programs for a machine that was charged what WHOLE says, in the
    work and in the rest. CP says what it charged when it takes them."""
    three = [
        samples[k : k + 3]
        for k, s in enumerate(samples[:-2])
        if [x.userid for x in samples[k + 1 : k + 3]] == [counts.KERNEL, counts.PROGRAMS]
        and {x.account for x in samples[k : k + 3]} == {s.account}
    ]
    wanted = [until - since for since, until in (whole.work, whole.rest)]
    for two in zip(three, three[1:], strict=False):
        found = [sum(s.total for s in own) for own in two]
        if all(abs(a - b) <= summary.WITHIN * b for a, b in zip(found, wanted, strict=True)):
            return list(two)
    raise EmulatorError(
        f"CP charged the machine {wanted[0]} and {wanted[1]} instructions, of which the emulator"
        " took no samples"
    )


def net(samples: Sequence[counts.Sample]) -> dict[int, int]:
    """The counts of `part_of`, by address: the work less the rest; without CP's."""
    made: Counter[int] = Counter()
    for sign, pair in ((1, samples[:2]), (-1, samples[2:4])):
        for sample in pair:
            programs = sample.userid == counts.PROGRAMS
            for address, count in sample.counts.items():
                made[PROGRAMS_AT if programs else address] += sign * count
    return dict(made)


def net_of_cp(samples: Sequence[counts.Sample]) -> dict[int, int]:
    """The same of CP's on behalf of the machine that the kernel is in; nothing if it is in none."""
    made: Counter[int] = Counter()
    for sign, sample in zip((1, -1), samples[4:], strict=False):
        for address, count in sample.counts.items():
            made[address] += sign * count
    return dict(made)
