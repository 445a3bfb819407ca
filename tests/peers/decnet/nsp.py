# SPDX-License-Identifier: MIT
"""NSP of an end node. Pure: frames in by `Node.receive`, out by a callback, time is an argument."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from tests.peers.decnet import packets as p

RETRY_SECONDS = 2.0
HELLO_SECONDS = 15.0
TRIES = 10
CONNECT_SECONDS = 30.0
WINDOW = 4
SEGMENT = 563
OBJECT_CTERM = 42
_MASK = 0xFFF
NO_FLOW, SEGMENT_FLOW, MESSAGE_FLOW = 1, 5, 9
"""Services: what flow control this side asks for."""


class User(Protocol):
    """Who uses a link: CTERM's two sides."""

    def up(self, link: Link) -> None:
        """The link runs."""

    def message(self, link: Link, data: bytes) -> None:
        """A whole message came."""

    def down(self, link: Link, reason: int) -> None:
        """The link is no more."""


class Link:
    """A logical link. `state` is CI, CC, RUN, DI or END."""

    def __init__(self, node: Node, local: int, peer: int, user: User, state: str) -> None:
        self.node = node
        self.local = local
        self.remote = 0
        self.peer = peer
        self.user = user
        self.state = state
        self.paused = False
        self.segment = SEGMENT
        self.flow = NO_FLOW
        self._credits = 0
        self._xoff = False
        self._reason = 0
        self._closing = False
        self._tries = 0
        self._again = node.now + RETRY_SECONDS
        self._limit = node.now + CONNECT_SECONDS
        self._out: deque[p.Message] = deque()
        self._sent = 0
        self._acked = 0
        self._number = 0
        self._other: deque[bytes] = deque()
        self._other_number = 0
        self._got = 0
        self._got_other = 0
        self._parts: list[bytes] = []
        self._waiting: deque[bytes] = deque()

    def send(self, data: bytes) -> None:
        """Queues a message, cut in segments."""
        parts = [data[i : i + self.segment] for i in range(0, len(data), self.segment)]
        for i, part in enumerate(parts):
            flags = (p.BOM if i == 0 else 0) | (p.EOM if i + 1 == len(parts) else 0)
            self._number = self._number + 1 & _MASK
            self._out.append(p.Message(flags, self.remote, self.local, [], self._number, body=part))
        self._pump()

    def pause(self) -> None:
        """Takes no more messages; the peer is told by XOFF."""
        self.paused = True
        self._link_service(b"\x01\0")

    def resume(self) -> None:
        """Takes messages again."""
        self.paused = False
        self._link_service(b"\x02\0")
        while self._waiting and not self.paused:
            self.user.message(self, self._waiting.popleft())

    def close(self, reason: int = 0) -> None:
        """Disconnects when all is acknowledged."""
        self._reason = reason
        self._closing = True
        self._pump()

    @property
    def quiet(self) -> bool:
        """All that was sent is acknowledged."""
        return not self._out and not self._other

    def _emit(self, m: p.Message, returnable: bool = False) -> None:
        self.node.emit(self.peer, m, returnable)

    def _arm(self) -> None:
        self._again = self.node.now + RETRY_SECONDS

    def _pump(self) -> None:
        while self.state == "RUN" and self._sent < min(len(self._out), WINDOW) and self._may():
            m = self._out[self._sent]
            if not self._sent:
                self._arm()
            self._sent += 1
            if self.flow == SEGMENT_FLOW or (self.flow == MESSAGE_FLOW and m.type & p.EOM):
                self._credits -= 1
            m.acks = [(False, self._got)]
            self._emit(m)
        if self._closing and self.state == "RUN" and not self._out:
            self.state = "DI"
            self._tries = 0
            self._disconnect()

    def _may(self) -> bool:
        return not self._xoff and (self.flow == NO_FLOW or self._credits > 0)

    def _disconnect(self) -> None:
        self._arm()
        self._emit(p.Message(p.DI, self.remote, self.local, reason=self._reason))

    def _link_service(self, body: bytes) -> None:
        self._other.append(body)
        if len(self._other) == 1:
            self._send_other()

    def _send_other(self) -> None:
        self._arm()
        self._emit(
            p.Message(
                p.LINK_SERVICE, self.remote, self.local, [(False, self._got_other)],
                self._other_number + 1 & _MASK, body=self._other[0],
            )
        )  # fmt: skip

    def running(self, m: p.Message) -> None:
        """The connection stands; m: the peer's confirm or initiate."""
        self.segment = min(SEGMENT, m.segment)
        self.flow = m.services
        self.remote = m.source

    def run(self) -> None:
        """From now on there is data."""
        self.state = "RUN"
        if self.node.services != NO_FLOW:
            self._link_service(bytes([0, self.node.grant]))
        self.user.up(self)

    def take(self, m: p.Message) -> None:
        """A message of a running link."""
        if self.state == "CC":
            self.run()
        if self.state not in ("RUN", "DI"):
            return
        self._tries = 0
        own_is_other = m.type in (p.LINK_SERVICE, p.INTERRUPT, p.OTHER_ACK)
        for cross, number in m.acks:
            self._acknowledged(own_is_other != cross, number)
        if self.state != "RUN":
            return
        if m.is_data:
            self._data(m)
        elif m.type == p.LINK_SERVICE:
            self._service(m)
        self._pump()

    def _acknowledged(self, other: bool, number: int) -> None:
        if other:
            if self._other and number == self._other_number + 1 & _MASK:
                self._other_number = number
                self._other.popleft()
                if self._other:
                    self._send_other()
            return
        n = number - self._acked & _MASK
        if n <= self._sent:
            for _ in range(n):
                self._out.popleft()
            self._sent -= n
            self._acked = number
            if n:
                self._arm()

    def _data(self, m: p.Message) -> None:
        if m.seq & _MASK == self._got + 1 & _MASK and len(self._waiting) < WINDOW:
            self._got = m.seq & _MASK
            self._parts.append(m.body)
            if m.type & p.BOM:
                assert len(self._parts) == 1, "a message began within another"
            if m.type & p.EOM:
                whole, self._parts = b"".join(self._parts), []
                if self.paused:
                    self._waiting.append(whole)
                else:
                    self.user.message(self, whole)
            if self.node.services == SEGMENT_FLOW or (
                self.node.services == MESSAGE_FLOW and m.type & p.EOM
            ):
                self._link_service(b"\0\1")
        if self.state in ("RUN", "DI"):
            self._emit(p.Message(p.ACK, self.remote, self.local, [(False, self._got)]))

    def _service(self, m: p.Message) -> None:
        if m.seq & _MASK == self._got_other + 1 & _MASK:
            self._got_other = m.seq & _MASK
            if m.body[0] & 3:
                self._xoff = m.body[0] & 3 == 1
            self._credits += m.body[1] - 256 if m.body[1] > 127 else m.body[1]
        self._emit(p.Message(p.OTHER_ACK, self.remote, self.local, [(False, self._got_other)]))

    def tick(self) -> None:
        """Sends again what is due."""
        now = self.node.now
        if self.state in ("CI", "CC") and now >= self._limit:
            self.end(38)
            return
        waits = self.state in ("CI", "CC", "DI") or self._sent or self._other
        if not waits or now < self._again:
            return
        self._tries += 1
        if self._tries > TRIES:
            self.end(39)
            return
        self._arm()
        self._resend()

    def _resend(self) -> None:
        if self.state == "CI":
            self.node.initiate(self)
        elif self.state == "CC":
            self.node.confirm(self)
        elif self.state == "DI":
            self._disconnect()
        else:
            for i in range(self._sent):
                self._out[i].acks = [(False, self._got)]
                self._emit(self._out[i])
            if self._other:
                self._send_other()

    def end(self, reason: int) -> None:
        """It is no more."""
        if self.state != "END":
            self.state = "END"
            self.node.links.pop(self.local, None)
            self.user.down(self, reason)


