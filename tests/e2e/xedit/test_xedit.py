# SPDX-License-Identifier: MIT
"""XEDIT as somebody at a 3270 has it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import Cms
from tests.e2e.xedit_guest import Editor, at_terminal

FILES = {
    "user1/small.script": "alpha\nbeta\ngamma\ndelta\nepsilon\n",
    "user1/sums.vsbasic": "00007 LET A=1\n    8A=A+1\n9\n",
    "user1/profile.xedit": "/* */\n'COMMAND SET NULLS ON'\n'COMMAND SET PF11 COMMAND MSG MINE'\n",
    "user1/tellme.xedit": """/* */
parse arg what
'COMMAND EXTRACT /SIZE/LINE/FNAME/CASE/PF3/'
'COMMAND MSG' size.1 line.1 fname.1 case.0 case.2 '/'pf3.1'/' what
exit 7
""",
    "user1/cutit.xedit": """/* */
'COMMAND SET TRUNC 4'
'COMMAND INPUT abcd '
fits = rc
'COMMAND INPUT abcde'
'COMMAND MSG Codes' fits rc
""",
}


@pytest.fixture(scope="module")
def cms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cms]:
    with at_terminal(tmp_path_factory.mktemp("xedit"), FILES) as user:
        yield user


def test_a_line_is_typed_over_and_saved(cms: Cms) -> None:
    editor = Editor(cms, "XEDIT SMALL SCRIPT")
    rows = editor.rows
    assert rows[0].split() == ("SMALL SCRIPT A1 V 132 Trunc=132 Size=5 Line=0 Col=1 Alt=0".split())
    assert editor.find("* * * Top of File * * *") == 12
    assert rows[12].endswith("....+....7...")
    assert editor.lines() == [
        "* * * Top of File * * *", "alpha", "beta", "gamma", "delta", "epsilon",
        "* * * End of File * * *",
    ]  # fmt: skip
    editor.over(editor.find("beta"), 8, "BETTER")
    assert "Alt=1" in editor.enter()[0]
    assert "Alt=0" in editor.enter("save")[0]
    editor.leave("quit")
    assert cms.run("TYPE SMALL SCRIPT A")[1] == "BETTER"


@pytest.fixture
def editor(cms: Cms) -> Iterator[Editor]:
    """XEDIT of thirty lines, none of them kept."""
    found = Editor(cms, "XEDIT LINES TEXT A (NOPROF")
    yield found
    found.leave()


def shown(editor: Editor) -> list[str]:
    return [line for line in editor.lines() if not line.startswith("* *")]


def row(editor: Editor, text: str) -> int:
    """The row of the file's line that is exactly this."""
    return next(n for n, row in enumerate(editor.rows, 1) if row[7:] == text)


def test_prefix_subcommands(editor: Editor) -> None:
    editor.prefix(row(editor, "line 2"), "d")
    editor.prefix(row(editor, "line 4"), "dd")
    editor.prefix(row(editor, "line 6"), "dd")
    editor.prefix(row(editor, "line 8"), "a2")
    editor.enter()
    assert shown(editor)[:7] == ["line 1", "line 3", "line 7", "line 8", "", "", "line 9"]
    line = row(editor, "line 8") + 1
    assert editor.cursor == (line, 8), "the cursor is at the first line added"
    editor.over(line, 8, "first new")
    editor.over(line + 1, 8, "second new")
    editor.prefix(row(editor, "line 1"), '"2')
    editor.enter()
    assert shown(editor)[:8] == [
        "line 1", "line 1", "line 1", "line 3", "line 7", "line 8", "first new", "second new",
    ]  # fmt: skip


def test_hidden_lines_are_shown_by_the_prefix_s(editor: Editor) -> None:
    def hide_and(show: str) -> list[str]:
        editor.enter("all /1/")
        editor.prefix(editor.find(" 8 line(s) not displayed"), show)
        editor.enter()
        return [line for line in shown(editor) if "---" not in line][1:]

    hidden = [f"line {n}" for n in range(2, 10)]
    assert hide_and("s3")[:4] == [*hidden[:3], "line 10"]
    assert hide_and("s-2")[:3] == [*hidden[-2:], "line 10"]
    assert hide_and("s*")[:9] == [*hidden, "line 10"]
    assert hide_and("s")[:9] == [*hidden, "line 10"]
    editor.prefix(row(editor, "line 1"), "s")
    assert "DMSXPX661E Prefix S is invalid" in editor.enter()[1]


