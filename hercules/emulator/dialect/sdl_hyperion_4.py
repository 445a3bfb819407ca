# SPDX-License-Identifier: MIT
"""SDL Hyperion 4.x, built by its users or by scripts/hyperion. Measured with 4.9."""

from __future__ import annotations

import re

from vmkb.hercules.emulator.dialect.base import Dialect, Messages
from vmkb.hercules.wire.ctce import Layout

BEFORE = re.compile(r"^(?:\d\d:\d\d:\d\d )?/?")


def plain(line: str) -> str:
    """A log line without the time of day that stands before it, and without the slash that stands
    before what the guest writes on its console. (The guest's own time of day is behind that.)"""
    return BEFORE.sub("", line, count=1)


DIALECT = Dialect(
    key="sdl-hyperion-4",
    name="SDL Hyperion",
    series="Hyperion",
    version_form=r"\bHHC01413I Hercules version (4\.\d+[\d.]*)",
    messages=Messages(
        listening=r"^HHC01024I ",
        port_busy=r"^HHC01023W ",
        reads_commands=r"^HHC02260I ",
        cpu_started=r"^HHC00100I Thread id ([0-9a-fA-F]+), .*Processor CP00",
        refused=r"^HHC01463E |^HHC\d{5}S ",
        error=r"^HHC\d{5}[ES] ",
        ipl_failed=r"^HHC00828E ",
        disabled_wait=r"^HHC00809I ",
        own=r"HHC\d{5}[A-Z] ",
    ),
    arguments=("-d", "-f"),
    # It knows no CPUPRIO, HERCPRIO, DEVPRIO and TODPRIO: as root all of its threads run SCHED_RR.
    settings=("OSTAILOR QUIET",),
    wakes=("",),
    plain=plain,
    ctce=Layout("=BBHH2xHHH2x", greeting="=HH4sHHH2x", receives=0x8001),
    ctce_ports=lambda guest, wire: (guest + 1, wire + 1),
)
