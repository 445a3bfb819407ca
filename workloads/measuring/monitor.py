# SPDX-License-Identifier: MIT
"""Read along with RTMSF, the guest's monitor: its console's log lines as records, one interval
at a time, and what they look like in a terminal."""

from __future__ import annotations

import contextlib
import re
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Record, Unit
from vmkb.guests.passwords import passwords_in
from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import Deadline, EmulatorError, Timeout
from vmkb.hercules.emulator.boot import open_session
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.tn3270.screen import COLUMNS, Screen

USER = "RTMSF"
END = "RTMSF END"
_WITHIN = 10.0
_PIECE = 2.0  # seconds of one wait, so that an interrupt is not kept waiting


@dataclass(frozen=True)
class Interval:
    """One interval: RTMSF's lines as it wrote them, and what they say."""

    lines: tuple[str, ...]
    system: Record
    users: tuple[Record, ...]


def whole_lines(rows: list[str]) -> list[str]:
    """RTMSF's lines from the rows of its console, where a line over 80 characters goes on in the
    next row; rows that are no part of such a line (messages, echoes) are left out."""
    lines: list[str] = []
    goes_on = False
    for row in rows:
        if row.startswith(("RTMSF SYSTEM ", "RTMSF USER ")):
            lines.append(row)
        elif goes_on and row != END:
            lines[-1] += row
        else:
            goes_on = False
            continue
        # The model is the last word; a blank in column 80 is not in the row.
        cut = " MODEL=" not in lines[-1]
        goes_on = cut or len(row) == COLUMNS
        if cut:
            lines[-1] = lines[-1].ljust(-(-len(lines[-1]) // COLUMNS) * COLUMNS)
    return lines


def read_interval(rows: list[str]) -> Interval | None:
    """The interval that console ROWS tell of, or None when they are not a whole one."""
    lines = whole_lines(rows)
    found = list(scan(["".join(line + "\n" for line in lines).encode()]))
    records = [item for item in found if isinstance(item, Record)]
    if not records or len(records) != len(lines) or records[0].kind != "rtm_system":
        return None
    return Interval(tuple(lines), records[0], tuple(records[1:]))


class Feed(Closing):
    """RTMSF's console in line mode, with SET CONSOLE ON for as long as this is open.

    The machine is logged on, or resumed when it runs disconnected; at the end it is left as it was
    found. Raises EmulatorError when its console cannot be had.
    """

    def __init__(self, guest: Guest, machine: Hercules, seconds: int | None) -> None:
        with _interrupts_ignored():  # the terminal's program must outlive a Ctrl-C
            self._session = open_session(guest, machine)
        self._password = passwords_in(guest, machine.run_dir).get(USER, USER)
        self._terminal = self._session.terminal
        self._resumed = False
        self._ready = False
        try:
            self._logon()
            self._before = self.seconds = self._settings("QUERY")
            if seconds is not None and seconds != self._before:
                self.seconds = self._settings(f"SET INTERVAL {seconds}")
            self._settings("SET CONSOLE ON")
            self._ready = True
        except BaseException:
            self.close()
            raise

    def _logon(self) -> None:
        session = self._session
        mark = len(session.lines)
        session.logon(f"{USER} NOIPL", self._password, _WITHIN)
        resumed = session.conventions.reconnected
        self._resumed = any(re.search(resumed, line) for line in session.lines[mark:])
        if not self._resumed:
            self._type(f"IPL {USER} PARM LINE")

    def _type(self, text: str) -> int:
        """Type a line; the number of the console line that comes next."""
        self._terminal.read()
        mark = len(self._session.lines)
        self._terminal.type(text)
        self._terminal.enter()
        return mark

    def _settings(self, command: str) -> int:
        """Give a command that RTMSF answers with its settings; the interval in seconds."""
        for last in (False, True):
            mark = self._type(command)
            found: list[int] = []

            def answered(since: int = mark, found: list[int] = found) -> bool:
                found[:] = _intervals(self._session.lines[since:])
                return bool(found)

            try:
                self._terminal.wait(lambda _: answered(), _WITHIN / 2, f"the answer to {command}")
                return found[0]
            except Timeout:
                if last:
                    raise
                self._terminal.erase_input()
                self._terminal.pf(3)  # it may be showing its full screen
        raise AssertionError("not reached")

    def intervals(self) -> Iterator[Interval]:
        """Interval after interval, as they come. Raises Timeout when none comes in time."""
        mark = len(self._session.lines)
        deadline = Deadline(2 * self.seconds + _WITHIN)
        while True:
            lines = self._session.lines
            if END in lines[mark:]:
                end = lines.index(END, mark)
                interval = read_interval(lines[mark:end])
                mark = end + 1
                if interval is not None:
                    yield interval
                deadline = Deadline(2 * self.seconds + _WITHIN)
                continue
            try:
                self._terminal.wait(
                    partial(self._ended, mark),
                    min(_PIECE, deadline.quiet + 0.1),
                    "RTMSF's next interval",
                )
            except Timeout:
                if deadline.over:
                    raise

    def _ended(self, mark: int, _: Screen) -> bool:
        return END in self._session.lines[mark:]

    def close(self) -> None:
        """Leave RTMSF as it was found, and the terminal."""
        with contextlib.suppress(EmulatorError):
            if self._ready:
                self._settings("SET CONSOLE OFF")
                if self.seconds != self._before:
                    self._settings(f"SET INTERVAL {self._before}")
            if self._session.user is not None:
                self._type("#CP DISCONNECT" if self._resumed else "#CP LOGOFF")
                logo = self._session.conventions.logo
                self._terminal.wait(lambda screen: screen.is_logo(logo), _WITHIN, "the logo")
        self._session.close()


def _intervals(lines: Sequence[str]) -> list[int]:
    """Seconds between RTMSF's samples, from each line that tells its settings."""
    read = scan(["".join(f"{line}\n" for line in lines).encode("latin-1", "replace")])
    told = [i for i in read if isinstance(i, Record) and i.kind == "rtm_settings"]
    return [int(record.value("interval").to(Unit.S).value) for record in told]


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _number(record: Record, name: str, decimals: int = 2) -> str:
    if name not in record.fields:
        return "-"
    return f"{record.value(name).value:,.{decimals}f}"


def clock(record: Record) -> str:
    """The end of the interval, hh:mm:ss."""
    at = int(record.value("clock").value)
    return f"{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}"


def _ratio(user: Record) -> str:
    virt = user.value("virt").value
    return f"{user.value('cpu').value / virt:.2f}" if virt else "-"


def plain(interval: Interval) -> str:
    """One interval as lines of text, for an output that is not a terminal."""
    s = interval.system
    lines = [
        f"{clock(s)} CPU {_number(s, 'cpu')} % CP {_number(s, 'cp')} USR {_number(s, 'user')} "
        f"WAIT {_number(s, 'wait')} IO/S {_number(s, 'io')} IUCV/S {_number(s, 'iucv')} "
        f"CONS/S {_number(s, 'console')} READY {_number(s, 'queue', 0)} MODEL {s.word('model')}"
    ]
    for user in interval.users:
        lines.append(
            f"  {user.word('userid'):<8} CPU {_number(user, 'cpu'):>6} % "
            f"VIRT {_number(user, 'virt'):>6} T/V {_ratio(user):>5} IO/S {_number(user, 'io'):>8} "
            f"IUCV/S {_number(user, 'iucv'):>8} {_number(user, 'storage', 0):>7} K "
            f"{user.word('state')}"
        )
    return "\n".join(lines)


def screen(interval: Interval, past: list[Record], console: Console) -> Group:
    """The live display: the last interval, the machines, and as many of the PAST as there is
    room for."""
    s = interval.system
    seconds = s.value("interval").value / 1e6
    title = Text(
        f"RTMSF  {s.word('date')} {clock(s)}  interval {seconds:.1f} s  model {s.word('model')}",
        style="bold",
    )
    rates = (
        f"I/O {_number(s, 'io')}/s  IUCV {_number(s, 'iucv')}/s  console "
        f"{_number(s, 'console')}/s  instructions {_number(s, 'instr', 0)}/s\n"
        f"storage {_number(s, 'storage')} %  MDC hits {_number(s, 'mdc')} %  "
        f"ready {_number(s, 'queue', 0)}  users {_number(s, 'users', 0)}"
    )
    machines = Table(box=None, pad_edge=False)
    machines.add_column("USERID")
    for name in ("TOTCPU %", "VIRTCPU %", "T/V", "INSTR/S", "I/O/S", "IUCV/S", "CONS/S", "KB"):
        machines.add_column(name, justify="right")
    machines.add_column("ST")
    room = max(1, console.height - 12)
    for user in interval.users[:room]:
        machines.add_row(
            user.word("userid"), _number(user, "cpu"), _number(user, "virt"), _ratio(user),
            _number(user, "instr", 0), _number(user, "io"), _number(user, "iucv"),
            _number(user, "console"), _number(user, "storage", 0), user.word("state"),
        )  # fmt: skip
    system = Table(box=None, pad_edge=False)
    system.add_column("TIME")
    for name in ("CPU %", "CP %", "USER %", "WAIT %", "I/O/S", "IUCV/S"):
        system.add_column(name, justify="right")
    left = max(1, console.height - 8 - min(room, len(interval.users)))
    for one in list(reversed(past))[:left]:
        names = ("cpu", "cp", "user", "wait", "io", "iucv")
        system.add_row(clock(one), *(_number(one, name) for name in names))
    return Group(title, Text(rates), Text(), machines, Text(), system)
