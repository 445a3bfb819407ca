# SPDX-License-Identifier: MIT
"""RDRLIST, PEEK and NOTE: the reader's files on a screen, and notes between users."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import Cms
from tests.e2e.spool_guest import built, logged_on, running
from tests.e2e.xedit_guest import Editor, delivered

NAMES = (
    "rdrlist.exec", "profrlst.xedit", "execute.xedit", "peek.exec", "profpeek.xedit",
    "discard.xedit", "note.exec", "profnote.xedit", "names.exec", "profnams.xedit",
)  # fmt: skip
LINES = "".join(f"line {n}\n" for n in range(1, 301))


MANY = """/* */
'SPOOL PUNCH TO SENDER'
do 300
  'PUNCH SHORT TEXT'
end
"""


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cms, Cms]]:
    files = delivered(*NAMES) | {"sender/many.exec": MANY}
    files |= {"sender/long.text": LINES, "sender/short.text": "only\n"}
    run = built(tmp_path_factory.mktemp("rdrlist"), files)
    with running(run) as pair, logged_on(pair) as (sender, getter):
        yield sender, getter


def gone(cms: Cms, screen: Editor, n: int) -> None:
    """PF n ends the screen: CMS is ready again."""
    mark = len(cms.session.lines)
    screen.terminal.pf(n)
    cms.expect("Ready", mark)


def test_an_empty_reader_is_said(users: tuple[Cms, Cms]) -> None:
    _, getter = users
    assert getter.run("RDRLIST", 28) == ("DMSWRL205W Reader empty or not ready",)
    assert getter.run("PEEK", 8) == ("DMSPEK205W Reader empty or not ready",)
    assert getter.run("PEEK 77", 28) == ("DMSPEK671E There is no reader file 0077",)
    assert getter.run("PEEK 1 (FORM 5", 24) == ("DMSPEK003E Invalid option: FORM",)
    assert getter.run("PEEK 1 (FOR X", 24) == ("DMSPEK029E Invalid parameter X in the option FOR",)


def test_files_are_listed_peeked_received_and_discarded(users: tuple[Cms, Cms]) -> None:
    sender, getter = users
    for name in ("LONG TEXT A", "SHORT TEXT A"):
        sender.run(f"SENDFILE {name} TO GETTER")
    sender.run("SPOOL PUNCH TO GETTER")
    sender.run("PUNCH SHORT TEXT")
    sender.run("SPOOL PUNCH OFF")
    assert getter.run("QUERY FILES")[-1].startswith("FILES:  0003 RDR")
    listed = Editor(getter, "RDRLIST")
    rows = listed.rows
    assert rows[1].split()[:4] == ["Cmd", "Filename", "Filetype", "Class"]
    at = listed.find("LONG")
    line = rows[at - 1].split()
    assert line[:7] == ["LONG", "TEXT", "PUN", "A", "SENDER", "at", "VMKB"]
    assert line[7] == "NONE"
    listed.at(at, 2)
    rows = listed.pf(11, until="line 1")
    assert rows[1].startswith(" File LONG TEXT from SENDER at VMKB. Format is NETDATA.")
    assert "Size=200" in rows[0]
    assert listed.enter(":200")[2].strip() == "line 200"
    listed.pf(3, until="Cmd")
    listed.over(listed.find("SHORT"), 2, "discard")
    rows = listed.enter()
    assert rows[listed.find("SHORT") - 1].split()[0] == "*"
    rows = listed.pf(2)
    assert len([row for row in rows if "SENDER" in row]) == 2
    listed.over(listed.find("LONG"), 2, "receive / mine data")
    rows = listed.enter(until="MORE...")
    assert rows[0].startswith("File MINE DATA A1 created from LONG TEXT A1 received from SENDER")
    rows = listed.key(lambda: listed.terminal.pa(2), until="Cmd")
    listed.at(listed.find("SHORT"), 2)
    rows = listed.pf(11, until="only")
    assert "Format is PUNCH." in rows[1]
    listed.enter("discard", until="Cmd")
    gone(getter, listed, 3)
    assert getter.run("QUERY FILES")[-1] == "FILES:  NO RDR,  NO PRT,  NO PUN"
    assert getter.run("TYPE MINE DATA A 299")[-1] == "line 300"


def test_peek_shows_what_is_asked_for(users: tuple[Cms, Cms]) -> None:
    sender, getter = users
    sender.run("SENDFILE LONG TEXT A TO GETTER")
    assert getter.run("QUERY FILES")[-1].startswith("FILES:  0001 RDR")
    shown = Editor(getter, "PEEK (FROM 250 FOR *")
    assert "Size=51" in shown.rows[0]
    assert shown.rows[2].strip() == "line 250"
    gone(getter, shown, 9)
    assert getter.run("LISTFILE LONG TEXT A (ALLOC NOHEADER")[-1].split()[5] == "300"


def test_a_note_is_written_sent_and_received(users: tuple[Cms, Cms]) -> None:
    sender, getter = users
    gone(sender, Editor(sender, "NAMES FRED"), 3)  # nothing was typed
    names = Editor(sender, "NAMES FRED")
    row = names.find(":nick.FRED      ")
    assert names.cursor == (row, 14), "where the nickname is"
    names.over(row, 32, "GETTER")
    assert "DMSXQT577E File has been changed" in names.pf(3)[1]
    assert "No such subcommand: NOSUCH" in names.enter("nosuch")[1]
    gone(sender, names, 5)
    note = Editor(sender, "NOTE FRED")
    assert note.rows[note.find("To:") - 1].split() == ["To:", "FRED", "at", "VMKB"]
    assert note.cursor == (note.find("To:") + 2, 2)
    note.over(note.find("To:") + 2, 2, "Come at noon.")
    gone(sender, note, 5)
    assert any("Note FRED NOTE sent to FRED" in line for line in sender.session.lines[-4:])
    said = getter.run("RECEIVE")
    assert said == ("Note FRED NOTE A0 from SENDER added to ALL NOTEBOOK A",)
    kept = getter.run("TYPE ALL NOTEBOOK A")
    assert [line.split()[0] for line in kept if line][:3] == ["Date:", "From:", "To:"]
    assert kept[-1] == "Come at noon."
    assert "Come at noon." in sender.run("TYPE ALL NOTEBOOK A")


def test_a_reader_full_of_files_is_listed_whole(users: tuple[Cms, Cms]) -> None:
    sender, _ = users
    sender.run("MANY")
    listed = Editor(sender, "RDRLIST")
    assert "Size=300 " in listed.rows[0]
    gone(sender, listed, 3)
    sender.run("PURGE RDR ALL")
