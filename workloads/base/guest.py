# SPDX-License-Identifier: MIT
"""Guests beyond what a driver says (guests.base): who operates one, what
its log shows when its servers are up, and procedures that its users run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vmkb.guests.base import Running

OPERATOR = "MAINT"
"""Who may start service machines and ask CP for the accounts of others; also the password."""
START_NETWORK = "XAUTOLOG TCPIP"
FTP_READY, TELNET_READY = "DTCFTS0021I", "DTCTND0021I"
"""Messages in the log when the network is up as far as these servers."""


def in_rexx(questions: Iterable[str], indent: str = "") -> str:
    """CP's commands as a procedure of the guest gives them, a line each."""
    return "\n".join(f"{indent}'CP {question}'" for question in questions)


def procedure(
    running: Running, user: str, password: str, command: str, last: str, silence: float,
    expected: str,
) -> Iterator[str]:  # fmt: skip
    """USER of a guest gives the COMMAND for a procedure that disconnects itself: what it and
    everybody else types meanwhile, as lines of the log, up to one that contains LAST. Raises as
    `Running.follow`."""
    session = running.logon(user, password)
    mark = running.log.mark()
    session.terminal.type(command)
    session.terminal.enter()
    begun = False
    for line in running.follow(mark, last, silence, expected):
        if not running.machine.says(line):  # the emulator's own are not of the guest's console
            if not begun:
                running.leave()
            begun = True
            yield line
