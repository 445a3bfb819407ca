# SPDX-License-Identifier: MIT
"""A VM user's session on one terminal: log on, give commands, log off."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import Deadline, EmulatorError
from vmkb.hercules.guest import Session as Conventions
from vmkb.hercules.tn3270.address import Address
from vmkb.hercules.tn3270.screen import (
    VM_WORDS,
    Layout,
    Ready,
    Screen,
    Status,
    joined,
    parse_ready,
)
from vmkb.hercules.tn3270.terminal import Link, Terminal

_NOT_TAKEN = (Status.HOLDING, Status.NOT_ACCEPTED)
"""What a console shows behind a line that it did not take."""


@dataclass(frozen=True)
class Answer:
    """The output of a command: its lines without the echo and the Ready message, and that."""

    lines: tuple[str, ...]
    ready: Ready | None

    @property
    def rc(self) -> int | None:
        """CMS's return code; None for a command that CP read itself."""
        return self.ready.rc if self.ready else None

    def text(self) -> str:
        """The lines as text; a line that ran over the screen's edge is whole again."""
        return joined(self.lines)


def console_of(conventions: Conventions) -> tuple[dict[str, Status], Layout]:
    """The state of a console by CONVENTIONS, and where it says so."""
    row, column = conventions.status_at
    words = {**VM_WORDS, **conventions.status}
    return words, Layout((row - 1, column - 1), conventions.output_rows)


