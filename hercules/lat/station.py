# SPDX-License-Identifier: MIT
"""A terminal server on the wire, beside the script, and its terminals for scripts.

with LatStation(wire.add_stream("lat1"), "LAT11", ports=2) as station:
    terminal = station.terminal(1)
    terminal.connect("LNS53", within=10)
    terminal.expect("ONLINE", within=5)
    terminal.type("logon vmuser1\\r")
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable
from typing import TypeVar

from vmkb.hercules.closing import Closing
from vmkb.hercules.coroutines import Beside, Thread
from vmkb.hercules.deadline import EmulatorError, Timeout, present, wait_until
from vmkb.hercules.lat.port import CPS_9600, SLOT_MAX, Port, State
from vmkb.hercules.lat.server import KEEPALIVE, RESENDS, SOLICIT_INTERVAL, TIMER, TerminalServer
from vmkb.hercules.wire.attachment import Attachment
from vmkb.hercules.wire.ports.endpoint import Endpoint, EndpointTimeout

START_SECONDS = 5.0
LEAVE_SECONDS = 2.0
LOOK_SECONDS = 0.05
"""Between two looks at what was typed."""
T = TypeVar("T")


def station_address(name: str) -> bytes:
    """A locally administered Ethernet address made from a station's name."""
    return b"\x02\x02" + random.Random(name).randbytes(4)


class LatTerminal:
    """One terminal of a station, for a script: types, and waits for what is shown."""

    def __init__(self, station: LatStation, port: Port) -> None:
        self._station = station
        self._port = port

    @property
    def text(self) -> str:
        """Everything shown so far."""
        return bytes(self._port.shown).decode("latin-1")

    @property
    def shown(self) -> bytearray:
        """Every character shown so far; it grows while the station runs."""
        return self._port.shown

    @property
    def state(self) -> State:
        """Where its session is."""
        return self._port.state

    @property
    def reason(self) -> str:
        """Why its last session ended."""
        return self._port.reason

    @property
    def over(self) -> bool:
        """Whether its session has ended and all that it said was shown."""
        return self.state is State.ENDED and not self._port.waiting_output

    @property
    def waiting_input(self) -> int:
        """Characters typed that were not sent yet."""
        return self._port.waiting_input

    def on_shown(self, take: Callable[[bytes], None]) -> None:
        """`take` gets what is shown from now on, beside the script."""
        self._port.on_shown = take

    @property
    def shown_at(self) -> float:
        """When its last character was shown, by the present clock."""
        return self._port.shown_at

    def start_connect(self, service: str) -> None:
        """Asks for a session, and does not wait."""
        self._station.call(lambda: self._station.server.connect(self._port.number, service))

    def connect(self, service: str, within: float) -> None:
        """A session with a service. EmulatorError when it is refused or nobody answers in time."""
        self.start_connect(service)
        wait_until(
            lambda: self.state in (State.RUNNING, State.ENDED) or None,
            within,
            f"a LAT session with {service}",
        )
        if self.state is State.ENDED:
            raise EmulatorError(f"LAT service {service} refused a session: {self.reason}.")

    def disconnect(self) -> None:
        """Ends the session."""
        self._station.call(lambda: self._station.server.disconnect(self._port.number))

    def type(self, text: str) -> None:
        """Types; a carriage return ends a line."""
        self._station.call(lambda: self._port.type(text.encode("latin-1")))

    def send_break(self) -> None:
        """The break key."""
        self._station.call(self._port.send_break)

    def set_reading(self, reading: bool) -> None:
        """Stops or starts the terminal's output, as ^S and ^Q would."""

        def change() -> None:
            self._port.reading = reading

        self._station.call(change)

    def set_speed(self, cps: float | None) -> None:
        """Characters a second; None: no limit."""

        def change() -> None:
            self._port.cps = cps

        self._station.call(change)

    def expect(self, text: str, within: float, since: int = 0) -> int:
        """Waits until `text` was shown at or behind offset `since`; the offset behind it."""

        sought = text.encode("latin-1")

        def found() -> int | None:
            at = self._port.shown.find(sought, since)
            return at + len(text) if at >= 0 else None

        return wait_until(found, within, f"{text!r} on {self._port.name}", self._lines)

    def ended(self, within: float) -> str:
        """Waits for the end of the session and of its output; why it ended."""
        wait_until(
            lambda: self.over,
            within,
            f"the session of {self._port.name} to end",
            self._lines,
        )
        return self.reason

    def _lines(self) -> list[str]:
        return self.text.replace("\r", "").split("\n")[-24:]


