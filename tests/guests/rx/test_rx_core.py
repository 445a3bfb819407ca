# SPDX-License-Identifier: MIT
"""The guest's Rx core by itself, with another one, and with the workstations' core in both roles:
every byte right or an error in bounded time, whatever the network does."""

from __future__ import annotations

import itertools
import os
import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.guests.rx.host import (
    ECHO,
    EPOCH,
    PERF,
    CoreHost,
    Network,
    PythonHost,
    Result,
    Side,
    echoed,
    made,
)
from vmkb.hercules.rx.packets import Ack, Flag, Header, Reason, Type, decode, decode_ack

A, B, C = ("10.0.0.1", 7001), ("10.0.0.2", 7009), ("10.0.0.3", 7001)
Make = Callable[..., CoreHost]
ROUNDS = int(os.environ.get("VMKB_RX_FUZZ", "40000"))
NULL, WRITE, READ = 0, 1, 2


def pair(core: Make, kind: str, **config: int) -> dict[tuple[str, int], Side]:
    """Client at A, server at B: each `c` (the guest's core) or `p` (the workstations')."""
    make: dict[str, Callable[..., Any]] = {
        "c": core, "p": lambda _, **config: PythonHost(**config),
    }  # fmt: skip
    return {A: make[kind[0]](0, **config), B: make[kind[1]](1, **config)}


def types(net: Network, source: tuple[str, int], since: int = 0) -> list[tuple[int, int]]:
    """Type and flags of what a side sent."""
    headers = [decode(packet)[0] for s, _, packet in net.seen[since:] if s == source]
    return [(h.type, h.flags) for h in headers]


def packet(
    kind: Type, seq: int = 0, body: bytes = b"", flags: int = Flag.CLIENT, **more: int
) -> bytes:
    """A packet as a client's, of call 1 on connection 4."""
    values = {"epoch": EPOCH, "cid": 4, "call": 1, "serial": 1, "service": ECHO, **more}
    return Header(seq=seq, type=kind, flags=flags, **values).encode() + body


def test_a_null_call_is_two_packets(core: Make) -> None:
    net = Network(pair(core, "cc"))
    conn = net.sides[A].connect(B, PERF, net.now)
    for _ in range(5):
        call = net.begin(A, conn, struct.pack(">II", NULL, 0))
        net.finish(call)
        assert call is not None and call.error == 0 and call.reply == b""
    assert len(net.seen) == 10
    net.run(1)  # and one late acknowledgement of the last reply
    assert len(net.seen) == 11 and types(net, A)[-1][0] == Type.ACK
    net.run(70)
    server = net.sides[B]
    assert isinstance(server, CoreHost)
    counts = server.counts()
    assert counts["perf_calls"] == 5 and counts["free"] == counts["packets"]


@pytest.mark.parametrize("kind", ["cc", "pc", "cp", "pp"])
@pytest.mark.parametrize("size", [0, 1, 1444, 1445, 48 * 1024, 60000])
def test_every_byte_is_right(core: Make, kind: str, size: int) -> None:
    net = Network(pair(core, kind))
    conn = net.sides[A].connect(B, ECHO, net.now)
    request = random.Random(size).randbytes(size)
    for _ in range(3):
        call = net.begin(A, conn, request)
        net.finish(call)
        assert call is not None and call.error == 0 and bytes(call.reply) == echoed(request)


@pytest.mark.parametrize("size", [98304, 131072, 1 << 20])
def test_long_writes_do_not_hang(core: Make, size: int) -> None:
    """The report's test hung above 96 KB."""
    net = Network(pair(core, "cc", mtu=4144))
    client = net.sides[A]
    assert isinstance(client, CoreHost)
    call, packets = client.begin_long(client.connect(B, ECHO, net.now), size, net.now)
    net.send(A, packets)
    net.finish(call, within=5)
    assert call is not None and call.error == 0 and bytes(call.reply) == echoed(made(size))


@pytest.mark.parametrize("client", ["c", "p"])
def test_a_write_longer_than_a_server_takes_whole_hangs_and_others_do_not(
    core: Make, client: str
) -> None:
    """The rule that brings the report's hang back: it is one that no timer of Rx ends."""
    sides = pair(core, client + "c")
    sides[B] = core(1, whole=24)
    net = Network(sides)
    conn = net.sides[A].connect(B, ECHO, net.now)
    for size in (0, 20000, 24 * 1444):
        request = random.Random(size).randbytes(size)
        call = net.begin(A, conn, request)
        net.finish(call, within=5)
        assert call is not None and call.error == 0 and bytes(call.reply) == echoed(request)
    call = net.begin(A, conn, bytes(24 * 1444 + 1))
    until = net.now + 120
    while net.now < until:
        assert net.step()
    assert call is not None and not call.over and not call.error


