# SPDX-License-Identifier: MIT
"""A LAN of a world on virtual time: its guests' adapters, and what a wire's client may ask of it
(hercules.wire.client has the same names for a wire in a process of its own). The engine
(hercules/clock/engine) has the switch, the links and the adapters."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from vmkb.hercules.clock import native
from vmkb.hercules.clock.guest import FROM_1900, TOD_SECOND, GuestClock
from vmkb.hercules.clock.lines import line_of, lines
from vmkb.hercules.clock.messages import PS
from vmkb.hercules.clock.native import engine
from vmkb.hercules.clock.world import Rank, World
from vmkb.hercules.deadline import Timeout
from vmkb.hercules.wire.attachment import Attachment, Place
from vmkb.hercules.wire.block import FRAME_MIN
from vmkb.hercules.wire.capturing import Capturing
from vmkb.hercules.wire.named import Named
from vmkb.hercules.wire.profile import Profile
from vmkb.hercules.wire.profile import profile as named

WRITE_DEVICE, READ_DEVICE = 0x0500, 0x0501
CTCM_READ, CTCM_WRITE = 0x0E20, 0x0E21
Watcher = Callable[[float, Place, bytes], None]


class Port:
    """A place on the LAN."""

    def __init__(self, lan: Lan, name: str, kind: str) -> None:
        self._lan = lan
        self._engine = engine()
        self.name = name
        self.kind = kind
        self.pointer = self._engine.python_port(lan.world.pointer, kind != "guest")
        if not self.pointer:
            raise ValueError(f"there is no room for {name!r} on the wire")
        self._state: native.Port = self.pointer.contents
        self.profile = lan.profile
        self.wake: Callable[[], None] = lambda: None
        lan.world.woken[self._state.index] = lambda: self.wake()

    @property
    def index(self) -> int:
        """Its number on the LAN."""
        return int(self._state.index)

    @property
    def connected(self) -> bool:
        """Whether somebody stands there."""
        return bool(self._state.connected)

    @connected.setter
    def connected(self, connected: bool) -> None:
        self._state.connected = connected

    @property
    def cut(self) -> bool:
        """Whether its link is cut."""
        return bool(self._state.up.cut)

    @cut.setter
    def cut(self, cut: bool) -> None:
        self._engine.lan_cut(self.pointer, cut)

    @property
    def waiting(self) -> int:
        """Bytes of the first frame that waits; 0 if none does."""
        return int(self._engine.python_waiting(self.pointer))

    @property
    def held(self) -> bool:
        """Whether it had better wait before it sends more."""
        return bool(self._engine.port_held(self.pointer))

    @property
    def paced(self) -> bool:
        """Whether its link has a rate."""
        return bool(self.profile.rate)

    def busy(self, now: float) -> float:
        """Seconds from NOW until half of what its link can hold is free."""
        up = ctypes.byref(self._state.up)
        free: float = self._engine.direction_ready_at(up, self.profile.queue // 2)
        return max(0.0, free - now)

    def take(self, room: int, per_frame: int) -> list[bytes]:
        """Frames from the queue, in order, as many as fit `room` bytes with `per_frame` bytes for
        each."""
        return self.take_block(room, -1, per_frame)

    def take_block(self, room: int, gathered: int, per_frame: int) -> list[bytes]:
        """The frames of the next block (hercules.wire.lan)."""
        data, lengths = ctypes.c_void_p(), ctypes.POINTER(ctypes.c_uint32)()
        count = self._engine.python_take(
            self.pointer, room, gathered, per_frame, ctypes.byref(data), ctypes.byref(lengths)
        )
        at, frames = data.value or 0, []
        for length in lengths[:count]:
            frames.append(ctypes.string_at(at, length))
            at += length
        return frames

    def refuse(self, frame: bytes) -> None:
        """Counts a frame that was taken as one that its receiver did not want."""
        self._engine.python_refuse(self.pointer, frame, len(frame))

    def set_profile(self, profile: Profile) -> None:
        """Gives both directions of its link a profile, live."""
        self.profile = profile
        fields = (name for name, *_ in native.Profile._fields_)
        given = native.Profile(**{name: getattr(profile, name) for name in fields})
        self._engine.lan_set_profile(self.pointer, ctypes.byref(given), profile.name.encode())
        self._draw(anew=False)

    def _draw(self, anew: bool) -> None:
        """What its links draw from; ANEW: even if they do already."""
        for way, direction in (("up", self._state.up), ("down", self._state.down)):
            label = f"{self._lan.seed}/{self.name}/{way}"
            direction.line = line_of(label, None if anew else direction.line, self.profile)
            for number, effect in enumerate(native.EFFECTS):
                if getattr(self.profile, effect) and (anew or not direction.chance[number]):
                    state = random.Random(f"{label}/{effect}").getstate()[1]
                    words = (ctypes.c_uint32 * len(state))(*state)
                    self._engine.python_chance(ctypes.byref(direction), number, words)

    def reseed(self) -> None:
        """Its links draw from the LAN's present seed on."""
        self._draw(anew=True)

    def snapshot(self) -> dict[str, Any]:
        """The port's counts: frames and bytes in (from the port), out (taken by it), and each
        link."""
        state = self._state
        return {
            "kind": self.kind,
            "connected": self.connected,
            "cut": self.cut,
            "profile": self.profile.name,
            "frames_in": state.up.offered,
            "bytes_in": state.up.offered_bytes,
            "frames_out": state.taken_frames,
            "bytes_out": state.taken_bytes,
            "queued_frames": state.queued_frames,
            "queued_bytes": state.queued_bytes,
            "in_flight": state.in_flight,
            "up": _link(state.up),
            "down": _link(state.down),
        }