def test_a_row_of_tabs_and_the_scale_stand_where_they_are_typed(editor: Editor) -> None:
    at = row(editor, "line 5")
    editor.prefix(at, "tabl")
    assert editor.enter()[at - 1].split() == ["T"] * 15
    editor.prefix(row(editor, "line 5"), "scale")
    at = row(editor, "line 5")
    assert "....+....7" in editor.enter()[at - 1]


def test_settings_written_as_a_macro_set_them_again(editor: Editor) -> None:
    for command in ("case u i", "zone 2 9", "tabs 3 7", "set pf5 msg it's so", "status mine"):
        editor.enter(command)
    for command in ("zone 1 *", "case m r", "tabs 1 2", "set pf5", "macro mine"):
        editor.enter(command)
    for item in ("CASE UPPER IGNORE", "ZONE 2 9", "TABS 3 7", "PF5 MSG IT'S SO"):
        assert editor.enter(f"query {item.split()[0]}")[1].strip() == item
    assert "DMSXST024E File MINE XEDIT A1 already exists" in editor.enter("status mine")[1]


def test_blocks_are_copied_and_moved(editor: Editor) -> None:
    editor.prefix(row(editor, "line 1"), "cc")
    rows = editor.enter()
    assert "'CC' pending..." in rows[-1]
    editor.prefix(row(editor, "line 2"), "cc")
    editor.prefix(row(editor, "line 4"), "f")
    rows = editor.enter()
    assert "pending" not in rows[-1]
    assert shown(editor)[:8] == [
        "line 1", "line 2", "line 3", "line 4", "line 1", "line 2", "line 5", "line 6",
    ]  # fmt: skip
    editor.prefix(row(editor, "line 5"), "mm")
    editor.prefix(row(editor, "line 6"), "mm")
    editor.prefix(row(editor, "line 3"), "p")
    editor.enter()
    assert shown(editor)[:6] == ["line 1", "line 2", "line 5", "line 6", "line 3", "line 4"]
    editor.prefix(row(editor, "line 5"), "m")
    editor.prefix(editor.find("* * * Top of File"), "f")
    editor.enter()
    assert shown(editor)[:4] == ["line 5", "line 1", "line 2", "line 6"]
    editor.prefix(row(editor, "line 6"), ">4")
    editor.prefix(row(editor, "line 5"), "xyz")
    rows = editor.enter()
    assert "DMSXPX659E Invalid prefix subcommand: XYZ" in rows[1]
    assert shown(editor)[3] == "    line 6"
    editor.prefix(row(editor, "    line 6"), "/")
    assert "Line=4" in editor.enter()[0]


