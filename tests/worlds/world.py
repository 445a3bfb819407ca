# SPDX-License-Identifier: MIT
"""One world: two guests on a LAN, FTP between them, the faults of a plan, and what is wrong when
all of it is over."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from tests.worlds import judge
from tests.worlds.display import DEVICE, Display
from tests.worlds.plan import HOSTS, RESET, Fault, Kind, Plan
from tests.worlds.volume import CHECKER, CLIENT, SERVER, USER, adapt
from vmkb.hercules.clock.guest import GuestClock, WorldClock
from vmkb.hercules.clock.lan import WorldLan
from vmkb.hercules.clock.messages import PS
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import EmulatorError, Timeout, on
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.emulator.config import LAN_CTC
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.emulator.sparse import copy_sparse
from vmkb.hercules.guest import Guest
from vmkb.workloads.base.virtual import TIMER_PACE, pace

TOD = 3_192_342_400 * 16_000_000
"""When the guests' clocks begin, 1/16 us since 1900: a day of 2001."""
CTC = [f"{device:04X} {LAN_CTC} lan" for device in (0x0500, 0x0501)]
ANSWER = 10.0
"""Seconds, as all that follow of the world's clock, in which CP answers its operator."""
SERVES = 30.0
ENDS = 400.0
"""From the last fault to the client's end: each session may meet a server that is silent."""
CHECKS = 60.0
"""Until files have moved when all is well again."""
QUIET = 0.05
"""Before a line is typed: one that comes while the console types is not heard at once."""


OVER = 1800.0
"""Until servers have given up who vanished, and TCP has forgotten all connections."""
TYPIST = "VMUSER3"
"""Who is at the terminal that vanishes; also the password."""
TYPING = 0.004
"""Between two lines of the typist's."""


@dataclass(frozen=True)
class Verdict:
    """What a world was: nothing wrong, one hopes; the digest of its events; its length."""

    seed: int
    wrong: tuple[str, ...]
    digest: str
    seconds: float
    rounds: int


class Site:
    """A host of the world: its emulator, or none, and all that its operator has seen."""

    def __init__(self, name: str, guest: Guest, folder: Path) -> None:
        self.name = name
        self.guest = guest
        self.folder = folder
        self.machine: Hercules | None = None
        self.lines: list[str] = []
        self.free = 0
        self.killed = False
        self.displays: list[Display] = []

    @property
    def image(self) -> Path:
        """Its volume."""
        return self.folder / next(iter(self.guest.files))

    def said(self) -> list[str]:
        """All that its operator has seen."""
        if self.machine is None:
            return self.lines
        self.machine.log.read()
        return [*self.lines, *self.machine.log.since(0)]

    def ask(self, command: str, answer: str, within: float = ANSWER) -> None:
        """The operator gives a COMMAND that may be given twice, until CP's ANSWER comes."""
        if self.machine is not None:
            self.machine.operator(command, answer, within)
            self.machine.check_running()


