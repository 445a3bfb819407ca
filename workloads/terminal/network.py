# SPDX-License-Identifier: MIT
"""Two nodes on a LAN with terminal servers: who is logged on where, and the meter on each node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from vmkb.guests.base import Running, Wishes, driver
from vmkb.hercules.lat.station import LatStation, LatTerminal
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.wire.attachment import Attachment
from vmkb.workloads.base.definition import Release
from vmkb.workloads.base.guest import TELNET_READY
from vmkb.workloads.base.workload import Stage
from vmkb.workloads.terminal import chain
from vmkb.workloads.terminal.chain import Typist
from vmkb.workloads.terminal.content import IDLE, JOB, JOB_READY, METER, METER_NAME
from vmkb.workloads.terminal.others import NAMES, Others
from vmkb.workloads.terminal.plan import Chain, Definition, Planned

METER_WITHIN = 30.0
SERVERS = ("TELNETD", "TCPIP")
"""Service machines whose account is asked for; they run on both nodes."""
RETRANSMIT_LIMIT = 60
"""Times that a terminal server says a thing again (4 to 120 could be set on DEC's): a host that
shares its processor with other work may be silent for seconds."""


class Network:
    """The nodes under one release in a lab, which ends them, with the idle users of PATH. Nobody is
    at their terminals until `back`."""

    def __init__(
        self, definition: Definition, stage: Stage[Planned], release: Release, path: Chain
    ) -> None:
        self.definition = definition
        self.lab = stage.lab
        self.nodes: dict[str, Running] = {}
        self._meters: dict[str, UserSession] = {}
        self._servers: list[LatStation] = []
        self._others: Others | None = None
        self._typists: dict[str, list[Typist]] = {}
        """Who is at the far node, by path."""
        self._ports = 0
        every = [(n.name, n.decnet) for n in definition.node]
        level = f"{release.parameter} {path.system}".strip()
        for node in definition.node:
            wishes = Wishes(
                level, node.address, definition.mtu, node=(node.name, node.decnet),
                nodes=every,
            )  # fmt: skip
            station = stage.boot(node.name, wishes, ready=TELNET_READY)
            meter = station.logon(METER, METER)
            self.nodes[node.name] = station
            for name in IDLE[: dict(path.idle).get(node.name, 0)]:
                meter.cp(f"XAUTOLOG {name}")
            station.leave()

    def back(self) -> None:
        """The meters are at their terminals, where they stay: a logon between two of their answers
        would be in them."""
        for name, station in self.nodes.items():
            self._meters[name] = station.logon(METER, METER)

    def close(self) -> None:
        """The terminal servers go, and the other systems."""
        for server in self._servers:
            server.close()
        self._servers.clear()
        if self._others is not None:
            self._others.close()

    def others_send(self, kb_s: float) -> None:
        """From now on other systems send KB_S on the LAN; on virtual time."""
        one, other = map(self.lab.wire.add_stream, NAMES)
        assert isinstance(one, Attachment) and isinstance(other, Attachment)
        self._others = Others((one, other), self.lab.beside(NAMES[0]), kb_s)

    def typists(self, path: Chain, first: int, count: int) -> list[Typist]:
        """COUNT people at the far node by PATH, users from number FIRST on; those who are not
        there yet go there."""
        there = self._typists.setdefault(path.id, [])
        new = [Typist(self._terminal(), first + k) for k in range(len(there), count)]
        chain.enter(new, path)
        there += new
        return there[:count]

    def _terminal(self) -> LatTerminal:
        per_server = self.definition.ports_per_server
        number = self._ports % per_server + 1
        self._ports += 1
        if number == 1:
            name = f"LAT{len(self._servers) + 1:02d}"
            self._servers.append(
                LatStation(
                    self.lab.wire.add_stream(name), name, per_server,
                    self.definition.characters_per_second, resends=RETRANSMIT_LIMIT,
                    beside=self.lab.beside(name),
                )
            )  # fmt: skip
        return self._servers[-1].terminal(number)

    def everybody_leaves(self) -> None:
        """Log everybody off; the terminal servers go."""
        for path in self.definition.case:
            there = self._typists.pop(path.id, [])
            if there:
                chain.leave(there, path)
        for server in self._servers:
            server.close()
            self.lab.wire.remove(server.server.name)
        self._servers.clear()
        self._ports = 0

    def meter(
        self, node: str, when: str, first: int, last: int, servers: Sequence[str] = SERVERS
    ) -> str:
        """The CPU of SERVERS, the users FIRST to LAST and CP on NODE, as CP tells its meter."""
        asked = f"{METER_NAME} {when} {first} {last} {' '.join(servers)}"
        return self._meters[node].command(asked, METER_WITHIN).text() + "\n"

    @contextmanager
    def job(self, node: str) -> Iterator[None]:
        """Somebody computes on NODE meanwhile."""
        running, meter = self.nodes[node], self._meters[node]
        mark = running.log.mark()
        meter.cp(f"XAUTOLOG {JOB}")
        for _ in running.follow(mark, JOB_READY, METER_WITHIN, f"{JOB} of {node}"):
            pass
        yield
        meter.cp(f"FORCE {JOB}")

    @contextmanager
    def monitored(self, nodes: Sequence[str], seconds: int) -> Iterator[None]:
        """RTMSF logs its intervals of SECONDS on NODES meanwhile; `monitor_log` has them then."""
        for node in nodes:
            self._meters[node].cp(f"XAUTOLOG RTMSF IPL RTMSF PARM LINE LOG {seconds}")
        yield
        for node in nodes:
            meter = self._meters[node]
            mark = len(meter.lines)
            meter.cp("SMSG RTMSF SET LOG OFF")
            meter.expect("LOG OFF, CONSOLE", METER_WITHIN, mark)
            meter.cp("FORCE RTMSF")

    def monitor_log(self, node: str) -> str:
        """The file RTMSF LOG of NODE, or nothing if the monitor never wrote one."""
        image = self.nodes[node].image
        return driver(self.lab.guest).fetch(image, "RTMSF", ("RTMSF", "LOG")) or ""
