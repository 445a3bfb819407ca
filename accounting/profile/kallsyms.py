# SPDX-License-Identifier: MIT
"""The functions of a Linux kernel and its modules: what /proc/kallsyms and /proc/modules say. Pure.

Lines `MODULE NAME SIZE ADDRESS`, then those of /proc/kallsyms. An address is virtual.
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from typing import NamedTuple

from vmkb.accounting.profile.symbols import NOWHERE, Frame, Place, SymbolError, without_suffix

KERNEL = "vmlinux"
"""What stands for a file where no module does."""
_MODULE = "MODULE"


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
        """The function that has ADDRESS; NOWHERE if none does."""
        k = bisect.bisect_right(self.starts, address) - 1
        if k < 0 or address >= self._end(k):
            return NOWHERE
        module, name = self.functions[k]
        return Place(module, (Frame(name, module, 0),))

    def _end(self, k: int) -> int:
        """Behind function K no address is one of its module; of the kernel, none of its last."""
        module = self.functions[k][0]
        if module in self.modules:
            return sum(self.modules[module])
        behind = self.functions[k + 1 : k + 2]
        return self.starts[k + 1] if behind and behind[0][0] == module else self.starts[k]

    def home(self, address: int, loaded: Mapping[str, Loaded]) -> int:
        """Where ADDRESS is if modules are not where they are here but where LOADED says."""
        below = [(m.at, name) for name, m in loaded.items() if m.at <= address < sum(m)]
        if not below:
            return address
        at, name = max(below)
        return address - at + self.modules[name].at

    def check(self, loaded: Mapping[str, Loaded]) -> None:
        """SymbolError if a module that is LOADED is another one here, or is not here."""
        for name, module in loaded.items():
            if name not in self.modules or self.modules[name].size != module.size:
                mine = f"of {self.modules[name].size} bytes" if name in self.modules else "missing"
                raise SymbolError(
                    f"module {name} has {module.size} bytes in the guest, in its symbols it is"
                    f" {mine}"
                )


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
    """The functions in TEXT; of several names of one address the one with the fewest underscores
    before it, then the first. SymbolError with NAME and the line."""
    found: dict[int, tuple[str, str]] = {}
    for n, line in enumerate(text.splitlines(), start=1):
        if line.startswith(_MODULE):
            continue
        try:
            address, _, function, *where = line.split()
            key = (where[0].strip("[]") if where else KERNEL, without_suffix(function))
            at_it = int(address, 16)
        except ValueError:
            raise SymbolError(f"{name}, line {n} is no symbol: {line!r}") from None
        found[at_it] = min(found.get(at_it, key), key, key=_preference)
    starts = sorted(found)
    if not starts or starts[-1] == 0:
        raise SymbolError(f"{name} has no addresses")
    return Kernel(starts, [found[a] for a in starts], modules_of(text, name))


def _preference(function: tuple[str, str]) -> tuple[int, str]:
    name = function[1]
    return len(name) - len(name.lstrip("_")), name
