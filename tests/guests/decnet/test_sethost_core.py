# SPDX-License-Identifier: MIT
"""VM/KB's end node and CTERM with the Python node: sessions both ways on a bad Ethernet, flow
control, refusals, links that end in the middle, hostile frames."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guests.decnet.conftest import PEER_NODE, VMKB_NODE, Lan
from tests.peers.decnet import packets
from tests.peers.decnet.cterm import Host, Terminal
from tests.peers.decnet.nsp import MESSAGE_FLOW, NO_FLOW, SEGMENT_FLOW
from tests.peers.dnprogs import Sethost, screen


def text(n: int, seed: int = 0) -> bytes:
    """A document: numbered lines, so that any loss, doubling or swap shows."""
    out = b""
    i = seed
    while len(out) < n:
        out += b"%06d the quick brown fox\r\n" % i
        i += 1
    return out[:n]


def typed_line(n: int, seed: int) -> bytes:
    """What a user types: no control characters."""
    return text(n, seed).replace(b"\r\n", b"::")


def log_on(lan: Lan) -> Terminal:
    """A session of the peer's terminal at the guest's host."""
    terminal = Terminal()
    lan.peer.connect(VMKB_NODE, terminal, lan.now)
    lan.run(lambda: bool(lan.said("S")))
    return terminal


def write(lan: Lan, data: bytes) -> None:
    """The guest's host writes, as there is room."""
    done = 0

    def more() -> bool:
        nonlocal done
        (event,) = (
            e for e in lan.ask("write", f"00{data[done : done + 900].hex()}") if e[0] == "T"
        )
        done += int(event[1])
        return done == len(data)

    lan.run(more, 3000)


def session(lan: Lan, size: int, lines: int) -> None:
    """The peer's terminal reads a document and types lines; all come exactly once, in order."""
    terminal = log_on(lan)
    document = text(size)
    write(lan, document)
    typed = [typed_line(i * 7 % 200 + 1, i) for i in range(lines)]
    for i, line in enumerate(typed):
        lan.ask("read", "0001" if i % 2 else "0000")
        lan.run(lambda: terminal.reading, 600)
        terminal.type(line)
        lan.run(lambda want=i + 1: len(lan.said("L")) == want, 600)  # type: ignore[misc]
    lan.run(lambda: len(terminal.text) >= size, 600)
    assert bytes(terminal.text) == document
    assert [bytes.fromhex(e[2]) for e in lan.said("L")] == typed
    assert terminal.typed_into == [bool(i % 2) for i in range(lines)]
    lan.ask("close", "00")
    lan.run(lambda: bool(lan.said("D")) and not lan.peer.links, 600)
    assert terminal.events == ["unbind"] and not lan.peer.refused


def test_a_typed_line_stands_on_a_line_of_its_own(program: Path) -> None:
    """At dnprogs' sethost, which echoes it up to its CR: what comes next does not write over it.
    A password is not echoed: nothing is between its prompt and what follows."""
    lan = Lan(program)
    terminal = Sethost()
    lan.peer.connect(VMKB_NODE, terminal, lan.now)
    lan.run(lambda: bool(lan.said("S")))
    write(lan, b"ONLINE\r\n")
    for i, (line, answer) in enumerate(
        [
            (b"LOGON", b"ENTER PASSWORD:\r\n"),
            (b"secret", b"Ready;\r\n"),
            (b"SET", b""),
            (b"Q", b"1\r\n2\r\n"),
        ]
    ):
        lan.ask("read", f"000{int(i == 1)}")
        lan.run(lambda: terminal.reading, 600)
        terminal.type(line)
        lan.run(lambda want=i + 1: len(lan.said("L")) == want, 600)  # type: ignore[misc]
        if answer:
            write(lan, answer)
    lan.ask("read", "0000")
    lan.run(lambda: terminal.reading, 600)
    shown = ["ONLINE", "LOGON", "ENTER PASSWORD:", "Ready;", "SET", "Q", "1", "2", ""]
    assert screen(bytes(terminal.tty)) == shown
    lan.guest.end()


