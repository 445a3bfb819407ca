# SPDX-License-Identifier: MIT
"""The guests of a trial on the wire, the meter on each, and who sits at their terminals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from vmkb.guests.base import Running, Wishes, driver
from vmkb.hercules.emulator.boot import open_session
from vmkb.hercules.tn3270.session import UserSession
from vmkb.workloads.base.guest import OPERATOR
from vmkb.workloads.base.workload import Stage
from vmkb.workloads.dxu.content import LOAD, LOAD_READY, METER, SERVERS
from vmkb.workloads.dxu.plan import Definition, Kind, Planned, System

WITHIN = 30.0
"""Seconds for the answer to a command at a terminal."""
MORE_HOSTS = 21
"""The first host number of guests beyond the report's systems: a second release's."""
READY_RX = "RXPERF SERVER READY"
_READY = {"rx": READY_RX, "hang": READY_RX, "afs": "AFS FILE SERVER READY"}
MONITOR_S = 1
"""Seconds of the monitor's intervals."""
_NETWORK = "10.17.0.{host}"


class Station:
    """A guest that runs, with the meter at a terminal of its own."""

    def __init__(self, system: System, address: str, running: Running) -> None:
        self.name = system.name
        self.address = address
        self.running = running
        self.back()
        self._sessions: dict[str, UserSession] = {}
        self._services: set[str] = set()

    def back(self) -> None:
        """The meter is at its terminal, where it stays: a logon between two of its answers would be
        in them."""
        self._meter = self.running.logon(OPERATOR, OPERATOR)

    def meter(self, kind: Kind, when: str) -> str:
        """The CPU of the machines of a trial of KIND, as CP tells the meter."""
        return self._meter.command(f"{METER} {kind} {when}", WITHIN).text() + "\n"

    def cp(self, command: str) -> str:
        """CP's answer to the operator."""
        return self._meter.cp(command).text()

    def serve(self, machine: str, ready: str) -> None:
        """Start the service MACHINE, whose console says READY, unless it has been started."""
        if machine in self._services:
            return
        self._services.add(machine)
        self._start(machine, ready)

    def serve_again(self, machine: str, ready: str, parameter: str = "") -> None:
        """Start the service MACHINE anew, with an IPL PARAMETER or without."""
        self._meter.cp(f"FORCE {machine}")
        self._start(machine, ready, f" IPL {machine} PARM {parameter}" if parameter else "")

    def _start(self, machine: str, ready: str, ipl: str = "") -> None:
        mark = self.running.log.mark()
        self._meter.cp(f"XAUTOLOG {machine}{ipl}")
        for _ in self.running.follow(mark, ready, WITHIN, f"{machine} of {self.name}"):
            pass

    @contextmanager
    def monitored(self) -> Iterator[None]:
        """RTMSF logs meanwhile; `monitor_log` has it then."""
        self._meter.cp(f"XAUTOLOG RTMSF IPL RTMSF PARM LINE LOG {MONITOR_S}")
        yield
        mark = len(self._meter.lines)
        self._meter.cp("SMSG RTMSF SET LOG OFF")
        self._meter.expect("LOG OFF, CONSOLE", WITHIN, mark)
        self._meter.cp("FORCE RTMSF")

    @contextmanager
    def loaded(self) -> Iterator[None]:
        """Another machine wants the processor, too, meanwhile."""
        mark = self.running.log.mark()
        self._meter.cp(f"XAUTOLOG {LOAD}")
        for _ in self.running.follow(mark, LOAD_READY, WITHIN, f"{LOAD} of {self.name}"):
            pass
        yield
        self._meter.cp(f"FORCE {LOAD}")

    def monitor_log(self) -> str:
        """The file RTMSF LOG, or nothing if the monitor never wrote one."""
        hands = driver(self.running.guest)
        return hands.fetch(self.running.image, "RTMSF", ("RTMSF", "LOG")) or ""

    def user(self, name: str) -> UserSession:
        """NAME at a terminal of his own, logged on or reconnected; the name is the password."""
        if name not in self._sessions:
            self._sessions[name] = open_session(self.running.guest, self.running.machine)
        session = self._sessions[name]
        if session.user != name:
            session.logon(name, name)
        return session

    def gone(self, name: str) -> None:
        """NAME has disconnected: his terminal shows the logo, or will."""
        session = self._sessions[name]
        logo = session.conventions.logo
        session.terminal.wait(lambda screen: screen.is_logo(logo), WITHIN, f"the logo after {name}")
        session.user = None

    def close(self) -> None:
        """The terminals go; the lab ends the guest."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()


class Network:
    """The guests that the trials of one MTU need, in a lab, which ends them. Nobody is at their
    terminals until `back`."""

    def __init__(self, definition: Definition, stage: Stage[Planned], base: str) -> None:
        self._definition = definition
        self._base = base
        self._stations: dict[tuple[str, str], Station] = {}
        first = stage.left[0]
        mtu, case_wire = first.mtu, first.case.wire
        wanted = {(name, p.release.name): p.release for p in stage.left for name in p.case.guests}
        stage.progress.say(f"Starting {len(wanted)} of {stage.lab.guest.title}, MTU {mtu}")
        for (name, level), release in wanted.items():
            system, address = self._place(name, level)
            called = name if level == base else f"{name}-{level}"
            wire = system.wire or case_wire or stage.settings.wire
            running = stage.boot(called, Wishes(release.parameter, address, mtu))
            stage.lab.wire.set_profile(called, wire)
            self._stations[name, level] = Station(system, address, running)
        for planned in stage.left:
            case = planned.case
            if case.kind != "ftp":
                server = self.station(planned, case.server or case.pairs[0][1])
                server.serve(SERVERS[case.kind], _READY[case.kind])
        for station in self._stations.values():
            station.running.leave()

    def back(self) -> None:
        """The meters are at their terminals."""
        for station in self._stations.values():
            station.back()

    def _place(self, name: str, level: str) -> tuple[System, str]:
        system = self._definition.called(name)
        if level == self._base:
            return system, system.address
        return system, _NETWORK.format(host=MORE_HOSTS + len(self._stations))

    def station(self, planned: Planned, name: str) -> Station:
        """The guest NAME of a trial."""
        return self._stations[name, planned.release.name]

    def metered(self, planned: Planned) -> list[Station]:
        """The guests whose CPU a trial is about: those on a channel."""
        here = (self.station(planned, name) for name in planned.case.guests)
        return [s for s in here if not self._definition.called(s.name).wire]

    def all(self) -> Sequence[Station]:
        """Every guest of the lab."""
        return list(self._stations.values())

    def close(self) -> None:
        """The terminals go."""
        for station in self._stations.values():
            station.close()
