# SPDX-License-Identifier: MIT
"""Two booted VM/KBs on one wire, DECnet nodes LNS53 and CLE750, for the tests of SET HOST."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e import system
from tests.e2e.cp_console import Console
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest
from vmkb.hercules.tn3270.screen import Status
from vmkb.hercules.wire.process import WireProcess

WITHIN = 20.0
USERS = 6
NEAR, FAR = "LNS53", "CLE750"
NODES = {NEAR: "1.1", FAR: "1.2"}
IP = {NEAR: "10.30.0.1", FAR: "10.30.0.2"}
"""With a network: only between the two; the host is not on the wire."""
PYTHON_NODE = "1.3"
"""Another node, for the Python peer: FAR knows it as PYNODE."""

VOLUME = (
    system.VOLUME.format(65536)
    + system.CMS_DISK
    + """\
[[minidisk]]
owner = "MAINT"
vaddr = "19E"
label = "DOC19E"
file = [
    { generate = "DOC1K TEXT", bytes = 1024 },
    { generate = "DOC10K TEXT", bytes = 10240 },
    { generate = "DOC100K TEXT", bytes = 102400 },
    { from = "odd.text" },
]
"""
)

ODD = (
    "first, then an empty line and one that begins with blanks",
    "",
    "        eight blanks",
    "".join(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0xC0)))),
    "".join(map(chr, range(0xC0, 0x100))),
    "x" * 130,
    "\\x is no escape here",
    "Password:",
    "type odd text e",
    "the last line",
)
"""ODD TEXT: what a terminal or a program between might take for something else."""

USER = """\
USER {0} SECRET{1:02} 1M 2M G
 INCLUDE CMSUSER
 MDISK 0191 3370 AUTO 64 TESTVL MR
"""


def user(n: int) -> str:
    """The name of user number `n`, from 1."""
    return f"DU{n:02}"


def password(n: int) -> str:
    """The password of user number `n`."""
    return f"SECRET{n:02}"


def directory(many: int, network: bool) -> str:
    """So many users; with `network` TCPIP and TELNETD too."""
    common = system.HEAD + system.CMSUSER + system.DOCUMENTS + system.OPERATORS
    services = system.TCPIP + system.TELNETD if network else ""
    users = "".join(USER.format(user(n), n) for n in range(1, many + 1))
    return common + system.MAINT.format(1024) + services + users


@dataclass
class Pair:
    """The two systems and their wire."""

    wire: WireProcess
    machines: dict[str, Hercules]
    folder: Path
    parameter: dict[str, str]
    stack: ExitStack
    """What ends with the systems: the consoles first."""

    def end(self, name: str) -> None:
        """The node's emulator ends."""
        self.machines[name].stop()

    def start(self, name: str) -> None:
        """IPL a node, which is on the wire then."""
        self.machines[name] = boot(
            load_guest("vmkb"), self.folder / name, keep=True, ctce=self.wire.config(name),
            parameter=self.parameter[name],
        )  # fmt: skip
        self.wire.wait_connected(name, WITHIN)

    def start_network(self, name: str) -> None:
        """Log TCPIP on, which logs TELNETD on, and wait until that serves."""
        self.machines[name].operator("XAUTOLOG TCPIP", "TELNET SERVER READY", WITHIN)

    def console(self, node: str, device: int) -> Console:
        """A 3270 of a node; nobody is logged on."""
        console = Console(load_guest("vmkb"), self.machines[node], device)
        self.stack.callback(console.close)
        return console


@contextmanager
def pair(folder: Path, many: int = USERS, network: bool = False) -> Iterator[Pair]:
    """NEAR and FAR run and are connected to the wire; both have so many users, and with
    `network` TCPIP and TELNETD, which serves."""
    guest = system.delivered()
    files = {"odd.text": "".join(f"{line}\n" for line in ODD)}
    if network:
        profile = (guest.folder / "volume" / "tcpip" / "profile.tcpip").read_text()
        files["tcpip/profile.tcpip"] = profile.replace("  FTPSERVE TELNETD", "  TELNETD")
    source = system.source(
        folder, VOLUME + (system.TCPIP_DISK if network else ""), directory(many, network), files,
        ("system", "tcpip") if network else ("system",),
    )  # fmt: skip
    nodes = ",".join(f"{name}:{at}" for name, at in {**NODES, "PYNODE": PYTHON_NODE}.items())
    with ExitStack() as stack:
        wire = stack.enter_context(WireProcess(profile="fast", log=folder / "wire.log"))
        systems = Pair(wire, {}, folder, {}, stack)
        for name, at in NODES.items():
            system.image(source, folder / name)
            wire.add_guest(name)
            systems.parameter[name] = f"MODEL=HOST NODE={name} DECNET={at} DECNODES={nodes}"
            if network:
                systems.parameter[name] += f" IP={IP[name]}"
            stack.callback(systems.end, name)
            systems.start(name)
            if network:
                systems.start_network(name)
        yield systems


class Visitor:
    """A user of NEAR at one of its 3270s who goes to FAR."""

    def __init__(self, pair: Pair, n: int) -> None:
        self.n = n
        self.within = WITHIN
        self.console = pair.console(NEAR, 0x0700 + n)
        self.console.logon(user(n), password(n))

    def wait(self, text: str, since: int) -> None:
        """Wait for a line with `text` since a line's number."""
        self.console.session.terminal.wait(
            lambda screen: any(text in line for line in self.console.lines[since:]),
            self.within,
            repr(text),
        )

    def set_host(self, node: str = FAR) -> int:
        """SET HOST, until the other node asks for LOGON; the number of the line then."""
        mark = self.console.type(f"SET HOST {node}")
        self.wait("VM/KB NODE", mark)
        return mark

    def logon(self, n: int | None = None) -> None:
        """Log on at the other node, until CMS there is ready."""
        n = n or self.n
        mark = self.console.type(f"LOGON {user(n)}")
        self.wait("ENTER PASSWORD", mark)
        self.console.session.terminal.wait(
            lambda screen: screen.status is Status.VM_READ, self.within, "the password to be read"
        )
        mark = self.console.type(password(n))
        self.wait("LOGON AT", mark)
        self.wait("Ready;", mark)
        self.command("ACCESS 19E E")

    def command(self, text: str, ends: str = "Ready") -> list[str]:
        """A command over there; the lines up to the one that has `ends`."""
        mark = self.console.type(text)
        self.wait(ends, mark + 1)
        lines = self.console.lines[mark:]
        last = next(i for i, line in enumerate(lines) if i and ends in line)
        return lines[1:last]


def counts(console: Console) -> dict[str, int]:
    """The counts of QUERY DECNET."""
    said = " ".join(console.ask("QUERY DECNET"))
    found = re.findall(
        r"(MALFORMED|UNKNOWN|REFUSED|VIOLATIONS|RESENT|LINKS LOST|DUPLICATES|OUT OF ORDER) (\d+)",
        said,
    )
    return {name: int(n) for name, n in found}
