# SPDX-License-Identifier: MIT
"""A 3270 display in a world, at which one of many sits: its keys go at the world's time, nobody
waits for the answer, and who sits there is told when the host has written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vmkb.hercules.clock.guest import GuestClock, VirtualLink
from vmkb.hercules.deadline import HOST, Deadline, EmulatorError
from vmkb.hercules.tn3270.terminal import ACTION_WITHIN, Terminal, TerminalError


class Seat:
    """A display of s3270's connected to a guest's port; TOLD is called with the time, ps, of each
    write."""

    def __init__(self, guest: GuestClock, port: int, told: Callable[[int], None]) -> None:
        self._guest = guest
        self._link = VirtualLink(guest)
        self._terminal = Terminal(link=self._link)
        try:
            self._terminal.connect(port)
        except BaseException:
            self._terminal.close()
            raise
        guest.watchers[self._link.device] = told

    @property
    def locked(self) -> bool:
        """Whether the keyboard was locked when the display was last read."""
        return self._terminal.locked

    def rows(self) -> Sequence[str]:
        """The text of the display."""
        return self._do("Ascii()")

    def press(self, key: str, text: str = "") -> None:
        """Type TEXT and press KEY (enter, clear, pf3, pa1), now. EmulatorError if the keyboard is
        locked, or the text does not fit where the cursor is."""
        if text:
            escaped = text.replace("\\", "\\\\").replace('"', '\\"')
            self._do(f'String("{escaped}")')
        number = f"({key[2:]})" if key[2:].isdecimal() else "()"
        action = (key[:2].upper() if key[2:].isdecimal() else key.capitalize()) + number
        self._guest.key(self._link.device, lambda: self._send(action))

    def _send(self, action: str) -> None:
        self._do(action)

    def _do(self, action: str) -> list[str]:
        """With all that the emulator has sent by now."""
        self._link.settle(self._terminal)
        try:
            return self._terminal.action(action, Deadline(ACTION_WITHIN, HOST))
        except TerminalError:
            raise EmulatorError(f"A display refuses {action}.") from None

    def close(self) -> None:
        """Nobody sits here any more."""
        self._guest.leave(self._link.device)
        self._terminal.close()
