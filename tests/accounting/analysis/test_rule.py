# SPDX-License-Identifier: MIT
"""How often the first sentence is wrong, simulated from what real builds and seeds did, and what it
says."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping, Sequence

import pytest

from tests.accounting.analysis.campaigns import CASES, Design, campaign, claims, goes_on
from vmkb.accounting.analysis.answer import sentence
from vmkb.accounting.analysis.rule import (
    CHEAPER,
    DEARER,
    DEPENDS,
    ON_OPTIONS,
    SAME,
    UNDECIDED,
    Ruling,
    beyond,
    judged,
    open_at,
    priced,
    split_at,
)
from vmkb.accounting.analysis.specification import Specification
from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import TOTAL, part_cpu, total_cpu
from vmkb.accounting.records import Source
from vmkb.accounting.stats import Estimate, ratio_estimate, ratio_of_logs
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.group import Column
from vmkb.accounting.tables.lines import Comparison, Known, Line

SPEC = Specification("ftp", {"213": "lwIP 2.1.3", "221": "lwIP 2.2.1"},
                     {"A": "get 2 MB ASCII", "B": "put 24 KB binary", "C": "put 2 MB"})  # fmt: skip
SURE = 0.0005
"""A standard error with which a change of a quarter of a percent is seen."""


# How often


@pytest.mark.slow
@pytest.mark.parametrize(
    ("design", "runs"), [(Design(3), 400), (Design(6), 200), (Design(6, 0), 400)]
)
def test_at_most_one_claim_in_twenty_is_false(design: Design, runs: int) -> None:
    draw = random.Random(24)
    wrong = sum(claims(campaign(design, draw, [0.0] * 8)) for _ in range(runs))
    assert wrong <= 0.05 * runs, wrong


@pytest.mark.slow
def test_at_most_one_claim_in_twenty_of_a_run_that_goes_on_is_false() -> None:
    """It adds builds until no case is undecided, and looks each time. Builds differ here ten times
    as much as those that were measured: else three of them decide."""
    draw = random.Random(31)
    runs, wrong, added = 150, 0, 0
    for _ in range(runs):
        ruling, more = goes_on(Design(3), draw, [0.0] * 8, luck=10)
        wrong += claims(ruling)
        added += more > 0
    assert added >= 0.9 * runs, added
    assert wrong <= 0.05 * runs, wrong


@pytest.mark.slow
def test_what_options_do_alone_is_no_claim() -> None:
    """A release that is cheaper with one option and dearer with another has no verdict."""
    draw = random.Random(7)
    turned = {"-O3": -0.002, "-O2": 0.001, "-Os": 0.003}
    wrong = sum(claims(campaign(Design(3), draw, [0.0] * 8, turned)) for _ in range(200))
    assert wrong <= 10, wrong


@pytest.mark.slow
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("change", [1.005, 1.01])
def test_half_a_percent_in_all_cases_is_found(sign: int, change: float) -> None:
    draw = random.Random(3)
    runs, found = 100, 0
    for _ in range(runs):
        ruling = campaign(Design(3), draw, [sign * math.log(change)] * 8)
        assert ruling.pooled is not None
        found += claims(ruling) and (ruling.pooled.value > 1) is (sign > 0)
    assert found >= 0.99 * runs, found


@pytest.mark.slow
@pytest.mark.parametrize("change", [1.005, 1.01])
def test_half_a_percent_in_one_case_is_found_and_named(change: float) -> None:
    draw = random.Random(5)
    runs, named, others = 96, 0, 0
    for k in range(runs):
        at = k % len(CASES)
        planted = [math.log(change) if i == at else 0.0 for i in range(8)]
        ruling = campaign(Design(3), draw, planted)
        cases = [c.known.column.case for c in ruling.of(DEARER, CHEAPER)]
        named += cases[:1] == [CASES[at]]
        others += bool(set(cases) - {CASES[at]})
    assert named >= 0.9 * runs and others <= 0.05 * runs, (named, others)


# What is said


def known(
    case: str, ratio: Estimate | None, label: str = TOTAL, release: str = "221"
) -> tuple[Column, Column, Known]:
    trial = TrialCost(Trial("1", "r", case, release), Source.IC, (), None, None, None)
    base, new = (Column("", case, "", name, case, (trial,)) for name in ("213", release))
    line = Line(label, total_cpu if label == TOTAL else part_cpu(label))
    own = ratio or Estimate(1.0, 1.0, 1.0, 3)
    return base, new, Known(new, line, own, base, ratio, "(IC)", unit="us/KB")


def comparison(lines: Sequence[tuple[Column, Column, Known]]) -> Comparison:
    columns = {c.key: c for base, new, _ in lines for c in (base, new)}
    return Comparison(
        tuple(columns.values()), {(k.column.key, k.line.label): k for _, _, k in lines}
    )


def ratio(value: float, error: float = SURE) -> Estimate:
    return ratio_of_logs(math.log(value), error, 20, n=6)


def said(lines: Sequence[tuple[Column, Column, Known]], target: float = 1.0) -> str:
    found = comparison(lines)
    return sentence(SPEC, found, judged(found, target))


def of(changes: Mapping[str, float], error: float = SURE) -> list[tuple[Column, Column, Known]]:
    return [known(case, ratio(value, error)) for case, value in changes.items()]


def ruling(lines: Sequence[tuple[Column, Column, Known]], target: float = 1.0) -> Ruling:
    (made,) = judged(comparison(lines), target)
    return made


def test_all_cases_together_come_first() -> None:
    text = said(of({"A": 1.01, "B": 1.012, "C": 1.011}))
    assert text.startswith("ftp: lwIP 2.1.3 -> 2.2.1. CPU per KB rose by 1.10 % over all 3 cases (")
    assert "Most in put 24 KB binary: 1.20 % more" in text
    assert "fell by" in said(of({"A": 0.99, "B": 0.988, "C": 0.989}))


def test_a_case_is_named_when_all_together_say_nothing() -> None:
    text = said(of({"A": 1.02, "B": 0.99, "C": 0.99}))
    assert "over all" not in text
    assert "Get 2 MB ASCII costs 2.00 % more CPU per KB (" in text
    assert "; put 24 KB binary 1.00 % less (" in text, "not all changes are alike"
    assert "; 1 more case changed by less" in text


def test_what_did_not_change_has_a_bound() -> None:
    text = said(of({"A": 1.0, "B": 1.001, "C": 0.9995}))
    assert text == ("ftp: lwIP 2.1.3 -> 2.2.1. No case's CPU per KB changed by more than 0.24 %.")
    widest = max(c.largest for c in ruling(of({"A": 1.0, "B": 1.001, "C": 0.9995})).changes)
    assert 0.0023 < widest <= 0.0024, "a bound is never rounded down"
    assert said(of({"A": 1.0})).endswith(
        "The case's CPU per KB did not change by more than 0.11 %."
    )


def test_identical_programs_are_exactly_the_same() -> None:
    same = ratio_estimate([5.0] * 2, [5.0] * 2, paired=True, same_program=True)
    assert said([known(c, same) for c in "AB"]).endswith(
        "CPU per KB is exactly the same in all 2 cases."
    )
    near = ratio_estimate([5.0] * 2, [5.0001] * 2, paired=True)
    assert "exactly" not in said([known(c, near) for c in "AB"])


def test_what_is_not_known_is_told() -> None:
    text = said(of({"A": 1.0}, error=0.02))
    assert "Whether it changed is undecided: get 2 MB ASCII changed by -4.1 .. +4.3 %" in text
    text = said([*of({"A": 1.0, "B": 1.0}), known("C", ratio(1.0, 0.02))])
    assert "Whether 1 of 3 cases changed is undecided" in text
    assert "Of the others no case's CPU per KB changed by more than" in text
    alone = Estimate(1.5, 1.5, 1.5, 1, is_ratio=True)
    text = said([known("A", alone)])
    assert "undecided: there is no interval" in text and "50" not in text
    assert "1 case cannot be compared." in said([*of({"A": 1.0}), known("B", None)])


def test_parts_are_never_in_the_sentence() -> None:
    parts = [known(case, ratio(1.5), label) for case in "AB" for label in ("TCPIP", "VM Client")]
    lines = [*of({"A": 1.0, "B": 1.0}), *parts]
    assert said(lines) == said(of({"A": 1.0, "B": 1.0}))
    assert all(c.known.line.label == TOTAL for c in ruling(lines).changes)


def test_four_words_by_an_interval_that_holds_for_all_cases_at_once() -> None:
    lines = [known("A", ratio(1.01)), known("B", ratio(0.99)), known("C", ratio(1.0)),
             known("D", ratio(1.0, 0.01))]  # fmt: skip
    assert [c.verdict for c in ruling(lines).changes] == [DEARER, CHEAPER, SAME, UNDECIDED]
    # 2.5 errors: enough for one case, too little for one of eight
    edge = math.exp(2.5 * SURE)
    assert ruling(of({"A": edge})).changes[0].verdict == DEARER
    many = ruling([known(str(k), ratio(edge)) for k in range(8)])
    assert {c.verdict for c in many.changes} == {SAME}
    assert many.changes[0].lo < 1 < many.changes[0].ratio.lo


def test_less_than_a_thousandth_is_no_change() -> None:
    tiny = of({"A": 1.0009}, error=1e-6)
    assert ruling(tiny).changes[0].verdict == SAME
    assert "did not change by more than 0.091 %" in said(tiny)


def test_the_width_that_was_asked_for_decides_what_is_the_same() -> None:
    lines = of({"A": 1.0, "B": 1.0}, error=0.001)
    assert {c.verdict for c in ruling(lines).changes} == {SAME}
    assert {c.verdict for c in ruling(lines, 0.1).changes} == {UNDECIDED}


def test_a_ratio_of_several_times_is_told_in_times() -> None:
    text = said(of({"A": 10.0, "B": 1.0}, error=0.01))
    assert "10.00 times" in text and "900 %" not in text
    both = said(of({"A": 30.77, "B": 4.0, "C": 3.0}, error=0.001))
    assert "30.77 times as much" in both
    undecided = said(of({"A": 1.4}, error=0.4))
    assert "x 0." in undecided and not re.search(r"x [\d.]+ .. [\d.]+ %", undecided)
    assert not re.search("times (more|less)", text + both + undecided)


def test_a_regression_lies_beyond_a_limit_as_a_whole() -> None:
    rulings = [ruling(of({"A": 1.02, "B": 1.0099, "C": 0.95}))]
    assert [c.known.column.case for c in beyond(rulings, 1.0)] == ["A"]
    assert beyond(rulings, 5.0) == []
    assert [c.known.column.case for c in open_at(rulings, 1.0)] == ["B"]
    alone = [ruling([known("A", Estimate(1.5, 1.5, 1.5, 1, is_ratio=True))])]
    assert beyond(alone, 1.0) == [] and len(open_at(alone, 1.0)) == 1


# What a byte costs


def at_prices(free: float, mine: float, twice: float) -> Ruling:
    """Case A with these ratios where bytes cost nothing, what the model says, and twice that."""
    ends = [judged(comparison(of({"A": x}))) for x in (free, twice)]
    (made,) = priced(judged(comparison(of({"A": mine}))), ends)
    return made


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ((1.004, 1.005, 1.006), DEARER), ((0.996, 0.995, 0.994), CHEAPER),
        ((1.0, 1.0, 1.0), SAME), ((1.04, 1.0, 1.0), DEPENDS), ((1.04, 1.02, 0.96), DEPENDS),
        ((1.0, 1.05, 1.06), DEPENDS), ((1.004, 1.0, 1.0), SAME), ((1.004, 1.002, 0.996), SAME),
    ],
)  # fmt: skip
def test_a_verdict_holds_whatever_a_byte_costs(
    ratios: tuple[float, float, float], verdict: str
) -> None:
    assert [c.verdict for c in at_prices(*ratios).changes] == [verdict]


def test_what_depends_on_the_price_of_a_byte_is_said_with_both_ends() -> None:
    made = at_prices(1.04, 1.02, 0.96)
    text = sentence(SPEC, comparison(of({"A": 1.02})), [made])
    assert text.endswith(
        "The price of a byte decides get 2 MB ASCII: +4.00 % if bytes cost nothing, -4.00 % at"
        " twice the model's price."
    )
    assert not re.search(r"costs|more|less|same", text)


def test_the_bound_is_of_the_cases_that_do_not_depend_on_it() -> None:
    def rulings(a: float) -> list[Ruling]:
        return judged(comparison(of({"A": a, "B": 1.0})))

    (made,) = priced(rulings(1.02), [rulings(1.04), rulings(0.96)])
    text = sentence(SPEC, comparison(of({"A": 1.02, "B": 1.0})), [made])
    assert "price. Of the others no case's CPU per KB changed by more than 0." in text


def test_the_bound_holds_whatever_a_byte_costs() -> None:
    made = at_prices(1.004, 1.0, 0.994)
    assert 0.006 < made.changes[0].largest < 0.008
    text = sentence(SPEC, comparison(of({"A": 1.0})), [made])
    assert text.endswith(" did not change by more than 0.71 %, whatever a byte costs."), text
    shown = at_prices(1.0, 1.004, 1.0)
    text = sentence(SPEC, comparison(of({"A": 1.004})), [shown])
    assert text.endswith(" did not change by more than 0.51 %."), "the table has that interval"


def test_a_limit_is_passed_only_whatever_a_byte_costs() -> None:
    always, sometimes = at_prices(1.02, 1.03, 1.04), at_prices(1.002, 1.02, 1.03)
    assert len(beyond([always], 1.0)) == 1 and not open_at([always], 1.0)
    assert not beyond([sometimes], 1.0) and not open_at([sometimes], 1.0)
    assert len(split_at([sometimes], 1.0)) == 1 and not split_at([always], 1.0)


def test_all_cases_together_are_not_told_if_the_price_turns_them() -> None:
    def rulings(a: float, b: float) -> list[Ruling]:
        return judged(comparison(of({"A": a, "B": b})))

    (made,) = priced(rulings(1.004, 1.004), [rulings(0.996, 0.996), rulings(1.006, 1.006)])
    assert made.pooled is None and not made.pooled_differs
    (kept,) = priced(rulings(1.004, 1.004), [rulings(1.003, 1.003), rulings(1.006, 1.006)])
    assert kept.pooled_differs


# What the compiler's options do


def compiled(**ratios: float) -> Estimate:
    """A ratio of builds with several options, two builds with each; the name O3 is -O3's."""
    names = {f"{name}{k}": f"-{name}" for name in ratios for k in (1, 2)}
    new = [ratios[name] * error for name in ratios for error in (1.0002, 0.9998)]
    each = tuple(names)
    return ratio_estimate([1.0] * len(new), new, paired=True, builds=(each, each), options=names)


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ((1.02, 1.03, 1.04), DEARER), ((0.98, 0.97, 0.96), CHEAPER), ((1.0, 1.0, 1.0), SAME),
        ((1.002, 1.004, 0.998), SAME), ((1.03, 1.02, 0.98), ON_OPTIONS),
        ((0.95, 0.95, 1.0), ON_OPTIONS), ((1.02, 1.0, 0.98), ON_OPTIONS),
    ],
)  # fmt: skip
def test_a_verdict_has_one_sign_with_all_options(
    ratios: tuple[float, float, float], verdict: str
) -> None:
    made = ruling([known("A", compiled(O3=ratios[0], O2=ratios[1], Os=ratios[2]))])
    assert [c.verdict for c in made.changes] == [verdict]


