# SPDX-License-Identifier: MIT
import itertools
import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting import stats
from accounting.records import Source, Unit
from accounting.stats import (
    Estimate,
    StatsError,
    claim,
    median,
    median_estimate,
    outliers,
    places,
    rank_confidence,
    ratio_of_counts,
    ratio_paired,
    ratio_places,
    ratio_unpaired,
    sign_confidence,
)
from accounting.tables.group import estimate, ratio_of
from accounting.units import Figure, add_figures

NUMBERS = st.floats(0.001, 1e6)
TRIALS = st.lists(NUMBERS, min_size=1, max_size=12)


def test_median_of_odd_and_even():
    assert median([3, 1, 2]) == 2
    assert median([4, 1, 2, 3]) == 2.5
    assert median([7]) == 7
    with pytest.raises(StatsError, match="at least one"):
        median([])


@given(TRIALS)
def test_median_is_numpys(xs):
    assert median(xs) == pytest.approx(float(np.median(xs)), rel=1e-12)


def test_sign_confidence_by_counting_every_outcome():
    for n in range(1, 11):
        for rank in range(1, (n + 1) // 2 + 1):
            inside = (
                sum(rank <= sum(sides) <= n - rank for sides in product((0, 1), repeat=n)) / 2**n
            )
            assert sign_confidence(n, rank) == pytest.approx(inside, abs=1e-15)
    assert sign_confidence(5, 1) == 0.9375
    assert sign_confidence(2, 1) == 0.5
    assert sign_confidence(1, 1) == 0
    for n, rank in ((5, 0), (5, 4), (4, 3), (1, 2)):
        with pytest.raises(StatsError, match="lower half"):
            sign_confidence(n, rank)


@given(TRIALS)
def test_interval_holds_the_median_and_ends_at_trials(xs):
    e = median_estimate(xs)
    assert e.value == median(xs)
    assert e.lo <= e.value <= e.hi
    assert e.lo in xs and e.hi in xs
    assert e.n == len(xs)
    if len(xs) <= 5:
        assert (e.lo, e.hi) == (min(xs), max(xs))
        assert e.confidence == sign_confidence(len(xs), 1)
    else:
        assert e.confidence >= stats.CONFIDENCE


def test_interval_is_not_wider_than_it_must_be():
    # 20 trials: ranks 6 and 15 have 95.9 %, ranks 7 and 14 only 88.5 %.
    e = median_estimate(range(1, 21))
    assert (e.lo, e.hi) == (6, 15) and e.value == 10.5
    assert e.confidence == pytest.approx(0.9586, abs=1e-4)
    # 9 trials: ranks 2 and 8.
    e = median_estimate(range(1, 10))
    assert (e.lo, e.hi) == (2, 8)


def test_two_trials_promise_nothing():
    e = median_estimate([1.0, 2.0])
    assert (e.lo, e.hi, e.confidence, e.few) == (1.0, 2.0, 0.5, True)
    assert e.misses(target=1000)
    one = median_estimate([1.0])
    assert (one.lo, one.hi, one.confidence) == (1, 1, 0)
    five = median_estimate([1.0] * 5)
    assert not five.few and not five.misses()


def test_same_seed_same_interval_and_the_seed_matters():
    rng = np.random.default_rng(3)
    xs, ys = list(rng.normal(5, 1, 12)), list(rng.normal(5, 1, 12))
    assert ratio_unpaired(xs, ys) == ratio_unpaired(xs, ys)
    found = {(e.lo, e.hi) for s in range(30) for e in [ratio_unpaired(xs, ys, seed=s)]}
    assert len(found) > 1


DISTRIBUTIONS = {
    "normal": (lambda rng, n: rng.normal(1, 0.1, n), 1.0),
    "lognormal": (lambda rng, n: rng.lognormal(0, 0.3, n), 1.0),
    "exponential": (lambda rng, n: rng.exponential(1, n), math.log(2)),
    "laplace": (lambda rng, n: rng.laplace(1, 0.1, n), 1.0),
    "uniform": (lambda rng, n: rng.uniform(0, 1, n), 0.5),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("n", [3, 5, 8, 10])
def test_coverage_of_the_medians_interval(name, n, monkeypatch):
    monkeypatch.setattr(stats, "RESAMPLES", 199)
    draw, truth = DISTRIBUTIONS[name]
    rng = np.random.default_rng(sum(map(ord, name)) + n)
    runs = 300
    found = [median_estimate(list(draw(rng, n))) for _ in range(runs)]
    covered = sum(e.covers(truth) for e in found) / runs
    promised = found[0].confidence
    error = 3.3 * math.sqrt(promised * (1 - promised) / runs)
    assert promised - error <= covered <= min(1, promised + error + 0.01)


@pytest.mark.parametrize("n", [5, 10])
def test_coverage_of_the_paired_ratio_with_a_common_disturbance(n, monkeypatch):
    """What slows base and new alike must not widen the ratio's interval."""
    monkeypatch.setattr(stats, "RESAMPLES", 199)
    rng = np.random.default_rng(n)
    runs, hits, paired_width, free_width = 300, 0, 0.0, 0.0
    for _ in range(runs):
        host = rng.lognormal(0, 0.5, n)
        base = host * rng.normal(100, 1, n)
        new = host * rng.normal(98, 0.98, n)
        e = ratio_paired(list(base), list(new))
        hits += e.covers(0.98)
        paired_width += e.hi - e.lo
        free = ratio_unpaired(list(base), list(new))
        free_width += free.hi - free.lo
    promised = sign_confidence(n, 1) if n == 5 else stats.CONFIDENCE
    assert hits / runs >= promised - 3.3 * math.sqrt(promised * (1 - promised) / runs)
    assert paired_width < free_width / 5


@pytest.mark.parametrize("n", [5, 8])
def test_coverage_of_the_unpaired_ratio(n, monkeypatch):
    monkeypatch.setattr(stats, "RESAMPLES", 299)
    rng = np.random.default_rng(n)
    hits = sum(
        ratio_unpaired(list(rng.normal(1, 0.05, n)), list(rng.normal(1.02, 0.05, n))).covers(1.02)
        for _ in range(300)
    )
    assert hits / 300 >= 0.92


def test_the_confidence_of_ranks_by_counting_every_order():
    for m, n in ((2, 3), (3, 3), (4, 3), (5, 5)):
        wrong = [0] * (m * n + 1)
        for chosen in itertools.combinations(range(m + n), m):
            wrong[sum(place - k for k, place in enumerate(chosen))] += 1
        for rank in range(1, m * n // 2 + 1):
            counted = 1 - 2 * sum(wrong[:rank]) / math.comb(m + n, m)
            assert rank_confidence(m, n, rank) == pytest.approx(max(0, counted))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("n", [5, 6, 9])
def test_coverage_of_the_ratio_of_counts(name, n):
    draw, _ = DISTRIBUTIONS[name]
    rng = np.random.default_rng(sum(map(ord, name)) + n)
    runs, hits, found = 600, 0, None
    for _ in range(runs):
        base, new = (np.exp(0.003 * draw(rng, n)) for _ in range(2))
        found = ratio_of_counts(list(base), list(1.003 * new))
        hits += found.covers(1.003)
    assert found is not None and found.confidence >= stats.CONFIDENCE
    error = 3.3 * math.sqrt(found.confidence * (1 - found.confidence) / runs)
    assert abs(hits / runs - found.confidence) <= error


def test_every_trial_of_counts_tells_more_than_pairs():
    """What both sides of a pair have makes it wider, never wrong."""
    rng = np.random.default_rng(7)
    every_width, pairs_width, hits, runs = 0.0, 0.0, 0, 300
    for _ in range(runs):
        base, new = (list(rng.normal(1000, 3, 6)) for _ in range(2))
        every, pairs = ratio_of_counts(base, new), ratio_paired(base, new)
        every_width += every.hi - every.lo
        pairs_width += pairs.hi - pairs.lo
        common = rng.normal(1, 0.01, 6)
        hits += ratio_of_counts(list(base * common), list(new * common)).covers(1)
    assert every_width < 0.85 * pairs_width and hits > 0.95 * runs


def test_few_trials_of_counts_are_pairs():
    assert ratio_of_counts([1, 2], [2, 5]) == ratio_paired([1, 2], [2, 5])


def test_paired_ratio_is_the_median_of_the_pairs_ratios():
    e = ratio_paired([1, 2, 4, 8, 16], [2, 3, 4, 10, 40])
    assert (e.value, e.lo, e.hi, e.n, e.paired) == (1.5, 1.0, 2.5, 5, True)
    assert e.covers(1) and e.covers(2.5) and not e.covers(0.999) and not e.covers(2.501)
    assert not ratio_unpaired([1], [1]).paired


def test_unpaired_ratio_of_few_trials_is_the_widest():
    e = ratio_unpaired([1, 2], [3, 4])
    assert (e.value, e.lo, e.hi, e.n) == (3.5 / 1.5, 1.5, 4.0, 2)
    assert e.confidence == 0.5
    five = ratio_unpaired([1, 1, 1, 1, 1], [2, 2, 2, 2, 3])
    assert five.value == 2 and five.lo == 2 and five.confidence == stats.CONFIDENCE
    assert five.n == 5
    assert ratio_unpaired([1] * 4, [2] * 9).confidence == sign_confidence(4, 1)


def test_ratios_refuse_what_has_none():
    with pytest.raises(StatsError, match="2 base trials and 1"):
        ratio_paired([1, 2], [1])
    for bad in (0, -1, math.nan, math.inf):
        with pytest.raises(StatsError, match="trial 2 of the base is"):
            ratio_paired([1, bad], [1, 1])
        with pytest.raises(StatsError, match="trial 1 of the new release is"):
            ratio_unpaired([1, 1], [bad, 1])


@given(TRIALS, st.floats(0.01, 100))
@settings(max_examples=40)
def test_ratio_to_itself_times_a_factor(xs, factor):
    e = ratio_paired(xs, [x * factor for x in xs])
    assert e.value == pytest.approx(factor)
    assert e.hi - e.lo <= 1e-12 * factor


def test_outliers_are_named_and_counted_all_the_same():
    xs = [10.0, 10.1, 9.9, 10.05, 30.0, 9.95]
    e = median_estimate(xs)
    assert e.outliers == (4,)
    assert e.n == 6 and e.hi == 30.0
    assert outliers([1.0, 1.1, 0.9, 1.05]) == ()
    # identical but for the clock's step: no outlier; far beyond it: one
    assert outliers([5.0, 5.0, 5.0, 5.0, 5.01], tick=0.01) == ()
    assert outliers([5.0, 5.0, 5.0, 5.0, 6.0], tick=0.01) == (4,)
    assert outliers([0.0, 0.0, 0.0, 1.0]) == (3,)
    assert outliers([0.0, 0.0, 0.0]) == ()
    # the score counts from 3.5: deviations in MADs of 1 (scaled 1.4826)
    assert outliers([-1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 5.19]) == (6,)
    assert outliers([-1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 5.18]) == ()
    assert outliers([1.0, 1.0, 1.0, 0.0, -1.0, -1.0, -5.19]) == (6,)
    assert ratio_paired([1] * 6, [1, 1, 1, 1, 1, 9]).outliers == (5,)


def est(lo, hi, value=None, n=5):
    return Estimate((lo + hi) / 2 if value is None else value, lo, hi, n, 0.95)


def test_half_width_in_percent():
    assert est(9, 11).half_width_percent == pytest.approx(10)
    assert est(-11, -9).half_width_percent == pytest.approx(10)
    assert est(5, 5).half_width_percent == 0
    assert est(-1, 1).half_width_percent == math.inf
    assert est(0, 0).half_width_percent == 0
    assert est(99, 101).misses() is False and est(98.9, 101.1).misses() is True
    assert est(98.9, 101.1).misses(2) is False


def test_digits_follow_the_interval():
    assert places(est(47.0, 47.6)) == 1  # three significant digits
    assert places(est(47.27, 47.33)) == 2
    assert places(est(900, 1100)) == 0
    assert places(est(0.9, 1.1)) == 2
    assert places(est(0.90, 1.12, value=0.97)) == 3
    assert places(est(1, 1 + 1e-12)) == 6
    assert places(est(1, 1 + 1e-12), most=4) == 4
    # the source's step is the last digit, however many trials agree
    assert places(replace(est(1, 1), step=0.02)) == 2
    assert places(replace(est(25.40, 25.41), step=0.3)) == 1
    assert places(replace(est(1200, 1200), step=7)) == 0
    # without an interval nothing supports more than three significant digits
    assert places(replace(est(33.7637, 33.7638), confidence=0.0, n=1)) == 1
    assert ratio_places(replace(est(0.9999, 1.0), confidence=0.5, n=2)) == 3
    assert ratio_places(est(0.99, 1.01)) == 3
    assert ratio_places(est(0.9968, 0.9972)) == 4
    assert ratio_places(replace(est(0.9, 1.1), step=0.04)) == 2


def test_the_heading_says_what_the_method_grants():
    five, six = sign_confidence(5, 1), sign_confidence(6, 1)
    assert claim([five, five]) == "93.75 % interval"
    assert claim([six]) == "96.87 % interval"
    assert claim([six, five, 0.95]) == "93.75..96.87 % interval"
    assert claim([0.95]) == "95 % interval"
    assert claim([0.0]) == claim([]) == "Interval"


READINGS = st.lists(
    st.tuples(st.floats(0.001, 1e4), st.floats(0, 10), st.floats(0, 0.1)), min_size=1, max_size=9
)


@given(READINGS, st.data())
def test_an_interval_holds_that_of_the_true_values(readings, data):
    """Whatever the trials truly were within their bounds, their own interval is inside."""
    figures = [Figure(x, Unit.US, (Source.QT,), 2 * step, s) for x, step, s in readings]
    e = estimate(figures)
    true = [data.draw(st.floats(*f.bounds)) for f in figures]
    inner = median_estimate(true)
    if len(figures) <= 5:  # beyond, another rank may be taken for the true values
        assert e.lo <= inner.lo and inner.hi <= e.hi
    assert e.lo <= e.value <= e.hi
    assert e.lo >= min(f.bounds[0] for f in figures)


def test_identical_trials_in_steps_have_no_interval_of_no_width():
    """Row 1: five trials that all print 0.01 s, of anything from nothing to 0.02 s."""
    same = [Figure(0.07, Unit.US_KB, (Source.QT,), 0.14)] * 5
    e = estimate(same)
    assert (e.lo, e.hi) == (pytest.approx(0), pytest.approx(0.14))
    assert e.coarse and e.too_wide() and not e.below_step
    assert estimate([f._replace(value=0.0) for f in same]).below_step
    ratio = ratio_of(same, same, ratio_paired)
    assert ratio.value == 1 and ratio.lo == 0 and not ratio.has_interval
    assert ratio_of(same, same, ratio_unpaired).has_interval is False
    fine = [Figure(10.0, Unit.US_KB, (Source.QT,), 0.14)] * 5
    ratio = ratio_of(fine, fine, ratio_paired)
    assert ratio.lo == pytest.approx(9.93 / 10.07) and ratio.hi == pytest.approx(10.07 / 9.93)
    apart = ratio_of(fine, fine, ratio_unpaired)
    assert (apart.lo, apart.hi) == (pytest.approx(ratio.lo), pytest.approx(ratio.hi))


def test_a_systematic_part_is_not_averaged_away():
    """Counters that may be off by 1 % the same way in each trial: n does not narrow that."""
    many = [Figure(100.0, Unit.US_KB, (Source.IC,), 0.0, 0.01)] * 40
    e = estimate(many)
    assert (e.lo, e.hi) == (99, 101) and e.step == 0
    ratio = ratio_of(many, many, ratio_paired)
    assert ratio.covers(0.981) and ratio.covers(1.019)
    total = add_figures([many[0], Figure(300.0, Unit.US_KB, (Source.IC,))])
    assert total.bounds == (399, 401)


def test_ends_are_the_bootstraps_percentiles():
    """base is constant, so the interval is that of the resampled medians of 1..n alone."""
    for n, ends in ((5, (1, 5)), (7, (2, 6)), (13, (4, 10))):
        e = ratio_unpaired([2.0] * n, [2.0 * k for k in range(1, n + 1)])
        assert (e.lo, e.hi) == ends
        assert e.value == (n + 1) / 2
    # and widened by the sign test where it stands on one side's trials
    assert (median_estimate(range(1, 8)).lo, median_estimate(range(1, 8)).hi) == (1, 7)
    e = median_estimate(range(1, 14))
    assert (e.lo, e.hi) == (3, 11) and e.confidence == sign_confidence(13, 3)


def test_what_an_estimate_carries():
    few = ratio_unpaired([2, 4], [3, 5])
    assert (few.value, few.lo, few.hi) == (4 / 3, 0.75, 2.5)
    paired = ratio_paired([1] * 5, [1, 2, 3, 4, 5])
    assert paired.confidence == 0.9375
    assert median_estimate([5.0, 5.0, 5.0, 5.0, 5.01], tick=0.01).outliers == ()
    assert median_estimate([5.0, 5.0, 5.0, 5.0, 5.01]).outliers == (4,)
