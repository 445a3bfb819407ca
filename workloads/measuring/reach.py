# SPDX-License-Identifier: MIT
"""Connecting to a system whose dialogue is not known: the one whose logo its first screen shows."""

from __future__ import annotations

from contextlib import ExitStack

from hercules.deadline import EmulatorError, Timeout
from hercules.tn3270.address import Address
from hercules.tn3270.dialogue import Dialogue, load_dialogue, names
from hercules.tn3270.session import UserSession
from hercules.tn3270.terminal import Terminal

LOGO_WITHIN = 10.0


def arrive(address: Address) -> tuple[Dialogue, UserSession]:
    """The dialogue whose logo ADDRESS shows, and a session there by the one connection that showed
    it; EmulatorError with the screen where none does."""
    known = [load_dialogue(name) for name in names()]
    with ExitStack() as unknown:
        terminal = unknown.enter_context(Terminal(page_through=False))
        terminal.connect_to(address)
        try:
            shown = terminal.wait(
                lambda screen: any(screen.is_logo(d.session.logo) for d in known),
                LOGO_WITHIN,
                "a logo that a dialogue knows",
            )
        except Timeout as error:
            raise EmulatorError(
                f"{error}\nThe dialogues are {', '.join(names())}; copy the nearest, change its"
                " logo and give the file with --dialogue (--learn shows what it recognises)."
            ) from None
        found = next(d for d in known if shown.is_logo(d.session.logo))
        session = UserSession(found.session, terminal)
        unknown.pop_all()
    return found, session
