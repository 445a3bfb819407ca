# SPDX-License-Identifier: MIT
"""The terminal port in front of a real Hercules: many at once, idle ones, strangers, its end."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.owners import owner_of, owners_at
from vmkb.hercules.tn3270.negotiation import Answering, Asking
from vmkb.hercules.tn3270.terminals import LOG, HeldFront, shows

CROWD = 64
WITHIN = 20.0


@pytest.fixture
def front(bare_machine: Hercules, tmp_path: Path) -> Iterator[HeldFront]:
    """A front of a machine with four displays."""
    with HeldFront(tmp_path) as held:
        held.emulator(bare_machine.console_port)
        yield held
    assert held._process.wait(WITHIN) == 0


def first_screen(port: int) -> bytes:
    """What a terminal is shown first, or what it is told when there is none for it."""
    answering = Answering(b"IBM-3278-2")
    with socket.create_connection(("127.0.0.1", port), WITHIN) as sock:
        while not answering.rest:
            data = sock.recv(65536)
            if not data:
                return b""
            sock.sendall(answering.feed(data))
    return answering.rest


@pytest.mark.slow
def test_terminals_at_the_same_moment_are_all_answered(
    front: HeldFront, bare_machine: Hercules
) -> None:
    for _ in range(3):
        with ThreadPoolExecutor(CROWD) as crowd:
            screens = list(crowd.map(first_screen, [front.port] * CROWD))
        assert all(screens)
    assert first_screen(front.port)
    bare_machine.check_running()
    assert not [line for line in bare_machine.log.since(0) if "DBG028" in line]


@pytest.mark.slow
def test_clients_that_say_nothing_hold_nobody_up(front: HeldFront) -> None:
    idle = [socket.create_connection(("127.0.0.1", front.port)) for _ in range(8)]
    try:
        assert first_screen(front.port)
    finally:
        for each in idle:
            each.close()


@pytest.mark.parametrize(
    "meant_for_another",
    [[], [b"\xf6"], [b"\xf1\xc2READY"]],
    ids=["nothing", "a read", "a write"],
)
def test_a_terminal_that_the_guest_did_not_see_is_given_to_it_again(
    tmp_path: Path, meant_for_another: list[bytes]
) -> None:
    greeting, logo = b"\xf5\xc2" + "Hercules".encode("cp037") + b"\xff\xef", b"\xf5\xc2LOGO\xff\xef"
    others = b"".join(record + b"\xff\xef" for record in meant_for_another)
    with socket.create_server(("127.0.0.1", 0)) as emulator, HeldFront(tmp_path) as front:
        front.emulator(emulator.getsockname()[1])
        with ThreadPoolExecutor(1) as person:
            shown = person.submit(first_screen, front.port)
            first, _ = emulator.accept()
            first.sendall(greeting + others)
            second, _ = emulator.accept()
            second.sendall(greeting + logo)
            assert shown.result(WITHIN) == greeting + logo
        assert first.recv(1) == b"", "it was let go"
        first.close()
        second.close()
    assert front._process.wait(WITHIN) == 0


def test_what_is_no_3270_is_told_so_and_does_not_reach_the_emulator(
    front: HeldFront, bare_machine: Hercules, tmp_path: Path
) -> None:
    with socket.create_connection(("127.0.0.1", front.port), WITHIN) as sock:
        sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
        said = b""
        while data := sock.recv(4096):
            said += data
    assert b"for 3270 terminals" in said
    assert "no 3270 terminal" in (tmp_path / LOG).read_text()
    assert not [line for line in bare_machine.log.since(0) if line.startswith("HHCTE009I")]


def test_a_program_of_another_user_is_not_let_in(front: HeldFront, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can start a program of another user")
    stranger = subprocess.run(
        ["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{front.port}; cat <&3"],
        user=65534, capture_output=True, timeout=WITHIN, check=False,
    )  # fmt: skip
    assert stranger.stdout.endswith(b"This port is its owner's alone.\r\n")
    assert "user 65534 is not let in" in (tmp_path / LOG).read_text()


def test_one_that_is_open_to_all_lets_them_in(bare_machine: Hercules, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can start a program of another user")
    with HeldFront(tmp_path, open_to_all=True) as held:
        held.emulator(bare_machine.console_port)
        stranger = subprocess.run(
            ["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{held.port}; head -c 3 <&3"],
            user=65534, capture_output=True, timeout=WITHIN, check=False,
        )  # fmt: skip
        assert stranger.stdout == Asking.opening
    assert held._process.wait(WITHIN) == 0


def test_a_program_that_speaks_ipv6_is_known_too() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.socket(socket.AF_INET6) as near:
            near.connect(("::ffff:127.0.0.1", port))
            far, _ = server.accept()
            with far:
                assert owner_of(far) == os.getuid()
                assert owners_at(near.getsockname()[1], "127.0.0.1") == {os.getuid()}
                assert owners_at(near.getsockname()[1], "127.0.0.2") == set()


def test_the_owner_of_a_connection_is_found_and_one_that_is_gone_is_not() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        near = socket.create_connection(server.getsockname())
        far, _ = server.accept()
        with far:
            assert owner_of(far) == os.getuid()
            near.close()
            assert owner_of(far) is None


def test_a_port_without_an_emulator_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(EmulatorError, match=rf"{port} has shown no 'LOGO' for 0.2 s"):
            shows(port, "LOGO", 0.2)
    with pytest.raises(EmulatorError, match=rf"{port} does not answer: Connection refused"):
        shows(port, "LOGO", 0.2)


@pytest.fixture
def holder() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Programs that stand for an emulator."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for each in started:
        each.kill()
        each.wait()


def test_an_emulator_whose_starter_dies_halfway_is_killed(
    tmp_path: Path, holder: list[subprocess.Popen[bytes]]
) -> None:
    with HeldFront(tmp_path) as front:
        holder.append(subprocess.Popen(["sleep", "100"], pass_fds=[front.held]))
    assert holder[0].wait(WITHIN) == -9
    assert front._process.wait(WITHIN) == 0


def test_an_emulator_that_is_up_stays_and_the_front_ends_with_it(
    tmp_path: Path, holder: list[subprocess.Popen[bytes]]
) -> None:
    with HeldFront(tmp_path) as front:
        holder.append(subprocess.Popen(["sleep", "100"], pass_fds=[front.held]))
        front.keep()
    with socket.create_connection(("127.0.0.1", front.port), WITHIN) as sock:
        assert sock.recv(3), "it is served"
    assert holder[0].poll() is None
    holder[0].terminate()
    assert front._process.wait(WITHIN) == 0
