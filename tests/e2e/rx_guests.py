# SPDX-License-Identifier: MIT
"""Two VM/KB guests on a wire, RXPERFD in the second one, for the tests of Rx and of UDP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e import system
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.wire.process import WireProcess

CLIENT, SERVER = "10.17.0.1", "10.17.0.2"
WITHIN = 30.0


@dataclass
class RxGuests:
    """The wire, the machines at CLIENT and SERVER, and a user of each at a terminal."""

    wire: WireProcess
    client: Hercules
    server: Hercules
    user: UserSession
    at_server: UserSession

    def rxperf(self, text: str, within: float = 60.0) -> tuple[int, str]:
        """RXPERF to the server: return code and what it says."""
        answer = self.user.command(f"RXPERF {SERVER} {text}", within)
        return answer.rc or 0, answer.text()

    def ftp(self, text: str, within: float = 60.0) -> str:
        """What a command says."""
        return self.user.command(text, within).text()

    def instructions(self) -> int:
        """Of both guests' machines that carry Rx, CP's work for them included."""
        total = 0
        for session, names in (
            (self.user, ("MAINT", "TCPIP")),
            (self.at_server, ("TCPIP", "RXPERFD", "FTPSERVE")),
        ):
            for name in names:
                said = session.cp(f"QUERY TIME {name} (FULL").text()
                match = re.search(r"TOTAL +\d+ US +(\d+) INSTR", said)
                assert match is not None, said
                total += int(match[1])
        return total


@contextmanager
def rx_guests(
    folder: Path, mtu: int = 4000, level: str = "", emulator: Emulator | None = None
) -> Iterator[RxGuests]:
    """Boots both; TCPIP runs in both, RXPERFD and FTPSERVE in the server."""
    guest = system.delivered()
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        wire = stack.enter_context(WireProcess(profile="fast", log=folder / "wire.log"))
        machines: list[Hercules] = []
        sessions: list[UserSession] = []
        for name, address, user in (("a", CLIENT, "MAINT"), ("b", SERVER, "MAINT")):
            run = folder / name
            run.mkdir()
            parameter = f"MODEL=HOST IP={address} MTU={mtu} {level}".strip()
            machine = boot(
                guest, run, ctce=wire.add_guest(name), parameter=parameter, emulator=emulator
            )
            stack.callback(machine.stop)
            machines.append(machine)
            mark = machine.log.mark()
            session = stack.enter_context(open_session(guest, machine))
            session.logon(user, user)
            sessions.append(session)
            session.cp("XAUTOLOG TCPIP")
            machine.wait_log("FTP SERVER READY", WITHIN, mark, "FTPSERVE")
            if name == "b":
                session.cp("XAUTOLOG RXPERFD")
                machine.wait_log("RXPERF SERVER READY", WITHIN, mark, "RXPERFD")
        client, server = machines
        sitting, at_server = sessions
        yield RxGuests(wire, client, server, sitting, at_server)
