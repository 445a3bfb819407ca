# SPDX-License-Identifier: MIT
"""The functions of a Linux kernel and its modules: what /proc/kallsyms and /proc/modules say. Pure.

Lines `MODULE NAME SIZE ADDRESS`, then those of /proc/kallsyms. An address is virtual.
"""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from vmkb.accounting.profile.symbols import (
    NOWHERE,
    UNKNOWN,
    Frame,
    Place,
    SymbolError,
    without_suffix,
)

KERNEL = "vmlinux"
"""Stands for a file where no module does."""
ALIKE = 0.95
"""More of a kernel's functions its program has at the same distance: few names are others'."""
LOWCORE = "lowcore"
LOWCORE_BYTES = 8192
"""Where the CPU stores PSWs at an interruption; the kernel has some instructions there."""
_MODULE = "MODULE"
_SECTION = re.compile(r"text(_start|_end)?$")
_RENAMED = "_noprof"
"""Behind the names that functions for storage have had since Linux 6.10."""


class Loaded(NamedTuple):
    """Where a module is: its first address, and its bytes."""

    at: int
    size: int


class Kernel(NamedTuple):
    """Functions in the order of their addresses: each with its module, or KERNEL."""

    starts: list[int]
    functions: list[tuple[str, str]]
    modules: dict[str, Loaded]

    def place(self, address: int) -> Place:
        """The function that has ADDRESS. Of what a module has in none of its functions, such as
        its jumps to those of others, the module; NOWHERE if nothing is known to be there."""
        k = bisect.bisect_right(self.starts, address) - 1
        file = _module_at(self.modules, address)
        file = file or (LOWCORE if address < LOWCORE_BYTES else KERNEL)
        around = [of for of, _ in self.functions[k : k + 2]] if k >= 0 else []
        if file == KERNEL and around != [KERNEL, KERNEL]:
            return NOWHERE
        name = self.functions[k][1] if around[:1] == [file] else UNKNOWN
        return Place(file, (Frame(name, file, 0),))

    def home(self, address: int, loaded: Mapping[str, Loaded]) -> int:
        """Where ADDRESS is if modules are not where they are here but where LOADED says."""
        name = _module_at(loaded, address)
        return address if name is None else address - loaded[name].at + self.modules[name].at

    def apart(self, code: Sequence[tuple[int, str]]) -> int:
        """How far behind the kernel's functions those of its program are: CODE, as symbols.parse_nm
        has it. SymbolError if that is another kernel's."""
        all_ = zip(self.functions, self.starts, strict=True)
        own = [(name, at) for (of, name), at in all_ if of == KERNEL]
        once, theirs = (_of_one_name(x) for x in (own, [(name, at) for at, name in code]))
        both = once.keys() & theirs.keys()
        found = Counter(theirs[name] - once[name] for name in both).most_common(1)
        alike = found[0][1] if found else 0
        if alike <= ALIKE * len(both):
            raise SymbolError(
                f"of {len(both)} functions that both have {alike} are at one distance"
            )
        return found[0][0]

    def check(self, loaded: Mapping[str, Loaded]) -> None:
        """SymbolError if a module that is LOADED is another one here, or is not here."""
        for name, module in loaded.items():
            if name not in self.modules or self.modules[name].size != module.size:
                mine = f"of {self.modules[name].size} bytes" if name in self.modules else "missing"
                raise SymbolError(
                    f"module {name} has {module.size} bytes in the guest, in its symbols it is"
                    f" {mine}"
                )


def _of_one_name(functions: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Those FUNCTIONS whose name no other has."""
    listed = list(functions)
    times = Counter(name for name, _ in listed)
    return {name: at for name, at in listed if times[name] == 1}


def _module_at(modules: Mapping[str, Loaded], address: int) -> str | None:
    """The module that has ADDRESS."""
    found = [(m.at, name) for name, m in modules.items() if m.at <= address < sum(m)]
    return max(found)[1] if found else None


def modules_of(text: str, name: str = "modules") -> dict[str, Loaded]:
    """The modules in TEXT. SymbolError with NAME and the line."""
    found = {}
    for line in text.splitlines():
        if line.startswith(_MODULE):
            try:
                _, module, size, at = line.split()
                found[module] = Loaded(int(at, 16), int(size))
            except ValueError:
                raise SymbolError(f"{name} has a line that is no module: {line!r}") from None
    return found


def parse(text: str, name: str = "symbols") -> Kernel:
    """The functions in TEXT; of several names of one address none of a section, if there is
    another, then that with the fewest underscores before it. SymbolError with NAME and the line."""
    found: dict[int, tuple[str, str]] = {}
    for n, line in enumerate(text.splitlines(), start=1):
        if line.startswith(_MODULE):
            continue
        try:
            address, _, function, *where = line.split()
            plain = without_suffix(function).removesuffix(_RENAMED)
            key = (where[0].strip("[]") if where else KERNEL, plain)
            at_it = int(address, 16)
        except ValueError:
            raise SymbolError(f"{name}, line {n} is no symbol: {line!r}") from None
        found[at_it] = min(found.get(at_it, key), key, key=_preference)
    starts = sorted(found)
    if not starts or starts[-1] == 0:
        raise SymbolError(f"{name} has no addresses")
    return Kernel(starts, [found[a] for a in starts], modules_of(text, name))


def _preference(function: tuple[str, str]) -> tuple[bool, int, str]:
    name = function[1]
    return _SECTION.search(name) is not None, len(name) - len(name.lstrip("_")), name