@pytest.mark.parametrize("kind", ["cc", "pc", "cp"])
@settings(max_examples=20)
@given(
    seed=st.integers(0, 1 << 32),
    loss=st.sampled_from([0, 0.01, 0.05, 0.2]),
    duplication=st.sampled_from([0, 0.05]),
    late=st.sampled_from([0, 0.05, 0.3]),
    corruption=st.sampled_from([0, 0.02]),
    sizes=st.lists(st.integers(0, 60000), min_size=1, max_size=6),
    mtu=st.sampled_from([576, 1500, 4144]),
    jumbo=st.sampled_from([1, 1, 4]),
    window=st.sampled_from([1, 8, 32, 64]),
)
@example(seed=1, loss=0.2, duplication=0.05, late=0.3, corruption=0.02, sizes=[30000] * 4,
         mtu=1500, jumbo=1, window=32)  # fmt: skip
def test_a_bad_network(
    core: Make, kind: str, seed: int, loss: float, duplication: float, late: float,
    corruption: float, sizes: list[int], mtu: int, jumbo: int, window: int,
) -> None:  # fmt: skip
    """Four calls at a time: each ends with its own bytes, or dead after 12 s of silence, or after
    30 in which nothing arrives but the answers to pings."""
    net = Network(
        pair(core, kind, mtu=mtu, jumbo=jumbo, window=window), seed, loss, duplication, late,
        corruption,
    )  # fmt: skip
    conn = net.sides[A].connect(B, ECHO, net.now)
    chance = random.Random(seed)
    waiting: list[tuple[bytes, Result]] = []
    for size in sizes:
        request = chance.randbytes(size)
        while (call := net.begin(A, conn, request)) is None:
            assert net.step()
        waiting.append((request, call))
    net.finish(*(call for _, call in waiting), within=1000)
    for request, call in waiting:
        well = call.error == 0 and bytes(call.reply) == echoed(request)
        assert well or call.error in (-1, -3)
    net.run(100)
    for side in net.sides.values():
        if isinstance(side, CoreHost):
            counts = side.counts()
            assert counts["free"] == counts["packets"]


def test_the_network_is_cut_for_good(core: Make) -> None:
    net = Network(pair(core, "cc"))
    conn = net.sides[A].connect(B, ECHO, net.now)
    call = net.begin(A, conn, bytes(60000))
    for _ in range(20):
        net.step()
    net.cut.add(B)
    began = net.now
    net.finish(call)
    assert call is not None and call.error == -1 and 11.9 < net.now - began < 12.5
    net.run(80)  # the server forgets the client, too
    for side in net.sides.values():
        assert isinstance(side, CoreHost)
        counts = side.counts()
        assert counts["free"] == counts["packets"] and counts["calls_failed"] == 1


@pytest.mark.parametrize("kind", ["cc", "pc", "cp"])
def test_the_way_takes_only_short_packets_any_more(core: Make, kind: str) -> None:
    """The other side still answers pings. The call ends in bounded time, and the next one goes."""
    net = Network(pair(core, kind, mtu=4144))
    conn = net.sides[A].connect(B, ECHO, net.now)
    request = random.Random(1).randbytes(60000)
    for _ in range(3):
        net.finish(net.begin(A, conn, request))
    call = net.begin(A, conn, request)
    for _ in range(3):
        net.step()
    net.longest = 1472
    began = net.now
    net.finish(call)
    assert call is not None and call.error == -3 and net.now - began < 40
    again = net.begin(A, conn, request)
    net.finish(again, within=120)
    assert again is not None and again.error in (0, -1, -3)
    last = net.begin(A, conn, request)
    net.finish(last, within=5)
    assert last is not None and last.error == 0 and bytes(last.reply) == echoed(request)


def test_a_server_that_was_started_again(core: Make) -> None:
    """It does not know the call: the client is told so when it asks whether anybody is there."""
    net = Network(pair(core, "cc"))
    server = net.sides[B]
    assert isinstance(server, CoreHost)
    conn = net.sides[A].connect(B, ECHO, net.now)
    call = net.begin(A, conn, bytes(60000))
    while decode(net.seen[-1][2])[0].seq < 20:
        net.step()
    server.init()
    began = net.now
    net.finish(call)
    assert call is not None and call.error == -1 and net.now - began < 3
    again = net.begin(A, conn, b"more")
    net.finish(again)
    assert again is not None and again.error == 0 and bytes(again.reply) == echoed(b"more")


