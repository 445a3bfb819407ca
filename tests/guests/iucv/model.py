# SPDX-License-Identifier: MIT
"""What IUCV does, said in Python: the test's model of cp/comm/iucv.c."""

from __future__ import annotations

from dataclasses import dataclass, field

RECEIVE, SEND, REPLY, REJECT, PURGE, ACCEPT = 5, 4, 6, 8, 9, 10
CONNECT, QUIESCE, RESUME, SEVER = 11, 13, 14, 15
PRMDATA, NOREPLY, PRIORITY, QUIESCED = 0x80, 0x10, 0x20, 0x40
OK, EPATH, EQUIESCED, ELIMIT, ETRUNC, ENOMSG = 0, 1, 2, 3, 5, 9
ENOTLOGGED, ENOTREADY, EMAXPATHS, ETARGETPATHS = 11, 12, 13, 14
ESYSTEM, EFUNCTION, EBUFFER = 50, 51, 52
PENDING, COMPLETE_CONNECTION, SEVERED, PATH_QUIESCED, PATH_RESUMED = 1, 2, 3, 4, 5
DONE, MESSAGE = 7, 9
LOW, SIZE = 0x10000, 4096
PATHS, MESSAGES, VM_PATHS, LIMIT, LIMIT_DEFAULT = 12, 8, 5, 255, 10
MACHINES = 4


@dataclass(eq=False)
class End:
    """One end of a path."""

    vm: int
    id: int
    limit: int
    caller: str = ""
    peer: End | None = None
    open: bool = False
    quiesced: bool = False
    event: int = 0
    user: bytes = bytes(16)
    sent: list[Message] = field(default_factory=list)


@dataclass(eq=False)
class Message:
    """A message from `end`; `state` is pending, seen, received or complete."""

    id: int
    end: End
    flags: int
    cls: int
    tag: int
    data: bytes | None
    at: int
    len: int
    reply_at: int
    reply_len: int
    state: str = "pending"
    received: int = 0
    replied: int = 0
    audit: int = 0


@dataclass
class Call:
    """A parameter list, as it goes in."""

    function: int
    path: int = 0
    flags: int = 0
    msgid: int = 0
    cls: int = 0
    buffer: int = LOW
    len: int = 0
    reply_buffer: int = LOW
    reply_len: int = 0
    limit: int = 0
    tag: int = 0
    userid: str = ""
    user: bytes = bytes(16)


Answer = dict[str, int]


def inside(at: int, size: int) -> bool:
    """Whether the range is in a machine's storage."""
    return LOW <= at < LOW + SIZE and at + size <= LOW + SIZE


