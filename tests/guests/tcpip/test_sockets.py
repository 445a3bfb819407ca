# SPDX-License-Identifier: MIT
"""TCPIP's sockets and what it does about loss (service/tcpip/sockets.c, sock_*.c, port/) on lwIP
itself: what was sent comes, each call has one answer, and in the end nothing is left."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.guests.tcpip.stack import (
    ABORT,
    ACCEPT,
    BADF,
    BUFFERS,
    CANCELLED,
    CLOSE,
    CONNECT,
    LAST,
    LEVELS,
    OK,
    PEER,
    PORT,
    RECV,
    REFUSED,
    RESET,
    SEND,
    SHUTDOWN,
    SOCKET,
    Stack,
    pattern,
    program,
)  # fmt: skip

MSS = 1460
MOST = 57344
"""Bytes of a RECV at most."""
FORGOTTEN = 4 * 300
"""Quarters of a second after which nothing of a closed connection is left."""
NOTHING = [0, 0, 0, 0, 0, BUFFERS]


@pytest.fixture(scope="module", params=LEVELS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return program(request.param, tmp_path_factory.mktemp("sockets"))


@pytest.fixture
def stack(made: Path) -> Iterator[Stack]:
    stack = Stack(made)
    yield stack
    stack.end()


def received(stack: Stack, number: int) -> bytes:
    """All that is there to be read, and no time goes by."""
    found = b""
    while True:
        n = stack.recv(number, MOST)
        stack.flows()
        if n in stack.waits:
            stack.take_back(n)
            return found
        answer = stack.answer(n)
        if not answer.data:
            return found
        found += answer.data


def test_a_stream_both_ways_and_nothing_left(stack: Stack) -> None:
    ends = stack.pair()
    for seed, (sender, reader) in enumerate((ends, ends[::-1])):
        sent = [stack.send(sender, seed, at, 32768) for at in (0, 32768)]
        sent.append(stack.send(sender, seed, 65536, 700))
        assert received(stack, reader) == pattern(seed, 0, 66236)
        assert [stack.answer(n)[:2] for n in sent] == [(OK, 32768), (OK, 32768), (OK, 700)]
    for end in ends:
        assert stack.answer(stack.call(CLOSE, end)).rc == OK
        assert stack.answer(stack.send(end, 0, 0, 1)).rc == BADF
    stack.flows()
    stack.tick(FORGOTTEN)
    assert stack.left() == NOTHING


def test_the_first_connection_has_a_port_whatever_is_drawn(made: Path) -> None:
    stack = Stack(made, "full")
    stack.listen(PORT)
    number = stack.answer(stack.call(SOCKET)).value
    connects = stack.call(CONNECT, number, data=PEER + struct.pack("=HH", PORT, 0))
    stack.flows()
    assert stack.answer(connects).rc == OK
    stack.end()


def test_a_call_for_bytes_sends_some_first(stack: Stack) -> None:
    a, b = stack.pair()
    call = stack.call(RECV, a, room=1000, data=b"first")
    assert received(stack, b) == b"first"
    stack.send(b, 1, 0, 700)
    stack.flows()
    assert stack.answer(call) == (OK, 700, pattern(1, 0, 700))


def test_what_waits_behind_bytes_that_cannot_go_is_answered_when_its_socket_closes(
    stack: Stack,
) -> None:
    a, b = stack.pair()
    calls = [stack.call(RECV, a, room=1000, data=pattern(1, 1000 * n, 1000)) for n in range(5)]
    assert set(calls) <= stack.waits
    assert stack.answer(stack.call(CLOSE, a)).rc == OK
    assert received(stack, b) == pattern(1, 0, 5000)
    assert {stack.answer(n).rc for n in calls} == {CANCELLED}


def test_a_socket_is_closed_with_what_another_one_sends(stack: Stack) -> None:
    a, b = stack.pair()
    c, d = stack.pair()
    stack.call(SEND, a, data=b"over", closes=c)
    assert received(stack, b) == b"over"
    assert received(stack, d) == b""
    end = stack.recv(d, 10)
    assert stack.answer(end) == (OK, 0, b"")
    assert stack.answer(stack.call(SHUTDOWN, c)).rc == BADF


@pytest.mark.parametrize("size", [1, 8, 100, 1024, 2900])
def test_a_connection_that_is_opened_for_some_bytes_ends_behind_them(
    stack: Stack, size: int
) -> None:
    listener = stack.listen()
    accepted, sent = stack.call(ACCEPT, listener), stack.connect(data=pattern(1, 0, size))
    stack.flows()
    assert stack.answer(sent)[:2] == (OK, size)
    end = stack.answer(accepted).value
    whole = stack.recv(end, MOST, whole=True)
    stack.flows()
    assert stack.answer(whole) == (LAST, size, pattern(1, 0, size))
    stack.call(CLOSE, end)
    stack.call(CLOSE, listener)
    stack.flows()
    stack.tick(FORGOTTEN)
    assert stack.left() == NOTHING


def test_bytes_that_were_taken_back_are_no_end(stack: Stack) -> None:
    listener = stack.listen()
    accepted, sent = stack.call(ACCEPT, listener), stack.connect(data=pattern(1, 0, 2000))
    stack.take_back(sent)
    stack.flows()
    read = stack.recv(stack.answer(accepted).value, MOST, whole=True)
    stack.flows()
    assert read in stack.waits
    stack.tick(20)
    stack.flows()
    assert stack.answer(read).rc == RESET


def test_what_comes_on_a_new_connection_is_told_with_its_number(stack: Stack) -> None:
    listener = stack.listen()
    accepted, opened = stack.call(ACCEPT, listener), stack.connect(room=16 + 1000)
    stack.flows()
    other = stack.answer(accepted).value
    stack.send(other, 1, 0, 1300)
    stack.flows()
    answer = stack.answer(opened)
    assert (answer.rc, answer.data[8:]) == (OK, pattern(1, 0, 1000))
    rest = stack.recv(answer.value, 1000, whole=True)
    stack.call(CLOSE, other)
    stack.flows()
    assert stack.answer(rest) == (LAST, 300, pattern(1, 1000, 300))


@pytest.mark.parametrize(("port", "rc"), [(21, RESET), (99, REFUSED)])
def test_a_connection_on_which_nothing_came_leaves_nothing(
    stack: Stack, port: int, rc: int
) -> None:
    listener = stack.listen()
    accepted, opened = stack.call(ACCEPT, listener), stack.connect(port, room=16 + 1000)
    stack.flows()
    if port == 21:
        stack.call(ABORT, stack.answer(accepted).value)
    stack.call(ABORT, listener)
    stack.flows()
    assert stack.answer(opened)[:2] == (rc, 0)
    stack.tick(FORGOTTEN)
    assert stack.left() == NOTHING


def test_nobody_has_a_connection_whose_first_bytes_were_for_somebody_who_left(
    stack: Stack,
) -> None:
    listener = stack.listen()
    accepted, opened = stack.call(ACCEPT, listener), stack.connect(room=16 + 1000)
    stack.flows()
    stack.take_back(opened)
    stack.send(stack.answer(accepted).value, 1, 0, 1300)
    stack.tick(20)
    stack.flows()
    read = stack.recv(stack.answer(accepted).value, 10)
    assert stack.answer(read).rc == RESET


def test_the_last_call_for_all_is_told_that_it_is_the_last(stack: Stack) -> None:
    a, b = stack.pair()
    first, last = stack.recv(b, 1000, whole=True), stack.recv(b, 1000, whole=True)
    stack.send(a, 1, 0, 900)
    stack.flows()
    assert first in stack.waits
    stack.send(a, 1, 900, 300)
    stack.call(SHUTDOWN, a)
    stack.flows()
    assert stack.answer(first) == (OK, 1000, pattern(1, 0, 1000))
    assert stack.answer(last) == (LAST, 200, pattern(1, 1000, 200))
    stack.send(b, 2, 0, 50)
    assert received(stack, a) == pattern(2, 0, 50)


def test_ends_are_told_in_the_order_in_which_they_came(stack: Stack) -> None:
    """Bytes that came before on a connection that ends later do not bring its end forward."""
    listener = stack.listen()
    pairs = [stack.joined(listener) for _ in range(4)]
    calls = [stack.recv(b, 1000, whole=True) for _, b in pairs]
    for seed, (a, _) in enumerate(pairs):
        stack.send(a, seed, 0, 100)
    ends = [2, 0, 3, 1]
    for k in ends:
        stack.call(SHUTDOWN, pairs[k][0])
    stack.flows()
    assert [n for n in stack.answers if n in calls] == [calls[k] for k in ends]
    for seed, n in enumerate(calls):
        assert stack.answer(n) == (LAST, 100, pattern(seed, 0, 100))


def test_an_acknowledgement_within_a_train_lets_more_go(stack: Stack) -> None:
    """The first window is ten segments, one train: the first two's acknowledgement frees nothing
    of it, and opens the window by as much again."""
    a, _ = stack.pair()
    for at in (0, 32768):
        stack.send(a, 1, at, 32768)
    assert stack.on_link() == 10
    stack.passes()
    assert stack.on_link() == 5
    stack.passes("kdddd")
    assert stack.on_link() == 4


def test_a_window_grows_by_each_acknowledgement_of_a_block(stack: Stack) -> None:
    """lwIP gets the last of them; ten segments acknowledged two by two let twenty go."""
    a, _ = stack.pair()
    for at in (0, 32768):
        stack.send(a, 1, at, 32768)
    stack.passes()
    assert stack.on_link() == 5
    stack.passes()
    assert stack.on_link() == 20


def warm(stack: Stack, a: int, b: int) -> int:
    """The connection's window has grown; how many bytes it took. Segments are counted from here."""
    stack.send(a, 1, 0, 32768)
    stack.send(a, 1, 32768, 32767)
    assert len(received(stack, b)) == 65535
    stack.segments()
    return 65535


