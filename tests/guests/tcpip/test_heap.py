# SPDX-License-Identifier: MIT
"""TCPIP's heap (service/tcpip/heap.c): nothing overlaps, and all of it comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guests.harness import VMKB, Harness, compiled, rooms

HERE = Path(__file__).parent
REST = 1024 * 1024
CELLS = 4096
FULL = "-1"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    port = VMKB / "service" / "tcpip"
    flags = ["-Werror", "-iquote", str(port), *rooms("lib")]
    sources = HERE / "harness.c", port / "heap.c"
    return compiled(tmp_path_factory.mktemp("heap"), flags, *sources)


@pytest.fixture
def heap(program: Path) -> Iterator[Harness]:
    harness = Harness(program)
    yield harness
    harness.end()


SIZES = st.one_of(st.integers(1, 200), st.integers(1, 5000), st.integers(1, REST))


@settings(max_examples=25, deadline=None)
@given(steps=st.lists(st.tuples(st.booleans(), SIZES, st.integers(0, 10**6)), max_size=60))
def test_blocks_do_not_overlap_and_all_is_one_again(
    program: Path, steps: list[tuple[bool, int, int]]
) -> None:
    heap = Harness(program)
    held = []
    for take, size, which in steps:
        if take:
            number = heap.line("take", size)
            held += [] if number == FULL else [number]
        elif held:
            assert heap.line("give", held.pop(which % len(held))) == "same"
    for number in held:
        assert heap.line("give", number) == "same"
    assert heap.line("take", REST - 8) != FULL
    heap.end()


def test_headers_without_a_cell_take_from_the_rest(heap: Harness) -> None:
    for _ in range(CELLS + 100):
        assert heap.line("take", 100) != FULL
    assert heap.line("take", REST - 8) == FULL


def test_full_and_free_again(heap: Harness) -> None:
    held = []
    while (number := heap.line("take", 4000)) != FULL:
        held.append(number)
    assert len(held) == REST // 4008
    for number in held[::2]:
        assert heap.line("give", number) == "same"
    assert heap.line("take", 8000) == FULL
    for number in held[1::2]:
        assert heap.line("give", number) == "same"
    assert heap.line("take", REST - 8) != FULL
    assert heap.line("take", REST + 1) == FULL
