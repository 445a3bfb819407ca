# SPDX-License-Identifier: MIT
"""vmkb lat: a person's window, and a pseudo-terminal, as LAT terminals of the booted guest."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from vmkb.hercules.deadline import patient, wait_until
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest
from vmkb.hercules.wire.client import WireClient, WireError
from vmkb.hercules.wire.held import join_lan

if TYPE_CHECKING:
    from pexpect import spawn

pexpect = pytest.importorskip("pexpect")
pytestmark = [pytest.mark.e2e, pytest.mark.both]

WITHIN = 15
READY = r"\r\nReady; T=[^\r]*\r\n"
COMMAND = """\
import sys
from pathlib import Path
import vmkb.hercules.emulator.boot
runs = Path(sys.argv.pop(1))
vmkb.hercules.emulator.boot.run_dir = lambda guest: runs / guest
from vmkb.workloads.cli.main import main
main()
"""
"""The command as it is installed, but for where `vmkb boot` keeps what runs."""


class Runs:
    """A folder for what `vmkb boot` starts, and the commands that look there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sessions: list[spawn] = []

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-c", COMMAND, str(self.folder), *args]

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(*args), capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, check=False)  # fmt: skip

    def lat(self, *args: str) -> spawn:
        """`vmkb lat` in a window of its own."""
        program, *words = self.command("lat", *args)
        child = pexpect.spawn(program, words, timeout=patient(WITHIN), encoding="utf-8")
        child.delaybeforesend = None
        self.sessions.append(child)
        return child

    @property
    def machine(self) -> Hercules:
        machine = Hercules.attach(self.folder / "vmkb")
        assert machine is not None
        return machine

    def lan(self) -> WireClient:
        """The control channel of the guest's wire."""
        return join_lan("vmkb", self.folder / "vmkb")

    def wait_no_lan(self) -> None:
        """Wait until the guest's wire has ended."""

        def ended() -> bool:
            with contextlib.suppress(WireError):
                self.lan().close()
                return False
            return True

        wait_until(ended, WITHIN, "the wire's end")


@pytest.fixture
def runs(tmp_path: Path, emulator_needed: None) -> Iterator[Runs]:
    runs = Runs(tmp_path)
    try:
        yield runs
    finally:
        runs.run("stop")
        for child in runs.sessions:
            child.close(force=True)


@pytest.fixture
def booted(runs: Runs) -> Runs:
    said = runs.run("boot", "--no-network", "--parm", "NODE=LNS53")
    assert said.returncode == 0, said.stderr
    assert "vmkb lat" in said.stdout
    return runs


def logon(child: spawn, user: str) -> None:
    child.expect_exact("VM/KB ONLINE")
    child.send(f"logon {user}\r")
    child.expect_exact("ENTER PASSWORD")
    child.send(f"{user}\r")
    child.expect(READY)


def ended(child: spawn) -> int:
    """Wait for its end; the exit code."""
    child.expect(pexpect.EOF)
    child.close()
    code = child.exitstatus
    assert code is not None, child
    return int(code)


def test_a_person_logs_on_reads_and_logs_off(booted: Runs) -> None:
    child = booted.lat()
    child.expect_exact("LNS53 at 9600 baud; Ctrl-] q leaves.")
    logon(child, "vmuser1")
    begun = time.monotonic()
    child.send("type costs text y\r")
    child.expect(READY, timeout=60)
    shown = child.before
    source = load_guest("vmkb").folder / "volume" / "docs" / "costs.text"
    assert shown == "type costs text y\r\n" + "".join(
        f"{line.rstrip()}\r\n" for line in source.read_text().splitlines()
    ).removesuffix("\r\n"), shown
    assert time.monotonic() - begun > len(shown) / 960 * 0.9, "faster than the line"
    child.send("\x03")  # attention: CP READ
    child.expect_exact("!")
    child.send("query time\r")
    child.expect_exact("TIME IS")
    child.send("begin\rlogoff\r")
    assert ended(child) == 0
    assert "LNS53: user disconnect." in child.before
    with contextlib.closing(booted.lan()) as lan:
        assert list(lan.ports()) == ["guest"]


def test_who_leaves_is_disconnected_and_comes_back(booted: Runs) -> None:
    child = booted.lat("lns53", "--baud", "38400")
    child.expect_exact("LNS53 at 38400 baud")
    logon(child, "vmuser2")
    child.send("\x1dz")
    child.expect_exact("[Ctrl-] q leaves; Ctrl-] Ctrl-] types Ctrl-]]")
    child.send("\x1dq")
    assert ended(child) == 0
    child = booted.lat()
    child.expect_exact("VM/KB ONLINE")
    child.send("logon vmuser2\r")
    child.expect_exact("ENTER PASSWORD")
    child.send("vmuser2\r")
    child.expect_exact("RECONNECTED AT")
    child.send("query lat\r")
    child.expect("DUPLICATES.*MALFORMED")
    assert child.before.count("CIRCUIT ") == 1, "the first server's circuit was left behind"
    child.send("begin\rlogoff\r")
    assert ended(child) == 0


