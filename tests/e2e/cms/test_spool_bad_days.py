# SPDX-License-Identifier: MIT
"""Days that a spool space has: in pieces, damaged, or full of what somebody's console said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.spool_guest import built, logged_on, running
from vmkb.guests.vmkb.disk.build import opened
from vmkb.guests.vmkb.disk.codepage import unfield
from vmkb.guests.vmkb.disk.layout import FBA
from vmkb.hercules.deadline import wait_until

pytestmark = pytest.mark.e2e

RECORDS = 3000
FILES = {
    "sender/card.text": "ONE CARD\n",
    "sender/big.text": "".join(f"{n:06}{'.' * 60}\n" for n in range(RECORDS)),
    "sender/pieces.exec": """\
/* files of one page until the spool space is full; then each second one goes */
'CP SET IMSG OFF'
do until rc <> 0
  'PUNCH CARD TEXT A'
end
'EXECIO * CP (STEM Q. STRING QUERY PUN'
do i = 2 to q.0 by 2
  'PURGE PUN' word(q.i, 2)
end
'CP SET IMSG ON'
'CP QUERY FILES'
""",
    "sender/huge.exec": """\
/* a file of 100 MB */
'CP SPOOL PUN CONT TO GETTER'
do 410
  'PUNCH BIG TEXT A (NOHEADER'
  if rc <> 0 then exit rc
