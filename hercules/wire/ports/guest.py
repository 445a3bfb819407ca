# SPDX-License-Identifier: MIT
"""The port of a guest whose CTC devices carry blocks of Ethernet frames: VM/KB's own form."""

from __future__ import annotations

import logging

from vmkb.hercules.wire.block import BLOCK_MAX, EMPTY_BLOCK, decode_block, encode_block
from vmkb.hercules.wire.ctce import WRITE, Message
from vmkb.hercules.wire.ports.pair import PACED_BLOCK, PairPort

log = logging.getLogger("wire")


class GuestPort(PairPort):
    """A guest on the LAN: the device it writes, the device it reads."""

    def _decoded(self, block: bytes | memoryview) -> list[bytes]:
        return decode_block(block)

    def _writer_spoke(self, message: Message) -> None:
        if message.command != WRITE:
            return
        if not self._writer.primed:
            self._writer.primed = True
            self._links()
        self._take_in(self._came(message.data))

    def _reader_spoke(self, message: Message) -> None:
        if message.command == WRITE:
            log.warning("%s: the guest wrote on the device it should read", self._port.name)
            return
        reader = self._reader
        if reader.primed:
            self._send()
        elif reader.adapter.read_waits:
            # Hercules loses what answers the READ that was posted while its receiver started
            reader.primed = True
            self._links()
            reader.write(reader.adapter.send(EMPTY_BLOCK))
        if reader.adapter.read_waits:
            self._watch_read()

    def _keep_alive(self) -> None:
        reader = self._reader
        if reader.adapter.read_waits:
            self.keep_alives += 1
            reader.write(reader.adapter.send(EMPTY_BLOCK))

    def _send(self) -> None:
        reader = self._reader
        if not reader.primed or not reader.adapter.may_send:
            return
        frames = self._port.take_block(BLOCK_MAX - 4, PACED_BLOCK - 4, 2)
        if frames:
            self.blocks_out += 1
            reader.write(reader.adapter.send(encode_block(frames)))
