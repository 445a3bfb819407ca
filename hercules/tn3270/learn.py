# SPDX-License-Identifier: MIT
"""A session step by step with each screen shown and what it was recognised by: for a system whose
dialogue is not known yet."""

from __future__ import annotations

from collections.abc import Callable

from vmkb.hercules.deadline import EmulatorError, Timeout
from vmkb.hercules.tn3270.dialogue import Dialogue
from vmkb.hercules.tn3270.screen import COLUMNS, Screen
from vmkb.hercules.tn3270.session import UserSession, console_of

_NOTHING = (
    "nothing: no state of a VM console stands in row {} from column {} on (status, status_at)"
)


def framed(screen: Screen) -> str:
    """The screen in a frame, with the cursor's place below."""
    edge = f"+{'-' * COLUMNS}+"
    rows = "\n".join(f"|{row}|" for row in screen.rows)
    row, column = screen.cursor
    return f"{edge}\n{rows}\n{edge}\ncursor in row {row + 1} column {column + 1}"


def recognised(screen: Screen, dialogue: Dialogue) -> str:
    """The state of a screen by DIALOGUE, in words."""
    how = dialogue.session
    if screen.is_logo(how.logo):
        row = next(n for n, text in enumerate(screen.rows, 1) if how.logo in text)
        return f"the logo: '{how.logo}' in row {row} (logo)"
    if screen.status is None:
        return _NOTHING.format(*how.status_at)
    said = f"the state {screen.status.value}"
    return f"{said} of system {screen.system}" if screen.system else said


def learn(
    dialogue: Dialogue,
    arrive: Callable[[], UserSession],
    user: str,
    password: str,
    say: Callable[[str], None],
) -> None:
    """Connect by ARRIVE, log on, ask for the time, log off, and SAY each screen and what decided.

    EmulatorError names the keys of the dialogue that the step rests on which went wrong.
    """
    session: list[UserSession] = []

    def step(title: str, keys: str, do: Callable[[], object]) -> None:
        try:
            done = do()
        except Timeout as error:
            shown = Screen.of(error.screen, (0, 0), *console_of(dialogue.session))
            say(f"\n{title}: not seen\n{framed(shown)}\nrecognised: {recognised(shown, dialogue)}")
            raise EmulatorError(
                f"{title} was not recognised within {error.elapsed:.0f} s; it rests on {keys}"
                f" of dialogue {dialogue.name}: copy the file, change that and give it with"
                " --dialogue."
            ) from None
        screen = session[0].terminal.read()
        say(f"\n{title}: seen (by {keys})\n{framed(screen)}")
        say(f"recognised: {recognised(screen, dialogue)}")
        if isinstance(done, str):
            say(done)

    def connect() -> None:
        session.append(arrive())

    def clock() -> str:
        answer = session[0].cp(dialogue.time)
        if "VIRTCPU=" not in answer.text():
            raise EmulatorError(
                f"CP's answer to '{dialogue.time}' has no CONNECT= VIRTCPU= TOTCPU= line (time):\n"
                f"{answer.text()}"
            )
        return f"CPU accounting: {' '.join(answer.text().split())}"

    try:
        step("The logo", "logo, up_within", connect)
        live = session[0]
        step("CP READ after ENTER on the logo", "status, status_at", live.begin)
        step("The password's prompt", "logon, asks_password, refused", lambda: live.ask(user))
        step(
            "The machine ready for its first command",
            "logged_on, reconnected, refused, ipl, null_line, ready, idle",
            lambda: live.answer(password),
        )
        step("The time", "time, cp_prefix, ready, idle", clock)
        step("The logo after LOGOFF", "logoff, logo", live.logoff)
    finally:
        for one in session:
            one.close()
