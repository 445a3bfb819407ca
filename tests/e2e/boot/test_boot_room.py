# SPDX-License-Identifier: MIT
"""vmkb boot gives the emulator a network of its own: what it listens on is nobody else's."""

from __future__ import annotations

import re
import socket
import subprocess
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.e2e.boot_guest import boots
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest
from vmkb.hercules.tn3270.terminals import shows
from vmkb.hercules.wire.held import join_lan

pytestmark = pytest.mark.e2e
WITHIN = 20.0
LISTENS = "0A"  # as /proc/net/tcp has it
NO_NETWORK = "echo 0 > /proc/sys/user/max_net_namespaces"
SAID = "other users can reach the emulator's own ports"


def ports_of(folder: Path) -> set[int]:
    """Where the emulator listens, by its configuration: terminals, and each CTCE device."""
    text = (folder / "machine.cnf").read_text()
    console = re.search(r"CNSLPORT .*:(\d+)", text)
    assert console is not None
    devices = re.findall(r"^\w+ CTCE (\d+) ", text, re.M)
    assert len(devices) == 2
    return {int(console[1]), *(int(port) // 2 * 2 + 1 for port in devices)}


def listening(pid: int) -> set[int]:
    """The ports that somebody listens on in the network of a process."""
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return {int(row[1].split(":")[1], 16) for row in rows if row[3] == LISTENS}


def addresses() -> set[str]:
    """This computer's, and a loopback address that nobody names."""
    found = {each.address for own in psutil.net_if_addrs().values() for each in own
             if each.family == socket.AF_INET}  # fmt: skip
    return {*found, "127.0.0.1", "127.0.0.2"}


def test_nobody_reaches_the_emulator_s_own_ports(tmp_path: Path) -> None:
    with boots(tmp_path) as both:
        ran = both.run("boot", "--no-network")
        assert ran.returncode == 0, ran.stderr
        machine = Hercules.attach(both.folder)
        assert machine is not None
        if machine.exposed:
            pytest.skip(f"no network namespace can be had here: {machine.exposed}")
        ports = ports_of(both.folder)
        assert ports <= listening(machine.pid)
        table = subprocess.run(["ss", "-Hltn"], capture_output=True, text=True, check=True).stdout
        here = {int(row.split()[3].rsplit(":", 1)[1]) for row in table.splitlines()}
        assert not ports & here
        assert machine.terminal_port in here
        for address in addresses():
            for port in ports:
                with socket.socket() as caller, pytest.raises(OSError):
                    caller.settimeout(WITHIN)
                    caller.connect((address, port))
        # and yet its terminals and its LAN are served
        assert "VM/KB ONLINE" in shows(
            machine.terminal_port, load_guest("vmkb").session.logo, WITHIN
        )
        with closing(join_lan("vmkb", both.folder)) as wire:
            wire.wait_connected("guest", WITHIN)
        assert SAID not in ran.stdout + both.run("status").stdout
        machine.log.close()


def test_where_there_is_no_namespace_boot_and_status_say_so(tmp_path: Path) -> None:
    with boots(tmp_path) as both:

        def refused(*args: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                ["unshare", "--user", "--map-root-user", "sh", "-c",
                 f'{NO_NETWORK} && exec "$0" "$@"', *both.words(*args)],
                capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip

        ran = refused("boot", "--no-network")
        if "unshare" in ran.stderr or "sh:" in ran.stderr:
            pytest.skip(f"no user namespace can be had here: {ran.stderr.strip()}")
        assert ran.returncode == 0, ran.stderr
        assert SAID in ran.stdout
        machine = Hercules.attach(both.folder)
        assert machine is not None
        assert ports_of(both.folder) <= listening(machine.pid) & listening_here()
        assert SAID in both.run("status").stdout
        assert "the limit in /proc/sys/user is reached" in both.run("status").stdout
        machine.log.close()


def listening_here() -> set[int]:
    return listening(psutil.Process().pid)
