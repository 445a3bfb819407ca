# SPDX-License-Identifier: MIT
"""Logging on to Linux at its two consoles: the 3215, which is the operator's and otherwise read by
a shell without a prompt, and the 3270, at which a getty waits."""

from __future__ import annotations

import re

from vmkb.guests.linux.driver import ASKS, PASSWORD, PROMPT, USER
from vmkb.hercules.deadline import Deadline, EmulatorError, Timeout
from vmkb.hercules.emulator.machine import RETYPE, Hercules
from vmkb.hercules.tn3270.screen import Screen
from vmkb.hercules.tn3270.terminal import Terminal

LOGIN, REFUSED = "login:", "Login incorrect"
WITHIN = 60.0
KEY_WITHIN = 5.0
"""Seconds that there are for what comes behind a key in any case."""
_STATUS = "Running"
"""At the lower right of a 3270 that Linux has taken."""
_READS = "VMKB: the operator has the console"
_KNOCKS = 2.0
"""Seconds until ENTER is pressed again: a getty shows its question once."""
_TAKEN = 10.0
"""Seconds until the name is typed again."""


def logon_3215(machine: Hercules, within: float = WITHIN) -> None:
    """Log on at the 3215; `logoff_3215` gives it back to who reads it otherwise. EmulatorError when
    it is refused."""
    over = Deadline(within)
    _said(machine, f"login; stty -echo; echo {_READS}", LOGIN, over)
    _said(machine, USER, ASKS, over)
    if REFUSED in _said(machine, PASSWORD, f"^{PROMPT}|{REFUSED}", over):
        raise EmulatorError(f"Linux does not let {USER} log on at the 3215.")


def logoff_3215(machine: Hercules, within: float = WITHIN) -> None:
    """The shell ends."""
    _said(machine, "exit", f"^{_READS}", Deadline(within))


def _said(machine: Hercules, text: str, shown: str, over: Deadline) -> str:
    """Type TEXT until a line SHOWN has come, and that line: the emulator may drop what is typed
    while the guest types."""
    while True:
        mark = machine.log.mark()
        machine.operator(text)
        try:
            behind = machine.wait_shown(
                shown, min(RETYPE, max(over.quiet, 0.1)), mark, f"'{shown}' behind '{text}'"
            )
            return machine.log.shown(behind - 1)
        except Timeout:
            if over.over:
                raise


class Session3270:
    """Somebody logged on at the 3270."""

    def __init__(self, machine: Hercules, within: float = WITHIN) -> None:
        """EmulatorError when it is refused or not answered."""
        over = Deadline(within)
        self._machine = machine
        self._typed = 0
        self.terminal = self._connected(within)
        try:
            self._knock(over)
            self._log_on(over)
            if any(REFUSED in row for row in _output(self.terminal.screen)):
                raise EmulatorError(f"Linux does not let {USER} log on at the 3270.")
        except BaseException:
            self.close()
            raise

    def _connected(self, within: float) -> Terminal:
        """A terminal that Linux has written on."""
        machine = self._machine
        link = machine.virtual.link(asked=True) if machine.virtual else None
        terminal = Terminal(page_through=False, log=machine.log.tail, link=link)
        try:
            terminal.connect(machine.terminal_port)
            terminal.wait(lambda s: _STATUS in s.rows[-1], within, "Linux at the 3270")
        except BaseException:
            terminal.close()
            raise
        return terminal

    def _knock(self, over: Deadline) -> None:
        """ENTER until the getty asks: what it asked before the terminal came is not shown."""
        while True:
            try:
                self._answered("", LOGIN, min(_KNOCKS, max(over.quiet, 0.1)))
                return
            except Timeout:
                if over.over:
                    raise

    def _log_on(self, over: Deadline) -> None:
        """The name until it is taken, for a getty that begins throws away what came before; given
        once too often it is the password, which is the same word."""
        while True:
            try:
                screen = self._answered(USER, f"{ASKS}|{PROMPT}", min(_TAKEN, max(over.quiet, 0.1)))
                break
            except Timeout:
                if over.over:
                    raise
        if PROMPT not in _output(screen)[-1]:
            self._answered(PASSWORD, f"{PROMPT}|{LOGIN}", over.quiet)

    def command(self, line: str, within: float = WITHIN) -> list[str]:
        """The rows that the answer to LINE leaves on the screen. Timeout."""
        self._typed += 1
        marked = f"{line} #{self._typed}"  # a comment: no other line is like it
        echo = f"{PROMPT} {marked}"
        rows = _output(self._answered(marked, PROMPT, within, echo))
        return rows[rows.index(echo) + 1 : -1]

    def logoff(self, within: float = WITHIN) -> None:
        """The shell ends, and a getty asks again."""
        self._answered("exit", LOGIN, within)

    def close(self) -> None:
        """Let go of the terminal; who is logged on stays so."""
        self.terminal.close()

    def _answered(self, text: str, last: str, within: float, echo: str = "") -> Screen:
        """Type TEXT; the screen whose last row ends with LAST, a pattern, behind a row ECHO."""
        over = Deadline(within)
        try:
            self._enter(text)
        except Timeout:
            # the emulator may drop a key that comes as the guest writes, and the keyboard stays
            # locked: whoever is logged on stays so without a terminal
            self.close()
            self.terminal = self._connected(max(over.quiet, KEY_WITHIN))
            self._enter(text)

        def there(screen: Screen) -> bool:
            rows = _output(screen)
            known = not echo or echo in rows
            return known and bool(rows) and re.search(f"(?:{last})$", rows[-1]) is not None

        within = max(over.quiet, KEY_WITHIN)
        return self.terminal.wait(there, within, f"'{last}' behind '{text}' at the 3270")

    def _enter(self, text: str) -> None:
        self.terminal.type(text)
        self.terminal.enter()


def _output(screen: Screen) -> list[str]:
    """The rows above the line for input, up to the last one that is not blank."""
    rows = [row.rstrip() for row in screen.rows[:-2]]
    while rows and not rows[-1]:
        rows.pop()
    return rows