def test_the_client_goes_away(core: Make) -> None:
    """Its call's packets are given back after the dead time, its connection after the idle one."""
    net = Network(pair(core, "cc"))
    conn = net.sides[A].connect(B, ECHO, net.now)
    net.begin(A, conn, bytes(60000))
    net.run(0.003)
    net.cut.add(A)
    net.run(14)
    server = net.sides[B]
    assert isinstance(server, CoreHost)
    counts = server.counts()
    assert counts["calls_failed"] == 1 and counts["free"] == counts["packets"]


def test_two_clients_with_the_same_connection_id(core: Make) -> None:
    sides = {A: core(0), B: core(1), C: core(2)}
    net = Network(dict(sides))
    results = []
    for n in range(20):
        for source in (A, C):
            if n == 0:
                assert sides[source].connect(B, ECHO, net.now) == 1
            request = f"{source} {n}".encode() * 500
            call = net.begin(source, 1, request)
            results.append((request, call))
        net.finish(*(call for _, call in results))
    assert all(bytes(call.reply) == echoed(request) for request, call in results if call)
    assert sides[B].counts()["connections"] == 2


def test_acknowledgements_of_what_was_never_sent(core: Make) -> None:
    client = core(0)
    conn = client.connect(B, ECHO, 1.0)
    call, _ = client.begin(conn, bytes(3000), 1.0)
    assert call is not None
    forged = ((5, b""), (0xFFFFFFFF, b""), (1, bytes([1]) * 200), (2, bytes([0]) * 255))
    for serial, (first, acks) in enumerate(forged, 1):
        ack = Ack(first, 0, 1, Reason.REQUESTED, acks, 1472, 1472, 32, 1)
        client.packet(B, packet(Type.ACK, flags=0, body=ack.encode(), serial=serial), 1.1)
    counts = client.counts()
    assert counts["unsent"] == 2 and not call.over
    client.packet(B, packet(Type.DATA, 1, b"reply", flags=Flag.LAST, serial=10), 1.2)
    assert call.over and call.error == 0 and call.reply == b"reply"


def test_behind_a_doubled_packet_each_second_one_is_acknowledged(core: Make) -> None:
    """A sender whose window is small after a loss waits for it, whether or not more will follow."""
    server, serials = core(1), itertools.count(1)

    def answers(seq: int) -> int:
        flags = Flag.CLIENT | Flag.MORE
        sent = packet(Type.DATA, seq, b"x", flags=flags, serial=next(serials))
        return len(server.packet(A, sent, 1.0))

    assert [answers(seq) for seq in range(1, 7)] == [0] * 6
    assert answers(6) == 1
    assert [answers(seq) for seq in range(7, 71)] == [0, 1] * 32
    assert [answers(seq) for seq in range(71, 77)] == [0] * 6


def test_an_answer_to_what_was_never_asked(core: Make) -> None:
    client = core(0)
    conn = client.connect(B, ECHO, 1.0)
    client.packet(B, packet(Type.DATA, 1, b"reply", flags=Flag.LAST), 1.0)
    call, _ = client.begin(conn, b"x", 1.0)
    assert call is not None and not call.over
    assert client.counts()["stale"] == 1


def test_old_serial_numbers_take_nothing_back(core: Make) -> None:
    """A late acknowledgement that knew less is not news: nothing is sent again for it."""
    client = core(0, window=32)
    conn = client.connect(B, ECHO, 1.0)
    client.begin(conn, bytes(4 * 1444), 1.0)
    newer = Ack(1, 4, 4, Reason.OUT_OF_SEQUENCE, bytes([0, 1, 1]), 1472, 1472, 32, 1)
    older = Ack(1, 2, 2, Reason.OUT_OF_SEQUENCE, bytes([0, 0, 0]), 1472, 1472, 1, 1)
    client.packet(B, packet(Type.ACK, flags=0, body=newer.encode(), serial=20), 1.01)
    before = client.counts()
    assert client.packet(B, packet(Type.ACK, flags=0, body=older.encode(), serial=19), 1.02) == []
    after = client.counts()
    assert after["stale"] == before["stale"] + 1 and after["resent"] == before["resent"]


