# SPDX-License-Identifier: MIT
"""The guest that peers made by hand talk to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.net_guest import NetGuest, net_guest


@pytest.fixture(scope="module", params=["213", "221"])
def net(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[NetGuest]:
    """One guest with each release of lwIP."""
    with net_guest(tmp_path_factory.mktemp("net"), f"TCPIP={request.param}") as net:
        yield net