class Play:
    """A plan as it is played."""

    def __init__(
        self, plan: Plan, guest: Guest, emulator: Emulator, folder: Path, trace: TextIO | None,
        volume: Path,
    ) -> None:  # fmt: skip
        self.plan = plan
        guest = _bare(guest, plan, volume)
        self.emulator = emulator
        self.world = World(TOD, plan.seed, trace)
        self.lan = WorldLan(self.world, "lan", plan.wire, plan.seed)
        self.sites = {name: Site(name, guest, folder / name) for name in HOSTS}
        self.wrong: list[str] = []
        for site in self.sites.values():
            site.folder.mkdir()
            copy_sparse(volume, site.image)
            adapt(plan, site.name, site.image)

    def close(self) -> None:
        """End the emulators."""
        self.world.write_out(over=True)
        for site in self.sites.values():
            for display in site.displays:
                display.drop()
            if site.machine is not None:
                site.machine.stop()

    def pause(self, seconds: float) -> None:
        """Let the world go on."""
        self.world.run(self.world.now + round(seconds * PS))

    # ---- the hosts

    def boot(self, site: Site) -> None:
        """A guest on the volume that the site has, or on a new one."""
        clock = GuestClock(self.world, site.name, pace(TIMER_PACE))
        self.lan.join(site.name, clock, "lan")
        address = SERVER if site.name == "server" else CLIENT
        site.machine = boot(
            site.guest, site.folder, True, CTC,
            f"TCPIP={self.plan.level} IP={address} MTU={self.plan.mtu}",
            emulator=self.emulator, virtual=clock,
        )  # fmt: skip
        self.told(site, "LOGOFF AS AUTOLOG1")
        self.pause(QUIET)
        site.ask("QUERY STORAGE", "DYNAMIC PAGES FREE")
        site.free = judge.free_pages(site.said())[-1]

    def told(self, site: Site, pattern: str, within: float = ANSWER, since: int = 0) -> None:
        """Wait for a line at the operator's."""
        assert site.machine is not None
        site.machine.wait_log(pattern, within, since)

    def serve(self, site: Site, name: str) -> None:
        """Log a service machine on, if it is not."""
        self.pause(QUIET)
        site.ask(f"XAUTOLOG {name}", rf"AUTO LOGON .* {name} |{name} ALREADY LOGGED ON")

    def kill(self, site: Site) -> None:
        """The emulator is gone, as with the power."""
        if site.machine is None:
            return
        site.lines = site.said()
        for display in site.displays:
            display.drop()
        site.displays.clear()
        self.lan.remove(site.name)
        site.machine.stop()
        site.machine = None
        site.killed = True

    # ---- faults

    def faults(self, start: int) -> None:
        """All faults of the plan, and what ends them, each at its time."""
        todo: list[tuple[int, int, Callable[[], None]]] = []
        for order, fault in enumerate(self.plan.faults):
            at = start + round(fault.at * PS)
            todo.append((at, order, lambda fault=fault: self.begin(fault)))  # type: ignore[misc]
            if fault.lasts and fault.kind in (Kind.FORCE, Kind.KILL, Kind.TERMINAL):
                end = at + round(fault.lasts * PS)
                todo.append((end, order, lambda fault=fault: self.end(fault)))  # type: ignore[misc]
        for at, _, act in sorted(todo, key=lambda each: each[:2]):
            if self.world.now < at:
                self.world.run(at)
            act()

    def begin(self, fault: Fault) -> None:
        """What goes wrong."""
        site = self.sites[fault.host]
        if fault.kind is Kind.KILL:
            self.kill(site)
        elif site.machine is None:
            return
        elif fault.kind is Kind.LINE:
            changes: dict[str, Any] = dict(fault.changes)
            self.lan.set_profile(fault.host, **changes)
        elif fault.kind is Kind.CUT:
            self.lan.cut(fault.host, fault.lasts)
        elif fault.kind is Kind.TERMINAL:
            self.log_on(site)
        elif fault.kind is Kind.RIVAL:
            site.ask(f"XAUTOLOG {USER}", f"AUTO LOGON .* {USER} |{USER} ALREADY LOGGED ON")
        else:
            site.ask(f"FORCE {fault.machine}", rf"{fault.machine} +USERS.*FORCED|NOT LOGGED ON")

    def log_on(self, site: Site) -> None:
        """Somebody at a terminal gives a command that types much."""
        if site.displays or site.machine is None or site.machine.virtual is None:
            return
        display = Display(site.machine.terminal_port, site.machine.virtual)
        site.displays.append(display)
        for line in (f"LOGON {TYPIST}", TYPIST, "HELP (NOSCREEN"):
            display.type(line)
            self.pause(TYPING)

    def end(self, fault: Fault) -> None:
        """What was forced or killed comes again; a terminal vanishes."""
        site = self.sites[fault.host]
        if fault.kind is Kind.TERMINAL:
            for display in site.displays:
                gone = "" if fault.machine == RESET else site.guest.session.gone
                display.vanish(bytes.fromhex(gone))
            site.displays.clear()
            return
        if fault.kind is Kind.KILL:
            if site.machine is None:
                self.boot(site)
                self.serve(site, "TCPIP")
        elif site.machine is not None and fault.machine != USER:
            self.serve(site, fault.machine)

    # ---- the course

    def play(self) -> None:
        """The world from its beginning to its end; what is wrong is in `wrong`."""
        for site in self.sites.values():
            self.boot(site)
        for site in self.sites.values():
            self.serve(site, "TCPIP")
        for site in self.sites.values():
            self.told(site, "DTCFTS0021I", SERVES)
            self.told(site, "DTCTND0021I", SERVES)
        before = {name: self.pools(site) for name, site in self.sites.items()}
        self.pause(QUIET)
        client = self.sites["client"]
        client.ask(f"XAUTOLOG {USER}", f"AUTO LOGON .* {USER} ")
        self.faults(self.world.now)
        if client.machine is not None and not client.killed:
            self.told(client, f"LOGOFF AS {USER}", ENDS)
        if all(site.machine for site in self.sites.values()):
            self.check_recovery()
            if self.plan.patient:
                self.pause(OVER)
            for name, site in self.sites.items():
                if (after := self.pools(site)) != before[name]:
                    self.wrong.append(f"TCPIP of the {name} holds: {before[name]} {after}")
        for site in self.sites.values():
            if site.machine is not None:
                self.clear(site)

    def check_recovery(self) -> None:
        """When nothing is wrong any longer, files move again."""
        self.lan.set_profile("*", self.plan.wire)
        self.lan.restore("*")
        for site in self.sites.values():
            self.serve(site, "TCPIP")
            self.serve(site, "FTPSERVE")
        client = self.sites["client"]
        self.pause(QUIET)
        client.ask(f"XAUTOLOG {CHECKER}", f"AUTO LOGON .* {CHECKER} ")
        self.told(client, f"LOGOFF AS {CHECKER}", CHECKS)
        if not any("WORLD CHECKED RC=0" in line for line in client.said()):
            self.wrong.append("Files do not move when all is well again.")

    def pools(self, site: Site) -> dict[str, int]:
        """What is free of TCPIP's pools, in a world that is patient."""
        if not self.plan.patient:
            return {}
        self.pause(QUIET)
        site.ask("SMSG TCPIP POOLS", "END OF POOLS")
        return judge.pools(site.said())

    def clear(self, site: Site) -> None:
        """Everybody is logged off: the books are right, and CP has all its storage."""
        self.pause(QUIET)
        site.ask("QUERY ACNT", "ELAPSED .* DIFFERENCE")
        for name in ("FTPSERVE", "TELNETD", "TCPIP", USER, CHECKER, TYPIST):
            self.pause(QUIET)
            site.ask(f"FORCE {name}", rf"{name} +USERS.*FORCED|NOT LOGGED ON")
        self.pause(QUIET)
        site.ask("QUERY STORAGE", "DYNAMIC PAGES FREE")
        free = judge.free_pages(site.said())[-1]
        if free != site.free:
            lost = site.free - free
            self.wrong.append(f"CP of the {site.name} has lost {lost} pages of {site.free}.")
        self.wrong += [f"{each} ({site.name})" for each in judge.books(site.said())]

    def judge(self) -> None:
        """The volumes, and what the client was told."""
        disks: dict[tuple[str, str], dict[tuple[str, str], bytes]] = {}
        for site in self.sites.values():
            files, wrong = judge.volume(site.image, (USER, CHECKER))
            self.wrong += [f"{each} ({site.name})" for each in wrong]
            disks |= {(site.name, user): found for user, found in files.items()}
        said = self.sites["client"].said()
        self.wrong += judge.files_kept(self.plan, judge.acknowledged(said, self.plan), disks)
        if any("WORLD CHECKED RC=0" in line for line in said):
            self.wrong += judge.checked_files(disks)


