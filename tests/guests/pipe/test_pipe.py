# SPDX-License-Identifier: MIT
"""PIPE's stages on the host, with sanitizers, beside what the same means in Python."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.guests.harness import VMKB, Harness, compiled, rooms

HERE = Path(__file__).parent
FLAGS = rooms("include", "lib", "fs", "cms", "cms/pipe", "cms/commands")
PARTS = (
    "absent", "device", "edit", "flow", "operand", "pipe", "select", "specs", "streams", "whole",
)  # fmt: skip
DRAWN = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
LINE = st.text("ab ,xY", max_size=12)
LINES = st.lists(LINE, max_size=9)


class Pipes(Harness):
    """The stages while they run."""

    def run(self, pipeline: str, lines: list[str] | None = None) -> tuple[list[str], int]:
        """What the console shows of these lines, and PIPE's return code."""
        for line in lines or []:
            self.tell(f"+{line}")
        self.tell(f"|{pipeline}")
        shown: list[str] = []
        while (answer := self.answer()).startswith("="):
            shown.append(answer[1:])
        return shown, int(answer[1:])

    def stage(self, stages: str, lines: list[str]) -> list[str]:
        """What becomes of the lines."""
        shown, rc = self.run(f"stack | {stages} | console", lines)
        assert rc == 0, (stages, shown)
        return shown


@pytest.fixture(scope="module")
def pipes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipes]:
    parts = [VMKB / "cms" / "pipe" / f"{part}.c" for part in PARTS]
    parts += [
        VMKB / "cms" / "arg.c",
        VMKB / "cms" / "sorted.c",
        VMKB / "lib" / "ctype.c",
        VMKB / "lib" / "fmt.c",
    ]
    running = Pipes(compiled(tmp_path_factory.mktemp("pipe"), FLAGS, HERE / "harness.c", *parts))
    yield running
    running.end()


@DRAWN
@given(lines=LINES, n=st.integers(0, 10))
def test_take_and_drop(pipes: Pipes, lines: list[str], n: int) -> None:
    assert pipes.stage(f"take {n}", lines) == lines[:n]
    assert pipes.stage(f"drop {n}", lines) == lines[n:]
    assert pipes.stage(f"take last {n}", lines) == lines[max(0, len(lines) - n) :]
    assert pipes.stage(f"drop last {n}", lines) == lines[: max(0, len(lines) - n)]
    assert pipes.stage("take *", lines) == lines


@DRAWN
@given(lines=LINES, text=st.text("abxY,", min_size=1, max_size=2), a=st.integers(1, 6))
def test_locate(pipes: Pipes, lines: list[str], text: str, a: int) -> None:
    has = [line for line in lines if text in line]
    assert pipes.stage(f"locate /{text}/", lines) == has
    assert pipes.stage(f"nlocate /{text}/", lines) == [x for x in lines if x not in has]
    assert pipes.stage(f"locate anycase /{text}/", lines) == [
        x for x in lines if text.lower() in x.lower()
    ]
    assert pipes.stage(f"locate {a}-{a + 3} /{text}/", lines) == [
        x for x in lines if text in x[a - 1 : a + 3]
    ]
    assert pipes.stage(f"locate {a}", lines) == [x for x in lines if len(x) >= a]
    assert pipes.stage(f"locate word {a} /{text}/", lines) == [
        x for x in lines if len(x.split(" ")) and text in dict(enumerate(x.split(), 1)).get(a, "")
    ]


