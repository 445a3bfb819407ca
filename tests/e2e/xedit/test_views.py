# SPDX-License-Identifier: MIT
"""SET SCREEN: several views of files on one screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import WITHIN, Cms
from tests.e2e.xedit_guest import COMMAND, Editor, at_terminal
from vmkb.hercules.deadline import HOST, Deadline

FILES = {
    "user1/other.text": "".join(f"other {n}\n" for n in range(1, 31)),
    "user1/third.text": "only\n",
    "user1/where.xedit": """/* */
'COMMAND EXTRACT /LSCREEN/SCREEN/CURSOR/'
'COMMAND MSG' lscreen.1 lscreen.2 lscreen.3 lscreen.4 lscreen.5 lscreen.6,
    '/' screen.0 screen.1 '/' cursor.3 cursor.4
""",
}


@pytest.fixture(scope="module")
def cms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cms]:
    with at_terminal(tmp_path_factory.mktemp("views"), FILES) as user:
        yield user


class Views(Editor):
    """XEDIT's views, counted from 0; rows count from 1 within each."""

    def view(self, n: int) -> list[str]:
        """The rows of one, from its id line on."""
        rows = self.rows
        ids = [k for k, row in enumerate(rows) if " Trunc=" in row and " Alt=" in row]
        return rows[ids[n] : [*ids, len(rows)][n + 1]]

    def row(self, n: int, text: str) -> int:
        """The screen's row of that view's line."""
        above = sum(len(self.view(k)) for k in range(n))
        return above + next(k for k, row in enumerate(self.view(n), 1) if row[7:] == text)

    def type_in(self, n: int, command: str) -> None:
        """A subcommand on the command line of that view, without ENTER."""
        rows = [k for k, row in enumerate(self.rows, 1) if COMMAND in row]
        self.over(rows[n], 8, command, erase=True)

    def enter_in(self, n: int, command: str) -> list[str]:
        """The screen's rows once the subcommand is done."""
        self.type_in(n, command)
        return self.key(self.terminal.enter)

    def names(self) -> list[str]:
        """The file of each view."""
        rows = self.rows
        return [row.split()[0] for row in rows if " Trunc=" in row and " Alt=" in row]


@pytest.fixture
def views(cms: Cms) -> Iterator[Views]:
    """Two views of thirty lines, none of them kept."""
    found = Views(cms, "XEDIT LINES TEXT A (NOPROF")
    found.enter("screen 2")
    yield found
    found.leave()


def test_two_views_of_one_file_have_lines_of_their_own(views: Views) -> None:
    assert [len(views.view(n)) for n in (0, 1)] == [12, 12]
    views.enter_in(1, ":20")
    assert "Line=20" in views.view(1)[0] and "Line=0" in views.view(0)[0]
    assert views.view(1)[5] == " ===== line 20"
    assert views.cursor == (23, 8), "in the view in which the command was typed"
    views.at(3, 8)
    views.pf(8)
    assert "Line=7" in views.view(0)[0], "a page of the view"
    assert "Line=20" in views.view(1)[0]
    assert views.cursor == (11, 8)
    views.over(views.row(1, "line 22"), 8, "LINE")
    views.enter_in(0, ":22")
    assert views.view(0)[5] == " ===== LINE 22", "changes are seen at once"


@pytest.mark.parametrize(
    ("commands", "line"),
    [
        ([":2", "delete 3"], 17),
        ([":20", "delete 1"], 20),
        ([":25", "delete 3"], 20),
        ([":2", "input new"], 21),
        ([":2", "move 1 :25"], 19),
        ([":20", "move 2 :2"], 3),
    ],
)
def test_a_view_stays_at_its_line(views: Views, commands: list[str], line: int) -> None:
    views.enter_in(1, ":20")
    for command in commands:
        views.enter_in(0, command)
    assert f"Line={line} " in views.view(1)[0]
    text = "line 21" if commands == [":20", "delete 1"] else "line 20"
    assert views.view(1)[5] == f" ===== {text}"


