# SPDX-License-Identifier: MIT
from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import IO

import pytest

from tests.peers.host3270 import Host3270, page_write, status_write
from vmkb.hercules.deadline import Deadline, EmulatorError, Timeout
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.tn3270.screen import OUTPUT_ROWS, Status
from vmkb.hercules.tn3270.terminal import Terminal

Answer = Callable[[str, str], list[bytes]]
Starter = Callable[[bytes, Answer], tuple[Host3270, Terminal]]
WITHIN = 30.0
"""Seconds of a wait that ends at once, also where the computer is busy."""


@pytest.fixture
def start(emulator_needed: None) -> Iterator[Starter]:
    made: list[tuple[Host3270, Terminal]] = []

    def begin(first: bytes, answer: Answer) -> tuple[Host3270, Terminal]:
        host = Host3270(first, answer)
        terminal = Terminal(log=lambda: ("a log line",))
        made.append((host, terminal))
        terminal.connect(host.port)
        return host, terminal

    yield begin
    for host, terminal in made:
        terminal.close()
        host.close()


def is_status(status: Status) -> Callable[[object], bool]:
    return lambda screen: getattr(screen, "status", None) is status


def test_type_enter_and_read(start: Starter) -> None:
    def answer(key: str, text: str) -> list[bytes]:
        return [page_write([text, "an answer"], "VM READ")]

    host, terminal = start(page_write(["hello"], "VM READ"), answer)
    terminal.wait(is_status(Status.VM_READ), WITHIN, "VM READ")
    terminal.type('say "a\\b" [x] ^ {~}')
    terminal.enter()
    screen = terminal.read()
    assert host.keys == [("ENTER", 'say "a\\b" [x] ^ {~}')]
    assert screen.lines[1] == "an answer"
    assert terminal.transcript.lines[0] == "hello"


def test_keys_reach_the_host(start: Starter) -> None:
    host, terminal = start(page_write([], "RUNNING"), lambda key, text: [status_write("RUNNING")])
    terminal.wait(is_status(Status.RUNNING), WITHIN, "RUNNING")
    terminal.pf(3)
    terminal.pa(1)
    terminal.clear()
    terminal.enter()
    assert [key for key, _ in host.keys] == ["PF3", "PA1", "CLEAR", "ENTER"]


def test_output_that_comes_later_ends_the_wait_at_once(start: Starter) -> None:
    host, terminal = start(page_write([], "RUNNING"), lambda key, text: [])
    terminal.wait(is_status(Status.RUNNING), WITHIN, "RUNNING")
    host.send(page_write(["late"], "VM READ"))
    began = time.monotonic()
    assert terminal.wait(lambda s: s.has("late"), 2 * WITHIN, "late").status is Status.VM_READ
    assert time.monotonic() - began < WITHIN


def test_a_wait_ends_at_its_deadline_with_screen_and_log(start: Starter) -> None:
    _, terminal = start(page_write(["stuck here"], "RUNNING"), lambda key, text: [])
    began = time.monotonic()
    with pytest.raises(Timeout) as error:
        terminal.wait(lambda screen: screen.has("never"), 0.3, "the word never")
    assert 0.3 <= time.monotonic() - began < WITHIN
    assert f"Waited {error.value.elapsed:.2f} s for the word never" in str(error.value)
    assert "stuck here" in str(error.value) and "a log line" in str(error.value)
    # The session is still of use after a Timeout.
    assert terminal.read().has("stuck here")


def test_full_pages_are_recorded_and_cleared(start: Starter) -> None:
    pages = [[f"page {n} line {m}" for m in range(OUTPUT_ROWS)] for n in range(3)]
    rest = iter(pages[1:])

    def answer(key: str, text: str) -> list[bytes]:
        page = next(rest, None)
        return [page_write(page, "MORE...") if page else page_write(["the end"], "VM READ")]

    host, terminal = start(page_write(pages[0], "MORE..."), answer)
    terminal.wait(is_status(Status.VM_READ), WITHIN, "VM READ")
    assert host.keys == [("PA2", "")] * 3
    assert terminal.transcript.lines == [*sum(pages, []), "the end"]


