# SPDX-License-Identifier: MIT
"""A terminal on the wire logs on to VM/KB over LAT, on good days and bad ones."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.lat_user import READY, WITHIN, arrive, ask, logoff
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest, load_guest
from vmkb.hercules.lat.station import LatStation, LatTerminal
from vmkb.hercules.wire.process import WireProcess

pytestmark = pytest.mark.e2e

NODE = "LNS53"
PATIENCE = 40
"""Times that a message is sent again: a machine that is busy may pause the guest for seconds."""


class Lan:
    """A booted VM/KB and the wire it is on."""

    def __init__(self, guest: Guest, machine: Hercules, wire: WireProcess) -> None:
        self.guest, self.machine, self.wire = guest, machine, wire
        self._stations = 0

    def station(self, ports: int = 1, keepalive: float = 20.0, name: str = "") -> LatStation:
        """A terminal server."""
        self._stations += 1
        port = f"lat{self._stations}"
        return LatStation(self.wire.add_stream(port), name or port.upper(), ports, None,
                          keepalive=keepalive, resends=PATIENCE)  # fmt: skip


@pytest.fixture(scope="module")
def lan(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lan]:
    for program in ("hercules", "s3270"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    guest = load_guest("vmkb")
    with (
        WireProcess(seed=5) as wire,
        boot(guest, tmp_path_factory.mktemp("lat"), ctce=wire.add_guest("vm"),
             parameter=f"NODE={NODE}") as machine,
    ):  # fmt: skip
        yield Lan(guest, machine, wire)


def logon(terminal: LatTerminal, user: str) -> None:
    arrive(terminal, NODE, user, user)


def test_logon_query_time_type_and_a_clean_capture(lan: Lan, tmp_path: Path) -> None:
    capture = tmp_path / "lat.pcapng"
    lan.wire.start_capture(capture)
    with lan.station() as station:
        terminal = station.terminal(1)
        logon(terminal, "vmuser1")
        answer = ask(terminal, "query time")
        assert re.match(r"TIME IS \d\d:\d\d:\d\d ", answer[0]) and len(answer) == 2
        documents = ask(terminal, "listfile * text y")
        assert any("COSTS" in line for line in documents)
        shown = ask(terminal, "type costs text y", 60.0)
        terminal.send_break()
        terminal.type("begin\r")
        logoff(terminal)
        assert "VMUSER1" not in terminal.text[: terminal.text.index("LOGON AT")].upper().replace(
            "LOGON VMUSER1", ""
        ), "the password was echoed"
    lan.wire.stop_capture()
    source = lan.guest.folder / "volume" / "docs" / "costs.text"
    assert [line.rstrip() for line in shown if line] == [
        line.rstrip() for line in source.read_text().splitlines() if line.rstrip()
    ]
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed: the capture was not looked at")
    assert dissected(capture, "lat") > 20
    assert dissected(capture, "eth.type == 0x6004 && !lat") == 0
    assert dissected(capture, "_ws.malformed || _ws.expert") == 0


def dissected(capture: Path, display: str) -> int:
    """How many frames of a capture meet a display filter."""
    done = subprocess.run(["tshark", "-r", capture, "-Y", display], capture_output=True, text=True,
                          timeout=60, check=True)  # fmt: skip
    return len(done.stdout.splitlines())


def test_a_server_that_dies_leaves_its_user_disconnected_and_returns(lan: Lan) -> None:
    with lan.station(keepalive=1.0, name="DYING") as station:
        logon(station.terminal(1), "vmuser2")
    with lan.station(keepalive=1.0, name="WITNESS") as station:
        witness = station.terminal(1)
        logon(witness, "vmuser3")
        for _ in range(40):
            if "VMUSER2  - DSC" in "\n".join(ask(witness, "cp query names")):
                break
            ask(witness, "cp sleep 1 sec")
        else:
            pytest.fail("VMUSER2 was never disconnected")
        logoff(witness)
    with lan.station(name="DYING") as station:
        terminal = station.terminal(1)
        terminal.connect(NODE, WITHIN)
        terminal.type("logon vmuser2\r")
        at = terminal.expect("ENTER PASSWORD", WITHIN)
        terminal.type("vmuser2\r")
        at = terminal.expect("RECONNECTED AT", WITHIN, at)
        terminal.type("begin\r")
        logoff(terminal)


def test_five_percent_of_everything_bad_loses_nothing(lan: Lan) -> None:
    with lan.station() as station:
        terminal = station.terminal(1)
        logon(terminal, "vmuser1")
        clean = ask(terminal, "type costs text y", 60.0)
        lan.wire.set_profile("*", loss=0.05, duplication=0.05, reordering=0.05)
        try:
            for _ in range(3):
                assert ask(terminal, "type costs text y", 90.0) == clean
        finally:
            lan.wire.set_profile("*", loss=0.0, duplication=0.0, reordering=0.0)
        logoff(terminal)


def test_a_terminal_that_never_reads_stops_only_its_own_user(lan: Lan) -> None:
    with lan.station(ports=2) as station:
        stuck, other = station.terminal(1), station.terminal(2)
        logon(stuck, "vmuser1")
        logon(other, "vmuser2")
        stuck.set_reading(False)
        before = len(stuck.text)
        for _ in range(4):
            stuck.type("type costs text y\r")
        assert len(ask(other, "type costs text y", 60.0)) >= 20
        assert len(stuck.text) == before
        stuck.set_reading(True)
        at = before
        for _ in range(4):
            at = stuck.expect(READY, 60.0, at)
        logoff(stuck)
        logoff(other)


def test_query_lat_shows_the_circuit(lan: Lan) -> None:
    with lan.station(name="SHOWN") as station:
        terminal = station.terminal(1)
        logon(terminal, "vmuser1")
        answer = ask(terminal, "cp query lat")
        assert re.fullmatch(rf"LAT NODE {NODE} 02-01(-[0-9A-F]{{2}}){{4}}", answer[0])
        assert any(re.match(r"CIRCUIT [0-9A-F]{4} SHOWN .* SESSIONS 01", line) for line in answer)
        assert any(re.match(r"  L\d{3} VMUSER1  CREDITS", line) for line in answer)
        logoff(terminal)


def test_a_3270_and_a_lat_terminal_send_messages_to_each_other(lan: Lan) -> None:
    session = open_session(lan.guest, lan.machine, 0x0700)
    try:
        session.logon("VMUSER3 NOIPL", "VMUSER3", WITHIN)
        with lan.station() as station:
            terminal = station.terminal(1)
            logon(terminal, "vmuser1")
            terminal.type("cp msg vmuser3 hello from LAT\r")
            session.expect("hello from LAT", WITHIN)
            session.terminal.type("MSG VMUSER1 HELLO FROM 3270")
            session.terminal.enter()
            terminal.expect("HELLO FROM 3270", WITHIN)
            logoff(terminal)
        session.terminal.type("LOGOFF")
        session.terminal.enter()
    finally:
        session.close()
