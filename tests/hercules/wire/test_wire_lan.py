# SPDX-License-Identifier: MIT
"""The switch: where frames go, in which order, and that none is lost uncounted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmkb.hercules.wire.block import BLOCK_MAX, PAGED
from vmkb.hercules.wire.lan import Lan, Port
from vmkb.hercules.wire.profile import Profile, change, profile

BROADCAST = b"\xff" * 6


def address(number: int) -> bytes:
    return bytes((2, 0, 0, 0, 0, number))


def frame(to: bytes, sender: int, rest: bytes = b"") -> bytes:
    return to + address(sender) + b"\x88\xb5" + rest


def lan_of(count: int, which: Profile | None = None, seed: int = 0) -> tuple[Lan, list[Port]]:
    lan = Lan(which or Profile(), seed)
    ports = [lan.attach(f"p{n}", "test") for n in range(count)]
    for port in ports:
        port.connected = True
    return lan, ports


def took(port: Port) -> list[bytes]:
    return port.take(1 << 30, 0)


def test_unknown_addresses_are_flooded_and_known_ones_are_not() -> None:
    lan, (a, b, c) = lan_of(3)
    first = frame(address(2), 1)
    lan.ingress(a, [first], 0.0)
    assert took(b) == took(c) == [first]
    answer = frame(address(1), 2)
    lan.ingress(b, [answer], 0.0)
    assert took(a) == [answer] and took(c) == []
    lan.ingress(a, [first], 0.0)
    assert took(b) == [first] and took(c) == []


def test_broadcast_and_multicast_go_to_all_others() -> None:
    lan, (a, b, c) = lan_of(3)
    for to in (BROADCAST, b"\x09\x00\x2b\x00\x00\x0f"):
        lan.ingress(a, [frame(to, 1)], 0.0)
        assert took(b) == took(c) == [frame(to, 1)]
        assert took(a) == []


def test_a_station_that_moves_is_found_again_and_one_that_left_is_forgotten() -> None:
    lan, (a, b, c) = lan_of(3)
    lan.ingress(b, [frame(address(1), 2)], 0.0)
    lan.ingress(c, [frame(address(1), 2)], 0.0)
    took(a), took(b), took(c)
    lan.ingress(a, [frame(address(2), 1)], 0.0)
    assert took(b) == [] and len(took(c)) == 1
    lan.disconnect(c)
    lan.ingress(a, [frame(address(2), 1)], 0.0)
    assert len(took(b)) == 1 and took(c) == []


def test_a_frame_to_its_own_port_is_filtered() -> None:
    lan, (a, b) = lan_of(2)
    lan.ingress(a, [frame(BROADCAST, 1)], 0.0)
    took(b)
    lan.ingress(a, [frame(address(1), 3)], 0.0)
    assert took(a) == took(b) == []
    assert lan.filtered == 1


def test_a_cut_link_passes_nothing_and_what_was_on_its_way_is_lost() -> None:
    lan, (a, b) = lan_of(2, Profile(delay=1.0))
    lan.ingress(a, [frame(BROADCAST, 1)], 0.0)
    lan.cut(b, True)
    lan.ingress(a, [frame(BROADCAST, 1)], 0.0)
    lan.ingress(b, [frame(BROADCAST, 2)], 0.0)
    lan.poll(10.0)
    assert took(a) == took(b) == []
    assert b.down.dropped == {"cut": 2} and b.up.dropped == {"cut": 1}
    lan.cut(b, False)
    lan.ingress(a, [frame(BROADCAST, 1)], 20.0)
    lan.poll(30.0)
    assert len(took(b)) == 1


def test_a_receiver_that_takes_nothing_fills_its_queue_and_no_more() -> None:
    lan, (a, b) = lan_of(2, Profile(queue=65536))
    lan.ingress(a, [frame(BROADCAST, 1, bytes(986))] * 100, 0.0)
    assert len(took(b)) == 65
    assert b.down.dropped == {"queue": 35}
    assert b.down.queue_high_water == 65_000


def test_take_keeps_the_order_and_the_room() -> None:
    lan, (a, b) = lan_of(2)
    sent = [frame(BROADCAST, 1, bytes([n]) * (100 * n)) for n in range(6)]
    lan.ingress(a, sent, 0.0)
    got = []
    while part := b.take(700, 2):
        assert sum(len(each) + 2 for each in part) <= 700
        got += part
    assert got == sent and b.queued_bytes == 0


def test_a_shorter_delay_set_live_does_not_reorder() -> None:
    lan, (a, b) = lan_of(2, Profile(delay=0.5))
    lan.ingress(a, [frame(BROADCAST, 1, b"1")], 0.0)
    for port in (a, b):
        lan.set_profile(port, Profile())
    lan.ingress(a, [frame(BROADCAST, 1, b"2")], 0.1)
    lan.poll(5.0)
    assert [each[-1:] for each in took(b)] == [b"1", b"2"]


@pytest.mark.parametrize("link", [0, 1])
def test_reordering_lets_later_frames_pass(link: int) -> None:
    """On the sender's link as on the receiver's."""
    lan, (a, b) = lan_of(2)
    lan.set_profile((a, b)[link], Profile(reordering=0.2, reorder_delay=0.01))
    for n in range(100):
        lan.ingress(a, [frame(BROADCAST, 1, bytes([n]))], n * 0.001)
        lan.poll(n * 0.001)
    lan.poll(10.0)
    got = [each[-1] for each in took(b)]
    assert sorted(got) == list(range(100)) and got != sorted(got)


def test_on_a_ring_the_senders_share_the_rate() -> None:
    ring = profile("token-ring-16")
    lan, (a, b, c) = lan_of(3, ring)
    for port in (a, b):
        lan.ingress(port, [frame(address(3), port.index + 1, bytes(986))] * 50, 0.0)
    due = 0.0
    while (next_due := lan.next_due()) is not None:
        due = next_due
        lan.poll(due)
    assert len(took(c)) == 100
    assert due == pytest.approx(100 * 1015 * 8 / 16e6)


def passed(lan: Lan) -> float:
    """Deliver all that is on its way; when the last of it arrived."""
    due = 0.0
    while (next_due := lan.next_due()) is not None:
        due = next_due
        lan.poll(due)
    return due


def test_what_comes_from_elsewhere_takes_the_bus_too_and_waits_in_its_queue() -> None:
    lan, (elsewhere, a, b) = lan_of(3, profile("fast"))
    for port in (a, b):
        lan.set_profile(port, profile("ethernet-10"))
        lan.ingress(port, [frame(BROADCAST, port.index + 1)], 0.0)
    passed(lan)
    for each in (elsewhere, a, b):
        took(each)
    lan.ingress(elsewhere, [frame(address(n), 1, bytes(986)) for n in (2, 3)] * 30, 1.0)
    lan.ingress(a, [frame(address(3), 2, bytes(986))], 1.0)
    assert passed(lan) == pytest.approx(1 + 61 * 1024 * 8 / 10e6)
    assert (len(took(a)), len(took(b))) == (30, 31)
    lan.ingress(elsewhere, [frame(address(2), 1, bytes(986))] * 200, 2.0)
    passed(lan)
    arrived = len(took(a))
    assert 125 <= arrived <= 135 and a.down.dropped["queue"] == 200 - arrived


def test_a_channel_moves_one_way_at_a_time() -> None:
    channel = Profile(rate=8e6, half_duplex=True)
    lan, (a, b) = lan_of(2, channel)
    lan.ingress(b, [frame(BROADCAST, 2)], 0.0)
    passed(lan)
    for port, to in ((a, 2), (b, 1)):
        lan.ingress(port, [frame(address(to), port.index + 1, bytes(986))] * 50, 1.0)
    assert passed(lan) == pytest.approx(1 + 100 * 1000 * 8 / 8e6, rel=1e-4)


operations = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(0, 3), st.integers(0, 5), st.integers(14, 3000)),
        st.tuples(st.just("take"), st.integers(0, 3), st.integers(0, 20_000), st.just(0)),
        st.tuples(st.just("pass"), st.just(0), st.integers(0, 100), st.just(0)),
        st.tuples(st.just("cut"), st.integers(0, 3), st.integers(0, 1), st.just(0)),
        st.tuples(st.just("gone"), st.integers(0, 3), st.integers(0, 1), st.just(0)),
    ),
    max_size=80,
)
profiles = st.builds(
    lambda base, **changes: change(base, changes),
    st.sampled_from([Profile(queue=65536), profile("token-ring-16")]),
    delay=st.sampled_from([0.0, 0.03]),
    loss=st.sampled_from([0.0, 0.2]),
    duplication=st.sampled_from([0.0, 0.2]),
    reordering=st.sampled_from([0.0, 0.2]),
    mtu=st.sampled_from([1500, 4000]),
)


@settings(deadline=None)
@given(profiles, operations, st.integers(0, 1000))
def test_frames_are_conserved_at_every_port(which: Any, todo: Any, seed: int) -> None:
    lan, ports = lan_of(4, which, seed)
    now = 0.0
    for what, index, number, length in todo:
        port = ports[index]
        if what == "send":
            to = BROADCAST if number > 3 else address(number)
            lan.ingress(port, [(frame(to, index) + bytes(length))[:length]], now)
        elif what == "take":
            port.take(number, 2)
        elif what == "pass":
            now += number / 1000
            lan.poll(now)
        elif what == "cut":
            lan.cut(port, bool(number))
        elif number:
            port.connected = True
        else:
            lan.disconnect(port)
        for each in ports:
            up, down = each.up, each.down
            assert up.offered + up.duplicated == up.crossed + sum(up.dropped.values())
            assert down.offered + down.duplicated == down.crossed + sum(down.dropped.values())
            assert down.crossed == each.taken_frames + len(each.queue) + each.in_flight
            assert each.queued_bytes == sum(map(len, each.queue)) <= 4 * 65536
    assert lan.snapshot()["source"] == "WI"


def test_names_are_unique_and_an_unknown_one_is_refused_in_words() -> None:
    lan, _ = lan_of(2)
    with pytest.raises(ValueError, match="already"):
        lan.attach("p1", "test")
    with pytest.raises(ValueError, match="p0, p1"):
        lan.port("p9")


def test_what_waits_elsewhere_keeps_no_channel_busy_before_it_comes() -> None:
    lan, (guest, a, b) = lan_of(3, Profile(rate=80e6, half_duplex=True, store_and_forward=True))
    for port in (a, b):
        lan.set_profile(port, profile("ethernet-10"))
        lan.ingress(port, [frame(BROADCAST, port.index + 1)], 0.0)
    lan.ingress(guest, [frame(BROADCAST, 1)], 0.5)
    passed(lan)
    for each in (guest, a, b):
        took(each)
    # Half a second of the bus, whose frames come to the guest one by one.
    lan.ingress(b, [frame(address(1), 3, bytes(986))] * 100, 1.0)
    assert guest.up.ready_at(0) < 1.0 and guest.up.medium.busy_until < 1.0
    lan.ingress(guest, [frame(address(2), 1, bytes(986))], 1.0)
    assert guest.up.ready_at(0) == pytest.approx(1.0001)
    passed(lan)
    assert (len(took(guest)), len(took(a))) == (100, 1)


LONG = bytes(32000)


def sent(lan: Lan, guests: list[Port], waits: bool, reads: list[bool]) -> int:
    """How many long frames two guests had got onto their channels to the third one when it has
    looked what came, or not, at each of 10 ms; WAITS: they send nothing while they are held."""
    now, count = 1.0, 0
    for reading in reads:
        for guest in guests[:2]:
            up = guest.up
            while up.ready_at(up.profile.queue // 2) <= now and not (waits and guest.held):
                lan.ingress(guest, [frame(address(3), guest.index + 1, LONG)], now)
                count += 1
        now += 0.01
        lan.poll(now)
        if reading:
            took(guests[2])
    return count


def channels() -> tuple[Lan, list[Port]]:
    """Three guests behind channels of one router, whose addresses are known."""
    lan, guests = lan_of(3, profile("dxu-channel"))
    for guest in guests:
        lan.ingress(guest, [frame(BROADCAST, guest.index + 1)], 0.0)
    passed(lan)
    for guest in guests:
        took(guest)
    return lan, guests


@given(st.lists(st.booleans(), min_size=1, max_size=150))
def test_what_a_late_guest_has_not_read_waits_in_the_others(reads: list[bool]) -> None:
    lan, guests = channels()
    count = sent(lan, guests, True, reads)
    passed(lan)
    assert not guests[2].down.dropped
    assert guests[2].taken_frames - 2 + len(guests[2].queue) == count
    if all(reads):  # nobody waits for one that reads: both channels are busy all the time
        assert guests[0].up.ready_at(0) > 1.0 + 0.01 * len(reads) - 0.001


def test_without_waiting_the_router_drops_it() -> None:
    lan, guests = channels()
    sent(lan, guests, False, [False] * 100)
    assert guests[2].down.dropped["queue"] > 10


def test_who_is_gone_or_on_no_channel_holds_nobody() -> None:
    lan, guests = channels()
    sent(lan, guests, True, [False] * 100)
    assert guests[0].held and not guests[2].held
    lan.disconnect(guests[2])
    assert not guests[0].held
    plain, (a, b) = lan_of(2)
    plain.ingress(b, [frame(address(1), 2)], 0.0)
    plain.ingress(a, [frame(address(2), 1, LONG)] * 300, 0.0)
    assert b.down.dropped["queue"] and not a.held


def test_what_waits_in_a_router_keeps_no_station_waiting() -> None:
    """A station's frame takes its turn with the router's next one, not behind all of them."""
    lan, (elsewhere, a, b) = lan_of(3, profile("ethernet-10"))
    lan.set_profile(elsewhere, profile("dxu-channel"))
    for port in (elsewhere, a, b):
        lan.ingress(port, [frame(BROADCAST, port.index + 1)], 0.0)
    passed(lan)
    for each in (elsewhere, a, b):
        took(each)
    lan.ingress(elsewhere, [frame(address(2), 1, bytes(986))] * 50, 1.0)
    lan.poll(1.02)
    begun = len(took(a))
    assert 0 < begun < 40
    lan.ingress(a, [frame(address(1), 2)], 1.02)
    lan.poll(1.024)
    assert len(took(elsewhere)) == 1
    assert passed(lan) == pytest.approx(1.0 + 0.0002 + 51 * 1024 * 8 / 10e6, abs=0.002)
    assert begun + len(took(a)) == 50


def test_what_gms_net_sent_in_one_block_comes_in_one_on_a_link_with_a_rate() -> None:
    """However close blocks follow each other, and others' frames, and however late they are
    taken."""
    lan, (a, b) = lan_of(2, profile("myrinet"))
    lan.ingress(b, [frame(address(1), 2)], 0.0)
    lan.poll(1.0)
    took(a)
    sizes = (7, 7, 2, 1, 7)
    for number, size in enumerate(sizes):
        frames = [address(2) + address(1) + PAGED + bytes(46 + 8192) for _ in range(size)]
        lan.ingress(a, frames, 1.0 + number * 1e-4, together=True)

    def taken() -> list[bytes]:
        return b.take_block(BLOCK_MAX - 4, 20480, 2)

    # half of the first one is there
    lan.poll(1.0 + 4 * profile("myrinet").seconds(60 + 8192))
    assert b.queue and taken() == [] and b.whole == 0
    lan.poll(1.0 + 8 * profile("myrinet").seconds(60 + 8192))
    assert b.whole == 7
    lan.poll(2.0)
    assert b.whole == sum(sizes)
    assert [len(taken()) for _ in sizes] == list(sizes)
    assert taken() == []
    other = frame(BROADCAST, 1, bytes(100))
    lan.ingress(a, [other], 3.0, together=True)
    lan.ingress(a, [address(2) + address(1) + PAGED + bytes(46 + 8192)] * 7, 3.0, together=True)
    lan.poll(4.0)
    assert [len(taken()) for _ in range(3)] == [1, 7, 0]


@given(st.lists(st.integers(1, 7), max_size=12), st.floats(0, 1e-3), st.integers(0, 3))
def test_none_of_them_waits_for_ever(sizes: list[int], apart: float, cut: int) -> None:
    """Those that were lost on a link that was cut were the last of their blocks, or all."""
    lan, (a, b) = lan_of(2, profile("myrinet"))
    lan.ingress(b, [frame(address(1), 2)], 0.0)
    lan.poll(1.0)
    sent = 0
    for number, size in enumerate(sizes):
        frames = [address(2) + address(1) + PAGED + bytes(46 + 8192) for _ in range(size)]
        now = 1.0 + number * apart
        lan.ingress(a, frames, now, together=True)
        sent += size
        lan.cut(b, number == cut)
        lan.poll(now)
    lan.cut(b, False)
    lan.poll(3.0)
    while b.take_block(BLOCK_MAX - 4, 20480, 2):
        pass
    assert not b.queue
    assert b.taken_frames + b.down.dropped["cut"] + b.down.dropped["gone"] == sent
