# SPDX-License-Identifier: MIT
"""Where FTPSERVE's data connections go behind a translation of addresses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.ftp.conftest import FtpDrive

GATEWAY, LOOPBACK, OWN, NEAR = 0x0A1100FE, 0x7F000001, 0x0A110001, 0x0A110002
BOTH = "MODEL=HOST PASV=15000-15002 NAT=10.17.0.254,127.0.0.1 MTU=4000"


def _ask(ftp: FtpDrive, text: str, ports: int, peer: int, address: int) -> list[str]:
    return ftp.ask("P", ports, peer, address, data=text.encode("ascii").hex()).split()


def test_ports_of_the_range_come_in_turn(ftp: FtpDrive) -> None:
    good, count, _, _, *ports = _ask(ftp, BOTH, 5, NEAR, OWN)
    assert (good, count) == ("1", "3")
    assert ports == ["15000", "15001", "15002", "15000", "15001"]


def test_a_client_behind_the_gateway_is_told_and_believed_its_own_view(ftp: FtpDrive) -> None:
    _, _, announced, _ = _ask(ftp, BOTH, 0, GATEWAY, OWN)
    assert int(announced, 16) == LOOPBACK
    _, _, _, client = _ask(ftp, BOTH, 0, GATEWAY, LOOPBACK)
    assert int(client, 16) == GATEWAY


def test_a_client_of_the_lan_sees_no_translation(ftp: FtpDrive) -> None:
    _, _, announced, client = _ask(ftp, BOTH, 0, NEAR, OWN)
    assert int(announced, 16) == int(client, 16) == OWN
    # it cannot have data sent to this computer's own services
    _, _, _, client = _ask(ftp, BOTH, 0, NEAR, LOOPBACK)
    assert int(client, 16) == LOOPBACK


def test_without_parameters_tcpip_chooses(ftp: FtpDrive) -> None:
    assert _ask(ftp, "", 2, GATEWAY, OWN) == ["1", "1", "a110001", "a110001", "0", "0"]


@pytest.mark.parametrize(
    "text",
    ["PASV=", "PASV=1-2", "PASV=15000", "PASV=15002-15000", "PASV=15000-65536", "PASV=15000-15001X",
     "NAT=10.17.0.254", "NAT=10.17.0.254,127.0.0", "NAT=10.17.0.254,127.0.0.256",
     "NAT=0.0.0.0,1.2.3.4",
     "PASV=15000-15002 NAT=X"],
)  # fmt: skip
def test_a_wrong_parameter_is_not_used_at_all(ftp: FtpDrive, text: str) -> None:
    assert _ask(ftp, text, 1, GATEWAY, OWN) == ["0", "1", "a110001", "a110001", "0"]


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60))
def test_any_parameter_is_read_to_its_end_and_no_further(ftp: FtpDrive, text: str) -> None:
    for prefix in ("", "PASV=", "NAT=", "PASV=15000-", "NAT=1.2.3.4,"):
        assert _ask(ftp, prefix + text, 1, GATEWAY, OWN)[0] in ("0", "1")
