# SPDX-License-Identifier: MIT
"""XEDIT's lines beside a Python list, with sanitizers; and strings that are looked for in them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.harness import VMKB, Harness, compiled, rooms

HERE = Path(__file__).parent
FLAGS = rooms("include", "lib", "fs", "cms", "cms/xedit")
PARTS = ["cms/xedit/pool.c", "cms/xedit/text.c", "cms/xedit/pattern.c", "lib/ctype.c"]
STORAGE = 1 << 20


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    parts = [VMKB / part for part in PARTS]
    return compiled(tmp_path_factory.mktemp("xedit"), FLAGS, HERE / "harness.c", *parts)


@pytest.fixture
def lines(program: Path) -> Iterator[Harness]:
    running = Harness(program)
    yield running
    running.end()


@pytest.mark.parametrize("seed", range(4))
def test_lines_are_where_a_list_has_them(lines: Harness, seed: int) -> None:
    draw, model = random.Random(seed), list[str]()
    for n in range(3000):
        where = draw.choice([len(model), draw.randint(0, len(model)), draw.randint(0, 70)])
        if model and draw.random() < (0.2 if n < 1500 else 0.7):
            k = min(max(where, 1), len(model))
            assert lines.line("remove", k) == "=" + model.pop(k - 1)
        else:
            k, text = min(where, len(model)), f"{n}" * draw.randint(0, 20)
            assert lines.line("insert", k, text) == "=" + text
            model.insert(k, text)
        if model:
            k = draw.randint(1, len(model))
            assert lines.line("at", k) == "=" + model[k - 1]
    assert lines.line("size") == str(len(model))
    assert [lines.line("at", k + 1)[1:] for k in range(len(model))] == model


def test_full_storage_is_said_and_given_back(lines: Harness) -> None:
    for _ in range(3):
        count = 0
        while lines.line("insert", count, "x" * 1000) != "full":
            count += 1
        assert 500 < count < STORAGE // 1000
        assert lines.line("size") == str(count)
        assert lines.line("at", count) == "=" + "x" * 1000
        assert lines.line("again") == str(STORAGE)


LETTERS = st.text("ab", min_size=1, max_size=12)


@given(line=LETTERS, string=st.text("ab$", min_size=1, max_size=5), start=st.integers(0, 4))
def test_strings_are_found_as_by_a_regular_expression(
    program: Path, line: str, string: str, start: int
) -> None:
    if string.count("$") > 1 or start > len(line):
        return
    harness = Harness(program)
    said = harness.line("find", start, len(line), line, string)
    harness.end()
    greedy = ".*" if string.endswith("$") else ".*?"
    found = re.compile(string.replace("$", greedy)).search(line, start)
    expected = f"{found.start()} {found.end() - found.start()}" if found else "no"
    assert said == expected
