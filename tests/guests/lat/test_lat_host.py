# SPDX-License-Identifier: MIT
"""The host of CP against the terminal server of hercules/lat, over good and bad networks."""

import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guests.lat.host import MAC, Host, Network
from vmkb.hercules.lat import codec
from vmkb.hercules.lat.codec import Circuit, MessageType, Slot, SlotType
from vmkb.hercules.lat.port import Port, State
from vmkb.hercules.lat.server import HostCircuit, TerminalServer


class AsLatd(TerminalServer):
    """A server with latd's rule: of a message that has the number of the one before nothing is
    looked at, not even what it acknowledges."""

    def _circuit_message(self, circuit: HostCircuit, message: Circuit, now: float) -> None:
        if message.kind == MessageType.RUN and message.seq == circuit.received:
            self.counts["duplicates"] += 1
            circuit.must_ack |= bool(message.slots or message.respond)
            return
        super()._circuit_message(circuit, message, now)


def a_server(
    number: int = 1, ports: int = 1, cps: float | None = None,
    kind: type[TerminalServer] = TerminalServer, **more: Any,
) -> TerminalServer:  # fmt: skip
    made = [Port(i + 1, cps) for i in range(ports)]
    return kind(bytes((2, 2, 0, 0, 0, number)), f"LAT{number}", made, number, **more)


def connected(host: Host, **more: float) -> tuple[Network, TerminalServer, Port]:
    server = a_server(**more)  # type: ignore[arg-type]
    net = Network(host, [server])
    server.connect(1, "vmkb")
    net.run(2)
    assert server.ports[1].state is State.RUNNING
    return net, server, server.ports[1]


def test_a_terminal_finds_the_service_types_and_is_answered(host: Host) -> None:
    net, server, port = connected(host)
    assert host.opened == [1]
    port.type(b"hello\r")
    net.run(0.3)
    assert host.input[1] == b"hello\r"
    net.send(host.write(1, b"answer\r\n"))
    net.run(0.3)
    assert bytes(port.shown) == b"answer\r\n"
    assert server.hosts["VMKB"][0] == MAC


def test_an_idle_circuit_is_silent_but_for_keep_alives(host: Host) -> None:
    net, server, _ = connected(host, keepalive=5.0)
    before = server.counts["frames_out"]
    net.run(60)
    assert server.counts["frames_out"] - before == pytest.approx(12, abs=1)
    assert not host.closed


def run_of(frames: list[bytes]) -> list[Circuit]:
    """The messages in frames."""
    return [codec.decode_circuit(parts[2]) for f in frames if (parts := codec.unframe(f))]


def test_every_answer_has_its_own_number_and_a_duplicate_the_saved_answer(host: Host) -> None:
    net, server, _ = connected(host)
    (circuit,) = server.circuits.values()
    expected = circuit.received
    for step in range(1, 4):
        run = Circuit(MessageType.RUN, circuit.remote, circuit.local, (circuit.sent + step) & 0xFF,
                      expected, slots=())  # fmt: skip
        sent = codec.frame(MAC, server.mac, run.encode())
        (first,) = run_of(host.frame(sent, net.now))
        expected = (expected + 1) & 0xFF
        assert (first.seq, first.ack, first.slots) == (expected, run.seq, ())
        assert run_of(host.frame(sent, net.now)) == [first]
    assert host.counts()["duplicates"] == 3


def test_an_answer_that_was_lost_goes_again_before_what_was_said_after_it(host: Host) -> None:
    net, server, port = connected(host)
    (circuit,) = server.circuits.values()
    run = Circuit(MessageType.RUN, circuit.remote, circuit.local, (circuit.sent + 1) & 0xFF,
                  circuit.received, slots=())  # fmt: skip
    sent = codec.frame(MAC, server.mac, run.encode())
    (bare,) = run_of(host.frame(sent, net.now))
    (said,) = run_of(host.write(1, b"text"))
    assert said.seq == (bare.seq + 1) & 0xFF and said.slots
    assert [m.seq for m in run_of(host.frame(sent, net.now))] == [bare.seq, said.seq]


def test_typing_makes_one_exchange_for_many_keystrokes(host: Host) -> None:
    net, server, port = connected(host)
    before = server.counts["frames_out"]
    for _ in range(50):  # one key each 10 ms
        port.type(b"x")
        net.run(0.01)
    net.run(0.2)
    assert host.input[1] == b"x" * 50
    assert server.counts["frames_out"] - before <= 9


