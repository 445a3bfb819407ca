# SPDX-License-Identifier: MIT
"""The wire of a booted guest: it lives as long as somebody holds it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from vmkb.hercules.deadline import wait_until
from vmkb.hercules.sockets import PATH_MAX
from vmkb.hercules.wire.client import WireError
from vmkb.hercules.wire.held import GUEST_PORT, HeldWire, join_lan


def gone(folder: Path) -> bool:
    try:
        join_lan("vmkb", folder).close()
    except WireError:
        return True
    return False


def test_it_ends_with_its_last_holder(tmp_path: Path) -> None:
    with HeldWire(tmp_path) as wire:
        other = os.dup(wire.held)
        assert [line.split()[:2] for line in wire.lines] == [["0500", "CTCE"], ["0501", "CTCE"]]
    lan = join_lan("vmkb", tmp_path)
    assert list(lan.ports()) == [GUEST_PORT]
    lan.close()
    os.close(other)
    wait_until(lambda: gone(tmp_path), 10, "the wire's end")
    assert wire._running.process.wait(10) == 0


def test_a_second_one_can_follow_in_the_same_folder(tmp_path: Path) -> None:
    for _ in range(2):
        with HeldWire(tmp_path) as wire:
            join_lan("vmkb", tmp_path).close()
        assert wire._running.process.wait(10) == 0


def test_no_lan_is_said(tmp_path: Path) -> None:
    with pytest.raises(WireError, match="'vmkb' is on no LAN; end it with vmkb stop vmkb"):
        join_lan("vmkb", tmp_path)


def test_a_run_folder_with_a_path_longer_than_a_sockets_and_blanks(tmp_path: Path) -> None:
    folder = tmp_path / ("a long way down " * 8)
    with HeldWire(folder) as wire:
        sockets = (folder / "lan" / "sockets").resolve()
        assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
        lan = join_lan("vmkb", folder)
        assert len(lan.add_stream("terminal")) <= PATH_MAX
        lan.close()
    assert wire._running.process.wait(10) == 0
    assert not sockets.exists()