@DRAWN
@given(lines=LINES)
def test_sort_and_unique(pipes: Pipes, lines: list[str]) -> None:
    groups = [list(g) for _, g in itertools.groupby(sorted(lines))]
    assert pipes.stage("sort", lines) == sorted(lines)
    assert pipes.stage("sort descending", lines) == sorted(lines, reverse=True)
    assert pipes.stage("sort 2-3", lines) == sorted(lines, key=lambda x: x[1:3])
    assert pipes.stage("sort 2-3 d 1 a", lines) == sorted(
        sorted(lines, key=lambda x: x[:1]), key=lambda x: x[1:3], reverse=True
    )
    assert pipes.stage("sort unique", lines) == [g[0] for g in groups]
    assert pipes.stage("sort count", lines) == [f"{len(g):10}{g[0]}" for g in groups]
    beside = [list(g) for _, g in itertools.groupby(x.rstrip() for x in lines)]
    kept = [x.rstrip() for x in pipes.stage("unique", lines)]
    assert kept == [g[-1] for g in beside]
    assert [x.rstrip() for x in pipes.stage("unique multiple", lines)] == [
        x for g in beside if len(g) > 1 for x in g
    ]
    assert [x.rstrip() for x in pipes.stage("unique singles", lines)] == [
        g[0] for g in beside if len(g) == 1
    ]


@DRAWN
@given(lines=LINES, old=st.text("abx", min_size=1, max_size=2), new=st.text("ab,", max_size=3))
def test_change(pipes: Pipes, lines: list[str], old: str, new: str) -> None:
    assert pipes.stage(f"change /{old}/{new}/", lines) == [x.replace(old, new) for x in lines]
    assert pipes.stage(f"change /{old}/{new}/ 1", lines) == [x.replace(old, new, 1) for x in lines]
    assert pipes.stage(f"change 3-5 /{old}/{new}/", lines) == [
        x[:2] + x[2:5].replace(old, new) + x[5:] for x in lines
    ]


@DRAWN
@given(lines=LINES, n=st.integers(0, 14))
def test_shapes(pipes: Pipes, lines: list[str], n: int) -> None:
    assert pipes.stage("strip", lines) == [x.strip(" ") for x in lines]
    assert pipes.stage("strip leading anyof / a/", lines) == [x.lstrip(" a") for x in lines]
    assert pipes.stage("strip trailing x 1", lines) == [x.removesuffix("x") for x in lines]
    assert pipes.stage(f"chop {n}", lines) == [x[:n] for x in lines]
    assert pipes.stage("chop before ,", lines) == [x.split(",")[0] for x in lines]
    assert pipes.stage(f"pad {n} *", lines) == [x.ljust(n, "*") for x in lines]
    assert pipes.stage(f"pad left {n}", lines) == [x.rjust(n) for x in lines]
    assert pipes.stage("xlate", lines) == [x.upper() for x in lines]
    assert pipes.stage("xlate a-b x-y x-y a-b", lines) == [
        x.translate(str.maketrans("abxy", "xyab")) for x in lines
    ]
    assert pipes.stage("reverse", lines) == [x[::-1] for x in lines]
    assert pipes.stage("dup 2", lines) == [x for x in lines for _ in range(3)]


@DRAWN
@given(lines=LINES, n=st.integers(0, 4))
def test_split_and_join(pipes: Pipes, lines: list[str], n: int) -> None:
    words = [w for x in lines for w in (x.split(" ") if x else [""]) if w or not x]
    assert pipes.stage("split", lines) == words
    assert pipes.stage("split /,/", lines) == [
        w for x in lines for w in (x.split(",") if x else [""]) if w or not x
    ]
    together = ["/".join(lines[i : i + n + 1]) for i in range(0, len(lines), n + 1)]
    assert pipes.stage(f"join {n} ./.", lines) == together
    assert pipes.stage("join * /+/", lines) == (["+".join(lines)] if lines else [])


