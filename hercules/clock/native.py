# SPDX-License-Identifier: MIT
"""The engine of a world (hercules/clock/engine), as Python sees it: its functions, and the first
parts of its structures, which are as engine.h has them."""

from __future__ import annotations

import ctypes as c
import functools

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.choice import BUILDER, exact_folder

EFFECTS = "loss", "duplication", "reordering", "bit_errors"
DROPS = "gone", "queue", "cut", "mtu", "loss", "check", "protocol", "refused"
UNTIL, NOTHING, HEARD, DUE, WOKEN, LOOK, SILENT, STANDS, LATE, BREATH = range(10)
"""Why world_run came back."""
Watch = c.CFUNCTYPE(None, c.c_double, c.c_int, c.POINTER(c.c_uint8), c.c_uint32)
Waiting = c.CFUNCTYPE(c.c_int64, c.c_void_p, c.c_double)
Send = c.CFUNCTYPE(
    c.c_double, c.c_void_p, c.POINTER(c.c_uint8), c.c_uint32, c.c_double, c.POINTER(c.c_int64)
)


class Profile(c.Structure):
    """A link's properties."""

    _fields_ = [
        *((name, c.c_double) for name in (
            "rate", "delay", "loss", "duplication", "reordering", "reorder_delay", "bit_errors")),
        *((name, c.c_int64) for name in (
            "queue", "mtu", "overhead", "min_frame", "char_bits", "queue_frames")),
        *((name, c.c_int32) for name in (
            "check_sequence", "shared", "half_duplex", "store_and_forward")),
    ]  # fmt: skip


class Direction(c.Structure):
    """One direction of a link."""

    _fields_ = [
        *((name, c.c_int64) for name in (
            "offered", "offered_bytes", "crossed", "crossed_bytes", "duplicated", "reordered",
            "damaged", "queue_high_water")),
        ("dropped", c.c_int64 * len(DROPS)),
        ("drop_order", c.c_int32 * len(DROPS)),
        ("drop_kinds", c.c_int32),
        ("cut", c.c_int32),
        ("plain", c.c_int32),
        ("finish", c.c_double),
        ("least", c.c_uint64),
        ("profile", Profile),
        ("medium", c.c_void_p),
        ("chance", c.c_void_p * len(EFFECTS)),
        ("line", c.c_void_p),
    ]  # fmt: skip


class Port(c.Structure):
    """A place on the LAN."""

    _fields_ = [
        *((name, c.c_int32) for name in ("index", "connected", "followed", "python", "gone")),
        *((name, c.c_int64) for name in (
            "queued_bytes", "number", "taken_frames", "taken_bytes", "in_flight",
            "in_flight_bytes", "expected_bytes")),
        ("last_arrival", c.c_double),
        ("up", Direction),
        ("down", Direction),
        ("first", c.c_void_p * 2),
        ("queued_frames", c.c_size_t),
    ]  # fmt: skip


class Adapter(c.Structure):
    """A guest's two devices."""

    _fields_ = [(name, c.c_int64) for name in ("blocks_in", "blocks_out", "bad_blocks")]


class Message(c.Structure):
    """What an emulator said."""

    _fields_ = [
        ("time", c.c_uint64),
        *((name, c.c_uint32) for name in ("node", "kind", "device", "length")),
        ("content", c.c_void_p),
    ]  # fmt: skip


class Node(c.Structure):
    """An emulator."""

    _fields_ = [
        *((name, c.c_uint64) for name in ("now", "next", "instructions", "began")),
        *((name, c.c_int32) for name in ("running", "ended", "stopped", "index")),
        ("heard_by_python", c.c_uint64),
        ("channel", c.c_void_p),
        ("adapter", c.c_void_p),
        ("awaited", c.c_void_p),
        ("awaited_length", c.c_uint32),
    ]  # fmt: skip


class World(c.Structure):
    """The world."""

    _fields_ = [
        *((name, c.c_uint64) for name in ("now", "rounds", "lookahead", "script", "longest")),
        ("node_count", c.c_uint32),
        *((name, c.c_int32) for name in ("silent", "look")),
        ("due", c.c_uint64),
        ("told", Message),
    ]  # fmt: skip