def test_a_window_that_takes_no_output_stops_its_own_user(booted: Runs) -> None:
    child = booted.lat("--baud", "115200")
    logon(child, "vmuser1")
    child.send("\x13")
    for _ in range(6):
        child.send("type costs text y\r")
    with pytest.raises(pexpect.TIMEOUT):
        child.expect_exact("WHERE THE TIME", timeout=0.5)
    other = booted.lat("--baud", "115200")
    logon(other, "vmuser2")
    other.send("cp query lat\r")
    other.expect(r"VMUSER1 +CREDITS 000 GRANTED \d WAITING (\d{4})")
    assert int(other.match[1]) > 2000, "the window's program took it, not the host kept it"
    other.expect(READY)
    child.send("\x11")
    for _ in range(6):
        child.expect_exact("WHERE THE TIME")
        child.expect(READY)
    for each in (child, other):
        each.send("logoff\r")
        assert ended(each) == 0


def test_a_window_that_is_closed_ends_the_session(booted: Runs) -> None:
    child = booted.lat()
    logon(child, "vmuser1")
    child.ptyproc.fileobj.close()  # the window: a hangup, and nothing to read any more
    child.ptyproc.closed = child.closed = True
    wait_until(lambda: not child.isalive(), WITHIN, "vmkb lat to end")
    child = booted.lat()
    logon(child, "vmuser2")
    child.send("cp query lat\r")
    child.expect(READY)
    assert child.before.count("CIRCUIT ") == 1, child.before
    child.send("cp query vmuser1\r")
    child.expect(READY)
    assert re.search(r"VMUSER1 +- DSC", child.before), child.before
    child.send("logoff\r")
    assert ended(child) == 0


def test_a_guest_that_ends_under_it(booted: Runs) -> None:
    """By vmkb stop, and by the death of the emulator; no wire is left behind."""
    child = booted.lat()
    logon(child, "vmuser1")
    assert booted.run("stop").returncode == 0
    assert ended(child) == 3
    # The emulator may be gone before the guest's last frame is out.
    assert re.search("ended: the (host ended the circuit|LAN is gone)", child.before)
    booted.wait_no_lan()
    assert booted.run("boot").returncode == 0
    child = booted.lat()
    logon(child, "vmuser1")
    booted.machine.kill()
    assert ended(child) == 3
    assert "the LAN is gone" in child.before
    booted.wait_no_lan()


def test_what_is_not_there_is_said(runs: Runs) -> None:
    child = runs.lat()
    assert ended(child) == 3
    assert "Guest 'vmkb' is not running; start it with vmkb boot vmkb." in child.before
    with boot(load_guest("vmkb"), runs.folder / "vmkb"):
        child = runs.lat()
        assert ended(child) == 3
        assert "Guest 'vmkb' is on no LAN" in child.before
    assert runs.run("boot").returncode == 0
    child = runs.lat("nowhere")
    assert ended(child) == 3
    assert "No node NOWHERE answers; there is VMKB." in child.before
    said = runs.run("lat")
    assert said.returncode == 2
    assert "vmkb lat needs a terminal" in said.stderr


class Serial:
    """A program that uses a serial line: what `screen` and `cu` do, without them."""

    def __init__(self, path: str) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        self.text = ""

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def expect(self, text: str) -> None:
        """Wait for `text`; it and what was before it are gone then."""

        def found() -> bool:
            if select.select([self.fd], [], [], 0)[0]:
                self.text += os.read(self.fd, 4096).decode("latin-1")
            return text in self.text

        wait_until(found, WITHIN, repr(text), screen=lambda: self.text.splitlines())
        self.text = self.text.split(text, 1)[1]

    def close(self) -> None:
        os.close(self.fd)


@pytest.fixture
def serial(booted: Runs) -> Iterator[tuple[str, Callable[[], int]]]:
    """The path of a pseudo-terminal that vmkb lat --pty serves, and what Ctrl-C ends it with."""
    with subprocess.Popen(
        booted.command("lat", "--pty"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        path = process.stdout.readline().strip()
        assert process.stderr.readline().startswith("RETURN there begins a session with LNS53")

        def interrupt() -> int:
            process.send_signal(signal.SIGINT)
            return process.wait(WITHIN)

        yield path, interrupt
        process.kill()


def test_a_pseudo_terminal_is_a_serial_line(
    booted: Runs, serial: tuple[str, Callable[[], int]]
) -> None:
    """Programs come and go, sessions too; Ctrl-C ends it."""
    path, interrupt = serial
    line = Serial(path)
    line.expect("[LNS53; RETURN begins a session]")
    line.type("\r")
    line.expect("VM/KB ONLINE")
    line.type("logon vmuser1\r")
    line.expect("ENTER PASSWORD")
    line.type("vmuser1\r")
    line.expect("\nReady; T=")
    line.close()
    line = Serial(path)
    line.type("query time\r")
    line.expect("TIME IS")
    line.expect("\nReady; T=")
    line.type("logoff\r")
    line.expect("[LNS53: user disconnect; RETURN begins a session]")
    line.type("\r")
    line.expect("VM/KB ONLINE")
    line.type("logon vmuser1\r")
    line.expect("ENTER PASSWORD")
    line.type("vmuser1\r")
    line.expect("\nReady; T=")
    assert interrupt() == 0
    line.close()
    with contextlib.closing(booted.lan()) as lan:
        assert list(lan.ports()) == ["guest"]
