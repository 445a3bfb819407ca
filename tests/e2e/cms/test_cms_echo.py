# SPDX-License-Identifier: MIT
"""CMS ECHO when the other side does not do its part, and its service with two clients at once."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.e2e.ftp_client_peers import WITHIN, FtpUser, Lan
from tests.e2e.system import ECHO, HOST
from vmkb.hercules.deadline import pause

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
MESSAGE = b"a message of its own"
HELD_S = 4.5
"""Longer than TCPIP holds a part of what a call waits for: two looks at a connection, 2 s apart."""


@contextmanager
def host(user: FtpUser, serve: Callable[[socket.socket], None]) -> Iterator[None]:
    """An echo service of the host's for one connection, which `serve` has."""

    def one() -> None:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(ConnectionError):  # the guest may go first
            connection.settimeout(WITHIN)
            serve(connection)

    try:
        listener = socket.create_server((user.lan.host.listen, ECHO))
    except PermissionError:
        pytest.skip(f"only root may listen at port {ECHO}")
    with listener:
        listener.settimeout(WITHIN)
        thread = threading.Thread(target=one, daemon=True)
        thread.start()
        yield
        thread.join(WITHIN)
        assert not thread.is_alive(), "the connection did not end"


def all_of(connection: socket.socket, count: int) -> bytes:
    """COUNT bytes that come."""
    got = b""
    while len(got) < count and (more := connection.recv(count - len(got))):
        got += more
    return got


def echo(user: FtpUser, words: str) -> tuple[int | None, str]:
    """ECHO with these words: its return code, and what it said."""
    answer = user.session.command(f"ECHO {HOST} {words}", WITHIN)
    return answer.rc, " ".join(answer.lines)


def in_pieces(connection: socket.socket) -> None:
    """The first message goes back in two pieces, so far apart that TCPIP hands over the first."""
    message = all_of(connection, 3000)
    connection.sendall(message[:1000])
    pause(HELD_S)
    connection.sendall(message[1000:])
    connection.sendall(all_of(connection, 3000))


def changed(connection: socket.socket) -> None:
    """The second message comes back with one bit changed."""
    connection.sendall(all_of(connection, 100))
    message = bytearray(all_of(connection, 100))
    message[99] ^= 1
    connection.sendall(message)
    connection.recv(1)


def closed(connection: socket.socket) -> None:
    """A part of the message, and the end."""
    connection.sendall(all_of(connection, 100)[:40])


def reset(connection: socket.socket) -> None:
    """The connection is reset in the middle of a message."""
    connection.sendall(all_of(connection, 100))
    all_of(connection, 50)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def silent(connection: socket.socket) -> None:
    """Nothing comes back, until the guest gives up."""
    all_of(connection, 100)
    connection.recv(1)


def test_a_message_may_come_back_in_pieces(user: FtpUser) -> None:
    with host(user, in_pieces):
        rc, said = echo(user, "3000 2")
    assert rc == 0 and "ECHO: 2 round trips of 3000 bytes" in said


@pytest.mark.parametrize(
    ("serve", "rc", "says"),
    [
        (changed, 102, "DMSECH113E Other bytes came back"),
        (closed, 101, "DMSECH115E The other side closed the connection after 40 of 100 bytes"),
        (reset, 101, "DMSECH112E The connection was lost: connection reset by the other side"),
        (silent, 101, "DMSECH114E No answer in time; an echo service has one client at a time"),
    ],
)
def test_who_does_not_echo_is_told_of(
    user: FtpUser, serve: Callable[[socket.socket], None], rc: int, says: str
) -> None:
    with host(user, serve):
        got = echo(user, "100 3")
    assert got[0] == rc and says in got[1]
    assert "round trips" not in got[1]


def test_nobody_there(user: FtpUser) -> None:
    rc, said = echo(user, "100 3")
    assert rc == 100 and f"DMSECH111E Unable to connect to {HOST}: connection refused" in said


def test_a_second_client_waits_for_the_first_and_is_served_then(
    file_lan: Lan, user: FtpUser
) -> None:
    mark = user.type("ECHO SERVE")
    user.session.expect("ECHO: ready", WITHIN, mark)
    with socket.create_connection(file_lan.host.at(ECHO), WITHIN) as first:
        first.sendall(MESSAGE)
        assert all_of(first, len(MESSAGE)) == MESSAGE
        second = socket.create_connection(file_lan.host.at(ECHO), WITHIN)
        second.sendall(MESSAGE[::-1])
        first.sendall(MESSAGE)
        assert all_of(first, len(MESSAGE)) == MESSAGE
        second.setblocking(False)
        with pytest.raises(BlockingIOError):
            second.recv(1)
    with second:
        second.settimeout(WITHIN)
        assert all_of(second, len(MESSAGE)) == MESSAGE[::-1]
    user.until_prompt(user.type("HX"))
    assert user.rc() == 0