def test_an_unknown_service_is_refused(host: Host) -> None:
    server = a_server()
    server.hosts["VMKB"] = (MAC, codec.Announcement("VMKB", {"OTHER": 1}))
    net = Network(host, [server])
    server.connect(1, "other")
    net.run(2)
    assert (server.ports[1].state, server.ports[1].reason) == (State.ENDED, "no such service")
    assert host.counts()["refused"] == 1


def test_no_terminal_free_is_said(process: Host) -> None:
    process.init(no_terminal=True)
    server = a_server()
    net = Network(process, [server])
    server.connect(1, "vmkb")
    net.run(2)
    assert server.ports[1].reason == "insufficient resources"


def test_seventeenth_server_is_refused(host: Host) -> None:
    servers = [a_server(n) for n in range(1, 18)]
    net = Network(host, servers)
    for server in servers:
        server.connect(1, "vmkb")
    net.run(3)
    states = [server.ports[1].state for server in servers]
    assert states.count(State.RUNNING) == 16
    assert states.count(State.WAITING) + states.count(State.ENDED) == 1


def test_eighty_terminals_and_no_more(host: Host) -> None:
    server = a_server(ports=82)
    net = Network(host, [server])
    for number in server.ports:
        server.connect(number, "vmkb")
    net.run(5)
    reasons = [port.reason for port in server.ports.values() if port.state is State.ENDED]
    assert reasons == ["insufficient resources"] * 2
    assert len(host.opened) == 80


def test_logoff_sends_what_is_left_and_then_ends(host: Host) -> None:
    net, _, port = connected(host)
    net.send(host.write(1, b"x" * 900 + b"bye"))
    net.send(host.logoff(1))
    net.run(3)
    assert port.state is State.ENDED
    assert bytes(port.shown) == b"x" * 900 + b"bye"
    assert host.closed == [1]


def test_logoff_of_a_terminal_that_takes_nothing_ends_after_its_time(host: Host) -> None:
    net, _, port = connected(host)
    port.reading = False
    net.send(host.write(1, b"x" * 3000))
    net.send(host.logoff(1))
    net.run(25)
    assert not host.closed
    net.run(7)
    assert host.closed == [1] and port.state is State.ENDED


def test_no_credits_no_output_and_all_of_it_later(host: Host) -> None:
    net, _, port = connected(host)
    port.reading = False
    text = bytes(random.Random(1).randbytes(5000))
    net.send(host.write(1, text))
    net.run(20)
    assert port.waiting_output <= 2 * 255  # two credits
    port.reading = True
    net.run(20)
    assert bytes(port.shown) == text


def test_a_terminal_that_never_reads_hinders_nobody(host: Host) -> None:
    server = a_server(ports=2)
    net = Network(host, [server])
    for number in (1, 2):
        server.connect(number, "vmkb")
    net.run(2)
    server.ports[1].reading = False
    net.send(host.write(1, b"a" * 4000))
    net.send(host.write(2, b"b" * 4000))
    net.run(6)
    assert bytes(server.ports[2].shown) == b"b" * 4000


def test_a_line_of_9600_baud_is_never_faster_and_hardly_slower(host: Host) -> None:
    net, _, port = connected(host, cps=960.0)
    began = net.now
    net.send(host.write(1, b"x" * 9600))
    while len(port.shown) < 9600:
        net.run(0.05)
    assert 10.0 <= port.shown_at - began <= 10.5


def test_input_that_cp_does_not_take_is_held_and_none_lost(host: Host) -> None:
    net, _, port = connected(host)
    host.room(1, 10)
    text = bytes(range(32, 127)) * 30
    port.type(text)
    net.run(3)
    assert len(host.input[1]) == 10
    assert host.counts()["violations"] == 0
    while len(host.input[1]) < len(text):
        before = len(host.input[1])
        net.send(host.room(1, 200))
        net.run(0.5)
        assert len(host.input[1]) > before
    assert bytes(host.input[1]) == text


def test_break_is_an_attention(host: Host) -> None:
    net, _, port = connected(host)
    port.send_break()
    net.run(0.3)
    assert host.attentions == [1]


def test_a_server_that_dies_is_noticed_and_its_users_are_gone(host: Host) -> None:
    net, server, _ = connected(host, keepalive=2.0)
    net.servers.remove(server)
    net.run(3)
    assert not host.closed
    net.run(5)
    assert host.closed == [1]
    assert host.counts()["circuits_lost"] == 1
    again = a_server(1)
    net.servers.append(again)
    again.connect(1, "vmkb")
    net.run(3)
    assert again.ports[1].state is State.RUNNING


