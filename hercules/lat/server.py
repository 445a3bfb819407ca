# SPDX-License-Identifier: MIT
"""A terminal server: circuits to hosts, of which it is the master. Pure: time is an argument.

On each tick of a circuit's timer (80 ms) it sends one message if a terminal has something to say,
a credit to give back or the host's last message to acknowledge; and the same message again while
that is not acknowledged. With nothing to say the circuit is silent but for a keep-alive.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

from vmkb.hercules.lat import codec
from vmkb.hercules.lat.codec import Announcement, Circuit, LatError, MessageType, Slot, SlotType
from vmkb.hercules.lat.port import CREDITS, Port, State

TIMER = 0.08
KEEPALIVE = 20.0
RESENDS = 8
"""Times that a message is said again before a host is given up; 4 to 120 on DEC's servers."""
START_INTERVAL = 1.0
SOLICIT_INTERVAL = 1.0
SLOT_REASONS = (
    "unknown", "user disconnect", "system shutdown", "invalid slot", "invalid class",
    "insufficient resources", "service in use", "no such service", "service disabled",
    "not offered by port", "unknown port", "bad password", "not in queue",
    "immediate access rejected", "access denied", "corrupt solicit",
)  # fmt: skip


class CircuitState(Enum):
    """A circuit's life."""

    STARTING = "starting"
    RUNNING = "running"
    DOWN = "down"


@dataclass
class HostCircuit:
    """The circuit to one host, with all sessions to it."""

    mac: bytes
    node: str
    local: int
    remote: int = 0
    state: CircuitState = CircuitState.STARTING
    sent: int = 0
    received: int = 0xFF
    outstanding: bytes | None = None
    sent_at: float = 0.0
    resends: int = 0
    must_ack: bool = False
    due: float = 0.0
    ports: list[Port] = field(default_factory=list)
    turn: int = 0
    stops: list[Slot] = field(default_factory=list)


