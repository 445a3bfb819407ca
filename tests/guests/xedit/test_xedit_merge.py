# SPDX-License-Identifier: MIT
"""MERGE beside the same with a Python list, and RENUM's numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.guests.harness import VMKB, Harness, compiled, rooms

HERE = Path(__file__).parent
FLAGS = rooms("include", "lib", "fs", "cms", "cms/xedit", "cms/xedit/sub")
XEDIT = ("pool", "text", "pattern", "lines", "operands", "target", "views", "sub/merge")
PARTS = [*(f"cms/xedit/{part}.c" for part in XEDIT), "lib/ctype.c", "lib/fmt.c"]
TRUNC = 20
DONE, CUT, OVERLAP, WRONG = 0, 3, 1, 5


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    parts = [VMKB / part for part in PARTS]
    return compiled(tmp_path_factory.mktemp("merge"), FLAGS, HERE / "merge.c", *parts)


@pytest.fixture
def file(program: Path) -> Iterator[Harness]:
    running = Harness(program)
    yield running
    running.end()


def fill(file: Harness, lines: Sequence[str], filetype: str = "TEXT") -> None:
    assert file.line("type", filetype) == "0"
    for line in lines:
        assert file.line("add", line) == "0"


def shown(file: Harness) -> tuple[list[str], int]:
    *lines, current = file.lines("show")
    return [line[1:] for line in lines], int(current)


def merged(
    lines: list[str], current: int, count: int, to: int, column: int
) -> tuple[int, list[str], int]:
    """Return code, lines and the current line of MERGE; lines and columns count from 1."""
    if not max(current - count, 0) < to < current + count:
        group, made, rc = lines[current - 1 : current - 1 + count], list(lines), DONE
        for k, over in enumerate(group, to - 1):
            if k == len(made):
                made.append("")
            text, room = [*made[k].ljust(TRUNC)], TRUNC - column + 1
            rc = CUT if len(over) > room else rc
            for at, char in enumerate(over[:room], column - 1):
                if char != " ":
                    text[at] = " " if char == "_" else char
            made[k] = "".join(text).rstrip()
        del made[current - 1 : current - 1 + count]
        last = to + len(group) - 1
        return rc, made, last if to < current else last - len(group)
    return OVERLAP, lines, current


@pytest.mark.parametrize("seed", range(200))
def test_lines_are_merged_as_in_a_list(file: Harness, seed: int) -> None:
    draw = random.Random(seed)
    lines = [
        "".join(draw.choices("ab _", k=draw.randint(0, TRUNC))).rstrip()
        for _ in range(draw.randint(2, 9))
    ]
    current = draw.randint(1, len(lines))
    count = draw.randint(1, len(lines) - current + 1)
    to = draw.randint(0, len(lines) + 1)
    column = draw.choice([1, 1, draw.randint(1, TRUNC)])
    fill(file, lines)
    rc, made, line = merged(lines, current, count, max(to, 1), column)
    words = [count, f":{to}"] if column == 1 else [count, f":{to}", column]
    assert file.line("merge", current, *words) == str(rc)
    assert shown(file) == (made, line)


@pytest.mark.parametrize(
    ("filetype", "operands", "numbers"),
    [
        ("VSBASIC", "", ["00010", "00020", "00030"]),
        ("VSBASIC", "5", ["00005", "00010", "00015"]),
        ("FREEFORT", "5 1", ["00000005", "00000006", "00000007"]),
        ("VSBASIC", "99997 1", ["99997", "99998", "99999"]),
        ("FREEFORT", "99999997 1", ["99999997", "99999998", "99999999"]),
    ],
)
def test_statements_are_numbered(
    file: Harness, filetype: str, operands: str, numbers: list[str]
) -> None:
    width = len(numbers[0])
    fill(file, ["1".ljust(width) + "LET A=1", "7", ""], filetype)
    assert file.line("renum", 2, operands) == "0"
    assert shown(file) == ([numbers[0] + "LET A=1", *numbers[1:]], 2)


@pytest.mark.parametrize(
    ("filetype", "lines", "operands"),
    [
        ("TEXT", ["1"], ""),
        ("VSBASIC", ["1", "2"], "99999 1"),
        ("VSBASIC", ["1", "2", "3"], "1 50000"),
        ("VSBASIC", ["1"], "100000"),
        ("VSBASIC", ["1", "12 LET"], ""),
        ("VSBASIC", ["L"], ""),
        ("FREEFORT", ["1", "12345 LE"], ""),
        ("VSBASIC", ["1"], "0"),
        ("VSBASIC", ["1"], "1 0"),
        ("VSBASIC", ["1"], "1 x"),
        ("VSBASIC", ["1"], "1 1 1"),
    ],
)
def test_nothing_is_numbered_where_not_all_is(
    file: Harness, filetype: str, lines: list[str], operands: str
) -> None:
    fill(file, lines, filetype)
    assert file.line("renum", 1, operands) == str(WRONG)
    assert shown(file)[0] == lines
