# SPDX-License-Identifier: MIT
"""Terminals that come and go by the hundred, and garbage on the terminal port."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import time
from pathlib import Path

import pytest

from tests.bench.tn3270 import Telnet, enter
from vmkb.hercules.deadline import Deadline, Timeout
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest, load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

CONNECTIONS = 250
AT_ONCE = 1
"""Hercules 3.13 negotiates with one client at a time and waits for each of its answers."""
WITHIN = 30.0


async def _come_and_go(port: int, device: int, choice: random.Random) -> bool:
    """Connect, perhaps wait for a first record, perhaps type, leave; whether a record came."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        telnet = Telnet(f"IBM-3278-2@{device:04X}")
        how = choice.randrange(1, 3)
        while True:
            data = await asyncio.wait_for(reader.read(65536), 2)
            if not data:
                return False
            answer, records = telnet.feed(data)
            writer.write(answer)
            if records:
                if how == 2:
                    writer.write(enter("LOGON NOBODY"))
                return True
    except (TimeoutError, ConnectionError):
        return False
    finally:
        # Half of them go as a terminal that loses its power does: with a reset.
        if choice.random() < 0.5:
            writer.transport.abort()
        writer.close()


async def _crowd(port: int) -> int:
    choice = random.Random(3270)
    served = 0

    async def one(device: int) -> None:
        nonlocal served
        for _ in range(CONNECTIONS // AT_ONCE):
            served += await _come_and_go(port, device, choice)

    await asyncio.gather(*(one(0x0710 + i) for i in range(AT_ONCE)))
    return served


def _logs_on(guest: Guest, machine: Hercules, device: int, within: float) -> float:
    """Seconds until a user was logged on and off at `device`, tried again while refused."""
    deadline = Deadline(within)
    while True:
        try:
            with open_session(guest, machine, device) as session:
                session.logon("VMUSER1", "VMUSER1")
                assert session.command("QUERY DISK").rc == 0
                session.logoff()
            return deadline.elapsed
        except Timeout:
            if deadline.over:
                raise


def test_hundreds_of_terminals_come_and_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guest = load_guest("vmkb")
    guest.check_built()
    with boot(guest, tmp_path) as machine:
        start = time.monotonic()
        served = asyncio.run(asyncio.wait_for(_crowd(machine.console_port), WITHIN))
        crowd = time.monotonic() - start
        assert machine.running
        elsewhere = _logs_on(guest, machine, 0x0700, 20)
        _logs_on(guest, machine, 0x0710, 20)  # the display that they came and went on
        with capsys.disabled():
            print(
                f"\n{CONNECTIONS} connections in {crowd:.1f} s, {served} of them saw the logo; "
                f"then a logon took {elsewhere:.2f} s"
            )
        assert served == CONNECTIONS


def _greeted(port: int) -> socket.socket:
    """A connection with which Hercules has begun to negotiate.

    When one comes while Hercules 3.13 starts the thread for the one before, both threads take the
    later one, and its terminals may be dead from then on ("select: Bad file descriptor").
    """
    wire = socket.create_connection(("127.0.0.1", port), 5)
    assert wire.recv(1, socket.MSG_PEEK)
    return wire


def test_of_terminals_that_come_at_once_each_is_greeted(
    tmp_path: Path, emulator_needed: None
) -> None:
    guest = load_guest("vmkb")
    guest.check_built()
    if not choose().exact:
        pytest.skip("the counting emulator is not built")
    with boot(guest, tmp_path) as machine:
        for _ in range(10):
            with contextlib.ExitStack() as crowd:
                address = "127.0.0.1", machine.console_port
                wires = [
                    crowd.enter_context(socket.create_connection(address, 5)) for _ in range(8)
                ]
                assert all(wire.recv(1, socket.MSG_PEEK) for wire in wires)


def test_garbage_on_the_terminal_port(tmp_path: Path) -> None:
    guest = load_guest("vmkb")
    guest.check_built()
    choice = random.Random(1576)
    with boot(guest, tmp_path) as machine:
        for i in range(40):
            with _greeted(machine.console_port) as wire:
                noise = choice.randbytes(choice.randrange(1, 3000))
                if i % 4 == 0:
                    noise = b"\xff\xfb\x18\xff\xfa\x18\x00IBM-3278-2\xff\xf0" + noise
                elif i % 4 == 1:
                    noise = b"\xff" * len(noise)
                elif i % 4 == 2:
                    noise = b"GET / HTTP/1.0\r\n\r\n"
                wire.sendall(noise)
        # A display that is attached and then sends records that no 3270 sends.
        with _greeted(machine.console_port) as wire:
            telnet = Telnet("IBM-3278-2@0705")
            records: list[bytes] = []
            while not records:
                data = wire.recv(65536)
                assert data, "Hercules closed the connection"
                answer, records = telnet.feed(data)
                wire.sendall(answer)
            with contextlib.suppress(ConnectionError):  # it may have had enough of them
                for _ in range(200):
                    record = choice.randbytes(choice.randrange(1, 400)).replace(b"\xff", b"\xfe")
                    wire.sendall(record + b"\xff\xef")
        assert machine.running
        _logs_on(guest, machine, 0x0700, 20)
        machine.operator("QUERY CPLEVEL", "VM/KB VERSION", 5)
