# SPDX-License-Identifier: MIT
"""Linux 6.1 in a machine of VM/KB under SIE: it starts, serves, is counted to the instruction, and
its bad days are its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e import system
from vmkb.accounting.profile import counts
from vmkb.accounting.store import read
from vmkb.guests.base import Running, Wishes, driver
from vmkb.guests.linux.driver import LinuxDriver
from vmkb.guests.linuxkb.driver import SYSTEM, USER, LinuxKbDriver
from vmkb.guests.vmkb.hosted import hosting
from vmkb.hercules.clock.guest import GuestClock, WorldClock
from vmkb.hercules.clock.lan import CTCM_READ, CTCM_WRITE, WorldLan
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import HOST, EmulatorError, on
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.emulator.choice import Emulator, choose, exact_build, profiling
from vmkb.hercules.emulator.config import LAN_CTC
from vmkb.hercules.guest import Guest, load_guest
from vmkb.workloads.base.profile.kept import COUNTS
from vmkb.workloads.base.progress import Plain
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.base.virtual import pace
from vmkb.workloads.serve import Workload

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
TOD = 3192422400 * 16_000_000
WITHIN = 30.0
CPS_STORAGE = 64 << 20
TAIL = 200
"""More than what CP executes behind a sum of its accounts until it rests: the answer's lines."""


@pytest.fixture(scope="module", autouse=True)
def _exact(kernel: Guest) -> None:
    """Skip without the emulator that has virtual time."""
    if not choose().exact:
        pytest.skip("the counting emulator is not built")


class Hosted(NamedTuple):
    """VM/KB with Linux, in a world of its own."""

    hands: LinuxKbDriver
    running: Running
    clock: GuestClock

    def cp(self, command: str, last: str) -> list[str]:
        """What the operator reads behind COMMAND up to a line that LAST matches."""
        log = self.running.machine.log
        mark = log.mark()
        self.running.machine.operator(command)
        self.running.machine.wait_log(last, WITHIN, mark)
        return list(log.since(mark))

    def linux(self, line: str) -> list[str]:
        """What Linux answers to LINE."""
        name = self.hands.said
        said = self.cp(f"SEND {USER} {line}; echo DONE", f"^{name}DONE")
        return [each.removeprefix(name) for each in said if each.startswith(name)][:-1]

    def begin(self) -> None:
        """Start Linux, where none runs."""
        mark = self.running.machine.log.mark()
        self.running.machine.operator(f"XAUTOLOG {USER} IPL {SYSTEM}")
        self.running.machine.wait_log("is up", WITHIN, mark)

    def force(self) -> None:
        """End its machine."""
        self.cp(f"FORCE {USER}", f"LOGOFF AS {USER}")

    def executed(self) -> dict[str, int]:
        """Instructions of each of CP's accounts."""
        said = "\n".join(self.cp("QUERY ACNT", "^SUM "))
        rows = re.findall(r"^(\S+) +\d+ +\d+ +(\d+) +\d+ *$", said, re.M)
        return {who: int(count) for who, count in rows}


@contextmanager
def hosted(
    kernel: Guest, folder: Path, emulator: Emulator | None = None, release: str = "6.1"
) -> Iterator[Hosted]:
    """Linux up in FOLDER."""
    folder.mkdir(parents=True)
    (choice,) = driver(load_guest("linuxkb")).choices([release])
    hands = driver(choice.guest)
    assert isinstance(hands, LinuxKbDriver)
    world = World(TOD, 1)
    lan = WorldLan(world, "lan", "fast", 1)
    lines = [f"{number:04X} {LAN_CTC} ctcm" for number in (CTCM_READ, CTCM_WRITE)]
    words = hands.parameter(Wishes(address="10.17.0.2", mtu=1500))
    with on(WorldClock(world)):
        clock = GuestClock(world, "vmkb", pace("2064-109"))
        lan.join("vmkb", clock, "ctcm")
        running = hands.start("vmkb", folder, folder, lines, words, emulator or choose(), (), clock)
        try:
            yield Hosted(hands, running, clock)
        finally:
            running.close()