def _link(d: native.Direction) -> dict[str, Any]:
    """The counts of a link: frames, bytes of Ethernet frames without check sequence, drops by
    reason."""
    drops = [number for number in d.drop_order[: d.drop_kinds] if d.dropped[number]]
    line = lines.get(d.line)
    return {
        "offered_frames": d.offered,
        "offered_bytes": d.offered_bytes,
        "crossed_frames": d.crossed,
        "crossed_bytes": d.crossed_bytes,
        "duplicated": d.duplicated,
        "reordered": d.reordered,
        "damaged": d.damaged,
        "queue_high_water": d.queue_high_water,
        "dropped": {native.DROPS[number]: d.dropped[number] for number in drops},
        **({"characters": line.characters} if line else {}),
    }


class Lan(Named[Port]):
    """The switch of a WORLD (hercules.wire.lan has the same on the host's clock)."""

    def __init__(self, world: World, profile: Profile, seed: int) -> None:
        super().__init__(profile)
        self.world = world
        self.seed = seed
        self._engine = engine()
        self._watching = native.Watch()

    def attach(self, name: str, kind: str) -> Port:
        """A new port with the LAN's profile. ValueError if the name is taken."""
        self.check_free(name)
        port = self.ports[name] = Port(self, name, kind)
        port.set_profile(self.profile)
        return port

    def detach(self, name: str) -> None:
        """Removes a port; frames on their way to it are dropped when they arrive."""
        self._engine.lan_detach(self.ports.pop(self.port(name).name).pointer)

    def set_profile(self, port: Port, profile: Profile) -> None:
        """Gives both directions of a port's link a profile, live."""
        port.set_profile(profile)

    def reseed(self, seed: int) -> None:
        """All links draw from another SEED on."""
        self.seed = seed
        for port in self.ports.values():
            port.reseed()

    def disconnect(self, port: Port) -> None:
        """The port's owner is gone: forget its addresses, drop what waits for it."""
        self._engine.lan_disconnect(port.pointer)

    def ingress(
        self, port: Port, frames: Iterable[bytes], now: float, together: bool = False
    ) -> None:
        """Frames come in from a port, in order; `together`: as one block. Receivers with something
        to take are woken once each."""
        whole = [frame for frame in frames if len(frame) >= FRAME_MIN]
        lengths = (ctypes.c_uint32 * len(whole))(*map(len, whole))
        self._engine.python_ingress(
            self.world.pointer, port.pointer, b"".join(whole), lengths, len(whole), together
        )
        self.world.wake()

    @property
    def watch(self) -> Watcher | None:
        """Who is told of each frame that reaches the switch."""
        return None

    @watch.setter
    def watch(self, watcher: Watcher | None) -> None:
        def told(time: float, index: int, data: Any, length: int) -> None:
            port = next(p for p in self.ports.values() if p.index == index)
            assert watcher is not None
            watcher(time, port, ctypes.string_at(data, length))

        self._watching = native.Watch(told) if watcher else native.Watch()
        self._engine.python_watch(self.world.pointer, self._watching)

    def snapshot(self) -> dict[str, Any]:
        """All counts; bytes are of Ethernet frames without check sequence. Source letters: WI."""
        names = {port.index: port.name for port in self.ports.values()}
        mac, number = ctypes.create_string_buffer(6), 0
        addresses = {}
        while (at := self._engine.python_address(self.world.pointer, number, mac)) >= 0:
            addresses[mac.raw.hex(":")] = names[at]
            number += 1
        return {
            "source": "WI",
            "seed": self.seed,
            "filtered": self._engine.python_filtered(self.world.pointer),
            "addresses": addresses,
            "ports": {name: port.snapshot() for name, port in self.ports.items()},
        }


