# SPDX-License-Identifier: MIT
"""A person at a LAT terminal, for the tests: logs on, gives commands, reads what is shown."""

from __future__ import annotations

from vmkb.hercules.lat.station import LatTerminal

WITHIN = 60.0
READY = "\nReady; T="


def say(terminal: LatTerminal, line: str, answer: str, within: float = WITHIN) -> str:
    """Type a line and wait for `answer` and the end of its line; what was shown since."""
    at = len(terminal.text)
    terminal.type(line + "\r")
    end = terminal.expect("\r\n", within, terminal.expect(answer, within, at))
    return terminal.text[at:end]


def logon(terminal: LatTerminal, user: str, password: str) -> None:
    """Log on where the terminal is asked to; CMS is ready then."""
    say(terminal, f"logon {user}", "ENTER PASSWORD")
    say(terminal, password, READY)


def arrive(terminal: LatTerminal, node: str, user: str, password: str) -> None:
    """A session with a node, and a user logged on there."""
    at = len(terminal.text)
    terminal.connect(node, WITHIN)
    terminal.expect("VM/KB ONLINE", WITHIN, at)
    logon(terminal, user, password)


def ask(terminal: LatTerminal, command: str, within: float = WITHIN) -> list[str]:
    """The lines that a CMS command answers, without its echo and the Ready message."""
    lines = say(terminal, command, READY, within).replace("\r", "").split("\n")
    assert lines[0] == command
    return lines[1:-2]


def logoff(terminal: LatTerminal) -> None:
    """Log off, which ends the session."""
    terminal.type("logoff\r")
    assert terminal.ended(WITHIN) == "user disconnect"
