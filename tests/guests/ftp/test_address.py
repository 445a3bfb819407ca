# SPDX-License-Identifier: MIT
"""Addresses of IPv6 that a client names to FTPSERVE (EPRT)."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.guests.ftp.conftest import FtpDrive

OURS = IPv6Network("fd00::/96")


def read(ftp: FtpDrive, text: str) -> tuple[bool, int, int]:
    """Whether TEXT begins with an address, what it stands for, and characters behind it."""
    good, ip, left = ftp.ask("A", data=text.encode("ascii").hex()).split()
    return good == "1", int(ip, 16), int(left)


@given(st.ip_addresses(v=6), st.ip_addresses(v=4), st.booleans())
def test_an_address_is_read_in_each_of_its_forms(
    ftp: FtpDrive, any_one: IPv6Address, host: IPv4Address, ours: bool
) -> None:
    address = OURS[int(host)] if ours else any_one
    wanted = int(host) if ours else int(any_one) % 2**32 if any_one in OURS else 0
    mixed = ":".join(address.exploded.split(":")[:6]) + f":{IPv4Address(int(address) % 2**32)}"
    for text in (str(address), address.exploded, address.exploded.upper(), mixed):
        assert read(ftp, f"{text}|4000|") == (True, wanted, len("|4000|"))
    if ours:
        assert read(ftp, f"fd00::{host}|") == (True, wanted, 1)


@given(st.text("0123afF:.", max_size=24))
@example("::")
@example("1:2:3:4:5:6:7:8:9")
@example("1:2:3:4:5:6:7::")
@example("1::2::3")
@example("::12345")
@example("1:2:3:4:5:6:7:1.2.3.4")
def test_other_text_is_no_address(ftp: FtpDrive, text: str) -> None:
    try:
        IPv6Address(text)
        wanted = True
    except ValueError:
        wanted = False
    good, _, left = read(ftp, text)
    assert (good and not left) == wanted


@pytest.mark.parametrize("text", ["", ":", "10.17.0.1", "fd00:", "g::1"])
def test_what_is_cut_off_is_no_address(ftp: FtpDrive, text: str) -> None:
    assert not read(ftp, text)[0]
