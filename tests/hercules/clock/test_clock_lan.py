# SPDX-License-Identifier: MIT
"""The LAN of a world, which is in C, beside that of a wire on this computer's clock, which is in
Python: the same frames at the same times, and the same counts."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmkb.hercules.clock.lan import WorldLan
from vmkb.hercules.clock.messages import PS, picoseconds, seconds
from vmkb.hercules.clock.world import World
from vmkb.hercules.wire.block import FRAME_MIN, PAGED
from vmkb.hercules.wire.lan import Lan
from vmkb.hercules.wire.profile import Profile, named_profiles, profile

PORTS = 3
MACS = [bytes((2, 0, 0, 0, 0, n)) for n in range(PORTS)]
TYPES = [b"\x08\x00", b"\x08\x06", PAGED, b"\x88\xb5"]
LINES = [name for name, each in named_profiles().items() if each.char_bits]


class Burst(NamedTuple):
    """Frames that come in at one port at once."""

    after_us: int
    port: int
    frames: list[bytes]
    together: bool


def _frame(to: int, sender: int, kind: int, size: int) -> bytes:
    body = bytearray(size)
    body[0:4] = b"\x45\0" + (size).to_bytes(2, "big") if size >= 20 else bytes(min(size, 4))
    target = MACS[to] if to < PORTS else b"\xff" * 6
    return target + MACS[sender] + TYPES[kind] + bytes(body)


FRAMES = st.tuples(
    st.integers(0, PORTS), st.integers(0, PORTS - 1), st.integers(0, len(TYPES) - 1),
    st.integers(46, 2000),
)  # fmt: skip
BURSTS = st.lists(
    st.builds(
        lambda after, port, frames, together: Burst(
            after, port, [_frame(to, port, kind, size) for to, _, kind, size in frames], together
        ),
        st.integers(0, 20_000), st.integers(0, PORTS - 1), st.lists(FRAMES, max_size=6),
        st.booleans(),
    ),
    max_size=12,
)  # fmt: skip
LINKS = st.builds(
    lambda rate, delay, loss, twice, late, bits, check, shared, half, store: Profile(
        name="made", rate=rate, delay=delay, loss=loss, duplication=twice, reordering=late,
        bit_errors=bits, check_sequence=check, shared=shared, half_duplex=half,
        store_and_forward=store, overhead=21, min_frame=64, mtu=1500, queue=65536,
    ),
    st.sampled_from([0.0, 1e6, 10e6, 16e6]), st.sampled_from([0.0, 1e-4, 5e-3]),
    st.sampled_from([0.0, 0.3]), st.sampled_from([0.0, 0.2]), st.sampled_from([0.0, 0.2]),
    st.sampled_from([0.0, 1e-4]), st.booleans(), st.booleans(), st.booleans(), st.booleans(),
)  # fmt: skip
Seen = list[tuple[int, int, list[bytes]]]
"""When, at which port, what was taken."""
Waits = list[tuple[bool, float]]
"""Whether who has sent had better wait, and how long he has to."""
Life = tuple[Seen, Waits, dict[str, Any]]


def _in_python(links: list[Profile], bursts: list[Burst], block: bool) -> Life:
    lan = Lan(links[0], 7)
    ports = [lan.attach(f"p{n}", "stream") for n in range(PORTS)]
    seen: Seen = []
    waits: Waits = []
    now = 0

    def took(index: int) -> None:
        port = ports[index]
        if got := port.take_block(1 << 20, 4096, 2) if block else port.take(1 << 20, 0):
            seen.append((now, index, got))

    for number, port in enumerate(ports):
        lan.set_profile(port, links[number])
        port.connected = True
        port.wake = lambda n=number: took(n)  # type: ignore[misc]
    for burst in [*bursts, Burst(10_000_000, 0, [], False)]:
        until = now + burst.after_us * 1_000_000
        while (due := lan.next_due()) is not None and max(picoseconds(due), now) < until:
            now = max(picoseconds(due), now)
            lan.poll(seconds(now))
        now = until
        lan.ingress(ports[burst.port], burst.frames, seconds(now), burst.together)
        waits.append((ports[burst.port].held, ports[burst.port].busy(seconds(now))))
    return seen, waits, lan.snapshot()


def _in_a_world(links: list[Profile], bursts: list[Burst], block: bool) -> Life:
    world = World(0)
    lan = WorldLan(world, "lan", "fast", 7)
    lan.lan.profile = links[0]
    seen: Seen = []
    waits: Waits = []

    def took(index: int) -> None:
        port = ends[index]
        if got := port.take_block(1 << 20, 4096, 2) if block else port.take(1 << 20, 0):
            seen.append((world.now, index, got))

    ends = [lan.add_stream(f"p{n}") for n in range(PORTS)]
    for number, end in enumerate(ends):
        lan.lan.port(end.name).set_profile(links[number])
        end.join(lambda n=number: took(n))  # type: ignore[misc]
    for burst in [*bursts, Burst(10_000_000, 0, [], False)]:
        world.run(world.now + burst.after_us * 1_000_000)
        ends[burst.port].ingress(burst.frames, burst.together)
        waits.append((ends[burst.port].held, ends[burst.port].busy()))
    return seen, waits, lan.lan.snapshot()


@settings(max_examples=150, deadline=None)
@given(st.lists(LINKS, min_size=PORTS, max_size=PORTS), BURSTS, st.booleans())
def test_both_lans_do_the_same(links: list[Profile], bursts: list[Burst], block: bool) -> None:
    named = [replace(link, name=f"made{n % 2}") for n, link in enumerate(links)]
    assert _in_a_world(named, bursts, block) == _in_python(named, bursts, block)


@pytest.mark.parametrize("name", sorted(named_profiles()))
def test_the_named_profiles_are_the_same_in_both(name: str) -> None:
    sizes = itertools.cycle([46, 60, 1000, 1486])
    kind = 0 if name in LINES else 3
    bursts = [
        Burst(900 * n, n % 2, [_frame(1 - n % 2, n % 2, kind, next(sizes))], n % 3 == 0)
        for n in range(60)
    ]
    links = [profile(name)] * PORTS
    assert _in_a_world(links, bursts, False) == _in_python(links, bursts, False)


def test_what_is_too_short_for_a_frame_goes_nowhere() -> None:
    world = World(0)
    lan = WorldLan(world, "lan", "fast", 0)
    one, other = (lan.add_stream(name) for name in "ab")
    for end in (one, other):
        end.join(lambda: None)
    one.ingress([bytes(FRAME_MIN - 1), _frame(PORTS, 0, 3, 46)])
    assert [len(frame) for frame in other.take(1 << 20, 0)] == [FRAME_MIN + 46]
    assert world.now < PS
