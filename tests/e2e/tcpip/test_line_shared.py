# SPDX-License-Identifier: MIT
"""Two users fetch a file each over one slow line, on virtual time: who has how much of it."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from vmkb.guests.base import Contents, FileName, Wishes, driver
from vmkb.guests.contents import Content, Fixed, Text
from vmkb.hercules.emulator.boot import open_session
from vmkb.hercules.emulator.choice import EXACT, choose
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.guest import FTP_READY
from vmkb.workloads.base.virtual import VirtualLab, volumes_dated

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
FAR = "10.17.0.2"
USERS = ("SHARE1", "SHARE2")
DATA = bytes(range(256)) * 160
ALONE = 960 * 192 / 240
"""Bytes a second that the line carries: 192 of a frame's 240 characters."""
LONG = 400.0
ENTRY = """
USER {0} {0} 2M 4M EG
 IPL CMS
 CONSOLE 0009 3215
 LINK MAINT 0190 0190 RR
 MDISK 0191 3370 AUTO 1024 VMKB01 MR
"""
FETCH = f"""\
/* FETCH user: that user's file from {FAR} */
parse upper arg user .
queue user user
queue 'CD' user || '.191'
queue 'BINARY'
queue 'GET FILE.BIN GOT.BIN'
queue 'QUIT'
'FTP' '{FAR}' '(TIMEOUT 1800'
"""
MOVED = re.compile(r"(\d+) bytes transferred in (\d+\.\d+) seconds")


def test_two_transfers_share_a_line(tmp_path: Path) -> None:
    """Begun at nearly the same time, both come whole, and neither has twice the other's rate."""
    guest = load_guest("vmkb")
    hands = driver(guest)
    files: dict[FileName, Content] = {
        ("FILE", "BIN"): Fixed(DATA, 80),
        ("FETCH", "EXEC"): Text(FETCH),
    }
    volume = tmp_path / "volume"
    with volumes_dated():
        added = "".join(map(ENTRY.format, USERS))
        hands.prepare(Contents(added=added, files=dict.fromkeys(USERS, files)), volume)
    with VirtualLab(
        guest, tmp_path / "lab", volume, "fast", choose(EXACT), "2064-109", 1
    ) as lab, ExitStack() as stack:  # fmt: skip
        near = lab.add("near", hands.parameter(Wishes("TCPIP=221", "10.17.0.1", 232)))
        far = lab.add("far", hands.parameter(Wishes("TCPIP=221 BEHAVIOR=RFC1122", FAR, 1500)))
        for running in (near, far):
            lab.start_network(running, FTP_READY)
        lab.wire.set_profile(near.name, "line-9600-quiet")
        sessions = [stack.enter_context(open_session(guest, near.machine)) for _ in USERS]
        for user, session in zip(USERS, sessions, strict=True):
            session.logon(user, user)
        for user, session in zip(USERS, sessions, strict=True):
            session.terminal.type(f"FETCH {user}")
            session.terminal.enter()
        rates = []
        for session in sessions:
            session.expect("bytes transferred", LONG)
            (moved,) = filter(None, map(MOVED.search, session.lines))
            assert int(moved[1]) == len(DATA)
            rates.append(len(DATA) / float(moved[2]))
        assert max(rates) < 2 * min(rates)
        assert max(rates) < ALONE
