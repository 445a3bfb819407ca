# SPDX-License-Identifier: MIT
"""What goes between the clock and an emulator."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.clock.messages import (
    DEVICES_MAX,
    Decoder,
    DeviceTime,
    Message,
    MessageKind,
    Pace,
    ask,
    device,
    encode,
    hello,
)

TIMES = st.integers(0, (1 << 64) - 1)
SAID = st.tuples(
    st.sampled_from(list(MessageKind)), TIMES, st.integers(0, 0xFFFF), st.binary(max_size=300)
)


@given(st.lists(SAID, max_size=8), st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_messages_come_whole_however_the_stream_is_cut(
    said: list[tuple[MessageKind, int, int, bytes]], cuts: list[int]
) -> None:
    stream = b"".join(encode(k, t, device(d, c)) for k, t, d, c in said)
    decoder, at = Decoder(), 0
    got: list[Message] = []
    while at < len(stream):
        size = cuts[len(got) % len(cuts)]
        got += decoder.feed(stream[at : at + size])
        at += size
    assert got == [Message(*each) for each in said]


def test_a_kind_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="not a valid MessageKind"):
        list(Decoder().feed(encode(MessageKind.GRANT, 1).replace(b"G", b"?")))


def test_what_an_emulator_asks() -> None:
    content = struct.pack("=QQI4x", 7_000, 42, 1)
    (message,) = Decoder().feed(encode(MessageKind.ASK, 5_000, content))
    assert ask(message) == (7_000, 42, True)


def test_more_kinds_of_devices_than_an_emulator_has_room_for_are_refused() -> None:
    times = (DeviceTime(0x3370, 1, 1),) * (DEVICES_MAX + 1)
    with pytest.raises(ValueError, match="33 kinds of devices"):
        hello(Pace(1000, devices=times), 0, 0)