class WorldLan:
    """A LAN in a world. Times come from the world, so nothing here waits."""

    def __init__(self, world: World, name: str, profile_name: str, seed: int) -> None:
        self.world = world
        self.name = name
        self.lan = Lan(world, named(profile_name), seed)
        self._adapters: dict[str, native.Adapter] = {}
        self._capture = Capturing(self.lan, self.clock)

    def clock(self) -> float:
        """Seconds of the world's clock."""
        return float(self.world.now / PS)

    def attachment(self, port: Port) -> Attachment:
        """PORT in somebody's hands."""
        return Attachment(self.lan, port, self.clock, lambda: None)

    def join(
        self, name: str, guest: GuestClock, link: str, devices: tuple[int, int] | None = None
    ) -> None:
        """A port for GUEST, whose DEVICES, one that it writes and one that it reads, carry frames
        ("lan") or Linux' packets ("ctcm")."""
        port, packets = self.lan.attach(name, "guest"), link == "ctcm"
        usual = (CTCM_WRITE, CTCM_READ) if packets else (WRITE_DEVICE, READ_DEVICE)
        write, read = devices or usual
        self._adapters[name] = (
            engine().python_adapter(guest.node.pointer, port.pointer, packets, write, read).contents
        )

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
            each.cut = True
            if seconds_cut is not None:
                until = self.world.now + round(seconds_cut * PS)
                self.world.at(until, partial(self._restored, each), Rank.SCRIPT)

    def _restored(self, port: Port, _: int) -> None:
        port.cut = False

    def restore(self, port: str) -> None:
        """Restores a link that was cut."""
        for each in self.lan.ports_called(port):
            each.cut = False

    def counters(self) -> dict[str, Any]:
        """All counts, source WI."""
        counts = self.lan.snapshot()
        for name, adapter in self._adapters.items():
            counts["ports"][name]["blocks"] = {
                each: getattr(adapter, each) for each in ("blocks_in", "blocks_out", "bad_blocks")
            }
        return counts

    def ports(self) -> dict[str, Any]:
        """The ports: kind, connected, cut."""
        return {
            name: {"kind": port.kind, "connected": port.connected, "cut": port.cut}
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
