# SPDX-License-Identifier: MIT
"""The null file's count and checksum do not depend on the pieces in which bytes come."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from tests.guests.ftp.conftest import FtpDrive


def null_sum(data: bytes) -> int:
    """One's complement sum of words of four bytes, zeros behind the last."""
    data += bytes(-len(data) % 4)
    total: int = sum(struct.unpack(f">{len(data) // 4}I", data))
    while total >> 32:
        total = (total >> 32) + (total & 0xFFFFFFFF)
    return total


@given(pieces=st.lists(st.binary(max_size=50), min_size=1, max_size=8))
def test_pieces(ftp: FtpDrive, pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    said = ftp.ask("N", data=":".join(piece.hex() for piece in pieces))
    assert said == f"{len(data)} {null_sum(data):08X}"
