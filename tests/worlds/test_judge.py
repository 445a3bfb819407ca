# SPDX-License-Identifier: MIT
"""What counts as acknowledged, and what a file may be then."""

from __future__ import annotations

from dataclasses import replace

from tests.worlds import judge
from tests.worlds.plan import Move, Verb, draw
from tests.worlds.volume import USER, source_name, sources

PUT, GET, DELETE = Verb.PUT, Verb.GET, Verb.DELETE
FILE = ("T0", "FILE")
MOVES = (Move(PUT, False, 2, 0), Move(PUT, False, 3, 0), Move(DELETE, False, 0, 0))
PLAN = replace(draw(0), sessions=(MOVES, (Move(GET, True, 2, 1),)))
SAID = """\
VMUSER1 : 250 Working minidisk is VMUSER1.191 read/write.
VMUSER1 : WORLD MOVE 0
VMUSER1 : >>>STOR T0.FILE
VMUSER1 : 250 Transfer completed successfully.
VMUSER1 : WORLD MOVE 1
VMUSER1 : 250 Not asked for.
VMUSER1 : >>>STOR T0.FILE
VMUSER1 : 150 Storing file 'T0.FILE'.
VMUSER1 : WORLD SESSION RC=16003
VMUSER1 : 250 Behind it.
VMUSER1 : WORLD MOVE 3
VMUSER1 : >>>RETR S2.TXT
VMUSER1 : 250 Transfer completed successfully.
VMUSER2 : 4096 bytes transferred in 0.01 seconds.
""".splitlines()
DATA = {number: sources()[source_name(number, False)].data for number in (2, 3)}


def _kept(began: dict[int, bool], there: bytes | None) -> list[str]:
    files = {name: stored.data for name, stored in sources().items()}
    if there is not None:
        files[FILE] = there
    return judge.files_kept(PLAN, began, {("server", USER): files})


def test_what_the_client_was_told() -> None:
    assert judge.acknowledged(SAID, PLAN) == {0: True, 1: False, 3: False}


def test_an_acknowledged_file_is_there() -> None:
    assert _kept({0: True}, DATA[2]) == []
    assert _kept({0: True}, None) and _kept({0: True}, DATA[2][:-1]) and _kept({0: True}, DATA[3])


def test_what_was_not_acknowledged_is_whole_or_absent() -> None:
    assert _kept({0: False}, None) == _kept({0: False}, DATA[2]) == []
    assert _kept({0: False}, DATA[2][:80])


def test_the_last_acknowledged_or_what_was_asked_for_since() -> None:
    assert _kept({0: True, 1: False}, DATA[2]) == _kept({0: True, 1: False}, DATA[3]) == []
    assert _kept({0: True, 1: False}, None)
    assert _kept({0: True, 1: True, 2: True}, None) == []
    assert _kept({0: True, 1: True, 2: True}, DATA[3])


def test_a_source_never_changes() -> None:
    files = {name: stored.data for name, stored in sources().items()}
    files[source_name(3, True)] = b"another"
    assert judge.files_kept(PLAN, {}, {("client", USER): files})


def test_the_books() -> None:
    good = "SUM 783834 US, ELAPSED 783835 US, DIFFERENCE -1 US, 0.00%"
    assert judge.books([good]) == []
    assert judge.books([good.replace("-1", "-100")])
    assert judge.books([])
    assert judge.free_pages(["STORAGE = 65536K, 12242 OF 14336 DYNAMIC PAGES FREE"]) == [12242]
