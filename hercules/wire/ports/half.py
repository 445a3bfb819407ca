# SPDX-License-Identifier: MIT
"""The wire's end of one CTCE device: two connections with an emulator.

For each device the wire listens on `wire + 1` and connects from `wire` to `guest + 1`, where the
emulator listens from its start. Hercules 3.13 connects from `guest` with its first channel program
and refuses a connection from any other port than `wire`; SDL Hyperion connects from any port as it
starts and says first who it is. So the wire knows by a connection's port which of them it talks to,
and refuses all others. When either connection ends the wire drops both with a reset, which leaves
no TIME_WAIT behind, and starts anew: the guest may come back at once."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import Callable
from typing import NamedTuple

from vmkb.hercules.emulator.dialect import dialects
from vmkb.hercules.wire.ctce import RESET, WRITE, Adapter, CtceError, Layout, Message, Parser

HOST = "127.0.0.1"
_CONNECT_SECONDS = 0.02
_CONNECT_TIMEOUT = 1.0
_GREETS_WITHIN = 2.0
"""Seconds that an unknown connection has to say who it is."""
_RESET = struct.pack("ii", 1, 0)
log = logging.getLogger("wire")


class DevicePorts(NamedTuple):
    """The two even TCP ports of one CTCE device; each also uses the odd one above it."""

    guest: int
    wire: int

    def config(self, device: int) -> str:
        """The line of Hercules' configuration."""
        return f"{device:04X} CTCE {self.guest} {HOST} {self.wire}"


def form_of(peer: int, ports: DevicePorts) -> Layout:
    """How the emulator talks that connects from the port PEER: one that does not say who it is
    comes from the port that is the guest's."""
    silent = peer == ports.guest
    return next(d.ctce for d in dialects() if silent == (not d.ctce.greeting))


class _Inbound(asyncio.BufferedProtocol):
    """The emulator's connection to the wire: all that the guest says."""

    def __init__(self, half: Half) -> None:
        self._half = half
        self._parser: Parser
        self._form: Layout
        self._transport: asyncio.Transport | None = None
        self._accepted = False
        self._silent: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._form = form_of(transport.get_extra_info("peername")[1], self._half.ports)
        self._parser = Parser(self._form)
        if not self._form.greeting:
            self._accept()
        else:
            loop = asyncio.get_running_loop()
            self._silent = loop.call_later(_GREETS_WITHIN, self._refuse, "it says nothing")

    def _accept(self) -> None:
        assert self._transport is not None
        self._heard()
        self._accepted = self._half.accept(self._transport, self._form)
        if not self._accepted:
            self._refuse("it has one")

    def _heard(self) -> None:
        if self._silent is not None:
            self._silent.cancel()
            self._silent = None

    def _refuse(self, why: str) -> None:
        assert self._transport is not None
        self._heard()
        peer = self._transport.get_extra_info("peername")
        log.warning(
            "%04X: a connection from %s is not the guest's (%s): refused",
            self._half.device, peer, why,
        )  # fmt: skip
        self._transport.abort()
        self._transport = None

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._parser.space()

    def buffer_updated(self, nbytes: int) -> None:
        if self._transport is None:
            return
        try:
            messages = self._parser.filled(nbytes)
        except CtceError as error:
            if self._accepted:
                self._half.drop(f"what came is not CTCE: {error}")
            else:
                self._refuse(str(error))
            return
        if not self._accepted and self._parser.greeted is not None:
            if self._parser.greeted != self._half.ports.guest + 1:
                self._refuse(f"it is port {self._parser.greeted}'s")
            else:
                self._accept()
        for message in messages:
            if self._transport is not None:
                self._half.message(message)

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._heard()
        if self._accepted and self._transport is not None:
            self._half.lost(self._transport, "Hercules closed its connection")


class _Outbound(asyncio.Protocol):
    """The wire's connection to Hercules: only its end is of interest."""

    def __init__(self, half: Half) -> None:
        self._half = half
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._half.lost(self._transport, "Hercules closed the wire's connection")


