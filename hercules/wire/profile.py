# SPDX-License-Identifier: MIT
"""The properties of a link: rate, delay, queue and impairments; the named profiles of
profiles.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from vmkb.errors import VmkbError
from vmkb.hercules.wire.block import MTU_MAX

PROFILE_FILE = Path(__file__).with_name("profiles.toml")
MTU_MIN = 46
ADAPTER_MIN = 1e-6
"""Seconds: how far the emulators of a world can go without hearing of each other."""


class ProfileError(VmkbError, ValueError):
    """A profile that cannot be: the text says which field and why."""


@dataclass(frozen=True)
class Profile:
    """One direction of a link. Both directions of a link have the same profile, with impairments
    drawn independently; a frame from one port to another crosses two links, so a loss of 1 % on
    both is 2 %."""

    name: str = "fast"
    rate: float = 0.0
    """Bits a second; 0 is as fast as the machine goes."""
    delay: float = 0.0
    """Seconds from the last bit sent to the last bit received."""
    queue: int = 4_194_304
    """Bytes that may wait in one direction before frames are dropped."""
    loss: float = 0.0
    """Probability that a frame is lost."""
    duplication: float = 0.0
    """Probability that a frame arrives twice."""
    reordering: float = 0.0
    """Probability that a frame is held back `reorder_delay` seconds while later ones pass it."""
    reorder_delay: float = 0.002
    bit_errors: float = 0.0
    """Probability, for each bit, of arriving inverted."""
    check_sequence: bool = False
    """Whether a damaged frame is discarded, as a LAN adapter does, or delivered as it is."""
    mtu: int = MTU_MAX
    """Largest payload of a frame in bytes; larger ones are dropped."""
    overhead: int = 0
    """Bytes that a frame takes on the medium beyond the Ethernet frame without check sequence."""
    min_frame: int = 0
    """Bytes to which a short frame is padded on the medium."""
    shared: bool = False
    """One medium for all links with this profile's name (a ring, a bus), or one for each link and
    direction (a switch)."""
    char_bits: int = 0
    """Bits of a character, start and stop bit included, where the link is an asynchronous line with
    PPP on it (hercules/wire/line); 0: it is a LAN's."""
    queue_frames: int = 0
    """Packets that may wait for a line beside the one that is on it; 0: `queue` alone limits."""
    header_compression: bool = False
    """Whether a line's ends compress TCP's headers (RFC 1144)."""
    burst_errors: float = 0.0
    """Probability, for each bit of a line, of arriving inverted within a burst of noise."""
    burst_seconds: float = 0.0
    """Mean length of a burst."""
    burst_every: float = 0.0
    """Mean time from the end of a burst to the begin of the next; 0: there are none."""
    half_duplex: bool = False
    """Both directions of a link take turns on one medium, as a channel has it."""
    store_and_forward: bool = False
    """A frame goes on when its last bit has come, as through a router, not bit by bit."""
    adapter: float = 20e-6
    """Seconds from a guest's WRITE to the moment at which its block is on the wire, on virtual
    time: an input (IN) that stands for channel and adapter. Unless a profile names its source it is
    a choice of this project."""

    def __post_init__(self) -> None:
        for name in ("loss", "duplication", "reordering", "bit_errors", "burst_errors"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ProfileError(f"{name} is {getattr(self, name)}; it must lie between 0 and 1")
        for name in (
            "rate", "delay", "reorder_delay", "overhead", "min_frame", "queue_frames",
            "burst_seconds", "burst_every",
        ):  # fmt: skip
            if getattr(self, name) < 0:
                raise ProfileError(f"{name} is {getattr(self, name)}; it must not be negative")
        if not MTU_MIN <= self.mtu <= MTU_MAX:
            raise ProfileError(f"mtu is {self.mtu}; it must be {MTU_MIN} to {MTU_MAX}")
        if not ADAPTER_MIN <= self.adapter <= 1:
            raise ProfileError(f"adapter is {self.adapter}; it must be {ADAPTER_MIN} to 1 second")
        if self.queue < 65536:
            raise ProfileError(f"queue is {self.queue}; a block of a guest needs 65536 bytes")
        if self.char_bits:
            self._check_line()

    def _check_line(self) -> None:
        if self.char_bits not in (10, 11):
            raise ProfileError(
                f"char_bits is {self.char_bits}; a character has a start bit, eight of data and one"
                " or two stop bits: 10 or 11"
            )
        if not self.rate:
            raise ProfileError("rate is 0; a line has one")
        if self.duplication or self.reordering or self.shared:
            raise ProfileError("a line does not duplicate, reorder or share")

    @property
    def plain(self) -> bool:
        """Whether a frame passes unchanged, at once."""
        return not (
            self.rate
            or self.delay
            or self.loss
            or self.duplication
            or self.reordering
            or self.bit_errors
        )

    def seconds(self, length: int) -> float:
        """How long a frame of `length` bytes occupies the medium; 0 without a rate."""
        if not self.rate:
            return 0.0
        return (max(length, self.min_frame) + self.overhead) * 8 / self.rate


_FIELDS = {field.name for field in fields(Profile)} - {"name"}


@cache
def named_profiles() -> dict[str, Profile]:
    """The profiles of profiles.toml by name."""
    table = tomllib.loads(PROFILE_FILE.read_text(encoding="utf-8"))
    return {
        name: change(Profile(name=name), {k: v for k, v in entry.items() if k in _FIELDS})
        for name, entry in table.items()
    }


def profile(name: str) -> Profile:
    """A named profile; ProfileError with the names there are."""
    try:
        return named_profiles()[name]
    except KeyError:
        known = ", ".join(sorted(named_profiles()))
        raise ProfileError(f"no wire profile {name!r}; there are: {known}") from None


def change(base: Profile, changes: dict[str, Any]) -> Profile:
    """`base` with some fields changed, each converted to the field's type."""
    values: dict[str, Any] = {}
    for key, value in changes.items():
        if key not in _FIELDS:
            raise ProfileError(f"a profile has no field {key!r}; try one of {sorted(_FIELDS)}")
        kind = type(getattr(base, key))
        if kind is bool and not isinstance(value, bool):
            raise ProfileError(f"{key} is {value!r}; it must be true or false")
        try:
            values[key] = kind(value)
        except (TypeError, ValueError):
            raise ProfileError(f"{key} is {value!r}; it must be a number") from None
    return replace(base, **values)
