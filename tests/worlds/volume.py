# SPDX-License-Identifier: MIT
"""The volume that all worlds begin with, and what a plan adds to it: the client's procedure and, on
a host whose minidisk is nearly full, what fills it."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.worlds.plan import FULL_BLOCKS, SIZES, Move, Plan, Verb
from vmkb.guests.base import Contents, FileName, driver
from vmkb.guests.contents import Content, Fixed, Text
from vmkb.guests.vmkb.disk.build import minidisk, opened
from vmkb.guests.vmkb.disk.fsformat import BLOCK
from vmkb.guests.vmkb.disk.records import Stored, fixed, from_text
from vmkb.guests.vmkb.driver import OWN_DISK, put_files, records_of
from vmkb.hercules.guest import Guest
from vmkb.workloads.base.virtual import volumes_dated
from vmkb.workloads.ftp.content import text_lines

SERVER, CLIENT = "10.17.0.2", "10.17.0.1"
USER, CHECKER = "VMUSER1", "VMUSER2"
"""Who moves files while faults happen, and who does so behind them, when all is well again."""
CHECKED = "S4"
"""The binary file that the checker moves."""
LRECL = 80
TEXT_LEAST = 40
TIMEOUT = 10
"""Seconds after which the client gives an answer up."""
TRIES = 12

_ENTRY = """
USER {0} {0} 2M 16M G
 IPL CMS
 CONSOLE 0009 3215 T OPERATOR
 LINK MAINT 0190 0190 RR
 LINK TCPIP 0191 0198 RR
 ACCOUNT 10 USERS
 MDISK 0191 3370 AUTO 2048 VMKB01 MR
"""
_PROFILE = """\
/* SPDX-License-Identifier: MIT */
'EXEC TASK'
'CP LOGOFF'
"""
_MARK = """\
/* SPDX-License-Identifier: MIT */
parse arg number
say 'WORLD MOVE' number
"""
_EMPTY_STACK = "do while queued() > 0; parse pull .; end\n"
_CHECK = f"""\
/* SPDX-License-Identifier: MIT */
do {TRIES}
  {_EMPTY_STACK}
  queue '{CHECKER} {CHECKER}'
  queue 'BIN'
  queue 'PUT {CHECKED}.BIN T0.FILE'
  queue 'GET T0.FILE G0.FILE (REPLACE'
  queue 'QUIT'
  'FTP {SERVER} (EXIT TIMEOUT {TIMEOUT}'
  code = rc
  if code = 0 then leave
  'CP SLEEP 5 SEC'
end
say 'WORLD CHECKED RC=' || code
"""

_RIVAL = """\
/* SPDX-License-Identifier: MIT */
do i = 1 to 20
  'CP DETACH 191'
  'CP LINK * 191 191 MR'
  'ACCESS 191 A'
  'COPYFILE S5 BIN A R0 FILE A (REPLACE'
  'COPYFILE S2 TXT A R' || i 'FILE A (REPLACE'
  'ERASE R0 FILE A'
  'ERASE R' || i 'FILE A'
end
"""


def source_name(source: int, ascii: bool) -> FileName:
    """A source file's name."""
    return f"S{source}", "TXT" if ascii else "BIN"


@functools.cache
def given() -> Mapping[FileName, Content]:
    """The files that both guests have."""
    made: dict[FileName, Content] = {}
    for index, size in enumerate(SIZES):
        rng = random.Random(f"worlds/{index}")
        made[source_name(index, False)] = Fixed(rng.randbytes(size), LRECL)
        lines = text_lines(size, rng) if size >= TEXT_LEAST else ["x" * size]
        made[source_name(index, True)] = Text("\n".join(lines) + "\n")
    return made


@functools.cache
def sources() -> Mapping[FileName, Stored]:
    """The same as their disks have them."""
    return {name: records_of(content) for name, content in given().items()}


def prepare(guest: Guest, image: Path) -> None:
    """Make the volume that all worlds copy."""
    files: Mapping[FileName, Content] = {**given(), ("PROFILE", "EXEC"): Text(_PROFILE)}
    checker = {
        (CHECKED, "BIN"): files[CHECKED, "BIN"],
        ("PROFILE", "EXEC"): files["PROFILE", "EXEC"],
        ("TASK", "EXEC"): Text(_CHECK),
    }
    mine = {**files, ("MARK", "EXEC"): Text(_MARK)}
    entries = {user: _ENTRY.format(user) for user in (USER, CHECKER)}
    with volumes_dated():
        driver(guest).prepare(Contents(entries, files={USER: mine, CHECKER: checker}), image)


def _subcommands(moves: tuple[Move, ...], first: int) -> Iterator[str]:
    for number, move in enumerate(moves, first):
        name = ".".join(source_name(move.source, move.ascii))
        yield f"!MARK {number}"
        if move.verb is Verb.DELETE:
            yield f"DELETE T{move.target}.FILE"
            continue
        yield "ASCII" if move.ascii else "BIN"
        if move.verb is Verb.PUT:
            yield f"PUT {name} T{move.target}.FILE"
        else:
            yield f"GET {name} G{move.target}.FILE (REPLACE"


def procedure(plan: Plan) -> str:
    """The client's procedure: each session is an FTP of its own. Moves are numbered through."""
    lines = ["/* SPDX-License-Identifier: MIT */"]
    first = 0
    for moves in plan.sessions:
        lines.append(_EMPTY_STACK.rstrip())
        lines.append(f"queue '{USER} {USER}'")
        lines += [f"queue '{each}'" for each in _subcommands(moves, first)]
        lines.append("queue 'QUIT'")
        option = "EXIT " if plan.exits else ""
        lines.append(f"'FTP {SERVER} ({option}TIMEOUT {TIMEOUT}'")
        lines.append("say 'WORLD SESSION RC=' || rc")
        first += len(moves)
    return "\n".join(lines) + "\n"


def adapt(plan: Plan, host: str, image: Path) -> None:
    """What the plan adds to the copy of the volume that HOST has."""
    files: dict[FileName, Stored] = {}
    if host == "client":
        files["TASK", "EXEC"] = from_text(procedure(plan))
    else:
        files["TASK", "EXEC"] = from_text(_RIVAL)
    if host == plan.full:
        with opened(image) as (f, _, extents):
            free = minidisk(f, extents, USER, OWN_DISK).free
        files["FILLER", "FILE"] = fixed(bytes(BLOCK * (free - FULL_BLOCKS - 1)), LRECL)
    if files:
        with volumes_dated():
            put_files(image, USER, OWN_DISK, files)
