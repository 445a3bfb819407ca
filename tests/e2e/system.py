# SPDX-License-Identifier: MIT
"""What all helpers that boot a VM/KB have in common: what must be installed, a volume from texts,
parts of its directory, and how this computer and the guest reach each other.

Root joins them by a TAP device, anybody else by passt, as `vmkb boot` does: then the guest's
servers are at ports of the loopback address, and this computer's at the gateway's address."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from vmkb.guests.vmkb.disk.build import build, now_1900
from vmkb.hercules.guest import Guest, Network, load_guest
from vmkb.hercules.network import Plan, Publish, plan_passt
from vmkb.hercules.wire.client import WireClient, WireError

NET = f"10.{100 + os.getpid() % 100}.{os.getpid() // 100 % 250}"
"""Of this process alone: others that run tests have TAP devices too."""
ADDRESS, HOST = f"{NET}.1", f"{NET}.254"
"""The guest and this computer, on the wire."""
LOOPBACK = "127.0.0.1"
ECHO, FTP, TELNET = 7, 21, 23

HEAD = "DIRECTORY 0100 3370 TESTVL\n"
OPERATORS = """\
USER OPERATOR OPERATOR 1M 4M ABCDEFG
 CONSOLE 0009 3215
USER WHEEL WHEEL 1M 4M ABCDEFG
 CONSOLE 0009 3215
"""
CMSUSER = """\
PROFILE CMSUSER
 IPL CMS
 CONSOLE 0009 3215
 LINK MAINT 0190 0190 RR
"""
DOCUMENTS = " LINK MAINT 019E 019E RR\n"
MAINT = """\
USER MAINT MAINT 2M 4M ABCDEFG
 MDISK 0190 3370 AUTO 1024 TESTVL MR ALL
 MDISK 019E 3370 AUTO {} TESTVL MR ALL
"""
SERVICE = """\
USER {0} {0} {1}
 CONSOLE 0009 3215 T OPERATOR
 OPTION SVMSTAT QUICKDSP MAXCONN {2}
 IPL {0}
 IUCV ALLOW
 IUCV ANY MSGLIMIT 255
"""
TCPIP = (
    SERVICE.format("TCPIP", "16M 32M ABCDG 10", "256 ACCT")
    + """\
 DEDICATE 0500 0500
 DEDICATE 0501 0501
 MDISK 0191 3370 AUTO 512 TESTVL MR
"""
)
FTPSERVE = SERVICE.format("FTPSERVE", "8M 16M ABDG 20", "128 LNKNOPAS") + " AUTOLOG WHEEL\n"
TELNETD = SERVICE.format("TELNETD", "4M 8M ABG 20", "64 COMSRV") + " AUTOLOG WHEEL\n"

VOLUME = 'volser = "TESTVL"\ndirectory = "user.direct"\nblocks = {}\n'
CMS_DISK = """\
[[minidisk]]
owner = "MAINT"
vaddr = "190"
label = "CMS190"
file = [{ from = "system/*", mode = 2 }]
"""
TCPIP_DISK = """\
[[minidisk]]
owner = "TCPIP"
vaddr = "191"
file = [{ from = "tcpip/*" }]
"""


def needed(*programs: str) -> None:
    """Skips where a program is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def delivered() -> Guest:
    """VM/KB, built; skips where it cannot be run."""
    needed("hercules", "s3270")
    guest = load_guest("vmkb")
    guest.check_built()
    return guest


def source(
    folder: Path,
    volume: str,
    directory: str,
    files: Mapping[str, str] | None = None,
    folders: Sequence[str] = (),
) -> Path:
    """What a volume is built from: texts, and `folders` of the delivered one (system, tcpip)."""
    made = folder / "source"
    made.mkdir(parents=True)
    for each in folders:
        shutil.copytree(load_guest("vmkb").folder / "volume" / each, made / each)
    texts = {"volume.toml": volume, "user.direct": directory, **(files or {})}
    for name, text in texts.items():
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return made


def image(made: Path, run: Path) -> Path:
    """The volume built from it, in the folder of a machine that is to be booted with `keep`."""
    run.mkdir(parents=True)
    build(made, run / "vmkb.fba", now_1900())
    return run / "vmkb.fba"


def tap_can_be() -> bool:
    """Whether this computer can have a TAP device."""
    return os.geteuid() == 0 and os.path.exists("/dev/net/tun")


def tap_needed(why: str) -> None:
    """Skips where this computer is joined by passt, which is no way for what is tested."""
    if not tap_can_be():
        pytest.skip(f"{why}; only root can make a TAP device instead of passt")


def free_ports(count: int) -> list[int]:
    """Ports of the loopback address that are free now."""
    held = [socket.create_server((LOOPBACK, 0)) for _ in range(count)]
    try:
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()


@dataclass(frozen=True)
class Joined:
    """This computer on the wire: `at` is where clients here reach a port of the guest, `listen`
    where servers here are for the guest to reach at HOST."""

    plan: Plan
    parameter: str
    """What the guest's IPL parameter needs."""

    @property
    def tap(self) -> bool:
        """By a TAP device, not by passt."""
        return self.plan.by == "tap"

    @property
    def listen(self) -> str:
        """The address for servers here."""
        return HOST if self.tap else LOOPBACK

    @property
    def seen(self) -> str:
        """Where a connection that the guest makes comes from."""
        return ADDRESS if self.tap else LOOPBACK

    def at(self, port: int) -> tuple[str, int]:
        """Where a server of the guest is."""
        return self.plan.address, self.plan.port(port)


def join(wire: WireClient, mtu: int) -> Joined:
    """This computer is on the wire. Skips where it cannot be."""
    if tap_can_be():
        wire.add_tap("host", f"{HOST}/24", mtu=mtu)
        return Joined(Plan("tap", ADDRESS), "")
    needed("passt")
    network = load_guest("vmkb").network
    assert network is not None
    ours = {"address": f"{ADDRESS}/24", "gateway": HOST}
    network = Network.model_validate({**network.model_dump(), **ours})
    wanted = map(Publish, free_ports(3), (ECHO, FTP, TELNET))
    plan = plan_passt(network, tuple(wanted))
    try:
        wire.add_passt("host", f"{ADDRESS}/24", HOST, plan.passt_options(network))
    except WireError as error:
        pytest.skip(f"passt does not run here: {error}")
    return Joined(plan, plan.parameter(network))
