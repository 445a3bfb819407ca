# SPDX-License-Identifier: MIT
"""A LAN of a world on virtual time: its guests' adapters, and what a wire's client may ask of it
(hercules.wire.client has the same names for a wire in a process of its own)."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from vmkb.hercules.clock.guest import FROM_1900, TOD_SECOND, GuestClock
from vmkb.hercules.clock.messages import PS, Message, MessageKind, picoseconds, seconds
from vmkb.hercules.clock.world import Rank, World
from vmkb.hercules.deadline import Timeout
from vmkb.hercules.wire import ctcm
from vmkb.hercules.wire.attachment import Attachment
from vmkb.hercules.wire.block import decode_block
from vmkb.hercules.wire.capturing import Capturing
from vmkb.hercules.wire.lan import Lan, Port
from vmkb.hercules.wire.profile import profile
from vmkb.hercules.wire.station import Station

WRITE_DEVICE, READ_DEVICE = 0x0500, 0x0501
CTCM_READ, CTCM_WRITE = 0x0E20, 0x0E21


class WorldLan:
    """A LAN in a world. Times come from the world, so nothing here waits."""

    def __init__(self, world: World, name: str, profile_name: str, seed: int) -> None:
        self.world = world
        self.name = name
        self.lan = Lan(profile(profile_name), seed)
        self._adapters: dict[str, Adapter] = {}
        self._capture = Capturing(self.lan, self.clock)
        world.follow(self._due, self._poll)

    def clock(self) -> float:
        """Seconds of the world's clock."""
        return seconds(self.world.now)

    def _due(self) -> int | None:
        due = self.lan.next_due()
        return None if due is None else max(picoseconds(due), self.world.now)

    def _poll(self, time: int) -> None:
        self.lan.poll(seconds(time))

    def attachment(self, port: Port) -> Attachment:
        """PORT in somebody's hands."""
        return Attachment(self.lan, port, self.clock, lambda: None)

    def join(self, name: str, guest: GuestClock, link: str) -> None:
        """A port for GUEST, whose devices carry frames ("lan") or Linux' packets ("ctcm")."""
        port = self.attachment(self.lan.attach(name, "guest"))
        kind = CtcmAdapter if link == "ctcm" else Adapter
        self._adapters[name] = kind(port, guest, self.lan.port(name))

    def add_stream(self, name: str) -> Attachment:
        """A port for an endpoint (wire/ports/endpoint.py)."""
        return self.attachment(self.lan.attach(name, "stream"))

    def remove(self, name: str) -> None:
        """Takes a port off the LAN."""
        self._adapters.pop(name, None)
        self.lan.detach(name)

    def set_profile(self, port: str, name: str = "", **changes: Any) -> None:
        """A link (or all, `*`) gets a named profile, or keeps its own, with changes."""
        self.lan.change_profile(port, name, changes)

    def cut(self, port: str, seconds_cut: float | None = None) -> None:
        """Cuts a link (or all, `*`), for good or for some seconds."""
        for each in self.lan.ports_called(port):
            self.lan.cut(each, True)
            if seconds_cut is not None:
                until = self.world.now + round(seconds_cut * PS)
                self.world.at(until, partial(self._restored, each), Rank.SCRIPT)

    def _restored(self, port: Port, _: int) -> None:
        self.lan.cut(port, False)

    def restore(self, port: str) -> None:
        """Restores a link that was cut."""
        for each in self.lan.ports_called(port):
            self.lan.cut(each, False)

    def counters(self) -> dict[str, Any]:
        """All counts, source WI."""
        counts = self.lan.snapshot()
        for name, adapter in self._adapters.items():
            counts["ports"][name]["blocks"] = adapter.snapshot()
        return counts

    def ports(self) -> dict[str, Any]:
        """The ports: kind, connected, cut."""
        return {
            name: {"kind": port.kind, "connected": port.connected, "cut": port.up.cut}
            for name, port in self.lan.ports.items()
        }

    def start_capture(self, path: Path | str) -> None:
        """Captures to a pcapng file, from now on."""
        self._capture.start(path, self.world.tod / TOD_SECOND - FROM_1900)

    def stop_capture(self) -> int:
        """Ends the capture; its number of frames."""
        return self._capture.stop()

    def wait_connected(self, port: str, within: float) -> None:
        """Lets the world go on until a guest has used its devices. `Timeout` after WITHIN s."""
        target = self.lan.port(port)
        until = self.world.now + round(within * PS)
        self.world.run(until, lambda: target.connected)
        if not target.connected:
            raise Timeout(f"the guest {port!r} on the wire", within)

    def close(self) -> None:
        """Ends the capture."""
        self.stop_capture()


