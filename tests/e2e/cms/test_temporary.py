# SPDX-License-Identifier: MIT
"""Temporary minidisks: whose they are, what is on them, when their space is free again. DISK DUMP's
cards, whole and not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import WITHIN, Cms
from tests.e2e.spool_guest import built, logged_on, running
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest

pytestmark = pytest.mark.e2e

FILES = {
    "sender/words.text": "".join(f"{'word ' * (n % 30)}{n}\n" for n in range(400)),
    "sender/empty.text": "\n\nx\n",
    "sender/select.exec": "&CONTROL OFF\n&TYPE first &1 &2\nSTATE &1 &2\n&EXIT 7\nNOSUCH\n",
    "sender/goto.exec": "&TYPE x\n&GOTO 1\n",
}


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Guest, Hercules]]:
    with running(built(tmp_path_factory.mktemp("temporary"), FILES)) as pair:
        yield pair


def formatted(user: Cms, vaddr: str, mode: str) -> None:
    """A file system on that minidisk."""
    mark = user.type(f"FORMAT {vaddr} {mode}")
    user.expect("DMSFOR603R", mark)
    mark = user.type("1")
    user.expect("DMSFOR605R", mark)
    mark = user.type("TEMP")
    user.expect("Ready", mark)


def test_nobody_sees_what_another_had(system: tuple[Guest, Hercules]) -> None:
    """The same blocks, after DETACH and after LOGOFF."""
    with logged_on(system) as (sender, getter):
        sender.run("DEFINE T3370 AS 300 BLK 4096")
        formatted(sender, "300", "T")
        sender.run("COPYFILE WORDS TEXT A = = T")
        sender.run("COMPARE WORDS TEXT A WORDS TEXT T")
        refused = getter.run("DEFINE T3370 300 64", rc=91)
        assert refused == ("DMKDEF091E DASD 300 NOT DEFINED; TEMP SPACE NOT AVAILABLE",)
        sender.run("RELEASE T (DET")
        getter.run("DEFINE T3370 300 BLK 4096")
        assert "the disk is not formatted" in getter.run("ACCESS 300 T", rc=100)[0]
        formatted(getter, "300", "T")
        assert getter.run("LISTFILE * * T", rc=28) == ("DMSLST002E File not found",)
        getter.session.logoff(WITHIN)
        sender.run("DEFINE T3370 300 BLK 4096")
        assert "the disk is not formatted" in sender.run("ACCESS 300 T", rc=100)[0]
        sender.run("DETACH 300")


def test_pieces_lie_beside_each_other(system: tuple[Guest, Hercules]) -> None:
    with logged_on(system, "SENDER") as (sender,):
        for vaddr, blocks in (("301", 1001), ("302", 1001), ("303", 1001)):
            sender.run(f"DEFINE T3370 {vaddr} {blocks}")
        for vaddr, mode in (("301", "T"), ("302", "U"), ("303", "V")):
            formatted(sender, vaddr, mode)
            sender.run(f"COPYFILE WORDS TEXT A = = {mode}")
        sender.run("RELEASE U (DET")
        sender.run("DEFINE T3370 304 1100", rc=91)
        sender.run("DEFINE T3370 304 1000")
        formatted(sender, "304", "U")
        for mode in "TV":
            sender.run(f"COMPARE WORDS TEXT A WORDS TEXT {mode}")
        for mode in "TUV":
            sender.run(f"RELEASE {mode} (DET")


def test_dumped_files_are_as_they_were(system: tuple[Guest, Hercules]) -> None:
    """Records of any length, those of none, a form, a mode number; by DISK LOAD and RECEIVE."""
    with logged_on(system, "SENDER") as (sender,):
        sender.run("RENAME WORDS TEXT A1 = = A5")
        sender.run("SPOOL PUNCH * CONT")
        for name in ("WORDS TEXT", "EMPTY TEXT", "CARDS DATA"):
            sender.run(f"DISK DUMP {name}")
            fn, ft = name.split()
            sender.run(f"COPYFILE {name} A = {ft}S A")
        sender.run("SPOOL PUNCH NOCONT CLOSE")
        sender.run("ERASE WORDS TEXT A")
        assert sender.run("DISK LOAD (REPLACE") == (
            "WORDS TEXT A5", "EMPTY TEXT A1", "CARDS DATA A1",
        )  # fmt: skip
        for name in ("WORDS TEXT", "EMPTY TEXT", "CARDS DATA"):
            sender.run(f"COMPARE {name} A {name}S A")
        assert sender.run("LISTFILE CARDS DATA A (ALLOC NOHEADER")[0].split()[3:5] == ["F", "80"]
        sender.run("DISK DUMP WORDS TEXT")
        sender.run("RECEIVE = COPY")
        sender.run("COMPARE WORDS TEXT A WORDS COPY A")


def test_a_deck_that_lacks_cards_makes_no_file(system: tuple[Guest, Hercules]) -> None:
    with logged_on(system, "SENDER") as (sender,):
        sender.run("SPOOL PUNCH *")
        sender.run("DISK DUMP EMPTY TEXT")
        sender.run("READCARD DECK CARDS")
        assert sender.run("LISTFILE DECK CARDS A (ALLOC NOHEADER")[0].split()[5] == "3"
        sender.run("ERASE EMPTY TEXT A")
        for lines, said in (("FOR 2", "077E"), ("FROM 2", "078E")):
            sender.run(f"COPYFILE DECK CARDS A PART CARDS A (REPLACE {lines}")
            sender.run("PUNCH PART CARDS A (NOHEADER")
            assert said in sender.run("DISK LOAD", rc=32)[0]
            sender.run("STATE EMPTY TEXT A", rc=28)
            sender.run("PURGE RDR ALL")


def test_what_runs_of_exec_1(system: tuple[Guest, Hercules]) -> None:
    with logged_on(system, "SENDER") as (sender,):
        said = sender.run("SELECT cards datafile9", rc=7)
        assert said == ("first CARDS DATAFILE", "DMSSTT002E File CARDS DATAFILE * not found")
        assert "Line 2: EXEC 1 has commands" in sender.run("GOTO", rc=20)[-1]
