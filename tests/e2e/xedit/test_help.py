# SPDX-License-Identifier: MIT
"""HELP as panels: a menu, the help of the name at the cursor, and back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import Cms
from tests.e2e.xedit_guest import Editor, at_terminal

FILES = {
    "system/change.helpxedi": "CHANGE /old/new/\n",
    "system/filelist.helpcms": "FILELIST shows files.\n",
}
NAMES = ("profhelp.xedit", "filelist.exec", "profflst.xedit", "execute.xedit")


@pytest.fixture(scope="module")
def cms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cms]:
    with at_terminal(tmp_path_factory.mktemp("help"), FILES, NAMES) as user:
        yield user


def quit_by(cms: Cms, screen: Editor) -> None:
    mark = len(cms.session.lines)
    screen.terminal.pf(3)
    cms.expect("Ready", mark)


def test_a_menu_leads_to_help_and_back(cms: Cms) -> None:
    menu = Editor(cms, "HELP")
    rows = menu.rows
    assert rows[2].startswith(" CMS commands:")
    at = menu.find("IPL") - 1
    menu.at(at + 1, rows[at].index("IPL") + 2)
    rows = menu.enter(until="IPL loads")
    assert rows[0].split()[:2] == ["IPL", "HELPCP"]
    rows = menu.pf(3, until="CMS commands:")
    at = menu.find("CHANGE") - 1
    menu.at(at + 1, rows[at].index("CHANGE") + 3)
    menu.enter(until="CHANGE /old/new/")
    menu.pf(3, until="CMS commands:")
    menu.at(menu.find("CP commands:"), 2)
    assert menu.enter()[0].split()[1] == "HELPMENU", "a title is no name"
    quit_by(cms, menu)


def test_a_message_is_explained_alone(cms: Cms) -> None:
    shown = Editor(cms, "HELP MESSAGE DMSLST002E")
    assert "There is no such file." in shown.rows[2]
    assert not any("No." in row for row in shown.rows)
    quit_by(cms, shown)


def test_lines_are_typed_where_they_are_asked_for(cms: Cms) -> None:
    assert cms.run("HELP LISTF (NOSCREEN") == ("LISTFILE lists files.",)
    assert cms.run("HELP NOSUCH", 28) == ("DMSHLP002E File NOSUCH HELPCMS * not found",)
    assert cms.run("HELP LISTF (NOSUCH", 24) == ("DMSHLP003E Invalid option: NOSUCH",)


def test_pf1_of_a_list_shows_its_help(cms: Cms) -> None:
    listed = Editor(cms, "FILELIST")
    rows = listed.pf(1, until="FILELIST shows")
    assert rows[0].split()[:2] == ["FILELIST", "HELPCMS"]
    listed.pf(3, until="Cmd")
    quit_by(cms, listed)
