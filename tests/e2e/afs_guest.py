# SPDX-License-Identifier: MIT
"""A VM/KB guest with AFSSERVE and VLSERVE on a wire, for the tests of AFS."""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest
from vmkb.hercules.rx.ip import UdpStack
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.wire.ports.endpoint import Endpoint
from vmkb.hercules.wire.process import WireProcess

SERVER = "10.17.0.1"
MACHINES = ("AFSSERVE", "TCPIP", "VLSERVE", "FTPSERVE")
WITHIN = 30.0


@dataclass
class AfsGuest:
    """The wire, the machine at SERVER, and a user of it at a terminal."""

    wire: WireProcess
    machine: Hercules
    user: UserSession
    joined: int = 0

    def port(self) -> str:
        """Where a further workstation joins the wire: each at a port of its own, for the wire may
        not know yet that the last one has left."""
        self.joined += 1
        return self.wire.add_stream(f"ws{self.joined}")

    def afs(self, text: str, within: float = 30.0) -> tuple[int, str]:
        """The AFS command to its own host: return code and what it says."""
        answer = self.user.command(f"AFS {SERVER} {text}", within)
        return answer.rc or 0, answer.text()

    def start(self, name: str) -> None:
        """XAUTOLOGs AFSSERVE or VLSERVE and waits until it is ready."""
        mark = self.machine.log.mark()
        self.user.cp(f"XAUTOLOG {name}")
        self.machine.wait_log(rf"{name} *: DTCAFS0021I AFS \w+ SERVER READY", WITHIN, mark, name)

    def instructions(self) -> dict[str, int]:
        """So far, of each machine that takes part, and of CP for all of them."""
        used = {"CP": 0}
        for name in MACHINES:
            said = self.user.cp(f"QUERY TIME {name} (FULL").text()
            found = dict(re.findall(r"(VIRT|TOTAL) +\d+ US +(\d+) INSTR", said))
            assert len(found) == 2, said
            used[name] = int(found["VIRT"])
            used["CP"] += int(found["TOTAL"]) - int(found["VIRT"])
        return used

    def accounts_add_up(self) -> None:
        """QUERY ACNT's sum is the time that has passed, within 1 %."""
        said = self.user.cp("QUERY ACNT").text()
        match = re.search(r"SUM \d+ US, ELAPSED \d+ US, DIFFERENCE -?\d+ US, (\d+\.\d\d)%", said)
        assert match is not None, said
        assert float(match[1]) < 1, said


@contextmanager
def afs_guest(
    folder: Path, mtu: int = 4000, emulator: Emulator | None = None
) -> Iterator[AfsGuest]:
    """Boots it; TCPIP, FTPSERVE, AFSSERVE and VLSERVE run."""
    for program in ("hercules", "s3270"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    guest = load_guest("vmkb")
    guest.check_built()
    run = folder / "afs"
    run.mkdir(parents=True)
    with ExitStack() as stack:
        wire = stack.enter_context(WireProcess(profile="fast", log=folder / "wire.log"))
        machine = boot(
            guest, run, ctce=wire.add_guest("afs"),
            parameter=f"MODEL=HOST IP={SERVER} MTU={mtu}", emulator=emulator,
        )  # fmt: skip
        stack.callback(machine.stop)
        mark = machine.log.mark()
        session = stack.enter_context(open_session(guest, machine))
        session.logon("MAINT", "MAINT")
        session.cp("XAUTOLOG TCPIP")
        machine.wait_log("FTP SERVER READY", WITHIN, mark, "FTPSERVE")
        made = AfsGuest(wire, machine, session)
        for name in ("AFSSERVE", "VLSERVE"):
            made.start(name)
        yield made


@asynccontextmanager
async def relay(path: str, address: str, port: int) -> AsyncIterator[int]:
    """A UDP port of this computer's loopback whose datagrams go to the guest's PORT and back, by a
    station at ADDRESS: for programs that know no wire."""
    loop = asyncio.get_running_loop()
    inside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    inside.bind(("127.0.0.1", 0))
    inside.setblocking(False)
    endpoint = await Endpoint.connect(path)
    stack = UdpStack(address, 7001, endpoint.send)
    asker: list[tuple[str, int]] = []

    async def out() -> None:
        while True:
            data, sender = await loop.sock_recvfrom(inside, 65535)
            asker[:] = [sender]
            stack.send((SERVER, port), data)

    async def back() -> None:
        while True:
            frame = await endpoint.receive(3600)
            for _, data in stack.receive(frame, loop.time()):
                if asker:
                    await loop.sock_sendto(inside, data, asker[0])

    tasks = [asyncio.create_task(out()), asyncio.create_task(back())]
    try:
        yield inside.getsockname()[1]
    finally:
        for task in tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks)
        await endpoint.close()
        inside.close()
