# SPDX-License-Identifier: MIT
"""The wire as it runs: a LAN, its ports' owners, the clock, the capture file. For one event
loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from vmkb.hercules.inside import inside
from vmkb.hercules.wire.attachment import Attachment
from vmkb.hercules.wire.capturing import Capturing
from vmkb.hercules.wire.free_ports import free_even_ports
from vmkb.hercules.wire.lan import Lan, Port
from vmkb.hercules.wire.ports.ctcm import CtcmPort
from vmkb.hercules.wire.ports.endpoint import Endpoint
from vmkb.hercules.wire.ports.guest import GuestPort
from vmkb.hercules.wire.ports.half import DevicePorts
from vmkb.hercules.wire.ports.passt import PasstPort
from vmkb.hercules.wire.ports.stream import StreamPort
from vmkb.hercules.wire.ports.tap import TapPort
from vmkb.hercules.wire.profile import Profile

WRITE_DEVICE, READ_DEVICE = 0x0500, 0x0501
CTCM_DEVICES = 0x0E20, 0x0E21
"""Which Linux reads, and which it writes."""


class _Owner(Protocol):
    async def open(self) -> None: ...

    async def close(self) -> None: ...


_T = TypeVar("_T", bound=_Owner)


class Wire:
    """A LAN that lives in an event loop. `folder` is where its Unix sockets are made, `room` the
    network that its guests' emulators are in (hercules.room), if they have one."""

    def __init__(self, lan_profile: Profile, seed: int, folder: Path, room: str = "") -> None:
        self._socket = partial(inside, room) if room else socket.socket
        self.lan = Lan(lan_profile, seed)
        self.folder = folder
        self._loop = asyncio.get_running_loop()
        self._owners: dict[str, _Owner] = {}
        self._taken: set[int] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due = 0.0
        self._restores: dict[str, asyncio.TimerHandle] = {}
        self.clock = self._loop.time
        self._capture = Capturing(self.lan, self.clock)

    def changed(self) -> None:
        """Sees to it that `Lan.poll` is called when the next frame is due."""
        due = self.lan.next_due()
        if due is None:
            return
        if self._timer is not None:
            if self._timer_due <= due:
                return
            self._timer.cancel()
        self._timer_due = due
        self._timer = self._loop.call_at(due, self._poll)

    def _poll(self) -> None:
        self._timer = None
        # the loop calls a little early: what the timer was set for is due
        self.lan.poll(max(self.clock(), self._timer_due))
        self.changed()

    def _attachment(self, port: Port) -> Attachment:
        return Attachment(self.lan, port, self.clock, self.changed)

    async def _own(self, name: str, kind: str, make: Callable[[Attachment], _T]) -> _T:
        """A new port and its owner; no port is left behind when the owner refuses."""
        port = self.lan.attach(name, kind)
        try:
            owner = make(self._attachment(port))
            try:
                await owner.open()
            except BaseException:
                await owner.close()
                raise
        except BaseException:
            self.lan.detach(name)
            raise
        self._owners[name] = owner
        return owner

    async def add_guest(
        self, name: str, write_device: int = WRITE_DEVICE, read_device: int = READ_DEVICE
    ) -> list[str]:
        """A port for a guest: the two lines for its Hercules' configuration."""
        numbers = free_even_ports(4, self._taken)
        write = (write_device, DevicePorts(numbers[0], numbers[1]))
        read = (read_device, DevicePorts(numbers[2], numbers[3]))
        guest = await self._own(
            name, "guest", lambda port: GuestPort(port, write, read, self._socket)
        )
        self._taken.update(numbers)
        return guest.config()

    async def add_ctcm(
        self, name: str, read_device: int = CTCM_DEVICES[0], write_device: int = CTCM_DEVICES[1]
    ) -> list[str]:
        """A port for a guest whose CTC devices carry IP packets: the two lines for its Hercules'
        configuration."""
        numbers = free_even_ports(4, self._taken)
        read = (read_device, DevicePorts(numbers[0], numbers[1]))
        write = (write_device, DevicePorts(numbers[2], numbers[3]))
        guest = await self._own(
            name, "ctcm", lambda port: CtcmPort(port, write, read, self._socket)
        )
        self._taken.update(numbers)
        return guest.config()

    async def add_stream(self, name: str) -> str:
        """A port for an endpoint in another process: the path of its Unix socket."""
        path = str(self.folder / f"{name}.sock")
        await self._own(name, "stream", lambda port: StreamPort(port, path))
        return path

    async def add_tap(self, name: str, address: str, mtu: int = 1500, device: str = "") -> str:
        """The host by a TAP device with this address (`10.1.1.1/24`): the device's name."""
        device = device or f"vmkb{os.getpid() % 100000}"
        await self._own(name, "tap", lambda port: TapPort(port, device, address, mtu))
        return device

    async def add_passt(
        self, name: str, guest: str, gateway: str, options: Sequence[str] = (),
        open_to_all: bool = True,
    ) -> str:  # fmt: skip
        """The host by passt: `guest` (`10.1.1.2/24`) is the address it serves, `gateway` its
        own. Unless `open_to_all`, connections of other users of this computer are refused."""
        await self._own(
            name, "passt", lambda port: PasstPort(port, guest, gateway, options, open_to_all)
        )
        return gateway

    def add_endpoint(self, name: str) -> Endpoint:
        """An endpoint in this process."""
        return Endpoint.local(self._attachment(self.lan.attach(name, "endpoint")))

    async def remove(self, name: str) -> None:
        """Takes a port off the LAN."""
        self.lan.port(name)
        owner = self._owners.pop(name, None)
        if owner is not None:
            await owner.close()
        self.lan.detach(name)

    def set_profile(self, port: str, name: str = "", changes: dict[str, Any] | None = None) -> str:
        """Gives a port's link (or all links, `*`) a named profile, the present one, with
        changes; says what it is now."""
        return repr(self.lan.change_profile(port, name, changes or {}))

    def cut(self, port: str, seconds: float | None = None) -> None:
        """Cuts a port's link (or all, `*`), for good or for some seconds."""
        for each in self.lan.ports_called(port):
            self._forget_restore(each.name)
            self.lan.cut(each, True)
            if seconds is not None:
                self._restores[each.name] = self._loop.call_later(seconds, self.restore, each.name)

    def restore(self, port: str) -> None:
        """Restores a link that was cut."""
        for each in self.lan.ports_called(port):
            self._forget_restore(each.name)
            self.lan.cut(each, False)

    def _forget_restore(self, name: str) -> None:
        timer = self._restores.pop(name, None)
        if timer is not None:
            timer.cancel()

    def start_capture(self, path: str | Path) -> None:
        """Writes every frame that reaches the switch to a pcapng file. OSError if it cannot be
        made."""
        self._capture.start(path, time.time() - self.clock())

    def stop_capture(self) -> int:
        """Ends the capture file; how many frames it has, 0 if there was none."""
        return self._capture.stop()

    def snapshot(self) -> dict[str, Any]:
        """All counts, source WI: the LAN's, and the blocks of guests."""
        counts = self.lan.snapshot()
        for name, owner in self._owners.items():
            if isinstance(owner, GuestPort | CtcmPort):
                counts["ports"][name]["blocks"] = owner.snapshot()
        return counts

    def configuration(self, name: str) -> list[str]:
        """The configuration lines of a guest's port; ValueError if it is not one."""
        owner = self._owners.get(name)
        if not isinstance(owner, GuestPort | CtcmPort):
            raise ValueError(f"the port {name!r} is not a guest's")
        return owner.config()

    async def close(self) -> None:
        """Ends everything."""
        self.stop_capture()
        for timer in (self._timer, *self._restores.values()):
            if timer is not None:
                timer.cancel()
        for owner in list(self._owners.values()):
            with contextlib.suppress(OSError):
                await owner.close()
        self._owners.clear()
