# SPDX-License-Identifier: MIT
"""A VM/KB on a wire with this host, FTP servers here, and a user who types subcommands."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e import system
from tests.e2e.system import ADDRESS, HOST, Joined
from vmkb.guests.vmkb.disk.build import minidisk, opened
from vmkb.guests.vmkb.disk.records import Stored
from vmkb.hercules.deadline import wait_until
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.tn3270.screen import Status, parse_ready
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.wire.process import WireProcess

WITHIN = 30.0
PROMPTS = ("Command:", "Password:", "USER (identify yourself to the host):")


@dataclass
class Lan:
    """A booted guest, its wire, and where its machine runs."""

    guest: Guest
    machine: Hercules
    wire: WireProcess
    image: Path
    host: Joined

    def stored(self, name: str, owner: str = "VMUSER1", vaddr: int = 0x191) -> Stored | None:
        """A file of a minidisk as it is on the volume, or None."""
        fn, ft = name.split(".")
        with opened(self.image) as (f, _, extents):
            disk = minidisk(f, extents, owner, vaddr)
            if not any((e.fn, e.ft) == (fn, ft) for e in disk.entries()):
                return None
            return disk.read(disk.find(fn, ft))


@contextmanager
def lan(folder: Path, parameter: str = "") -> Iterator[Lan]:
    """VM/KB with its TCPIP machine up, at ADDRESS, and PARAMETER in that of its IPL; this host is
    at HOST."""
    guest = system.delivered()
    with WireProcess(profile="fast", seed=1) as wire:
        host = system.join(wire, 4000)
        parameter = f"MODEL=HOST IP={ADDRESS} MTU=4000 {host.parameter} {parameter}".strip()
        with boot(guest, folder, ctce=wire.add_guest("vm"), parameter=parameter) as machine:
            tcpip = open_session(guest, machine, 0x071F)
            tcpip.begin()
            tcpip.terminal.type("LOGON TCPIP TCPIP")
            tcpip.terminal.enter()
            try:
                yield Lan(guest, machine, wire, folder / "vmkb.fba", host)
            finally:
                tcpip.close()


class FtpUser:
    """A CMS user; `ftp` types subcommands and gives back what was written."""

    def __init__(self, lan: Lan, user: str, device: int) -> None:
        self.lan = lan
        self.session: UserSession = open_session(lan.guest, lan.machine, device)
        self.session.logon(user, user, WITHIN)
        wait_until(
            lambda: self.session.command("NETSTAT", WITHIN).rc == 0,
            WITHIN,
            "the TCPIP machine to be up",
        )

    @property
    def lines(self) -> list[str]:
        """The console's lines so far."""
        return self.session.lines

    def type(self, text: str) -> int:
        """Type a line; the number of the console line that comes next."""
        terminal = self.session.terminal
        terminal.read()
        mark = len(self.lines)
        terminal.type(text)
        terminal.enter()
        return mark

    def until_prompt(self, mark: int, within: float = WITHIN) -> list[str]:
        """Wait for FTP's next prompt or CMS's Ready; the lines from `mark` on."""

        def asked() -> bool:
            last = self.lines[-1] if len(self.lines) > mark else ""
            return last in PROMPTS or parse_ready(last) is not None

        self.session.terminal.wait(
            lambda screen: screen.status is Status.VM_READ and asked(), within, "FTP to ask"
        )
        return self.lines[mark:]

    def ftp(self, *texts: str, within: float = WITHIN) -> list[str]:
        """Type lines, each when FTP asks for one; all that was written."""
        mark = len(self.lines)
        for text in texts:
            self.until_prompt(self.type(text), within)
        return self.lines[mark:]

    def rc(self) -> int:
        """The return code of the command that ended last."""
        ready = parse_ready(self.lines[-1])
        assert ready is not None, self.lines[-1]
        return ready.rc

    def cms(self, command: str) -> tuple[str, ...]:
        """A CMS command that must end with return code 0."""
        answer = self.session.command(command, WITHIN)
        assert answer.rc == 0, answer
        return answer.lines

    def close(self) -> None:
        """Log off."""
        with contextlib.suppress(Exception):
            self.session.logoff(2)
        self.session.close()


