# SPDX-License-Identifier: MIT
"""SET HOST between two VM/KBs, and with the Python node: sessions, what goes over the wire, refusals."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hercules.decnet.cterm import Host, Terminal
from hercules.decnet.node import WireNode
from hercules.decnet.packets import address
from hercules.volume.manifest import document
from tests.e2e.sethost_guest import (
    FAR,
    NODES,
    PYTHON_NODE,
    Pair,
    Visitor,
    counts,
    pair,
    password,
    user,
)

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def systems(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """The two systems, for all tests of this file; each has users of its own."""
    with pair(tmp_path_factory.mktemp("sethost") / "pair") as running:
        yield running


def test_session_of_a_3270(systems: Pair, tmp_path: Path) -> None:
    capture = tmp_path / "session.pcapng"
    systems.wire.start_capture(capture)
    visitor = Visitor(systems, 1)
    visitor.set_host()
    visitor.logon()
    assert any(line.startswith("TIME IS") for line in visitor.command("CP QUERY TIME"))
    shown = visitor.command("TYPE DOC1K TEXT E")
    wanted = [line.rstrip() for line in document(1024).splitlines()]
    assert [line for line in shown if line] == [line for line in wanted if line]
    mark = visitor.console.type("LOGOFF")
    visitor.wait("CONTROL RETURNED TO NODE LNS53", mark)
    assert any("TIME IS" in line for line in visitor.console.ask("QUERY TIME"))
    assert password(1) not in "".join(visitor.console.lines)
    said = counts(visitor.console)
    assert said["MALFORMED"] == said["VIOLATIONS"] == 0
    visitor.close()
    systems.wire.stop_capture()
    decoded(capture)


def decoded(capture: Path) -> None:
    """tshark's DECnet dissector finds data of ours and nothing malformed."""
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    done = subprocess.run(
        ["tshark", "-r", capture, "-Y", "dec_dna", "-T", "fields", "-e", "dec_dna.nsp.msg_type",
         "-e", "_ws.malformed"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert len(lines) > 20
    assert not [line for line in lines if "alformed" in line]