def counts_after_a_loss(core: Make, packets: int, lost: int) -> dict[str, int]:
    """The client's counts when a request of so many packets has lost the one with that index, once
    the window is open; it waited for no timer."""
    net = Network(pair(core, "cc"))
    conn = net.sides[A].connect(B, ECHO, net.now)
    for _ in range(6):  # the window opens
        net.finish(net.begin(A, conn, bytes(30000)))
    client = net.sides[A]
    assert isinstance(client, CoreHost)
    call, sent = client.begin(conn, bytes(packets * 1444), net.now)
    del sent[lost]
    net.send(A, sent)
    began = net.now
    net.finish(call)
    assert net.now - began < 0.1, "it waited for a timer"
    return client.counts()


def test_naks_send_a_lost_packet_again_at_once(core: Make) -> None:
    counts = counts_after_a_loss(core, packets=20, lost=4)
    assert counts["fast_resent"] == 1 and counts["resent"] == 1 and counts["timeouts"] == 0


def test_the_end_of_a_call_needs_no_timer(core: Make) -> None:
    """One packet behind the lost one is enough, a round trip later."""
    counts = counts_after_a_loss(core, packets=5, lost=3)
    assert counts["resent"] == 1 and counts["timeouts"] == 0


@pytest.mark.parametrize("client", ["c", "p"])
def test_what_was_never_used_of_a_window_does_not_count_when_it_is_halved(
    core: Make, client: str
) -> None:
    """Else whoever has all of the other side's window keeps it, whatever is lost."""
    net = Network(pair(core, client + "c", window=8))
    conn = net.sides[A].connect(B, ECHO, net.now)
    for _ in range(20):
        net.finish(net.begin(A, conn, bytes(60000)))
    lost, packets = net.sides[A].begin(conn, bytes(8 * 1444), net.now)
    assert len(packets) == 8
    net.send(A, packets[1:])
    net.finish(lost)
    _, packets = net.sides[A].begin(conn, bytes(8 * 1444), net.now)
    assert 4 <= len(packets) <= 5


def test_a_ping_is_answered(core: Make) -> None:
    server = core(1)
    server.packet(A, packet(Type.DATA, 1, b"a" * 1444), 1.0)
    ping = Ack(1, 0, 0, Reason.PING)
    body = ping.encode()
    flags = Flag.CLIENT | Flag.REQUEST_ACK
    [(to, answer)] = server.packet(A, packet(Type.ACK, body=body, flags=flags, serial=5), 1.0)
    header, body = decode(answer)
    ack = decode_ack(body)
    assert to == A and header.type == Type.ACK and not header.flags & Flag.CLIENT
    assert (ack.reason, ack.serial, ack.first) == (Reason.PING_RESPONSE, 5, 2)
    assert (ack.max_mtu, ack.if_mtu, ack.window, ack.jumbo) == (1472, 1472, 32, 1)


@pytest.mark.parametrize(
    ("seq", "reason"),
    [(1, Reason.DUPLICATE), (3, Reason.OUT_OF_SEQUENCE), (100, Reason.EXCEEDS_WINDOW)],
)
def test_reasons(core: Make, seq: int, reason: Reason) -> None:
    server = core(1)
    server.packet(A, packet(Type.DATA, 1, b"a"), 1.0)
    [(_, answer)] = server.packet(A, packet(Type.DATA, seq, b"a", serial=2), 1.0)
    assert decode_ack(decode(answer)[1]).reason == reason


def test_no_space(core: Make) -> None:
    server = core(1, packets=1)
    server.packet(A, packet(Type.DATA, 1, b"a"), 1.0)
    server.packet(A, packet(Type.DATA, 3, b"c", serial=2), 1.0)
    [(_, answer)] = server.packet(A, packet(Type.DATA, 4, b"d", serial=3), 1.0)
    assert decode_ack(decode(answer)[1]).reason == Reason.NO_SPACE


def test_a_late_acknowledgement(core: Make) -> None:
    server = core(1)
    assert server.packet(A, packet(Type.DATA, 1, b"a"), 1.0) == []
    assert server.tick(1.05) == []
    [(_, answer)] = server.tick(1.1)
    ack = decode_ack(decode(answer)[1])
    assert (ack.reason, ack.first, ack.serial) == (Reason.DELAY, 2, 1)


def test_busy_and_then_served(core: Make) -> None:
    """A client gives a call up, and begins the next on the channel before the server knows."""
    server = core(1)
    server.packet(A, packet(Type.DATA, 1, b"half"), 1.0)
    second = packet(Type.DATA, 1, b"whole", flags=Flag.CLIENT | Flag.LAST, call=2, serial=2)
    [(_, answer)] = server.packet(A, second, 1.1)
    assert decode(answer)[0].type == Type.BUSY and decode(answer)[0].call == 2
    [(_, answer)] = server.packet(A, second, 1.2)
    assert decode(answer)[1] == echoed(b"whole")


