# SPDX-License-Identifier: MIT
"""What passt is shown of a LAN, in which pieces, and the acknowledgement made in its stead."""

from __future__ import annotations

import struct
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.wire.ports.passt_frames import Batches, Handshakes, calls, for_passt, refusal

GUEST, GATEWAY, OTHER = (
    IPv4Address("10.17.0.1"),
    IPv4Address("10.17.0.254"),
    IPv4Address("10.17.0.2"),
)
GUEST_MAC, PASST_MAC = bytes((2, 0, 10, 17, 0, 1)), bytes((2, 0, 10, 17, 0, 254))
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
MSS, NOP, SCALE_8 = b"\x02\x04\x0f\x78", b"\x01", b"\x03\x03\x08"


def summed(data: bytes) -> int:
    """The Internet checksum (RFC 1071), the plain way: 0 over data that holds its own."""
    total = 0
    for at in range(0, len(data), 2):
        total += data[at] << 8 | data[at + 1]
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def tcp(
    source: IPv4Address, target: IPv4Address, ports: tuple[int, int], flags: int,
    sequence: int = 0, acknowledged: int = 0, window: int = 1000, options: bytes = b"",
    data: bytes = b"", fragment: int = 0,
) -> bytes:  # fmt: skip
    """A frame with a TCP segment, from the guest's or passt's own address."""
    macs = (PASST_MAC, GUEST_MAC) if source == GUEST else (GUEST_MAC, PASST_MAC)
    head = struct.pack(
        ">HHIIBBHHH", *ports, sequence, acknowledged, (20 + len(options)) // 4 << 4, flags, window,
        0, 0,
    )  # fmt: skip
    segment = head + options + data
    ip = struct.pack(
        ">BBHHHBBH4s4s", 0x45, 0, 20 + len(segment), 0, fragment, 64, 6, 0, source.packed,
        target.packed,
    )  # fmt: skip
    return b"".join(macs) + b"\x08\x00" + ip + segment


def arp(sender: IPv4Address, target: IPv4Address) -> bytes:
    return (
        b"\xff" * 6 + GUEST_MAC + b"\x08\x06" + struct.pack(">HHBBH", 1, 0x0800, 6, 4, 1)
        + GUEST_MAC + sender.packed + bytes(6) + target.packed
    )  # fmt: skip


def syn(sequence: int = 7, window: int = 65535, options: bytes = MSS + NOP + SCALE_8) -> bytes:
    return tcp(GATEWAY, GUEST, (5000, 21), SYN, sequence, window=window, options=options)


def syn_ack(acknowledged: int = 8, options: bytes = MSS + NOP + SCALE_8) -> bytes:
    return tcp(GUEST, GATEWAY, (21, 5000), SYN | ACK, 0xFFFFFFFF, acknowledged, options=options)


@pytest.mark.parametrize(
    ("frame", "shown"),
    [
        (tcp(GUEST, GATEWAY, (21, 5000), ACK), True),
        (tcp(OTHER, GATEWAY, (21, 5000), ACK), False),
        (arp(GUEST, GATEWAY), True),
        (arp(GUEST, GUEST), True),
        (arp(GUEST, OTHER), False),
        (arp(OTHER, GATEWAY), False),
        (b"\x09\x00\x2b\x00\x00\x0f" + GUEST_MAC + b"\x60\x04" + bytes(46), False),
    ],
    ids=["ip", "ip-of-another", "asks-gateway", "announces", "asks-another", "another-asks", "lat"],
)
def test_passt_sees_its_guest_alone(frame: bytes, shown: bool) -> None:
    assert for_passt(frame, GUEST, GATEWAY) is shown


