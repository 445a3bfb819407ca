# SPDX-License-Identifier: MIT
"""A dialogue with a VM system for programs of your own: docs/guide/session.md."""

from __future__ import annotations

from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import EmulatorError, Timeout
from vmkb.hercules.tn3270.address import Address
from vmkb.hercules.tn3270.reach import outward, reach
from vmkb.hercules.tn3270.session import Answer

__all__ = ["Answer", "EmulatorError", "Session", "Timeout"]


class Session(Closing):
    """A user who is logged on at ADDRESS (HOST:PORT) until the end of the `with` block.

    `dialogue` is one of vmkb's or a TOML file; without one the logo of the system decides. A
    session that was disconnected is resumed, and left disconnected; any other is logged off.
    EmulatorError says what went wrong, and which screen was there; Timeout is one of them.
    """

    def __init__(
        self,
        address: str,
        user: str,
        password: str = "",
        *,
        dialogue: str = "",
        lu: str = "",
        tls: bool = False,
    ) -> None:
        where = Address.parse(address, lu, tls)
        _, arrive = reach(dialogue, where, outward(where))
        self._session = arrive()
        try:
            self._session.logon(user, password)
        except BaseException:
            self._session.close()
            raise

    def command(self, text: str, within: float | None = None) -> Answer:
        """CMS's whole answer to a command, `within` seconds; None: what the dialogue says."""
        return self._session.command(text, within)

    def cp(self, text: str, within: float | None = None) -> Answer:
        """CP's whole answer to a command, as `command` has it."""
        return self._session.cp(text, within)

    @property
    def lines(self) -> list[str]:
        """All lines of the console so far."""
        return self._session.lines

    def close(self) -> None:
        """Leave the system."""
        with self._session:
            self._session.leave()
