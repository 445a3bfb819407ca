# SPDX-License-Identifier: MIT
"""SET HOST between two VM/KBs, and with the Python node: sessions, their frames, refusals."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.sethost_guest import (
    FAR,
    NEAR,
    NODES,
    PYTHON_NODE,
    Pair,
    Visitor,
    counts,
    pair,
    password,
    user,
)
from tests.peers.decnet.cterm import Host, Terminal
from tests.peers.decnet.node import WireNode
from tests.peers.decnet.packets import address
from vmkb.guests.contents import document

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def systems(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """The two systems, for all tests of this file; each has users of its own."""
    with pair(tmp_path_factory.mktemp("sethost") / "pair") as running:
        yield running


def test_session_of_a_3270(systems: Pair, tmp_path: Path) -> None:
    capture = tmp_path / "session.pcapng"
    systems.wire.start_capture(capture)
    visitor = Visitor(systems, 1)
    visitor.set_host()
    visitor.logon()
    assert any(line.startswith("TIME IS") for line in visitor.command("CP QUERY TIME"))
    shown = visitor.command("TYPE DOC1K TEXT E")
    wanted = [line.rstrip() for line in document(1024).splitlines()]
    assert [line for line in shown if line] == [line for line in wanted if line]
    mark = visitor.console.type("LOGOFF")
    visitor.wait("CONTROL RETURNED TO NODE LNS53", mark)
    assert any("TIME IS" in line for line in visitor.console.ask("QUERY TIME"))
    assert password(1) not in "".join(visitor.console.lines)
    said = counts(visitor.console)
    assert said["MALFORMED"] == said["VIOLATIONS"] == 0
    systems.wire.stop_capture()
    decoded(capture)


def decoded(capture: Path) -> None:
    """tshark's DECnet dissector finds data of ours and nothing malformed."""
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    done = subprocess.run(
        ["tshark", "-r", capture, "-Y", "dec_dna", "-T", "fields", "-e", "dec_dna.nsp.msg_type",
         "-e", "_ws.malformed"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert len(lines) > 20
    assert not [line for line in lines if "alformed" in line]


def test_what_the_user_gets_wrong(systems: Pair) -> None:
    console = systems.console("LNS53", 0x0711)
    console.logon(user(2), password(2))
    ask = console.ask
    assert ask("SET HOST NOWHERE")[0].startswith("DMKDNT053E NODE NOWHERE NOT KNOWN")
    assert ask("SET HOST LNS53")[0].startswith("DMKDNT054E NODE LNS53 IS THIS SYSTEM")
    assert ask("SET HOST")[0].startswith("DMKCFS026E")
    assert ask("SET HOST CLE750 NOW")[0].startswith("DMKCFS003E INVALID OPTION - NOW")
    assert "NODE CLE750 1.2" in ask("QUERY DECNET")


def test_attention_twice_comes_back(systems: Pair) -> None:
    visitor = Visitor(systems, 3)
    visitor.set_host()
    visitor.logon()
    terminal = visitor.console.session.terminal
    mark = len(visitor.console.lines)
    terminal.pa(1)
    terminal.pa(1)
    visitor.wait("CONTROL RETURNED TO NODE LNS53: ATTENTION", mark)
    far = systems.console(FAR, 0x0700)
    far.logon("WHEEL")
    assert far.ask(f"QUERY {user(3)}") == [f"{user(3)}     - DSC"]


def on_python_node(systems: Pair, name: str, work, serve=None) -> None:  # type: ignore[no-untyped-def]
    """`work(node)` with the Python node on the wire."""

    async def run() -> None:
        async with WireNode(systems.wire.add_stream(name), PYTHON_NODE, serve) as node:
            await work(node)

    try:
        asyncio.run(run())
    finally:
        systems.wire.remove(name)


class Typist:
    """A person at the Python node's terminal."""

    def __init__(self, node: WireNode, to: str) -> None:
        self.terminal = Terminal()
        self.node = node
        node.node.connect(address(NODES[to]), self.terminal, node.node.now)

    async def shows(self, text: str, since: int = 0) -> None:
        """Wait until `text` was shown and the next line is asked for."""
        shown = self.terminal.text
        await self.node.until(
            lambda: text.encode() in shown[since:] and self.terminal.reading, 20, repr(text)
        )

    async def types(self, line: str, answer: str) -> str:
        """Type a line and wait for `answer`; what was shown."""
        mark = len(self.terminal.text)
        self.terminal.type(line.encode())
        await self.shows(answer, mark)
        return self.terminal.text[mark:].decode("latin-1")

    async def logon(self, n: int) -> None:
        """Log on where the terminal is now; the password must not be echoed."""
        await self.types(f"LOGON {user(n)}", "ENTER PASSWORD:")
        assert self.terminal.hidden
        await self.types(password(n), "Ready;")
        await self.types("ACCESS 19E E", "Ready;")

    async def ended(self) -> None:
        """Log off and wait for the end of the session."""
        self.terminal.type(b"LOGOFF")
        await self.node.until(lambda: self.terminal.reason is not None, 20, "the end")
        assert self.terminal.events == ["unbind"]


def same_document(shown: str, size: int) -> None:
    """What TYPE showed is the document; blank lines apart."""
    wanted = [line.rstrip() for line in document(size).splitlines() if line.strip()]
    assert [line for line in shown.split("\r\n") if line][: len(wanted)] == wanted


def test_python_terminal_logs_on(systems: Pair) -> None:
    async def work(node: WireNode) -> None:
        person = Typist(node, FAR)
        await person.shows("VM/KB NODE CLE750 ONLINE")
        await person.logon(4)
        same_document(await person.types("TYPE DOC10K TEXT E", "Ready;"), 10240)
        await person.ended()
        assert person.terminal.typed_into == [False, True, False, False, False]

    on_python_node(systems, "py1", work)


def test_from_node_to_node(systems: Pair) -> None:
    """A logical terminal of LNS53 goes on to CLE750: two sessions in a row."""

    async def work(node: WireNode) -> None:
        person = Typist(node, NEAR)
        await person.shows("VM/KB NODE LNS53 ONLINE")
        await person.logon(5)
        await person.types("CP SET HOST CLE750", "VM/KB NODE CLE750 ONLINE")
        await person.logon(6)
        same_document(await person.types("TYPE DOC100K TEXT E", "Ready;"), 102400)
        await person.types("LOGOFF", "CONTROL RETURNED TO NODE LNS53")
        await person.shows("Ready;")
        assert "TIME IS" in await person.types("CP QUERY TIME", "Ready;")
        await person.ended()

    on_python_node(systems, "py3", work)


def test_terminal_here_at_the_python_host(systems: Pair) -> None:
    hosts: list[Host] = []

    def answer(host: Host, line: bytes) -> None:
        if line == b"bye":
            host.close()
        else:
            host.write(b"You said " + line + b"\r\n")
            host.read(b"more? ")

    def serve() -> Host:
        hosts.append(Host(answer, b"Hello from Python\r\n"))
        return hosts[-1]

    async def work(node: WireNode) -> None:
        await asyncio.to_thread(use)

    def use() -> None:
        console = systems.console("LNS53", 0x0710)
        console.logon("WHEEL")
        terminal = console.session.terminal

        def wait(text: str, mark: int) -> None:
            terminal.wait(
                lambda screen: any(text in line for line in console.lines[mark:]), 20, repr(text)
            )

        mark = console.type("SET HOST PYNODE")
        wait("Hello from Python", mark)
        mark = console.type("one and two")
        wait("You said one and two", mark)
        mark = console.type("bye")
        wait("CONTROL RETURNED", mark)

    on_python_node(systems, "py2", work, serve)
    assert hosts[0].lines == [b"one and two", b"bye"]


TERMINALS = 40


@pytest.mark.slow
def test_many_terminals_get_the_same(tmp_path: Path) -> None:
    rates = []

    async def work(node: WireNode) -> None:
        people = [Typist(node, FAR) for _ in range(TERMINALS)]

        async def one(n: int, person: Typist) -> None:
            await person.shows("ONLINE")
            await person.logon(n)
            begin = time.monotonic()
            same_document(await person.types("TYPE DOC100K TEXT E", "Ready;"), 102400)
            rates.append(1 / (time.monotonic() - begin))
            await person.ended()

        await asyncio.gather(*(one(n, person) for n, person in enumerate(people, 1)))

    with pair(tmp_path / "pair", TERMINALS) as systems:
        on_python_node(systems, "many", work)
    assert sum(rates) ** 2 / (len(rates) * sum(r * r for r in rates)) >= 0.95  # Jain's index
