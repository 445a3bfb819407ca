# SPDX-License-Identifier: MIT
"""The comment for a pull request: short, and harmless whatever others have written."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.accounting.texts import make_results
from vmkb.accounting.analysis.analyse import Analysis, analyse
from vmkb.accounting.analysis.specification import Specification
from vmkb.accounting.report.github import MARK, MOST, comment, log_lines
from vmkb.accounting.store import read
from vmkb.accounting.tables.grown import (
    FUNCTIONS,
    SIZES,
    Growth,
    Program,
    functions_table,
    sizes_table,
)

CASES = ("G2M_A", "G2M_B", "G24KA", "G24KB", "P2M_A", "P2M_B", "P24KA", "P24KB")
NAMES = ("lwIP 2.1.3", "lwIP 2.2.1")
EVIL = (
    "::set-output name=x::y", "`rm`", "<script>x</script>", "@torvalds", "a\n::error::b",
    "</details>", "#1", "&#64;you", "&commat;you", "|||", "[x](http://evil)", "##[error]",
    "-->", "\\", "![i](j)", "</summary><img src=x>", "\u202e",
)  # fmt: skip


@cache
def eight() -> Analysis:
    """Eight cases under two releases, with sizes and functions."""
    with TemporaryDirectory() as folder:
        trials = read(make_results(Path(folder), cases=CASES)).trials
    spec = Specification(name="ftp", cases={c: f"case {c}" for c in CASES})
    return told(analyse(trials, spec), "tcp_input", "get 2 MB")


@pytest.fixture
def found() -> Analysis:
    return eight()


def told(made: Analysis, function: str, case: str) -> Analysis:
    base, new = Program(1000, 8, 90, 240, function, 70), Program(1200, 8, 80, 312, function, 70)
    growth = Growth({f"tcp.c {function}": 2.0, "tcp.c b": -1.0, "tcp.c c": 0.01}, 1.0)
    more = (sizes_table(base, new, NAMES, case, "-O3"),
            functions_table(growth, NAMES, case, "TCPIP"))  # fmt: skip
    kept = [t for t in made.tables if t.name not in (SIZES, FUNCTIONS)]
    return replace(made, tables=(*kept, *(t for t in more if t)))


def unfolded(text: str) -> list[str]:
    """What is seen before anything is unfolded: lines with something on them, a fold as one."""
    seen = re.sub(r"<details>.*?</details>", "fold", text, flags=re.S)
    return [line for line in seen.splitlines() if line]


def test_a_comment_has_at_most_25_lines(found: Analysis) -> None:
    text = comment(found, 1.0)
    assert text.startswith(f"{MARK}\n**vmkb: ") and len(unfolded(text)) <= 25
    (sizes,) = (line for line in unfolded(text) if line.startswith("Bytes: "))
    assert sizes == (
        "Bytes: text 1,000 -\\> 1,200 (+200), program's bss 90 -\\> 80 (-10), largest frame"
        " tcp\\_input 240 -\\> 312 (+72); the same: program's data 8, RAM at most 70."
    )
    assert [len(re.findall(rf"case {c.replace('_', '.{1,2}')} ", text)) for c in CASES] == [1] * 8


def test_notes_are_there_once_in_a_fold(found: Analysis) -> None:
    text = comment(found, 1.0)
    assert text.count("CPU through model") == 1 and text.count("<details>") == 3
    assert not any("CPU through model" in line for line in unfolded(text))
    assert "| tcp.c tcp\\_input | +2.0 |" in text and "tcp.c c" not in text


def test_one_program_has_no_sizes(found: Analysis) -> None:
    same = [replace(t, params={**t.params, "program": "x"}) for t in found.trials]
    text = comment(replace(found, trials=tuple(same)), 1.0)
    assert "The programs of all releases are the same, byte for byte." in text
    assert "Bytes: " not in text


@given(st.text(max_size=300) | st.sampled_from(EVIL), st.sampled_from(EVIL))
@settings(max_examples=60, deadline=None)
@example("x" * 2000, "@" * 3000)
def test_a_comment_is_harmless_whatever_others_wrote(words: str, more: str) -> None:
    found = eight()
    evil = f"{more} {words} {more}"
    spec = replace(found.specification, cases=dict.fromkeys(CASES, evil),
                   releases=dict.fromkeys(("2.1.3", "2.2.1"), evil))  # fmt: skip
    made = replace(found, specification=spec, sentence=evil, doubts=(evil,) * 3, notes=(evil,))
    text = comment(told(made, evil, evil), 1.0)
    lines = text.splitlines()
    assert lines[0] == MARK and len(text) <= MOST + len(MARK) + 1000
    summaries = re.findall(r"<summary>(.*)</summary>", text)
    assert len(summaries) == 3 and not any("<" in said for said in summaries)
    ours = re.sub(r"<details><summary>.*</summary>|</details>", "", text.removeprefix(MARK))
    assert not re.search(r"(?<!\\)[<`]|(?<!\\)\]\(|(?<!\\)&\w+;", ours)
    apart = text.replace("&#8203;", "\0")
    assert not re.search(r"[@#][\w/-]|(?<!\\)&#", apart)
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in lines)
    assert text.count("<details>") == text.count("</details>")
    assert all(x.startswith("::") and "\n" not in x for x in log_lines(made, 1.0))


def test_a_long_comment_leaves_folds_out(found: Analysis) -> None:
    long = replace(found, notes=tuple(f"{n} {'x' * 2000}" for n in range(40)))
    text = comment(long, 1.0)
    assert len(text) <= MOST + 200 and "case G2M" in text and "Notes" not in text


def test_a_results_folder_without_sizes_is_told_as_before(tmp_path: Path) -> None:
    made = analyse(read(make_results(tmp_path / "r")).trials, Specification(name="ftp"))
    assert "Bytes" not in comment(made, 1.0)