def test_the_new_line_behind_a_typed_line_is_not_shown_twice(program: Path) -> None:
    """Here a line that is typed has its end; a second new line is the host's own."""
    host = Host(lambda host, line: host.newlines(1 if line == b"one" else 2, b"answer\r\n"))
    lan = Lan(program)
    lan.peer._serve = lambda: host
    lan.ask("connect", str(PEER_NODE))
    for line, shown in ((b"one", b"answer\r\n"), (b"two", b"\r\nanswer\r\n")):
        lan.run(lambda: lan.said("Q") and lan.said("Q")[-1][2] == "1", 600)  # type: ignore[arg-type,return-value]
        mark = len(lan.bytes_of("W"))
        end = mark + len(shown)
        lan.run(lambda typed=line: ("T", "1") in lan.ask("type", typed.hex()))  # type: ignore[misc]
        lan.run(lambda want=end: len(lan.bytes_of("W")) >= want, 600)  # type: ignore[misc]
        assert lan.bytes_of("W")[mark:] == shown
    lan.guest.end()


def reverse(lan: Lan, size: int, lines: int) -> None:
    """The guest's terminal at the peer's host."""
    document = text(size)

    def echo(host: Host, line: bytes) -> None:
        host.write(b"<" + line + b">")
        host.read(b"next: ")

    host = Host(echo, document)
    lan.peer._serve = lambda: host
    lan.ask("connect", str(PEER_NODE))
    lan.run(lambda: lan.said("Q") and lan.said("Q")[-1][2] == "1", 600)  # type: ignore[arg-type,return-value]
    expected = document
    for i in range(lines):
        line = typed_line(i * 11 % 230 + 1, i)
        lan.run(lambda: lan.said("Q")[-1][2] == "1", 600)
        lan.run(lambda typed=line: ("T", "1") in lan.ask("type", typed.hex()))  # type: ignore[misc]
        expected += b"<" + line + b">next: "
        lan.run(lambda want=i + 1: len(host.lines) == want, 600)  # type: ignore[misc]
    lan.run(lambda: len(lan.bytes_of("W")) >= len(expected), 600)
    assert lan.bytes_of("W") == expected
    host.close()
    lan.run(lambda: bool(lan.said("E")), 600)
    assert lan.said("E") == [("E", "0", "0", "1")]


FLOWS = st.sampled_from([NO_FLOW, SEGMENT_FLOW, MESSAGE_FLOW])
LIMITS = settings(max_examples=25, deadline=None)


@LIMITS
@given(
    seed=st.integers(0, 1 << 30), bad=st.sampled_from([0.0, 0.05, 0.2]), flow=FLOWS,
    segment=st.sampled_from([230, 563, 1459]), size=st.integers(0, 9000), lines=st.integers(0, 6),
)  # fmt: skip
def test_terminal_there_on_a_bad_ethernet(
    program: Path, seed: int, bad: float, flow: int, segment: int, size: int, lines: int
) -> None:
    lan = Lan(program, seed, bad, services=flow, segment=segment)
    session(lan, size, lines)
    lan.guest.end()


@LIMITS
@given(
    seed=st.integers(0, 1 << 30), bad=st.sampled_from([0.0, 0.05, 0.2]), flow=FLOWS,
    size=st.integers(0, 9000), lines=st.integers(0, 6),
)  # fmt: skip
def test_terminal_here_on_a_bad_ethernet(
    program: Path, seed: int, bad: float, flow: int, size: int, lines: int
) -> None:
    lan = Lan(program, seed, bad, services=flow)
    reverse(lan, size, lines)
    lan.guest.end()