class Server:
    """An FTP server process on the host; `folder` is what its user sees."""

    def __init__(
        self,
        lan: Lan,
        command: list[str],
        at: tuple[str, int],
        folder: Path,
        user: str,
        cd: str,
    ) -> None:
        self._passive = not lan.host.tap
        self._at = at
        self.port, self.folder, self.user, self.cd = at[1], folder, user, cd
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_until(self._answers, 10.0, f"{command[0]} to answer on port {self.port}")

    def _answers(self) -> bool:
        assert self.process.poll() is None, "the FTP server ended at once"
        try:
            with socket.create_connection(self._at, 1) as s:
                return s.recv(3) == b"220"
        except OSError:
            return False

    @property
    def begin(self) -> tuple[str, ...]:
        """The lines that log on. Through passt the server cannot come to the guest."""
        first = (f"FTP {HOST} {self.port}", f"{self.user} secret")
        return (*first, *([self.cd] if self.cd else []), *(["PASSIVE ON"] if self._passive else []))

    def put(self, name: str, data: bytes) -> bytes:
        """A file for the guest to get."""
        (self.folder / name).write_bytes(data)
        return data

    def got(self, name: str) -> bytes:
        """What the guest put."""
        return (self.folder / name).read_bytes()

    def end(self) -> None:
        """End it, even when it was stopped."""
        self.process.kill()
        self.process.wait(10)


def free_port(lan: Lan) -> tuple[str, int]:
    """An address and a port that is free now."""
    with socket.create_server((lan.host.listen, 0)) as s:
        host, port = s.getsockname()
        return host, port


def pyftpdlib(lan: Lan, folder: Path) -> Server:
    """pyftpdlib; user joe may write."""
    folder.mkdir(exist_ok=True)
    host, port = free_port(lan)
    words = ["-i", host, "-p", str(port), "-w", "-u", "joe", "-P", "secret", "-d", str(folder)]
    return Server(lan, [sys.executable, "-m", "pyftpdlib", *words], (host, port), folder, "joe", "")


VSFTPD = """\
listen=YES
listen_address={host}
listen_port={port}
background=NO
anonymous_enable=YES
anon_root={root}
write_enable=YES
anon_upload_enable=YES
anon_mkdir_write_enable=YES
anon_other_write_enable=YES
anon_umask=022
ascii_upload_enable=YES
ascii_download_enable=YES
secure_chroot_dir={empty}
seccomp_sandbox=NO
xferlog_enable=NO
"""


def vsftpd(lan: Lan, folder: Path) -> Server:
    """vsftpd, which root starts; the anonymous user may write in its folder `in`."""
    if os.geteuid() != 0:
        pytest.skip("only root can start vsftpd, which takes its users' identities")
    program = shutil.which("vsftpd", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if program is None:
        pytest.skip("vsftpd is not installed (apt-get install vsftpd)")
    root, empty = folder / "root", folder / "empty"
    for made in (root / "in", empty):
        made.mkdir(parents=True)
    root.chmod(0o555)
    for above in (folder, *folder.parents):
        if above.owner() == pwd.getpwuid(os.geteuid()).pw_name and above != Path("/tmp"):
            above.chmod(above.stat().st_mode | 0o111)
    user = pwd.getpwnam("ftp")
    os.chown(root / "in", user.pw_uid, user.pw_gid)
    host, port = free_port(lan)
    config = folder / "vsftpd.conf"
    config.write_text(VSFTPD.format(host=host, port=port, root=root, empty=empty))
    return Server(lan, [program, str(config)], (host, port), root / "in", "anonymous", "cd in")
