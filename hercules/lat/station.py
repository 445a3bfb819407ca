# SPDX-License-Identifier: MIT
"""A terminal server on the wire, in a thread of its own, and its terminals for scripts.

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
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from hercules.closing import Closing
from hercules.deadline import EmulatorError, Timeout, wait_until
from hercules.lat.port import CPS_9600, SLOT_MAX, Port, State
from hercules.lat.server import KEEPALIVE, RESENDS, SOLICIT_INTERVAL, TIMER, TerminalServer
from hercules.wire.ports.endpoint import Endpoint, EndpointTimeout

START_SECONDS = 5.0
LEAVE_SECONDS = 2.0
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
        """`take` gets what is shown from now on, in the station's thread."""
        self._port.on_shown = take

    @property
    def shown_at(self) -> float:
        """When its last character was shown, by `time.monotonic`."""
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
    """A terminal server at a stream port of the wire."""

    def __init__(
        self,
        path: str,
        name: str,
        ports: int = 1,
        cps: float | None = CPS_9600,
        slot_max: int = SLOT_MAX,
        keepalive: float = KEEPALIVE,
        timer: float = TIMER,
        resends: int = RESENDS,
    ) -> None:
        self._ports = [Port(i + 1, cps, slot_max) for i in range(ports)]
        base = random.SystemRandom().randrange(1, 0x8000)
        self.server = TerminalServer(
            station_address(name), name, self._ports, base, keepalive, timer, resends
        )
        self._path = path
        self._stop = threading.Event()
        self._up = threading.Event()
        self._failed: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._main, name=f"lat-{name}", daemon=True)
        self._thread.start()
        if not self._up.wait(START_SECONDS) or self._failed is not None:
            self._stop.set()
            raise EmulatorError(f"LAT station {name} found no wire at {path}: {self._failed}")

    def terminal(self, number: int) -> LatTerminal:
        """Its n-th terminal, from 1."""
        return LatTerminal(self, self._ports[number - 1])

    def call(self, act: Callable[[], T]) -> T:
        """Does something in the station's thread; its value. EmulatorError when it is off the
        LAN."""
        assert self._loop is not None
        done: Future[T] = Future()

        def run() -> None:
            try:
                done.set_result(act())
            except Exception as error:
                done.set_exception(error)

        try:
            self._loop.call_soon_threadsafe(run)
            return done.result(START_SECONDS)
        except (RuntimeError, TimeoutError):  # its loop is closed, or was while this waited
            if self._thread.is_alive():
                raise
            raise EmulatorError(f"LAT station {self.server.name} is off the LAN.") from None

    def services(self, wanted: str, within: float) -> list[str]:
        """The services on the LAN, as soon as `wanted` is among them (empty: any); after `within`
        seconds those that there are."""
        asked = -SOLICIT_INTERVAL

        def offered() -> list[str]:
            return sorted(
                {name for _, host in self.server.hosts.values() for name in host.services}
            )

        def found() -> bool:
            nonlocal asked
            if time.monotonic() - asked >= SOLICIT_INTERVAL:
                asked = time.monotonic()
                self.call(self.server.ask_who_is_there)
            names = self.call(offered)
            return wanted.upper() in names if wanted else bool(names)

        with contextlib.suppress(Timeout):
            wait_until(found, within, "a LAT service")
        return self.call(offered)

    @property
    def on_lan(self) -> bool:
        """Whether there is still a wire."""
        return self._failed is None

    def leave(self) -> None:
        """Ends its sessions and circuits in order, if the hosts answer soon, and leaves the LAN."""
        with contextlib.suppress(EmulatorError):
            self.call(self.server.disconnect_all)
            wait_until(lambda: not self.server.circuits, LEAVE_SECONDS, "the circuits' end")
        self.close()

    def close(self) -> None:
        """Leaves the LAN at once, as a server does whose power fails."""
        self._stop.set()
        self._thread.join(START_SECONDS)

    def _main(self) -> None:
        try:
            asyncio.run(self._serve())
        except (OSError, TimeoutError) as error:
            self._failed = error
            self.server.lose_lan("the LAN is gone")
            self._up.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        endpoint = await Endpoint.connect(self._path)
        self._up.set()
        try:
            while not self._stop.is_set():
                now = time.monotonic()
                for frame in self.server.tick(now):
                    endpoint.send(frame)
                await self._receive_until(endpoint, min(self.server.due(now), now + 0.05))
        finally:
            await endpoint.close()

    async def _receive_until(self, endpoint: Endpoint, due: float) -> None:
        left = due - time.monotonic()
        while True:
            try:
                data = await endpoint.receive(max(left, 0.0))
            except EndpointTimeout:
                return
            now = time.monotonic()
            for frame in self.server.receive(data, now):
                endpoint.send(frame)
            if left <= 0:
                return
            left = min(due, self.server.due(now)) - now
