# SPDX-License-Identifier: MIT
"""Without connections TCPIP sleeps: work leaves nothing behind that costs, and what lwIP remembers
grows old as before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.worlds import judge
from tests.worlds.many import volume
from tests.worlds.plan import draw
from tests.worlds.world import ENDS, SERVES, Play
from vmkb.hercules.clock.guest import WorldClock
from vmkb.hercules.deadline import on
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.guest import load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

MOST = 1000
"""Instructions a second of a guest at rest, CP's included."""
SECONDS, TIME_WAIT = 30, 120


@pytest.fixture
def play(tmp_path: Path, emulator_needed: None) -> Iterator[Play]:
    """Two guests that serve, in a world without faults."""
    plan = replace(draw(1), faults=(), patient=False, full="", wire="ethernet-10", mtu=1500)
    with volume() as image:
        made = Play(plan, load_guest("vmkb"), choose(), tmp_path, None, image)
        with on(WorldClock(made.world)):
            for site in made.sites.values():
                made.boot(site)
                made.serve(site, "TCPIP")
            for site in made.sites.values():
                made.told(site, "DTCFTS0021I", SERVES)
            try:
                yield made
            finally:
                made.close()


def rest(play: Play, seconds: int = SECONDS) -> int:
    """What the busier guest executes in a second."""

    def executed() -> list[int]:
        return [s.machine.virtual.node.instructions for s in play.sites.values()]  # type: ignore[union-attr]

    before = executed()
    play.pause(seconds)
    return max(now - then for now, then in zip(executed(), before, strict=True)) // seconds


def connections_free(play: Play) -> int:
    """Places for connections that the client's TCPIP has; one in TIME-WAIT takes one."""
    client = play.sites["client"]
    client.ask("SMSG TCPIP POOLS", "END OF POOLS")
    play.pause(1)  # the next line that is typed is heard
    return judge.pools(client.said())["TCP_PCB"]


def test_work_leaves_nothing_behind_that_costs(play: Play) -> None:
    """And a connection is in TIME-WAIT for two minutes, as ever."""
    play.pause(10)
    free, before = connections_free(play), rest(play)
    client = play.sites["client"]
    client.ask("XAUTOLOG VMUSER1", "AUTO LOGON .* VMUSER1 ")
    play.told(client, "LOGOFF AS VMUSER1", ENDS)
    play.pause(10)
    assert 0 < before < MOST
    assert 0 < rest(play) < MOST
    play.pause(TIME_WAIT - 50)
    assert connections_free(play) < free
    play.pause(25)
    assert connections_free(play) == free