@DRAWN
@given(lines=LINES, a=st.integers(1, 5), b=st.integers(0, 5))
def test_specs(pipes: Pipes, lines: list[str], a: int, b: int) -> None:
    assert pipes.stage(f"specs {a}-{a + b} 1", lines) == [x[a - 1 : a + b] for x in lines]
    assert pipes.stage(f"specs 1-* {a}", lines) == [" " * (a - 1) + x for x in lines]
    assert pipes.stage("specs -2;-1 1", lines) == [x[-2:] for x in lines]
    assert pipes.stage("specs recno 1.3 right 1-* nextword", lines) == [
        f"{i:3} {x}" for i, x in enumerate(lines, 1)
    ]
    assert pipes.stage("specs word 2 1.5 right /|/ next word 1 next".replace("|", "!"), lines) == [
        f"{dict(enumerate(x.split(' ') and x.split(), 1)).get(2, ''):>5}"[-5:] + "!"
        + dict(enumerate(x.split(), 1)).get(1, "")
        for x in lines
    ]  # fmt: skip
    assert pipes.stage("specs fs , field 2 1", lines) == [
        (x.split(",") + [""])[1] for x in lines
    ]  # fmt: skip


def test_count_and_literals(pipes: Pipes) -> None:
    lines = ["one two", "", " three"]
    assert pipes.stage("count lines words chars", lines) == ["13 3 3"]
    assert pipes.run("literal b|literal a|console") == (["a", "b"], 0)
    assert pipes.run("literal a | take 0 | count lines | console") == (["0"], 0)
    assert pipes.run("literal x| dup * | take 3 | console") == (["x"] * 3, 0)


@pytest.mark.parametrize(
    ("stage", "line", "becomes"),
    [
        ("change x6162 x63", "xabx", "xcx"),
        ("change x61 /%/", "b0a", "b0%"),
        ("change /x0/y/", "ax0", "ay"),
        ("change (1-2 5.2) /a/b/", "aaaaaaa", "bbaabba"),
        ("change (w2) /a/b/", "aa aa aa", "aa bb aa"),
        ("specs ws , word 2 1", "a,,b", "b"),
        ("specs wordsep , w2 1", "a,,b", "b"),
        ("specs fieldsep , f2 1", "a,,b", ""),
        ("specs fields 2 1", "a\tb", "b"),
        ("specs f2 1", "a\tb", "b"),
        ("specs words 2-3 1", " a b  c d", "b  c"),
        ("specs word -1 1", "a b c", "c"),
        ("specs 2.1 1 3.1 next", "abc", "bc"),
        ("specs 1-* 1 /x/ 3.4 center", "abcdefgh", "ab x  gh"),
        ("specs 1-* 1.3 right", "abcd", "bcd"),
        ("specs pad 0 number from 5 by 2 1.4 right", "x", "0005"),
        ("specs 1-* c2x 1", "ab", "6162"),
        ("specs 1-* x2c 1", "6162", "ab"),
        ("specs 1-* strip 1 /!/ next", "  a  ", "a!"),
        ("xlate 2-3 upper", "abcd", "aBCd"),
        ("xlate a 41 blank *", "a b", "A*b"),
        ("split before anyof /,;/ | join *", "a,b;c", "a,b;c"),
        ("split after , | join * /|/".replace("/|/", "/!/"), "a,b", "a,!b"),
        ("chop after string /bc/", "abcd", "abc"),
        ("chop not a", "aab", "aa"),
        ("strip both not a", "xxaxx", "a"),
    ],
)
def test_operands(pipes: Pipes, stage: str, line: str, becomes: str) -> None:
    assert pipes.stage(stage, [line]) == [becomes]


def test_labels_and_groups(pipes: Pipes) -> None:
    lines = ["head", "from 1", "in", "to 1", "between", "from 2", "in 2"]
    assert pipes.stage("tolabel to", lines) == lines[:3]
    assert pipes.stage("frlabel to", lines) == lines[3:]
    assert pipes.stage("between /from/ /to/", lines) == lines[1:4] + lines[5:]
    assert pipes.stage("inside /from/ /to/", lines) == [lines[2], lines[6]]
    assert pipes.stage("outside /from/ 2", lines) == [lines[0], *lines[3:5]]
    assert pipes.stage("find in_2", lines) == ["in 2"]
    assert pipes.stage("nfind f om", lines) == [x for x in lines if not x.startswith("from")]


