# SPDX-License-Identifier: MIT
"""One 3270 session through s3270's pipe.

Of what s3270 answers only `ok` or `error`, the data lines and the status line are looked at,
never the words of a message. Waiting is by Wait(Output), which ends when the host has written
since the screen was last read, so nothing is polled and nothing that arrives is missed.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import select
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from vmkb.errors import VmkbError
from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import HOST, Deadline, EmulatorError, Timeout, pause, shown
from vmkb.hercules.emulator.config import LOOPBACK
from vmkb.hercules.installed import found
from vmkb.hercules.tn3270.address import Address
from vmkb.hercules.tn3270.relay import relayed
from vmkb.hercules.tn3270.screen import VM_LAYOUT, VM_WORDS, Layout, Screen, Status, Transcript

LOOK_S = 0.5
"""Between two looks at whether the host can still answer."""
ACTION_WITHIN = 10.0
"""Seconds that s3270 has for one action; the host unlocks the keyboard within it."""

STORAGE_MB = 64
"""Bytes of storage that s3270 may hold; it takes 10. It keeps a record of the host until its
end."""
OUT_OF_STORAGE = 1
"""The exit code of an s3270 that got no more storage."""
KEYS = ("Enter", "PF", "PA", "Clear")
"""How the actions begin that send something to the host."""
ENDS_WITHIN = 5.0
"""Seconds for s3270 to end once it has closed its output."""

# A guest may take a key that comes within a millisecond after a write for one that was pressed
# before the lines were seen, and then ignores it.
_SEEN_S = 0.004
# Bytes: a guest that ignores PA2 answers with the status field only, a new page is longer.
_STATUS_WRITE_MAX = 64


class Link:
    """How the host of a terminal is reached and waited for: on this computer's clock."""

    options: tuple[str, ...] = ()
    """More words for s3270."""
    trusted: Mapping[str, str] = {"SSL_CERT_FILE": os.devnull, "SSL_CERT_DIR": os.devnull}
    """Environment: whose certificates s3270 trusts. It reads all that this computer has as it
    connects, 45 of the 50 ms of CPU that this takes, and an emulator here shows none."""

    def connect(self, terminal: Terminal, address: Address, within: float) -> None:
        """Connect TERMINAL. TerminalError when that fails."""
        deadline = Deadline(within, HOST)
        try:
            through = self.through(address, within)
            terminal.action(f"Connect({through.for_s3270})", deadline)
        except Timeout:
            raise Timeout(
                f"{address} to answer; if it is an emulator, it may be stopped", deadline.elapsed
            ) from None

    def through(self, address: Address, within: float) -> Address:
        """What s3270 connects to: without Nagle's delays where it is this computer and nothing is
        secret."""
        near = address.host == LOOPBACK and not address.tls
        return replace(address, port=relayed(address.port)) if near else address

    def key(self, terminal: Terminal, action: str, deadline: Deadline) -> None:
        """Press the key of ACTION; returns when the host has unlocked the keyboard again."""
        terminal.action(action, deadline)

    def settle(self, terminal: Terminal) -> None:
        """Returns when s3270 has what the host has sent so far, where that is known."""

    def read(self, terminal: Terminal) -> None:
        """The display has been read."""

    def wait(self, terminal: Terminal, deadline: Deadline) -> bool:
        """Returns when the host may have written; False at the deadline."""
        try:
            seconds = max(1, math.ceil(deadline.left))
            terminal.action(f"Wait({seconds},Output)", deadline)
        except TerminalError:
            pass
        except Timeout:
            return False
        return True

    def close(self, terminal: Terminal) -> None:
        """s3270 has ended."""


class Outward(Link):
    """To a system that is perhaps not on this computer, perhaps by TLS."""

    trusted: Mapping[str, str] = {}


def _unwatched(screen: Screen) -> None:
    """Nobody looks on."""


def _nothing() -> None:
    """Nobody knows more than s3270."""


