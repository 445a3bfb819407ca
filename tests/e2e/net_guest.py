# SPDX-License-Identifier: MIT
"""A booted VM/KB with TCPIP and FTPSERVE on a wire with the host, for the tests of its network."""

from __future__ import annotations

import ftplib
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e import system
from tests.e2e.cp_console import Console
from tests.e2e.system import ADDRESS, FTP, Joined
from vmkb.hercules.deadline import Timeout, wait_until
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.wire.process import WireProcess

WITHIN = 20.0
TRIES = 5

VOLUME = (
    system.VOLUME.format(400000)
    + system.TCPIP_DISK
    + """\
[[minidisk]]
owner = "READER"
vaddr = "191"
file = [{ generate = "SHARED TEXT", bytes = 20480 }]
[[minidisk]]
owner = "ANONYMOU"
vaddr = "191"
file = [{ generate = "WELCOME TEXT", bytes = 2048 }]
"""
)
RXPERFD = """\
USER RXPERFD RXPERFD 8M 16M G 20
 CONSOLE 0009 3215 T OPERATOR
 IPL RXPERFD
"""
USERS = """\
USER ANONYMOU NOLOG 1M 1M G
 MDISK 0191 3370 AUTO 128 TESTVL MR ALL
USER READER READER 1M 1M G
 MDISK 0191 3370 AUTO 256 TESTVL MR ALL
 MDISK 0192 3370 AUTO 2048 TESTVL MR
USER SMALL SMALL 1M 1M G
 MDISK 0191 3370 AUTO 512 TESTVL MR
USER CLOSED NOLOG 1M 1M G
 MDISK 0191 3370 AUTO 128 TESTVL MR
"""
USER = "USER {0} {0} 1M 1M G\n MDISK 0191 3370 AUTO {1} TESTVL MR\n"
CLIENTS = 20
"""Users CL01 to CL20, each with a minidisk of 8 MB."""


def directory() -> str:
    """The users above and those whose disks the transfers go to."""
    services = system.TCPIP + system.FTPSERVE + RXPERFD
    many = "".join(USER.format(f"CL{i + 1:02}", 16384) for i in range(CLIENTS))
    return system.HEAD + system.OPERATORS + services + USERS + many


