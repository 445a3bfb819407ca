# SPDX-License-Identifier: MIT
"""The wire as a process: its control channel, stream ports, capture, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vmkb.accounting.input.capture.files import packets
from vmkb.hercules.deadline import Timeout, wait_until
from vmkb.hercules.wire.client import WireClient, WireError
from vmkb.hercules.wire.ports.endpoint import Endpoint, EndpointTimeout
from vmkb.hercules.wire.process import WireProcess
from vmkb.hercules.wire.program import main


@pytest.fixture(scope="module")
def wire() -> Iterator[WireProcess]:
    with WireProcess(seed=5) as process:
        yield process


def frame(to: int, sender: int, rest: bytes = b"") -> bytes:
    return bytes((2, 0, 0, 0, 0, to, 2, 0, 0, 0, 0, sender)) + b"\x60\x04" + rest


@contextlib.asynccontextmanager
async def meet(wire: WireProcess, paths: list[str]) -> AsyncIterator[list[Endpoint]]:
    """Endpoints at left and right, both known to the wire; closed afterwards, whatever happens."""
    async with contextlib.AsyncExitStack() as ends:
        both = []
        for path in paths:
            both.append(await Endpoint.connect(path))
            ends.push_async_callback(both[-1].close)
        for name in ("left", "right"):
            wire.wait_connected(name, 5)
        yield both


@pytest.fixture
def pair(wire: WireProcess) -> Iterator[list[str]]:
    """The sockets of two stream ports."""
    names = ("left", "right")
    paths = [wire.add_stream(name) for name in names]
    yield paths
    for name in names:
        wire.remove(name)


def test_two_endpoints_talk_and_are_counted(
    wire: WireProcess, pair: list[str], run: Callable[..., Any]
) -> None:
    async def talk() -> None:
        async with meet(wire, pair) as (left, right):
            for size in (0, 46, 1500, 32767):
                left.send(frame(2, 1, bytes(size)))
                assert await right.receive(5) == frame(2, 1, bytes(size))
            right.send(frame(1, 2))
            assert await left.receive(5) == frame(1, 2)

    run(talk())
    ports = wire.counters()["ports"]
    assert ports["left"]["frames_in"] == ports["right"]["frames_out"] == 4
    assert ports["left"]["bytes_in"] == 4 * 14 + 46 + 1500 + 32767
    assert not ports["left"]["connected"]


def test_what_was_sent_before_it_left_is_taken_also_when_it_is_spoken_to(
    wire: WireProcess, pair: list[str], run: Callable[..., Any]
) -> None:
    """The wire looks when both have happened: right spoke to left, and left sent and left."""

    async def talk() -> object:
        async with meet(wire, pair) as (left, right):
            os.kill(wire.pid, signal.SIGSTOP)
            try:
                right.send(frame(1, 2))
                for n in range(10):
                    left.send(frame(2, 1, bytes([n])))
                leaving = asyncio.create_task(left.close())
                await asyncio.sleep(0)
            finally:
                os.kill(wire.pid, signal.SIGCONT)
            await leaving
            return [(await right.receive(5))[-1] for _ in range(10)]

    assert run(talk()) == list(range(10))


def test_a_link_is_cut_and_heals(
    wire: WireProcess, pair: list[str], run: Callable[..., Any]
) -> None:
    async def talk() -> None:
        async with meet(wire, pair) as (left, right):
            wire.cut("right")
            assert wire.ports()["right"]["cut"]
            left.send(frame(2, 1))
            with pytest.raises(EndpointTimeout, match="no frame"):
                await right.receive(0.05)
            wait_until(lambda: wire.counters()["ports"]["left"]["frames_in"], 5, "the frame")
            wire.restore("right")
            left.send(frame(2, 1, b"again"))
            assert await right.receive(5) == frame(2, 1, b"again")
            wire.cut("*", seconds=0.05)
            wait_until(
                lambda: not any(port["cut"] for port in wire.ports().values()), 5, "all links"
            )
            left.send(frame(2, 1, b"healed"))
            assert await right.receive(5) == frame(2, 1, b"healed")

    run(talk())


def test_a_profile_set_live_is_in_force_and_repeats_by_its_seed(
    wire: WireProcess, run: Callable[..., Any]
) -> None:
    def fates() -> list[int]:
        # new ports: an impairment's draws are counted from a port's start
        paths = [wire.add_stream(name) for name in ("left", "right")]
        wire.set_profile("left", "fast", loss=0.5)

        async def talk() -> object:
            async with meet(wire, paths) as (left, right):
                for n in range(100):
                    left.send(frame(2, 1, bytes([n])))
                got: list[int] = []
                # the other end never lost anything: its frame is the last
                while wire.counters()["ports"]["left"]["up"]["offered_frames"] < 100:
                    pass
                while len(got) < wire.counters()["ports"]["left"]["up"]["crossed_frames"]:
                    got.append((await right.receive(5))[-1])
                return got

        got: list[int] = run(talk())
        wire.remove("left")
        wire.remove("right")
        return got

    first = fates()
    assert 20 < len(first) < 80
    assert fates() == first


def test_a_capture_is_in_the_order_in_which_frames_came_over_a_line(
    wire: WireProcess, pair: list[str], run: Callable[..., Any], tmp_path: Path
) -> None:
    """A packet of 232 bytes takes a quarter of a second on the line. One that is on its way when
    another comes stands behind that in the capture."""
    path = tmp_path / "line.pcapng"
    long = bytes([0x45, 0, 0, 232]) + bytes(228)
    wire.set_profile("left", "line-9600-quiet")

    async def talk() -> None:
        async with meet(wire, pair) as (left, right):
            wire.start_capture(path)
            left.send(frame(2, 1)[:12] + b"\x08\x00" + long)
            wait_until(lambda: wire.counters()["ports"]["left"]["frames_in"], 5, "the packet")
            right.send(frame(1, 2)[:12] + b"\x08\x06" + bytes(28))
            await right.receive(5)

    run(talk())
    wire.set_profile("left", "fast")
    assert wire.stop_capture() == 2
    found = list(packets(path))
    assert [p.port for p in found] == ["right", "left"]
    assert 0 < (found[1].time - found[0].time) / 1e9 <= 0.25


def test_a_capture_opens_in_tshark(
    wire: WireProcess, pair: list[str], run: Callable[..., Any], tmp_path: Path
) -> None:
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed; scripts/setup installs it")
    path = tmp_path / "lan.pcapng"
    arp = bytes.fromhex("00010800060400010200000000010a0101010000000000000a010102")

    async def talk() -> None:
        async with meet(wire, pair) as (left, right):
            wire.start_capture(path)
            left.send(b"\xff" * 6 + bytes((2, 0, 0, 0, 0, 1)) + b"\x08\x06" + arp)
            await right.receive(5)
            right.send(frame(1, 2, bytes(3)))
            await left.receive(5)

    run(talk())
    assert wire.stop_capture() == 2
    shown = subprocess.run(
        ["tshark", "-r", path, "-T", "fields", "-E", "separator=/t", "-e", "frame.interface_name",
         "-e", "frame.len", "-e", "eth.type", "-e", "arp.dst.proto_ipv4"],
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout.splitlines()  # fmt: skip
    assert [line.split("\t") for line in shown] == [
        ["left", "42", "0x0806", "10.1.1.2"],
        ["right", "17", "0x6004", ""],
    ]


@pytest.mark.parametrize(
    ("request_line", "why"),
    [
        (b"nonsense", "Expecting value"), (b"[]", '"do"'), (b'{"do": "dance"}', "one of"),
        (b'{"do": "cut"}', "argument"), (b'{"do": "cut", "port": "vm9"}', "no port 'vm9'"),
        (b'{"do": "profile", "port": "*", "name": "arcnet"}', "ethernet-10"),
        (b'{"do": "config", "name": "left"}', "not a guest's"),
        (b'{"do": "capture", "path": "/nowhere/at/all"}', "No such file"),
    ],
)  # fmt: skip
def test_a_bad_request_is_refused_in_words_and_the_wire_goes_on(
    wire: WireProcess, request_line: bytes, why: str
) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        client.connect(str(wire.control))
        client.sendall(request_line + b"\n")
        answer = json.loads(client.recv(65536))
    assert not answer["ok"] and why in answer["error"]
    assert wire.request("ping") == "pong"


def test_a_line_without_end_ends_only_its_own_connection(wire: WireProcess) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        client.connect(str(wire.control))
        with pytest.raises(ConnectionError):
            client.sendall(b"x" * 1_000_000)
            if not client.recv(1):
                raise ConnectionError
    assert wire.request("ping") == "pong"


def test_garbage_ends_only_its_own_stream(
    wire: WireProcess, pair: list[str], run: Callable[..., Any]
) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        client.connect(pair[0])
        client.sendall(b"\xff" * 100)
        assert client.recv(1) == b""

    async def talk() -> None:
        async with meet(wire, pair) as (left, right):
            left.send(frame(2, 1))
            assert await right.receive(5) == frame(2, 1)

    run(talk())


def test_guest_ports_have_lines_of_their_own(wire: WireProcess) -> None:
    lines = wire.add_guest("vm1") + wire.add_guest("vm2", 0x600, 0x601)
    assert [line.split()[0] for line in lines] == ["0500", "0501", "0600", "0601"]
    assert wire.config("vm1") == lines[:2]
    numbers = [int(line.split()[n]) for line in lines for n in (2, 4)]
    assert len(set(numbers)) == 8 and not any(number % 2 for number in numbers)
    with pytest.raises(Timeout, match="'vm1' on the wire"):
        wire.wait_connected("vm1", 0.05)
    wire.remove("vm1")
    wire.remove("vm2")


def test_it_ends_with_its_owner() -> None:
    with WireProcess() as process:
        pid = process.pid
        control = process.control
    assert process._running.process.returncode == 0
    assert not control.exists()
    with pytest.raises(WireError, match="is it running"):
        WireClient(control)
    assert pid > 0


def test_it_stops_when_asked() -> None:
    with WireProcess() as process:
        process.request("stop")
        with pytest.raises(WireError, match=r"ended|gone"):
            for _ in range(1000):
                process.request("ping")


def test_an_unknown_profile_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["--folder", str(tmp_path), "--profile", "arcnet"]) == 2
    assert "token-ring-16" in capsys.readouterr().err
    with pytest.raises(WireError, match="arcnet"):
        WireProcess(profile="arcnet")


def test_a_late_answer_is_not_given_to_the_next_request(tmp_path: Path) -> None:
    """A server that answers the first request only after the client has given it up."""
    path = tmp_path / "control.sock"
    given_up = threading.Event()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(path))
        server.listen(2)
        server.settimeout(10)

        def serve() -> None:
            first, _ = server.accept()
            with first:
                first.recv(65536)
                given_up.wait(10)
                with contextlib.suppress(OSError):
                    first.sendall(b'{"ok": true, "value": "late"}\n')
                second, _ = server.accept()
                with second:
                    second.recv(65536)
                    second.sendall(b'{"ok": true, "value": "its own"}\n')

        thread = threading.Thread(target=serve)
        thread.start()
        client = WireClient(path, seconds=0.2)
        with pytest.raises(WireError, match="did not answer counters"):
            client.request("counters")
        given_up.set()
        client._seconds = 10
        assert client.request("ping") == "its own"
        thread.join(10)
        client.close()
