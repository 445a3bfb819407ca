# SPDX-License-Identifier: MIT
"""The host's network without root: Debian's passt, a user-mode translation between Ethernet frames
and the host's own sockets. It answers ARP, DHCP and ping for the gateway it plays."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import shutil
import socket
import tempfile
from collections.abc import Callable, Sequence

from hercules.ports.stream import StreamLink
from hercules.wire_lan import Lan, Port

END_SECONDS = 3.0


class PasstPort:
    """A passt process on the LAN. Options are passt's own, for example `-t 127.0.0.1/2121:21`."""

    def __init__(
        self, lan: Lan, port: Port, clock: Callable[[], float], changed: Callable[[], None],
        guest: str, gateway: str, options: Sequence[str],
    ) -> None:  # fmt: skip
        self._port = port
        self._make = lambda: StreamLink(lan, port, clock, changed)
        self.guest = ipaddress.IPv4Interface(guest)
        self.gateway = ipaddress.IPv4Address(gateway)
        self._options = list(options)
        self._process: asyncio.subprocess.Process | None = None
        self._link: StreamLink | None = None

    async def open(self) -> None:
        """Starts passt. FileNotFoundError if it is not installed, RuntimeError with its words if it
        ends at once."""
        program = shutil.which("passt")
        if program is None:
            raise FileNotFoundError("passt is not installed: try apt-get install passt")
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        command = [program, "--foreground", "--stderr", "--fd", str(its.fileno()), "--ipv4-only",
                   "--address", str(self.guest.ip), "--netmask", str(self.guest.netmask),
                   "--gateway", str(self.gateway), *self._options]  # fmt: skip
        with its, tempfile.TemporaryFile() as words:
            self._process = await asyncio.create_subprocess_exec(
                *command, pass_fds=[its.fileno()], stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL, stderr=words,
            )  # fmt: skip
            # passt says nothing when it is ready; it ends within milliseconds when it refuses
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), 0.3)
            if self._process.returncode is not None:
                ours.close()
                words.seek(0)
                said = words.read().decode(errors="replace").strip()
                raise RuntimeError(
                    f"passt ended with {self._process.returncode}: {said or 'it said nothing'}"
                )
        ours.setblocking(False)
        loop = asyncio.get_running_loop()
        _, self._link = await loop.create_unix_connection(self._make, sock=ours)

    async def close(self) -> None:
        """Ends passt."""
        if self._link is not None:
            self._link.close()
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            try:
                await asyncio.wait_for(self._process.wait(), END_SECONDS)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