def test_one_view_is_left_where_it_was_asked_for(views: Views) -> None:
    views.enter_in(1, ":20")
    views.enter_in(1, "screen 1")
    assert len(views.view(0)) == 24
    assert views.view(0)[11] == " ===== line 20"
    views.enter("screen 3")
    views.enter_in(2, ":9")
    views.enter_in(2, "screen 2")
    assert "Line=20" in views.view(0)[0] and "Line=9" in views.view(1)[0]
    assert views.cursor == (23, 8)


def test_each_view_has_its_command_line_and_messages(views: Views) -> None:
    views.type_in(1, "nosuch")
    views.type_in(0, ":5")
    views.key(views.terminal.enter)
    assert "Line=5" in views.view(0)[0]
    assert "No such subcommand: NOSUCH" in views.view(1)[1]
    assert not any("No such" in row for row in views.view(0))
    views.enter_in(0, ":5")
    assert not any("No such" in row for row in views.rows)
    views.enter_in(1, "&down 2")
    assert views.view(1)[10].endswith("====> &down 2")
    assert views.view(0)[10].endswith(COMMAND)
    views.type_in(0, "down 4")
    views.at(20, 30)
    views.pf(8)
    assert "Line=9" in views.view(0)[0]
    assert "Line=11" in views.view(1)[0], "a page, and the command once more"
    views.enter_in(0, "up 1")
    assert "Line=8" in views.view(0)[0]
    assert "Line=11" in views.view(1)[0], "the cursor was not there"
    assert views.view(1)[10].endswith("====> &down 2")


def test_a_macro_knows_its_view(views: Views) -> None:
    views.enter_in(1, ":20")
    views.type_in(1, "where")
    views.at(20, 10)
    views.key(views.terminal.enter)
    assert views.view(1)[1].strip() == "12 80 13 1 24 80 / 1 SIZE 12 12 / 21 3"
    views.type_in(1, "where")
    views.at(6, 10)
    views.key(views.terminal.enter)
    assert views.view(1)[1].strip().endswith("/ -1 -1"), "the cursor is in another view"
    views.enter_in(0, "where")
    assert views.view(0)[1].strip() == "12 80 1 1 24 80 / 1 SIZE 12 12 / -1 -1"


def test_a_change_is_confirmed_in_its_view_only(views: Views) -> None:
    views.type_in(0, "change/line/LINE/")
    views.pf(5)
    views.at(23, 8)
    views.pf(6)
    assert "Alt=0" in views.view(0)[0]
    assert views.view(1)[10].endswith("====> screen 2"), "PF6 is ? there"
    views.type_in(0, "change/line/LINE/")
    views.pf(5)
    views.pf(6)
    assert "Alt=1" in views.view(0)[0]


def test_lines_are_copied_from_view_to_view(views: Views) -> None:
    views.enter_in(1, ":20")
    views.prefix(views.row(0, "line 1"), "c")
    views.prefix(views.row(1, "line 20"), "f")
    views.key(views.terminal.enter)
    assert views.view(1)[5] == " ===== line 20"
    assert views.view(1)[7] == " ===== line 1", "behind the scale"


def test_lines_are_typed_in_one_view(views: Views) -> None:
    views.enter_in(1, ":20")
    views.enter_in(1, "input")
    assert "* * * Input Zone * * *" in views.view(1)[10]
    assert views.view(0)[8] == " ===== line 2"
    row, column = views.cursor
    assert row == 20
    views.over(row, column, "typed in")
    views.key(views.terminal.enter)
    assert "Input-mode" in views.view(1)[11] and "X E D I T" in views.view(0)[11]
    views.key(views.terminal.enter)
    assert "X E D I T  1 File" in views.view(1)[11]
    assert views.view(1)[5] == " ===== typed in"
    assert "Line=0" in views.view(0)[0]


