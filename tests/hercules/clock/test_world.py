# SPDX-License-Identifier: MIT
"""Worlds of scripted emulators: order, limits, and what ends them."""

from __future__ import annotations

import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hercules.clock.emulators import Scripted
from vmkb.hercules.clock.guest import GuestClock
from vmkb.hercules.clock.lan import WorldLan
from vmkb.hercules.clock.messages import PS, Message, MessageKind, Pace
from vmkb.hercules.clock.world import LOOKAHEAD, Rank, World
from vmkb.hercules.deadline import EmulatorError

PACE = Pace(100_000)
ACTS = st.lists(st.tuples(st.integers(1, 300_000_000), st.binary(max_size=4)), max_size=8)


def _lived(
    scripts: list[list[tuple[int, bytes]]], slow: int = 0, longest: int = PS
) -> tuple[list[int], str, str]:
    """The times at which blocks were on the LAN, all events, and their digest; nobody is given more
    than LONGEST, ps, at once."""
    trace, arrived = io.StringIO(), []
    world = World(0, 0, trace)
    world._state.longest = longest
    nodes = [world.add(f"g{n}", PACE) for n in range(len(scripts))]
    for node in nodes:

        def take(message: Message) -> None:
            arrived.append(world.now)
            for other in nodes:
                other.about(MessageKind.LOOK, world.now, 0x501, message.content)

        world.hear(node, MessageKind.WRITE, take)
    draws = random.Random(slow)
    guests = [
        Scripted(node, acts, draws if slow else None)
        for node, acts in zip(nodes, scripts, strict=True)
    ]
    try:
        assert not world.run()
    finally:
        for guest in guests:
            guest.close()
        for node in nodes:
            node.close()
    return arrived, world.digest, trace.getvalue()


@settings(max_examples=30, deadline=None)
@given(st.lists(ACTS, min_size=1, max_size=3), st.integers(1, 1000))
def test_a_world_is_the_same_however_fast_its_emulators_are(
    scripts: list[list[tuple[int, bytes]]], slow: int
) -> None:
    at_once = _lived(scripts)
    assert at_once == _lived(scripts, slow)
    assert at_once[0] == sorted(t + LOOKAHEAD for acts in scripts for t, _ in acts)


@settings(max_examples=30, deadline=None)
@given(st.lists(ACTS, min_size=1, max_size=3), st.integers(1, 50_000_000))
def test_a_world_is_the_same_however_much_time_is_given_at_once(
    scripts: list[list[tuple[int, bytes]]], longest: int
) -> None:
    assert _lived(scripts) == _lived(scripts, longest=longest)


def test_what_happens_in_one_instant_has_an_order() -> None:
    world = World(0)
    done: list[str] = []
    world.at(5, lambda t: done.append("block"), Rank.BLOCK)
    world.at(5, lambda t: done.append("second"), Rank.STATION, 2)
    world.at(5, lambda t: done.append("first"), Rank.STATION, 1)
    world.at(5, lambda t: done.append("script"), Rank.SCRIPT)
    assert not world.run()
    assert done == ["script", "first", "second", "block"]


def test_a_world_goes_on_until_the_time_that_is_asked_for() -> None:
    world = World(0)
    done: list[int] = []
    world.at(7, done.append, Rank.SCRIPT)
    world.at(9, done.append, Rank.SCRIPT)
    assert world.run(8) and world.now == 8 and done == [7]
    assert world.run(20) and world.now == 20 and done == [7, 9]


def test_what_was_told_ahead_is_taken_back_when_a_link_is_cut() -> None:
    """And the next frame comes."""
    world = World(0)
    lan = WorldLan(world, "lan", "ethernet-10", 0)
    clock = GuestClock(world, "vm1", PACE)
    lan.join("vm1", clock, "lan")
    lan.lan.port("vm1").connected = True
    peer = lan.add_stream("peer")
    peer.join(lambda: None)
    guest = Scripted(clock.node, [(1_000_000, bytes(8))], kind="T")
    frame = bytes([255] * 6 + [2] * 6) + bytes(1400)
    try:
        peer.ingress([frame])
        assert world.run(stop=lambda: world.shown > 0)  # before it is there
        lan.cut("vm1")
        assert world.run(PS)
        lan.restore("vm1")
        peer.ingress([frame])
        assert world.run(2 * PS)
    finally:
        guest.close()
        clock.close()
    (first, early), (lost, cut), (second, late) = guest.heard
    assert (first, lost, second) == ("B", "L", "B")
    assert cut < early < PS < late


def test_an_emulator_that_ends_is_named() -> None:
    world = World(0)
    guest = Scripted(world.add("vm1", PACE), [(500, b"")])  # so there is something to wait for
    world.run(10)
    guest.close()
    with pytest.raises(EmulatorError, match="emulator of guest vm1 .* has ended"):
        world.run(1_000)
    world.remove(world.nodes[0])


def test_a_world_that_was_interrupted_does_not_go_on() -> None:
    """What its emulator said just then is lost: nobody waits for it."""
    world = World(0)
    guest = Scripted(world.add("vm1", PACE), [(500, b"")])

    def interrupted() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        world.run(10, interrupted)
    assert world.nodes[0].ended
    with pytest.raises(KeyboardInterrupt):
        world.run(20)
    guest.close()
