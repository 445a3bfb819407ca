# SPDX-License-Identifier: MIT
"""RTMSF on the real guest: its screen, answers to other users, log on disk, and vmkb monitor."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from operator import methodcaller
from pathlib import Path

import pytest

from tests.narrow import a_record
from vmkb.accounting.input.scan import scan
from vmkb.hercules.emulator.boot import boot, open_session, shut_down
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest
from vmkb.hercules.tn3270.screen import Screen, Status
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.tn3270.terminal import Terminal

pytestmark = pytest.mark.e2e

WITHIN = 15.0
SYSTEM = "PROCESSOR %"


@pytest.fixture
def machine(emulator_needed: None, tmp_path: Path) -> Iterator[Hercules]:
    with boot(load_guest("vmkb"), tmp_path / "run") as running:
        yield running


def logon(machine: Hercules, device: int) -> UserSession:
    """RTMSF at a terminal, its full screen on it."""
    session = open_session(load_guest("vmkb"), machine, device)
    session.begin()
    for typed, answer in (("LOGON RTMSF", "ENTER PASSWORD"), ("RTMSF", "COMMAND ===>")):
        session.terminal.type(typed)
        session.terminal.enter()
        session.terminal.wait(methodcaller("has", answer), WITHIN, answer)
    return session


def give(terminal: Terminal, command: str, expected: str) -> str:
    """Type on the command line; the screen once it has what is EXPECTED."""
    terminal.type(command)
    terminal.enter()
    return terminal.wait(lambda s: s.has(expected), WITHIN, expected).text()


def disconnect(session: UserSession) -> None:
    """From the full screen to line mode, and away."""
    session.terminal.pf(3)
    session.terminal.wait(lambda s: s.has("LINE MODE"), WITHIN, "line mode")
    session.terminal.type("#CP DISCONNECT")
    session.terminal.enter()
    logo = session.conventions.logo
    session.terminal.wait(lambda s: s.is_logo(logo), WITHIN, "the logo")
    session.close()


def vmkb(machine: Hercules, *options: str) -> list[str]:
    run = str(machine.run_dir)
    return [sys.executable, "-m", "vmkb.workloads.cli", "monitor", "--run", run, *options]


def test_the_screen_its_commands_and_keys(machine: Hercules) -> None:
    session = logon(machine, 0x700)
    terminal = session.terminal
    give(terminal, "set interval 1", "INTERVAL 1 S, LOG OFF, CONSOLE OFF")
    terminal.wait(lambda s: s.has("LAST INTERVALS"), WITHIN, "an interval")
    assert len(terminal.screen.rows) == 24

    def adds_up(screen: Screen) -> bool:
        said = {row[1:21].strip(): row[21:40].split() for row in screen.rows}
        names = ("CPU BUSY", "WAIT", "RTMSF ITSELF")
        if not all(said.get(name) for name in names):
            return False
        busy, wait, itself = (float(said[name][0]) for name in names)
        return 99.0 <= busy + wait <= 101.0 and itself <= busy + 0.01

    # not in a second of which a busy host took a part between the accounts and the clock, or
    # between the system's account and RTMSF's own, which are read one after the other; nor on a
    # screen that is just being written
    terminal.wait(adds_up, WITHIN, "the accounts to add up to elapsed time within 1 %")
    screen = terminal.screen
    terminal.type("d s")  # what is being typed outlives the next samples
    first = screen.rows[0]
    terminal.wait(lambda s: s.rows[0] != first, WITHIN, "the next sample")
    assert terminal.screen.rows[22].strip() == "COMMAND ===> d s"
    terminal.erase_input()
    terminal.pf(10)
    terminal.wait(lambda s: s.has("USERID") and s.has("OPERATOR"), WITHIN, "the users")
    terminal.pf(11)
    terminal.wait(lambda s: s.has("VMKB01"), WITHIN, "the devices")
    assert terminal.screen.has("LINES 1 TO 19 OF")
    terminal.pf(8)
    terminal.wait(lambda s: s.has("LINES 20 TO"), WITHIN, "the second page")
    terminal.pf(1)
    terminal.wait(lambda s: s.has("LEAST ABBREVIATION"), WITHIN, "help")
    assert "UNKNOWN COMMAND - FROB" in give(terminal, "frob", "RTMCMD001E")
    give(terminal, "d u nosuch", "NOSUCH WAS NOT LOGGED ON")
    terminal.clear()
    terminal.wait(lambda s: s.has("COMMAND ===>"), WITHIN, "the screen after CLEAR")
    give(terminal, "d s", SYSTEM)
    terminal.pf(3)
    terminal.wait(lambda s: s.status is Status.RUNNING, WITHIN, "line mode")
    terminal.type("screen")
    terminal.enter()
    terminal.wait(lambda s: s.has(SYSTEM), WITHIN, "the full screen again")
    disconnect(session)


def test_other_users_ask_by_smsg_and_the_log_is_read_back(machine: Hercules) -> None:
    with open_session(load_guest("vmkb"), machine, 0x701) as user:
        user.logon("VMUSER1", "VMUSER1")
        session = logon(machine, 0x700)
        give(session.terminal, "set interval 1", "INTERVAL 1 S")
        give(session.terminal, "set log on", "LOG ON RTMSF LOG")
        give(session.terminal, "d u", "VMUSER1 ")
        for _ in range(5):
            user.command("QUERY DISK")
        worked = r"VMUSER1 +\d+\.\d\d .* [1-9]\d*\.\d +2048 "
        session.terminal.wait(
            lambda s: re.search(worked, s.text()) is not None, WITHIN, "console lines of VMUSER1"
        )
        disconnect(session)  # it goes on without a terminal
        terminal = user.terminal

        def ask(what: str, answer: str) -> None:
            terminal.type(f"CP SMSG RTMSF {what}")
            terminal.enter()
            user.expect(answer, WITHIN)

        ask("DISPLAY USER VMUSER1", "MSG FROM RTMSF   : VMUSER1  TOT ")
        ask("SET INTERVAL 2", "RTMCMD004E ONLY OPERATOR AND MAINT MAY SET")
        ask("FROB", "RTMCMD001E UNKNOWN COMMAND - FROB")
        user.logoff()
    with open_session(load_guest("vmkb"), machine, 0x702) as maint:
        maint.logon("MAINT", "MAINT")
        maint.terminal.type("CP SMSG RTMSF SET LOG OFF")
        maint.terminal.enter()
        maint.expect("LOG OFF, CONSOLE OFF", WITHIN)
        maint.logoff()
    shut_down(load_guest("vmkb"), machine)
    extract = ["extract", str(machine.run_dir / "vmkb.fba"), "RTMSF", "191", "RTMSF", "LOG"]
    got = subprocess.run(
        [sys.executable, "-m", "vmkb.guests.vmkb.disk", *extract],
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    found = [a_record(item) for item in scan([got.stdout])]
    systems = [item for item in found if item.kind == "rtm_system"]
    users = [item for item in found if item.kind == "rtm_user"]
    assert systems and users
    for one in systems:
        total = one.value("cpu").value + one.value("wait").value
        assert 98.5 <= total <= 101.5
    assert {"RTMSF", "OPERATOR", "VMUSER1"} <= {item.word("userid") for item in users}
    assert any(u.word("userid") == "VMUSER1" and u.value("console").value > 0 for u in users)
    assert all(u.value("cpu").value >= u.value("virt").value for u in users)


def test_vmkb_monitor_counts_logs_and_leaves_all_as_it_was(
    machine: Hercules, tmp_path: Path
) -> None:
    log = tmp_path / "monitor.log"
    command = vmkb(machine, "--interval", "1", "--count", "2", "--log", str(log))
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    heads = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert len(heads) == 2 and all(re.match(r"\d\d:\d\d:\d\d CPU ", line) for line in heads)
    assert sum("  RTMSF " in line for line in done.stdout.splitlines()) == 2
    assert [a_record(item).kind for item in scan([log.read_bytes()])].count("rtm_system") == 2
    machine.wait_log(r"LOGOFF\s+AS RTMSF", WITHIN)  # it was not logged on before

    session = logon(machine, 0x700)
    give(session.terminal, "set interval 2", "INTERVAL 2 S")
    disconnect(session)
    live = subprocess.Popen(
        vmkb(machine, "--interval", "1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert live.stdout is not None
    assert "CPU" in live.stdout.readline()
    os.kill(live.pid, signal.SIGINT)
    _, errors = live.communicate(timeout=30)
    assert (live.returncode, errors) == (0, "")
    session = open_session(load_guest("vmkb"), machine, 0x700)
    with session:
        session.logon("RTMSF", "RTMSF")  # still there: disconnected, as it was left before
        session.terminal.type("query")
        session.terminal.enter()
        session.expect("INTERVAL 2 S, LOG OFF, CONSOLE OFF", WITHIN)


def test_vmkb_monitor_without_a_guest_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "vmkb.workloads.cli", "monitor", "--run", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3
    assert "start it with vmkb boot vmkb" in done.stderr
