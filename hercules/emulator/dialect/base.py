# SPDX-License-Identifier: MIT
"""A dialect: how one emulator says what vmkb has to know, and how it wants to be told.

Patterns are matched with `re.search` against a log line as `Dialect.line` gives it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from vmkb.hercules.wire.ctce import Layout


@dataclass(frozen=True)
class Messages:
    """Message identifiers; an emulator's words are never looked at.

    `listening`: terminals may connect; `port_busy`: another program has the port.
    `reads_commands`: the command pipe is read. `cpu_started`: group 1 is the C library's address of
    the first CPU's thread, hexadecimal. `refused`: it goes on, or not, without something of the
    configuration; `error`: the lines that say why. `ipl_failed`: nothing could be loaded.
    `disabled_wait`: the guest has stopped itself. `own`: how any message of its own begins.
    """

    listening: str
    port_busy: str
    reads_commands: str
    cpu_started: str
    refused: str
    error: str
    ipl_failed: str
    disabled_wait: str
    own: str


@dataclass(frozen=True)
class Dialect:
    """One emulator.

    `key` names it in notes, `name` in results; `series` is what a stock counter is called by.
    `version_form` matches what `--version` prints, group 1 is the version. `arguments` follow the
    program's name. `settings` are configuration lines for speed and quiet. `wakes` are lines that
    have to be written into the command pipe before anything is read from it. `plain` takes from a
    log line what the emulator puts before everybody's lines. `ctce` is how its CTCE devices talk,
    and `ctce_ports` their ports as it is told them, from the wire's two even ones.
    """

    key: str
    name: str
    series: str
    version_form: str
    messages: Messages
    arguments: tuple[str, ...]
    settings: tuple[str, ...]
    ctce: Layout
    ctce_ports: Callable[[int, int], tuple[int, int]]
    wakes: tuple[str, ...] = ()
    plain: Callable[[str], str] = str

    def version(self, said: str) -> str | None:
        """The version in what `--version` printed, None if that is another emulator's."""
        found = re.search(self.version_form, said, re.I)
        return None if found is None else found[1]