def test_variables_and_commands(pipes: Pipes) -> None:
    assert pipes.run("stack | stem S. | hole", ["a", "b"]) == ([], 0)
    assert pipes.run("stem S. | console") == (["a", "b"], 0)
    assert pipes.run("literal c| stem S. append | var V | hole") == ([], 0)
    assert pipes.run("var V | literal n:| join * | console") == (["n:c"], 0)
    assert pipes.run("var S.0 | console") == (["3"], 0)
    assert pipes.run("literal q 1| cp q 2 | console") == (["CP q 2 ", "DONE", "CP q 1", "DONE"], 7)
    assert pipes.run("cms listfile | take 1 | console") == (["listfile"], 4)
    assert pipes.run("command listfile| hole") == ([], -3)


def beside(stage: str, lines: list[str], pipes: Pipes) -> tuple[list[str], list[str]]:
    """What a stage lets through, and what comes from its second stream."""
    shown = [
        pipes.run(
            f"(end ?) stack | s: {stage} | {first} | console ? s: | {second} | console", lines
        )
        for first, second in (("buffer", "hole"), ("hole", "buffer"))
    ]
    assert [rc for _, rc in shown] == [0, 0]
    return shown[0][0], shown[1][0]


@DRAWN
@given(LINES, st.integers(0, 4))
def test_what_is_not_let_through_comes_from_the_second_stream(
    pipes: Pipes, lines: list[str], n: int
) -> None:
    for stage, no in (("locate /a/", "nlocate /a/"), ("find a", "nfind a"),
                      ("strfind /a/", "strnfind /a/"), ("outside /a/ /b/", "between /a/ /b/"),
                      ("tolabel a", "frlabel a"), (f"take {n}", f"drop {n}"),
                      (f"drop last {n}", f"take last {n}")):  # fmt: skip
        through, rest = beside(stage, lines, pipes)
        assert (through, rest) == (pipes.stage(stage, lines), pipes.stage(no, lines))
        assert beside(no, lines, pipes) == (rest, through)


@DRAWN
@given(LINES)
def test_streams_meet_again(pipes: Pipes, lines: list[str]) -> None:
    first, second = [x for x in lines if "a" in x], [x for x in lines if "a" not in x]
    marked = "(end ?) stack | l: locate /a/ | f: {} | console ? l: | f:"
    assert pipes.run(marked.format("faninany"), lines) == (lines, 0)
    assert pipes.run(marked.format("fanin"), lines) == (first + second, 0)
    assert pipes.run(marked.format("fanin 1 0"), lines) == (second + first, 0)
    assert pipes.run(marked.format("fanin 1"), lines) == (second, 0)
    twice = "(end ?) stack | f: fanout | change //1/ | g: fanin | console ? f: | change //2/ | g:"
    assert pipes.run(twice, lines) == ([f"{n}{x}" for n in (1, 2) for x in lines], 0)


@pytest.mark.parametrize(
    ("pipeline", "shown"),
    [
        ("(end ?) f: fanin | console ? literal a | f: ? literal b| f:", ["a ", "b"]),
        ("(end ?) stack | t: take 1 | console ? t: | take 1 | console", ["x", "y"]),
        ("(end ?) stack | a: locate /x/ ? a: | b: locate /y/ ? b: | console", ["z"]),
        ("(end ?) stack | f: fanout | take 1 | console ? f: | take 2 | console", ["x", "x", "y"]),
        ("(end ?) literal a | hole ? literal b| console", ["b"]),
        ("(stagesep ! end ?) literal a:b ! console ? literal c", ["a:b "]),
        ("stack | strliteral /head/ | console", ["head", "x", "y", "z"]),
        ("stack | strliteral append /tail/ | console", ["x", "y", "z", "tail"]),
        ("strliteral / alone / | console", [" alone "]),
    ],
)
def test_rows_and_streams(pipes: Pipes, pipeline: str, shown: list[str]) -> None:
    assert pipes.run(pipeline, ["x", "y", "z"]) == (shown, 0)
    pipes.run("stack | hole")