def test_with_output_to_send_a_dead_server_is_noticed_by_resends(host: Host) -> None:
    net, server, _ = connected(host)
    net.servers.remove(server)
    net.send(host.write(1, b"is anybody there"))
    net.run(12)
    assert host.closed == [1]


def test_a_server_that_begins_anew_has_its_old_sessions_ended(host: Host) -> None:
    net, server, _ = connected(host)
    again = a_server(1)
    again._next_circuit = 77
    net.servers = [again]
    again.connect(1, "vmkb")
    net.run(3)
    assert host.closed == [1] and again.ports[1].state is State.RUNNING


def test_a_host_that_begins_anew_tells_who_still_speaks_to_it(host: Host) -> None:
    net, server, port = connected(host)
    host.init()
    port.type(b"x")
    net.run(1)
    assert port.state is State.ENDED and port.reason == "the host ended the circuit"


def test_shutdown_ends_all_and_refuses_new_ones(host: Host) -> None:
    net, server, port = connected(host)
    net.send(host.shutdown())
    net.run(1)
    assert port.state is State.ENDED and host.closed == [1]
    server.connect(1, "vmkb")
    net.run(5)
    assert host.opened == [1]


def test_a_slot_without_credit_ends_its_session(host: Host) -> None:
    net, server, port = connected(host)
    circuit = server.circuits[MAC]
    slot = Slot(port.remote, 1, SlotType.DATA_A, 0, b"xx")
    message = Circuit(
        MessageType.RUN, circuit.remote, circuit.local, circuit.sent + 1, circuit.received,
        slots=(slot,) * 5,
    )  # fmt: skip
    net.send(host.frame(codec.frame(MAC, server.mac, message.encode()), net.now))
    assert host.counts()["violations"] == 1
    assert host.closed == [1]
    assert bytes(host.input[1]) == b"xx" * 4


@settings(max_examples=12)
@given(
    seed=st.integers(0, 2**32),
    loss=st.sampled_from((0.0, 0.05, 0.1)),
    duplication=st.sampled_from((0.0, 0.05, 0.3)),
    late=st.sampled_from((0.0, 0.05, 0.3)),
    kind=st.sampled_from((TerminalServer, AsLatd)),
)
def test_no_character_lost_doubled_or_out_of_order(
    process: Host, seed: int, loss: float, duplication: float, late: float,
    kind: type[TerminalServer],
) -> None:  # fmt: skip
    process.init()
    chance = random.Random(seed)
    server = a_server(ports=3, kind=kind)
    net = Network(process, [server], seed, loss, duplication, late)
    for number in server.ports:
        server.connect(number, "vmkb")
    net.run(20, 0.02)
    assert [port.state for port in server.ports.values()] == [State.RUNNING] * 3
    idents = {port.number: port.remote for port in server.ports.values()}
    typed = dict.fromkeys(idents, b"")
    written = dict.fromkeys(idents, b"")
    for _ in range(60):
        number = chance.randint(1, 3)
        text = chance.randbytes(chance.choice((1, 3, 80, 700)))
        if chance.random() < 0.5:
            typed[number] += text[:80]
            server.ports[number].type(text[:80])
        else:
            written[number] += text
            net.send(process.write(idents[number], text))
        net.run(chance.random() * 0.2, 0.02)
    net.run(90, 0.02)
    for number, ident in idents.items():
        assert bytes(process.input[ident]) == typed[number]
        assert bytes(server.ports[number].shown) == written[number]


@pytest.mark.parametrize("seed", range(4))
def test_hostile_frames_are_refused_and_counted(program: Path, seed: int) -> None:
    fuzz(program, seed, 5000)


@pytest.mark.slow
def test_a_million_hostile_frames(program: Path) -> None:
    fuzz(program, 77, 1_000_000)


def fuzz(program: Path, seed: int, rounds: int) -> None:
    done = subprocess.run([program, "fuzz", str(seed), str(rounds)], capture_output=True, text=True,
                          timeout=250, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    words = done.stdout.split()
    counts = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    assert counts["frames"] == rounds
    for what in ("malformed", "unknown", "refused", "duplicates", "order", "opened"):
        assert counts[what] >= rounds / 1000, counts
    assert counts["violations"] > 0 or rounds < 100_000
