# SPDX-License-Identifier: MIT
"""FILELIST: files on a screen of XEDIT, and commands typed over them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import Cms
from tests.e2e.xedit_guest import Editor, at_terminal

NAMES = ("filelist.exec", "profflst.xedit", "execute.xedit")


@pytest.fixture(scope="module")
def cms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cms]:
    with at_terminal(tmp_path_factory.mktemp("filelist"), {}, NAMES) as user:
        yield user


def test_commands_are_typed_over_files(cms: Cms) -> None:
    listed = Editor(cms, "FILELIST")
    rows = listed.rows
    assert rows[1].split()[:4] == ["Cmd", "Filename", "Filetype", "Fm"]
    names = [" ".join(row.split()[:3]) for row in rows[2:] if " A1 " in row]
    assert sorted(names) == ["CARDS DATA A1", "LINES TEXT A1", "PROFILE EXEC A1"]
    assert listed.cursor == (3, 2)
    listed.over(listed.find("CARDS"), 2, "copy / = = b (type")
    listed.over(listed.find("PROFILE"), 2, "erase")
    rows = listed.enter(until="MORE...")
    assert rows[0] == "DMSCPY069E Filemode B not accessed", "what CMS says is seen first"
    rows = listed.key(lambda: listed.terminal.pa(2), until="Cmd")
    assert "*36" in rows[listed.find("CARDS") - 1], "no disk B"
    gone = rows[listed.find("PROFILE") - 1]
    assert gone.split()[0] == "*" and gone.endswith("A1 ** Discarded or renamed **")
    listed.over(listed.find("LINES"), 2, "nosuch")
    rows = listed.enter(until="Unknown CP/CMS command: nosuch")
    assert "*-3" in rows[listed.find("LINES") - 1]
    rows = listed.pf(2)
    assert not any("PROFILE" in row for row in rows)
    rows = listed.pf(6)
    listed.at(listed.find("LINES"), 2)
    rows = listed.pf(11, until="line 1")
    assert rows[0].split()[:2] == ["LINES", "TEXT"]
    listed.over(listed.find("line 1"), 8, "LINE 1")
    listed.enter("file", until="Cmd")
    rows = listed.rows
    assert rows[1].split()[:2] == ["Cmd", "Filename"]
    listed.at(3, 2)
    mark = len(cms.session.lines)
    listed.terminal.pf(3)
    cms.expect("Ready", mark)
    assert cms.run("TYPE LINES TEXT A 1 1") == ("LINE 1",)