@pytest.mark.parametrize(
    ("options", "window"), [(MSS + NOP + SCALE_8, 255), (MSS, 65535)], ids=["scaled", "plain"]
)
def test_a_syn_ack_is_acknowledged_as_passt_would(options: bytes, window: int) -> None:
    handshakes = Handshakes()
    handshakes.from_passt(syn(options=options))
    ack = handshakes.to_passt(syn_ack())
    assert ack is not None
    assert ack[:12] == GUEST_MAC + PASST_MAC
    ip, segment = ack[14:34], ack[34:]
    assert summed(ip) == 0
    assert summed(ip[12:20] + struct.pack(">HH", 6, len(segment)) + segment) == 0
    assert struct.unpack(">HHIIBBH", segment[:16]) == (5000, 21, 8, 0, 5 << 4, ACK, window)
    assert handshakes.to_passt(syn_ack()) == ack, "the guest repeats it when that was lost"


@pytest.mark.parametrize(
    "frame",
    [
        syn_ack(acknowledged=9),
        tcp(GUEST, GATEWAY, (23, 5000), SYN | ACK, 1, 8),
        tcp(GUEST, GATEWAY, (21, 5000), ACK, 1, 8),
        tcp(GUEST, GATEWAY, (21, 5000), RST | ACK, 1, 8),
        tcp(GUEST, GATEWAY, (21, 5000), SYN | ACK, 1, 8, fragment=0x2000),
        syn_ack()[:40],
    ],
    ids=["another-number", "another-port", "no-syn", "reset", "fragment", "cut"],
)
def test_nothing_else_is_acknowledged(frame: bytes) -> None:
    handshakes = Handshakes()
    handshakes.from_passt(syn())
    assert handshakes.to_passt(frame) is None


def test_what_follows_a_syn_ack_waits_until_passt_has_read() -> None:
    batches = Batches()
    banner = tcp(GUEST, GATEWAY, (21, 5000), PSH | ACK, data=b"220 ready\r\n ")
    assert batches.fits(syn_ack())
    assert not batches.fits(banner)
    assert not batches.fits(syn_ack()), "nor one that is repeated"
    assert batches.fits(tcp(GUEST, GATEWAY, (21, 5001), ACK)), "another connection is free"
    batches.read()
    assert batches.fits(banner)
    assert batches.fits(banner), "data of an established connection go together"


def test_after_its_fin_a_connection_goes_one_by_one_until_its_next_syn() -> None:
    batches = Batches()
    acks = tcp(GUEST, GATEWAY, (21, 5000), ACK)
    assert batches.fits(tcp(GUEST, GATEWAY, (21, 5000), FIN | ACK))
    for _ in range(3):
        assert not batches.fits(acks)
        batches.read()
        assert batches.fits(acks)
    batches.read()
    assert batches.fits(syn_ack())
    batches.read()
    assert batches.fits(acks)
    assert batches.fits(acks)


@given(st.binary(max_size=120), st.sampled_from([b"", b"\x08\x00", b"\x08\x06"]))
def test_noise_is_no_reason_to_fail(noise: bytes, kind: bytes) -> None:
    frame = bytes(12) + kind + noise
    handshakes = Handshakes()
    handshakes.from_passt(frame)
    handshakes.to_passt(frame)
    for_passt(frame, GUEST, GATEWAY)
    Batches().fits(frame)


def test_a_call_is_refused_in_the_guests_stead() -> None:
    call = syn(sequence=0xFFFFFFFF)
    assert calls(call) == struct.unpack_from(">H", call, 34)[0]
    back = refusal(call)
    assert back[:14] == call[6:12] + call[:6] + call[12:14]
    assert back[26:34] == call[30:34] + call[26:30] and back[34:38] == call[36:38] + call[34:36]
    assert struct.unpack_from(">II", back, 38) == (0, 0) and back[47] == RST | ACK
    assert summed(back[14:34]) == 0
    assert summed(back[26:34] + struct.pack(">HH", 6, len(back) - 34) + back[34:]) == 0
    assert calls(back) is None


@given(st.binary(max_size=80))
def test_what_is_no_call_is_none(frame: bytes) -> None:
    assert calls(frame[:12] + b"\x86\xdd" + frame[14:]) is None
