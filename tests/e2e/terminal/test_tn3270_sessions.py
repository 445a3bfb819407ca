# SPDX-License-Identifier: MIT
"""Screens over TELNET: as many as TELNETD says, of any size, and scripts that wait for the keyboard
alone."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.system import TELNET
from tests.e2e.telnet_guest import WITHIN, Nvt, TelnetGuest, password, telnet_guest, user
from vmkb.hercules.deadline import HOST, Deadline, wait_until
from vmkb.hercules.guest import load_guest
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.tn3270.terminal import Terminal

pytestmark = pytest.mark.e2e

SESSIONS = 64
"""Of TELNETD, as telnetd.h says."""


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TelnetGuest]:
    with telnet_guest(tmp_path_factory.mktemp("tn3270") / "guest") as running:
        yield running


class Screen(Nvt):
    """A 3270 that keeps the bytes of its records: it agrees to TYPE, BINARY and EOR."""

    def __init__(self, at: tuple[str, int]) -> None:
        super().__init__(at, b"IBM-3278-2")

    def _command(self, command: int, option: int) -> None:
        yes = option in (0, 24, 25)
        if command == 253:  # DO
            self.socket.sendall(bytes((255, 251 if yes else 252, option)))
        elif command == 251:  # WILL
            self.socket.sendall(bytes((255, 253 if yes else 254, option)))


def terminal(guest: TelnetGuest, model: str) -> Terminal:
    """s3270 of that model at TELNETD."""
    made = Terminal(model=("-model", model))
    host, port = guest.host.at(TELNET)
    made.action(f"Connect({host}:{port})", Deadline(WITHIN, HOST))
    return made


def test_all_sessions_can_be_screens_and_one_more_is_told(guest: TelnetGuest) -> None:
    at = guest.host.at(TELNET)
    logo = "VM/KB ONLINE".encode("cp037")
    with ThreadPoolExecutor(SESSIONS) as pool:
        screens = list(pool.map(lambda _: Screen(at), range(SESSIONS)))
    try:
        for screen in screens:
            screen.wait(logo)
        with guest.nvt() as more:
            more.wait(b"DTCTND0026E All terminals are in use; try again later\r\n")
            more.wait_end()
    finally:
        for screen in screens:
            screen.close()
    guest.wait_server()


@pytest.mark.parametrize(
    ("model", "rows", "columns"),
    [("3278-2", 24, 80), ("3279-3", 32, 80), ("3278-4", 43, 80), ("3279-5", 27, 132)],
)
def test_a_screen_has_its_models_size(
    guest: TelnetGuest, model: str, rows: int, columns: int
) -> None:
    with UserSession(load_guest("vmkb").session, terminal(guest, model)) as session:
        session.logon(user(1), password(1), WITHIN)
        session.command("type doc10k text", WITHIN)
        page = session.terminal.read()
        assert (len(page.rows), len(page.rows[0])) == (rows, columns)
        screen = session.terminal
        screen.type("logoff")
        screen.enter()
        wait_until(lambda: not (screen.read() and screen.connected), WITHIN, "the line to close")


def test_the_keyboard_is_unlocked_with_the_answer_on_the_screen(guest: TelnetGuest) -> None:
    """Eight scripts at once: each presses ENTER, waits for the keyboard and looks."""

    def script(n: int) -> list[str]:
        deadline = Deadline(WITHIN, HOST)
        with terminal(guest, "3279-2") as screen:
            screen.action("Wait(30,InputField)", deadline)
            for text in ("", f"logon {user(n)}", password(n), "query time"):
                if text:
                    screen.action(f'String("{text}")', deadline)
                screen.action("Enter()", deadline)
                screen.action("Wait(30,Unlock)", deadline)
            shown = screen.action("Ascii()", deadline)
            screen.action('String("logoff")', deadline)
            screen.action("Enter()", deadline)
        return shown

    with ThreadPoolExecutor(8) as pool:
        for shown in pool.map(script, range(2, 10)):
            assert any(row.startswith("TIME IS") for row in shown), shown
