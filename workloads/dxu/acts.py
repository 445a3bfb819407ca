# SPDX-License-Identifier: MIT
"""The acts of a trial's users: each is made ready, then all go at once; what they say is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from vmkb.hercules.deadline import Deadline, Timeout, wait_until
from vmkb.hercules.tn3270.session import UserSession
from vmkb.workloads.base.results import keep_line
from vmkb.workloads.dxu.content import DONE, READY, SEND, file_name
from vmkb.workloads.dxu.network import READY_RX, WITHIN, Station
from vmkb.workloads.dxu.plan import Planned
from vmkb.workloads.dxu.readout import (
    Said,
    Work,
    read_calls,
    read_fetches,
    read_hang,
    read_transfers,
)
from vmkb.workloads.dxu.stations import Workstations

FETCHES_LOG = "fetches.jsonl"
SILENCE_S = 150.0
"""Users may be silent so long: longer than the 120 s after which FTP gives a server up."""
CALL_S = 2.0
"""Seconds that each call may take, on top of `SILENCE_S` for all."""
Sender = tuple[Station, str, str]
"""A guest, its user, and the address that he sends to."""
Keep = Callable[[str, str], str]
"""Keeps a text under a name among the transcripts; the file's name."""


class Act(Protocol):
    """An act that is measured. Making one is making ready."""

    def go(self) -> tuple[Work, str]:
        """Do it; what it was, and the file in which is kept what was said."""


class Transfers:
    """FTP: each sender's user waits in FTP, logged in to the server, until all may go."""

    def __init__(self, planned: Planned, senders: Sequence[Sender], keep: Keep) -> None:
        self._planned, self._senders, self._keep = planned, senders, keep
        name, kind = file_name(planned.case.bytes)
        self._sessions: list[UserSession] = []
        for station, user, address in senders:
            session = station.user(user)
            self._sessions.append(session)
            session.terminal.type(f"{SEND} {planned.id} {address} {name}.{kind} {planned.files}")
            session.terminal.enter()
            session.expect(f"DXU {planned.id} {user} {READY}", WITHIN, len(session.lines))

    def go(self) -> tuple[Work, str]:
        """All put their files; the consoles of their guests say how."""
        stations = {station.name: station for station, _, _ in self._senders}
        marks = {name: station.running.log.mark() for name, station in stations.items()}
        for session in self._sessions:
            session.terminal.enter()
        said = {}
        for name, station in stations.items():
            wanted = {
                f"DXU {self._planned.id} {user} {DONE}"
                for each, user, _ in self._senders
                if each is station
            }
            lines = _until_said(station, marks[name], wanted)
            text = "".join(f"{line}\n" for line in lines)
            said[name] = Said(text, self._keep(f"{self._planned.id}.{name}", text))
        for station, user, _ in self._senders:
            station.gone(user)
        case = self._planned.case
        who = [(station.name, user) for station, user, _ in self._senders]
        work = read_transfers(said, who, case.bytes, self._planned.files, self._planned.id)
        return work, next(iter(said.values())).file


def _until_said(station: Station, mark: int, wanted: set[str]) -> list[str]:
    """The console's lines from MARK on, up to the one with which all of WANTED have been said."""
    lines: list[str] = []
    deadline = Deadline(SILENCE_S)
    left = set(wanted)
    while left:
        known = mark + len(lines)
        try:
            wait_until(lambda: station.running.log.mark() > known, 1.0, "", poll=0.01)  # noqa: B023
        except Timeout:
            station.running.machine.check_running()
            if deadline.over:
                tail = station.running.log.tail()
                raise Timeout(min(left), deadline.elapsed, (), tail) from None
            continue
        deadline = Deadline(SILENCE_S)
        for line in station.running.log.since(known):
            lines.append(line)
            left = {text for text in left if text not in line}
            if not left:
                break
    return lines


class Calls:
    """Rx: one user gives RXPERF at his terminal."""

    def __init__(self, planned: Planned, senders: Sequence[Sender], keep: Keep) -> None:
        self._planned, self._keep = planned, keep
        ((station, user, self._address),) = senders
        self._session = station.user(user)

    def go(self) -> tuple[Work, str]:
        """The writes, and what RXPERF says of them."""
        size, calls = self._planned.case.bytes, self._planned.files
        command = f"RXPERF {self._address} WRITE (COUNT {calls} SIZE {size}"
        answer = self._session.command(command, SILENCE_S + CALL_S * calls)
        said = Said(answer.text() + "\n", "")
        said = Said(said.text, self._keep(self._planned.id, said.text))
        return read_calls(said, size, calls, self._planned.id), said.file


class Hang:
    """Rx under the rule that hangs: a write that fits, and one that does not and is ended."""

    FITS = 98304
    """Bytes: 96 KB, the largest write of the report."""

    def __init__(
        self, planned: Planned, senders: Sequence[Sender], server: Station, keep: Keep
    ) -> None:
        self._planned, self._server, self._keep = planned, server, keep
        ((station, user, self._address),) = senders
        self._session = station.user(user)

    def go(self) -> tuple[Work, str]:
        """Both writes; the server is as it was when they have ended."""
        case = self._planned.case
        self._server.serve_again("RXPERFD", READY_RX, f"WHOLE {case.held}")
        try:
            said = [self._write(self.FITS, 1), self._write(case.bytes, 1)]
        finally:
            self._server.serve_again("RXPERFD", READY_RX)
        text = "".join(said)
        file = self._keep(self._planned.id, text)
        return read_hang(Said(text, file), (self.FITS, case.bytes), self._planned.id), file

    def _write(self, size: int, count: int) -> str:
        limit = self._planned.case.limit_s
        command = f"RXPERF {self._address} WRITE (COUNT {count} SIZE {size} LIMIT {limit}"
        answer = self._session.command(command, SILENCE_S)
        return f"{command}\n{answer.text()}\nRC={answer.rc or 0}\n"


class Fetches:
    """AFS: workstations that are on the wire forget the file and fetch it."""

    def __init__(self, planned: Planned, stations: Workstations, folder: Path) -> None:
        self._planned, self._stations, self._folder = planned, stations, folder
        stations.bring(planned.case.clients)

    def go(self) -> tuple[Work, str]:
        """All fetch at once; their own clocks say how long it took."""
        planned = self._planned
        found = self._stations.fetch(planned.case.clients, planned.case.bytes)
        seconds = {f.client: round(f.seconds, 6) for f in found}
        raw = json.dumps({"trial": planned.id, "bytes": planned.case.bytes, "seconds": seconds})
        where = keep_line(self._folder, f"{planned.id}.{FETCHES_LOG}", raw)
        return read_fetches(found, planned.case.bytes, raw, where, planned.id), where.file