class Iucv:
    """Machines, their paths and messages, and the queues of interruptions."""

    def __init__(self) -> None:
        self.declared = [False] * MACHINES
        self.ends: list[dict[int, End]] = [{} for _ in range(MACHINES)]
        self.queue: list[list[End | Message]] = [[] for _ in range(MACHINES)]
        self.store = [bytearray(SIZE) for _ in range(MACHINES)]
        self.messages = 0
        self.waits = [False] * MACHINES
        self.told: list[Answer | None] = [None] * MACHINES

    def paths(self) -> int:
        """Ends in use."""
        return sum(len(ends) for ends in self.ends)

    def _end(self, vm: int) -> End | None:
        if len(self.ends[vm]) == VM_PATHS or self.paths() == PATHS:
            return None
        number = next(i for i in range(VM_PATHS) if i not in self.ends[vm])
        self.ends[vm][number] = End(vm, number, 0)
        return self.ends[vm][number]

    def _event(self, end: End, event: int, user: bytes) -> None:
        end.user = user
        if not end.event:
            self.queue[end.vm].append(end)
        end.event = event
        self._tell(end.vm)

    def _put(self, vm: int, message: Message) -> None:
        if message.flags & PRIORITY:
            self.queue[vm].insert(0, message)
        else:
            self.queue[vm].append(message)
        self._tell(vm)

    def _tell(self, vm: int) -> None:
        if self.waits[vm]:
            self.told[vm] = self.take(vm)

    def _unqueue(self, item: End | Message) -> None:
        for queue in self.queue:
            if item in queue:
                queue.remove(item)

    def _complete(self, message: Message, audit: int) -> None:
        message.audit, message.state = audit, "complete"
        self._put(message.end.vm, message)

    def _free(self, message: Message) -> None:
        message.end.sent.remove(message)
        message.state = "free"
        self.messages -= 1

    def call(self, vm: int, q: Call, new_id: int) -> Answer:
        """The answer; `new_id` is the id that a message sent now gets."""
        self.declared[vm] = True
        if q.function == CONNECT:
            return self._connect(vm, q)
        end = self.ends[vm].get(q.path)
        if end is None:
            return {"rc": EPATH}
        if q.function == SEND:
            return self._send(vm, end, q, new_id)
        if q.function == ACCEPT:
            return self._accept(end, q)
        if q.function == SEVER:
            self._sever(end, q.user)
            return {"rc": OK}
        if q.function in (QUIESCE, RESUME):
            end.quiesced = q.function == QUIESCE
            if end.peer:
                self._event(end.peer, PATH_QUIESCED if end.quiesced else PATH_RESUMED, q.user)
            return {"rc": OK}
        if q.function == PURGE:
            return self._purge(end, q)
        if q.function == RECEIVE:
            return self._receive(vm, end, q)
        if q.function == REPLY:
            return self._reply(vm, end, q)
        if q.function == REJECT:
            message = self._sent_to(end, q.msgid)
            if message is None:
                return {"rc": ENOMSG}
            self._taken(message)
            self._complete(message, 0x40)
            return {"rc": OK, "msgid": message.id}
        return {"rc": EFUNCTION}

    def _connect(self, vm: int, q: Call) -> Answer:
        names = [f"VM{i}" for i in range(MACHINES)]
        if q.userid not in names:
            return {"rc": ENOTLOGGED}
        target = names.index(q.userid)
        if not self.declared[target]:
            return {"rc": ENOTREADY}
        full = len(self.ends[vm]) == VM_PATHS
        mine = self._end(vm)
        if mine is None:
            return {"rc": EMAXPATHS if full else ESYSTEM}
        full = len(self.ends[target]) == VM_PATHS and target != vm
        theirs = self._end(target)
        if theirs is None:
            del self.ends[vm][mine.id]
            return {"rc": ETARGETPATHS if full else ESYSTEM}
        mine.peer, theirs.peer = theirs, mine
        mine.limit = theirs.limit = q.limit if 0 < q.limit < LIMIT else LIMIT_DEFAULT
        mine.quiesced = bool(q.flags & QUIESCED)
        theirs.caller = f"VM{vm}"
        self._event(theirs, PENDING, q.user)
        return {"rc": OK, "path": mine.id}

    def _accept(self, end: End, q: Call) -> Answer:
        if end.open or end.peer is None or not end.caller:
            return {"rc": EPATH}
        if 0 < q.limit < end.peer.limit:
            end.peer.limit = q.limit
        end.limit = end.peer.limit
        end.open = end.peer.open = True
        self._event(end.peer, COMPLETE_CONNECTION, q.user)
        return {"rc": OK}

    def _drop(self, end: End) -> None:
        for message in list(end.sent):
            self._unqueue(message)
            self._free(message)

    def _sever(self, end: End, user: bytes) -> None:
        self._drop(end)
        if end.peer:
            self._drop(end.peer)
            end.peer.peer = None
            end.peer.open = False
            self._event(end.peer, SEVERED, user)
        self._unqueue(end)
        del self.ends[end.vm][end.id]

    def _send(self, vm: int, end: End, q: Call, new_id: int) -> Answer:
        if not end.open or end.peer is None:
            return {"rc": EPATH}
        if end.peer.quiesced:
            return {"rc": EQUIESCED}
        if len(end.sent) >= end.limit:
            return {"rc": ELIMIT}
        if self.messages == MESSAGES:
            return {"rc": ESYSTEM}
        one_way = bool(q.flags & NOREPLY)
        if not q.flags & PRMDATA and q.len and not inside(q.buffer, q.len):
            return {"rc": EBUFFER}
        if not one_way and q.reply_len and not inside(q.reply_buffer, q.reply_len):
            return {"rc": EBUFFER}
        data = q.user if q.flags & PRMDATA else None
        message = Message(
            new_id, end, q.flags, q.cls, q.tag, data, q.buffer, 16 if data else q.len,
            q.reply_buffer, 0 if one_way else q.reply_len,
        )  # fmt: skip
        end.sent.append(message)
        self.messages += 1
        self._put(end.peer.vm, message)
        return {"rc": OK, "msgid": new_id}

    def _sent_to(self, end: End, number: int) -> Message | None:
        for message in end.peer.sent if end.peer else ():
            if number and message.id == number and message.state != "complete":
                return message
            if not number and message.state in ("pending", "seen"):
                return message
        return None

    def _taken(self, message: Message) -> None:
        if message.state == "pending":
            self._unqueue(message)
            message.state = "seen"

    def _purge(self, end: End, q: Call) -> Answer:
        for message in end.sent:
            if message.id == q.msgid and message.state != "complete":
                self._unqueue(message)
                self._free(message)
                return {"rc": OK}
        return {"rc": ENOMSG}

    def _receive(self, vm: int, end: End, q: Call) -> Answer:
        message = self._sent_to(end, q.msgid)
        if message is None:
            return {"rc": ENOMSG}
        have = message.len - message.received
        size = min(have, q.len)
        if not inside(q.buffer, size):
            return {"rc": EBUFFER}
        self._taken(message)
        source = message.data
        if source is None:
            at = message.at - LOW
            source = bytes(self.store[message.end.vm][at : at + message.len])
        part = source[message.received : message.received + size]
        self.store[vm][q.buffer - LOW : q.buffer - LOW + size] = part
        message.received += size
        if size == have:
            message.state = "received"
            if message.flags & NOREPLY:
                self._complete(message, 0)
        return {
            "rc": OK if size == have else ETRUNC,
            "msgid": message.id,
            "residual": have - size if size < have else q.len - size,
        }

    def _reply(self, vm: int, end: End, q: Call) -> Answer:
        message = self._sent_to(end, q.msgid)
        if message is None or not q.msgid:
            return {"rc": ENOMSG}
        data = q.user
        if not q.flags & PRMDATA:
            if q.len and not inside(q.buffer, q.len):
                return {"rc": EBUFFER}
            data = bytes(self.store[vm][q.buffer - LOW : q.buffer - LOW + q.len]) if q.len else b""
        self._taken(message)
        size = min(len(data), message.reply_len)
        if size:
            at = message.reply_at - LOW
            self.store[message.end.vm][at : at + size] = data[:size]
        message.replied = size
        cut = size < len(data)
        self._complete(message, 0x20 if cut else 0)
        return {"rc": ETRUNC if cut else OK, "residual": len(data) - size}

    def take(self, vm: int) -> Answer | None:
        """The next interruption, as what it tells, or None."""
        self.waits[vm] = False
        if self.told[vm]:
            told, self.told[vm] = self.told[vm], None
            return told
        if not self.queue[vm]:
            return None
        item = self.queue[vm].pop(0)
        if isinstance(item, End):
            answer: Answer = {"path": item.id, "type": item.event}
            answer |= {"user": int.from_bytes(item.user), "caller": int(item.caller[2:] or -1)}
            if item.event == SEVERED:
                del self.ends[vm][item.id]
            item.event = 0
            return answer
        priority = 1 if item.flags & PRIORITY else 0
        told = {"flags": item.flags, "msgid": item.id, "class": item.cls, "tag": item.tag}
        if item.state == "pending":
            assert item.end.peer is not None
            item.state = "seen"
            return told | {
                "path": item.end.peer.id, "type": MESSAGE - priority, "len": item.len,
                "reply_len": item.reply_len,
            }  # fmt: skip
        self._free(item)
        return told | {
            "path": item.end.id, "type": DONE - priority, "len": item.replied,
            "audit": item.audit,
        }  # fmt: skip

    def gone(self, vm: int) -> None:
        """The machine was reset."""
        for number in range(VM_PATHS):
            if number in self.ends[vm]:
                self._sever(self.ends[vm][number], bytes(16))
        self.queue[vm].clear()
        self.waits[vm], self.told[vm] = False, None
        self.declared[vm] = False