def test_a_busy_server_is_asked_again(core: Make) -> None:
    client = core(0)
    conn = client.connect(B, ECHO, 1.0)
    call, [(_, first)] = client.begin(conn, b"x", 1.0)
    assert call is not None
    now = 1.0
    while now < 5:
        client.packet(B, packet(Type.BUSY, flags=0, serial=1), now)
        now = client.next
        client.tick(now)
    assert not call.over
    client.packet(B, packet(Type.DATA, 1, b"y", flags=Flag.LAST, serial=2), now)
    assert call.over and call.error == 0 and call.reply == b"y"
    assert decode(first)[1] == b"x"


def test_a_server_that_is_always_busy(core: Make) -> None:
    client = core(0)
    conn = client.connect(B, ECHO, 1.0)
    call, _ = client.begin(conn, b"x", 1.0)
    now = 1.0
    assert call is not None
    while not call.over:
        assert now < 14
        client.packet(B, packet(Type.BUSY, flags=0), now)
        now = min(client.next, now + 1)
        client.tick(now)
    assert call.error == -3


@pytest.mark.parametrize("number", [1, 0])
def test_abort(core: Make, number: int) -> None:
    """Of a call, or of the connection, which then takes no more."""
    client = core(0)
    conn = client.connect(B, ECHO, 1.0)
    call, _ = client.begin(conn, b"x", 1.0)
    other, _ = client.begin(conn, b"x", 1.0)
    assert call is not None and other is not None
    body = struct.pack(">i", 1234)
    client.packet(B, packet(Type.ABORT, flags=0, body=body, call=number), 1.1)
    assert call.over and call.error == 1234
    assert other.over == (number == 0)
    assert (client.begin(conn, b"x", 1.2)[0] is None) == (number == 0)


def test_an_aborted_call_says_so_again(core: Make) -> None:
    net = Network(pair(core, "cc"))
    conn = net.sides[A].connect(B, PERF, net.now)
    call = net.begin(A, conn, struct.pack(">II", 77, 0))
    net.finish(call)
    assert call is not None and call.error == -455


def test_challenge_is_refused(core: Make) -> None:
    client = core(0)
    conn = client.connect(B, ECHO, 1.0)
    call, _ = client.begin(conn, b"x", 1.0)
    assert call is not None
    challenge = packet(Type.CHALLENGE, flags=0, body=bytes(16), call=0)
    [(_, answer)] = client.packet(B, challenge, 1.1)
    header, body = decode(answer)
    assert (header.type, header.call, body) == (Type.ABORT, 0, struct.pack(">i", -2))
    assert call.over and call.error == -2


@pytest.mark.parametrize("change", [{"security": 2}, {"service": 99}])
def test_what_is_not_served(core: Make, change: dict[str, int]) -> None:
    server = core(1)
    [(_, answer)] = server.packet(A, packet(Type.DATA, 1, b"x", **change), 1.0)
    header, body = decode(answer)
    assert (header.type, header.call, body) == (Type.ABORT, 0, struct.pack(">i", -2))
    assert server.counts()["connections"] == 0


def test_version_and_debug(core: Make) -> None:
    server = core(1)
    server.packet(A, packet(Type.DATA, 1, b"x" * 1444), 1.0)
    [(to, answer)] = server.packet(A, packet(Type.VERSION, cid=0, call=0), 1.0)
    assert to == A and decode(answer)[1] == b"harness".ljust(65, b"\0")
    [(_, answer)] = server.packet(A, packet(Type.DEBUG, body=struct.pack(">II", 1, 0)), 1.0)
    assert len(decode(answer)[1]) == 56 and decode(answer)[1][14:15] == b"S"
    [(_, answer)] = server.packet(A, packet(Type.DEBUG, body=struct.pack(">II", 3, 0)), 1.0)
    body = decode(answer)[1]
    assert struct.unpack_from(">II", body) == (0x0A000001, 4)
    assert struct.unpack_from(">I", body, 132) == (EPOCH,)
    for what, words in ((3, (-1, -1)), (77, (-8, 0))):
        [(_, answer)] = server.packet(A, packet(Type.DEBUG, body=struct.pack(">II", what, 1)), 1.0)
        assert struct.unpack_from(">ii", decode(answer)[1]) == words
    [(_, answer)] = server.packet(A, packet(Type.DEBUG, body=struct.pack(">II", 4, 0)), 1.0)
    every = struct.unpack(">71I", decode(answer)[1])
    assert (every[11], every[24], every[56], every[57]) == (1, 1, 1, 0)
    for index, peer in ((0, (0x0A000001, A[1])), (1, (0xFFFFFFFF, 0))):
        ask = packet(Type.DEBUG, body=struct.pack(">II", 5, index))
        [(_, answer)] = server.packet(A, ask, 1.0)
        assert len(decode(answer)[1]) == 132
        assert struct.unpack_from(">IH", decode(answer)[1]) == peer
    # an answer to nobody's question is not answered: two servers would never end
    assert server.packet(A, packet(Type.VERSION, flags=0), 1.0) == []
    assert server.packet(A, packet(Type.DEBUG, flags=0, body=bytes(8)), 1.0) == []