@pytest.mark.parametrize(
    ("commands", "said", "lines"),
    [
        (["down 3"], "Line=3", []),
        ([":12"], "Line=12", []),
        (["bottom"], "Line=30", []),
        (["*"], "Line=30", []),
        (["bottom", "up 2"], "Line=28", []),
        (["/line 7/"], "Line=7", []),
        (["bottom", "-/line 7/"], "Line=7", []),
        (["/line/ & /7/"], "Line=7", []),
        (["locate /nowhere/"], "DMSXDC546E Target not found", []),
        (["find line_2"], "Line=2", []),
        (["top", "next", "c/line/LINE/3"], "DMSXCG517I 3 occurrence(s) changed on 3 line(s)",
         ["LINE 1", "LINE 2", "LINE 3", "line 4"]),
        ([":1", "c/i/II/* *"], "DMSXCG517I 30 occurrence(s) changed on 30 line(s)", []),
        ([":5", "c/zz/y/*"], "DMSXCG585E No line(s) changed", []),
        ([":2", "delete 3", "top"], "Size=27", ["line 1", "line 5"]),
        ([":2", "del :5"], "Size=27", []),
        ([":3", "delete *"], "Size=2", ["line 1", "line 2"]),
        ([":2", "delete 3", "recover *", "top"], "Size=30",
         ["line 1", "line 2", "line 3", "line 4"]),
        ([":2", "delete 3", "recover 2", "top"], "Size=29",
         ["line 1", "line 3", "line 4", "line 5"]),
        ([":2", "delete 3", "recover"], "Line=2", ["line 1", "line 4", "line 5"]),
        ([":2", "input new line"], "Line=3", ["line 1", "line 2", "new line", "line 3"]),
        ([":2", "replace other"], "Line=2", ["line 1", "other", "line 3"]),
        ([":2", "copy 2 :5", "top"], "Size=32",
         ["line 1", "line 2", "line 3", "line 4", "line 5", "line 2", "line 3", "line 6"]),
        ([":2", "move 2 :5", "top"], "Size=30",
         ["line 1", "line 4", "line 5", "line 2", "line 3", "line 6"]),
        ([":5", "move 1 :1", "top"], "Size=30", ["line 1", "line 5", "line 2", "line 3"]),
        ([":1", "dup 2"], "Size=32", ["line 1", "line 1", "line 1", "line 2"]),
        ([":2", "add 2", "top"], "Size=32", ["line 1", "line 2", "", "", "line 3"]),
        ([":1", "uppercas 2"], "Line=2", ["LINE 1", "LINE 2", "line 3"]),
        ([":2", "shift right 3 2", "top"], "Size=30", ["line 1", "   line 2", "   line 3"]),
        ([":1", "sort * d", "top"], "Size=30", ["line 9", "line 8", "line 7"]),
        ([":1", "sort * a 6 6 d 1 4"], "DMSXDC520E Invalid operand : D", ["line 1", "line 2"]),
        ([f"sort * {'6 6 ' * 9}"], "DMSXDC520E Invalid operand : 6", []),
        ([":1", "clocate :6", "split", "top"], "Size=31", ["line", "1", "line 2"]),
        ([":1", "join", "top"], "Size=29", ["line 1line 2", "line 3"]),
        (["all /2/"], " 9 line(s) not displayed",
         ["line 2", "line 12", "line 20", "line 21"]),
        (["nosuch thing"], "DMSXDC542E No such subcommand: NOSUCH", []),
        (["macro"], "DMSXMA545E Missing operand(s)", []),
        (["set nosuch on"], "DMSXDC520E Invalid operand : NOSUCH", []),
        (["set synonym foo 3 locate"], "DMSXSE007E SET SYNONYM is not in VM/KB", []),
        (["set mask define"], "DMSXSE007E SET MASK is not in VM/KB", []),
        (["set serial all"], "DMSXSE007E SET SERIAL is not in VM/KB", []),
        (["set synonym on", "set serial off", "q size"], "SIZE 30", []),
        (["q lrecl"], "LRECL 132", []),
        (["query case"], "CASE MIXED RESPECT", []),
        (["case u i", "q case"], "CASE UPPER IGNORE", []),
        ([":1", "alter e 1 3"], "DMSXCG517I 3 occurrence(s) changed on 3 line(s)", None),
        ([":1", "alter 95 n", "alter 85 f0 1 *"], "DMSXCG517I 1 occurrence(s) changed",
         ["lin0 1", "line 2"]),
        (["alter abc d"], "DMSXDC520E Invalid operand : abc", []),
        (["alter a"], "DMSXAL545E Missing operand(s)", []),
        (["hex on", "/x'f3f0'/"], "Line=30", []),
        (["hex on", ":1", "c/X'9389'/x'd3c9'/2"], "DMSXCG517I 2 occurrence(s)",
         ["LIne 1", "LIne 2", "line 3"]),
        (["hex on", "/x'f3f'/"], "DMSXDC520E Invalid operand : /x'f3f'/", []),
        (["hex on", ":1", "c/e/x'zz'/"], "DMSXDC520E Invalid operand : x'zz'", []),
        (["/x'f3f0'/"], "DMSXDC546E Target not found", []),
        (["tabs 1 6 9", ":1", "compress 2", "tabs 1 10", ":1", "expand 2"], "Line=2",
         ["line     1", "line     2", "line 3"]),
        (["modify case"], "SET CASE MIXED RESPECT", []),
        (["modify curl"], "SET CURLINE ON M", []),
        (["modify num"], "SET NUMBER OFF", []),
        (["modify pf3"], "SET PF3 QUIT", []),
        (["modify size"], "DMSXDC520E Invalid operand : SIZE", []),
        (["modify"], "DMSXMO545E Missing operand(s)", []),
        (["preserve", "case u i", "zone 2 5", "restore", "q case"], "CASE MIXED RESPECT", []),
        (["preserve", "zone 2 5", "restore", "q zone"], "ZONE 1 132", []),
        (["restore"], "DMSXRS007E No settings to restore: PRESERVE keeps them", []),
        (["status"], "TRUNC 132                               ZONE 1 132", None),
        (["status a b"], "DMSXDC520E Invalid operand : b", []),
        (["set range :5 :7", "top"], "* * * Top of Range * * *", ["line 5", "line 6", "line 7"]),
        (["set range :5 :7", "bottom", "next"], "* * * End of Range * * *", []),
        (["set range :5 :7", "q range"], "RANGE 5 7", []),
        (["set range :5 :7", ":1", "c/line/LINE/*"], "DMSXCG517I 3 occurrence(s)", []),
        (["set range :5 :7", "/line 9/"], "DMSXDC546E Target not found", []),
        (["set range :5 :7", ":12"], "Line=7", []),
        (["set range :5 :7", ":5", "dup", "bottom", "input new", "q range"], "RANGE 5 9",
         ["line 5", "line 5", "line 6", "line 7", "new"]),
        (["set range :5 :7", "top", "delete *", "set range -* *", "q size"], "SIZE 27", []),
        (["set range :5 :7", "set range -* *", "q range"], "RANGE 1 30", []),
        (["set range :7 :5"], "DMSXDC520E Invalid operand : the range has no lines", []),
        (["set range :5"], "DMSXSE545E Missing operand(s)", []),
        ([":2", "merge 2 :5"], "DMSXMG506I 2 line(s) merged",
         ["line 1", "line 4", "line 2", "line 3", "line 7"]),
        ([":2", "replace _ X", "merge 1 :5 3", "top"], "Size=29",
         ["line 1", "line 3", "line 4", "li eX5"]),
        ([":9", "merge 2 :5", "q line"], "LINE 6", [f"line {n}" for n in (1, 2, 3, 4, 9, 10, 7)]),
        ([":1", "merge 3 :30 8", ":26"], "===== line 30line 1", []),
        ([":1", "merge 3 :30 8"], "=====        line 3", []),
        ([":9", "merge 2 :8"], "DMSXMG505E Not executed -- the lines from 8 on overlap", []),
        ([":2", "merge 3 :4"], "DMSXMG505E Not executed -- the target line (4) is within", []),
        ([":2", "merge 3"], "DMSXMG545E Missing operand(s)", []),
        ([":2", "merge 2 /nowhere/"], "DMSXDC546E Target not found", []),
        ([":2", "merge 2 :9 133"], "DMSXMG575E Invalid MERGE column: 133", []),
        ([":2", "merge 1 :9 128"], "DMSXMG503E Truncated", []),
        (["renum"], "DMSXRN520E RENUM is for files of filetype VSBASIC or FREEFORT", []),
        (["set ftype vsbasic", "renum"], "DMSXRN520E Line 1 has text in columns 1 to 5", []),
        (["number on"], "00001 line 1", []),
        ([":1", "cutit"], "Codes 0 3", ["line 1", "abcd", "abcd", "line 2"]),
        (["set prefix off"], " line 1", []),
    ],
)  # fmt: skip
def test_subcommands(
    editor: Editor, commands: list[str], said: str, lines: list[str] | None
) -> None:
    for command in commands[:-1]:
        editor.enter(command, until="====>")
    rows = editor.enter(commands[-1])
    assert any(said in row for row in rows), rows
    found = [line for line in shown(editor) if "---" not in line]
    assert lines is None or found[: len(lines)] == lines