class LatStation(Closing):
    """A terminal server at a stream port of the wire. Its coroutine runs BESIDE the script, which
    goes with it; None: in a thread of its own."""

    def __init__(
        self,
        path: str | Attachment,
        name: str,
        ports: int = 1,
        cps: float | None = CPS_9600,
        keepalive: float = KEEPALIVE,
        timer: float = TIMER,
        resends: int = RESENDS,
        beside: Beside | None = None,
    ) -> None:
        self._beside = beside or Thread(f"lat-{name}")
        self._ports = [Port(i + 1, cps, SLOT_MAX) for i in range(ports)]
        base = self._beside.draws.randrange(1, 0x8000)
        self.server = TerminalServer(
            station_address(name), name, self._ports, base, keepalive, timer, resends
        )
        self.on_lan = True
        """Whether there is still a wire."""
        self._closed = False
        try:
            self._endpoint = self._beside.run(Endpoint.connect(path), START_SECONDS)
        except (OSError, TimeoutError) as error:
            self._beside.close()
            raise EmulatorError(f"LAT station {name} found no wire at {path}: {error}") from None
        self._serving = self._beside.call(lambda: asyncio.create_task(self._serve()))

    def terminal(self, number: int) -> LatTerminal:
        """Its n-th terminal, from 1."""
        return LatTerminal(self, self._ports[number - 1])

    def call(self, act: Callable[[], T]) -> T:
        """Does something between two steps of the station's; its value. EmulatorError when it is
        off the LAN."""
        if self._serving.done():
            raise EmulatorError(f"LAT station {self.server.name} is off the LAN.")
        return self._beside.call(act)

    def services(self, wanted: str, within: float) -> list[str]:
        """The services on the LAN, as soon as `wanted` is among them (empty: any); after `within`
        seconds those that there are."""
        asked = -SOLICIT_INTERVAL
        clock = present()

        def offered() -> list[str]:
            return sorted(
                {name for _, host in self.server.hosts.values() for name in host.services}
            )

        def found() -> bool:
            nonlocal asked
            if clock.now() - asked >= SOLICIT_INTERVAL:
                asked = clock.now()
                self.call(self.server.ask_who_is_there)
            names = self.call(offered)
            return wanted.upper() in names if wanted else bool(names)

        with contextlib.suppress(Timeout):
            wait_until(found, within, "a LAT service")
        return self.call(offered)

    def leave(self) -> None:
        """Ends its sessions and circuits in order, if the hosts answer soon, and leaves the LAN."""
        with contextlib.suppress(EmulatorError):
            self.call(self.server.disconnect_all)
            wait_until(lambda: not self.server.circuits, LEAVE_SECONDS, "the circuits' end")
        self.close()

    def close(self) -> None:
        """Leaves the LAN at once, as a server does whose power fails."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(TimeoutError):
            self._beside.run(self._leave_lan(), START_SECONDS)
        self._beside.close()

    async def _leave_lan(self) -> None:
        self._serving.cancel()
        await asyncio.gather(self._serving, return_exceptions=True)
        await self._endpoint.close()

    async def _serve(self) -> None:
        loop, endpoint = asyncio.get_running_loop(), self._endpoint
        try:
            while True:
                now = loop.time()
                for frame in self.server.tick(now):
                    endpoint.send(frame)
                await self._receive_until(min(self.server.due(now), now + LOOK_SECONDS))
        except OSError:
            self.on_lan = False
            self.server.lose_lan("the LAN is gone")

    async def _receive_until(self, due: float) -> None:
        loop, endpoint = asyncio.get_running_loop(), self._endpoint
        left = due - loop.time()
        while True:
            try:
                data = await endpoint.receive(max(left, 0.0))
            except EndpointTimeout:
                return
            now = loop.time()
            for frame in self.server.receive(data, now):
                endpoint.send(frame)
            if left <= 0:
                return
            left = min(due, self.server.due(now)) - now
