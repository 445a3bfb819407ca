# SPDX-License-Identifier: MIT
"""latd, a LAT terminal server that others wrote (Debian had it until 2018), and its llogin, against
VM/KB's host. Both must be on the PATH; latd opens raw sockets, so this needs root."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from vmkb.hercules.deadline import Deadline, wait_until
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.guest import load_guest
from vmkb.hercules.wire.process import WireProcess

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
NODE = "LNS53"
WITHIN = 20.0


@pytest.fixture
def latd(tmp_path: Path) -> Iterator[WireProcess]:
    """A guest that offers its service to a latd on the same LAN."""
    for program in ("hercules", "latcp", "llogin"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    if os.geteuid() != 0:
        pytest.skip("only root can make the TAP device and the raw socket of latd")
    guest = load_guest("vmkb")
    with (
        WireProcess() as wire,
        boot(guest, tmp_path / "run", ctce=wire.add_guest("vm"), parameter=f"NODE={NODE}"),
    ):
        device = wire.add_tap("host", "10.18.1.254/24")
        latcp = str(shutil.which("latcp"))  # it looks for latd beside itself
        subprocess.run([latcp, "-s", f"-i{device}", "-sPEER"], check=True, timeout=30)
        try:
            wait_until(offered, 60, "the service of VM/KB", poll=0.5)
            yield wire
        finally:
            subprocess.run([latcp, "-h"], check=False, timeout=30)  # it may not be answered


def offered() -> bool:
    """Whether latd has heard of the node's service."""
    done = subprocess.run(["llogin", "-d"], capture_output=True, text=True, timeout=10)
    return NODE in done.stdout


class Login:
    """llogin at a terminal."""

    def __init__(self, service: str) -> None:
        self.text = ""
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.execvp("llogin", ["llogin", service])

    def type(self, line: str) -> None:
        """A line and RETURN."""
        os.write(self._fd, f"{line}\r".encode())

    def expect(self, pattern: str, within: float = WITHIN) -> str:
        """What came up to the end of what the pattern matches; that is taken."""
        deadline = Deadline(within)
        while (match := re.search(pattern, self.text, re.DOTALL)) is None:
            assert select.select([self._fd], [], [], deadline.left)[0], (
                f"{pattern!r} did not come in {within} s after: {self.text[-2000:]!r}"
            )
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                data = b""
            assert data, f"llogin ended before {pattern!r}: {self.text[-2000:]!r}"
            self.text += data.decode("latin-1")
        shown, self.text = self.text[: match.end()], self.text[match.end() :]
        return shown

    def ended(self, within: float = WITHIN) -> bool:
        """Whether llogin ends by itself."""
        deadline = Deadline(within)
        while select.select([self._fd], [], [], deadline.left)[0]:
            with contextlib.suppress(OSError):
                if os.read(self._fd, 65536):
                    continue
            return os.waitpid(self._pid, 0)[1] == 0
        return False


def test_llogin_logs_on_types_a_file_and_leaves(latd: WireProcess) -> None:
    login = Login(NODE)
    login.type("")
    login.expect(r"[Ll]ogon|ENTER|VM/KB")
    login.type("logon vmuser1")
    login.expect("ENTER PASSWORD")
    login.type("vmuser1")
    login.expect(r"Ready;.*\n")
    for _ in range(3):
        login.type("type costs text y")
        shown = login.expect(r"\nReady;[^\n]*\n")
        source = load_guest("vmkb").folder / "volume" / "docs" / "costs.text"
        expected = [line.rstrip() for line in source.read_text().splitlines() if line.strip()]
        lines = [line.rstrip() for line in shown.replace("\r", "").split("\n") if line.strip()]
        assert lines[-len(expected) - 1 : -1] == expected
    login.type("cp query lat")
    counts = login.expect(r"\nReady;[^\n]*\n")
    assert "CIRCUITS LOST 0" in counts and "MALFORMED 0" in counts, counts
    login.type("logoff")
    login.expect("LOGOFF AT")
    assert login.ended()