class Python(c.Structure):
    """What Python has to do next: the time of an event, that of something with a clock of its own,
    and the event's rank and who."""

    _fields_ = [
        ("event", c.c_uint64), ("follower", c.c_uint64), ("rank", c.c_uint32), ("who", c.c_uint32)
    ]  # fmt: skip


_SIGNATURES: dict[str, tuple[object, ...]] = {
    "world_new": (c.POINTER(World), c.c_uint64),
    "world_add": (c.POINTER(Node), c.POINTER(World), c.c_char_p, c.c_uint64, c.c_void_p),
    "world_begin": (None, c.POINTER(World)),
    "world_run": (c.c_int, c.POINTER(World), c.c_uint64, c.POINTER(Python)),
    "node_sent": (c.c_uint64, c.POINTER(Node), c.c_uint32),
    "channel_map": (c.c_void_p, c.c_int),
    "channel_unmap": (None, c.c_void_p),
    "channel_waits": (c.c_int, c.c_void_p, c.c_uint32, c.c_double),
    "channel_give": (None, c.c_void_p, c.c_uint32),
    "node_tell": (
        None, c.POINTER(Node), c.c_int, c.c_uint64, c.c_char_p, c.c_uint32, c.c_char_p, c.c_uint32
    ),
    "node_fork": (None, c.POINTER(Node)),
    "node_forked": (c.c_int64, c.POINTER(Node), c.c_void_p, c.c_double),
    "lan_detach": (None, c.POINTER(Port)),
    "lan_disconnect": (None, c.POINTER(Port)),
    "lan_cut": (None, c.POINTER(Port), c.c_int),
    "lan_set_profile": (None, c.POINTER(Port), c.POINTER(Profile), c.c_char_p),
    "direction_ready_at": (c.c_double, c.POINTER(Direction), c.c_int64),
    "port_held": (c.c_int, c.POINTER(Port)),
    "line_came": (None, c.c_double, c.c_double, c.c_char_p, c.c_uint32),
    "python_port": (c.POINTER(Port), c.POINTER(World), c.c_int),
    "python_adapter": (
        c.POINTER(Adapter), c.POINTER(Node), c.POINTER(Port), c.c_int, c.c_int, c.c_int
    ),
    "python_ingress": (
        None, c.POINTER(World), c.POINTER(Port), c.c_char_p, c.POINTER(c.c_uint32), c.c_int, c.c_int
    ),
    "python_take": (
        c.c_int, c.POINTER(Port), c.c_int64, c.c_int64, c.c_int64, c.POINTER(c.c_void_p),
        c.POINTER(c.POINTER(c.c_uint32)),
    ),
    "python_refuse": (None, c.POINTER(Port), c.c_char_p, c.c_uint32),
    "python_waiting": (c.c_uint32, c.POINTER(Port)),
    "python_woken": (c.c_int, c.POINTER(World)),
    "python_chance": (None, c.POINTER(Direction), c.c_int, c.POINTER(c.c_uint32)),
    "python_watch": (None, c.POINTER(World), Watch),
    "python_lines": (None, Waiting, Send),
    "python_address": (c.c_int, c.POINTER(World), c.c_int, c.c_char_p),
    "python_filtered": (c.c_int64, c.POINTER(World)),
    "python_trace": (c.c_size_t, c.POINTER(World), c.c_int, c.POINTER(c.c_void_p)),
}  # fmt: skip


@functools.cache
def engine() -> c.CDLL:
    """The engine, which is built with the counting emulator. EmulatorError if it is not."""
    path = exact_folder() / "world.so"
    try:
        loaded = c.CDLL(str(path))
    except OSError as error:
        raise EmulatorError(f"Virtual time needs {path}: {BUILDER} builds it ({error}).") from None
    for name, (gives, *takes) in _SIGNATURES.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = gives, takes
    return loaded
