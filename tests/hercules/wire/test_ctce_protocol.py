# SPDX-License-Identifier: MIT
"""The CTCE protocol without sockets: the parser, and when the wire may write."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmkb.hercules.emulator.dialect import dialects
from vmkb.hercules.wire.ctce import (
    CONTROL,
    READ,
    SENSE_COMMAND_BYTE,
    WRITE,
    Adapter,
    CtceError,
    Layout,
    Message,
    Parser,
    State,
)

FORMS = [d.ctce for d in dialects()]
PLAIN = next(f for f in FORMS if not f.greeting)
GREETED = next(f for f in FORMS if f.greeting)
PREFIX = struct.Struct(PLAIN.prefix)


def message(
    command: int, state: int, data: bytes = b"", padding: int = 0, form: Layout = PLAIN
) -> bytes:
    prefix = struct.Struct(form.prefix)
    length = prefix.size + len(data) + padding
    count = len(data) or 1
    return prefix.pack(command, state, count, 7, length, 0x500, 0) + data + bytes(padding)


messages = st.lists(
    st.one_of(
        st.tuples(st.just(WRITE), st.just(3), st.binary(min_size=1, max_size=400)),
        st.tuples(st.sampled_from([READ, CONTROL, SENSE_COMMAND_BYTE]), st.integers(0, 5),
                  st.just(b"")),
    ),
    max_size=12,
)  # fmt: skip


@settings(deadline=None)
@given(messages, st.data(), st.sampled_from(FORMS))
def test_messages_come_out_however_the_stream_is_cut(
    sent: list[tuple[int, int, bytes]], data: st.DataObject, form: Layout
) -> None:
    stream = form.greet(20001, "127.0.0.1", 0x500)
    stream += b"".join(message(command, state, body, form=form) for command, state, body in sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    parser = Parser(form)
    got = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        got += [(m.command, m.state, bytes(m.data)) for m in parser.feed(stream[start:end])]
    assert got == sent
    assert parser.greeted == (20001 if form.greeting else None)


def test_a_long_stream_goes_through_the_buffer_many_times() -> None:
    parser = Parser(PLAIN)
    data = bytes(range(256)) * 200
    one = message(WRITE, 3, data)
    stream = one * 20
    got = 0
    for start in range(0, len(stream), 40_000):
        for each in parser.feed(stream[start : start + 40_000]):
            assert each.data == data
            got += 1
    assert got == 20


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=100), max_size=20))
def test_noise_is_refused_or_waited_for_and_never_anything_else(pieces: list[bytes]) -> None:
    parser = Parser(PLAIN)
    try:
        for piece in pieces:
            for got in parser.feed(piece):
                assert got.state <= 5
    except CtceError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("prefix", "why"),
    [
        (PREFIX.pack(0x55, 3, 1, 0, 13, 0, 0), "not CTCE"),
        (PREFIX.pack(WRITE, 6, 1, 0, 13, 0, 0), "not CTCE"),
        (PREFIX.pack(READ, 2, 1, 0, 11, 0, 0), "shorter"),
        (PREFIX.pack(WRITE, 3, 2, 0, 13, 0, 0), "WRITE of 2"),
        (PREFIX.pack(WRITE, 3, 0, 0, 13, 0, 0), "WRITE of 0"),
    ],
)
def test_garbage_is_refused_in_words(prefix: Any, why: str) -> None:
    with pytest.raises(CtceError, match=why):
        Parser(PLAIN).feed(prefix)


def said(command: int, state: int) -> Message:
    return Message(command, state, memoryview(b""))


def test_the_answers_are_those_that_were_measured() -> None:
    adapter = Adapter(0x501, PLAIN)
    assert adapter.hello()[:2] == bytes([SENSE_COMMAND_BYTE, State.AVAILABLE])
    assert adapter.taken()[:2] == bytes([READ, State.AVAILABLE])
    assert adapter.received(said(CONTROL, 1))[:2] == bytes([SENSE_COMMAND_BYTE, State.AVAILABLE])
    adapter.received(said(READ, State.READING))
    sent = adapter.send(b"block")
    assert sent[:2] == bytes([WRITE, State.WRITING])
    assert PREFIX.unpack(sent[:12])[4] == 12 + 5
    assert sent[12:] == b"block"


def test_one_write_for_each_read_that_waits() -> None:
    adapter = Adapter(0x501, PLAIN)
    adapter.received(said(READ, State.READING))
    assert adapter.may_send and adapter.read_waits
    adapter.send(b"1")
    # Hercules may not have copied the data yet: only its next READ says so
    assert not adapter.may_send
    with pytest.raises(CtceError, match="before"):
        adapter.send(b"2")
    adapter.received(said(READ, State.READING))
    adapter.send(b"2")


def test_a_write_that_found_no_read_waits_for_one() -> None:
    adapter = Adapter(0x501, PLAIN)
    adapter.send(b"1")
    assert not adapter.may_send
    # the guest's READ found the data in Hercules: the next WRITE may follow at once
    adapter.received(said(READ, State.AVAILABLE))
    assert adapter.may_send and not adapter.read_waits


def test_a_read_that_crosses_a_write_takes_it() -> None:
    adapter = Adapter(0x501, PLAIN)
    adapter.send(b"1")
    adapter.received(said(READ, State.READING))
    assert not adapter.may_send
    adapter.received(said(READ, State.READING))
    assert adapter.may_send


def test_a_block_above_hercules_buffer_is_refused() -> None:
    with pytest.raises(CtceError, match="61579"):
        Adapter(0x501, PLAIN).send(bytes(61579))
