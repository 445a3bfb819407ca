# SPDX-License-Identifier: MIT
"""A guest's port against a Python peer that speaks as Hercules does, and against rogues."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.narrow import some
from vmkb.hercules.emulator.dialect import dialects
from vmkb.hercules.wire.block import EMPTY_BLOCK, decode_block, encode_block
from vmkb.hercules.wire.ctce import READ, RESET, WRITE, Layout, Parser
from vmkb.hercules.wire.ports import half, pair
from vmkb.hercules.wire.profile import profile
from vmkb.hercules.wire.server import Wire

PLAIN = next(d.ctce for d in dialects() if not d.ctce.greeting)
GREETED = next(d.ctce for d in dialects() if d.ctce.greeting)
PREFIX = struct.Struct(PLAIN.prefix)
FRAME = b"\xff" * 6 + bytes((2, 0, 0, 0, 0, 1)) + b"\x88\xb5" + b"hello"


made: list[Device] = []
"""The devices on the wire that runs: a test that fails closes none, and the next one would be told
of their sockets."""


class Device:
    """One CTCE device of a pretended Hercules."""

    def __init__(self, line: str, form: Layout = PLAIN) -> None:
        words = line.split()
        self.local, self.remote = int(words[2]), int(words[4])
        self.form = form
        self.parser = Parser(form)
        self.got: list[tuple[int, int, bytes]] = []
        self.server = socket.create_server(("127.0.0.1", self.local + 1))
        self.inbound: socket.socket | None = None
        self.outbound: socket.socket | None = None
        made.append(self)

    async def connect(self) -> None:
        """As Hercules at its first channel program, or SDL Hyperion at its start."""
        loop = asyncio.get_running_loop()
        while self.outbound is None:
            # a predecessor's connection may not have ended yet: a guest's driver tries again too
            sock = bound(0 if self.form.greeting else self.local)
            try:
                await loop.sock_connect(sock, ("127.0.0.1", self.remote + 1))
                await loop.sock_sendall(sock, self.form.greet(self.local + 1, "127.0.0.1", 0x500))
                self.outbound = sock
            except OSError:
                sock.close()
                await asyncio.sleep(0)
        self.server.setblocking(False)
        self.inbound, peer = await loop.sock_accept(self.server)
        assert peer[1] == self.remote
        self.inbound.setblocking(False)

    async def say(self, command: int, state: int, data: bytes = b"") -> None:
        prefix = struct.Struct(self.form.prefix)
        head = prefix.pack(command, state, len(data), 1, prefix.size + len(data), 0x500, 0)
        await asyncio.get_running_loop().sock_sendall(some(self.outbound), head + data)

    async def hear(self, command: int) -> bytes:
        """The data of the next message with this command."""
        loop = asyncio.get_running_loop()
        while True:
            for index, (heard, _state, data) in enumerate(self.got):
                if heard == command:
                    del self.got[: index + 1]
                    return data
            data = await loop.sock_recv(some(self.inbound), 65536)
            if not data:
                raise ConnectionError("the wire closed")
            self.got += [(m.command, m.state, bytes(m.data)) for m in self.parser.feed(data)]

    def close(self) -> None:
        for sock in (self.server, self.inbound, self.outbound):
            if sock is not None:
                sock.close()


def bound(port: int) -> socket.socket:
    sock = socket.socket()
    sock.setblocking(False)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("127.0.0.1", port))
    return sock


async def join(wire: Wire, name: str, form: Layout = PLAIN) -> tuple[Device, Device]:
    """A pretended guest on the wire: its first READ has been answered."""
    writer, reader = (Device(line, form) for line in wire.configuration(name))
    await writer.connect()
    await writer.say(WRITE, 3, EMPTY_BLOCK)
    await writer.hear(READ)
    await reader.connect()
    await reader.say(READ, 2)
    assert await reader.hear(WRITE) == EMPTY_BLOCK
    await reader.say(READ, 2)
    return writer, reader


async def leave(wire: Wire, *devices: Device) -> None:
    """Closes the devices and lets the wire notice: no emulator starts so soon after another's
    end."""
    for device in devices:
        device.close()
    guest: Any = wire._owners["vm1"]
    while any(half._inbound or half._outbound for half in (guest._writer, guest._reader)):
        await asyncio.sleep(0.001)


async def echo(wire: Wire, writer: Device, reader: Device) -> None:
    """A frame each way between the guest and an endpoint."""
    endpoint = wire.add_endpoint("py")
    await writer.say(WRITE, 3, encode_block([FRAME]))
    await writer.hear(READ)
    assert await endpoint.receive(5) == FRAME
    endpoint.send(FRAME)
    assert decode_block(await reader.hear(WRITE)) == [FRAME]
    await reader.say(READ, 2)
    await endpoint.close()
    await wire.remove("py")


def on_a_wire(
    run: Callable[..., Any],
    tmp_path: Path,
    play: Callable[[Wire], Awaitable[None]],
    name: str = "fast",
) -> None:
    """Runs `play(wire, line...)` on a wire with the guest port vm1."""

    async def whole() -> None:
        wire = Wire(profile(name), 0, tmp_path)
        await wire.add_guest("vm1")
        try:
            await play(wire)
        finally:
            for device in made:
                device.close()
            made.clear()
            await wire.close()
            await asyncio.sleep(0)

    run(whole(), 20)


@pytest.mark.parametrize("form", [PLAIN, GREETED], ids=["3.13", "Hyperion"])
def test_frames_pass_both_ways_and_are_counted(
    run: Callable[..., Any], tmp_path: Path, form: Any
) -> None:
    async def play(wire: Wire) -> None:
        writer, reader = await join(wire, "vm1", form)
        await echo(wire, writer, reader)
        port = wire.snapshot()["ports"]["vm1"]
        assert (port["frames_in"], port["bytes_in"]) == (1, len(FRAME))
        assert (port["frames_out"], port["bytes_out"]) == (1, len(FRAME))
        assert port["blocks"]["blocks_in"] == 2
        writer.close()
        reader.close()

    on_a_wire(run, tmp_path, play)


def test_frames_that_wait_travel_in_one_block(run: Callable[..., Any], tmp_path: Path) -> None:
    async def play(wire: Wire) -> None:
        writer, reader = await join(wire, "vm1")
        endpoint = wire.add_endpoint("py")
        endpoint.send(FRAME)
        assert decode_block(await reader.hear(WRITE)) == [FRAME]
        sent = [FRAME + bytes([n]) for n in range(20)]
        for each in sent:
            endpoint.send(each)
        await reader.say(READ, 2)
        assert decode_block(await reader.hear(WRITE)) == sent
        writer.close()
        reader.close()

    on_a_wire(run, tmp_path, play)


def test_frames_that_follow_each_other_on_a_slow_medium_travel_in_blocks_of_one_size(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    """Whether or not somebody reads meanwhile; the last one waits for nobody."""
    sent = [FRAME + bytes([n]) + bytes(4000) for n in range(12)]

    async def play(wire: Wire) -> None:
        writer, reader = await join(wire, "vm1")
        clock, moments = wire.clock, [0.0]
        wire.clock = lambda: moments[0]  # the endpoint's
        endpoint = wire.add_endpoint("py")
        wire.clock = clock

        def send_at_once(frames: list[bytes]) -> None:
            """At one moment, though the computer may do something else between two of them."""
            moments[0] = clock()
            for each in frames:
                endpoint.send(each)

        async def arrived() -> None:
            before = wire.snapshot()["ports"]["vm1"]["queued_frames"]
            while True:
                port = wire.snapshot()["ports"]["vm1"]
                if port["queued_frames"] > before and not port["in_flight"]:
                    return
                await asyncio.sleep(0)

        for late in (False, True):
            send_at_once(sent)
            if late:
                await arrived()
                await reader.say(READ, 2)
            blocks = [decode_block(await reader.hear(WRITE))]
            while sum(map(len, blocks)) < len(sent):
                await reader.say(READ, 2)
                blocks.append(decode_block(await reader.hear(WRITE)))
            assert blocks == [sent[:5], sent[5:10], sent[10:]]
        for row in (sent[:3], sent[3:5]):  # with a pause between them, and nobody reads
            send_at_once(row)
            await arrived()
        for row in (sent[:3], sent[3:5]):
            await reader.say(READ, 2)
            assert decode_block(await reader.hear(WRITE)) == row
        writer.close()
        reader.close()

    on_a_wire(run, tmp_path, play, "token-ring-16")


def test_a_block_of_one_guest_stays_one_for_the_other_unless_too_many_wait(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    """However late that one is."""
    blocks = [[FRAME + bytes([n, k]) for k in range(n % 3 + 1)] for n in range(40)]

    async def play(wire: Wire) -> None:
        await wire.add_guest("vm2")
        writer, other = await join(wire, "vm1")
        late_writer, late = await join(wire, "vm2")
        for count in (10, 40):
            for block in blocks[:count]:
                await writer.say(WRITE, 3, encode_block(block))
                await writer.hear(READ)
            got = [decode_block(await late.hear(WRITE))]
            while sum(map(len, got)) < sum(map(len, blocks[:count])):
                await late.say(READ, 2)
                got.append(decode_block(await late.hear(WRITE)))
            await late.say(READ, 2)
            assert got == blocks[:count] if count == 10 else len(got) < 20
            assert sum(got, []) == sum(blocks[:count], [])
        for device in (writer, other, late_writer, late):
            device.close()

    on_a_wire(run, tmp_path, play)


def test_a_guest_may_come_back_on_another_emulator(run: Callable[..., Any], tmp_path: Path) -> None:
    async def play(wire: Wire) -> None:
        for form in (PLAIN, GREETED, PLAIN, GREETED):
            writer, reader = await join(wire, "vm1", form)
            await echo(wire, writer, reader)
            await leave(wire, writer, reader)

    on_a_wire(run, tmp_path, play)


def test_a_guest_that_is_ipled_again_is_gone_until_it_uses_its_devices(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    async def play(wire: Wire) -> None:
        writer, reader = await join(wire, "vm1", GREETED)
        for device in (writer, reader):
            await device.say(RESET, 5)
        while wire.snapshot()["ports"]["vm1"]["connected"]:
            await asyncio.sleep(0.001)
        await writer.say(WRITE, 3, EMPTY_BLOCK)
        await writer.hear(READ)
        await reader.say(READ, 2)
        assert await reader.hear(WRITE) == EMPTY_BLOCK
        await reader.say(READ, 2)
        await echo(wire, writer, reader)
        writer.close()
        reader.close()

    on_a_wire(run, tmp_path, play)


@pytest.mark.parametrize("says", ["nothing", "another port", "noise"])
def test_a_stranger_that_does_not_say_who_it_is_is_refused(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    monkeypatch.setattr(half, "_GREETS_WITHIN", 0.05)

    async def play(wire: Wire) -> None:
        loop = asyncio.get_running_loop()
        writer, reader = await join(wire, "vm1", GREETED)
        rogue = bound(0)
        await loop.sock_connect(rogue, ("127.0.0.1", writer.remote + 1))
        words = {"nothing": b"", "noise": b"x" * 100}
        greeting = GREETED.greet(writer.local + 3, "127.0.0.1", 0x500)
        await loop.sock_sendall(rogue, words.get(says, greeting))
        with pytest.raises(ConnectionError):
            if not await asyncio.wait_for(loop.sock_recv(rogue, 100), 5):
                raise ConnectionError
        rogue.close()
        await echo(wire, writer, reader)
        writer.close()
        reader.close()

    on_a_wire(run, tmp_path, play)


def test_a_rogue_from_another_port_is_refused_and_the_guest_stays(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    async def play(wire: Wire) -> None:
        writer, reader = await join(wire, "vm1")
        loop = asyncio.get_running_loop()
        for port in (writer.remote + 1, reader.remote + 1):
            rogue = bound(0)
            await loop.sock_connect(rogue, ("127.0.0.1", port))
            with pytest.raises(ConnectionError):
                await loop.sock_sendall(rogue, b"x" * 100)
                if not await loop.sock_recv(rogue, 100):
                    raise ConnectionError
            rogue.close()
        await echo(wire, writer, reader)
        writer.close()
        reader.close()

    on_a_wire(run, tmp_path, play)


@pytest.mark.parametrize("seed", range(8))
def test_garbage_from_the_guests_own_port_is_refused_and_the_port_survives(
    run: Callable[..., Any], tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    # half of them begin as CTCE does, so that they get past the prefix
    starts = [b"", PREFIX.pack(WRITE, 3, 10, 1, 22, 0x500, 0) + b"\0\0\0\x0aabcdef"]

    async def play(wire: Wire) -> None:
        for _ in range(3):
            writer, reader = (Device(line) for line in wire.configuration("vm1"))
            await writer.connect()
            noise = chance.choice(starts) + chance.randbytes(chance.randrange(12, 4000))
            with pytest.raises(ConnectionError):
                await asyncio.get_running_loop().sock_sendall(some(writer.outbound), noise)
                await asyncio.wait_for(writer.hear(0xFF), 5)
            await leave(wire, writer, reader)
        writer, reader = await join(wire, "vm1")
        await echo(wire, writer, reader)
        writer.close()
        reader.close()

    on_a_wire(run, tmp_path, play)


def test_a_malformed_block_is_dropped_and_counted_and_the_guest_goes_on(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    async def play(wire: Wire) -> None:
        writer, reader = await join(wire, "vm1")
        await writer.say(WRITE, 3, b"\0\0\0\x14\xff\xff" + bytes(14))
        await writer.hear(READ)
        await echo(wire, writer, reader)
        assert wire.snapshot()["ports"]["vm1"]["blocks"]["bad_blocks"] == 1
        writer.close()
        reader.close()

    on_a_wire(run, tmp_path, play)


def test_a_guest_may_come_and_go_many_times(run: Callable[..., Any], tmp_path: Path) -> None:
    async def play(wire: Wire) -> None:
        for lives in range(1, 6):
            writer, reader = await join(wire, "vm1")
            await echo(wire, writer, reader)
            assert wire.snapshot()["ports"]["vm1"]["blocks"]["arrivals"] == lives
            await leave(wire, writer, reader)

    on_a_wire(run, tmp_path, play)


def test_a_read_that_waits_long_is_ended_with_an_empty_block(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair, "KEEP_ALIVE_SECONDS", 0.05)

    async def play(wire: Wire) -> None:
        writer, reader = await join(wire, "vm1")
        for _ in range(3):
            assert await reader.hear(WRITE) == EMPTY_BLOCK
            await reader.say(READ, 2)
        await echo(wire, writer, reader)
        writer.close()
        reader.close()

    on_a_wire(run, tmp_path, play)


def test_a_paced_guest_gets_its_answer_only_when_there_is_room(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    async def play(wire: Wire) -> None:
        wire.set_profile("vm1", "token-ring-16")
        writer, reader = await join(wire, "vm1")
        endpoint = wire.add_endpoint("py")
        loop = asyncio.get_running_loop()
        block = encode_block([FRAME + bytes(4000)] * 15)
        start = loop.time()
        for _ in range(6):
            await writer.say(WRITE, 3, block)
            await writer.hear(READ)
        # six blocks take 182 ms; the last 64 KB of them may still wait
        assert loop.time() - start > 0.14
        assert wire.snapshot()["ports"]["vm1"]["up"]["dropped"] == {}
        await endpoint.close()
        writer.close()
        reader.close()

    on_a_wire(run, tmp_path, play)