@pytest.fixture(scope="module")
def shared(kernel: Guest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One Linux for all tests that leave one behind."""
    with hosted(kernel, tmp_path_factory.mktemp("shared") / "vmkb") as vm, on(HOST):
        yield vm


@pytest.fixture
def vm(shared: Hosted) -> Iterator[Hosted]:
    """Waits are measured by its world's clock."""
    with on(WorldClock(shared.clock.world)):
        yield shared


def tallies(said: list[str]) -> dict[str, tuple[int, int]]:
    """INDICATE SIE's table: times and instructions by cause."""
    rows = re.findall(r"^(\S+(?: \S+)?) +(\d+) +(\d+)$", "\n".join(said), re.M)
    return {cause: (int(times), int(instr)) for cause, times, instr in rows}


def test_accounts_add_up_to_the_emulators_count(kernel: Guest, tmp_path: Path) -> None:
    with hosted(kernel, tmp_path / "vmkb") as vm:
        vm.force()
        first = vm.executed()
        started = vm.clock.node.instructions
        vm.begin()
        assert vm.linux("echo $((6 * 7))") == ["42"]
        vm.linux("sleep 4")
        causes = tallies(vm.cp(f"INDICATE SIE {USER}", "^TOTAL"))
        vm.force()
        last = vm.executed()
        grown = vm.clock.node.instructions - started
    entries = sum(times for cause, (times, _) in causes.items() if cause != "TOTAL")
    assert causes["SIGP"][0] > 100 and causes["WAIT"][0] > 10
    assert causes["TOTAL"] == (entries, sum(i for c, (_, i) in causes.items() if c != "TOTAL"))
    # each entry is two instructions of CP's: one that is charged twice or not at all shows
    assert 2 * entries > TAIL, causes
    assert last["TOTAL"] - first["TOTAL"] == pytest.approx(grown, abs=TAIL)
    assert last["*RETIRED"] - first["*RETIRED"] > 150_000_000


def test_its_own_count_is_that_of_the_same_kernel_native(
    vm: Hosted, kernel: Guest, tmp_path: Path
) -> None:
    """A loop of a shell's: what CP charges to the machine is what the machine executes natively."""
    loop = "i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done"

    def virt(vm: Hosted) -> float:
        return vm.hands.shares(vm.running)["Linux"]

    vm.linux(loop)
    before = virt(vm)
    vm.linux(loop)
    under = virt(vm) - before
    folder = tmp_path / "linux"
    folder.mkdir()
    hands, world = driver(kernel), World(TOD, 1)
    with on(WorldClock(world)):
        clock = GuestClock(world, "linux", pace("2064-109"))
        running = hands.start("linux", folder, folder, (), None, choose(), (), clock)
        try:

            def run() -> int:
                running.machine.operator(f"{loop}; echo LOOPED")
                running.machine.wait_log("^LOOPED", WITHIN, running.machine.log.mark())
                return clock.node.instructions

            run()
            native = -run()
            native += run()
        finally:
            running.close()
    assert under == pytest.approx(native, rel=0.001)


def test_its_profile_is_its_count(kernel: Guest, tmp_path: Path) -> None:
    """To the instruction, and its own, in either state, is VIRT."""
    build = exact_build()
    assert build is not None
    used = re.compile(r"^(?:VIRT|TOTAL) +\d+ US (\d+) INSTR", re.M)
    with hosted(kernel, tmp_path / "vmkb", profiling(build)) as vm:

        def count() -> list[int]:
            said = vm.cp(f"QUERY TIME {USER} (FULL", "^MODEL ")
            return [int(n) for n in used.findall("\n".join(said))]

        virt, total = count()
        vm.linux("for i in 1 2 3; do dd if=/dev/zero of=/tmp/x bs=65536 count=16; done")
        grown = [after - before for after, before in zip(count(), (virt, total), strict=True)]
        cp, system, programs = counts.read((vm.running.folder / COUNTS).read_bytes())[-3:]
    assert [s.userid for s in (cp, system, programs)] == [USER, counts.KERNEL, counts.PROGRAMS]
    assert grown[0] > 1_000_000 and grown[1] > grown[0]
    assert cp.total + system.total + programs.total == pytest.approx(grown[1], abs=TAIL)
    assert system.total + programs.total == pytest.approx(grown[0], abs=TAIL)
    assert max(cp.counts) < CPS_STORAGE and min(programs.total, system.total) > 100_000


def test_its_meter_reads_its_own_count(vm: Hosted) -> None:
    """And ends by one word, however often it was asked for: a busy computer has it typed again."""
    for _ in range(2):
        LinuxDriver.begin_count(vm.hands, vm.running)
    before = vm.hands.shares(vm.running)["Linux"]
    said = LinuxDriver.count(vm.hands, vm.running, "A").split()
    after = vm.hands.shares(vm.running)["Linux"]
    first, last = int(said[-4]), int(said[-2])
    assert before < first < last <= after < before + 5_000_000
    LinuxDriver.end_count(vm.hands, vm.running)
    assert vm.linux("cd /tmp") == [] and vm.linux("pwd") == ["/tmp"]


def test_files_by_each_of_three_networks(kernel: Guest, tmp_path: Path) -> None:
    """To the client: test_force_ puts one."""
    known = Workload().definition
    (case,) = (
        c.model_copy(update={"bytes": 98304, "files": 2}) for c in known.case if c.id == "G2M_B"
    )
    workload = Workload(known.model_copy(update={"case": (case,)}))
    asked = Asked(guests=("linuxkb",), releases="6.1KB,6.1KBSLOW,6.1KBVIRT", trials=1)
    settings = workload.settings(asked)
    run = Run(workload, settings, load_guest("vmkb"), tmp_path)
    with Plain([p.case.id for p in run.plan]) as shown:
        run.run(shown)
    trials = read(tmp_path).trials
    assert [t.status for t in trials] == ["good"] * 3, [t.why for t in trials]
    costs = {t.release: json.loads(t.params["machine"]) for t in trials}
    fast, slow, virtual = (costs[name] for name in ("6.1KB", "6.1KBSLOW", "6.1KBVIRT"))
    assert fast["cp"] < 0.98 * slow["cp"]
    assert fast["virt"] > 5 * fast["cp"] > 0
    assert 0 < virtual["cp"] < fast["cp"]
    assert virtual["rest"] > fast["rest"]


TWIN = """\
USER TWIN{0} TWIN{0} 256M 256M G
 MACHINE Z
 CONSOLE 0009 3215 T OPERATOR
"""
FACTORS = {"TWIN1": 1.5, "TWIN2": 0.25}


def test_two_at_once_have_their_own_registers(kernel: Guest, tmp_path: Path) -> None:
    """Both count with floating-point numbers; the CPU's registers for them are one set."""
    guest = hosting(system.delivered(), {SYSTEM: kernel}, tmp_path / "made", 2 * 258)
    run = tmp_path / "run"
    directory = system.HEAD + system.OPERATORS + "".join(TWIN.format(n) for n in (1, 2))
    system.image(system.source(tmp_path, system.VOLUME.format(8192), directory), run)
    world = World(TOD, 1)
    sums = "awk 'BEGIN { for (i = 1; i <= 10000; i++) s += @ / i; print s }'"
    with on(WorldClock(world)):
        clock = GuestClock(world, "vmkb", pace("2064-109"))
        machine = boot(guest, run, keep=True, virtual=clock)
        try:
            for user in FACTORS:
                machine.operator(f"XAUTOLOG {user} IPL {SYSTEM}")
            for user in FACTORS:
                machine.wait_log(f"^{user}   : VMKB: Linux .* is up", WITHIN)
            for user, factor in FACTORS.items():
                machine.operator(f"SEND {user} {sums.replace('@', str(factor))}")
            for user, factor in FACTORS.items():
                said = machine.wait_log(rf"^{user}   : [0-9.]+$", WITHIN)
                wanted = factor * sum(1 / i for i in range(1, 10001))
                assert float(said.split()[-1]) == pytest.approx(wanted, rel=1e-4)
        finally:
            machine.stop()


def test_a_later_kernel(kernel: Guest, tmp_path: Path) -> None:
    try:
        driver(load_guest("linux")).choices(["6.12"])
    except EmulatorError as error:
        pytest.skip(f"Linux 6.12 cannot be made here: {error}")
    with hosted(kernel, tmp_path / "vmkb", release="6.12") as vm:
        assert vm.linux("uname -r")[0].startswith("6.12.")
        assert vm.linux("echo $((6 * 7))") == ["42"]


def test_it_lives_for_minutes(vm: Hosted) -> None:
    """Each minute Linux asks for the machine's topology."""
    vm.running.machine.operator(f"SEND {USER} sleep 130; echo LIVES")
    vm.running.machine.wait_log(f"^{vm.hands.said}LIVES", 200.0)


def test_a_loop_leaves_time_to_others_and_ends_by_force(vm: Hosted) -> None:
    vm.running.machine.operator(f"SEND {USER} while :; do :; done")
    assert any("LINUX1" in line for line in vm.cp("QUERY NAMES", USER))
    vm.force()
    vm.begin()


def test_force_while_a_file_comes_by_its_own_ctc(kernel: Guest, tmp_path: Path) -> None:
    """What the adapter still does is no longer written anywhere; the next Linux has it again."""
    (choice,) = driver(load_guest("linuxkb")).choices(["6.1"])
    world = World(TOD, 1)
    lan = WorldLan(world, "lan", "fast", 1)
    lines = [f"{number:04X} {LAN_CTC} ctcm" for number in (CTCM_READ, CTCM_WRITE)]
    with ExitStack() as stack:
        stack.enter_context(on(WorldClock(world)))
        both = []
        for host, guest in enumerate((choice.guest, kernel), start=2):
            folder, hands = tmp_path / f"host{host}", driver(guest)
            folder.mkdir()
            clock = GuestClock(world, folder.name, pace("2064-109"))
            lan.join(folder.name, clock, "ctcm")
            words = hands.parameter(Wishes(address=f"10.17.0.{host}", mtu=1500))
            running = hands.start(folder.name, folder, folder, lines, words, choose(), (), clock)
            stack.callback(running.close)
            hands.bring_up(running.machine)
            both.append(running.machine)
        vmkb, client = both
        put = "ftpput -u anonymous -p none 10.17.0.2 pub/zero"
        client.operator(f"{put} /dev/zero &")
        vmkb.operator(f"SEND {USER} until [ -s /srv/ftp/pub/zero ]; do :; done; echo GROWS")
        vmkb.wait_log("GROWS$", WITHIN)
        mark = vmkb.log.mark()
        vmkb.operator(f"FORCE {USER}")
        vmkb.wait_log(f"LOGOFF AS {USER}", WITHIN, mark)
        vmkb.operator(f"XAUTOLOG {USER} IPL {SYSTEM} PARM IP=10.17.0.2/24 MTU=1500")
        vmkb.wait_log("is up after", WITHIN, mark)
        vmkb.operator(f"SEND {USER} netup")
        vmkb.wait_log("TELNET serves", WITHIN, mark)
        client.operator(f"killall ftpput; {put} /etc/passwd && echo CAME$((1 + 1))")
        client.wait_log("^CAME2", WITHIN)


def test_a_panic_is_told_and_another_ipl_starts_it(vm: Hosted) -> None:
    said = vm.cp(f"SEND {USER} echo c >/proc/sysrq-trigger", "CP ENTERED")
    assert any("DISABLED WAIT PSW" in line or "SIGP STOP" in line for line in said)
    vm.force()
    vm.begin()


def test_what_there_is_not(vm: Hosted) -> None:
    vm.force()
    assert vm.cp(f"XAUTOLOG {USER} IPL CMS", "DMKALG044E CMS NOT FOUND")
    assert vm.cp("XAUTOLOG MAINT IPL LINUX", "DMKALG044E LINUX NOT FOUND")
    assert vm.cp("INDICATE SIE", "DMKTHI040E OPERATOR DOES NOT RUN UNDER SIE")
    vm.begin()


def test_ipl_over_a_running_system(vm: Hosted) -> None:
    """From its own terminal, which then shows Linux come up."""
    session = open_session(vm.running.guest, vm.running.machine)
    try:
        for line, answer in (
            (f"LOGON {USER}", "ENTER PASSWORD"),
            (USER, "RECONNECTED AT"),
            (f"IPL {SYSTEM}", "is up after"),
            ("echo $((6 * 7))", "42"),
        ):
            since = len(session.lines)
            session.terminal.read()
            session.terminal.type(line)
            session.terminal.enter()
            session.expect(answer, WITHIN, since)
    finally:
        session.close()