def test_statements_are_numbered_anew(cms: Cms) -> None:
    editor = Editor(cms, "XEDIT SUMS VSBASIC A (NOPROF")
    assert editor.enter("renum")[0].endswith("Alt=3")
    assert editor.lines()[1:4] == ["00010 LET A=1", "00020A=A+1", "00030"]
    editor.enter("renum 500")
    assert editor.lines()[1:4] == ["00500 LET A=1", "01000A=A+1", "01500"]
    editor.enter("renum 99997 1")
    assert editor.lines()[3] == "99999"
    said = "DMSXRN520E Line numbers would not fit into columns 1 to 5"
    assert said in editor.enter("renum 99998 1")[1]
    assert editor.lines()[1] == "99997 LET A=1", "nothing was changed"
    editor.enter("set ftype freefort")
    assert "DMSXRN520E Line 1 has text in columns 1 to 8" in editor.enter("renum")[1]
    editor.enter("top#next#change/LET/   /*#:2#change/A=A+1/   X/")
    editor.enter("renum 7 100")
    assert editor.lines()[1:4] == ["00000007  A=1", "00000107X", "00000207"]
    editor.leave()


def test_macros_and_keys(cms: Cms) -> None:
    editor = Editor(cms, "X SMALL SCRIPT")
    rows = editor.enter("tellme me too")
    assert rows[1].strip() == "5 0 SMALL 2 RESPECT /QUIT/ me too"
    assert editor.pf(11)[1].strip() == "MINE"
    rows = editor.enter("macro nosuch#bottom")
    assert "DMSXDC542E No such macro: NOSUCH" in rows[1]
    editor.enter("/gamma/")
    assert "Line=3" in editor.rows[0]
    assert "epsilon" in editor.enter("c/a/A/* *#bottom")[11]
    assert "Line=6" not in editor.pf(7)[0]
    assert "DMSXQT577E" in editor.pf(3)[1]
    assert "Alt=" in editor.enter("?")[0]
    editor.leave()