def test_terminal_that_does_not_read_stops_the_host(make_lan) -> None:  # type: ignore[no-untyped-def]
    lan: Lan = make_lan()
    document = text(12000)
    host = Host(lambda host, line: host.read(), document)
    lan.peer._serve = lambda: host
    lan.ask("show", "100")
    lan.ask("connect", str(PEER_NODE))
    lan.run(lambda: len(lan.bytes_of("W")) == 100)
    stop = lan.now + 200
    lan.run(lambda: lan.now > stop)
    assert lan.bytes_of("W") == document[:100] and host.link is not None
    while len(lan.bytes_of("W")) < len(document):
        lan.ask("show", "777")
        pause = lan.now + 1
        lan.run(lambda until=pause: lan.now > until)  # type: ignore[misc]
    assert lan.bytes_of("W") == document


def test_host_waits_for_a_peer_that_pauses(make_lan) -> None:  # type: ignore[no-untyped-def]
    lan: Lan = make_lan(7, 0.1)
    terminal = log_on(lan)
    assert terminal.link is not None
    terminal.link.pause()
    stop = lan.now + 30
    lan.run(lambda: lan.now > stop)
    document = text(3000)
    lan.ask("write", f"00{document.hex()}")
    stop = lan.now + 200
    lan.run(lambda: lan.now > stop)
    assert not terminal.text
    terminal.link.resume()
    lan.run(lambda: len(terminal.text) >= 3000)
    assert bytes(terminal.text) == document


def test_lan_without_room_is_tried_again_soon(make_lan) -> None:  # type: ignore[no-untyped-def]
    lan: Lan = make_lan()
    terminal = log_on(lan)
    stop = lan.now + 1
    lan.run(lambda: lan.now > stop)
    lan.ask("busy", "7")
    document = text(2500)
    lan.ask("write", f"00{document.hex()}")
    begin = lan.now
    lan.run(lambda: len(terminal.text) >= 2500)
    assert bytes(terminal.text) == document and lan.now - begin < 1.5


def test_read_changes_to_no_echo(make_lan) -> None:  # type: ignore[no-untyped-def]
    lan: Lan = make_lan()
    terminal = log_on(lan)
    lan.ask("read", "0000")
    lan.run(lambda: terminal.reading and not terminal.hidden)
    lan.ask("read", "0001")
    lan.run(lambda: terminal.reading and terminal.hidden)
    terminal.type(b"secret")
    lan.run(lambda: bool(lan.said("L")))
    assert lan.bytes_of("L") == b"secret"
    terminal.attention()
    lan.run(lambda: bool(lan.said("A")))


def test_refusals(make_lan) -> None:  # type: ignore[no-untyped-def]
    lan: Lan = make_lan()
    lan.ask("accept", "0")
    terminal = Terminal()
    lan.peer.connect(VMKB_NODE, terminal, lan.now)
    lan.run(lambda: terminal.reason is not None)
    assert terminal.reason == 6
    other = Terminal()
    link = lan.peer.connect(VMKB_NODE, other, lan.now)
    lan.peer._names = b"\0\x11\1\0\4TEST\0"
    lan.peer.initiate(link)
    lan.run(lambda: other.reason is not None)
    lan.ask("connect", str(PEER_NODE))
    lan.run(lambda: bool(lan.said("E")))
    assert lan.said("E") == [("E", "0", "4", "0")]


def test_nobody_answers(make_lan) -> None:  # type: ignore[no-untyped-def]
    lan: Lan = make_lan()
    lan.cut = True
    begin = lan.now
    lan.ask("connect", str(PEER_NODE))
    lan.run(lambda: bool(lan.said("E")), 60)
    assert lan.said("E") == [("E", "0", "38", "0")] and lan.now - begin < 31


def test_the_other_side_dies_and_returns(make_lan) -> None:  # type: ignore[no-untyped-def]
    lan: Lan = make_lan()
    terminal = log_on(lan)
    lan.peer.links.clear()
    terminal.link = None
    lan.ask("write", "00" + text(500).hex())
    lan.run(lambda: bool(lan.said("D")), 60)
    lan.guest.events.clear()
    lan.peer._next = 1
    again = log_on(lan)
    lan.ask("write", "00" + text(500).hex())
    lan.run(lambda: len(again.text) == 500)


