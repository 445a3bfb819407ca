# SPDX-License-Identifier: MIT
"""Other systems' traffic on the LAN: two stations, of which one sends to the other all the time."""

from __future__ import annotations

import asyncio
from functools import partial

from vmkb.hercules.coroutines import Beside
from vmkb.hercules.lat.station import station_address
from vmkb.hercules.wire.attachment import Attachment

NAMES = ("OTHER1", "OTHER2")
PACKET = 100
"""Bytes: what the report's packets had on the average, of all that was on its Ethernet."""
_TYPE = b"\x88\xb5"
"""IEEE 802's first type for local experiments: nobody takes it for a protocol."""
_START_S = 5.0
_ROOM = 1 << 20
"""Bytes that they take at once, more than the LAN holds for one."""


def _take(port: Attachment) -> None:
    port.take(_ROOM, 0)


class Others:
    """They send KB_S from now on; on virtual time. Close them when the LAN goes."""

    def __init__(self, ports: tuple[Attachment, Attachment], beside: Beside, kb_s: float) -> None:
        self._beside = beside
        self._ports = ports
        one, other = map(station_address, NAMES)
        self._frame = (other + one + _TYPE).ljust(PACKET, b"\0")
        self._back = (one + other + _TYPE).ljust(PACKET, b"\0")
        self._every = PACKET / 1024 / kb_s
        beside.run(self._begin(), _START_S)

    async def _begin(self) -> None:
        for port in self._ports:
            port.join(partial(_take, port))
        self._ports[1].ingress([self._back])  # the switch learns where it is
        self._task = asyncio.create_task(self._go_on())

    async def _go_on(self) -> None:
        while True:
            self._ports[0].ingress([self._frame])
            await asyncio.sleep(self._every)

    def close(self) -> None:
        """They fall silent."""
        self._task.cancel()
        self._beside.close()
