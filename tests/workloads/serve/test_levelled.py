# SPDX-License-Identifier: MIT
"""What an event costs, and trials as if all had had equally many: told by trials that were made so,
and by real ones of a computer with twenty other processes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.stats import median_estimate
from workloads.serve.levelled import Observed, levelled, open_by, prices, widened

OWN = {"get": 30e6, "put": 40e6}
EACH = (2500.0, 2100.0, 3000.0, 1600.0)
WAYS = ("get", "put")
USUAL = {"get": (500.0, 1300.0, 500.0, 2000.0), "put": (500.0, 2000.0, 900.0, 900.0)}


def made(
    each: tuple[float, ...], seed: int, trials: int = 5, ways: tuple[str, str] = ("", "")
) -> list[Observed]:
    rng = random.Random(seed)
    found = []
    for (case, own), way in zip(OWN.items(), ways, strict=True):
        for _ in range(trials):
            events = tuple(usual * rng.uniform(0.5, 2) for usual in USUAL[case])
            work = own + sum(p * (n - usual) for p, n, usual in
                             zip(each, events, USUAL[case], strict=True))  # fmt: skip
            found.append(Observed(case, work, events, way))
    return found


@given(st.tuples(*[st.floats(0, 10_000)] * 4), st.integers(0, 1000))
def test_prices_are_found_again_and_levelled_trials_cost_the_same(
    each: tuple[float, ...], seed: int
) -> None:
    trials = made(each, seed)
    told = prices(trials)[""]
    assert [p.each for p in told] == pytest.approx(each, abs=1)
    even = levelled(trials, USUAL)
    assert even == pytest.approx([OWN[t.case] for t in trials], rel=1e-4)


def test_what_no_event_explains_stays_in_the_trial() -> None:
    """A trial's own deviation is not explained away by prices made to fit it."""
    trials = made(EACH, 1, 6)
    odd = trials[0]._replace(work=trials[0].work + 3e6)
    even = levelled([odd, *trials[1:]], USUAL)
    assert even is not None
    assert even[0] - OWN["get"] >= 3e6


def test_what_the_prices_leave_open_grows_with_how_far_a_case_is_brought() -> None:
    """To its own mean nothing; to events that none of its trials had, as much as the levelled cases
    of many such sets of trials differ."""
    sets = []
    for seed in range(60):
        rng = random.Random(seed)
        sets.append([t._replace(work=t.work + rng.gauss(0, 3e5)) for t in made(EACH, seed, 9)])
    far = {case: tuple(3 * n for n in usual) for case, usual in USUAL.items()}
    off = {case: sum(p * 2 * n for p, n in zip(EACH, USUAL[case], strict=True)) for case in OWN}
    wrong, told = [], []
    for trials in sets:
        even, errors = levelled(trials, far), open_by(trials, far)
        assert even is not None
        mine = [e for t, e in zip(trials, even, strict=True) if t.case == "put"]
        wrong.append(abs(sum(mine) / len(mine) - OWN["put"] - off["put"]))
        told.append(2 * errors["put"])
        of_put = [t.events for t in trials if t.case == "put"]
        mean = tuple(sum(n) / len(n) for n in zip(*of_put, strict=True))
        assert open_by(trials, {**far, "put": mean})["put"] == pytest.approx(0, abs=1)
    within = sum(w <= t for w, t in zip(wrong, told, strict=True))
    assert 0.85 <= within / len(sets) <= 1, within


@pytest.mark.parametrize("brought", [1.0, 1.3, 3.0])
@pytest.mark.parametrize("trials", [9, 17])
def test_an_evened_interval_holds_what_is_true(brought: float, trials: int) -> None:
    """Of sets of trials with a cost that is known, at events near and far from their own, 85 in
    100 intervals and more have it in them; and they are no wider than what the sets differ by asks
    for."""
    at = {case: tuple(brought * n for n in usual) for case, usual in USUAL.items()}
    holds, wrong, halves = 0, [], []
    for seed in range(60):
        rng = random.Random(seed)
        mine = [t._replace(work=t.work + rng.gauss(0, 3e5)) for t in made(EACH, seed, trials)]
        even = levelled(mine, at)
        assert even is not None
        own = median_estimate([e for t, e in zip(mine, even, strict=True) if t.case == "put"])
        told = widened(own, 2 * open_by(mine, at)["put"])
        true = OWN["put"] + sum(
            p * (brought - 1) * n for p, n in zip(EACH, USUAL["put"], strict=True)
        )
        holds += told.covers(true)
        wrong.append((told.value - true) ** 2)
        halves.append((told.hi - told.lo) / 2)
    assert holds / 60 >= 0.85, holds
    assert sum(halves) / 60 < 3 * (sum(wrong) / 60) ** 0.5