@pytest.mark.parametrize(
    ("pipeline", "rc", "said"),
    [
        ("", 11, "FPLSCA011E Null or blank parameter list found"),
        ("literal a || console", 12, "FPLSCA012E Null stage found"),
        (
            "(end ?) literal a | hole ? a: | hole",
            2700,
            "FPLSCA2700E Label A is not declared before",
        ),
        ("(end ?) a: literal a ? a: hole", 2700, "FPLSCA2700E Label A is declared or too long"),
        ("a: literal a | a: | hole", 2700, "FPLSCA2700E LITERAL has no input stream 1 in VM/KB"),
        (
            "(end ?) literal a | a: sort ? a: | hole",
            2700,
            "FPLSCA2700E SORT has no output stream 1 in VM/KB",
        ),
        (
            "(end ?) literal a | a: find x ? a: | hole ? a: | hole",
            2700,
            "FPLSCA2700E FIND has no output stream 2 in VM/KB",
        ),
        (
            "(end ?) literal a | f: faninany | l: locate /b/ ? l: | f:",
            2705,
            "FPLSCA2705E Records would go in a circle",
        ),
        ("(end ?) literal a | hole ? literal b | nosuch", 27, "FPLSCA027E Entry point NOSUCH"),
        ("literal a | fanin 1 0 1", 111, "FPLSCA111E Operand 1 is not valid"),
        ("literal a | fanin 10", 111, "FPLSCA111E Operand 10 is not valid"),
        ("strliteral a b", 60, "FPLSCA060E Delimiter missing after string"),
        ("(end ?", 17, "FPLSCA017E Missing ending parenthesis"),
        ("literal a | nosuch", 27, "FPLSCA027E Entry point NOSUCH not found"),
        ("literal a | literal b | < A B", 87, "FPLSCA087E This stage must be the first"),
        ("sort", 127, "FPLSCA127E This stage cannot be first in a pipeline"),
        ("literal a | lookup", 2700, "FPLSCA2700E Stage LOOKUP is not in VM/KB"),
        ("literal a | locate", 113, "FPLSCA113E Required operand missing"),
        ("literal a | locate /a", 60, "FPLSCA060E Delimiter missing after string"),
        ("literal a | locate /a/ b", 112, 'FPLSCA112E Excessive options "b"'),
        ("literal a | locate xabc", 65, "FPLSCA065E Hexadecimal data not valid"),
        ("literal a | take -1", 66, "FPLSCA066E Number cannot be negative"),
        ("literal a | sort 5-2", 111, "FPLSCA111E Operand 5-2 is not valid"),
        ("literal a | count all", 111, "FPLSCA111E Operand ALL is not valid"),
        ("literal a | specs 1-*", 113, "FPLSCA113E Required operand missing"),
        ("literal a | specs select 1 1-* 1", 2702, "FPLSCA2702E SELECT"),
        ("literal a | pad 5 bad", 50, "FPLSCA050E Not a character"),
        ("< NO SUCH", 146, "FPLDFR146E File NO SUCH * does not exist"),
        ("stem T. | console", 2704, "FPLVAR2704E Variable T.0 is no number"),
        ("literal a| dup * | buffer | hole", 122, "FPLPIP122E Insufficient free storage"),
    ],
)
def test_refused(pipes: Pipes, pipeline: str, rc: int, said: str) -> None:
    shown, code = pipes.run(pipeline)
    assert (code, shown[0][: len(said)]) == (rc, said)


@DRAWN
@given(text=st.text("abx12-*.,;/ |()wnf<", max_size=40))
def test_nothing_breaks_it(pipes: Pipes, text: str) -> None:
    for stage in ("specs", "locate", "change", "sort", "split", "xlate", "strip", "unique"):
        pipes.run(f"stack | {stage} {text}", ["a b c", "", "x,y"])
    pipes.run(text)
