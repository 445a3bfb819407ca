# SPDX-License-Identifier: MIT
"""A trail's tables and plot: which commits are steps, what is told of those without a cost."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from vmkb.accounting.analysis.analyse import of_tables
from vmkb.accounting.report.formats import render
from vmkb.accounting.report.plots import shown
from vmkb.accounting.report.svg import svg
from vmkb.accounting.tables.trail import Point, changes, sentence, steps, tables, version

COSTS = (7.178, 7.178, 7.165, None, 7.123, 8.700, 7.121)
"""Costs of seven commits. The second is the program of the first; the fourth does not build."""


def points(costs: tuple[float | None, ...] = COSTS) -> list[Point]:
    """A commit for each of COSTS."""
    return [
        Point(f"{n:x}" * 40, f"2018-01-0{n + 1}", f"commit <{n}>", cost, cost and cost - 1,
              f"program {cost}" if cost else "", "" if cost else "tcp.c:3: error: x")
        for n, cost in enumerate(costs)
    ]  # fmt: skip


def test_a_change_is_from_the_last_commit_with_a_cost() -> None:
    found = changes(points())
    assert [c.same for c in found] == [False, True, False, False, False, False, False]
    assert found[0].value is None and found[3].value is None
    assert found[4].value == pytest.approx(7.123 / 7.165 - 1)
    assert found[4].before == points()[2]


def test_steps_are_what_is_beyond_the_threshold() -> None:
    assert [c.point.short[0] for c in steps(points(), 0.003)] == ["4", "5", "6"]
    assert [c.point.short[0] for c in steps(points(), 0.001)] == ["2", "4", "5", "6"]


def test_the_tables_have_steps_failures_and_all_commits() -> None:
    beyond, releases, failed, every = tables(points(), "G2M_B", 0.003, "TCPIP")
    assert [r.label for r in beyond.body[0].rows] == ["1", "2", "3"]
    assert [c.text for c in beyond.body[0].rows[1].cells] == [
        "5555555555", "2018-01-06", "commit <5>", "8.700", "+22.14", "7.700",
    ]  # fmt: skip
    assert "more than 0.3 %" in beyond.notes[0]
    assert [c.text for c in failed.body[0].rows[0].cells] == ["2018-01-04", "tcp.c:3: error: x"]
    assert [r.cells[3].text for r in every.body[0].rows] == [
        "", "=", "-0.18", "", "-0.59", "+22.14", "-18.15",
    ]  # fmt: skip
    assert len(tables([p for p in points() if p.total], "G2M_B", 0.003, "TCPIP")) == 3
    assert [r.label[:2] for r in releases.body[0].rows] == ["00", "66"]
    assert beyond.body[0].rows[1].link == "step-5555555555.html"


def test_releases_have_costs_sizes_and_their_place_in_the_plots() -> None:
    found = [replace(p, sizes=(1000 + 8 * n, 10, 99)) for n, p in enumerate(points())]
    found[2] = replace(found[2], tags=("STABLE-2_1_0_RELEASE",))
    beyond, releases, *_, every = tables(found, "G2M_B", 0.003, "TCPIP")
    assert [c.text for c in releases.body[0].rows[1].cells] == [
        "2222222222", "2018-01-03", "7.165", "-0.18", "6.165", "1016", "10", "99", "+16",
    ]  # fmt: skip
    assert beyond.body[0].rows[0].cells[-1].text == "+16"
    assert every.body[0].rows[3].cells[-3].text == "1024", "a commit that fails has a size"
    for table in (beyond, releases):
        assert ">2.1.0<" in svg(table.plots[0])
    assert "The text of TCPIP went from 1000 to 1048 bytes." in sentence(found, "G", 1, "TCPIP")


@pytest.mark.parametrize(
    "tag, said",
    [("STABLE-2_1_0_RELEASE", "2.1.0"), ("V4.2.1", "4.2.1"), ("v6.1-rc3", "6.1-rc3"),
     ("STABLE-2_2_0_RC1", "2.2.0.RC1"), ("a-name-without-a-number", "a-name-without")],
)  # fmt: skip
def test_a_tag_is_called_by_its_version(tag: str, said: str) -> None:
    assert version(tag) == said


def test_a_sentence_says_from_where_to_where() -> None:
    said = sentence(points(), "G2M_B", 0.003, "TCPIP")
    assert "from 7.178 to 7.121 us of CPU, -0.79 %" in said
    assert "7 commits were measured, with 5 different programs; 3 changed" in said
    assert said.endswith("1 has no cost.")
    assert "none of 2 commits has a cost" in sentence(points((None, None)), "G2M_B", 0.003, "TCPIP")


def test_the_plot_marks_steps_and_failures_and_shows_dates() -> None:
    (plot,) = tables(points(), "G2M_B", 0.003, "TCPIP")[0].plots
    drawn = svg(plot)
    assert re.findall("<title>([123]): ", drawn) == ["1", "2", "3"]
    assert all(f">{k}</text>" in drawn for k in "123"), "numbered for those who see it"
    assert "no cost: 2018-01-04 3333333333 commit &lt;3&gt;" in drawn
    assert "2: 2018-01-06 5555555555 commit &lt;5&gt;: 8.7 us/KB" in drawn
    assert ">2018-01-01<" in drawn and ">2018-01-07<" in drawn
    (none,) = tables(points((None, None)), "G2M_B", 0.003, "TCPIP")[0].plots
    assert svg(none) == ""


def test_one_cost_far_off_does_not_flatten_the_others() -> None:
    costs = (*(7.1 + 0.001 * n for n in range(98)), 8.7, 8.7)
    assert shown(costs) == (7.1, pytest.approx(7.197))
    assert shown((7.0, 7.1, 7.2)) == (7.0, 7.2)
    few = tuple(7.1 + 0.001 * (n % 50) for n in range(98))
    drawn = svg(tables(points_of(few), "G2M_B", 0.1, "TCPIP")[0].plots[0])
    odd = svg(tables(points_of((*few, 8.7, 8.7)), "G2M_B", 0.1, "TCPIP")[0].plots[0])
    assert ">8.7<" not in drawn and odd.count(">8.7<") == 1


def points_of(costs: tuple[float, ...]) -> list[Point]:
    """A commit of its own program for each of COSTS."""
    return [Point(f"{n:040}", "2018-01-01", "x", c, c, str(c)) for n, c in enumerate(costs)]


def test_the_page_has_plot_and_tables() -> None:
    found = of_tables(
        tables(points(), "G2M_B", 0.003, "TCPIP"), sentence(points(), "G2M_B", 0.003, "TCPIP")
    )
    page = render(found, "html", title="vmkb trail t")
    assert page.count("<svg") == 1 and "Commits without a cost" in page
    assert page.index('class="answer"') < page.index("<svg") < page.index("All commits")
