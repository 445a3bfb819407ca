# SPDX-License-Identifier: MIT
"""vmkb boot: each line that it prints works as it stands, in people's own clients."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.boot_guest import Boots, boots, uses
from vmkb.hercules.deadline import patient, wait_until
from vmkb.hercules.emulator.boot import open_session
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.tn3270.terminals import LOG, shows

if TYPE_CHECKING:
    from pexpect import spawn

pexpect = pytest.importorskip("pexpect")
pytestmark = pytest.mark.e2e

WITHIN = 20
AT_ONCE = 20
ROBOTS, LOGONS = 8, 15
CROWD, SEATS = 16, 1600
"""Hercules 3.13 mixed up the end of one terminal and the beginning of the next four times in a
thousand."""
USER = "VMUSER6"
FASTER = 0.01
"""Hercules' toddrag: the guest's clock runs 100 times as fast, its quarter of an hour is 9 s."""
BANNERS = 150
"""passt of Debian 12 hung after about a hundred, when it was given all segments at once."""


class Booted:
    """A guest that vmkb boot has started, and what that printed."""

    def __init__(self, both: Boots, printed: str) -> None:
        self.both = both
        self.printed = printed
        self.uses = uses(printed)
        self.url = self.uses["FTP curl"].split()[1]
        self.ftp_port = int(self.url.rsplit(":", 1)[1].strip("/"))

    def curl(self, *args: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(["curl", "-sS", "-m", str(WITHIN), *args], capture_output=True,
                              check=False)  # fmt: skip

    @contextmanager
    def machine(self) -> Iterator[Hercules]:
        machine = Hercules.attach(self.both.folder)
        assert machine is not None
        with closing(machine.log):
            yield machine


@pytest.fixture(scope="module")
def booted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Booted]:
    with boots(tmp_path_factory.mktemp("boot")) as both:
        done = both.run("boot")
        assert done.returncode == 0, done.stderr
        assert not done.stderr
        yield Booted(both, done.stdout)


def sit(booted: Booted, use: str) -> spawn:
    """A person's client in a window, started by the line that was printed."""
    line = booted.uses[use]
    if shutil.which(line.split()[0]) is None:
        pytest.skip(f"{line.split()[0]} is not installed; scripts/setup --test installs it")
    return pexpect.spawn("sh", ["-c", line], timeout=patient(WITHIN), encoding="latin-1",
                         env={**os.environ, "TERM": "xterm"}, dimensions=(43, 132))  # fmt: skip


def test_curl_as_printed(booted: Booted) -> None:
    done = subprocess.run(booted.uses["FTP curl"], shell=True, capture_output=True, timeout=WITHIN)
    assert done.returncode == 0, done.stderr
    assert b"PROFILE  EXEC" in done.stdout


@pytest.mark.parametrize("use", ["FTP lftp", "FTP ftp"])
def test_ftp_clients_as_printed(booted: Booted, use: str, tmp_path: Path) -> None:
    window = sit(booted, use)
    window.expect(r"(lftp|ftp)[^>]*> ")
    window.sendline("ls")
    window.expect("PROFILE  EXEC")
    window.expect(r"(lftp|ftp)[^>]*> ")
    copy = tmp_path / "sums.exec"
    # a text: the guest's own characters are EBCDIC
    get = f"get -a SUMS.EXEC -o {copy}" if "lftp" in use else f"ascii\nget SUMS.EXEC {copy}"
    window.sendline(get)
    window.expect("[Tt]ransfer complete|bytes (transferred|received)")
    window.expect(r"(lftp|ftp)[^>]*> ")
    window.sendline("quit")
    window.expect(pexpect.EOF)
    assert "Added:" in copy.read_text()


def test_telnet_as_printed(booted: Booted) -> None:
    window = sit(booted, "TELNET telnet")
    window.expect("VM/KB ONLINE")
    window.close()


@pytest.mark.parametrize("use", ["3270 c3270", "TELNET c3270"])
def test_c3270_as_printed(booted: Booted, use: str) -> None:
    window = sit(booted, use)
    window.expect("VM/KB ONLINE")
    window.send("\r")
    window.expect("CP READ")
    window.close()


@pytest.mark.parametrize(
    "mode",
    [["--disable-epsv", "--no-ftp-skip-pasv-ip"], ["-P", "-"], ["-P", "-", "--disable-eprt"]],
    ids=["pasv", "eprt", "port"],
)
def test_every_way_to_a_data_connection(booted: Booted, mode: list[str]) -> None:
    done = booted.curl(*mode, booted.url)
    assert done.returncode == 0, done.stderr
    assert b"PROFILE  EXEC" in done.stdout


def test_twenty_at_once_and_what_goes_comes_back(booted: Booted, tmp_path: Path) -> None:
    sent = random.Random(21).randbytes(400_000)
    (tmp_path / "sent").write_bytes(sent)
    assert booted.curl("-T", str(tmp_path / "sent"), f"{booted.url}SENT.BIN").returncode == 0
    with ThreadPoolExecutor(AT_ONCE) as crowd:
        came = list(crowd.map(lambda _: booted.curl(f"{booted.url}SENT.BIN"), range(AT_ONCE)))
    assert [each.returncode for each in came] == [0] * AT_ONCE
    assert all(each.stdout == sent for each in came)


def test_connections_one_after_another_do_not_hang(booted: Booted) -> None:
    for _ in range(BANNERS):
        with socket.create_connection(("127.0.0.1", booted.ftp_port), WITHIN) as sock:
            sock.settimeout(WITHIN)
            assert sock.recv(100).startswith(b"220 ")


