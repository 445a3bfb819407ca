# SPDX-License-Identifier: MIT
"""CMS ECHO when the other side does not do its part, and its service with many."""

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
def host(user: FtpUser, serve: Callable[[socket.socket], None], many: int = 1) -> Iterator[None]:
    """An echo service of the host's for so many connections, each of which `serve` has."""

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
        threads = [threading.Thread(target=one, daemon=True) for _ in range(many)]
        for thread in threads:
            thread.start()
        yield
        for thread in threads:
            thread.join(WITHIN)
            assert not thread.is_alive(), "a connection did not end"


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
        (silent, 101, "DMSECH114E No answer in time"),
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


def test_many_clients_are_served_at_once(file_lan: Lan, user: FtpUser) -> None:
    """64 have a connection; the next one's turn comes when one of them ends."""
    mark = user.type("ECHO SERVE")
    user.session.expect("ECHO: ready", WITHIN, mark)
    with contextlib.ExitStack() as open_ones:
        clients = [socket.create_connection(file_lan.host.at(ECHO), WITHIN) for _ in range(64)]
        for each in clients:
            open_ones.enter_context(each)
        for each in clients:
            each.sendall(MESSAGE)
        assert [all_of(each, len(MESSAGE)) for each in clients] == [MESSAGE] * 64
        late = open_ones.enter_context(socket.create_connection(file_lan.host.at(ECHO), WITHIN))
        late.sendall(MESSAGE[::-1])
        clients[0].sendall(MESSAGE)
        assert all_of(clients[0], len(MESSAGE)) == MESSAGE
        late.setblocking(False)
        with pytest.raises(BlockingIOError):
            late.recv(1)
        clients[7].close()
        late.settimeout(WITHIN)
        assert all_of(late, len(MESSAGE)) == MESSAGE[::-1]
    user.until_prompt(user.type("HX"))
    assert user.rc() == 0


def test_connections_side_by_side_and_one_for_each_message(user: FtpUser) -> None:
    seen: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        while message := connection.recv(4096):
            seen.append(message)
            connection.sendall(message)

    with host(user, serve, 3):
        assert echo(user, "10 12 3")[0] == 0
    assert len(seen) == 12
    with host(user, serve, 5):
        rc, said = echo(user, "10 5 2 (NEW")
    assert rc == 0 and "ECHO: 5 round trips of 10 bytes" in said
    assert len(seen) == 17


@pytest.mark.parametrize("words", ["10", "0 1", "1 0", "1 1 2", "1 99 65", "1 9 1 (OLD", "16385 1"])
def test_wrong_words_are_told(user: FtpUser, words: str) -> None:
    rc, said = echo(user, words)
    assert rc == 24 and "DMSECH029E Use ECHO" in said
