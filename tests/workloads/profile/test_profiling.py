# SPDX-License-Identifier: MIT
"""Profiles of trials in which machines of several guests took part."""

from __future__ import annotations

from pathlib import Path

from vmkb.accounting.profile import counts
from vmkb.workloads.base.profile import kept as profiling

USERS = ("TCPIP", "SYSTEM")


def station(folder: Path, times: int) -> Path:
    """What an emulator leaves: two samples of each machine, the second of TIMES instructions."""
    folder.mkdir()
    samples = [
        counts.Sample(user, 64 * k, at, {0x2000: at * times})
        for at in (1, 2)
        for k, user in enumerate(USERS, start=1)
    ]
    (folder / profiling.COUNTS).write_bytes(counts.write(samples))
    return folder


def test_machines_of_two_guests_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / profiling.FOLDER).mkdir()
    for times, guest in enumerate(("LISA", "BART"), start=1):
        profiling.keep(station(tmp_path / guest, times), 0, tmp_path, "RX48K.L-213-1", guest)
    found = profiling.kept(tmp_path, "RX48K.L-213-1")
    assert {s.userid: s.total for s in found} == {
        "LISA TCPIP": 2, "LISA SYSTEM": 2, "BART TCPIP": 4, "BART SYSTEM": 4,
    }  # fmt: skip
    assert profiling.kept(tmp_path, "RX48K.L-213-2") == []
    assert profiling.kept(tmp_path, "RX48K") == []


def test_of_one_guest_they_are_called_as_there(tmp_path: Path) -> None:
    (tmp_path / profiling.FOLDER).mkdir()
    profiling.keep(station(tmp_path / "a", 1), 0, tmp_path, "T-1")
    assert {s.userid for s in profiling.kept(tmp_path, "T-1")} == set(USERS)
