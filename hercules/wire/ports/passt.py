# SPDX-License-Identifier: MIT
"""The host's network without root: Debian's passt, a user-mode translation between Ethernet frames
and the host's own sockets. It answers ARP, DHCP and ping for the gateway it plays. It serves one
guest of the LAN."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import ipaddress
import logging
import shutil
import socket
import tempfile
import termios
from collections import deque
from collections.abc import Sequence

from vmkb.hercules.owners import may_enter, owners_at
from vmkb.hercules.wire.attachment import Attachment
from vmkb.hercules.wire.block import encode_stream
from vmkb.hercules.wire.ports.passt_frames import Batches, Handshakes, calls, for_passt, refusal
from vmkb.hercules.wire.ports.stream import TAKE, StreamLink

LOOPBACK = "127.0.0.1"
END_SECONDS = 3.0
REFUSES_WITHIN = 0.3
"""passt says nothing when it is ready; it ends within milliseconds when it refuses."""
READ_SECONDS = 0.0005
"""Between two looks whether passt has read."""
AGAIN_SECONDS = 0.5
"""Between the end of a passt that nobody ended and the start of the next, and between tries."""
log = logging.getLogger("wire")


class PasstLink(StreamLink):
    """The stream to passt: only its guest's frames, with complete handshakes. A connection of
    another user of this computer is refused in the guest's stead, unless all may come."""

    def __init__(
        self, port: Attachment, guest: ipaddress.IPv4Address, gateway: ipaddress.IPv4Address,
        open_to_all: bool,
    ) -> None:  # fmt: skip
        super().__init__(port)
        self._open_to_all = open_to_all
        self._guest = guest
        self._gateway = gateway
        self._handshakes = Handshakes()
        self._batches = Batches()
        self._held: deque[bytes] = deque()
        self._again: asyncio.TimerHandle | None = None

    def _came(self, frames: list[bytes]) -> list[bytes]:
        frames = [frame for frame in frames if self._open_to_all or self._let_in(frame)]
        for frame in frames:
            self._handshakes.from_passt(frame)
        return frames

    def _let_in(self, frame: bytes) -> bool:
        """passt keeps a client's port: the kernel knows whose that is."""
        caller = calls(frame)
        if caller is None:
            return True
        uids = owners_at(caller, LOOPBACK)
        if may_enter(*uids):
            return True
        whose = ", ".join(f"user {uid}" for uid in sorted(uids)) or "nobody who is still there"
        log.warning("%s: a connection of %s is refused", self._port.name, whose)
        if self._transport is not None:
            self._transport.write(encode_stream(refusal(frame)))
        return False

    def _send(self) -> None:
        while self._transport is not None and not self._paused:
            if not self._held:
                if not self._port.waiting:
                    return
                self._held.extend(self._wanted(self._port.take(TAKE, 4)))
            together = []
            while self._held and self._batches.fits(self._held[0]):
                together.append(self._held.popleft())
            self._transport.write(b"".join(map(encode_stream, together)))
            if self._held:
                if self._unread(self._transport):
                    self._later()
                    return
                self._batches.read()

    def _later(self) -> None:
        if self._again is None:

            def again() -> None:
                self._again = None
                self._send()

            self._again = asyncio.get_running_loop().call_later(READ_SECONDS, again)

    def _unread(self, transport: asyncio.Transport) -> bool:
        """Whether passt has not read all that went."""
        if transport.get_write_buffer_size():
            return True
        sock = transport.get_extra_info("socket")
        waiting = fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, bytes(4))
        return waiting != bytes(4)

    def _wanted(self, frames: list[bytes]) -> list[bytes]:
        """The guest's frames; others are counted as refused."""
        going, answers = [], []
        for frame in frames:
            if not for_passt(frame, self._guest, self._gateway):
                self._port.refuse(frame)
                continue
            going.append(frame)
            answer = self._handshakes.to_passt(frame)
            if answer is not None:
                answers.append(answer)
        if answers:
            # not at once: the LAN is in the middle of a delivery
            asyncio.get_running_loop().call_soon(self._port.ingress, answers)
        return going


class PasstPort:
    """A passt process on the LAN. Options are passt's own, for example `-t 127.0.0.1/2121:21`. One
    that ends though nobody ended it is started again."""

    def __init__(
        self, port: Attachment, guest: str, gateway: str, options: Sequence[str],
        open_to_all: bool = True,
    ) -> None:  # fmt: skip
        self._name = port.name
        self.guest = ipaddress.IPv4Interface(guest)
        self.gateway = ipaddress.IPv4Address(gateway)
        self._make = lambda: PasstLink(port, self.guest.ip, self.gateway, open_to_all)
        self._options = list(options)
        self._process: asyncio.subprocess.Process | None = None
        self._link: StreamLink | None = None
        self._keeper: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Starts passt. FileNotFoundError if it is not installed, RuntimeError with its words if it
        ends at once."""
        await self._start()
        self._keeper = asyncio.create_task(self._keep())

    async def _start(self) -> None:
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
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), REFUSES_WITHIN)
            if self._process.returncode is not None:
                ours.close()
                words.seek(0)
                raise RuntimeError(
                    f"passt ended with {self._process.returncode}: {_sense(words.read())}"
                )
        ours.setblocking(False)
        loop = asyncio.get_running_loop()
        _, self._link = await loop.create_unix_connection(self._make, sock=ours)

    async def _keep(self) -> None:
        while True:
            if self._process is not None and self._process.returncode is None:
                await self._process.wait()
                log.warning("%s: passt has ended; it is started again", self._name)
            await asyncio.sleep(AGAIN_SECONDS)
            try:
                await self._start()
            except (OSError, RuntimeError) as error:
                log.warning("%s: %s", self._name, error)

    async def close(self) -> None:
        """Ends passt."""
        if self._keeper is not None:
            self._keeper.cancel()
        if self._link is not None:
            self._link.close()
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            try:
                await asyncio.wait_for(self._process.wait(), END_SECONDS)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()


def _sense(said: bytes) -> str:
    """The words of passt, without its complaints that there is no system log."""
    lines = [
        line
        for line in said.decode(errors="replace").splitlines()
        if line.strip() and "syslog" not in line
    ]
    return " ".join(lines) or "it said nothing"
