# SPDX-License-Identifier: MIT
"""Guests of a run and of a script are in a network of the command's own: from outside nobody
reaches what listens there. Where there can be none the command says so, and works."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from vmkb.hercules.deadline import wait_until
from vmkb.hercules.emulator.machine import Hercules

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("emulator_needed")]
WITHIN = 120.0
LISTENS = "0A"  # as /proc/net/tcp has it
NO_NETWORK = (
    *("unshare", "--user", "--map-root-user", "sh", "-c"),
    'echo 0 > /proc/sys/user/max_net_namespaces && exec "$@"', "sh",
)  # fmt: skip
SAID = "other users can reach the guests' own ports while they run: there is no network namespace"
SCRIPT = "logon VMUSER1 VMUSER1 on 0700\ncp query names\nlogoff\n"


def words(*args: str) -> list[str]:
    return [sys.executable, "-m", "vmkb.workloads.cli", *args]


def network(pid: int) -> str:
    """Which network a process is in; nothing if it has ended."""
    with suppress(OSError):
        return os.readlink(f"/proc/{pid}/ns/net")
    return ""


def listening(pid: int) -> set[int]:
    """The ports that somebody listens on in the network of a process."""
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return {int(row[1].split(":")[1], 16) for row in rows if row[3] == LISTENS}


def own_ports(machine: Hercules) -> set[int]:
    """Where an emulator listens, by its configuration: terminals, and each CTCE device."""
    text = (machine.run_dir / "machine.cnf").read_text()
    devices = re.findall(r"^\w+ CTCE (\d+) ", text, re.M)
    assert len(devices) == 2
    return {machine.console_port, *(int(port) + 1 for port in devices)}


def addresses() -> set[str]:
    """This computer's, and a loopback address that nobody names."""
    found = {each.address for own in psutil.net_if_addrs().values() for each in own
             if each.family == socket.AF_INET}  # fmt: skip
    return {*found, "127.0.0.1", "127.0.0.2"}


def connects(address: str, port: int) -> bool:
    with socket.socket() as caller:
        caller.settimeout(WITHIN)
        with suppress(OSError):
            caller.connect((address, port))
            return True
    return False


def running(places: list[Path]) -> list[Hercules]:
    """The machines that have been started in all of PLACES; none while one has not."""
    found = [each for each in map(Hercules.attach, places) if each is not None]
    for each in found:
        each.log.close()
    return found if len(found) == len(places) else []


def test_nobody_outside_reaches_the_guests_of_a_run(project: Path, tmp_path: Path) -> None:
    asked = ("ftp", "--case", "G24KB", "--releases", "221", "--trials", "1", "--builds", "1",
             "--wire", "fast", "--emulator", "stock")  # fmt: skip
    places = [tmp_path / "r" / "guests" / "0" / name for name in ("server", "221")]
    with subprocess.Popen(
        words("run", *asked, "--out", str(tmp_path / "r")), cwd=project,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as run:  # fmt: skip
        wait_until(
            lambda: running(places) or run.poll() is not None, WITHIN, "two guests", poll=0.01
        )
        assert run.poll() is None, run.communicate()
        run.send_signal(signal.SIGSTOP)  # what is looked at is there meanwhile
        try:
            machines = running(places)
            inside, here = network(machines[0].pid), network(os.getpid())
            family = [p.pid for p in psutil.Process(run.pid).children(recursive=True)]
            networks = {network(each) for each in (run.pid, *family)}
            every = listening(machines[0].pid)  # the wire's too
            strange = every - listening(os.getpid())
            reached = [(at, port) for at in addresses() for port in strange if connects(at, port)]
        finally:
            run.send_signal(signal.SIGCONT)
        said = run.communicate(timeout=WITHIN)
    assert run.returncode == 0, said
    if SAID in said[1]:
        assert inside == here
        pytest.skip(f"no network namespace can be had here: {said[1]}")
    assert len(machines) == 2
    assert inside != here and networks - {""} == {inside}
    assert set().union(*map(own_ports, machines)) <= every
    assert not reached


def test_where_there_is_no_namespace_it_is_said_once_and_all_goes_on(
    project: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script"
    script.write_text(SCRIPT)
    asked = words("script", str(script), "--private")
    ran = subprocess.run(
        [*NO_NETWORK, *asked], cwd=project, capture_output=True, text=True, timeout=WITHIN
    )
    if "unshare" in ran.stderr or "sh:" in ran.stderr:
        pytest.skip(f"no user namespace can be had here: {ran.stderr.strip()}")
    why = "for them: the limit in /proc/sys/user is reached"
    assert (ran.returncode, ran.stderr) == (0, f"vmkb: {SAID} {why}\n")
    alone = subprocess.run(asked, cwd=project, capture_output=True, text=True, timeout=WITHIN)
    assert alone.returncode == 0
    assert "VMUSER1" in ran.stdout and "VMUSER1" in alone.stdout
    if SAID not in alone.stderr:
        assert alone.stderr == ""
