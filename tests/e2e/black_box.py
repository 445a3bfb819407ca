# SPDX-License-Identifier: MIT
"""What the guests and the wire of a test that failed said at that moment, for its report: what is
seen once in a hundred runs is not seen again for being looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from vmkb.hercules.deadline import EmulatorError, Timeout
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.wire.client import WireError
from vmkb.hercules.wire.process import WireProcess

LINES = 80
ANSWER_S = 3.0
WHAT = ("CONNECTIONS", "POOLS", "COUNTERS")


def told(fixtures: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """A title and a text of each machine and each wire that a test's fixtures have."""
    seen: set[int] = set()
    for name, fixture in fixtures.items():
        within = vars(fixture).items() if hasattr(fixture, "__dict__") else ()
        for part, thing in ((name, fixture), *((f"{name}.{k}", v) for k, v in within)):
            with suppress(AssertionError, EmulatorError):  # it may have none by now
                thing = getattr(thing, "machine", thing)
            if id(thing) in seen:
                continue
            seen.add(id(thing))
            if isinstance(thing, Hercules):
                yield f"log of {part}", "\n".join(_log(thing))
            elif isinstance(thing, WireProcess):
                with suppress(OSError, WireError, Timeout):
                    ports = thing.counters()["ports"]
                    yield f"ports of {part}", "\n".join(f"{k}: {v}" for k, v in ports.items())


def _log(machine: Hercules) -> list[str]:
    """The log's end, then what TCPIP answers to NETSTAT's questions, where there is one."""
    lines = list(machine.log.tail(LINES))
    mark = machine.log.mark()
    with suppress(OSError, EmulatorError, Timeout):
        for what in WHAT:
            machine.operator(f"SMSG TCPIP {what}")
            machine.wait_log(f"END OF {what}", ANSWER_S, mark)
    return lines + list(machine.log.since(mark))