@pytest.mark.parametrize(
    "lost", ["dkkkkkkkkkkkkkkkkkkkkk", "kkdkdkdddkkkkkkkkkkkkk", "dddkkkkkkkkkkkkkkkkkkk"]
)
def test_what_is_lost_goes_again_before_any_timer(stack: Stack, lost: str) -> None:
    """Several segments of a window: selective acknowledgements tell which. Nothing else does."""
    a, b = stack.pair()
    at = warm(stack, a, b)
    stack.send(a, 1, at, 22 * MSS)
    stack.passes(lost)
    assert received(stack, b) == pattern(1, at, 22 * MSS)
    assert stack.segments() == 22 + lost.count("d")


def test_what_is_lost_twice_goes_a_third_time_before_any_timer(stack: Stack) -> None:
    a, b = stack.pair()
    at = warm(stack, a, b)
    stack.send(a, 1, at, 12 * MSS)
    stack.passes("dkkkkkkkkkkkkkkkkkkkkk")
    stack.passes()  # it is told of
    stack.send(a, 1, at + 12 * MSS, 8 * MSS)
    stack.passes("dkkkkkkkkkkkkkkkkkkkkk")
    assert received(stack, b) == pattern(1, at, 20 * MSS)
    assert stack.segments() == 20 + 2