class Node:
    """An end node. `serve` makes the user of each link that somebody connects to object 42."""

    def __init__(
        self, address: int, send: Callable[[bytes], None], serve: Callable[[], User] | None = None,
        services: int = NO_FLOW, grant: int = 3, segment: int = SEGMENT,
    ) -> None:  # fmt: skip
        self.address = address
        self.services = services
        self.grant = grant
        self.segment = segment
        self.now = 0.0
        self.links: dict[int, Link] = {}
        self.refused: list[str] = []
        self._send = send
        self._serve = serve
        self._next = 1
        self._hello = 0.0

    def emit(self, to: int, m: p.Message, returnable: bool = False) -> None:
        """Sends an NSP message."""
        self._send(p.data_frame(self.address, to, p.encode(m), returnable))

    def connect(self, to: int, user: User, now: float, name: bytes = b"TEST") -> Link:
        """A link to object 42 of a node."""
        self.now = now
        link = Link(self, self._number(), to, user, "CI")
        self.links[link.local] = link
        self._names = b"\0\x2a\1\0" + bytes([len(name)]) + name + b"\0"
        self.initiate(link)
        return link

    def _number(self) -> int:
        self._next += 1
        return self._next - 1

    def initiate(self, link: Link) -> None:
        """Sends a link's connect initiate."""
        self.emit(
            link.peer,
            p.Message(p.CI, 0, link.local, services=self.services, segment=self.segment,
                      body=self._names), True,
        )  # fmt: skip

    def confirm(self, link: Link) -> None:
        """Sends a link's connect confirm."""
        self.emit(
            link.peer,
            p.Message(p.CC, link.remote, link.local, services=self.services,
                      segment=self.segment, body=b"\0"),
        )  # fmt: skip

    def tick(self, now: float) -> None:
        """Timers; call it a few times a second."""
        self.now = now
        if now >= self._hello:
            self._hello = now + HELLO_SECONDS
            self._send(p.hello_frame(self.address))
        for link in list(self.links.values()):
            link.tick()

    def receive(self, frame: bytes, now: float) -> None:
        """A frame from the LAN."""
        self.now = now
        try:
            opened = p.open_frame(frame, self.address)
            if opened is not None:
                self._message(opened[0], p.decode(opened[1]))
        except p.PacketError as error:
            self.refused.append(str(error))

    def _message(self, sender: int, m: p.Message) -> None:
        if m.type in (p.CI, p.CI_AGAIN):
            self._connected(sender, m)
            return
        link = self.links.get(m.to)
        if m.type in (p.CA, p.NOP):
            return
        if link is None or link.peer != sender or (link.remote and link.remote != m.source):
            if m.type != p.DC:
                self.emit(sender, p.Message(p.DC, m.source, m.to, reason=41))
        elif m.type == p.CC:
            if link.state == "CI":
                link.running(m)
                self.emit(sender, p.Message(p.ACK, link.remote, link.local, [(False, 0)]))
                link.run()
            else:
                self.emit(sender, p.Message(p.ACK, link.remote, link.local, [(False, link._got)]))
        elif m.type == p.DI:
            self.emit(sender, p.Message(p.DC, m.source, m.to, reason=42))
            link.end(m.reason)
        elif m.type == p.DC:
            link.end(m.reason)
        else:
            link.take(m)

    def _connected(self, sender: int, m: p.Message) -> None:
        for link in self.links.values():
            if link.peer == sender and link.remote == m.source:
                if link.state == "CC":
                    self.confirm(link)
                return
        local = self._number()
        if self._serve is None or m.body[:2] != bytes([0, OBJECT_CTERM]):
            self.emit(sender, p.Message(p.DI, m.source, local, reason=4))
            return
        link = Link(self, local, sender, self._serve(), "CC")
        link.running(m)
        self.links[local] = link
        self.emit(sender, p.Message(p.CA, m.source))
        self.confirm(link)
