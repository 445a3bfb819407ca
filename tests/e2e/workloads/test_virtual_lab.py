# SPDX-License-Identifier: MIT
"""A lab on virtual time of which a guest cannot be started, or that is interrupted meanwhile."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from vmkb.guests.base import Driver
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.choice import EXACT, choose
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.virtual import VirtualLab

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(90)]


@pytest.mark.parametrize("error", [EmulatorError, KeyboardInterrupt])
def test_nobody_waits_for_a_guest_that_did_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    guest = load_guest("vmkb")
    guest.check_built()
    volume = tmp_path / "volume"
    shutil.copyfile(guest.folder / "build" / "vmkb.fba", volume)

    def cannot(*_: object) -> None:
        raise error("no second one")

    emulator = choose(EXACT)
    with (
        pytest.raises(error, match="no second one"),
        VirtualLab(guest, tmp_path / "lab", volume, "fast", emulator, "2064-109", 1) as lab,
    ):
        first = lab.add("first", "").machine
        monkeypatch.setattr(Driver, "start", cannot)
        lab.add("second", "")
    assert not first.running
    first.log.close()
