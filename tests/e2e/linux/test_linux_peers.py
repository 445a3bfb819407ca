# SPDX-License-Identifier: MIT
"""Linux 6.1 as a guest, and as the peer of VM/KB's FTP: a client and a server that nobody here
wrote, both directions, both modes, checksums; and how it ends when it ends badly.

Skipped, in words, where Debian's packages cannot be had."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.e2e.linux.linux_guest import typed
from vmkb.guests.base import Running, Wishes, driver
from vmkb.guests.vmkb.driver import VmkbDriver
from vmkb.hercules.deadline import wait_until
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.machine import RETYPE
from vmkb.hercules.guest import Guest, load_guest
from vmkb.hercules.warden import Warden
from vmkb.hercules.wire.process import WireProcess
from vmkb.workloads.base.guest import FTP_READY, OPERATOR, START_NETWORK, procedure
from vmkb.workloads.dxu.readout import Said, read_loopback
from vmkb.workloads.serve import Workload, execs
from vmkb.workloads.serve.plan import content
from vmkb.workloads.serve.reading import Reading, executed, grown, happened

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
VM, LINUX = "10.17.0.11", "10.17.0.2"
SILENCE = 60.0

_GIVEN = Workload().definition
#: Smaller than what is measured: a busy computer is to be through with them soon.
_SIZES = {"G24KB": 24576, "G2M_B": 393216, "G2M_A": 98304}
SMALL = tuple(c.model_copy(update={"bytes": _SIZES[c.id]}) for c in _GIVEN.case if c.id in _SIZES)
CASES = {c.source: c for c in SMALL}


@dataclass
class Pair:
    """Both guests on one wire."""

    vm: Running
    linux: Running
    wire: WireProcess

    def play(self, *words: str) -> list[str]:
        """What VM/KB's user types and sees of one procedure."""
        command = " ".join(words)
        user = "VMUSER1"
        return list(procedure(self.vm, user, user, command, execs.DONE, SILENCE, command))

    def typed(self, line: str) -> str:
        """What Linux answers to a line of its console."""
        return typed(self.linux, line)