class NetGuest:
    """The running guest: FTP sessions to it, what NETSTAT and CP say of it."""

    def __init__(
        self, guest: Guest, machine: Hercules, wire: WireProcess, folder: Path, host: Joined,
        parameter: str,
    ) -> None:  # fmt: skip
        self.guest = guest
        self.machine = machine
        self.wire = wire
        self.folder = folder
        self.host = host
        self.parameter = parameter
        self.log_on()

    def log_on(self) -> None:
        """The privileged user at a terminal."""
        self.console = Console(self.guest, self.machine, 0x0700)
        self.console.logon("WHEEL")

    def start_tcpip(self) -> None:
        """Log TCPIP on, which logs FTPSERVE on, and wait until it serves."""
        self.console.ask("XAUTOLOG TCPIP")
        self.wait_server()

    def wait_server(self) -> None:
        """Wait until FTPSERVE greets."""

        def greets() -> bool:
            try:
                with ftplib.FTP(timeout=2) as ftp:
                    ftp.connect(*self.host.at(FTP))
                    ftp.quit()
            except (OSError, EOFError):
                return False
            return True

        wait_until(greets, WITHIN, "FTPSERVE to greet", log=self.machine.log.tail)
        self.in_use_at_rest()

    def restart(self) -> None:
        """Another machine on the same volume, for one that was killed."""
        self.console.close()
        self.machine = boot(
            self.guest, self.folder / "run", keep=True, ctce=self.wire.config("vmkb"),
            parameter=self.parameter,
        )  # fmt: skip
        self.log_on()
        self.start_tcpip()

    def ftp(self, user: str = "CL01", timeout: float = 30.0) -> ftplib.FTP:
        """A session of `user`, logged in."""
        ftp = ftplib.FTP(timeout=timeout)
        try:
            ftp.connect(*self.host.at(FTP))
            ftp.login(user, user)
        except BaseException:
            ftp.close()
            raise
        return ftp

    def netstat(self, what: str) -> list[str]:
        """The lines of NETSTAT CONNECTIONS, POOLS or COUNTERS, by SMSG."""
        for tries_left in range(TRIES, 0, -1):
            # A line typed on a 3215 while it prints may be lost: it is typed again.
            mark = self.machine.log.mark()
            self.machine.operator(f"SMSG TCPIP {what}")
            try:
                self.machine.wait_log(rf"MSG FROM TCPIP *: END OF {what}", 2.0, mark, what)
                break
            except Timeout:
                if tries_left == 1:
                    raise
        said = [re.search(r"MSG FROM TCPIP *: (.*)", x) for x in self.machine.log.since(mark)]
        lines = [match[1].rstrip() for match in said if match is not None]
        return lines[: lines.index(f"END OF {what}")]

    def in_use(self) -> dict[str, int]:
        """What is not free of each pool, TIME-WAIT apart (lwIP takes those back when it needs
        them), and the sockets that there are."""
        used = {}
        connections, pools = self.netstat("CONNECTIONS"), self.netstat("POOLS")
        while connections != (now := self.netstat("CONNECTIONS")):  # some were forgotten meanwhile
            connections, pools = now, self.netstat("POOLS")
        for line in pools:
            match = re.match(r"(.*?)\s+(\d+) OF\s+(\d+) FREE", line)
            assert match is not None, line
            used[match[1]] = int(match[3]) - int(match[2])
        closed = re.match(r"(\d+) MORE IN TIME-WAIT", connections[-1] if connections else "")
        if closed is not None:
            connections.pop()
            used["TCP_PCB"] -= int(closed[1])
        used["sockets"] = len(connections)
        del used["SYS_TIMEOUT"]  # lwIP's timer of connections stops when there are none
        return used

    def in_use_at_rest(self) -> dict[str, int]:
        """The same when nothing is on its way: a session that was closed here still ends there."""
        now: dict[str, int] = {}

        def at_rest() -> bool:
            now.update(self.in_use())
            return now["HEAP BYTES"] == now["TCP_SEG"] == 0

        wait_until(at_rest, WITHIN, "what is on its way to come", poll=0.05)
        return now

    def accounts_add_up(self) -> None:
        """QUERY ACNT's sum is the time that has passed, within 1 %."""
        said = self.console.ask("QUERY ACNT")[-1]
        match = re.fullmatch(
            r"SUM (\d+) US, ELAPSED (\d+) US, DIFFERENCE -?\d+ US, (\d+\.\d\d)%", said
        )
        assert match is not None, said
        assert float(match[3]) < 1, said

    def wait_as_before(self, before: dict[str, int], within: float = WITHIN) -> None:
        """Wait until nothing is held that was not held `before`; the accounts add up then."""
        now: dict[str, int] = {}

        def same() -> bool:
            now.clear()
            now.update(self.in_use())
            return now == before

        try:
            wait_until(same, within, "the pools to be as before", poll=0.05)
        except Timeout:
            held = {k: (before.get(k), n) for k, n in now.items() if n != before.get(k)}
            raise AssertionError(f"not given back (before, now): {held}") from None
        self.accounts_add_up()

    def close(self) -> None:
        """Leave the terminal."""
        self.console.close()


@contextmanager
def net_guest(
    folder: Path, parameter: str = "", mtu: int = 1500, start: bool = True
) -> Iterator[NetGuest]:
    """VM/KB at ADDRESS on a wire with the host at HOST; TCPIP and FTPSERVE run."""
    guest = system.delivered()
    run = folder / "run"
    system.image(system.source(folder, VOLUME, directory(), folders=("tcpip",)), run)
    with WireProcess(profile="fast", log=folder / "wire.log") as wire:
        host = system.join(wire, mtu)
        text = f"MODEL=HOST IP={ADDRESS} MTU={mtu} {host.parameter} {parameter}".strip()
        machine = boot(guest, run, keep=True, ctce=wire.add_guest("vmkb"), parameter=text)
        net = None
        try:
            net = NetGuest(guest, machine, wire, folder, host, text)
            if start:
                net.start_tcpip()
            yield net
            net.close()
        finally:
            (net.machine if net else machine).stop()


def put(ftp: ftplib.FTP, name: str, data: bytes) -> str:
    """STOR in binary."""
    return ftp.storbinary(f"STOR {name}", io.BytesIO(data), 32768)


def get(ftp: ftplib.FTP, name: str) -> bytes:
    """RETR in binary."""
    got = bytearray()
    ftp.retrbinary(f"RETR {name}", got.extend, 65536)
    return bytes(got)


def put_raw(ftp: ftplib.FTP, name: str, data: bytes) -> str:
    """STOR of these very bytes in the type in force."""
    with ftp.transfercmd(f"STOR {name}") as data_socket:
        data_socket.sendall(data)
    return ftp.voidresp()


def get_raw(ftp: ftplib.FTP, name: str) -> bytes:
    """RETR in the type in force, nothing converted."""
    got = bytearray()
    with ftp.transfercmd(f"RETR {name}") as data_socket:
        while piece := data_socket.recv(65536):
            got += piece
    ftp.voidresp()
    return bytes(got)