def test_what_depends_on_the_options_is_said_with_each() -> None:
    text = said([known("A", compiled(O3=1.03, O2=1.02, Os=0.98))])
    assert text.endswith(
        "The compiler's options decide get 2 MB ASCII: +3.00 % with -O3, +2.00 % with -O2, -2.00 %"
        " with -Os."
    )


def test_the_bound_holds_with_each_option() -> None:
    made = ruling([known("A", compiled(O3=1.004, O2=1.0, Os=0.992))])
    assert made.changes[0].verdict == SAME and made.changes[0].largest > 0.008


def test_one_option_that_may_be_beyond_is_undecided() -> None:
    options = dict(zip("abcdef", "112233", strict=True))
    wide = ratio_estimate(
        [1.0] * 6, [1.001, 0.999, 1.0, 1.0, 1.014, 1.0], paired=True,
        builds=(tuple(options), tuple(options)), options=options,
    )  # fmt: skip
    assert ruling([known("A", wide)]).changes[0].verdict == UNDECIDED


def test_all_cases_together_are_not_told_if_the_options_turn_them() -> None:
    turned = ruling([known(c, compiled(O3=1.03, O2=1.02, Os=0.99)) for c in "AB"])
    assert turned.pooled is not None and not turned.pooled_differs
    kept = ruling([known(c, compiled(O3=1.03, O2=1.02, Os=1.01)) for c in "AB"])
    assert kept.pooled_differs


def test_a_limit_is_passed_only_with_all_options() -> None:
    always = ruling([known("A", compiled(O3=1.02, O2=1.03, Os=1.04))])
    sometimes = ruling([known("A", compiled(O3=1.02, O2=1.03, Os=1.0))])
    assert beyond([always], 1.0) and not split_at([always], 1.0)
    assert split_at([sometimes], 1.0) and not beyond([sometimes], 1.0)
    assert not open_at([always, sometimes], 1.0)


def test_an_interval_holds_for_each_option() -> None:
    """What an option does is no error of the ratio: builds with one option differ by chance."""
    e = compiled(O3=1.05, O2=1.0, Os=0.95)
    assert e.freedom == 3 and e.error < 0.001
    assert 0.949 < e.lo < 0.95 and 1.05 < e.hi < 1.051
    alone = ratio_estimate(
        [1.0] * 3,
        [1.05, 1.0, 0.95],
        paired=True,
        builds=("abc", "abc"),
        options={"a": "1", "b": "2", "c": "3"},
    )
    assert not alone.has_interval, "one build with each option tells nothing of chance"