def test_pages_of_equal_lines_are_counted_and_an_ignored_key_counts_nothing(
    start: Starter,
) -> None:
    page = ["the same"] * OUTPUT_ROWS
    answers = iter(
        [
            status_write("MORE..."),
            page_write(page, "MORE..."),
            page_write(["the end"], "VM READ"),
        ]
    )
    host, terminal = start(page_write(page, "MORE..."), lambda key, text: [next(answers)])
    terminal.wait(is_status(Status.VM_READ), WITHIN, "VM READ")
    assert len(host.keys) == 3
    assert terminal.transcript.lines == [*page, *page, "the end"]


def test_without_page_through_the_page_stays(start: Starter) -> None:
    host, terminal = start(page_write(["x"] * OUTPUT_ROWS, "MORE..."), lambda key, text: [])
    terminal.page_through = False
    terminal.wait(is_status(Status.MORE), WITHIN, "MORE...")
    assert host.keys == []


def test_a_host_that_hangs_up_is_said(start: Starter) -> None:
    host, terminal = start(page_write(["x"], "RUNNING"), lambda key, text: [])
    terminal.wait(is_status(Status.RUNNING), WITHIN, "RUNNING")
    host.close()
    with pytest.raises(EmulatorError, match="disconnected while waiting for the end"):
        terminal.wait(lambda screen: False, WITHIN, "the end")
    with pytest.raises(EmulatorError, match=r"ENTER|cannot be typed"):
        terminal.enter()


def test_a_port_where_nobody_listens_is_said(emulator_needed: None) -> None:
    with Terminal() as terminal, pytest.raises(EmulatorError, match="terminal 0700 on port 1;"):
        terminal.connect(1, 0x700)


def test_only_printable_text_and_real_keys(emulator_needed: None) -> None:
    with Terminal() as terminal:
        for bad in ("a\nb", "\x1b"):
            with pytest.raises(ValueError, match="printable"):
                terminal.type(bad)
        with pytest.raises(ValueError, match="PF25"):
            terminal.pf(25)
        with pytest.raises(ValueError, match="PA0"):
            terminal.pa(0)


def test_hercules_gives_the_device_that_is_asked_for(bare_machine: Hercules) -> None:
    with Terminal() as terminal:
        terminal.connect(bare_machine.console_port, 0x702)
        assert terminal.connected
        assert terminal.screen.has("0702")
        bare_machine.wait_log("0702", 5)


def test_a_record_without_end_fills_nothing_and_is_told(start: Starter) -> None:
    """s3270 keeps a record until it ends, however long it becomes."""
    host, terminal = start(page_write(["hello"], "VM READ"), lambda key, text: [])
    terminal.wait(is_status(Status.VM_READ), WITHIN, "VM READ")
    flood = threading.Thread(target=host.flood, daemon=True)
    flood.start()
    with pytest.raises(EmulatorError, match="a record without end: s3270 held 64 MB"):
        terminal.wait(is_status(Status.RUNNING), WITHIN, "RUNNING")
    flood.join(WITHIN)
    assert not flood.is_alive()


@pytest.mark.parametrize("at", ["write", "flush"])
def test_after_an_interrupt_the_answers_are_those_of_their_actions(
    start: Starter, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """A Ctrl-C comes behind either call that tells s3270 to do something."""
    _, terminal = start(page_write(["hello"], "RUNNING"), lambda key, text: [])
    terminal.wait(is_status(Status.RUNNING), WITHIN, "RUNNING")
    pipe = terminal._process.stdin
    assert pipe is not None
    interrupted = Interrupted(pipe, at)
    with monkeypatch.context() as patched:
        patched.setattr(terminal._process, "stdin", interrupted)
        with pytest.raises(KeyboardInterrupt):
            terminal.action("Wait(1,Output)", Deadline(WITHIN))
    for _ in range(3):
        assert terminal.read().has("hello")


class Interrupted:
    """A pipe during whose call a Ctrl-C comes."""

    def __init__(self, pipe: IO[bytes], at: str) -> None:
        self.pipe, self.at = pipe, at

    def write(self, line: bytes) -> None:
        self._call("write", lambda: self.pipe.write(line))

    def flush(self) -> None:
        self._call("flush", self.pipe.flush)

    def _call(self, name: str, act: Callable[[], object]) -> None:
        act()
        if name == self.at:
            raise KeyboardInterrupt