class UserSession(Closing):
    """One user at one terminal of a system that follows VM's `conventions`: of an emulator on this
    computer by its `port` (and `device`), of any other by its address; or at a terminal that is
    connected already, which is the session's then.
    """

    def __init__(
        self,
        conventions: Conventions,
        port: int | Address | Terminal,
        device: int | None = None,
        log: Callable[[], Sequence[str]] = tuple,
        link: Link | None = None,
    ) -> None:
        self.conventions = conventions
        self.user: str | None = None
        self.resumed = False
        """Whether the last logon resumed a session that somebody had left disconnected."""
        words, layout = console_of(conventions)
        if isinstance(port, Terminal):
            self.terminal = port
            port.learn(conventions.logo, words, layout)
        else:
            self.terminal = Terminal(
                logo=conventions.logo, log=log, words=words, layout=layout, link=link
            )
        try:
            if isinstance(port, Terminal):
                pass
            elif isinstance(port, Address):
                self.terminal.connect_to(port)
            else:
                self.terminal.connect(port, device)
            self._wait_logo(conventions.up_within)
        except BaseException:
            self.terminal.close()
            raise

    def close(self) -> None:
        """Disconnect the terminal; a user who is logged on stays so, as VM has it."""
        self.terminal.close()

    @property
    def lines(self) -> list[str]:
        """The console's lines so far, over all logons."""
        return self.terminal.transcript.lines

    @property
    def at_logo(self) -> bool:
        """Whether the terminal showed the logo when it was last read: nobody is logged on."""
        return self.terminal.screen.is_logo(self.conventions.logo)

    def _wait_logo(self, within: float) -> Screen:
        logo = self.conventions.logo
        return self.terminal.wait(
            lambda screen: screen.is_logo(logo), within, f"the logo with '{logo}'"
        )

    def begin(self, within: float | None = None) -> None:
        """Leave the logo for CP READ, where LOGON can be typed."""
        if self.terminal.read().is_logo(self.conventions.logo):
            self.terminal.enter()
        self.terminal.wait(
            lambda screen: screen.status is Status.CP_READ,
            within or self.conventions.logon_within,
            "CP READ after a key on the logo",
        )

    def logon(self, user: str, password: str, within: float | None = None) -> None:
        """Log on and wait for the machine to read (VM READ); a kept session is resumed.

        Raises EmulatorError with CP's own message when it refuses.
        """
        self.begin(within)
        self.ask(user, within)
        self.answer(password, within)

    def ask(self, user: str, within: float | None = None) -> None:
        """In CP READ, type LOGON and wait until the password is asked for, if one is."""
        how = self.conventions
        if not how.asks_password:
            self.user = user
            return
        within = within or how.logon_within
        mark = len(self.lines)
        self._enter(how.logon.format(user=user))
        self._wait_line(mark, how.asks_password, how.refused, within, "CP to ask for the password")
        self.user = user

    def answer(self, password: str, within: float | None = None) -> None:
        """Type the password (LOGON, where none is asked for), load the system if CP has not, and
        wait for the machine to read."""
        how = self.conventions
        within = within or how.logon_within
        user, self.user = self.user, None
        mark = len(self.lines)
        self._enter(password if how.asks_password else how.logon.format(user=user or ""))
        done = f"(?:{how.logged_on})|(?:{how.reconnected})"
        said = self._wait_line(mark, done, how.refused, within, f"{user} to be logged on")
        self.user = user
        self.resumed = re.search(how.reconnected, said) is not None
        if self.resumed:
            if self.terminal.screen.status is Status.CP_READ:
                self.terminal.type(how.resume)
                self.terminal.enter()
            return
        screen = self._wait_start(mark, within)
        if screen.status is Status.CP_READ and how.ipl:
            self._enter(how.ipl)
            screen = self._wait_start(mark, within)
        if screen.status is Status.VM_READ and how.null_line and not self._ready_since(mark):
            self._enter("")
            self._wait_ready(mark, within, "CMS to be ready after its first line")
        for line in self.lines[mark:]:
            if re.search(how.stopped, line):
                raise EmulatorError(f"The machine of {user} stopped at its logon: {line}")

    def _wait_start(self, mark: int, within: float) -> Screen:
        return self.terminal.wait(
            lambda screen: (
                screen.reading
                or (screen.status in self.conventions.idle and self._ready_since(mark))
            ),
            within,
            f"VM READ after the logon of {self.user}",
        )

    def command(self, text: str, within: float | None = None) -> Answer:
        """Give CMS a command and wait for its Ready message, which a message of CP's or of another
        user's may follow; that is not part of the answer.

        Raises Timeout, or EmulatorError when the machine ends up in CP READ instead.
        """
        within = within or self.conventions.command_within
        mark = self._enter(text, within)
        screen = self._wait_ready(mark, within, f"CMS to be ready after '{text}'")
        if screen.status is Status.CP_READ:
            raise EmulatorError(f"'{text}' left the machine in CP READ:\n{screen.text()}")
        lines = self._since(mark, text)
        last = max(i for i, line in enumerate(lines) if self._ready(line))
        return Answer(tuple(lines[:last]), self._ready(lines[last]))

    def cp(self, text: str, within: float | None = None) -> Answer:
        """Give CP a command: through CMS when the machine reads, directly in CP READ."""
        terminal = self.terminal
        if terminal.read().status is not Status.CP_READ:
            return self.command(self.conventions.cp_prefix + text, within)
        mark = self._enter(text, within)
        terminal.wait(
            lambda screen: screen.reading and len(self.lines) > mark,
            within or self.conventions.command_within,
            f"CP to answer '{text}'",
        )
        lines = self._since(mark, text)
        ready = self._ready(lines[-1]) if lines else None
        return Answer(tuple(lines[:-1] if ready else lines), ready)

    def logoff(self, within: float | None = None) -> tuple[str, ...]:
        """Log off, wait for the logo, and return what CP said."""
        within = within or self.conventions.logon_within
        mark = self._enter(self.conventions.logoff, within)
        self._wait_logo(within)
        self.user = None
        return tuple(self._since(mark, self.conventions.logoff))

    def disconnect(self, within: float | None = None) -> None:
        """Leave the session running without a terminal (DISCONN)."""
        how = self.conventions
        reading = self.terminal.read().status is Status.CP_READ
        self._enter(how.disconnect if reading else how.cp_prefix + how.disconnect)
        self._wait_logo(within or how.logon_within)
        self.user = None

    def leave(self) -> None:
        """Log off, or leave a session that was resumed as it was found: disconnected. A session
        that does not answer any more is left as it is."""
        if not self.terminal.connected or self.terminal.locked or self.at_logo:
            return
        with contextlib.suppress(EmulatorError):
            if self.resumed:
                self.disconnect()
            else:
                self.logoff()

    def expect(self, text: str, within: float, since: int = 0) -> None:
        """Wait until a console line from number `since` on, or the screen, has `text`."""
        self.terminal.wait(
            lambda screen: screen.has(text) or any(text in line for line in self.lines[since:]),
            within,
            f"'{text}'",
        )

    def _enter(self, text: str, within: float | None = None) -> int:
        """Type a line and press ENTER; the number of the console line that comes next. A line that
        the host did not take, because it held a page or another line then, is typed again."""
        terminal = self.terminal
        deadline = Deadline(within or self.conventions.command_within)
        while True:
            terminal.wait(self._takes, deadline.quiet, "the console to take a line")
            mark = len(self.lines)
            terminal.type(text)
            terminal.enter(deadline.quiet)
            if terminal.read().status not in _NOT_TAKEN or self._echoed(mark, text):
                return mark
            terminal.erase_input()

    def _takes(self, screen: Screen) -> bool:
        """Whether a line can be typed now."""
        return not (self.terminal.locked or screen.held or screen.status is Status.NOT_ACCEPTED)

    def _since(self, mark: int, echo: str) -> list[str]:
        return self.lines[mark + self._echoed(mark, echo) :]

    def _echoed(self, mark: int, echo: str) -> int:
        """How many lines from `mark` on are the echo of what was typed."""
        rows = max(1, -(-len(echo) // 80))
        said = "".join(self.lines[mark : mark + rows]).rstrip()
        return rows if said == echo.rstrip() else 0

    def _wait_ready(self, mark: int, within: float, expected: str) -> Screen:
        def probe(screen: Screen) -> bool:
            if screen.is_logo(self.conventions.logo):
                said = " ".join(line for line in self.lines[-2:] if line)
                raise EmulatorError(
                    f"{self.user} was logged off while waiting for {expected}: {said}"
                )
            idle = screen.status in self.conventions.idle and self._ready_since(mark)
            return idle or screen.status is Status.CP_READ

        return self.terminal.wait(probe, within, expected)

    def _ready(self, line: str) -> Ready | None:
        return parse_ready(line, self.conventions.ready)

    def _ready_since(self, mark: int) -> bool:
        return any(self._ready(line) for line in self.lines[mark:])

    def _wait_line(self, mark: int, wanted: str, refused: str, within: float, expected: str) -> str:
        """The first line from `mark` on that matches `wanted`; EmulatorError for `refused`."""
        found: list[str] = []

        def probe(screen: Screen) -> bool:
            for line in self.lines[mark:]:
                if re.search(refused, line):
                    raise EmulatorError(f"The guest refuses: {line}")
                if re.search(wanted, line):
                    found.append(line)
                    return True
            return False

        self.terminal.wait(probe, within, expected)
        return found[0]
