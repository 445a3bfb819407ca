# SPDX-License-Identifier: MIT
"""Systems that are not VM, or whose console is not laid out as VM's is."""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.peers.host3270 import Host3270, page_write, sba
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.tn3270 import reach
from vmkb.hercules.tn3270.address import Address
from vmkb.hercules.tn3270.dialogue import load_dialogue
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.tn3270.terminal import Terminal

pytestmark = pytest.mark.skipif(shutil.which("s3270") is None, reason="s3270 is not installed")
LOCAL = "127.0.0.1"


@contextmanager
def says(banner: bytes) -> Iterator[int]:
    """A port that says BANNER to whoever comes, and nothing more."""
    with socket.create_server((LOCAL, 0)) as server:
        came: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                came.append(connection)
                connection.sendall(banner)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield int(server.getsockname()[1])
        finally:
            server.shutdown(socket.SHUT_RDWR)
            for connection in came:
                connection.close()
            thread.join(5)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "LOGO_WITHIN", 1.0)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    ("banner", "what"),
    [
        (b"SSH-2.0-OpenSSH_9.2p1\r\n", "an SSH server"),
        (b"\xff\xfd\x18\xff\xfb\x03\r\nDebian GNU/Linux 12 host tty1\r\n\r\nhost login: ", "Linux"),
    ],
)
def test_a_line_by_line_system_is_called_what_it_is(banner: bytes, what: str) -> None:
    with says(banner) as port, pytest.raises(EmulatorError) as raised:
        reach.arrive(Address(LOCAL, port))
    assert what in str(raised.value) and "copy the nearest" not in str(raised.value)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["", "IKJ56700A ENTER USERID -"], "MVS"),
        (["   TSO/E LOGON", "", " Userid    ===>"], "MVS"),
        (["z/OS V2R5   TERMINAL TCP00012", "", "  Logon ===>"], "MVS"),
        (["", "HOUSE SYSTEM"], "copy the nearest"),
    ],
)
def test_a_3270_system_that_is_not_vm_is_called_what_it_is(lines: list[str], what: str) -> None:
    host = Host3270(page_write(lines, ""), lambda key, text: [])
    try:
        with pytest.raises(EmulatorError, match=what):
            reach.arrive(Address(LOCAL, host.port))
    finally:
        host.close()


def test_an_emulator_that_is_stopped_is_not_called_s3270() -> None:
    with socket.create_server((LOCAL, 0)) as server, Terminal() as terminal:
        port = int(server.getsockname()[1])
        with pytest.raises(EmulatorError) as raised:
            terminal.connect_to(Address(LOCAL, port), within=1.0)
    assert "s3270" not in str(raised.value)
    assert f"{LOCAL}:{port}" in str(raised.value) and "stopped" in str(raised.value)


def left_write(lines: list[str], status: str) -> bytes:
    """Output in rows 1-23, the status at the left of row 24, and what is typed behind it."""
    rows = b"".join(sba(80 * n) + line.encode("cp037") for n, line in enumerate(lines))
    shown = status.encode("cp037")
    end = sba(1919) + b"\x1d\x60"
    status_field = sba(1839) + b"\x1d\x60" + shown
    return bytes([0xF5, 0xC3]) + rows + end + status_field + b"\x1d\xc1\x13"


DIALOGUE = r"""
title = "an emulated CMS"
proved = "a test"
[session]
logo = "EMULATED CMS"
asks_password = ""
ipl = ""
status_at = [24, 1]
output_rows = 23
status = { "CP read >>" = "CP READ", "CMS read >>" = "VM READ" }
logon_within = 5.0
"""


def test_a_status_elsewhere_and_no_password(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(DIALOGUE)
    given: list[str] = []

    def answer(key: str, text: str) -> list[bytes]:
        given.append(text)
        if text.startswith("LOGON"):
            said = [text, "LOGON AT 12:34:56 EST FRIDAY 06/11/82", "Ready;"]
            return [left_write(said, "CMS read >>")]
        if text == "LISTFILE":
            page = [text, *(f"FILE{n}" for n in range(21)), "Ready;"]
            return [left_write(page, "CMS read >>")]
        return [left_write([], "CP read >>")]

    host = Host3270(left_write(["", "EMULATED CMS"], ""), answer)
    try:
        dialogue = load_dialogue(str(file))
        with UserSession(dialogue.session, Address(LOCAL, host.port)) as session:
            session.logon("ME", "NEVER TYPED")
            assert session.user == "ME"
            assert session.command("LISTFILE").lines[-1] == "FILE20"
    finally:
        host.close()
    assert "LOGON ME" in given and "NEVER TYPED" not in given


def test_a_status_off_the_screen_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(DIALOGUE.replace("[24, 1]", "[25, 1]"))
    with pytest.raises(EmulatorError, match="status_at"):
        load_dialogue(str(file))