def test_a_cut_link_is_given_up(make_lan) -> None:  # type: ignore[no-untyped-def]
    lan: Lan = make_lan()
    log_on(lan)
    lan.ask("write", "00" + text(500).hex())
    lan.cut = True
    lan.ask("write", "00" + text(500).hex())
    lan.run(lambda: bool(lan.said("D")), 200)


def test_silence_is_asked_about(make_lan) -> None:  # type: ignore[no-untyped-def]
    lan: Lan = make_lan()
    log_on(lan)
    stop = lan.now + 1000
    lan.run(lambda: lan.now > stop, 2000)
    assert not lan.said("D")
    lan.cut = True
    lan.run(lambda: bool(lan.said("D")), 1000)


def test_what_routers_say_is_counted_and_is_not_malformed(make_lan) -> None:  # type: ignore[no-untyped-def]
    lan: Lan = make_lan()
    before = [int(n) for n in lan.ask("counts")[-1][1:]]
    router = packets.hello_frame(PEER_NODE)[:16] + b"\x0b" + bytes(45)
    routing = [packets.hello_frame(PEER_NODE)[:16] + bytes([kind]) + bytes(45) for kind in (7, 9)]
    for frame in (router, *routing, routing[0]):
        lan.ask("frame", frame.hex())
    after = [int(n) for n in lan.ask("counts")[-1][1:]]
    grown = [b - a for a, b in zip(before, after, strict=True)]
    assert grown == [0, 0, 0, 0, 0, 0, 0, 1, 3]


def hostile(lan: Lan, times: int) -> None:
    """A session to learn frames from, then changed copies of them."""
    terminal = log_on(lan)
    lan.ask("read", "0000")
    lan.run(lambda: terminal.reading)
    terminal.type(b"QUERY TIME")
    lan.run(lambda: bool(lan.said("L")))
    lan.peer._serve = lambda: Host(lambda host, line: host.read(), b"hello")
    lan.ask("connect", str(PEER_NODE))
    lan.run(lambda: bool(lan.said("Q")))
    (left,) = lan.ask("fuzz", f"{lan.random.randrange(1 << 20)},{times}")
    assert left == ("X", "0"), "links were left behind"
    counts = [int(n) for n in lan.ask("counts")[-1][1:]]
    assert all(n > times / 1000 for n in (counts[0], counts[1])), counts
    lan.now += 2000
    lan.guest.events.clear()
    lan.guest.frames.clear()
    lan.peer.links.clear()
    again = log_on(lan)
    lan.ask("write", "00" + text(500).hex())
    lan.run(lambda: len(again.text) == 500)


def test_hostile_frames(make_lan) -> None:  # type: ignore[no-untyped-def]
    hostile(make_lan(3), 20000)


@pytest.mark.slow
def test_a_million_hostile_frames(make_lan) -> None:  # type: ignore[no-untyped-def]
    hostile(make_lan(4), 1_000_000)


def test_short_headers_and_padding_are_understood(make_lan) -> None:  # type: ignore[no-untyped-def]
    lan: Lan = make_lan()
    message = packets.encode(
        packets.Message(packets.CI, 0, 77, segment=563, body=b"\0\x2a\1\0\1A\0")
    )
    short = b"\x02" + VMKB_NODE.to_bytes(2, "little") + PEER_NODE.to_bytes(2, "little") + b"\0"
    frame = packets.ethernet(
        packets.mac(VMKB_NODE), packets.mac(PEER_NODE), b"\x83\0\0" + short + message
    )
    lan.guest.ask("frame", lan.now, frame.hex())
    kinds = [packets.decode(opened[1]).type for f in lan.guest.frames
             if (opened := packets.open_frame(f, PEER_NODE))]  # fmt: skip
    assert kinds == [packets.CA, packets.CC]
