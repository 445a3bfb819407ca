# SPDX-License-Identifier: MIT
"""Frames that are no DECnet, sent to a VM/KB that has a session: refused, counted, CP unharmed."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from tests.e2e.sethost_guest import FAR, NODES, PYTHON_NODE, Visitor, counts, pair
from tests.peers.decnet import packets
from vmkb.hercules.wire.ports.endpoint import Endpoint

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
FRAMES = 5000
BATCH = 100


def hostile(rng: random.Random) -> bytes:
    """A frame for FAR: a message with some bytes changed, cut short, or noise."""
    me, to = packets.address(PYTHON_NODE), packets.address(NODES[FAR])
    kind = rng.choice(
        [0x60, 0x20, 0x10, 0x30, 0x04, 0x14, 0x18, 0x68, 0x28, 0x38, 0x48, 0x24, 0x08]
    )
    message = bytes([kind]) + rng.randbytes(rng.randrange(80))
    if kind in (packets.CI, packets.CI_AGAIN) and rng.random() < 0.7:
        connect = packets.Message(
            packets.CI, 0, rng.randrange(1, 60), segment=563, body=b"\0\x2a\1\0\1A\0"
        )
        message = packets.encode(connect)
    frame = bytearray(packets.data_frame(me, to, message))
    for _ in range(rng.randrange(4)):
        frame[rng.randrange(14, len(frame))] = rng.randrange(256)
    return bytes(frame[: rng.randrange(14, len(frame) + 1)] if rng.random() < 0.2 else frame)


def test_hostile_frames(tmp_path: Path) -> None:
    with pair(tmp_path / "pair") as systems:
        visitor = Visitor(systems, 1)
        visitor.set_host()
        visitor.logon()

        async def attack() -> None:
            endpoint = await Endpoint.connect(systems.wire.add_stream("hostile"))
            rng = random.Random(11)
            for i in range(FRAMES):
                endpoint.send(hostile(rng))
                if i % BATCH == 0:
                    await asyncio.sleep(0)
            await endpoint.close()

        asyncio.run(attack())
        assert any("TIME IS" in line for line in visitor.command("CP QUERY TIME"))
        far = systems.console(FAR, 0x0700)
        far.logon("WHEEL")
        said = counts(far)
        assert said["MALFORMED"] > FRAMES / 50 and said["UNKNOWN"] > FRAMES / 50, said
        mark = visitor.console.type("LOGOFF")
        visitor.wait("CONTROL RETURNED", mark)