@pytest.fixture(scope="module")
def pair(kernel: Guest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("peers")
    vmkb = load_guest("vmkb")
    hands = VmkbDriver(vmkb)
    volume = folder / "volume"
    workload = Workload(_GIVEN.model_copy(update={"case": SMALL}))
    hands.prepare(workload.contents(hands), volume)
    with Warden() as warden, WireProcess(profile="fast", seed=1) as wire:
        runs = []
        try:
            for guest, own, lines, parameter in (
                (vmkb, hands, wire.add_guest("vm"), f"TCPIP=213 IP={VM} MTU=1500"),
                (kernel, driver(kernel), wire.add_ctcm("linux"),
                 driver(kernel).parameter(Wishes(address=LINUX, mtu=1500))),
            ):  # fmt: skip
                place = folder / guest.name
                place.mkdir()
                runs.append(
                    own.start(guest.name, place, volume, lines, parameter, choose(),
                              (warden.held,))
                )  # fmt: skip
            vm, linux = runs
            mark = vm.log.mark()
            vm.logon(OPERATOR, OPERATOR).cp(START_NETWORK)
            vm.leave()
            for line in vm.follow(mark, FTP_READY, SILENCE, "FTPSERVE"):
                assert line is not None
            driver(kernel).bring_up(linux.machine)
            yield Pair(vm, linux, wire)
        finally:
            for running in runs:
                running.close()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


SERVER = (LINUX, "anonymous", "none", "PUB")


def test_vmkbs_client_and_linuxs_server(pair: Pair) -> None:
    """Binary and text put, then got: both sides have what they should."""
    sources = ("B24K", "A96K", "B384K")
    seeds = " ".join(f"{CASES[s].kind} {s}" for s in sources)
    assert pair.play(execs.SEED_NAME, *SERVER, seeds)[-1].endswith(f"{execs.DONE}0")
    hands = driver(pair.linux.guest)
    plain = [hands.checksum(hands.stored(content(CASES[s]))) for s in sources]
    assert sorted(hands.checksums(pair.linux, [f"{s}.SOURCE" for s in sources])) == sorted(plain)
    for source in sources:
        case = CASES[source]
        lines = pair.play(execs.NAME, *SERVER, "GET", case.kind, "2", source, "0")
        assert lines[-1].endswith(f"{execs.DONE}0"), lines[-5:]
        got = driver(pair.vm.guest).digests(
            pair.vm.image, "VMUSER1", [("F001", "OUT"), ("F002", "OUT")]
        )
        right = digest(driver(pair.vm.guest).stored(content(case)))
        assert {each[0] for each in got.values() if each} == {right}
        assert len([each for each in got.values() if each]) == 2


def test_linux_sends_to_itself_over_lo_onto_the_null_file(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three times: each is another client, and one only, however often it is asked for."""
    size, files = 393216, 2
    hands = driver(pair.linux.guest)

    def crossed() -> int:
        said = pair.typed("cat /sys/class/net/lo/statistics/tx_bytes")
        return int(re.findall(r"^(\d+)$", said, re.M)[0])

    for patience in (RETYPE, 0.02, RETYPE):
        monkeypatch.setattr("vmkb.guests.linux.driver.RETYPE", patience)
        before = crossed()
        with hands.loopback(pair.linux, size, files) as client:
            assert crossed() - before < size, "it has begun before it was told to"
            hands.begin_count(pair.linux)
            client.go()
            hands.end_count(pair.linux)
            work = read_loopback(Said(client.said(), ""), size, files, "T")
        assert work.broken == () and work.elapsed is not None and work.elapsed.value > 0
        assert files * size < crossed() - before < (files + 1) * size


@pytest.mark.parametrize(("source", "mode"), [("B24K", "i"), ("B384K", "i"), ("A96K", "a")])
def test_linuxs_client_and_vmkbs_server(pair: Pair, source: str, mode: str) -> None:
    """What it gets is the same at both ends, and what it puts to one whose disk nobody has."""
    file = content(CASES[source])
    plain = driver(pair.linux.guest).stored(file)
    url = f"ftp://VMUSER1:VMUSER1@{VM}/"
    pair.typed(f"cd /tmp; tnftp -V -o X.BACK '{url}{source}.SOURCE;type={mode}' >/tmp/said 2>&1")
    said = pair.typed("sha256sum /tmp/X.BACK")
    assert digest(plain) in said, pair.typed("tail -n 2 /tmp/said")
    kind = "binary" if mode == "i" else "ascii"
    pair.typed(f"echo 'open {VM}' >s; echo 'user VMUSER2 VMUSER2' >>s; echo {kind} >>s")
    pair.typed(
        f"echo 'put X.BACK X{source[:5]}.BACK' >>s; echo bye >>s; tnftp -n -V <s >/tmp/said 2>&1"
    )
    name = (f"X{source[:5]}", "BACK")
    found = driver(pair.vm.guest).digests(pair.vm.image, "VMUSER2", [name])[name]
    assert found is not None and found[0] == digest(driver(pair.vm.guest).stored(file)), pair.typed(
        "tail -n 2 /tmp/said"
    )


def test_a_count_can_be_had_and_is_small(pair: Pair) -> None:
    """Two readings at once differ by what an answer costs, some of that in user mode; what it takes
    to look is before it. The clock ticks."""
    hands = driver(pair.linux.guest)
    hands.begin_count(pair.linux)
    one, two = (Reading(executed(said), 0.0, said) for said in
                (hands.count(pair.linux, word) for word in ("one", "two")))  # fmt: skip
    hands.end_count(pair.linux)
    assert 0 < two.user[0] - one.user[1] < grown(one, two) < 5_000_000
    assert 0 < one.user[1] - one.user[0] < one.ended - one.total < 5_000_000
    assert happened(one, two)["clock"] > 0
    assert sum(hands.shares(pair.linux).values()) > 0


@pytest.mark.parametrize("verb", ["GET", "PUT"])
def test_a_server_that_dies_in_mid_transfer(pair: Pair, verb: str) -> None:
    """Its bytes are on the wire when it dies: the client says that the file did not come whole, and
    ends with an error; one that is started again serves."""
    pair.play(execs.SEED_NAME, *SERVER, "I B384K")
    side = "bytes_in" if verb == "GET" else "bytes_out"
    already = pair.wire.counters()["ports"]["linux"][side]
    pair.wire.set_profile("linux", "ethernet-10", rate=2e5)  # 16 s
    killed = threading.Event()

    def kill() -> None:
        wait_until(
            lambda: pair.wire.counters()["ports"]["linux"][side] > already + 50_000,
            SILENCE, "bytes of the file",
        )  # fmt: skip
        pair.linux.machine.operator("killall vsftpd; echo KILLED", "^KILLED", SILENCE)
        killed.set()

    killer = threading.Thread(target=kill)
    killer.start()
    lines = pair.play(execs.NAME, *SERVER, verb, "I", "1", "B384K", "0")
    killer.join()
    pair.wire.set_profile("linux", "fast")
    moved = pair.wire.counters()["ports"]["linux"][side] - already
    assert killed.is_set() and 50_000 < moved < 380_000
    assert execs.DONE in lines[-1] and not lines[-1].endswith(f"{execs.DONE}0"), lines[-8:]
    assert not any("bytes transferred in" in line for line in lines), lines[-8:]
    pair.typed("vsftpd /etc/vsftpd.conf")
    assert pair.play(execs.SEED_NAME, *SERVER, "I B24K")[-1].endswith(f"{execs.DONE}0")
