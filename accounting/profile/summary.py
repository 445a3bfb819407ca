# SPDX-License-Identifier: MIT
"""A machine's profile over all trials of one case and release, and its sums. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from vmkb.accounting.profile.symbols import Frame, Place

WITHIN = 0.0001
"""The sum of a profile and the machine's own count may differ by this part of it."""


class Function(NamedTuple):
    """A function of a program; two levels of a program (tcpip213, tcpip221) are one program."""

    program: str
    file: str
    name: str


PROGRAMS = "programs"
"""The image of all programs of a whole guest, which are not told apart."""
ALL = None
"""In place of a function: all of them."""


@dataclass
class Profile:
    """Instructions of one machine in all trials of a case and release.

    machine: its userid, label: what tables call it. kb: kilobytes that the trials moved.
    counted: instructions of the trials by QUERY TIME (FULL, which the profile must sum to.
    trials: instructions per KB by function, each trial for itself. whole: whether it is of a whole
    guest, less what it executed without work; in_programs is then what was counted of its programs,
    title the release's name in tables.
    """

    machine: str
    label: str
    case: str
    release: str
    kb: float = 0.0
    counted: int = 0
    whole: bool = False
    in_programs: int = 0
    title: str = ""
    lines: Counter[tuple[str, Frame]] = field(default_factory=Counter)
    trials: list[dict[Function | None, float]] = field(default_factory=list)

    def add(
        self, counts: Mapping[int, int], places: Mapping[int, Place], kb: float, counted: int
    ) -> None:
        """A trial that moved KB kilobytes by COUNTED instructions: COUNTS by real address, which
        have the names PLACES.
        """
        lines: Counter[tuple[str, Frame]] = Counter()
        for address, count in counts.items():
            place = places[address]
            lines[place.image, place.frame] += count
        functions = self._functions(lines)
        self.kb += kb
        self.counted += counted
        self.lines.update(lines)
        each: dict[Function | None, float] = {f: n / kb for f, n in functions.items()}
        self.trials.append({**each, ALL: sum(lines.values()) / kb})

    @property
    def total(self) -> int:
        """Instructions of all lines."""
        return sum(self.lines.values())

    @property
    def programs(self) -> int:
        """Instructions of a whole guest's programs."""
        return sum(n for (image, _), n in self.lines.items() if image == PROGRAMS)

    @property
    def apart(self) -> float:
        """The profile's sum less the machine's count, as part of the count; 0 without a count."""
        return self.total / self.counted - 1 if self.counted else 0.0

    def per_kb(self, count: float) -> float:
        """COUNT instructions of all trials as instructions per kilobyte."""
        return count / self.kb if self.kb else 0.0

    def functions(self) -> Counter[Function]:
        """Instructions by function."""
        return self._functions(self.lines)

    def _functions(self, lines: Mapping[tuple[str, Frame], int]) -> Counter[Function]:
        made: Counter[Function] = Counter()
        for (image, frame), count in lines.items():
            of = self.known(image, frame)
            made[Function(image.rstrip("0123456789"), of.file, of.function)] += count
        return made

    def known(self, image: str, frame: Frame) -> Frame:
        """The name of FRAME beside other releases and in layers: of a kernel, some of which have
        no source files, the image stands for the file."""
        return frame._replace(file=image) if self.whole else frame

    def span(self, function: Function | None) -> tuple[float, float]:
        """The least and the most instructions per KB of FUNCTION (or ALL) in a trial."""
        each = [t.get(function, 0.0) for t in self.trials]
        return min(each), max(each)

    def layers(self, layer: Callable[[Frame], str]) -> Counter[str]:
        """Instructions by layer."""
        made: Counter[str] = Counter()
        known: dict[tuple[str, str], str] = {}
        for (image, frame), count in self.lines.items():
            of = self.known(image, frame)
            key = of.file, of.function
            if key not in known:
                known[key] = layer(of)
            made[known[key]] += count
        return made
