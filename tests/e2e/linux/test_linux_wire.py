# SPDX-License-Identifier: MIT
"""Linux on the wire: to another Linux, to this computer by TAP and by passt, and to the same again
after a restart. Each moves real bytes, and both ends say which."""

from __future__ import annotations

import ftplib
import hashlib
import http.server
import io
import os
import random
import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.linux.linux_guest import WITHIN, running, typed
from tests.e2e.system import free_ports, needed, tap_needed
from vmkb.guests.base import Running, Wishes, driver
from vmkb.hercules.deadline import wait_until
from vmkb.hercules.guest import Guest, Network
from vmkb.hercules.network import Publish, greets, plan_passt
from vmkb.hercules.wire.client import WireError
from vmkb.hercules.wire.process import WireProcess

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
#: Of this process alone: others that run tests have TAP devices too.
NET = f"10.{20 + os.getpid() % 60}.{os.getpid() // 60 % 250}"
SERVER, CLIENT, TAP, GATEWAY = (f"{NET}.{host}" for host in (2, 3, 254, 253))
FTP, TELNET = 21, 23
DATA = random.Random("linux on the wire").randbytes(300_001)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Lan:
    """A wire with a Linux that serves, and the lines for another one."""

    wire: WireProcess
    server: Running
    lines: tuple[str, ...]
    network: Network
    published: tuple[Publish, ...]
    passt: list[str]

    def sum(self, linux: Running, name: str) -> str:
        """SHA-256 of a file, as Linux has it."""
        found = re.search(r"^([0-9a-f]{64}) ", typed(linux, f"sha256sum {name}"), re.M)
        assert found is not None, name
        return found[1]

    def fetches(self, linux: Running, name: str) -> str:
        """Linux gets a file of the server's and puts it back; the one sum that all three have."""
        at = "cd /tmp; "
        typed(linux, f"{at}tnftp -V -o {name} ftp://{SERVER}/pub/{name} >said 2>&1")
        typed(linux, f"{at}(echo open {SERVER}; echo user anonymous none; echo binary) >s")
        typed(linux, f"{at}(echo cd pub; echo put {name} {name}.2; echo bye) >>s")
        typed(linux, f"{at}tnftp -n -V <s >said 2>&1")
        sums = {
            self.sum(self.server, f"/srv/ftp/pub/{name}"), self.sum(linux, f"/tmp/{name}"),
            self.sum(self.server, f"/srv/ftp/pub/{name}.2"),
        }  # fmt: skip
        assert len(sums) == 1, typed(linux, "tail -n 2 /tmp/said")
        return sums.pop()


@pytest.fixture(scope="module")
def lan(kernel: Guest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lan]:
    folder = tmp_path_factory.mktemp("wire")
    assert kernel.network is not None
    ours = {"address": f"{SERVER}/24", "gateway": GATEWAY}
    network = Network.model_validate({**kernel.network.model_dump(), **ours})
    plan = plan_passt(network, tuple(map(Publish, free_ports(2), (FTP, TELNET))))
    words = f"{plan.parameter(network)} IP={SERVER}/24 MTU=1500"
    with WireProcess(profile="fast", seed=1) as wire, ExitStack() as until_end:
        lines = tuple(wire.add_ctcm("server"))
        server = until_end.enter_context(running(kernel, folder / "server", lines, parameter=words))
        driver(kernel).bring_up(server.machine)
        yield Lan(
            wire, server, tuple(wire.add_ctcm("client")), network, plan.published,
            plan.passt_options(network),
        )  # fmt: skip


def transfer(host: str, port: int, name: str) -> bytes:
    """Puts DATA to the FTP server as NAME; what is then got."""
    got = io.BytesIO()
    with ftplib.FTP(timeout=WITHIN) as client:
        client.connect(host, port)
        client.login("anonymous", "none")
        client.cwd("pub")
        client.storbinary(f"STOR {name}", io.BytesIO(DATA))
        client.retrbinary(f"RETR {name}", got.write)
        client.quit()
    return got.getvalue()


def test_linux_and_linux_and_the_same_after_a_restart(
    kernel: Guest, lan: Lan, tmp_path: Path
) -> None:
    """Its port is released by the one and taken by the other; the wire counts two arrivals."""
    typed(lan.server, "head -c 400000 /dev/urandom >/srv/ftp/pub/one.bin")
    wishes = Wishes(address=CLIENT, mtu=1500)
    sums = []
    for start in ("first", "second"):
        with running(kernel, tmp_path / start, lan.lines, wishes) as client:
            driver(kernel).bring_up(client.machine)
            sums.append(lan.fetches(client, "one.bin"))
            port = lan.wire.counters()["ports"]["client"]
            assert port["connected"] and port["bytes_in"] > 400_000
        wait_until(
            lambda: not lan.wire.ports()["client"]["connected"], WITHIN, "the port to be free"
        )
    assert sums[0] == sums[1]
    assert lan.wire.counters()["ports"]["client"]["blocks"]["arrivals"] == 2


def test_this_computer_by_tap(lan: Lan) -> None:
    """A client here and Linux' server, Linux' client and a server here."""
    tap_needed("passt has a test of its own")
    lan.wire.add_tap("host", f"{TAP}/24", mtu=1500)
    greets(SERVER, FTP, "FTP", WITHIN)
    assert transfer(SERVER, FTP, "by.tap") == DATA
    assert lan.sum(lan.server, "/srv/ftp/pub/by.tap") == digest(DATA)

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(DATA)))
            self.end_headers()
            self.wfile.write(DATA)

        def log_message(self, form: str, *arguments: object) -> None:
            """Nobody reads it."""

    with http.server.ThreadingHTTPServer((TAP, 0), Page) as here:
        threading.Thread(target=here.serve_forever, daemon=True).start()
        try:
            typed(lan.server, f"wget -q -O /tmp/page http://{TAP}:{here.server_port}/")
        finally:
            here.shutdown()
    assert lan.sum(lan.server, "/tmp/page") == digest(DATA)


def test_this_computer_by_passt(lan: Lan) -> None:
    """Without root, at a port of the loopback address."""
    needed("passt")
    try:
        lan.wire.add_passt("passt", f"{SERVER}/24", GATEWAY, lan.passt)
    except WireError as error:
        pytest.skip(f"passt does not run here: {error}")
    typed(lan.server, f"ping -c 1 -W 1 {GATEWAY} >/dev/null")  # now passt knows who is there
    port = next(each.host for each in lan.published if each.guest == FTP)
    greets("127.0.0.1", port, "FTP", WITHIN)
    assert transfer("127.0.0.1", port, "by.passt") == DATA
    assert lan.sum(lan.server, "/srv/ftp/pub/by.passt") == digest(DATA)
