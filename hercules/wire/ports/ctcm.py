# SPDX-License-Identifier: MIT
"""The port of a guest whose CTC devices carry IP packets: the wire's end of Linux' driver ctcm.

Each of its channel programs begins with PREPARE, which ends when the other side does something. So
a block for the guest takes two of the wire's WRITEs: one that ends PREPARE, whose data are lost,
and one that answers the READ behind it; what comes meanwhile goes with it. A block of the guest's
begins with PREPARE, which the wire's READ ends. docs/reference/wire.md has the table.
"""

from __future__ import annotations

import asyncio
import enum
import logging
import socket
from collections.abc import Callable

from vmkb.hercules.wire import ctcm
from vmkb.hercules.wire.attachment import Attachment
from vmkb.hercules.wire.block import FRAME_MAX
from vmkb.hercules.wire.ctce import EXTENDED_MODE, PREPARE, READ, RESET, WRITE, Message, State
from vmkb.hercules.wire.ports.half import DevicePorts, Half
from vmkb.hercules.wire.ports.pair import PACED_BLOCK, PairPort
from vmkb.hercules.wire.station import Station

LARGE = ctcm.BLOCK_MAX // 16
"""Bytes of a packet from which on a block may be as long as the driver's buffer. Linux gives each
packet as much storage as the rest of its block needs, rounded up: so for a byte of such packets 16
at most, which is what the guest's receive buffer (1 MB) is of the window that it gives (64 KB)."""
log = logging.getLogger("wire")


class Reader(enum.Enum):
    """The state of the guest's reading device."""

    BUSY = enum.auto()
    PREPARED = enum.auto()
    WOKEN = enum.auto()
    READING = enum.auto()


class CtcmPort(PairPort):
    """A guest on the LAN: the device that it reads, the device that it writes."""

    def __init__(
        self, port: Attachment, write: tuple[int, DevicePorts], read: tuple[int, DevicePorts],
        make_socket: Callable[[], socket.socket] = socket.socket,
    ) -> None:  # fmt: skip
        super().__init__(port, write, read, make_socket)
        self._adapters = (self._reader.adapter, self._writer.adapter)
        self._station = Station()
        """It stays when the driver starts anew, as it does on a busy host: the guest need not say
        again who it is."""
        self._at = Reader.BUSY
        self._packets: list[bytes] = []
        self._replies: list[bytes] = []

    def _decoded(self, block: bytes | memoryview) -> list[bytes]:
        return ctcm.decode(bytes(block))

    def _links(self) -> None:
        if not self._reader.primed:
            self._at = Reader.BUSY
        super()._links()
        if not self._port.present:
            self._packets.clear()
            self._replies.clear()
        adapters = (self._reader.adapter, self._writer.adapter)
        if adapters != self._adapters:  # another emulator, so perhaps another guest
            self._adapters = adapters
            self._station = Station()

    def _begins(self, half: Half) -> None:
        """The driver starts the device anew."""
        half.primed = False
        self._links()

    # What the guest writes

    def _writer_spoke(self, message: Message) -> None:
        writer = self._writer
        if message.command == RESET:  # an IPL
            self._station = Station()
        elif message.command == EXTENDED_MODE:
            self._begins(writer)
        elif message.command == PREPARE:
            writer.write(writer.adapter.say(READ, State.READING))
        elif message.command == WRITE:
            self._block(message.data)

    def _block(self, block: bytes | memoryview) -> None:
        packets = []
        if self._writer.primed:
            packets = self._came(block)
        else:  # the initial block
            self._writer.primed = True
            self._links()
        self._take_in([frame for packet in packets for frame in self._station.sent(packet)])

    # What it reads

    def _reader_spoke(self, message: Message) -> None:
        reader = self._reader
        if message.command == EXTENDED_MODE:
            self._begins(reader)
        elif message.command == PREPARE:
            self._at = Reader.PREPARED
            if not reader.primed or self._packets:
                self._wake_guest()
            else:
                self._send()
            self._watch_read()
        elif message.command == READ and message.state == State.READING:
            self._at = Reader.READING
            if not reader.primed:
                self._write(ctcm.EMPTY)
                reader.primed = True
                self._links()
            elif self._packets or self._port.waiting:
                self._send()
            else:
                self._write(ctcm.EMPTY)
        elif message.command == WRITE:
            log.warning("%s: the guest wrote on the device it should read", self._port.name)

    def _wake_guest(self) -> None:
        self._reader.write(self._reader.adapter.say(WRITE, State.WRITING, ctcm.EMPTY))
        self._at = Reader.WOKEN

    def _write(self, block: bytes) -> None:
        self._reader.write(self._reader.adapter.say(WRITE, State.WRITING, block))
        self._at = Reader.BUSY

    def _keep_alive(self) -> None:
        if self._at is Reader.PREPARED:
            self.keep_alives += 1
            self._wake_guest()

    def _send(self) -> None:
        """As far as the guest takes something: wakes it for what waits, or gives it that."""
        if self._at not in (Reader.PREPARED, Reader.READING) or not self._reader.primed:
            return
        self._take()
        if not self._packets:
            return
        if self._at is Reader.PREPARED:
            self._wake_guest()
            return
        self.blocks_out += 1
        count = ctcm.fitting(self._packets, ctcm.BLOCK_MAX)
        self._write(ctcm.encode(self._packets[:count]))
        del self._packets[:count]

    def _frames(self) -> list[bytes]:
        """Those that wait, as many as go into a block of large packets, or of others: then
        PACED_BLOCK, or one that is larger."""
        first = len(self._packets[0]) if self._packets else self._port.waiting
        block = ctcm.BLOCK_MAX if first >= LARGE else PACED_BLOCK
        room = block - ctcm.size(self._packets)
        found = self._port.take_block(max(room, 0), PACED_BLOCK, ctcm.HEAD)
        if found or self._packets or self._port.paced:
            return found
        return self._port.take_block(FRAME_MAX + ctcm.HEAD, FRAME_MAX, ctcm.HEAD)

    def _take(self) -> None:
        """Packets out of the frames that wait."""
        for frame in self._frames():
            packet, replies = self._station.came(frame)
            if packet is not None and len(packet) <= ctcm.PACKET_MAX:
                self._packets.append(packet)
            elif not replies:
                self._port.refuse(frame)
            if replies and not self._replies:
                # whoever was woken must not send
                asyncio.get_running_loop().call_soon(self._reply)
            self._replies += replies

    def _reply(self) -> None:
        replies, self._replies = self._replies, []
        if self._port.present:
            self._port.ingress(replies, together=True)