class Adapter:
    """A guest's two devices: blocks of frames that it writes, frames that arrive for it.

    A frame goes to the emulator as it arrives, gms_net's with the others of its block. Until the
    guest has read it, it stands in the port's queue too, which bounds what may wait."""

    write_device = WRITE_DEVICE
    read_device = READ_DEVICE

    def __init__(self, port: Attachment, guest: GuestClock, queue: Port) -> None:
        self._port = port
        self._guest = guest
        self._queue = queue
        self._given = 0
        self._reads = self._writes = False
        self.bad_blocks = self.blocks_in = self.blocks_out = 0
        world, node = guest.world, guest.node
        world.hear(node, MessageKind.WRITE, self._written)
        world.hear(node, MessageKind.TAKEN, self._taken)
        world.hear(node, MessageKind.RESET, self._reset)

    def snapshot(self) -> dict[str, int]:
        """Counts of blocks: those of frames are the port's."""
        return {
            "blocks_in": self.blocks_in,
            "blocks_out": self.blocks_out,
            "bad_blocks": self.bad_blocks,
        }

    def _links(self) -> None:
        present = self._reads and self._writes
        if present and not self._port.present:
            self._given = 0
            self._port.join(self._wake)
        elif not present and self._port.present:
            self._port.gone()
            self._given = 0

    def _reset(self, message: Message) -> None:
        self._reads = self._writes = False
        self._links()

    def _written(self, message: Message) -> None:
        """A block is on the adapter. Its WRITE ends at once, or, on a link with a rate, when there
        is room for another."""
        if not self._writes:
            self._writes = True
            self._links()
        self.blocks_in += 1
        try:
            frames = self._frames(message.content)
        except ValueError:
            self.bad_blocks += 1
            frames = []
        self._port.ingress(frames, together=True)
        self._end_write()

    def _end_write(self) -> None:
        world = self._guest.world
        busy = self._port.busy() if self._port.paced else 0.0
        if self._port.held and not busy:
            busy = HELD_POLL
        if busy > 0:
            world.at(
                world.now + picoseconds(busy), lambda _: self._end_write(), Rank.STATION,
                self._guest.node.index,
            )  # fmt: skip
            return
        self._guest.node.about(MessageKind.DONE, world.now, self.write_device)

    def _wake(self) -> None:
        now = self._guest.world.now
        queue = self._queue.queue
        whole = max(self._given, self._queue.whole)
        for index in range(self._given, whole):
            self._give(queue[index], now)
        self._given = whole

    def _give(self, frame: bytes, now: int) -> None:
        content = len(frame).to_bytes(2, "big") + frame
        self._guest.node.about(MessageKind.BLOCK, now, self.read_device, content)

    def _taken(self, message: Message) -> None:
        frames = int.from_bytes(message.content[:4], "little")
        if not frames:
            self._reads = True
            self._links()
            return
        self.blocks_out += 1
        self._let_go(frames)

    def _let_go(self, frames: int) -> None:
        queue = self._queue.queue
        frames = min(frames, self._given)
        self._port.take(sum(len(queue[i]) for i in range(frames)), 0)
        self._given -= frames

    def _frames(self, block: bytes) -> list[bytes]:
        return decode_block(block)


HELD_POLL = 100e-6
"""Seconds between two looks whether a router has room."""


class CtcmAdapter(Adapter):
    """The same for Linux' driver ctcm, whose blocks carry IP packets."""

    write_device = CTCM_WRITE
    read_device = CTCM_READ

    def __init__(self, port: Attachment, guest: GuestClock, queue: Port) -> None:
        super().__init__(port, guest, queue)
        self._station = Station()

    def _reset(self, message: Message) -> None:
        super()._reset(message)
        self._station = Station()

    def _frames(self, block: bytes) -> list[bytes]:
        return [f for packet in ctcm.decode(block) for f in self._station.sent(packet)]

    def _wake(self) -> None:
        now = self._guest.world.now
        replies: list[bytes] = []
        for frame in self._port.take(1 << 30, 0):
            packet, answers = self._station.came(frame)
            if packet is not None and len(packet) <= ctcm.PACKET_MAX:
                content = ctcm.head(packet) + packet
                self._guest.node.about(MessageKind.BLOCK, now, self.read_device, content)
            elif not answers:
                self._port.refuse(frame)
            replies += answers
        if replies:  # whoever is woken must not send
            self._guest.world.at(
                now, lambda _: self._port.ingress(replies, together=True), Rank.STATION,
                self._guest.node.index,
            )  # fmt: skip

    def _let_go(self, frames: int) -> None:
        pass
