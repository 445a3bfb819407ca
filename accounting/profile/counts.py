# SPDX-License-Identifier: MIT
"""The file that a profiling emulator writes: counts by address.

docs/reference/profile.md has its form. Pure: bytes in, samples out. A count is a
number of instructions.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vmkb.accounting.input.ebcdic import decode, encode
from vmkb.errors import VmkbError

MAGIC = b"VMKBPROF"
VERSION = 2
START, SAMPLE = 1, 2
KERNEL, PROGRAMS = "KERNEL", "PROGRAMS"
"""In place of userids, of a guest whose control program does not tell whom it works for."""
_FILE_HEAD = struct.Struct("<8sII")
_HEAD = struct.Struct("<IIQ8sQ")
_ENTRY = struct.Struct("<QQ")
HEAD_BYTES = _FILE_HEAD.size


class ProfileError(VmkbError, ValueError):
    """A profile that cannot be read; the sentence says where and why."""


@dataclass(frozen=True)
class Sample:
    """The counts of a machine since its last sample, or since the guest was IPLed.

    account: real address of its account in the guest, which tells two machines of one userid
    apart. at: the emulator's count of all instructions when the sample was taken. counts: how
    often the instruction at an address was begun: a real one, in a KERNEL a virtual one.
    """

    userid: str
    account: int
    at: int
    counts: Mapping[int, int]

    @property
    def total(self) -> int:
        """Instructions of all addresses."""
        return sum(self.counts.values())


def read(data: bytes, name: str = "profile") -> list[Sample]:
    """The samples of a file, in the order in which they were taken.

    A record that is not all there ends it: the emulator may be writing it, or was killed. Raises
    ProfileError, with NAME and the place, for what is no profile.
    """
    found = []
    for kind, start, end in records(data, name):
        if kind != SAMPLE:
            continue
        _, _, account, userid, at = _HEAD.unpack_from(data, start)
        counts = dict(_ENTRY.iter_unpack(data[start + _HEAD.size : end]))
        found.append(Sample(decode(userid).strip(), account, at, counts))
    return found


def records(data: bytes, name: str) -> list[tuple[int, int, int]]:
    """Kind, first byte and end of each whole record."""
    if len(data) < HEAD_BYTES:
        raise ProfileError(f"{name} has {len(data)} bytes; a profile's head has {HEAD_BYTES}")
    magic, version, _ = _FILE_HEAD.unpack_from(data)
    if magic != MAGIC:
        raise ProfileError(f"{name} does not begin as a profile does")
    if version != VERSION:
        raise ProfileError(f"{name} is a profile of version {version}; {VERSION} can be read")
    found = []
    at = HEAD_BYTES
    while at + _HEAD.size <= len(data):
        kind, entries, *_ = _HEAD.unpack_from(data, at)
        if kind not in (START, SAMPLE):
            raise ProfileError(f"{name}, byte {at}: there is no record of kind {kind}")
        end = at + _HEAD.size + entries * _ENTRY.size
        if end > len(data):
            break
        found.append((kind, at, end))
        at = end
    return found


def write(samples: Iterable[Sample], memory_mb: int = 0) -> bytes:
    """A file with these samples."""
    parts = [_FILE_HEAD.pack(MAGIC, VERSION, memory_mb)]
    for s in samples:
        userid = encode(s.userid.ljust(8))
        parts.append(_HEAD.pack(SAMPLE, len(s.counts), s.account, userid, s.at))
        parts += [_ENTRY.pack(*entry) for entry in sorted(s.counts.items())]
    return b"".join(parts)


def merged(samples: Iterable[Sample]) -> dict[int, int]:
    """Counts by address, summed over SAMPLES."""
    made: Counter[int] = Counter()
    for sample in samples:
        made.update(sample.counts)
    return dict(made)
