# SPDX-License-Identifier: MIT
"""cp/comm/iucv.c against a model: four machines that connect, send, receive, reply, reject, purge,
quiesce, sever and are reset in any order, with tables small enough to be full often."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.guests.harness import Harness, compiled, rooms
from tests.guests.iucv import model as m

HERE = Path(__file__).parent
FLAGS = rooms("include", "cp/include", "lib", "cp/comm")
TAKEN = ("path", "type", "flags", "msgid", "class", "len", "reply_len", "tag", "audit")
MACHINE = st.integers(0, m.MACHINES - 1)
PATH = st.integers(0, m.VM_PATHS)
BUFFER = st.one_of(
    st.integers(m.LOW, m.LOW + m.SIZE - 1),
    st.sampled_from([0, m.LOW - 1, m.LOW + m.SIZE - 8, m.LOW + m.SIZE, 2**63]),
)
LENGTH = st.one_of(st.integers(0, 40), st.sampled_from([m.SIZE, 2**32 - 1]))
USER = st.binary(min_size=16, max_size=16)


class Iucv(Harness):
    """The program that has cp/comm/iucv.c in it."""

    def call(self, vm: int, q: m.Call) -> m.Answer:
        answer = self.line(
            "call", vm, q.function, q.path, q.flags, q.msgid, q.cls, q.buffer, q.len,
            q.reply_buffer, q.reply_len, q.limit, q.tag,
            q.userid.ljust(8).encode().hex(), q.user.hex(),
        )  # fmt: skip
        names = ("rc", "path", "msgid", "residual", "limit")
        return dict(zip(names, map(int, answer.split()), strict=True))


class Machines(RuleBasedStateMachine):
    harness: Iucv

    @initialize()
    def start(self) -> None:
        self.harness.line("reset")
        self.model = m.Iucv()
        self.ids: list[int] = [2**31]
        for vm in range(m.MACHINES):
            data = bytes((7 * vm + i) % 251 for i in range(m.SIZE))
            self.model.store[vm][:] = data
            self.harness.line("poke", vm, m.LOW, data.hex())

    def both(self, vm: int, q: m.Call) -> m.Answer:
        got = self.harness.call(vm, q)
        want = self.model.call(vm, q, got["msgid"])
        assert {name: got[name] for name in want} == want
        if q.function == m.SEND and got["rc"] == m.OK:
            assert got["msgid"] not in self.ids
            self.ids.append(got["msgid"])
        return got

    @rule(vm=MACHINE, to=st.integers(0, m.MACHINES), limit=st.integers(0, 4), user=USER,
          flags=st.sampled_from([0, m.QUIESCED]))  # fmt: skip
    def connect(self, vm: int, to: int, limit: int, user: bytes, flags: int) -> None:
        q = m.Call(m.CONNECT, userid=f"VM{to}", limit=limit, user=user, flags=flags)
        self.both(vm, q)

    @rule(vm=MACHINE, limit=st.integers(0, 4), user=USER)
    def accept_all(self, vm: int, limit: int, user: bytes) -> None:
        for path in range(m.VM_PATHS):
            self.both(vm, m.Call(m.ACCEPT, path=path, limit=limit, user=user))

    @rule(vm=MACHINE, path=PATH, function=st.sampled_from(
        [m.ACCEPT, m.SEVER, m.QUIESCE, m.RESUME, m.RESUME, 7]), user=USER)  # fmt: skip
    def about_path(self, vm: int, path: int, function: int, user: bytes) -> None:
        self.both(vm, m.Call(function, path=path, user=user))

    @rule(vm=MACHINE, path=PATH, at=BUFFER, size=LENGTH, reply_at=BUFFER, reply_size=LENGTH,
          user=USER, flags=st.sampled_from([0, 0, m.PRIORITY, m.NOREPLY, m.PRMDATA,
                                            m.NOREPLY | m.PRIORITY | m.PRMDATA]),
          cls=st.integers(0, 2**32 - 1), tag=st.integers(0, 2**32 - 1))  # fmt: skip
    def send_any(
        self, vm: int, path: int, at: int, size: int, reply_at: int, reply_size: int,
        user: bytes, flags: int, cls: int, tag: int,
    ) -> None:  # fmt: skip
        self.both(vm, m.Call(m.SEND, path, flags, 0, cls, at, size, reply_at, reply_size,
                             tag=tag, user=user))  # fmt: skip

    def opened(self) -> list[m.End]:
        return [e for ends in self.model.ends for e in ends.values() if e.open]

    @precondition(lambda self: self.opened())
    @rule(data=st.data(), count=st.integers(1, 3), size=st.integers(0, 40),
          flags=st.sampled_from([0, m.PRIORITY, m.NOREPLY]))  # fmt: skip
    def send(self, data: st.DataObject, count: int, size: int, flags: int) -> None:
        end = data.draw(st.sampled_from(self.opened()))
        q = m.Call(m.SEND, end.id, flags, 0, 5, m.LOW + 100, size, m.LOW + 200, 20, tag=9)
        for _ in range(count):
            self.both(end.vm, q)

    @rule(data=st.data(), vm=MACHINE, path=PATH, at=BUFFER, size=LENGTH, user=USER,
          function=st.sampled_from([m.RECEIVE, m.RECEIVE, m.REPLY, m.REPLY, m.REJECT, m.PURGE]),
          flags=st.sampled_from([0, 0, m.PRMDATA]))  # fmt: skip
    def about_message(
        self, data: st.DataObject, vm: int, path: int, at: int, size: int, user: bytes,
        function: int, flags: int,
    ) -> None:  # fmt: skip
        known = [x for e in self.opened() for x in e.sent]
        number = 0
        if known and bool(data.draw(st.booleans())):
            message = data.draw(st.sampled_from(known))
            end = message.end if function == m.PURGE else message.end.peer
            assert end is not None
            vm, path, number = end.vm, end.id, message.id
        elif data.draw(st.booleans()):
            number = data.draw(st.sampled_from([x.id for x in known] or self.ids))
        self.both(vm, m.Call(function, path, flags, number, 0, at, size, user=user))

    @rule(vm=MACHINE)
    def take(self, vm: int) -> None:
        answer = self.harness.line("take", vm)
        want = self.model.take(vm)
        if want is None:
            assert answer == "none"
            return
        *numbers, userid, user = answer.split()
        got = dict(zip(TAKEN, map(int, numbers), strict=True))
        caller = bytes.fromhex(userid).decode().strip(" \0")
        got |= {"user": int(user, 16), "caller": int(caller[2:] or -1)}
        assert {name: got[name] for name in want} == want

    @precondition(lambda self: self.can_wait())
    @rule(data=st.data())
    def wait(self, data: st.DataObject) -> None:
        vm = data.draw(st.sampled_from(self.can_wait()))
        self.harness.line("wait", vm)
        self.model.waits[vm] = True

    def can_wait(self) -> list[int]:
        return [
            vm for vm in range(m.MACHINES) if not self.model.queue[vm] and not self.model.told[vm]
        ]

    @rule(vm=MACHINE)
    def take_all(self, vm: int) -> None:
        while self.model.queue[vm] or self.model.told[vm]:
            self.take(vm)

    @rule(vm=MACHINE)
    def gone(self, vm: int) -> None:
        self.harness.line("gone", vm)
        self.model.gone(vm)

    @invariant()
    def nothing_leaks(self) -> None:
        if hasattr(self, "model"):
            paths, messages = map(int, self.harness.line("free").split())
            assert paths == m.PATHS - self.model.paths()
            assert messages == m.MESSAGES - self.model.messages

    def teardown(self) -> None:
        if not hasattr(self, "model"):
            return
        for vm in range(m.MACHINES):
            got = self.harness.line("peek", vm, m.LOW, m.SIZE)
            assert bytes.fromhex(got) == bytes(self.model.store[vm])
        for vm in range(m.MACHINES):
            self.gone(vm)
        for vm in range(m.MACHINES):
            self.take_all(vm)
        assert self.harness.line("free") == f"{m.PATHS} {m.MESSAGES}"


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Iucv]:
    program = compiled(tmp_path_factory.mktemp("iucv"), FLAGS, HERE / "harness.c")
    harness = Iucv(program)
    yield harness
    harness.end()


def test_any_order_of_calls_does_what_the_model_does(harness: Iucv) -> None:
    Machines.harness = harness
    run_state_machine_as_test(Machines, settings=settings(max_examples=60, stateful_step_count=60))


@pytest.fixture
def pair(harness: Iucv) -> Iucv:
    """VM0 with path 0 to VM1, open, with a limit of 3."""
    harness.line("reset")
    for vm in (1, 0):
        harness.call(vm, m.Call(m.RECEIVE))
    harness.call(0, m.Call(m.CONNECT, userid="VM1", limit=3))
    harness.call(1, m.Call(m.ACCEPT, path=0))
    for vm in (1, 0):
        harness.line("take", vm)
    return harness


def test_the_limit_holds_a_sender_until_a_completion_is_taken(pair: Iucv) -> None:
    send = m.Call(m.SEND, flags=m.NOREPLY, len=8)
    assert [pair.call(0, send)["rc"] for _ in range(4)] == [0, 0, 0, m.ELIMIT]
    assert pair.call(1, m.Call(m.RECEIVE, len=8))["rc"] == 0
    assert pair.call(0, send)["rc"] == m.ELIMIT
    pair.line("take", 0)
    assert pair.call(0, send)["rc"] == 0


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize(
    ("size", "flags", "text"),
    [(8, 0, "c1c2c3c4c5c6c7c8"), (160, 0, "c1c2c3c4c5c6c7c8" + 152 * "00"), (161, 0, "-"),
     (0, 0, "-"), (16, m.PRMDATA, "-")],
)  # fmt: skip
def test_what_is_short_comes_with_the_news_of_it(
    pair: Iucv, waits: bool, size: int, flags: int, text: str
) -> None:
    pair.line("poke", 0, m.LOW, "c1c2c3c4c5c6c7c8")
    if waits:
        pair.line("wait", 1)
    sent = pair.call(0, m.Call(m.SEND, flags=flags, len=size))["msgid"]
    pair.line("take", 1)
    assert pair.line("text") == text
    assert pair.call(1, m.Call(m.RECEIVE, msgid=sent, buffer=m.LOW, len=size))["rc"] == m.OK


def test_priority_messages_go_first(pair: Iucv) -> None:
    plain = m.Call(m.SEND, flags=m.NOREPLY, len=8)
    ids = [pair.call(0, q)["msgid"] for q in (plain, replace(plain, flags=m.PRIORITY))]
    assert [int(pair.line("take", 1).split()[3]) for _ in range(2)] == [ids[1], ids[0]]


def test_each_message_is_found_by_its_id_when_the_ids_begin_again(pair: Iucv) -> None:
    for _ in range(4):
        sent = pair.call(0, m.Call(m.SEND, len=8))["msgid"]
        assert int(pair.line("take", 1).split()[3]) == sent
        assert pair.call(1, m.Call(m.REPLY, msgid=sent))["rc"] == 0
        assert int(pair.line("take", 0).split()[3]) == sent


def test_what_a_machine_sends_itself_may_overlap_where_it_goes(pair: Iucv) -> None:
    pair.call(0, m.Call(m.CONNECT, userid="VM0"))
    pair.call(0, m.Call(m.ACCEPT, path=2))
    pair.line("poke", 0, m.LOW, "c1c2c3c4")
    sent = pair.call(0, m.Call(m.SEND, path=1, len=4, reply_buffer=m.LOW + 3, reply_len=4))
    receive = m.Call(m.RECEIVE, path=2, msgid=sent["msgid"], buffer=m.LOW + 1, len=4)
    assert pair.call(0, receive)["rc"] == 0
    assert pair.line("peek", 0, m.LOW, 5) == "c1c1c2c3c4"
    reply = m.Call(m.REPLY, path=2, msgid=sent["msgid"], buffer=m.LOW + 1, len=4)
    assert pair.call(0, reply)["rc"] == 0
    assert pair.line("peek", 0, m.LOW, 7) == "c1c1c2c1c2c3c4"


def test_a_message_goes_over_whole_and_its_reply_back(pair: Iucv) -> None:
    pair.line("poke", 0, m.LOW, "c1c2c3c4c5c6c7c8")
    sent = pair.call(0, m.Call(m.SEND, len=8, reply_buffer=m.LOW + 64, reply_len=4, tag=77))
    part = m.Call(m.RECEIVE, buffer=m.LOW + 16, len=5)
    assert pair.call(1, part) | {"limit": 0} == {
        "rc": m.ETRUNC, "path": 0, "msgid": sent["msgid"], "residual": 3, "limit": 0,
    }  # fmt: skip
    pair.call(1, m.Call(m.RECEIVE, buffer=m.LOW + 21, len=9))
    assert pair.line("peek", 1, m.LOW + 16, 8) == "c1c2c3c4c5c6c7c8"
    reply = m.Call(m.REPLY, msgid=sent["msgid"], buffer=m.LOW + 16, len=6)
    answer = pair.call(1, reply)
    assert (answer["rc"], answer["residual"]) == (m.ETRUNC, 2)
    assert pair.line("peek", 0, m.LOW + 64, 6) == "c1c2c3c40000"
    done = dict(zip(TAKEN, map(int, pair.line("take", 0).split()[:9]), strict=True))
    assert (done["type"], done["len"], done["tag"], done["audit"]) == (m.DONE, 4, 77, 0x20)
