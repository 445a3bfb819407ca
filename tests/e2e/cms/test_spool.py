# SPDX-License-Identifier: MIT
"""Files from user to user through CP's spool: what is sent is what is received, whatever its form;
commands that name nothing, nobody or oneself; a full spool space."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.cms_guest import Cms
from tests.e2e.spool_guest import built, logged_on, running

pytestmark = pytest.mark.e2e

FILES = {
    "sender/short.text": "first\nsecond\n\nlast\n",
    "sender/long.text": f"{'x' * 252}\n{'y' * 253}\n{'z' * 254}\n{'l' * 1000}\n\nend\n",
    "sender/small.listing": "1TITLE\n LINE\n0AFTER A BLANK\n",
    "system/shape.exec": """\
/* length, first and last word of each record */
parse upper arg file
'EXECIO 12 DISKR' file '(FINIS'
do queued()
  parse pull line
  say length(line) left(line, 20) right(line, 20)
end
""",
    "sender/self.exec": "/* */\nsay 'I AM RUN'\n",
    "sender/full.exec": """\
/* sends BIG TEXT until the spool space is full */
do n = 1 by 1 until rc <> 0
  'PUNCH BIG TEXT'
end
say 'SENT' n - 1 'RC' rc
""",
    "sender/big.text": "".join(f"{n:06}{'.' * 60}\n" for n in range(3000)),
}
TOLD = "{} FILE {:04} SENT {:4} {:8} {} {:3} {:04} RECS {:04} CPY  001 A NOHOLD NOKEEP"


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cms, Cms]]:
    run = built(tmp_path_factory.mktemp("spool"), FILES)
    with running(run) as pair, logged_on(pair) as (sender, getter):
        yield sender, getter


@pytest.fixture
def empty(users: tuple[Cms, Cms]) -> Iterator[tuple[Cms, Cms]]:
    """Both, with nothing in any queue and their devices as the directory has them."""
    yield users
    for user in users:
        user.run("SPOOL PUNCH OFF NOHOLD CLASS A COPY 1")
        user.run("PURGE ALL")
        assert user.run("QUERY FILES")[-1] == "FILES:  NO RDR,  NO PRT,  NO PUN"


def spoolid(line: str) -> int:
    """Of a line of QUERY."""
    return int(line.split()[1])


def test_punched_and_received(empty: tuple[Cms, Cms]) -> None:
    sender, getter = empty
    sender.run("SPOOL PUNCH TO GETTER")
    told = sender.run("PUNCH SHORT TEXT")[-1]
    number = int(told.split()[2])
    assert told == TOLD.format("PUN", number, "TO", "GETTER", "RDR", "AS", number, 5)
    assert sender.run("QUERY PUN ALL") == ("NO PUN FILES",)
    listed = getter.run("QUERY RDR ALL")
    getter.expect(TOLD.format("RDR", number, "FROM", "SENDER", "PUN", "WAS", number, 5), 0)
    assert listed[-2] == (
        "ORIGINID FILE CLASS RECORDS  CPY HOLD DATE  TIME     NAME      TYPE     DIST"
    )
    assert re.fullmatch(
        rf"SENDER   {number:04} A PUN 00000005 001 NONE \d\d/\d\d \d\d:\d\d:\d\d "
        "SHORT     TEXT     SENDER",
        listed[-1],
    )
    assert getter.run("RECEIVE") == (
        "File SHORT TEXT A1 created from SHORT TEXT A1 received from SENDER at VMKB",
    )
    assert getter.run("TYPE SHORT TEXT") == ("first", "second", "", "last")
    assert getter.run("QUERY RDR ALL") == ("NO RDR FILES",)


@pytest.mark.parametrize("name", ["LONG TEXT", "CARDS DATA", "SHORT TEXT", "BIG TEXT"])
def test_netdata_keeps_the_file_as_it_is(empty: tuple[Cms, Cms], name: str) -> None:
    sender, getter = empty
    sender.run(f"SENDFILE {name} A TO GETTER SENDER")
    for user in empty:
        user.run(f"RECEIVE COPY{name[0]} TEXT A (REPLACE")
    # Format, record length, records.
    listed = sender.run(f"LISTFILE {name} A (ALLOC NOHEADER")[-1].split()[2:]
    for user in empty:
        assert user.run(f"LISTFILE COPY{name[0]} TEXT A (ALLOC NOHEADER")[-1].split()[2:] == listed
    both = [user.answer(f"SHAPE COPY{name[0]} TEXT A").lines for user in empty]
    assert both[0] == both[1] == sender.answer(f"SHAPE {name} A").lines
    assert len(both[0]) > 1


def test_what_is_received_runs(empty: tuple[Cms, Cms]) -> None:
    sender, getter = empty
    sender.run("SENDFILE SELF EXEC A GETTER (NOTYPE")
    getter.run("RECEIVE")
    assert getter.run("SELF") == ("I AM RUN",)


def test_a_file_that_exists_stays_and_so_does_the_readers(empty: tuple[Cms, Cms]) -> None:
    sender, getter = empty
    for _ in range(2):
        sender.run("SENDFILE SHORT TEXT A TO GETTER")
    getter.run("RECEIVE TWICE TEXT")
    assert getter.run("RECEIVE TWICE TEXT", 28) == (
        "DMSRDR024E File TWICE TEXT A already exists; specify REPLACE",
    )
    assert "0001 RDR" in getter.run("QUERY FILES")[-1]
    getter.run("RECEIVE TWICE TEXT A (REPLACE")
    assert getter.run("RECEIVE", 8) == ("DMSRDR205W Reader empty or not ready",)


def test_print_and_console(empty: tuple[Cms, Cms]) -> None:
    sender, getter = empty
    sender.run("PRINT SMALL LISTING")
    assert "00000003 001 NONE" not in (line := sender.run("QUERY PRT ALL")[-1])
    assert "A PRT 00000005 001 NONE" in line
    sender.run(f"TRANSFER PRT {spoolid(line)} TO GETTER")
    getter.run("RECEIVE LIST OUT")
    assert getter.run("TYPE LIST OUT") == ("TITLE", "LINE", "", "AFTER A BLANK")
    getter.run("SPOOL CONSOLE START TO SENDER")
    getter.run("TYPE SHORT TEXT")
    getter.run("SPOOL CONSOLE STOP CLOSE")
    sender.run("RECEIVE CONSOLE LOG A (REPLACE")
    kept = sender.run("TYPE CONSOLE LOG")
    at = kept.index("TYPE SHORT TEXT")
    assert kept[at + 1 : at + 5] == ("first", "second", "", "last")
    assert kept[at + 5].startswith("Ready;")


def test_ids_classes_and_order(empty: tuple[Cms, Cms]) -> None:
    sender, _ = empty
    for letter in "ABC":
        sender.run(f"SPOOL PUNCH CLASS {letter}")
        sender.run("PUNCH SHORT TEXT")
    ids = [spoolid(line) for line in sender.run("QUERY PUN ALL")[1:]]
    assert sender.run(f"ORDER PUN {ids[2]} {ids[0]}") == ("0002 FILES ORDERED",)
    assert [spoolid(x) for x in sender.run("QUERY PUN")[1:]] == [ids[2], ids[0], ids[1]]
    assert sender.run("CHANGE PUN CLASS B COPY 7 HOLD CLASS Z NAME NEW NAME DIST BIN9") == (
        "0001 FILES CHANGED",
    )
    changed = sender.run("QUERY PUN CLASS Z")
    assert len(changed) == 2
    assert f"SENDER   {ids[1]:04} Z PUN 00000005 007 USER" == changed[-1]
    everything = sender.run(f"QUERY PUN {ids[1]}")[-1]
    assert everything.startswith(changed[-1])
    assert everything.split()[-3:] == ["NEW", "NAME", "BIN9"]
    assert sender.run("PURGE PUN CLASS A CLASS C") == ("0002 FILES PURGED",)
    assert sender.run("PURGE PUN ALL") == ("0001 FILES PURGED",)
    assert sender.run("PURGE PUN ALL") == ("NO FILES PURGED",)


REFUSED = [
    ("SPOOL PUNCH TO NOONE", "DMKCSP053E NOONE NOT IN CP DIRECTORY"),
    ("SPOOL PUNCH TO", "DMKCSP020E USERID MISSING OR INVALID"),
    ("SPOOL PUNCH CLASS ?", "DMKCSP028E CLASS MISSING OR INVALID"),
    ("SPOOL PUNCH CLASS AB", "DMKCSP028E CLASS MISSING OR INVALID"),
    ("SPOOL PUNCH COPY 0", "DMKCSP030E COPIES MISSING OR INVALID"),
    ("SPOOL PUNCH DIST ABCDEFGHI", "DMKCSP032E DIST MISSING OR INVALID"),
    ("SPOOL PUNCH START", "DMKCSP003E INVALID OPTION - START"),
    ("SPOOL 00F CLASS A", "DMKCSP040E DEV 00F DOES NOT EXIST"),
    ("SPOOL TAPE CLASS A", "DMKCSP003E INVALID OPTION - TAPE"),
    ("CLOSE TAPE", "DMKCSP003E INVALID OPTION - TAPE"),
    ("SPOOL PUNCH", "DMKCSP026E OPERAND MISSING OR INVALID"),
    ("CLOSE", "DMKCSP026E OPERAND MISSING OR INVALID"),
    ("CLOSE PUNCH HOLD NOHOLD", "DMKCSP013E CONFLICTING OPTION - NOHOLD"),
    ("CLOSE PUNCH NAME", "DMKCSP029E NAME MISSING OR INVALID"),
    ("PURGE", "DMKCSU035E DEVICE TYPE MISSING OR INVALID"),
    ("PURGE RDR", "DMKCSU027E SPOOLID MISSING OR INVALID"),
    ("PURGE RDR 0", "DMKCSU027E SPOOLID MISSING OR INVALID"),
    ("CHANGE RDR 1", "DMKCSV026E OPERAND MISSING OR INVALID"),
    ("CHANGE RDR 9999 HOLD", "DMKCSV042E SPOOLID 9999 DOES NOT EXIST"),
    ("TRANSFER 9999 TO GETTER", "DMKCSV042E SPOOLID 9999 DOES NOT EXIST"),
    ("TRANSFER ALL TO NOONE", "DMKCSV053E NOONE NOT IN CP DIRECTORY"),
    ("TRANSFER ALL", "DMKCSV020E USERID MISSING OR INVALID"),
    ("QUERY RDR 9999", "DMKCQR042E SPOOLID 9999 DOES NOT EXIST"),
    ("TAG DEV", "DMKCST026E OPERAND MISSING OR INVALID"),
    ("TAG DEV TAPE x", "DMKCST003E INVALID OPTION - TAPE"),
]


@pytest.mark.parametrize(("command", "said"), REFUSED, ids=[c for c, _ in REFUSED])
def test_refused(users: tuple[Cms, Cms], command: str, said: str) -> None:
    assert users[0].run(f"CP {command}", int(said[6:9])) == (said,)


def test_transfer_to_oneself_and_back(empty: tuple[Cms, Cms]) -> None:
    sender, getter = empty
    for _ in range(2):
        sender.run("SENDFILE SHORT TEXT A TO SENDER")
    first, second = (spoolid(line) for line in sender.run("QUERY RDR")[1:])
    assert sender.run("TRANSFER RDR ALL TO *")[-1] == "0002 FILES TRANSFERRED"
    assert [spoolid(line) for line in sender.run("QUERY RDR")[1:]] == [first, second]
    assert sender.run("TRANSFER ALL TO GETTER")[-1] == "0002 FILES TRANSFERRED"
    assert getter.run("TRANSFER ALL FROM SENDER")[-1] == "NO FILES TRANSFERRED"
    assert sender.run("TRANSFER ALL FROM GETTER")[-1] == "0002 FILES TRANSFERRED"
    assert len(sender.run("QUERY RDR")) == 3


def test_a_full_spool_space_is_told_and_nothing_is_lost(empty: tuple[Cms, Cms]) -> None:
    sender, getter = empty
    sender.run("SPOOL PUNCH TO GETTER")
    said = sender.run("FULL")
    sent = int(said[-1].split()[1])
    assert said[-1] == f"SENT {sent} RC 100"
    assert said[-2] == "DMSPUN118S Cannot punch file: the spool space is full"
    assert sent > 2
    assert f"{sent:04} RDR" in getter.run("QUERY FILES")[-1]
    for _ in range(sent):
        getter.run("RECEIVE BIG TEXT A (REPLACE")
    assert getter.run("LISTFILE BIG TEXT A (ALLOC NOHEADER")[-1].split()[5] == "3000"
    assert getter.run("TYPE BIG TEXT A 3000") == (f"002999{'.' * 60}",)
    sender.run("PUNCH BIG TEXT")
    getter.run("PURGE RDR ALL")


def test_an_ipl_keeps_what_was_closed(tmp_path: Path) -> None:
    run = built(tmp_path, FILES)
    with running(run, kill=True) as pair, logged_on(pair) as (sender, getter):
        sender.run("SENDFILE LONG TEXT A TO GETTER")
        sender.run("PUNCH SHORT TEXT")
        before = getter.run("QUERY RDR ALL")[-1]
    with running(run) as pair, logged_on(pair) as (sender, getter):
        assert "FILES:  0001 RDR,  NO PRT,  NO PUN" in getter.start
        assert "FILES:  NO RDR,  NO PRT,  0001 PUN" in sender.start
        assert getter.run("QUERY RDR ALL")[-1] == before
        getter.run("RECEIVE")
        assert getter.run("SHAPE LONG TEXT") == sender.run("SHAPE LONG TEXT")
