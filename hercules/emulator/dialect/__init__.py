# SPDX-License-Identifier: MIT
"""The differences between emulators: one file for each, found here and listed nowhere.

A file of this folder holds one `DIALECT`. To teach vmkb another emulator is to add such a file.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.dialect.base import Dialect


@functools.cache
def dialects() -> tuple[Dialect, ...]:
    """The dialects of this folder, by file name."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name != "base")
    return tuple(importlib.import_module(f"{__name__}.{name}").DIALECT for name in names)


def speaks(said: str) -> tuple[Dialect, str] | None:
    """The dialect of the emulator whose `--version` printed SAID, and its version; None if this is
    none that is known."""
    for dialect in dialects():
        version = dialect.version(said)
        if version is not None:
            return dialect, version
    return None


def dialect(key: str) -> Dialect:
    """The dialect that is called KEY. EmulatorError when there is none."""
    for each in dialects():
        if each.key == key:
            return each
    raise EmulatorError(f"There is no emulator dialect '{key}' in this version of vmkb.")
