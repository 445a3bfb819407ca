# SPDX-License-Identifier: MIT
"""Machines come and go at random: while there is storage enough, each finds its own."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import pytest

from tests.worlds.judge import free_pages
from tests.worlds.many import volume
from tests.worlds.plan import draw
from tests.worlds.world import QUIET, Play
from vmkb.hercules.clock.guest import WorldClock
from vmkb.hercules.deadline import on
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.guest import load_guest

pytestmark = pytest.mark.e2e

SERVERS, USERS = ("TCPIP", "FTPSERVE", "TELNETD"), ("VMUSER2", "VMUSER3", "VMUSER4", "VMUSER5")
MACHINES = (*SERVERS, *USERS, "TCPIP")
STEPS = 120


@pytest.mark.parametrize("seed", [5, 8])
def test_machines_find_storage(seed: int, tmp_path: Path, emulator_needed: None) -> None:
    """Seeds with which TCPIP found no run of 16 MB while 30 MB were free."""
    rng = random.Random(seed)
    with volume() as image:
        play = Play(draw(0), load_guest("vmkb"), choose(), tmp_path, None, image)
        with on(WorldClock(play.world)), closing(play):
            site = play.sites["server"]
            play.boot(site)
            here: set[str] = set()
            for _ in range(STEPS):
                name = rng.choice(MACHINES)
                play.pause(QUIET)
                if name in here:
                    site.ask(f"FORCE {name}", rf"{name} +USERS.*FORCED|NOT LOGGED ON")
                else:
                    logged_on = rf"AUTO LOGON .* {name} |{name} .*ALREADY LOGGED ON|DMKALG436E"
                    site.ask(f"XAUTOLOG {name}", logged_on)
                    play.pause(QUIET)
                here ^= {name}
            refused = [line for line in site.said() if "NO REAL STORAGE" in line]
            site.ask("QUERY STORAGE", "DYNAMIC PAGES FREE")
            assert not refused, (refused, free_pages(site.said()))
            for name in USERS:
                play.pause(QUIET)
                site.ask(f"FORCE {name}", rf"{name} +USERS.*FORCED|NOT LOGGED ON")
            play.clear(site)
            assert not play.wrong