def test_too_few_trials_tell_no_price() -> None:
    assert prices(made(EACH, 1, 4)) == {}
    assert prices(made(EACH, 1, 5)).keys() == {""}
    lonely = made(EACH, 1, 9)[8:]  # one get, nine puts
    assert levelled(lonely, USUAL) is None


def test_each_direction_has_prices_of_its_own_when_it_has_the_trials_for_them() -> None:
    """A switch of a put and one of a get are different work."""
    dear = tuple(2 * p for p in EACH)
    gets = [t for t in made(EACH, 1, 15, WAYS) if t.case == "get"]
    trials = [t for pair in zip(gets, made(dear, 2, 15, WAYS)[15:], strict=True) for t in pair]
    told = prices(trials)
    assert [p.each for p in told["get"]] == pytest.approx(EACH, abs=1)
    assert [p.each for p in told["put"]] == pytest.approx(dear, abs=1)
    even = levelled(trials, USUAL)
    assert even == pytest.approx([OWN[t.case] for t in trials], rel=1e-4)
    assert prices(trials[1:]).keys() == {""}, "14 gets are too few for five numbers"


def test_a_case_whose_trials_differ_by_more_than_events_says_less_of_the_prices() -> None:
    """Gets are told by their events to a thousandth, puts to a tenth. Did both weigh alike, prices
    would be wrong by 1000 on average."""
    wrong = []
    for seed in range(20):
        rng = random.Random(seed)
        noise = {"get": 3e4, "put": 4e6}
        mine = [t._replace(work=t.work + rng.gauss(0, noise[t.case])) for t in made(EACH, seed, 15)]
        wrong += [abs(p.each - each) for p, each in zip(prices(mine)[""], EACH, strict=True)]
    assert sum(wrong) / len(wrong) < 600, sum(wrong) / len(wrong)


def test_events_that_never_vary_have_no_price() -> None:
    trials = [t._replace(events=(*t.events[:3], 7.0)) for t in made((*EACH[:3], 0.0), 3)]
    told = prices(trials)[""]
    assert [p.each for p in told] == pytest.approx([*EACH[:3], 0.0], abs=1)


def test_no_event_gives_instructions_back() -> None:
    """Two kinds that come together, of which one costs: the other does not cost less than nothing,
    however the trials fall."""
    for seed in range(20):
        rng = random.Random(seed)
        trials = []
        for usual in (1000.0, 2000.0) * 6:
            one = usual * rng.uniform(0.9, 1.1)
            other = one * rng.uniform(0.98, 1.02)
            case = "get" if usual < 1500 else "put"
            trials.append(Observed(case, 30e6 + 2500 * one + rng.gauss(0, 2e4), (one, other)))
        told = prices(trials)[""]
        assert min(p.each for p in told) >= 0
        assert sum(p.each for p in told) == pytest.approx(2500, rel=0.3)


# Puts of four files of 2 MB to Linux 6.1.176: million instructions; interruptions of the clock and
# of the channel, switches, softirqs.
BUSY = (
    (41.26, 662, 2245, 1111, 1089), (44.77, 1620, 2915, 1058, 1041),
    (43.70, 1187, 1542, 1653, 1526), (46.26, 1454, 2321, 1721, 1658),
    (45.83, 1601, 2390, 1530, 1464), (45.33, 1499, 1719, 1751, 1724),
    (41.86, 1113, 2531, 874, 862), (39.10, 549, 1540, 987, 864),
    (37.80, 470, 1738, 637, 609), (51.64, 2550, 2293, 2336, 2392),
    (49.40, 2640, 2681, 1637, 1731), (51.13, 3267, 2401, 1670, 1751),
    (52.05, 3157, 2582, 1919, 2017),
)  # fmt: skip


def test_trials_of_a_busy_computer_tell_the_same_when_levelled() -> None:
    """As they came they differ by a third; the prices leave a hundredth."""
    trials = [Observed("put", m * 1e6 - 2500 * clock, (float(clock), *map(float, rest)))
              for m, clock, *rest in BUSY]  # fmt: skip
    even = levelled(trials, {"put": (1500.0, 2300.0, 1500.0, 1500.0)})
    assert even is not None
    assert median_estimate([t.work for t in trials]).half_width_percent > 4
    assert median_estimate(even).half_width_percent < 0.5
