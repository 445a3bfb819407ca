# SPDX-License-Identifier: MIT
"""How people reach the servers of a guest: which ports of this computer lead to it, and bringing
its network up on a wire."""

from __future__ import annotations

import json
import random
import re
import socket
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from vmkb.hercules.deadline import Deadline, EmulatorError, Timeout, wait_until
from vmkb.hercules.emulator.config import LOOPBACK
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Network
from vmkb.hercules.ports import Ports
from vmkb.hercules.wire.client import WireClient
from vmkb.hercules.wire.held import GUEST_PORT

HOST_PORT = "host"
"""The wire's port that is this computer."""
FIRST, LAST = 12000, 19999
"""Where ports for data connections are looked for: below those that the wire takes, and those that
Linux gives out by itself."""
GREETS_WITHIN = 10.0
_NOTE = "network.json"
_AGAIN_S = 0.02
_TRY_S = 1.0


@dataclass(frozen=True)
class Publish:
    """A port of this computer that leads to one of the guest's."""

    host: int
    guest: int

    @classmethod
    def parse(cls, text: str) -> Publish:
        """From HOST:GUEST, as people know it from containers. ValueError with a sentence."""
        match = re.fullmatch(r"(\d{1,5}):(\d{1,5})", text)
        if match is None:
            raise ValueError(f"'{text}' is not two ports: write HOST:GUEST, as in 2121:21")
        host, guest = int(match[1]), int(match[2])
        if not (0 < host < 65536 and 0 < guest < 65536):
            raise ValueError(f"'{text}': a port is 1 to 65535")
        return cls(host, guest)


@dataclass(frozen=True)
class Plan:
    """How a guest's network is joined: by `passt` with `published` ports and `data` ports (first
    and last, the same on both sides), or by a `tap` device. `address` is where clients go."""

    by: Literal["passt", "tap"]
    address: str
    published: tuple[Publish, ...] = ()
    data: tuple[int, int] | None = None

    def port(self, guest: int) -> int:
        """The port at which clients reach that of the guest."""
        return next((each.host for each in self.published if each.guest == guest), guest)

    def parameter(self, network: Network) -> str:
        """The part of the IPL parameter that this needs."""
        if self.data is None:
            return ""
        first, last = self.data
        return network.parameter.format(
            first=first, last=last, gateway=network.gateway, host=self.address
        )

    def passt_options(self, network: Network) -> list[str]:
        """passt's options that forward the ports. It is told all that it would look up in this
        computer's own network, which may have none."""
        mac = ":".join(f"{byte:02x}" for byte in (2, 0, *network.gateway.packed))
        specs = [f"{self.address}/{each.host}:{each.guest}" for each in self.published]
        if self.data is not None:
            specs.append(f"{self.address}/{self.data[0]}-{self.data[1]}")
        forwards = [word for spec in specs for word in ("-t", spec)]
        return ["--interface", "lo", "--mac-addr", mac, *forwards]


@dataclass(frozen=True)
class Reach:
    """Notes for vmkb status on a guest that runs: its network's plan, if it has one, and the
    capture file, if there is one."""

    plan: Plan | None = None
    capture: str | None = None


def keep(run_dir: Path, reach: Reach) -> None:
    """Notes it in the run folder, for `noted`."""
    (run_dir / _NOTE).write_text(json.dumps(asdict(reach)) + "\n", encoding="utf-8")


def noted(run_dir: Path) -> Reach:
    """The note of `keep`; nothing if there is no note that can be read."""
    try:
        values = json.loads((run_dir / _NOTE).read_text(encoding="utf-8"))
        plan = values["plan"]
        if plan is not None:
            plan["published"] = tuple(Publish(**each) for each in plan["published"])
            plan["data"] = tuple(plan["data"]) if plan["data"] else None
        return Reach(None if plan is None else Plan(**plan), values["capture"])
    except (OSError, ValueError, TypeError, KeyError):
        return Reach()


def forget(run_dir: Path) -> None:
    """The guest runs no more."""
    (run_dir / _NOTE).unlink(missing_ok=True)


def plan_tap(network: Network) -> Plan:
    """The guest at its own address."""
    return Plan("tap", str(network.address.ip))


