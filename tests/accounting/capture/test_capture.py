# SPDX-License-Identifier: MIT
"""Capture files and what is read out of them: made-up connections whose every figure is known."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tests.peers.tshark import AGAIN, frames
from vmkb.accounting.input.capture.conversation import Conversation, conversations
from vmkb.accounting.input.capture.files import CaptureError, packets
from vmkb.accounting.input.capture.segments import ACK, FIN, SYN, End, place, segments
from vmkb.hercules.wire.pcapng import Capture
from vmkb.workloads.cli.main import group

NEAR, FAR = (bytes([10, 0, 0, 1]), 1024), (bytes([10, 0, 0, 2]), 21)
NEAR6, FAR6 = ((b"\xfd" + bytes(11) + address, port) for address, port in (NEAR, FAR))
ISN, THEIRS = 0xFFFFFF00, 7000
MSS = b"\x02\x04\x00\xc0"


def frame(
    source: End, target: End, seq: int, ack: int, flags: int,
    data: bytes = b"", window: int = 4096, options: bytes = b"",
) -> bytes:  # fmt: skip
    """An Ethernet frame with a TCP segment, checksums left 0."""
    tcp = struct.pack(
        ">HHLLBBHHH", source[1], target[1], seq % 2**32, ack % 2**32, (20 + len(options)) << 2,
        flags, window, 0, 0,
    )  # fmt: skip
    tcp += options + data
    ends = source[0] + target[0]
    if len(ends) == 32:
        return bytes(12) + b"\x86\xdd" + struct.pack(">LHBB", 6 << 28, len(tcp), 6, 64) + ends + tcp
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0)
    return bytes(12) + b"\x08\x00" + ip + ends + tcp


class Talk:
    """A connection that is written to a capture file as it goes on."""

    def __init__(self, path: Path, ends: tuple[End, End] = (NEAR, FAR)) -> None:
        self.path, self._ends = path, ends
        self._capture = Capture(path)
        self.now = 1_000_000.0
        self.near(0, flags=SYN, options=MSS)
        self._far(THEIRS, ISN + 1, SYN | ACK, options=MSS)
        self.near(1)

    def near(self, at: int, data: bytes = b"", flags: int = ACK, options: bytes = b"") -> None:
        """A segment of the near end from place AT of its stream (0 is its SYN)."""
        self._write(frame(*self._ends, ISN + at, THEIRS + 1, flags, data, options=options))

    def far(self, acked: int, window: int = 4096) -> None:
        """A bare acknowledgement of everything before place ACKED."""
        self._far(THEIRS + 1, ISN + acked, ACK, window=window)

    def _far(
        self, seq: int, ack: int, flags: int, window: int = 4096, options: bytes = b""
    ) -> None:
        self._write(frame(*self._ends[::-1], seq, ack, flags, window=window, options=options))

    def _write(self, data: bytes) -> None:
        self._capture.write(self.now, "p", data, self.now)
        self.now += 0.010

    def read(self) -> Conversation:
        """What is made of it."""
        self._capture.close()
        (talk,) = conversations(segments(packets(self.path)))
        return talk


@pytest.mark.parametrize("ends", [(NEAR, FAR), (NEAR6, FAR6)], ids=["IPv4", "IPv6"])
def test_a_window_is_sent_again_after_a_timeout(tmp_path: Path, ends: tuple[End, End]) -> None:
    """Sequence numbers wrap in it; two of three segments are lost, and come after 20 seconds."""
    talk = Talk(tmp_path / "c.pcapng", ends)
    for k in range(3):
        talk.near(1 + 192 * k, bytes(192))
    talk.far(193)
    talk.now += 20
    talk.near(193, bytes(192))
    talk.near(385, bytes(192), ACK | FIN)
    talk.far(578)
    found = talk.read()
    sender, receiver = found.senders
    assert (sender.segments, sender.sizes) == (5, {192: 5})
    assert (sender.sent, sender.new, sender.resent, len(sender.again)) == (960, 576, 384, 2)
    assert [round(x / 1e9, 2) for x in sender.waits] == [20.03, 20.03]
    # The SYN, and the first segment: what was sent twice says nothing of the round trip.
    assert [round(x / 1e6) for x in sender.trips] == [10, 30]
    assert (sender.mss, receiver.bare, sender.flights) == (192, 2, 576)
    assert [round(x / 1e9) for x in sender.idle] == [20]
    assert sender.seconds == pytest.approx(20.06, abs=1e-3)
    assert sorted(sender.again) == frames(talk.path, AGAIN)


def test_an_acknowledgement_tells_of_data_that_was_never_captured(tmp_path: Path) -> None:
    """The first bytes are lost on the sender's own link; its next bare ACK has the number behind
    them. When they come they have been sent before."""
    talk = Talk(tmp_path / "c.pcapng")
    talk.near(12)
    talk.near(1, bytes(11))
    talk.far(12)
    talk.near(12, bytes(5))
    talk.far(17)
    sender = talk.read().caller
    assert (len(sender.again), sender.new, sender.resent) == (1, 16, 11)
    assert sorted(sender.again) == frames(talk.path, AGAIN)


def test_a_closed_window_is_probed_not_sent_again(tmp_path: Path) -> None:
    talk = Talk(tmp_path / "c.pcapng")
    talk.near(1, bytes(100))
    talk.far(101, window=0)
    for _ in range(3):
        talk.now += 5
        talk.near(101, b"x")
        talk.far(101, window=0)
    talk.far(101)
    talk.near(101, bytes(100))
    talk.far(201)
    sender = talk.read().caller
    assert (sender.probes, sender.again, sender.new) == (3, [], 200)
    assert sender.sizes == {100: 2}
    assert frames(talk.path, AGAIN) == []


def test_ends_are_named_as_people_write_them() -> None:
    assert [place(e) for e in (NEAR, FAR6)] == ["10.0.0.1:1024", "[fd00::a00:2]:21"]


@given(st.lists(st.tuples(st.integers(1, 600), st.integers(2, 200)), min_size=1, max_size=12))
def test_bytes_are_counted_once(
    tmp_path_factory: pytest.TempPathFactory, sent: list[tuple[int, int]]
) -> None:
    """Any segments in any order, some of them lost before the capture: what is new is what is
    there."""
    talk = Talk(tmp_path_factory.mktemp("c") / "c.pcapng")
    seen: set[int] = set()
    total = 0
    for at, size in sent:
        talk.near(at, bytes(size))
        seen |= set(range(at, at + size))
        total += size
    low = talk.read().caller
    assert (low.sent, low.new) == (total, len(seen))


@given(cut=st.integers(0, 600), at=st.integers(0, 599), value=st.integers(0, 255))
def test_damage_is_a_sentence_or_nothing(
    tmp_path_factory: pytest.TempPathFactory, cut: int, at: int, value: int
) -> None:
    talk = Talk(tmp_path_factory.mktemp("c") / "c.pcapng")
    for k in range(3):
        talk.near(1 + 192 * k, bytes(192))
    talk.read()
    whole = bytearray(talk.path.read_bytes())
    whole[at % len(whole)] = value
    talk.path.write_bytes(whole[: len(whole) - cut])
    try:
        conversations(segments(packets(talk.path)))
    except CaptureError as error:
        assert "c.pcapng" in str(error)


@pytest.mark.parametrize("order", ["<", ">"])
def test_pcap_of_either_byte_order(tmp_path: Path, order: str) -> None:
    data = frame(NEAR, FAR, 5, 0, SYN, options=MSS)
    head = struct.pack(order + "IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    path = tmp_path / "c.pcap"
    path.write_bytes(head + struct.pack(order + "IIII", 7, 8, len(data), len(data)) + data)
    (segment,) = segments(packets(path))
    assert (segment.at, segment.source, segment.mss) == (7_000_008_000, NEAR, 192)


def test_the_command_refuses_in_a_sentence(tmp_path: Path) -> None:
    for content, said in ((b"no capture at all", "is no capture"), (b"", "is no capture")):
        path = tmp_path / "x"
        path.write_bytes(content)
        done = CliRunner().invoke(group, ["capture", str(path)])
        assert done.exit_code == 2 and said in done.output
    empty = tmp_path / "e.pcapng"
    Capture(empty).close()
    done = CliRunner().invoke(group, ["capture", str(empty)])
    assert done.exit_code == 2 and "no TCP segment with data" in done.output
