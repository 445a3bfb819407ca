# SPDX-License-Identifier: MIT
"""What a world has promised, and whether it was kept. Pure, but for the volumes that it reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.worlds.plan import HOSTS, Plan, Verb
from tests.worlds.volume import CHECKED, CHECKER, USER, source_name, sources
from vmkb.guests.base import FileName
from vmkb.guests.vmkb.disk.build import opened
from vmkb.guests.vmkb.disk.errors import VolumeError
from vmkb.guests.vmkb.disk.fsformat import FsError
from vmkb.guests.vmkb.disk.minidisk import Minidisk, Region
from vmkb.guests.vmkb.driver import OWN_DISK

Disks = Mapping[tuple[str, str], Mapping[FileName, bytes]]
"""The files of the user's minidisk, by host and user."""
_MOVE = re.compile(r"^VMUSER1 : WORLD MOVE (\d+)$")
_ASKED = re.compile(r"^VMUSER1 : >>>(STOR|DELE|RETR) ")
_STORAGE = re.compile(r"(\d+) OF \d+ DYNAMIC PAGES FREE")
_BOOKS = re.compile(r"ELAPSED \d+ US, DIFFERENCE (-?\d+) US")
_POOL = re.compile(r"MSG FROM TCPIP +: +(\S.*?) +(\d+) OF +\d+ FREE")
BOOKS_APART = 16
"""Microseconds that accounts may be apart from the clock: each is rounded."""


def acknowledged(lines: Iterable[str], plan: Plan) -> dict[int, bool]:
    """The moves that the client began, and whether it was told that they are done."""
    moves = [move for session in plan.sessions for move in session]
    began: dict[int, bool] = {}
    number, asked = -1, False
    for line in lines:
        if not line.startswith(f"{USER} : "):
            continue
        if found := _MOVE.match(line):
            number, asked = int(found[1]), False
            began[number] = False
        elif line.startswith("VMUSER1 : WORLD "):
            number = -1
        if number < 0:
            continue
        if _ASKED.match(line):
            asked = True
        done = " bytes transferred in " if moves[number].verb is Verb.GET else " : 250 "
        if asked and done in line:
            began[number] = True
    return began


def volume(image: Path, users: Iterable[str]) -> tuple[dict[str, dict[FileName, bytes]], list[str]]:
    """The files of USERS' minidisks on a volume; and a sentence for each minidisk, of all, that is
    not what a file system is."""
    found: dict[str, dict[FileName, bytes]] = {}
    wrong = []
    try:
        with opened(image) as (f, _, extents):
            for extent in extents:
                try:
                    disk = Minidisk(Region(f, extent.start, extent.blocks))
                    if extent.owner in users and extent.vaddr == OWN_DISK:
                        found[extent.owner] = {
                            (e.fn, e.ft): disk.read(e).data for e in disk.entries()
                        }
                except FsError as error:
                    wrong.append(f"{extent.owner} {extent.vaddr:03X} is damaged: {error}")
    except VolumeError as error:
        wrong.append(str(error))
    return found, wrong


def files_kept(plan: Plan, began: Mapping[int, bool], disks: Disks) -> list[str]:
    """A sentence for each file that is not what the client was told last, nor what it has asked for
    since then."""
    original = sources()
    allowed: dict[tuple[str, FileName], list[bytes | None]] = {}
    moves = [move for session in plan.sessions for move in session]
    for number in sorted(began):
        move = moves[number]
        host = "client" if move.verb is Verb.GET else "server"
        name = ("G" if move.verb is Verb.GET else "T") + str(move.target), "FILE"
        content = None
        if move.verb is not Verb.DELETE:
            content = original[source_name(move.source, move.ascii)].data
        before = [] if began[number] else allowed.get((host, name), [None])
        allowed[host, name] = [*before, content]
    wrong = []
    for (host, name), contents in allowed.items():
        files = disks.get((host, USER))
        if files is not None and (there := files.get(name)) not in contents:
            size = "is missing" if there is None else f"has {len(there)} bytes"
            may = ", ".join("none" if c is None else str(len(c)) for c in contents)
            wrong.append(f"{' '.join(name)} of the {host} {size} and not what was moved ({may})")
    for host in HOSTS:
        files = disks.get((host, USER), {})
        wrong += [
            f"{' '.join(name)} of the {host} has changed"
            for name, stored in original.items()
            if files and files.get(name) != stored.data
        ]
    return wrong


def checked_files(disks: Disks) -> list[str]:
    """What is wrong with the files that were moved when all was well again."""
    want = sources()[CHECKED, "BIN"].data
    return [
        f"{' '.join(name)} of {CHECKER} on the {host} is not the file that was moved"
        for host, name in (("server", ("T0", "FILE")), ("client", ("G0", "FILE")))
        if disks[host, CHECKER].get(name) != want
    ]


def free_pages(lines: Iterable[str]) -> list[int]:
    """What CP said of its storage, each time."""
    return [int(found[1]) for line in lines if (found := _STORAGE.search(line))]


def pools(lines: Iterable[str]) -> dict[str, int]:
    """What TCPIP said last that is free of each of its pools."""
    return {found[1]: int(found[2]) for line in lines if (found := _POOL.search(line))}


def books(lines: Iterable[str]) -> list[str]:
    """A sentence for each time that accounts did not add up."""
    apart = [int(found[1]) for line in lines if (found := _BOOKS.search(line))]
    wrong = [f"accounts are {us} us apart from the clock" for us in apart if abs(us) > BOOKS_APART]
    return wrong if apart else ["QUERY ACNT was not answered"]