end
'CP SPOOL PUN NOCONT CLOSE'
""",
    "sender/talk.exec": "/* */\ndo n = 1 to 5000\n  say right(n, 6) copies('.', 60)\nend\n",
}


def test_a_file_in_many_pieces(tmp_path: Path) -> None:
    run = built(tmp_path, FILES, spool=4096)
    with running(run, kill=True) as pair, logged_on(pair) as (sender, getter):
        left = int(sender.run("PIECES")[-1].split()[-2])
        assert 200 < left < 300
        sender.run("SPOOL PUN TO GETTER")
        sender.run("PUNCH BIG TEXT A (NOHEADER")
    with running(run) as pair, logged_on(pair) as (sender, getter):
        getter.run("RECEIVE BIG TEXT")
        assert getter.run("LISTFILE BIG TEXT A (ALLOC NOHEADER")[-1].split()[5] == str(RECORDS)
        for n in (1, 1500, RECORDS):
            assert getter.run(f"TYPE BIG TEXT A {n} {n}") == (f"{n - 1:06}{'.' * 60}",)
        # All of its pages are free again: the same goes in once more.
        sender.run("SPOOL PUN TO GETTER")
        for _ in range(3):
            sender.run("PUNCH BIG TEXT A (NOHEADER")
        getter.run("PURGE RDR ALL")
        assert sender.run("PURGE PUN ALL")[-1] == f"{left:04} FILES PURGED"


def test_a_reader_full_of_large_files(tmp_path: Path) -> None:
    """Two of 100 MB are kept over an IPL; the third is refused, and so is what a minidisk has no
    room for, which stays in the reader."""
    run = built(tmp_path, FILES, spool=500_000)
    with running(run, kill=True) as pair, logged_on(pair, "SENDER") as (sender,):
        sender.run("HUGE")
        sender.run("HUGE")
        assert "the spool space is full" in sender.run("HUGE", rc=100)[-1]
    with running(run) as pair, logged_on(pair) as (sender, getter):
        listed = [row.split()[4] for row in getter.run("QUERY RDR")[1:]]
        assert listed == [f"{410 * RECORDS:08}"] * 2
        assert "is full" in getter.run("RECEIVE BIG TEXT", rc=100)[-1]
        assert getter.run("LISTFILE * * A", rc=28) == ("DMSLST002E File not found",)
        assert len(getter.run("QUERY RDR")) == 3
        assert getter.run("PURGE RDR ALL")[-1] == "0002 FILES PURGED"
        sender.run("HUGE")


def zeroed(image: bytearray, block: int) -> None:
    image[block * FBA : (block + 1) * FBA] = bytes(FBA)


def torn(image: bytearray, block: int) -> None:
    image[block * FBA + 300 : (block + 1) * FBA] = b"\xff" * (FBA - 300)


@pytest.mark.parametrize("damage", [torn, zeroed], ids=["torn", "zeroed"])
@pytest.mark.parametrize("copies", [1, 2])
def test_a_damaged_directory(
    tmp_path: Path, damage: Callable[[bytearray, int], None], copies: int
) -> None:
    """The first six files are in two pairs of blocks; a damaged copy of the first pair brings the
    other one, two bring a message and the files of the second pair."""
    run = built(tmp_path, FILES)
    with running(run) as pair, logged_on(pair, "SENDER") as (sender,):
        for _ in range(6):
            sender.run("PUNCH CARD TEXT A")
    path = run / "vmkb.fba"
    with opened(path) as (_, label, _):
        start = label.area("SPOOL").start
    image = bytearray(path.read_bytes())
    # Which of a pair is newer: the generation, behind magic and checksum.
    at = [int.from_bytes(image[(start + k) * FBA + 12 : (start + k) * FBA + 16]) for k in (0, 1)]
    newer = start + at.index(max(at))
    for block in [newer] if copies == 1 else [start, start + 1]:
        damage(image, block)
    path.write_bytes(image)
    with running(run) as pair, logged_on(pair, "SENDER") as (sender,):
        left = len(sender.run("QUERY PUN")) - 1
        if copies == 2:
            assert left == 2
        else:
            assert left == 5  # the older copy is from before the fourth was closed
        said = "SPOOL DIRECTORY IS DAMAGED" in "\n".join(pair[1].log.tail(80))
        assert said == (copies == 2 and damage is torn)
        sender.run("PUNCH CARD TEXT A")
        sender.run("PURGE PUN ALL")


def test_a_console_that_fills_the_space(tmp_path: Path) -> None:
    run = built(tmp_path, FILES, spool=512)
    with running(run) as pair, logged_on(pair, "SENDER") as (sender,):
        sender.run("SPOOL CONSOLE START")
        said = sender.run("TALK")
        assert "DMKSPL435E CONSOLE SPOOLING STOPPED: NO SPOOL SPACE" in said
        assert said[-1].startswith("  5000 ")
        listed = sender.run("QUERY PRT ALL")[-1]
        assert listed.split()[2:4] == ["T", "CON"]
        assert int(listed.split()[4]) > 2000
        told = "\n".join(pair[1].log.tail(80))
        assert "DMKPGT400I SYSTEM SPOOL SPACE" in told


def test_a_console_that_is_read_back_has_all_lines(tmp_path: Path) -> None:
    run = built(tmp_path, FILES, spool=16384)
    with running(run) as pair, logged_on(pair, "SENDER") as (sender,):
        sender.run("SPOOL CONSOLE START TO SENDER")
        sender.run("TALK")
        sender.run("SPOOL CONSOLE STOP CLOSE")
        sender.run("RECEIVE TALK LOG")
        lines = int(sender.run("LISTFILE TALK LOG A (ALLOC NOHEADER")[-1].split()[5])
        assert lines >= 5000 + 3
        assert sender.run("TYPE TALK LOG A 2503 2503")[0].startswith("  25")


def test_printed_and_punched_to_the_run_folder(tmp_path: Path) -> None:
    """Once the operator starts them; two copies; a file that is held when it is held no more."""
    run = built(tmp_path, FILES)
    with running(run) as pair, logged_on(pair, "SENDER") as (sender,):
        machine = pair[1]
        sender.run("SPOOL PRT COPY 2")
        sender.run("PRINT CARD TEXT A")
        sender.run("SPOOL PRT COPY 1 HOLD")
        sender.run("PRINT BIG TEXT A")
        sender.run("PUNCH CARD TEXT A (NOHEADER")
        for device, name in (("00E", "PRT"), ("00D", "PUN")):
            machine.operator(f"START {device}", f"{name} {device} OUTPUT OF SENDER FILE = ", 30.0)
        wait_until(lambda: len(sender.run("QUERY PRT")) == 2, 30, "the first file to be printed")
        sender.run("CHANGE PRT ALL NOHOLD")
        nothing = "FILES:  NO RDR,  NO PRT,  NO PUN"
        wait_until(lambda: sender.run("QUERY FILES")[-1] == nothing, 30, "all to be put out")
        mark = machine.log.mark()
        machine.operator("DRAIN 00E")
        machine.wait_log("PRT 00E DRAINED", 30.0, mark)
        machine.operator("DRAIN 00F")
        machine.wait_log("DMKCSO040E DEV 00F DOES NOT EXIST", 30.0, mark)
        sender.run("SPOOL PRT NOHOLD")
        sender.run("PRINT CARD TEXT A")
        assert len(sender.run("QUERY PRT")) == 2
    printed = (run / "print.txt").read_bytes().decode("ascii")
    lines = [line for line in printed.replace("\f", "").splitlines() if line.strip()]
    assert lines[:2] == ["ONE CARD"] * 2
    assert lines[2:] == [f"{n:06}{'.' * 60}" for n in range(RECORDS)]
    cards = (run / "punch.cards").read_bytes()
    assert unfield(cards[:80]) == "ONE CARD"


def test_accounts_have_the_records(tmp_path: Path) -> None:
    run = built(tmp_path, FILES)
    with running(run) as pair, logged_on(pair, "SENDER") as (sender,):
        sender.run("SPOOL PUN TO SENDER")
        sender.run("PUNCH BIG TEXT A (NOHEADER")
        sender.run("PRINT CARD TEXT A")
        sender.run("READCARD BACK TEXT A")
        said = "\n".join(sender.run("INDICATE USER"))
        assert f"RDR-{RECORDS:06} PRT-000002 PCH-{RECORDS:06}" in said
        mark = pair[1].log.mark()
        pair[1].operator("ACNT SENDER")
        sender.run("QUERY TIME")
        sender.session.logoff(30.0)
        pair[1].wait_log("LOGOFF AS SENDER", 30.0, mark)
    cards = (run / "punch.cards").read_bytes()
    # The first card: its record counts, punched, printed and read, are the last of six numbers.
    assert [int.from_bytes(cards[n : n + 4]) for n in (52, 56, 60)] == [RECORDS, 2, RECORDS]


def test_cont_makes_one_file(tmp_path: Path) -> None:
    run = built(tmp_path, FILES)
    with running(run) as pair, logged_on(pair, "SENDER") as (sender,):
        sender.run("SPOOL PUN CONT TO SENDER")
        for _ in range(3):
            sender.run("PUNCH CARD TEXT A (NOHEADER")
        assert sender.run("QUERY RDR") == ("NO RDR FILES",)
        sender.run("SPOOL PUN NOCONT CLOSE")
        sender.run("READCARD ALL TEXT A")
        assert sender.run("TYPE ALL TEXT A") == ("ONE CARD",) * 3