def test_packets_grow_when_both_sides_say_so(core: Make) -> None:
    net = Network({A: core(0, mtu=4144), B: core(1, mtu=32767)})
    conn = net.sides[A].connect(B, ECHO, net.now)
    for _ in range(2):
        net.finish(net.begin(A, conn, bytes(60000)))
    sizes = {len(p) - 28 for s, _, p in net.seen if s == A and decode(p)[0].type == Type.DATA}
    assert {1444, 4144 - 56} <= sizes and max(sizes) == 4144 - 56


def test_jumbograms(core: Make) -> None:
    """Sent only if asked for and if the other side takes them; each fits in none of its parts."""
    net = Network(pair(core, "cc", jumbo=4))
    conn = net.sides[A].connect(B, ECHO, net.now)
    for n in range(4):
        request = random.Random(n).randbytes(50000)
        call = net.begin(A, conn, request)
        net.finish(call)
        assert call is not None and bytes(call.reply) == echoed(request)
    jumbo = [p for s, _, p in net.seen if s == A and decode(p)[0].flags & Flag.JUMBO]
    assert jumbo and {len(p) for p in jumbo} <= {28 + 1412 * n + 4 * (n - 1) for n in (2, 3, 4)} | {
        len(p) for p in jumbo if len(p) < 28 + 4 * 1416
    }
    server = net.sides[B]
    assert isinstance(server, CoreHost) and server.counts()["jumbograms_in"] == len(jumbo)


def test_a_call_on_each_channel_and_no_more(core: Make) -> None:
    client = core(0)
    conn = client.connect(B, ECHO, 1.0)
    calls = [client.begin(conn, b"x", 1.0) for _ in range(5)]
    assert [c is not None for c, _ in calls] == [True] * 4 + [False]
    assert {decode(p[0][1])[0].cid & 3 for _, p in calls[:4]} == {0, 1, 2, 3}


def test_bytes_of_a_write_are_compared(core: Make) -> None:
    net = Network(pair(core, "cc"))
    conn = net.sides[A].connect(B, PERF, net.now)
    read = net.begin(A, conn, struct.pack(">II", READ, 50000))
    net.finish(read)
    assert read is not None and len(read.reply) == 50000
    write = net.begin(A, conn, struct.pack(">II", WRITE, 50000) + bytes(read.reply))
    net.finish(write)
    assert write is not None and write.reply == struct.pack(">I", 50000)
    read.reply[30000] ^= 1
    write = net.begin(A, conn, struct.pack(">II", WRITE, 50000) + bytes(read.reply))
    net.finish(write)
    assert write is not None and write.error == -5


def test_more_clients_than_there_are_connections(core: Make) -> None:
    """Those without a call make room; nobody's call is lost."""
    server = core(1)
    for n in range(300):
        client = (f"10.1.{n // 200}.{n % 200}", 7001)
        flags = Flag.CLIENT | Flag.LAST
        [(_, answer)] = server.packet(client, packet(Type.DATA, 1, b"x", flags=flags), 1.0 + n)
        assert decode(answer)[1] == echoed(b"x")
        done = Ack(2, 1, 1, Reason.DELAY).encode()
        server.packet(client, packet(Type.ACK, body=done, serial=2), 1.0 + n)
    assert server.counts()["no_connection"] == 0


def test_fuzzed_packets(program: Path) -> None:
    """A million and more with VMKB_RX_FUZZ=1000000."""
    done = subprocess.run(
        [program, "fuzz", "7", str(ROUNDS)], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert f"{ROUNDS} packets" in done.stdout