def test_what_is_written_stays_behind_what_waits_to_go_again(stack: Stack) -> None:
    """A short segment was lost, and when that is told the link has no room for it."""
    a, b = stack.pair()
    at = warm(stack, a, b)
    stack.send(a, 1, at, 500)
    stack.send(a, 1, at + 500, 12 * MSS)
    stack.passes("dkkkkkkkkkkkkkkkkkkkkk")
    stack.room(0)
    stack.passes()
    stack.send(a, 1, at + 500 + 12 * MSS, 8 * MSS)
    stack.room()
    stack.tick(12)
    assert received(stack, b) == pattern(1, at, 500 + 20 * MSS)


def test_a_block_behind_a_hole_is_acknowledged_together(stack: Stack) -> None:
    """The first three each, as a sender may count them, and all others at the block's end."""
    a, b = stack.pair()
    at = warm(stack, a, b)
    stack.send(a, 1, at, 20 * MSS)
    stack.passes("dkkkkkkkkkkkkkkkkkkkkk")
    assert stack.on_link() <= 5
    assert received(stack, b) == pattern(1, at, 20 * MSS)


def test_a_window_ends_within_a_train(stack: Stack) -> None:
    """What goes out are segments: ten at first (RFC 6928), two more for each that is answered."""
    a, b = stack.pair()
    stack.send(a, 1, 0, 22 * MSS)
    assert stack.on_link() == 10
    stack.passes()  # acknowledged two by two
    assert stack.on_link() == 5
    stack.passes()
    assert stack.on_link() == 22 - 10
    assert received(stack, b) == pattern(1, 0, 22 * MSS)
    assert stack.segments() == 22