class Terminal(Closing):
    """A 24x80 display, or another `model`. Every call that waits takes its deadline in seconds.

    `screen` is the last screen that was read and `transcript` the console lines seen so far.
    With `page_through` set, `wait` clears each full page (MORE..., HOLDING) once it is recorded.
    `logo` are words of the screen before a logon, `log` gives the emulator's last log lines for
    a Timeout.
    """

    def __init__(
        self,
        page_through: bool = True,
        logo: str = "",
        log: Callable[[], Sequence[str]] = tuple,
        words: Mapping[str, Status] = VM_WORDS,
        layout: Layout = VM_LAYOUT,
        link: Link | None = None,
        model: tuple[str, ...] = ("-model", "3278-2"),
    ) -> None:
        self._link = link or Link()
        program = found("s3270")
        self.page_through = page_through
        self.screen = Screen.of((), words=words, layout=layout)
        self.transcript = Transcript(logo)
        self._log = log
        self.check: Callable[[], None] = _nothing
        """Raises EmulatorError when the host cannot answer any more; asked while nothing comes."""
        self.watch: Callable[[Screen], None] = _unwatched
        """Is told what the display shows, each time that it is read."""
        self.device: int | None = None
        self._status: list[str] = []
        self._pending = 0
        self._buffer = b""
        self._process = subprocess.Popen(
            [
                program,
                *model,
                *("-codepage", "cp1047"),
                *("-xrm", "s3270.unlockDelay: False"),
                "-utf8",
                *self._link.options,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **self._link.trusted},
        )
        limit = STORAGE_MB << 20
        resource.prlimit(self._process.pid, resource.RLIMIT_DATA, (limit, limit))

    def learn(self, logo: str, words: Mapping[str, Status], layout: Layout = VM_LAYOUT) -> None:
        """From now on the system that answers is known: its logo, its console's states and where
        they stand; pages are passed through."""
        self.page_through = True
        self.transcript = Transcript(logo)
        self.screen = replace(self.screen, words=words, layout=layout)

    def connect(self, port: int, device: int | None = None, within: float = ACTION_WITHIN) -> None:
        """Connect to Hercules on the loopback address, to 3270 `device` or to any free one.

        A terminal that is in use or does not exist is refused by Hercules on the screen, in
        words; so wait for the guest's logo after this before taking the terminal for good.
        """
        self.device = device
        try:
            address = Address(LOOPBACK, port, "" if device is None else f"{device:04X}")
            self._link.connect(self, address, within)
        except TerminalError:
            which = "a free terminal" if device is None else f"terminal {device:04X}"
            raise EmulatorError(
                f"Hercules does not give {which} on port {port}; has the emulator ended?"
            ) from None
        self.read()

    def connect_to(self, address: Address, within: float = ACTION_WITHIN) -> None:
        """Connect to any system's 3270 port: TN3270E, TN3270 or plain, as it negotiates.

        EmulatorError says why it cannot be reached, as s3270 does.
        """
        try:
            self._link.connect(self, address, within)
        except TerminalError as error:
            # s3270 4.1 puts rubbish in the place of what TLS had to say.
            said = " ".join(x for x in str(error).split() if x.isascii()).rstrip(": ")
            if address.tls:
                said += (
                    "; either it does not speak TLS, or its certificate is not trusted here or not"
                    " for that name"
                )
            raise EmulatorError(f"{address} cannot be reached: {said}.") from None
        self.read()

    @property
    def connected(self) -> bool:
        """Whether the host was connected when s3270 last answered."""
        return len(self._status) > 3 and self._status[3].startswith("C(")

    @property
    def locked(self) -> bool:
        """Whether the keyboard was locked when s3270 last answered."""
        return not self._status or self._status[0] != "U"

    def read(self) -> Screen:
        """Read the screen as it is now, and take its lines into the transcript."""
        self._link.settle(self)
        rows = self.action("Ascii()", Deadline(ACTION_WITHIN, HOST))
        cursor = (int(self._status[8]), int(self._status[9]))
        if self.connected:  # else s3270 has an empty one: what the host said last stays
            self.screen = Screen.of(rows, cursor, self.screen.words, self.screen.layout)
        self.transcript.feed(self.screen)
        self._link.read(self)
        self.watch(self.screen)
        return self.screen

    def wait(self, predicate: Callable[[Screen], bool], within: float, expected: str) -> Screen:
        """Read the screen until `predicate` holds for it, and return it.

        Raises Timeout after `within` seconds and EmulatorError when the host disconnects.
        """
        deadline = Deadline(within)
        while True:
            screen = self.read()
            if predicate(screen):
                return screen
            if self.page_through and screen.held:
                self._clear_page(deadline, expected)
                continue
            if not self.connected:
                raise self._lost(f"The terminal was disconnected while waiting for {expected}.")
            if deadline.over:
                raise self._timeout(expected, deadline)
            if not self._link.wait(self, deadline):
                raise self._timeout(expected, deadline)

    def type(self, text: str) -> None:
        """Type `text` at the cursor. It must be printable: keys have calls of their own."""
        if not text.isprintable():
            raise ValueError(f"Only printable characters can be typed, not {text!r}.")
        if not text:
            return
        self._unlock()
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        self._key(f'String("{escaped}")', f"'{text}'")

    def enter(self, within: float = ACTION_WITHIN) -> None:
        """Press ENTER; returns when the host has unlocked the keyboard again."""
        self._key("Enter()", "ENTER", within)

    def pf(self, number: int) -> None:
        """Press a PF key, 1 to 24."""
        if not 1 <= number <= 24:
            raise ValueError(f"There is no PF{number}; PF keys are 1 to 24.")
        self._key(f"PF({number})", f"PF{number}")

    def pa(self, number: int) -> None:
        """Press a PA key, 1 to 3."""
        if not 1 <= number <= 3:
            raise ValueError(f"There is no PA{number}; PA keys are 1 to 3.")
        self._key(f"PA({number})", f"PA{number}")

    def clear(self) -> None:
        """Press CLEAR; the lines on the screen are recorded first."""
        self.read()
        self._key("Clear()", "CLEAR")
        self.transcript.cleared()

    def erase_input(self) -> None:
        """Empty the input field, as ERASE INPUT does; nothing goes to the host."""
        self._key("EraseInput()", "ERASE INPUT")

    def reset(self) -> None:
        """Unlock a keyboard that an error has locked."""
        self.action("Reset()", Deadline(ACTION_WITHIN, HOST))

    def close(self) -> None:
        """Disconnect and end s3270."""
        process = self._process
        if process.poll() is None:
            with contextlib.suppress(OSError):
                assert process.stdin is not None
                process.stdin.write(b"Quit()\n")
                process.stdin.flush()
            try:
                process.wait(2.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(2.0)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._link.close(self)

    def _timeout(self, expected: str, deadline: Deadline) -> Timeout:
        return Timeout(expected, deadline.elapsed, self.screen.rows, self._log())

    def _lost(self, what: str) -> EmulatorError:
        """WHAT went wrong, with the last screen of the host."""
        return EmulatorError("\n".join([what, *shown(self.screen.rows)]))

    def _key(self, action: str, name: str, within: float = ACTION_WITHIN) -> None:
        deadline = Deadline(within)
        try:
            self._link.key(self, action, deadline)
        except TerminalError:
            state = "the keyboard is locked" if self.connected else "the host has disconnected"
            raise self._lost(f"{name} cannot be typed: {state}.") from None
        except Timeout:
            if not self._pending:
                self.read()
            raise self._timeout(
                f"the host to answer {name} and unlock the keyboard", deadline
            ) from None
        if not self.connected:
            # s3270 says ok to a key even then.
            raise self._lost(f"{name} cannot be typed: the host has disconnected.")

    def _unlock(self) -> None:
        if self.locked:
            self.unlocked(Deadline(ACTION_WITHIN))

    def unlocked(self, deadline: Deadline) -> None:
        """Returns when the host has unlocked the keyboard. Timeout if it does not. The screen is
        not read: what is there now may be another page than the one that was recorded."""
        while self._still_locked():
            if not self._link.wait(self, deadline) or deadline.over:
                raise self._timeout("the host to unlock the keyboard", deadline)

    def _still_locked(self) -> bool:
        self._link.settle(self)
        self.action("Query(StatsRx)", Deadline(ACTION_WITHIN, HOST))
        return self.locked

    def _clear_page(self, deadline: Deadline, expected: str) -> None:
        """Press PA2 on a full page that has been recorded, and record whether the host took it."""
        if deadline.over:
            raise self._timeout(expected, deadline)
        before = self.received()
        pause(_SEEN_S)
        self._key("PA(2)", "PA2")
        if self.received() - before > _STATUS_WRITE_MAX:
            self.transcript.cleared()

    def received(self) -> int:
        """Bytes received from the host so far; EmulatorError when it has hung up."""
        return self._bytes("StatsRx")

    def transmitted(self) -> int:
        """Bytes sent to the host so far; EmulatorError when it has hung up."""
        return self._bytes("StatsTx")

    def _bytes(self, which: str) -> int:
        words = " ".join(self.action(f"Query({which})", Deadline(ACTION_WITHIN, HOST))).split()
        if "bytes" not in words:
            raise EmulatorError("The terminal was disconnected.")
        return int(words[words.index("bytes") + 1])

    def action(self, action: str, deadline: Deadline) -> list[str]:
        """Let s3270 do one action and return its data lines; TerminalError when it fails."""
        self.ask(action, deadline)
        return self.answer(deadline)

    def ask(self, action: str, deadline: Deadline) -> None:
        """Tell s3270 to do one action; `answer` is what comes of it."""
        pipe, line = self._process.stdin, action.encode() + b"\n"
        assert pipe is not None
        try:
            while self._pending:
                pipe.flush()  # what an interrupt kept back
                with contextlib.suppress(TerminalError):
                    self.answer(deadline)
            try:
                pipe.write(line)
            finally:
                # A Ctrl-C comes behind the write at the earliest: there is an answer to come.
                self._pending += 1
            pipe.flush()
        except OSError:
            raise self._ended() from None

    def _ended(self) -> EmulatorError:
        """Why there is no s3270 any more."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self._process.wait(ENDS_WITHIN) == OUT_OF_STORAGE:
                return EmulatorError(
                    f"The host sent a record without end: s3270 held {STORAGE_MB} MB of it. The"
                    " session is lost; is that a 3270 system?"
                )
        return EmulatorError("s3270 has ended by itself; the session is lost.")

    def answer(self, deadline: Deadline) -> list[str]:
        """The data lines of the action that was asked for; TerminalError when it has failed."""
        data: list[str] = []
        status: list[str] = []
        while True:
            line = self._line(deadline)
            if line.startswith("data: ") or line == "data:":
                data.append(line[6:])
            elif line in ("ok", "error"):
                self._pending -= 1
                self._status = status
                if line == "error":
                    raise TerminalError(" ".join(data))
                return data
            else:
                status = line.split()

    def _line(self, deadline: Deadline) -> str:
        assert self._process.stdout is not None
        source = self._process.stdout.fileno()
        while b"\n" not in self._buffer:
            if not select.select([source], [], [], min(deadline.left, LOOK_S))[0]:
                self.check()
                if deadline.over:
                    raise self._timeout("s3270 to answer", deadline)
                continue
            chunk = os.read(source, 65536)
            if not chunk:
                raise self._ended()
            self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line.decode("utf-8", "replace")


class TerminalError(VmkbError):
    """s3270 answered `error`; only callers in this file see it."""
