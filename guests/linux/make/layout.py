# SPDX-License-Identifier: MIT
"""Another link of the same objects (docs/decisions/017-builds-of-a-kernel.md). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vmkb.guests.release.errors import SourceError
from vmkb.guests.vmkb.tools.shuffle import shuffled

SECTIONS = ("text", "data", "bss")
"""Those in which an object may stand anywhere. Init calls and tables run in the order of the link,
so they keep it."""


def arranged(script: str, objects: Iterable[str], number: int) -> str:
    """The linker SCRIPT of a kernel, in which the sections of OBJECTS, names of files, stand in the
    order of build NUMBER before what is left of each. SourceError if it has no place for them."""
    names = shuffled(str(number), objects)
    for section in SECTIONS:
        taken = re.search(rf"\*\((?:[^()\s]+ )*\.{section}[ )]", script)
        if taken is None:
            raise SourceError(f"its linker script takes no .{section}: ask for --builds 1")
        own = "".join(f"*{name}(.{section})\n" for name in names)
        script = f"{script[: taken.start()]}\n{own}{script[taken.start() :]}"
    return script
