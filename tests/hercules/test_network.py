# SPDX-License-Identifier: MIT
"""Which ports of this computer lead to a guest."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import Network
from vmkb.hercules.network import (
    Plan,
    Publish,
    Reach,
    forget,
    greets,
    keep,
    noted,
    plan_passt,
    plan_tap,
)  # fmt: skip
from vmkb.hercules.ports import Ports


def network(usual: int) -> Network:
    return Network.model_validate(
        {
            "address": "10.17.0.1/24", "gateway": "10.17.0.254", "start": "XAUTOLOG TCPIP",
            "parameter": "PASV={first}-{last} NAT={gateway},{host}", "forwarded": 4,
            "services": [{"name": "FTP", "port": 21, "publish": usual, "ready": "READY",
                          "use": ["curl ftp://{host}:{port}/"]}],
        }
    )  # fmt: skip


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        yield int(other.getsockname()[1])


def test_ports_as_people_write_them() -> None:
    assert Publish.parse("2121:21") == Publish(2121, 21)


@pytest.mark.parametrize("text", ["", "21", "2121:", ":21", "a:b", "0:21", "2121:65536", "1:2:3"])
def test_what_is_no_pair_of_ports_is_told_so(text: str) -> None:
    with pytest.raises(ValueError, match=r"HOST:GUEST|1 to 65535"):
        Publish.parse(text)


def test_a_usual_port_that_is_taken_gives_way(taken: int) -> None:
    plan = plan_passt(network(taken), [])
    assert plan.port(21) not in (21, taken)
    assert plan.data is not None and plan.data[1] - plan.data[0] == 3


def test_a_wanted_port_that_is_taken_is_an_error(taken: int) -> None:
    with pytest.raises(EmulatorError, match=rf"Port {taken} .* taken .*--publish PORT:80"):
        plan_passt(network(2121), [Publish(taken, 80)])


def test_a_port_wanted_twice_is_an_error(taken: int) -> None:
    free = plan_passt(network(taken), []).port(21)
    with pytest.raises(EmulatorError, match="twice"):
        plan_passt(network(2121), [Publish(free, 21), Publish(free, 23)])


def test_a_wanted_port_takes_the_place_of_the_usual_one(taken: int) -> None:
    free = plan_passt(network(taken), []).port(21)
    plan = plan_passt(network(free), [Publish(free, 80)])
    assert plan.port(80) == free
    assert plan.port(21) not in (21, free)


def test_what_one_boot_has_planned_another_does_not_take(taken: int) -> None:
    """Two that begin at once find the same ports free, and only one can have them."""
    usual = plan_passt(network(taken), []).port(21)
    with Ports() as ports:
        plan = plan_passt(network(usual), [], ports)
        assert plan.port(21) == usual and plan.data is not None
        with Ports() as others:
            other = plan_passt(network(usual), [], others)
            assert other.port(21) != usual and other.data is not None
            assert set(range(*plan.data)).isdisjoint(range(*other.data))
        with pytest.raises(EmulatorError, match=f"Port {usual} .* being taken by another vmkb"):
            plan_passt(network(taken), [Publish(usual, 21)])
    assert plan_passt(network(usual), []).port(21) == usual


def test_data_ports_keep_their_numbers_and_the_guest_is_told() -> None:
    plan = Plan("passt", "127.0.0.1", (Publish(2121, 21),), (15000, 15003))
    options = plan.passt_options(network(2121))
    assert "127.0.0.1/2121:21" in options
    assert "127.0.0.1/15000-15003" in options
    assert plan.parameter(network(2121)) == "PASV=15000-15003 NAT=10.17.0.254,127.0.0.1"


def test_on_a_tap_device_the_guest_is_reached_at_its_own_ports() -> None:
    plan = plan_tap(network(2121))
    assert (plan.address, plan.port(21), plan.parameter(network(2121))) == ("10.17.0.1", 21, "")


@pytest.mark.parametrize(
    "reach",
    [
        Reach(),
        Reach(Plan("tap", "10.17.0.1"), "/tmp/lan.pcapng"),
        Reach(Plan("passt", "127.0.0.1", (Publish(2121, 21),), (15000, 15003))),
    ],
)
def test_what_is_noted_comes_back(tmp_path: Path, reach: Reach) -> None:
    keep(tmp_path, reach)
    assert noted(tmp_path) == reach
    forget(tmp_path)
    assert noted(tmp_path) == Reach()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"plan": {"by": "x"}, "capture": null}', "\x00"])
def test_a_note_of_another_release_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "network.json").write_text(text)
    assert noted(tmp_path) == Reach()


def test_a_server_that_does_not_answer_is_named(taken: int) -> None:
    with pytest.raises(EmulatorError, match=rf"FTP at 127\.0\.0\.1 port {taken} .* says nothing"):
        greets("127.0.0.1", taken, "FTP", 0.2)


JOINING = """
import threading
from vmkb.hercules.network import Joining, plan_passt
from tests.hercules.test_network import network

class Wire:
    def add_passt(self, *args):
        threading.Event().wait()

guest = network(2121)
joining = Joining(plan_passt(guest, ()), guest, Wire())
print("waits", flush=True)
joining.joined()
"""


def test_ctrl_c_ends_who_waits_for_a_host_that_does_not_come() -> None:
    """Also when what joins it is never heard of again."""
    words = [sys.executable, "-c", JOINING]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, **pipes) as child:  # type: ignore[call-overload]
        try:
            assert child.stdout.readline() == "waits\n"
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=20)
        finally:
            child.kill()
    assert "KeyboardInterrupt" in said