class Half:
    """One device of a guest: two connections and the protocol state between them."""

    def __init__(
        self, device: int, ports: DevicePorts, on_message: Callable[[Message], None],
        on_change: Callable[[], None], make_socket: Callable[[], socket.socket] = socket.socket,
    ) -> None:  # fmt: skip
        self._socket = make_socket
        self.device = device
        self.ports = ports
        self._form = dialects()[0].ctce  # until one has connected
        self.adapter = Adapter(device, self._form)
        self._on_message = on_message
        self._on_change = on_change
        self._inbound: asyncio.Transport | None = None
        self._outbound: asyncio.Transport | None = None
        self._server: asyncio.Server | None = None
        self._connector: asyncio.Task[None] | None = None
        self._closing = False
        self._early = b""
        self._dropped = 0
        self.primed = False
        """Whether the guest's first READ or WRITE since the connections stand has come."""

    async def open(self) -> None:
        """Listens, and goes on trying to connect until closed. OSError if the port is taken."""
        loop = asyncio.get_running_loop()
        sock = self._socket()
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((HOST, self.ports.wire + 1))
            self._server = await loop.create_server(lambda: _Inbound(self), sock=sock, backlog=4)
        except BaseException:
            sock.close()
            raise
        self._connector = loop.create_task(self._connect())

    async def _connect(self) -> None:
        # Hercules listens as soon as it has read its configuration; a refusal on the loopback costs
        # microseconds, so asking often makes a guest's start short.
        loop = asyncio.get_running_loop()
        while self._outbound is None and not self._closing:
            dropped = self._dropped
            try:
                sock = self._socket()
            except OSError as error:
                log.warning("%04X: no socket in the emulator's room: %s", self.device, error)
                await asyncio.sleep(_CONNECT_TIMEOUT)
                continue
            try:
                sock.setblocking(False)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sock.bind((HOST, self.ports.wire))
                async with asyncio.timeout(_CONNECT_TIMEOUT):
                    await loop.sock_connect(sock, (HOST, self.ports.guest + 1))
            except OSError:
                sock.close()
                await asyncio.sleep(_CONNECT_SECONDS)
                continue
            except asyncio.CancelledError:
                sock.close()
                raise
            transport, _ = await loop.create_connection(lambda: _Outbound(self), sock=sock)
            if dropped == self._dropped and not transport.is_closing():
                self._outbound = transport
            else:
                # the guest's connection ended meanwhile, or this one already has
                transport.abort()
        self._connector = None
        self._established()

    def accept(self, transport: asyncio.Transport, form: Layout) -> bool:
        """Whether a connection, by an emulator that talks in FORM, is taken: one at a time."""
        if self._inbound is not None:
            return False
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._inbound = transport
        if form != self._form:
            self._form = form
            self.adapter = Adapter(self.device, form)
        self._established()
        return True

    def _established(self) -> None:
        if self._inbound is not None and self._outbound is not None:
            greeting = self._form.greet(self.ports.wire + 1, HOST, self.device)
            self._outbound.write(greeting + self.adapter.hello() + self._early)
            self._early = b""

    def message(self, message: Message) -> None:
        """A message of the guest's."""
        if message.command == WRITE:
            self._on_message(message)
            return
        if message.command == RESET:
            # an IPL: a guest that was on the wire is gone until it uses the device again
            self.primed = False
            self._on_change()
        reply = self.adapter.received(message)
        if reply:
            self.write(reply)
        self._on_message(message)

    def write(self, data: bytes) -> None:
        """Sends to Hercules. Its connection may bring a first message before the wire knows that
        its own stands: the answer waits for that."""
        if self._outbound is not None:
            self._outbound.write(data)
        elif self._inbound is not None:
            self._early += data

    def lost(self, transport: asyncio.BaseTransport, why: str) -> None:
        """A connection ended: of interest only if it is not one that was dropped before."""
        if transport is self._inbound or transport is self._outbound:
            self.drop(why)

    def drop(self, why: str) -> None:
        """Ends both connections and starts anew, unless that has been done."""
        if self._inbound is None and self._outbound is None:
            return
        log.info("%04X: %s", self.device, why)
        self._dropped += 1
        inbound, outbound = self._inbound, self._outbound
        self._inbound = self._outbound = None
        self.primed = False
        self._early = b""
        for transport in (inbound, outbound):
            if transport is not None:
                transport.abort()
        self.adapter = Adapter(self.device, self._form)
        self._on_change()
        if not self._closing and self._connector is None:
            self._connector = asyncio.get_running_loop().create_task(self._connect())

    async def close(self) -> None:
        """Ends the connections and listens no more."""
        self._closing = True
        if self._connector is not None:
            self._connector.cancel()
            await asyncio.wait([self._connector])
        self.drop("the port is closed")
        if self._server is not None:
            self._server.close()
