# SPDX-License-Identifier: MIT
"""The program stack against a model made of lists; small, so that it fills up."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.guests.cms.conftest import Ask

CELLS, TEXT, BUFFERS = 128, 46, 16

LINES = st.text(alphabet="abc ", max_size=200)
STEP = st.one_of(
    st.tuples(st.sampled_from("qp"), LINES),
    st.tuples(st.just("g"), st.sampled_from(["500", "10", "0"])),
    st.tuples(st.just("m"), st.just("")),
    st.tuples(st.just("d"), st.integers(0, 3).map(str)),
    st.tuples(st.just("c"), st.just("")),
)


def cells(line: str) -> int:
    return max(1, -(-len(line) // TEXT))


def model(buffers: list[list[str]], op: str, text: str) -> list[str]:
    """What the stack should answer; `buffers` is changed as the stack should be."""
    if op in "qp":
        used = sum(cells(line) for lines in buffers for line in lines)
        if used + cells(text) > CELLS:
            return ["1"]
        buffers[-1].insert(0 if op == "p" else len(buffers[-1]), text)
        return ["0"]
    if op == "g":
        for lines in reversed(buffers):
            if lines:
                line = lines.pop(0)[: int(text)]
                return [str(len(line)), line]
        return ["-1"]
    if op == "m":
        if len(buffers) == BUFFERS:
            return ["0"]
        buffers.append([])
        return [str(len(buffers) - 1)]
    if op == "d":
        number = int(text) or len(buffers) - 1
        if not 1 <= number < len(buffers):
            return ["0"]
        del buffers[number:]
        return ["1"]
    del buffers[1:]
    buffers[0].clear()
    return []


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(steps=st.lists(STEP, max_size=60))
def test_the_stack_is_lists_of_lines(
    start: Callable[[], Ask], steps: list[tuple[str, str]]
) -> None:
    ask = start()
    buffers: list[list[str]] = [[]]
    for op, text in steps:
        expected = model(buffers, op, text)
        expected.append(str(sum(len(lines) for lines in buffers)))
        assert ask(f"s{op}{text}") == expected


def test_it_takes_what_storage_allows_and_all_of_it_again(start: Callable[[], Ask]) -> None:
    ask = start()
    line = "x" * (3 * TEXT)
    for _ in range(2):
        said = [ask(f"sq{line}")[0] for _ in range(CELLS // 3 + 1)]
        assert said == ["0"] * (CELLS // 3) + ["1"]
        assert ask("sqshort")[0] == "0"  # two cells are left of the last refusal
        ask("sc")