def test_a_block_is_acknowledged_once_when_the_first_window_is_over(stack: Stack) -> None:
    """Until then, and after a loss, each second segment is (RFC 1122, 4.2.3.2)."""
    a, b = stack.pair()
    at = warm(stack, a, b)
    stack.send(a, 1, at, 20 * MSS)
    stack.passes()
    assert stack.on_link() == 10
    at += 20 * MSS
    assert len(received(stack, b)) == 20 * MSS
    for _ in range(3):
        stack.send(a, 1, at, 20 * MSS)
        assert received(stack, b) == pattern(1, at, 20 * MSS)
        at += 20 * MSS
    stack.send(a, 1, at, 20 * MSS)
    stack.passes()
    assert stack.on_link() == 1
    assert received(stack, b) == pattern(1, at, 20 * MSS)
    at += 20 * MSS
    stack.send(a, 1, at, 20 * MSS)
    stack.passes("dkkkkkkkkkkkkkkkkkkkkk")
    assert received(stack, b) == pattern(1, at, 20 * MSS)
    at += 20 * MSS
    stack.send(a, 1, at, 8 * MSS)
    stack.passes()
    assert stack.on_link() == 4


def test_what_is_acknowledged_within_a_train_gives_its_buffer_back(stack: Stack) -> None:
    """Half of it is lost, and told of by the timer alone."""
    a, b = stack.pair()
    at = warm(stack, a, b)
    stack.send(a, 1, at, 22 * MSS)
    stack.passes("kkkkkkkkkkkddddddddddd")
    assert received(stack, b) == pattern(1, at, 11 * MSS)
    stack.tick(40)
    stack.flows()
    assert received(stack, b) == pattern(1, at + 11 * MSS, 11 * MSS)
    stack.tick(2)
    stack.flows()
    assert stack.left()[-1] == BUFFERS


def test_a_call_that_is_taken_back_takes_no_bytes(stack: Stack) -> None:
    a, b = stack.pair()
    stack.take_back(stack.recv(b, MOST))
    stack.send(a, 1, 0, 5000)
    assert received(stack, b) == pattern(1, 0, 5000)


def test_a_send_that_is_taken_back_is_not_sent_and_holds_no_buffer(stack: Stack) -> None:
    a, b = stack.pair()
    sends = [stack.send(a, 1, 32768 * n, 32768) for n in range(8)]
    assert sends[-1] in stack.waits
    stack.take_back(sends[-1])
    assert received(stack, b) == pattern(1, 0, 7 * 32768)
    for end in (a, b):
        stack.call(CLOSE, end)
    stack.flows()
    stack.tick(FORGOTTEN)
    assert stack.left() == NOTHING


def test_who_is_severed_leaves_nothing(stack: Stack) -> None:
    """With calls under way, input that nobody has read, and connections nobody has asked for."""
    a, b = stack.pair()
    stack.listen(99)
    stack.connect(99)
    stack.recv(a, MOST)
    for at in range(4):
        stack.send(a, 1, 32768 * at, 32768)
    stack.flows()
    assert stack.left() != NOTHING
    stack.gone()
    stack.flows()
    stack.tick(FORGOTTEN)
    assert stack.left() == NOTHING


