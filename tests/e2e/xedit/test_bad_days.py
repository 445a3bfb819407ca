# SPDX-License-Identifier: MIT
"""What may happen to who edits: nothing that was typed is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import WITHIN, Cms, booted
from tests.e2e.xedit_guest import Editor, Seated, System
from vmkb.hercules.tn3270.screen import Status

FILES = {
    "user1/loop.xedit": "/* */\n'COMMAND BOTTOM'\n'COMMAND REFRESH'\ndo forever\n  nop\nend\n",
    "user1/fill.xedit": """/* */
parse arg n .
do n
  'COMMAND INPUT' copies('x', 79)
end
'COMMAND TOP'
""",
    "user1/small.exec": """/* */
push 'SMALL'
push 'YES'
'FORMAT 193 C'
'COPYFILE SHARED MEMO A = = C'
""",
    "user1/shared.memo": "first\nsecond\n",
}


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    with booted(tmp_path_factory.mktemp("bad"), FILES) as found:
        yield found


@pytest.fixture
def cms(system: System) -> Iterator[Cms]:
    found = Cms(system, 0x0701, "USER1")
    yield found
    found.close()


def changed(editor: Editor) -> None:
    """The first line is now KEPT."""
    editor.over(editor.find("first"), 8, "KEPT ")
    editor.enter()


def test_a_macro_that_loops_is_ended_and_nothing_is_lost(cms: Cms) -> None:
    editor = Editor(cms, "XEDIT SHARED MEMO")
    changed(editor)
    editor.key(lambda: None, until="Alt=1")
    editor.over(editor.find("====>"), 8, "loop")
    terminal = editor.terminal
    editor.key(terminal.enter, until="Line=2")
    terminal.pa(1)
    terminal.wait(lambda s: s.status is Status.CP_READ, WITHIN, "CP READ")
    terminal.type("BEGIN")
    terminal.enter()
    terminal.wait(lambda s: s.status is Status.RUNNING, WITHIN, "RUNNING")
    terminal.type("HI")
    terminal.enter()
    editor.key(lambda: None, until="DMSREX452E Error 4")
    editor.key(lambda: None, until="MORE...")
    terminal.pa(2)
    editor.key(lambda: None, until="KEPT")
    assert "Line=2" in editor.rows[0]
    editor.leave()


def test_a_full_disk_in_mid_save_loses_nothing(cms: Cms) -> None:
    cms.run("EXEC SMALL")
    editor = Editor(cms, "XEDIT SHARED MEMO C")
    changed(editor)
    editor.enter("fill 400", until="Size=402")
    rows = editor.enter("save")
    assert "DMSXSU531E Disk C(193) is full" in rows[1]
    assert "Size=402" in rows[0] and "Alt=401" in rows[0]
    editor.enter(":2")
    assert "DMSXSU531E" in editor.enter("file")[1], "the file is still being edited"
    assert "DMSXSV024E File SHARED MEMO A1 already exists" in editor.enter("save = = a")[1]
    editor.leave("ffile = = a")
    assert cms.run("TYPE SHARED MEMO C") == ("first", "second")
    assert len(cms.run("TYPE SHARED MEMO A")) == 402
    cms.run("COPYFILE SHARED MEMO C = = A (REPLACE")


def test_two_users_at_one_file(system: System, cms: Cms) -> None:
    other = Cms(system, 0x0703, "USER2")
    other.run("ACCESS 291 B")
    theirs = Editor(other, "XEDIT SHARED MEMO B")
    ours = Editor(cms, "XEDIT SHARED MEMO")
    changed(ours)
    ours.leave("FILE")
    theirs.over(theirs.find("second"), 8, "OTHER ")
    assert "DMSXSU037E Filemode B is accessed as read/only" in theirs.enter("save")[1]
    assert any("first" in row for row in theirs.rows), "what was read stays as it was"
    theirs.enter("save = = a")
    theirs.leave("quit")
    assert other.run("TYPE SHARED MEMO A") == ("first", "OTHER")
    again = Editor(other, "XEDIT SHARED MEMO B")
    assert any("KEPT" in row for row in again.rows)
    again.leave()
    other.close()
    ours = Editor(cms, "XEDIT SHARED MEMO")
    ours.over(ours.find("KEPT"), 8, "first")
    ours.enter()
    ours.leave("FILE")


def test_a_message_of_cp_and_a_pa_key_in_mid_command(system: System, cms: Cms) -> None:
    editor = Editor(cms, "XEDIT SHARED MEMO")
    changed(editor)
    other = Cms(system, 0x0703, "USER2")
    other.run("MESSAGE USER1 hello")
    editor.key(lambda: None, until="MORE...")
    assert any("hello" in row for row in editor.rows)
    editor.key(lambda: editor.terminal.pa(2), until="KEPT")
    editor.over(editor.find("====>"), 8, "locate /second")
    editor.key(lambda: editor.terminal.pa(2), until="KEPT")
    assert any("locate /second" in row for row in editor.rows), "PA2 does nothing"
    editor.key(editor.terminal.clear, until="KEPT")
    editor.leave()
    other.close()


def test_a_user_comes_back_at_another_model(system: System) -> None:
    first = Seated(system, 0x0704, "USER1", ("-model", "3279-5"))
    editor = Editor(first, "XEDIT SHARED MEMO")
    changed(editor)
    assert len(editor.rows) == 27
    first.session.terminal.pa(1)
    first.session.disconnect()
    first.session.close()
    again = Seated(system, 0x0705, "USER1", ("-model", "3279-4"))
    assert again.session.resumed
    there = Editor.at_screen(again)
    there.key(lambda: again.session.terminal.pa(2), until="KEPT")
    assert len(there.rows) == 43 and there.find("====>") == 42
    there.leave()
    again.close()


def test_views_that_do_not_fit_another_model_go(system: System) -> None:
    first = Seated(system, 0x0704, "USER1", ("-model", "3279-4"))
    editor = Editor(first, "XEDIT SHARED MEMO")
    changed(editor)
    editor.enter("screen 8")
    assert sum("====>" in row for row in editor.rows) == 8
    first.session.terminal.pa(1)
    first.session.disconnect()
    first.session.close()
    again = Seated(system, 0x0705, "USER1", ("-model", "3279-2"))
    there = Editor.at_screen(again)
    there.key(lambda: again.session.terminal.pa(2), until="====>")
    assert [n for n, row in enumerate(there.rows, 1) if "====>" in row] == [5, 11, 17, 23]
    there.leave()
    again.close()


def test_a_file_too_large_for_the_machine(cms: Cms) -> None:
    for _ in range(3):  # each gives back what it took
        assert cms.run("XEDIT DOC2M TEXT", 104) == ("DMSXIN109S Virtual storage capacity exceeded",)
    editor = Editor(cms, "XEDIT THREE TEXT Y")
    assert "Size=3" in editor.rows[0]
    editor.leave("quit")
