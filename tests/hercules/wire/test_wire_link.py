# SPDX-License-Identifier: MIT
"""One direction of a link: conservation, determinism, pacing, impairments."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmkb.hercules.wire.link import Direction, Medium, Transit
from vmkb.hercules.wire.profile import Profile, ProfileError, change, named_profiles, profile

FRAME = bytes(1000)
rates = st.sampled_from([0.0, 0.3, 1.0])
profiles = st.builds(
    Profile,
    rate=st.sampled_from([0.0, 1e6, 16e6]),
    delay=st.sampled_from([0.0, 0.01]),
    queue=st.just(65536),
    loss=rates,
    duplication=rates,
    reordering=rates,
    bit_errors=st.sampled_from([0.0, 1e-4, 1.0]),
    check_sequence=st.booleans(),
    mtu=st.sampled_from([500, 1500]),
)
sizes = st.lists(st.integers(14, 1600), max_size=60)


def sent(frame: bytes, at: float = 0.0) -> Transit:
    return Transit(at, at, frame, False)


def crossing(direction: Direction, lengths: list[int], step: float = 0.0) -> list[Transit]:
    got: list[Transit] = []
    for index, length in enumerate(lengths):
        frame = index.to_bytes(4, "big") + bytes(length - 4)
        got += direction.offer(sent(frame, index * step))
    return got


@settings(deadline=None)
@given(profiles, sizes, st.integers(0, 2**32), st.booleans())
def test_what_is_sent_or_doubled_crosses_or_is_dropped(
    which: Any, lengths: Any, seed: int, cut: bool
) -> None:
    direction = Direction("a/up", which, seed)
    direction.cut = cut
    got = crossing(direction, lengths)
    assert direction.offered == len(lengths)
    assert direction.crossed == len(got)
    assert direction.offered + direction.duplicated == direction.crossed + sum(
        direction.dropped.values()
    )
    assert direction.crossed_bytes == sum(len(each.frame) for each in got)
    assert all(each.done >= each.begun >= 0 for each in got)


@settings(deadline=None)
@given(profiles, sizes, st.integers(0, 2**32))
def test_a_seed_repeats_and_the_clock_has_no_part_in_it(
    which: Any, lengths: Any, seed: int
) -> None:
    which = change(which, {"rate": 0.0})
    one = crossing(Direction("a/up", which, seed), lengths)
    two = crossing(Direction("a/up", which, seed), lengths, step=0.125)
    assert [(each.frame, each.late) for each in one] == [(each.frame, each.late) for each in two]


def test_seeds_and_links_differ() -> None:
    lossy = Profile(loss=0.5)
    fates = [
        [each.frame for each in crossing(Direction(label, lossy, seed), [100] * 64)]
        for label, seed in (("a/up", 1), ("a/up", 2), ("b/up", 1), ("a/down", 1))
    ]
    assert all(fates[i] != fates[j] for i in range(4) for j in range(i))


def test_one_effect_does_not_disturb_another() -> None:
    lost = crossing(Direction("a/up", Profile(loss=0.3), 7), [100] * 200)
    both = crossing(Direction("a/up", Profile(loss=0.3, duplication=0.5), 7), [100] * 200)
    assert {each.frame for each in lost} == {each.frame for each in both}


@pytest.mark.parametrize("effect", ["loss", "duplication", "reordering"])
def test_effects_have_the_probability_asked_for(effect: str) -> None:
    number, probability = 20_000, 0.05
    changes: dict[str, Any] = {effect: probability}
    direction = Direction("a/up", Profile(**changes), 3)
    crossing(direction, [14] * number)
    got = {
        "loss": direction.dropped["loss"],
        "duplication": direction.duplicated,
        "reordering": direction.reordered,
    }[effect]
    # four standard deviations of a binomial
    assert abs(got - number * probability) < 4 * (number * probability * 0.95) ** 0.5


def test_bit_errors_have_the_probability_asked_for() -> None:
    probability, number = 1e-4, 2000
    direction = Direction("a/up", Profile(bit_errors=probability), 3)
    flipped = 0
    for _ in range(number):
        (each,) = direction.offer(sent(FRAME))
        flipped += int.from_bytes(each.frame, "big").bit_count()
    expected = number * 8 * len(FRAME) * probability
    assert abs(flipped - expected) < 4 * expected**0.5


def test_a_damaged_frame_is_discarded_where_there_is_a_check_sequence() -> None:
    direction = Direction("a/up", Profile(bit_errors=1.0, check_sequence=True), 0)
    assert not direction.offer(sent(FRAME))
    assert direction.dropped == {"check": 1}


@pytest.mark.parametrize("name", ["token-ring-16", "ethernet-10", "fddi-100"])
def test_a_named_profile_paces_exactly(name: str) -> None:
    which = profile(name)
    direction = Direction("a/up", which, 0)
    number = which.queue // 1500
    got = crossing(direction, [1400] * number)
    assert len(got) == number
    assert got[-1].done == pytest.approx(number * (1400 + which.overhead) * 8 / which.rate)
    assert direction.ready_at(0) == pytest.approx(got[-1].done)


def test_a_full_queue_drops_and_says_how_full_it_was() -> None:
    direction = Direction("a/up", Profile(rate=1e6, queue=65536), 0)
    got = crossing(direction, [1000] * 100)
    assert len(got) == 65
    assert direction.dropped == {"queue": 35}
    assert 64_000 < direction.queue_high_water <= 65536


def test_two_links_of_one_rate_cost_the_time_once() -> None:
    up, down = (Direction(way, Profile(rate=1e6), 0) for way in ("up", "down"))
    (first,) = up.offer(sent(FRAME))
    (second,) = down.offer(first)
    assert second.done == first.done == pytest.approx(0.008)
    slow = Direction("slow", Profile(rate=0.5e6), 0)
    assert slow.offer(first)[0].done == pytest.approx(0.016)


def test_a_router_sends_a_frame_on_when_it_has_come_whole() -> None:
    router = Profile(rate=1e6, store_and_forward=True)
    up, down = (Direction(way, router, 0) for way in ("up", "down"))
    (first,) = up.offer(sent(FRAME))
    assert down.offer(first)[0].done == pytest.approx(0.016)


def test_a_shared_medium_carries_one_frame_at_a_time() -> None:
    ring = Medium()
    links = [Direction(str(n), Profile(rate=1e6), 0, ring) for n in range(2)]
    ends = [links[n % 2].offer(sent(FRAME))[0].done for n in range(4)]
    assert ends == pytest.approx([0.008, 0.016, 0.024, 0.032])


@pytest.mark.parametrize("rate", [0.0, 1e6])
def test_a_frame_above_the_mtu_is_dropped(rate: float) -> None:
    direction = Direction("a/up", Profile(mtu=1000, rate=rate), 0)
    assert len(direction.offer(sent(bytes(1014)))) == 1
    assert not direction.offer(sent(bytes(1015)))
    assert direction.dropped == {"mtu": 1}


@pytest.mark.parametrize("rate", [0.0, 1e6])
def test_the_far_end_may_have_no_room_or_be_gone(rate: float) -> None:
    direction = Direction("a/down", Profile(rate=rate), 0)
    assert len(direction.offer(sent(FRAME), room=1000)) == 1
    assert not direction.offer(sent(FRAME), room=999)
    assert not direction.offer(sent(FRAME), room=None)
    assert direction.dropped == {"queue": 1, "gone": 1}
    assert (direction.offered, direction.crossed) == (3, 1)


def test_a_frame_held_back_on_one_link_stays_so_on_the_next() -> None:
    up, down = (Direction(way, Profile(rate=1e6), 0) for way in ("up", "down"))
    (first,) = up.offer(Transit(0.0, 0.0, FRAME, True))
    (second,) = down.offer(first)
    assert first.late and second.late and up.reordered == down.reordered == 0


@settings(deadline=None)
@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_probability_outside_0_to_1_is_refused(value: float) -> None:
    if 0.0 <= value <= 1.0:
        assert Profile(loss=value).loss == value
    else:
        with pytest.raises(ProfileError, match="loss"):
            Profile(loss=value)


@pytest.mark.parametrize(
    ("changes", "why"),
    [({"speed": 1}, "no field 'speed'"), ({"loss": "much"}, "must be a number"),
     ({"shared": 1}, "true or false"), ({"mtu": 45}, "mtu"), ({"queue": 1}, "queue"),
     ({"delay": -1}, "negative")],
)  # fmt: skip
def test_a_wrong_change_is_refused_in_words(changes: Any, why: str) -> None:
    with pytest.raises(ProfileError, match=why):
        change(Profile(), changes)


def test_the_named_profiles_are_there_and_an_unknown_one_names_them() -> None:
    lans = {"fast", "token-ring-16", "ethernet-10", "fddi-100", "dxu-channel", "fddi-card-510"}
    lines = {f"line-{rate}-{kind}" for rate in (1200, 9600) for kind in ("quiet", "noisy")}
    assert set(named_profiles()) >= lans | lines | {"line-9600-vj", "far-nic"}
    assert profile("fast").plain
    with pytest.raises(ProfileError, match="token-ring-16"):
        profile("arcnet")