def test_pf_keys_scroll_split_join_and_add(editor: Editor) -> None:
    assert "Line=19" in editor.pf(8)[0]
    editor.pf(8)
    assert editor.find("* * * End of File") == 12
    assert "Line=0" in editor.pf(8)[0], "behind the end comes the top"
    assert "Line=30" in editor.pf(7)[0], "and before the top the end"
    editor.enter("top")
    at = row(editor, "line 5")
    editor.at(at, 12)
    editor.pf(11)
    assert shown(editor)[4:7] == ["line", " 5", "line 6"]
    editor.at(at, 13)
    editor.pf(11)
    assert shown(editor)[4:6] == ["line 5", "line 6"]
    editor.at(row(editor, "line 6"), 8)
    editor.pf(2)
    assert shown(editor)[5:8] == ["line 6", "", "line 7"]


def test_a_command_that_stays_is_there_for_the_next_key(editor: Editor) -> None:
    editor.over(editor.find("====>"), 8, "change/line/LINE/")
    assert "DMSXSC525I PF6 changes this occurrence" in editor.pf(5)[1]
    assert "DMSXCG517I 1 occurrence(s) changed on 1 line(s)" in editor.pf(6)[1]
    editor.pf(5)
    assert shown(editor)[:3] == ["LINE 1", "line 2", "line 3"], "PF5 goes on and changes nothing"
    editor.pf(6)
    assert shown(editor)[:3] == ["LINE 1", "LINE 2", "line 3"]
    editor.enter("&down 3")
    assert "Line=8" in editor.key(editor.terminal.enter)[0]
    editor.enter("query size")
    editor.enter("?")
    assert editor.key(editor.terminal.enter)[1].strip() == "SIZE 30"


def test_input_mode(editor: Editor) -> None:
    rows = editor.enter("input")
    assert "Input-mode 1 File" in rows[-1]
    assert any("* * * Input Zone * * *" in each for each in rows)
    row_, column = editor.cursor
    editor.over(row_, column, "one new")
    editor.over(row_ + 1, column, "two new")
    editor.key(editor.terminal.enter, "Line=2")
    rows = editor.key(editor.terminal.enter, "X E D I T")
    assert shown(editor)[:3] == ["one new", "two new", "line 1"]
