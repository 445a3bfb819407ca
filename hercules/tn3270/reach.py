# SPDX-License-Identifier: MIT
"""A session at an address: by the dialogue that is named, or the one whose logo is shown there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from vmkb.hercules.deadline import EmulatorError, Timeout
from vmkb.hercules.tn3270.address import Address
from vmkb.hercules.tn3270.dialogue import Dialogue, load_dialogue, names
from vmkb.hercules.tn3270.paced import Paced
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.tn3270.terminal import Link, Outward, Terminal

LOGO_WITHIN = 10.0


#: What the first screen of a system that is not VM has on it, and what to say of it.
_OTHERS = (
    (r"(?m)^SSH-\d", "an SSH server. Give the port on which the system serves 3270 terminals."),
    (r"(?im)\blogin: *$", "a login by TELNET, as Unix and Linux have it, and no 3270."),
    (r"\bIKJ\d{5}[A-Z]|\bTSO\b|\bMVS\b|\bz/OS\b", "a logon to MVS or z/OS."),
)


def advice(screen: Sequence[str]) -> str:
    """Advice on a first SCREEN that no dialogue knows."""
    text = "\n".join(row.rstrip() for row in screen)
    for pattern, what in _OTHERS:
        if re.search(pattern, text):
            return f"This looks like {what} A session needs the 3270 console of a VM system."
    return (
        f"The dialogues are {', '.join(names())}. If this is a VM system, copy the nearest, change"
        " its logo and give the file (vmkb measure --learn shows what it recognises)."
    )


def outward(address: Address) -> Link:
    """How a system that is perhaps not on this computer is reached."""
    return Outward() if address.tls else Paced()


def reach(
    name: str, address: Address, link: Link | None
) -> tuple[Dialogue, Callable[[], UserSession]]:
    """The dialogue of ADDRESS, and a way to a session there over LINK: the dialogue is given by its
    NAME, or found by connecting, once."""
    if name:
        given = load_dialogue(name)
        return given, lambda: UserSession(given.session, address, link=link)
    found, session = arrive(address, link)
    return found, lambda: session


def arrive(address: Address, link: Link | None = None) -> tuple[Dialogue, UserSession]:
    """The dialogue whose logo ADDRESS shows, and a session there by the one connection that showed
    it, over LINK, if there is one; EmulatorError with the screen where none does."""
    known = [load_dialogue(name) for name in names()]
    with ExitStack() as unknown:
        terminal = unknown.enter_context(Terminal(page_through=False, link=link))
        terminal.connect_to(address)
        try:
            shown = terminal.wait(
                lambda screen: any(screen.is_logo(d.session.logo) for d in known),
                LOGO_WITHIN,
                "a logo that a dialogue knows",
            )
        except Timeout as error:
            raise EmulatorError(f"{error}\n{advice(error.screen)}") from None
        found = next(d for d in known if shown.is_logo(d.session.logo))
        session = UserSession(found.session, terminal)
        unknown.pop_all()
    return found, session
