# SPDX-License-Identifier: MIT
"""A running Linux for tests: what is typed on its 3215 and what it answers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vmkb.guests.base import Running, Wishes, driver
from vmkb.hercules.deadline import Deadline, Timeout
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.machine import RETYPE
from vmkb.hercules.guest import Guest
from vmkb.hercules.warden import Warden

WITHIN = 60.0
_numbers = itertools.count(1)


def typed(linux: Running, line: str, within: float = WITHIN) -> str:
    """What Linux answers to a LINE of its console, in short lines: the emulator cuts a long one.

    It may drop a line that is typed while the guest types, so LINE is typed again until Linux says
    that it has it: LINE may be given twice."""
    n, machine, over = next(_numbers), linux.machine, Deadline(within)
    mark = machine.log.mark()
    while True:
        machine.operator(f"echo GOT{n}; {line}; echo; echo DONE{n}")
        try:
            machine.wait_log(f"^GOT{n}", min(RETYPE, over.left), mark)
            break
        except Timeout:
            if over.over:
                raise
    machine.wait_log(f"^DONE{n}", over.left, mark, f"the end of '{line}'")
    return "\n".join(machine.log.since(mark))


@contextmanager
def running(
    kernel: Guest, folder: Path, lines: tuple[str, ...] = (), wishes: Wishes | None = None,
    parameter: str = "",
) -> Iterator[Running]:  # fmt: skip
    """Linux in FOLDER with LINES to a wire; gone at the end, as is what holds it up."""
    folder.mkdir(parents=True)
    hands = driver(kernel)
    words = f"{hands.parameter(wishes or Wishes())} {parameter}".strip()
    with Warden() as warden:
        linux = hands.start(
            folder.name, folder, folder, lines, words or None, choose(), (warden.held,)
        )
        try:
            yield linux
        finally:
            linux.close()