def test_status_shows_it_again_with_the_machines(booted: Booted) -> None:
    said = booted.both.run("status")
    assert said.returncode == 0
    shown = said.stdout.splitlines()
    for row in booted.printed.splitlines()[1:]:
        assert row in shown or "the network is up" in row
    assert "NOT REACHED" not in said.stdout
    machines = [row.split() for row in shown[shown.index(
        "  machine   at       VIRTCPU      TOTCPU (QT)") + 1:]]  # fmt: skip
    assert {"OPERATOR", "TCPIP", "FTPSERVE", "TELNETD", "SYSTEM"} <= {row[0] for row in machines}
    for *_, virtcpu, totcpu in machines:
        assert virtcpu <= totcpu


@pytest.mark.parametrize("service", [21, 23])
def test_servers_are_their_owners_alone(booted: Booted, service: int) -> None:
    """A program of another user is refused; this user's was let in by each other test."""
    if os.geteuid() != 0:
        pytest.skip("only root can start a program of another user")
    port = booted.ftp_port if service == 21 else int(booted.uses["TELNET telnet"].split()[2])
    tried = subprocess.run(
        ["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}; timeout 5 head -c 1 <&3"],
        user=65534, capture_output=True, text=True, timeout=WITHIN, check=False,
    )  # fmt: skip
    assert tried.returncode == 0 and not tried.stdout  # the end, not the time limit's 124
    with socket.create_connection(("127.0.0.1", port), WITHIN) as own:
        assert own.recv(1)


def test_a_second_boot_is_refused_and_disturbs_nothing(booted: Booted) -> None:
    again = booted.both.run("boot")
    assert again.returncode == 3
    assert "is running already" in again.stderr and "vmkb status" in again.stderr
    assert booted.curl(booted.url).returncode == 0


def test_nobody_else_can_look_into_the_run_folder(booted: Booted) -> None:
    assert stat.S_IMODE(booted.both.folder.stat().st_mode) == 0o700


def test_all_that_listens_is_on_the_loopback_address(booted: Booted) -> None:
    with booted.machine() as machine:
        ours = {booted.ftp_port, machine.terminal_port}
    found = [
        row.split()[3]
        for row in subprocess.run(
            ["ss", "-Hltn"], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        if int(row.split()[3].rsplit(":", 1)[1]) in ours
    ]
    assert sorted(found) == sorted(f"127.0.0.1:{port}" for port in ours)


def test_a_passt_that_is_killed_comes_back(booted: Booted) -> None:
    spec = f"127.0.0.1/{booted.ftp_port}:21"
    wires = booted.both.holders()
    mine = [p for wire in wires for p in wire.children() if spec in p.cmdline()]
    assert len(mine) == 1
    mine[0].kill()
    wait_until(lambda: booted.curl(booted.url).returncode == 0, WITHIN, "FTP again")


def given_again(booted: Booted) -> int:
    """How many terminals the guest had not seen, so that the port gave them to it anew."""
    return (booted.both.folder / LOG).read_text().count("given one again")


def test_who_hangs_up_is_disconnected_at_once_and_may_come_back(booted: Booted) -> None:
    """A real s3270 is killed, with a program at work and in CP READ; a quarter of an hour later
    who has not come back is logged off."""
    guest = load_guest("vmkb")

    def user(watcher: UserSession, where: str) -> None:
        wait_until(
            lambda: where in " ".join(watcher.cp(f"QUERY {USER}").lines), 5, where, poll=0.02
        )

    with booted.machine() as machine, open_session(guest, machine) as watcher:
        watcher.logon("MAINT", "MAINT")
        for _ in range(3):
            with open_session(guest, machine) as session:
                session.logon(USER, USER)
                user(watcher, f"{USER:8} - 07")
                os.kill(session.terminal._process.pid, signal.SIGKILL)
                user(watcher, f"{USER:8} - DSC")
        machine.command(f"toddrag {FASTER}")
        try:
            wait_until(
                lambda: watcher.cp(f"QUERY {USER}").rc == 45, 30, "the user to be forced", poll=0.2
            )
        finally:
            machine.command("toddrag 1.0")
        watcher.logoff()
    assert "not been told" not in (booted.both.folder / LOG).read_text()


@pytest.mark.slow
def test_a_terminal_that_takes_the_place_of_another_is_seen_at_once(booted: Booted) -> None:
    before = given_again(booted)
    with booted.machine() as machine, ThreadPoolExecutor(CROWD) as crowd:
        seats = [crowd.submit(shows, machine.terminal_port, "VM/KB ONLINE", WITHIN)
                 for _ in range(SEATS)]  # fmt: skip
        for seat in seats:
            seat.result()
    assert given_again(booted) == before


@pytest.mark.slow
def test_robots_log_on_at_the_same_time(booted: Booted) -> None:
    guest = load_guest("vmkb")
    before = given_again(booted)

    def robot(machine: Hercules, number: int) -> int:
        user = f"CMS{number:02}"
        for _ in range(LOGONS):
            with open_session(guest, machine) as session:
                session.logon(user, user)
                assert session.command("QUERY DISK").rc == 0
                session.logoff()
        return LOGONS

    with booted.machine() as machine, ThreadPoolExecutor(ROBOTS) as robots:
        done = list(robots.map(partial(robot, machine), range(1, ROBOTS + 1)))
    assert done == [LOGONS] * ROBOTS
    assert given_again(booted) == before
    assert "NOT REACHED" not in booted.both.run("status").stdout