def _bare(guest: Guest, plan: Plan, volume: Path) -> Guest:
    """On VOLUME, without terminals, which take time to start; with one if the plan needs it."""
    devices = [each for each in guest.machine.devices if each.kind != "3270"]
    if any(fault.kind is Kind.TERMINAL for fault in plan.faults):
        devices += [
            each.model_copy(update={"number": DEVICE, "count": 1})
            for each in guest.machine.devices
            if each.kind == "3270"
        ]
    machine = guest.machine.model_copy(update={"devices": devices})
    files = {next(iter(guest.files)): str(volume)}
    return guest.model_copy(update={"machine": machine, "files": files})


@contextmanager
def _placed(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        shutil.rmtree(keep, ignore_errors=True)
        keep.mkdir(parents=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="vmkb-world-") as made:
        yield Path(made)


def run(
    plan: Plan, guest: Guest, volume: Path, emulator: Emulator, keep: Path | None = None,
    trace: TextIO | None = None,
) -> Verdict:  # fmt: skip
    """Play a PLAN on copies of the VOLUME; KEEP is a folder for what it leaves behind."""
    with ExitStack() as stack:
        folder = stack.enter_context(_placed(keep))
        play = Play(plan, guest, emulator, folder, trace, volume)
        stack.enter_context(on(WorldClock(play.world)))
        stack.callback(play.close)
        try:
            play.play()
        except Timeout as error:
            play.wrong.append(f"Nobody is told: {error}")
        except EmulatorError as error:
            play.wrong.append(str(error))
        play.judge()
        return Verdict(
            plan.seed, tuple(play.wrong), play.world.digest, play.world.now / PS, play.world.rounds
        )
