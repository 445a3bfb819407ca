# SPDX-License-Identifier: MIT
"""The wire of a booted guest: it lives as long as somebody holds it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hercules.deadline import wait_until
from hercules.lan import GUEST_PORT, HeldWire, join_lan
from hercules.wire import WireError


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
    assert wire._process.wait(10) == 0


def test_a_second_one_can_follow_in_the_same_folder(tmp_path: Path) -> None:
    for _ in range(2):
        with HeldWire(tmp_path) as wire:
            join_lan("vmkb", tmp_path).close()
        assert wire._process.wait(10) == 0


def test_no_lan_and_a_folder_that_is_too_deep_are_said(tmp_path: Path) -> None:
    with pytest.raises(WireError, match="'vmkb' is on no LAN; end it with vmkb stop vmkb"):
        join_lan("vmkb", tmp_path)
    with pytest.raises(WireError, match="the wire cannot run: AF_UNIX path too long"):
        HeldWire(tmp_path / ("deep" * 30))
