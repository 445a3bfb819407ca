# SPDX-License-Identifier: MIT
"""Frames of hand-made segments, over both versions of IP."""

from __future__ import annotations

from ipaddress import IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.rx.ip import checksum
from vmkb.workloads.conform.network import Network, Network6

HERE, THERE = "10.17.0.90", "10.17.0.2"
OWN = IPv6Address("fd00::10.17.0.90")
MAC, THEIRS = b"\2\0\x0a\x11\0\x5a", b"\2\0\x0a\x11\0\2"
SEGMENTS = st.binary(min_size=20, max_size=1460)
BOTH = pytest.mark.parametrize("kind", [Network, Network6])


def unsummed(segment: bytes) -> bytes:
    return segment[:16] + b"\0\0" + segment[18:]


@BOTH
@given(segment=SEGMENTS, padding=st.binary(max_size=40))
def test_a_segment_comes_out_of_its_frame(
    kind: type[Network], segment: bytes, padding: bytes
) -> None:
    frame = kind(HERE, THERE).frame(unsummed(segment))
    assert frame[:12] == THEIRS + MAC
    found = kind(THERE, HERE).segment(frame + padding)
    assert unsummed(found) == unsummed(segment)


@given(SEGMENTS)
def test_sums_are_those_of_the_rfcs(segment: bytes) -> None:
    ip = Network(HERE, THERE).frame(unsummed(segment))[14:]
    size = len(segment).to_bytes(2)
    assert checksum(ip[:20]) == 0
    assert checksum(ip[12:20] + b"\0\6" + size + ip[20:]) == 0
    ip = Network6(HERE, THERE).frame(unsummed(segment))[14:]
    assert IPv6Address(ip[8:24]) == OWN
    assert checksum(ip[8:40] + b"\0\0" + size + b"\0\0\0\6" + ip[40:]) == 0


@BOTH
@given(st.binary(max_size=80))
def test_rubbish_has_no_segment_and_is_not_answered(kind: type[Network], frame: bytes) -> None:
    end = kind(HERE, THERE)
    assert end.segment(frame) == end.answer(frame) == b""


def asked(target: bytes, sender: IPv6Address) -> bytes:
    """A neighbour solicitation of THERE, as it comes to all whose addresses end so."""
    told = bytes([135, 0, 0, 0]) + bytes(4) + target + b"\1\1" + THEIRS
    group = IPv6Address("ff02::1:ff11:5a").packed
    head = b"\x60\0\0\0" + len(told).to_bytes(2) + b"\x3a\xff" + sender.packed + group
    return b"\x33\x33\xff\x11\0\x5a" + THEIRS + b"\x86\xdd" + head + told


def test_who_asks_for_our_address_is_told_it() -> None:
    sender = IPv6Address("fd00::10.17.0.2")
    told = Network6(HERE, THERE).answer(asked(OWN.packed, sender))
    assert told[:14] == THEIRS + MAC + b"\x86\xdd"
    ip = told[14:]
    assert ip[4:8] == b"\0\x20\x3a\xff" and ip[24:40] == sender.packed
    assert ip[40:42] == b"\x88\0" and ip[48:64] == OWN.packed and ip[64:] == b"\2\1" + MAC
    assert checksum(ip[8:40] + b"\0\0\0\x20\0\0\0\x3a" + ip[40:]) == 0
    other = IPv6Address("fd00::10.17.0.91").packed
    assert Network6(HERE, THERE).answer(asked(other, sender)) == b""


def test_arp_is_answered() -> None:
    own, theirs = bytes([10, 17, 0, 90]), bytes([10, 17, 0, 2])
    head = b"\0\1\x08\0\6\4"
    frame = b"\xff" * 6 + THEIRS + b"\x08\6" + head + b"\0\1" + THEIRS + theirs + bytes(6) + own
    told = Network(HERE, THERE).answer(frame)
    assert told == THEIRS + MAC + b"\x08\6" + head + b"\0\2" + MAC + own + THEIRS + theirs
    assert Network("10.17.0.91", THERE).answer(frame) == b""