def test_a_connection_takes_the_place_of_one_in_time_wait(stack: Stack) -> None:
    """Who accepted closes first, and who connected comes again from the same port."""
    listener = stack.listen()
    for _ in range(2):
        a, b = stack.joined(listener, own=5000)
        stack.tick(1000)  # first sequence numbers lie the further apart the longer TCP runs
        stack.send(a, 1, 0, 100)
        assert received(stack, b) == pattern(1, 0, 100)
        for end in (b, a):
            stack.call(CLOSE, end)
            stack.flows()
        stack.tick(2)


def test_an_abort_ends_what_waits_at_both_ends(stack: Stack) -> None:
    a, b = stack.pair()
    here, there = stack.recv(a, 100), stack.recv(b, 100)
    assert stack.answer(stack.call(ABORT, a)).rc == OK
    stack.flows()
    assert stack.answer(here).rc == CANCELLED
    assert stack.answer(there).rc < 0


SIDES = st.integers(0, 1)
FATES = st.text("kkkkkdtl", min_size=1, max_size=12)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("send"), SIDES, st.sampled_from((1, 80, 1024, 1025, 5000, 32767, 32768))),
        st.tuples(st.just("recv"), SIDES, st.sampled_from((1, 100, 4096, MOST))),
        st.tuples(st.just("recv all"), SIDES, st.sampled_from((100, 4096, MOST))),
        st.tuples(st.just("back"), SIDES, st.just(0)),
        st.tuples(st.just("shut"), SIDES, st.just(0)),
        st.tuples(st.just("tick"), st.just(0), st.integers(1, 12)),
        st.tuples(st.just("room"), st.just(0), st.integers(0, 9)),
        st.tuples(st.just("pass"), FATES, st.just(0)),
    ),
    max_size=40,
)


class Ends:
    """Two ends of a connection, what went in at each and what came out."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.numbers = stack.pair()
        self.sent, self.shut = [0, 0], [False, False]
        self.reads: list[list[int]] = [[], []]

    def does(self, verb: str, side: int, size: int) -> None:
        stack, number = self.stack, self.numbers[side]
        if verb == "send" and not self.shut[side]:
            n = stack.send(number, side, self.sent[side], size)
            if n in stack.waits or stack.answer(n).rc == OK:
                self.sent[side] += size
        elif verb.startswith("recv"):
            self.reads[side].append(stack.recv(number, size, verb == "recv all"))
        elif verb == "back" and self.reads[side]:
            stack.take_back(self.reads[side][-1])
        elif verb == "shut":
            stack.call(SHUTDOWN, number)
            self.shut[side] = True

    def read(self, side: int) -> bytes:
        """What has been answered, in the order of the calls; those that were cancelled had none."""
        answers = self.stack.answers
        return b"".join(answers[n].data for n in self.reads[side] if n in answers)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
@example(  # the link refuses what lwIP sends again; behind its time-out that lay last
    steps=[("send", 0, 5000), ("room", 0, 2), ("pass", "dk", 0), ("pass", "k", 0), ("tick", 0, 7)]
)
def test_whatever_is_done_and_lost_both_ends_read_what_was_sent(
    made: Path, steps: list[tuple[str, int, int]]
) -> None:
    stack = Stack(made)
    ends = Ends(stack)
    for verb, what, size in steps:
        if verb == "pass":
            stack.passes(str(what))
        elif verb == "tick":
            stack.tick(size)
        elif verb == "room":
            stack.room(size)
        else:
            ends.does(verb, what, size)
    stack.room()
    for _ in range(40):  # a time-out may be doubled to some seconds
        for side in (0, 1):
            ends.does("recv", side, MOST)
        stack.flows()
        stack.tick(8)
    for side in (0, 1):
        assert ends.read(side) == pattern(1 - side, 0, ends.sent[1 - side])
        stack.call(CLOSE, ends.numbers[side])
    stack.flows()
    stack.tick(FORGOTTEN)
    assert stack.left() == NOTHING
    stack.end()
