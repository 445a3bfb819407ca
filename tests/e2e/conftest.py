# SPDX-License-Identifier: MIT
"""Guests that several files' tests use, one for each file."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import pytest

from tests.e2e.black_box import told
from tests.e2e.ftp_client_peers import FtpUser, Lan, lan
from tests.e2e.net_guest import NetGuest, net_guest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What guests and wires said is part of a failure's report."""
    report = yield
    if report.failed:
        report.sections.extend(told(getattr(item, "funcargs", {})))
    return report


@pytest.fixture(scope="module")
def file_net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetGuest]:
    """One guest with TCPIP and FTPSERVE for a file."""
    with net_guest(tmp_path_factory.mktemp("net")) as net:
        yield net


@pytest.fixture
def net(file_net: NetGuest) -> Iterator[NetGuest]:
    """The file's guest; after each test nothing is held and the accounts add up."""
    before = file_net.in_use()
    yield file_net
    file_net.wait_as_before(before, 60)


@pytest.fixture(scope="module")
def file_lan(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lan]:
    """One guest for a file, whose users are clients of servers here."""
    with lan(tmp_path_factory.mktemp("lan")) as found:
        yield found


@pytest.fixture(scope="module")
def user(file_lan: Lan) -> Iterator[FtpUser]:
    """Its user at a terminal."""
    found = FtpUser(file_lan, "VMUSER1", 0x0701)
    yield found
    found.close()
