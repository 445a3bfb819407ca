# SPDX-License-Identifier: MIT
"""LAT messages to bytes and back; bytes that are none are refused in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.lat import codec
from vmkb.hercules.lat.codec import Circuit, LatError, MessageType, Slot, SlotType
from vmkb.hercules.lat.port import Port, State
from vmkb.hercules.lat.server import TerminalServer

bytes8 = st.integers(0, 255)
slots = st.builds(Slot, bytes8, bytes8, st.sampled_from([int(k) for k in SlotType]),
                  st.integers(0, 15), st.binary(max_size=255))  # fmt: skip


@given(st.lists(slots, max_size=8), st.integers(0, 65535), st.integers(0, 65535), bytes8, bytes8,
       st.booleans(), st.booleans(), st.binary(max_size=50))  # fmt: skip
def test_a_run_message_comes_back(
    parts: list[Slot], dst: int, src: int, seq: int, ack: int, master: bool, respond: bool,
    padding: bytes,
) -> None:  # fmt: skip
    message = Circuit(MessageType.RUN, dst, src, seq, ack, master, respond, tuple(parts))
    assert codec.decode_circuit(message.encode() + padding) == message


@given(st.sampled_from(sorted(MessageType)), st.binary(max_size=120))
def test_bytes_that_are_no_message_are_counted_and_harmless(kind: MessageType, rest: bytes) -> None:
    server = TerminalServer(bytes(6), "LAT", [Port(1)])
    message = bytes((kind << 2,)) + rest
    for decode in (codec.decode_circuit, codec.decode_announcement, codec.decode_response):
        try:
            decode(message)
        except LatError as error:
            assert str(error)
    server.receive(codec.frame(codec.GROUP, b"\2" * 6, message), 1.0)
    assert server.ports[1].state is State.IDLE


def test_a_slot_that_does_not_fit_is_named() -> None:
    whole = Circuit(MessageType.RUN, 1, 2, slots=(Slot(1, 2, 0, 0, b"abc"),)).encode()
    with pytest.raises(LatError, match="slot 1 of 1 does not fit"):
        codec.decode_circuit(whole[:-2])


def test_a_line_shows_no_more_than_its_speed_allows() -> None:
    port = Port(1, cps=100.0)
    port.arrived(Slot(1, 1, SlotType.DATA_A, 0, b"x" * 50), 10.0)
    port.drain(10.2)
    assert len(port.shown) == 20 and port.to_grant == 0
    port.drain(10.5)
    assert len(port.shown) == 50 and port.to_grant == 1


def test_what_is_due_is_shown_when_it_is_due() -> None:
    """Nothing is late or early, and no look at a line is in vain, slow lines too."""
    for cps in (5.0, 960.0, 11520.0, None):
        port = Port(1, cps=cps)
        assert port.due is None
        port.arrived(Slot(1, 1, SlotType.DATA_A, 0, b"x" * 25), 1e6)
        before = 0
        while (due := port.due) is not None:
            port.drain(due)
            assert len(port.shown) > before
            before = len(port.shown)
        assert before == 25
        assert port.shown_at == pytest.approx(1e6 + (25 / cps if cps else 0))


def test_what_was_typed_for_a_session_is_not_for_the_next() -> None:
    server = TerminalServer(bytes(6), "LAT", [Port(1)])
    server.connect(1, "one")
    server.ports[1].type(b"secret\r")
    server.ports[1].send_break()
    server.disconnect(1)
    server.connect(1, "two")
    assert server.ports[1].waiting_input == 0


def test_a_lan_that_is_lost_ends_sessions_and_shows_what_had_come() -> None:
    server = TerminalServer(bytes(6), "LAT", [Port(1), Port(2)])
    server.connect(1, "one")
    server.ports[1].state = State.RUNNING
    server.ports[1].arrived(Slot(1, 1, SlotType.DATA_A, 0, b"last words"), 1.0)
    server.ports[1].reading = False
    server.lose_lan("no wire")
    assert (server.ports[1].state, server.ports[1].reason) == (State.ENDED, "no wire")
    assert server.ports[1].shown == b"last words"
    assert server.ports[2].state is State.IDLE


def test_a_long_line_typed_is_sent_in_slots_that_the_host_takes() -> None:
    port = Port(1)
    port.state, port.credits, port.host_slot_max = State.RUNNING, 2, 10
    port.type(b"0123456789abcdefghij!")
    first, second = port.next_slot(), port.next_slot()
    assert first is not None and second is not None
    assert first.data + second.data == b"0123456789abcdefghij"
    assert port.next_slot() is None and port.waiting_input == 1