class TerminalServer:
    """The engine. `receive` and `tick` return the frames to send; `due` says when to tick."""

    def __init__(
        self,
        mac: bytes,
        name: str,
        ports: list[Port],
        circuit_base: int = 1,
        keepalive: float = KEEPALIVE,
        timer: float = TIMER,
        resends: int = RESENDS,
    ) -> None:
        self.mac = mac
        self.name = name
        self.ports = {port.number: port for port in ports}
        self.keepalive = keepalive
        self.timer = timer
        self.resends = resends
        self.hosts: dict[str, tuple[bytes, Announcement]] = {}
        """Hosts by node name: address and what they offer."""
        self.circuits: dict[bytes, HostCircuit] = {}
        self.counts: Counter[str] = Counter()
        self._next_circuit = circuit_base
        self._solicit_at = 0.0
        self._out: list[bytes] = []

    # what a person at a terminal does

    def connect(self, number: int, service: str) -> None:
        """The command CONNECT: a session as soon as somebody offers the service."""
        port = self.ports[number]
        if port.state not in (State.IDLE, State.ENDED):
            raise ValueError(f"{port.name} has a session already; disconnect it first")
        port.reset()
        port.service = service.upper()
        port.state = State.WAITING
        port.reason = ""
        self._solicit_at = 0.0

    def disconnect(self, number: int) -> None:
        """The command DISCONNECT."""
        port = self.ports[number]
        if port.state is State.RUNNING:
            port.stopping = True
        elif port.state is not State.IDLE:
            self._end(port, "user disconnect")

    def disconnect_all(self) -> None:
        """Ends all sessions."""
        for number in self.ports:
            self.disconnect(number)

    def ask_who_is_there(self) -> None:
        """Asks all hosts what they offer: `hosts` will say."""
        self._send(codec.GROUP, codec.encode_solicit(1, self.name, ""))

    def lose_lan(self, reason: str) -> None:
        """Nothing will come any more: sessions end, and what had come is shown."""
        for port in self.ports.values():
            if port.state not in (State.IDLE, State.ENDED):
                self._end(port, reason)
            port.cps = None
            port.reading = True
            port.drain(port.shown_at)

    # time

    def due(self, now: float) -> float:
        """When to tick next: the next circuit timer or character to show, or a fifth of a second
        when idle."""
        times = [c.due for c in self.circuits.values()]
        times += [due for port in self.ports.values() if (due := port.due) is not None]
        return min(times, default=now + 0.2)

    def tick(self, now: float) -> list[bytes]:
        """Do what is due by the time."""
        for port in self.ports.values():
            port.drain(now)
        self._find_services(now)
        for circuit in list(self.circuits.values()):
            if now + 1e-9 >= circuit.due:
                circuit.due = max(circuit.due + self.timer, now + self.timer / 2)
                self._tick_circuit(circuit, now)
        return self._flush()

    def _flush(self) -> list[bytes]:
        frames, self._out = self._out, []
        return frames

    def _send(self, mac: bytes, message: bytes) -> None:
        self.counts["frames_out"] += 1
        self._out.append(codec.frame(mac, self.mac, message))

    def _find_services(self, now: float) -> None:
        waiting = [p for p in self.ports.values() if p.state is State.WAITING]
        for port in waiting:
            offers = [
                (answer.services[port.service], node)
                for node, (_, answer) in self.hosts.items()
                if port.service in answer.services and answer.accepting and answer.groups & 1
            ]
            if offers:
                self._begin(port, max(offers)[1], now)
            elif now >= self._solicit_at:
                self._solicit_at = now + SOLICIT_INTERVAL
                self._send(codec.GROUP, codec.encode_solicit(1, self.name, port.service))

    def _begin(self, port: Port, node: str, now: float) -> None:
        mac = self.hosts[node][0]
        circuit = self.circuits.get(mac)
        if circuit is None:
            circuit = HostCircuit(mac, node, self._next_circuit, due=now)
            self._next_circuit = self._next_circuit % 0xFFFF + 1
            self.circuits[mac] = circuit
        port.state = State.STARTING
        circuit.ports.append(port)

    # circuits

    def _tick_circuit(self, circuit: HostCircuit, now: float) -> None:
        if circuit.state is CircuitState.STARTING:
            self._start(circuit, now)
        elif circuit.outstanding is not None:
            if now - circuit.sent_at + 1e-9 >= self.timer:
                self._resend(circuit, now)
        elif circuit.must_ack or circuit.stops or any(port.wants for port in circuit.ports):
            self._run(circuit, now)
        elif not circuit.ports:
            message = Circuit(MessageType.STOP, circuit.remote, circuit.local, body=b"\x02\0")
            self._send(circuit.mac, message.encode())
            del self.circuits[circuit.mac]
        elif now - circuit.sent_at >= self.keepalive:
            self._run(circuit, now, respond=True)

    def _start(self, circuit: HostCircuit, now: float) -> None:
        if circuit.resends and now - circuit.sent_at < START_INTERVAL:
            return
        if circuit.resends > self.resends:
            self._down(circuit, "no answer to the circuit's start")
            return
        circuit.resends += 1
        circuit.sent_at = now
        body = codec.start_body(
            self.name, circuit.node, round(self.timer * 100), max(1, round(self.keepalive)), 255
        )
        message = Circuit(
            MessageType.START, 0, circuit.local, circuit.sent, circuit.received, body=body
        )
        self._send(circuit.mac, message.encode())

    def _resend(self, circuit: HostCircuit, now: float) -> None:
        assert circuit.outstanding is not None
        circuit.resends += 1
        if circuit.resends > self.resends:
            self._down(circuit, "the host does not answer")
            return
        self.counts["resent"] += 1
        circuit.sent_at = now
        message = bytearray(circuit.outstanding)
        message[7] = circuit.received
        circuit.must_ack = False
        self._send(circuit.mac, bytes(message))

    def _run(self, circuit: HostCircuit, now: float, respond: bool = False) -> None:
        slots, circuit.stops = circuit.stops, []
        room = codec.MESSAGE_MAX - 8 - sum(len(slot.encode()) for slot in slots)
        count = len(circuit.ports)
        for i in range(count):
            port = circuit.ports[(circuit.turn + i) % count]
            if room < 4 + 256 or len(slots) >= 255:
                break
            slot = self._port_slot(port)
            if slot is not None:
                slots.append(slot)
                room -= len(slot.encode())
        circuit.turn += 1
        circuit.ports = [port for port in circuit.ports if port.state is not State.ENDED]
        circuit.sent = circuit.sent + 1 & 0xFF
        message = Circuit(
            MessageType.RUN, circuit.remote, circuit.local, circuit.sent, circuit.received,
            respond=respond, slots=tuple(slots),
        ).encode()  # fmt: skip
        circuit.outstanding = message
        circuit.sent_at = now
        circuit.resends = 0
        circuit.must_ack = False
        self._send(circuit.mac, message)

    def _port_slot(self, port: Port) -> Slot | None:
        if port.state is State.STARTING:
            if port.starts:
                return None
            port.starts = 1
            return codec.start_slot(port.number, port.service, port.name, port.slot_max, CREDITS)
        if port.state is State.RUNNING and port.stopping:
            self._end(port, "user disconnect")
            return Slot(port.remote, 0, SlotType.STOP, 1)
        return port.next_slot()

    def _end(self, port: Port, reason: str) -> None:
        port.state = State.ENDED
        port.reason = reason

    def _down(self, circuit: HostCircuit, reason: str) -> None:
        self.counts["circuits_down"] += 1
        circuit.state = CircuitState.DOWN
        self.hosts.pop(circuit.node, None)
        if self.circuits.get(circuit.mac) is circuit:
            del self.circuits[circuit.mac]
        for port in circuit.ports:
            if port.state is not State.ENDED:
                self._end(port, reason)

    # frames

    def receive(self, data: bytes, now: float) -> list[bytes]:
        """A frame came; other than LAT's are ignored, those that are malformed counted."""
        parts = codec.unframe(data)
        if parts is None or parts[1] == self.mac:
            return []
        destination, source, message = parts
        if destination != self.mac and not destination[0] & 1:
            return []
        self.counts["frames_in"] += 1
        try:
            self._message(source, message, now)
        except LatError:
            self.counts["malformed"] += 1
        return self._flush()

    def _message(self, source: bytes, message: bytes, now: float) -> None:
        kind = message[0] >> 2
        if kind == MessageType.ANNOUNCE:
            self._known(source, codec.decode_announcement(message))
        elif kind == MessageType.RESPONSE:
            self._known(source, codec.decode_response(message))
        elif kind in (MessageType.RUN, MessageType.START, MessageType.STOP):
            answer = codec.decode_circuit(message)
            circuit = self.circuits.get(source)
            if answer.from_master:
                return
            if circuit is None or answer.dst != circuit.local:
                self.counts["unknown"] += 1
                return
            self._circuit_message(circuit, answer, now)

    def _known(self, source: bytes, answer: Announcement) -> None:
        if answer.node not in self.hosts or self.hosts[answer.node] != (source, answer):
            self.hosts[answer.node] = (source, answer)

    def _circuit_message(self, circuit: HostCircuit, message: Circuit, now: float) -> None:
        if message.kind == MessageType.STOP:
            self._down(circuit, "the host ended the circuit")
            return
        if message.kind == MessageType.START:
            if circuit.state is CircuitState.STARTING:
                circuit.state = CircuitState.RUNNING
                circuit.remote = message.src
                circuit.received = message.seq
                circuit.resends = 0
            return
        if circuit.state is not CircuitState.RUNNING or message.src != circuit.remote:
            self.counts["unknown"] += 1
            return
        if message.ack == circuit.sent:
            circuit.outstanding = None
        if message.seq == circuit.received + 1 & 0xFF:
            circuit.received = message.seq
            # an answer without slots is an acknowledgement: two sides would acknowledge for ever
            circuit.must_ack |= bool(message.slots or message.respond)
            for slot in message.slots:
                self._slot(circuit, slot, now)
        elif message.seq == circuit.received:
            if message.slots or message.respond:
                self.counts["duplicates"] += 1
                circuit.must_ack = True
        else:
            self.counts["out_of_order"] += 1

    def _slot(self, circuit: HostCircuit, slot: Slot, now: float) -> None:
        port = self.ports.get(slot.dst)
        if port is None or port not in circuit.ports:
            if slot.kind in (SlotType.DATA_A, SlotType.DATA_B, SlotType.START):
                self.counts["unknown"] += 1
            return
        if slot.kind == SlotType.START and port.state is State.STARTING:
            port.state = State.RUNNING
            port.remote = slot.src
            port.credits = slot.low
            port.host_slot_max = slot.data[2] if len(slot.data) > 2 else 1
        elif slot.kind in (SlotType.REJECT, SlotType.STOP):
            self._end(port, SLOT_REASONS[slot.low])
            circuit.ports.remove(port)
        elif slot.kind in (SlotType.DATA_A, SlotType.DATA_B) and slot.src == port.remote:
            port.arrived(slot, now)