def test_the_rings_files_have_views(cms: Cms) -> None:
    views = Views(cms, "XEDIT LINES TEXT A (NOPROF")
    views.enter("xedit other text (noprof")
    views.enter("screen 2")
    assert views.names() == ["OTHER", "LINES"]
    views.enter_in(1, "xedit third text (noprof")
    assert views.names() == ["OTHER", "THIRD"]
    views.over(views.row(1, "only"), 8, "ONLY")
    views.at(23, 8)
    assert "DMSXQT577E" in views.pf(3)[13], "PF3 is of the view that has the cursor"
    views.enter_in(1, "qquit")
    assert views.names() == ["OTHER", "LINES"], "a file that no view showed"
    views.enter_in(1, ":20")
    views.enter_in(0, "delete 3")
    assert "Line=20 " in views.view(1)[0], "lines of another file"
    views.prefix(views.row(1, "line 19"), '"')
    views.at(11, 8)
    views.key(views.terminal.enter)
    assert "Size=31" in views.view(1)[0] and "Size=28" in views.view(0)[0]
    views.enter_in(1, ":19#delete#:20")
    views.enter_in(1, "autosave 1")
    views.over(views.row(1, "line 21"), 8, "LINE")
    views.at(11, 8)
    assert "AUTOSAVED" in views.key(views.terminal.enter)[13]
    views.enter_in(1, "change/LINE/line/3#set alt 0 0#autosave off")
    views.enter_in(0, "set alt 0 0#set screen 3")
    assert views.names() == ["OTHER", "LINES", "OTHER"]
    views.at(20, 8)
    views.pf(3)
    assert views.names() == ["LINES"], "both views of one file go"
    views.enter("xedit other text (noprof")
    views.enter("screen 3")
    assert views.names() == ["OTHER", "LINES", "OTHER"]
    views.enter_in(2, ":4")
    views.enter_in(2, "&down 2")
    views.enter_in(1, "quit")
    assert [len(views.view(n)) for n in (0, 1)] == [12, 12]
    assert [f"Line={n}" in views.view(k)[0] for k, n in ((0, 0), (1, 6))] == [True, True]
    views.enter_in(0, "xedit third text (noprof")
    views.at(11, 8)
    views.pf(3)
    assert views.names() == ["OTHER"] and "Line=6" in views.rows[0], "&down 2 waits"
    views.leave()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("query screen", "SCREEN SIZE 12 12"),
        ("screen size 9 5 6#query screen", "SCREEN SIZE 9 5 6"),
        ("set screen 4 horizontal#query screen", "SCREEN SIZE 6 6 6 6"),
        ("screen 1#query screen", "SCREEN SIZE 24"),
        ("screen 5", "DMSXDC520E Invalid operand : 5"),
        ("screen 0", "DMSXDC520E Invalid operand : 0"),
        ("screen 2 across", "DMSXDC520E Invalid operand : ACROSS"),
        ("screen size 12 13", "DMSXDC520E Invalid operand : 13"),
        ("screen size 4 20", "DMSXDC520E Invalid operand : 4"),
        ("screen size", "DMSXSE545E Missing operand(s)"),
        ("screen 2 vertical", "DMSXSE007E SET SCREEN VERTICAL is not in VM/KB"),
        ("screen width 40 40", "DMSXSE007E SET SCREEN WIDTH is not in VM/KB"),
        ("screen define 12 80 1 1", "DMSXSE007E SET SCREEN DEFINE is not in VM/KB"),
    ],
)
def test_sizes(views: Views, command: str, said: str) -> None:
    rows = views.enter(command)
    assert any(said in row for row in rows), rows


def test_rows_of_no_view_stay_empty(views: Views) -> None:
    views.enter("cmdline bottom")
    views.enter("screen size 10 9")
    assert [len(views.view(n)) for n in (0, 1)] == [10, 14]
    assert views.view(1)[9:] == [""] * 5
    row = views.terminal.action("ReadBuffer(Ascii)", Deadline(WITHIN, HOST))[19]
    assert row.startswith("SF(c0=f0)"), "nothing can be typed there"
    views.at(22, 1)
    assert "Line=6" in views.pf(8)[0], "a key there is of the view that was used last"