def plan_passt(network: Network, wanted: Sequence[Publish], ports: Ports | None = None) -> Plan:
    """Ports for all services: those that are `wanted`, the usual ones where they are free, others
    where not. They stay with `ports`, so that nobody else plans them before passt listens.

    EmulatorError when a wanted port cannot be had."""
    if ports is None:
        with Ports() as ports:
            return plan_passt(network, wanted, ports)
    published = list(wanted)
    if len({each.host for each in published}) < len(published):
        raise EmulatorError("A port of this computer is published twice.")
    for each in published:
        if why := ports.take(each.host):
            raise EmulatorError(
                f"Port {each.host} of this computer {why}; name another: --publish"
                f" PORT:{each.guest}."
            )
    taken = {each.host for each in published}
    for service in network.services:
        if all(each.guest != service.port for each in published):
            host = service.publish
            if host in taken or ports.take(host):
                host = _free_run(1, taken, ports)
            taken.add(host)
            published.append(Publish(host, service.port))
    data = None
    if network.forwarded:
        first = _free_run(network.forwarded, taken, ports)
        data = (first, first + network.forwarded - 1)
    return Plan("passt", LOOPBACK, tuple(published), data)


def _free_run(count: int, taken: set[int], ports: Ports) -> int:
    """The first of `count` free ports in a row, which are taken. The search begins anywhere: two
    boots rarely meet."""
    span = LAST - FIRST - count + 2
    start = random.randrange(span)
    at = 0
    while at < span:
        first = FIRST + (start + at) % span
        row = range(first, first + count)
        bad = next((p for p in row if p in taken or ports.take(p)), None)
        if bad is None:
            return first
        for port in range(first, bad):
            ports.give_back(port)
        at += bad - first + 1
    raise EmulatorError(
        f"There are no {count} free TCP ports in a row between {FIRST} and {LAST}; vmkb boot"
        " --no-network does without."
    )


class Joining:
    """The host's side of the guest's network while it comes up: passt is started beside the IPL."""

    def __init__(
        self, plan: Plan, network: Network, wire: WireClient, open_to_all: bool = False
    ) -> None:
        self.plan = plan
        self._open_to_all = open_to_all
        self.network = network
        self._wire = wire
        self._failed: Exception | None = None
        # No future: Ctrl-C in the wrong moment of its result() leaves its lock held, and the
        # process would wait for this thread for ever.
        self._thread = threading.Thread(target=self._run, name="joining", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._join()
        except Exception as error:  # raised where it is waited for
            self._failed = error

    def _join(self) -> None:
        network = self.network
        if self.plan.by == "tap":
            address = f"{network.gateway}/{network.address.network.prefixlen}"
            self._wire.add_tap(HOST_PORT, address, network.mtu)
        else:
            self._wire.add_passt(
                HOST_PORT, str(network.address), str(network.gateway),
                self.plan.passt_options(network), self._open_to_all,
            )  # fmt: skip

    def joined(self) -> None:
        """Waits until the host is on the wire. WireError if it cannot be."""
        self._thread.join()
        if self._failed is not None:
            raise self._failed

    def reached(self) -> None:
        """Waits until the guest, whose servers have been started, is on the wire and each of them
        greets a client. EmulatorError."""
        network = self.network
        # a first SYN that nobody hears is not repeated by passt
        self._wire.wait_connected(GUEST_PORT, network.within)
        for service in network.services:
            greets(self.plan.address, self.plan.port(service.port), service.name, GREETS_WITHIN)


def start_services(network: Network, machine: Hercules) -> None:
    """Starts the guest's network from its operator's console; returns when its servers are ready.
    EmulatorError."""
    deadline = Deadline(network.within)
    mark = machine.log.mark()
    first, *others = network.services
    machine.operator(network.start, first.ready, network.within)
    for service in others:
        machine.wait_log(service.ready, deadline.quiet, mark, f"{service.name} to be ready")


def greets(address: str, port: int, name: str, within: float) -> None:
    """Returns when a server that speaks first has spoken. EmulatorError if it does not."""
    why = ""

    def probe() -> bool:
        nonlocal why
        try:
            with socket.create_connection((address, port), _TRY_S) as sock:
                sock.settimeout(_TRY_S)
                why = "it closes the connection"
                return bool(sock.recv(1))
        except TimeoutError:
            why = "it says nothing"
        except OSError as error:
            why = error.strerror or str(error)
        return False

    try:
        wait_until(probe, within, f"{name} to answer", poll=_AGAIN_S)
    except Timeout:
        raise EmulatorError(f"{name} at {address} port {port} does not answer: {why}.") from None
