# SPDX-License-Identifier: MIT
"""The line: the time of each character, its noise, its queue."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmkb.hercules.wire.lan import Lan
from vmkb.hercules.wire.line.line import Line
from vmkb.hercules.wire.line.noise import Noise
from vmkb.hercules.wire.link import Direction, Medium, Transit
from vmkb.hercules.wire.profile import Profile, ProfileError, change, profile

NEAR, FAR = bytes([2, 0, 0, 0, 0, 1]), bytes([2, 0, 0, 0, 0, 2])


def packet(size: int, number: int = 0) -> bytes:
    """An IP packet without characters that are escaped."""
    return (
        bytes([0x45, 0]) + size.to_bytes(2, "big") + number.to_bytes(4, "big").replace(b"~", b"!")
    ).ljust(size, b"a")


def framed(payload: bytes, kind: bytes = b"\x08\x00") -> bytes:
    return FAR + NEAR + kind + payload


def sent(payload: bytes, at: float = 0.0) -> Transit:
    return Transit(at, at, framed(payload), False)


@pytest.mark.parametrize(("name", "best"), [("line-9600-quiet", 768), ("line-1200-quiet", 96)])
def test_a_file_goes_at_best_as_fast_as_the_case_says(name: str, best: int) -> None:
    down = Direction("a/down", change(profile(name), {"queue_frames": 0, "queue": 1 << 20}), 0)
    count = 4 * best // 192 * 50  # 200 s of 192 bytes each
    got = [t for _ in range(count) for t in down.offer(sent(packet(232)))]  # nothing to escape
    assert len(got) == count
    assert got[-1].done == pytest.approx(200.0, rel=1e-12)
    assert 192 * count / got[-1].done == pytest.approx(best, rel=1e-12)


@settings(deadline=None)
@given(
    st.sampled_from([1200, 9600]),
    st.lists(st.tuples(st.binary(min_size=20, max_size=232), st.floats(0, 5)), max_size=30),
)
def test_every_character_has_its_time(rate: int, packets: list[Any]) -> None:
    """A packet's end is its turn's begin and ten bits for each character sent, escapes and all."""
    line = Line("x", Profile(rate=rate, char_bits=10))
    now, free = 0.0, Fraction(0)
    for data, later in packets:
        now += later
        before = line.characters
        (got,) = line.send(data, b"", now)
        begun = max(free, Fraction(now))
        free = begun + (line.characters - before) * Fraction(10, rate)
        assert got.packet == data
        assert abs(Fraction(got.begun) - begun) < Fraction(1, 10**9)
        assert abs(Fraction(got.done) - free) < Fraction(1, 10**9)
        escapes = sum(data.count(c) for c in b"\x7d\x7e")
        assert 8 + len(data) + escapes <= line.characters - before <= 8 + len(data) + escapes + 2


def test_both_directions_have_their_own_time() -> None:
    lan = Lan(Profile(), 0)
    near, far = lan.attach("near", "test"), lan.attach("far", "test")
    near.connected = far.connected = True
    lan.set_profile(near, profile("line-1200-quiet"))
    lan.ingress(near, [FAR + NEAR + b"\x08\x06" + bytes(28)], 0.0)  # ARP costs nothing
    lan.ingress(far, [NEAR + FAR + b"\x08\x06" + bytes(28)], 0.0)
    assert lan.next_due() is None
    assert len(near.queue) == len(far.queue) == 1
    lan.ingress(far, [NEAR + FAR + b"\x08\x00" + packet(232)], 0.0)
    lan.ingress(near, [framed(packet(40))], 0.0)
    assert lan.next_due() == pytest.approx(48 / 120)
    lan.poll(48 / 120 + 1e-9)
    assert far.queue[-1] == framed(packet(40))
    assert lan.next_due() == pytest.approx(2.0)


def test_ethernets_padding_does_not_cross_and_other_protocols_do_not() -> None:
    up = Direction("a/up", profile("line-9600-quiet"), 0)
    (got,) = up.offer(Transit(0.0, 0.0, framed(packet(40) + bytes(6)), False))
    assert got.frame == framed(packet(40))
    assert not up.offer(Transit(0.0, 0.0, framed(bytes(46), b"\x60\x04"), False))
    assert up.snapshot()["dropped"] == {"protocol": 1}


def test_fifty_packets_wait_and_the_next_one_is_dropped() -> None:
    down = Direction("a/down", profile("line-1200-quiet"), 0)
    for number in range(51):  # one is on the line
        assert down.offer(sent(packet(232, number)))
    assert not down.offer(sent(packet(232)))
    assert down.dropped["queue"] == 1
    assert down.offer(sent(packet(232), 2.0))


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from([1e-5, 1e-4, 1e-3, 0.3]),
    st.lists(st.integers(20, 232), max_size=60),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_what_is_sent_crosses_or_is_dropped(
    errors: float, sizes: list[int], compressed: bool, seed: int
) -> None:
    which = change(
        profile("line-9600-noisy"), {"bit_errors": errors, "header_compression": compressed}
    )
    down = Direction("a/down", which, seed)
    got = [t for k, size in enumerate(sizes) for t in down.offer(sent(packet(size, k)))]
    assert down.offered == len(sizes)
    assert down.crossed == len(got)
    assert down.offered == down.crossed + sum(down.dropped.values())
    assert all(a.done <= b.done for a, b in zip(got, got[1:], strict=False))
    if errors <= 1e-3:  # with more of them the check sequence misses one in 65536
        assert {t.frame for t in got} <= {framed(packet(s, k)) for k, s in enumerate(sizes)}


def test_noise_costs_as_many_frames_as_have_a_bad_bit() -> None:
    """1e-4 on 240 characters of ten bits: 1 - (1 - 1e-4)^2400 = 21.3 % of the frames."""
    down = Direction("a/down", change(profile("line-9600-quiet"), {"bit_errors": 1e-4}), 7)
    sizes = 4000
    lost = sizes - sum(len(down.offer(sent(packet(232, k), k * 0.25))) for k in range(sizes))
    assert 0.195 < lost / sizes < 0.232  # three standard deviations


def test_bursts_have_their_part_of_the_errors() -> None:
    """A tenth of the time at 1e-2: a mean of 1e-3, and the errors lie close together."""
    noise = Noise("seed")
    noise.set(0.0, 1e-2, 0.1, 0.9)
    bits, second = 4_000_000, 9600
    found = noise.inverted(0.0, bits, 1 / second)
    assert 0.8e-3 < len(found) / bits < 1.2e-3
    assert found == sorted(set(found))
    gaps = [b - a for a, b in zip(found, found[1:], strict=False)]
    assert sum(gap < 500 for gap in gaps) > 0.75 * len(gaps)  # evenly spread: 39 %


def test_in_pieces_or_at_once_a_seed_gives_the_same_bursts() -> None:
    one, other = Noise("seed"), Noise("seed")
    for each in (one, other):
        each.set(0.0, 1.0, 0.05, 0.2)
    whole = one.inverted(0.0, 96000, 1 / 9600)
    pieces = [k + bit for k in range(0, 96000, 960)
              for bit in other.inverted(k / 9600, 960, 1 / 9600)]  # fmt: skip
    assert len(set(whole) ^ set(pieces)) <= len(whole) // 100 + 2  # a bit on a burst's edge


@pytest.mark.parametrize(
    "wrong", [{"char_bits": 9}, {"rate": 0.0}, {"duplication": 0.5}, {"burst_errors": 2.0}]
)
def test_a_line_that_cannot_be_is_refused(wrong: Any) -> None:
    with pytest.raises(ProfileError):
        change(profile("line-9600-quiet"), wrong)


def test_a_profile_changes_while_packets_are_on_the_line() -> None:
    down = Direction("a/down", profile("line-1200-quiet"), 0)
    (first,) = down.offer(sent(packet(232)))
    down.set_profile(profile("line-9600-quiet"), Medium())
    (second,) = down.offer(sent(packet(232, 1)))
    assert (first.done, second.done) == (pytest.approx(2.0), pytest.approx(2.25))
    down.set_profile(Profile(), Medium())
    assert down.offer(sent(packet(232), 3.0))[0].done == 3.0
