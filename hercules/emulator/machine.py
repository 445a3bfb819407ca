# SPDX-License-Identifier: MIT
"""One Hercules process: start it, watch it, type on its console, end it.

Hercules reads nothing from standard input in daemon mode, but it reads its start-up script line by
line while it runs. So that script is a named pipe: what is written there is carried out at once,
also by a process that did not start the emulator. Hercules inherits the pipe open for reading and
writing, so it never sees its end. Which Hercules it is matters only to its dialect.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import psutil

from vmkb.hercules.clock.guest import GuestClock
from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import HOST, Deadline, EmulatorError, Timeout, on, wait_until
from vmkb.hercules.emulator.choice import Emulator, choose
from vmkb.hercules.emulator.config import MachineConfig, config_text
from vmkb.hercules.emulator.cputime import emulated_cpu_thread, used_seconds, wanted_seconds
from vmkb.hercules.emulator.dialect import dialect as dialect_called
from vmkb.hercules.emulator.dialect.base import Dialect
from vmkb.hercules.emulator.log import LogTail
from vmkb.hercules.emulator.source_line import where
from vmkb.hercules.installed import built
from vmkb.hercules.ports import claim
from vmkb.hercules.room import Room

T = TypeVar("T")

STATE_SCHEMA = 3
START_TRIES = 3
START_WITHIN = 20.0
STOP_WITHIN = 5.0

CLOCK_SOCKET, LOG_FILE = "VMKB_CLOCK", "VMKB_LOG"
"""Environment: the file descriptors of its clock and its log for an emulator on virtual time
(hercules/exact/virtual_link.c)."""
RETYPE = 2.0
LOOK_S = 0.5
"""How long a CPU is looked at that may be in a loop."""
BUSY = 0.05
"""Part of the time that a waiting guest's CPU does not work."""


def started_ticks(pid: int) -> int:
    """When a process was started, in clock ticks since the host's boot: setting the host's clock
    does not change it. OSError if there is no such process."""
    stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    return int(stat[stat.rindex(")") + 2 :].split()[19])  # proc(5): field 22


class Hercules(Closing):
    """A running emulator. Use `Hercules.start` or `Hercules.attach`."""

    def __init__(
        self,
        run_dir: Path,
        pid: int,
        console_port: int,
        child: subprocess.Popen[bytes] | None,
        dialect: Dialect,
    ) -> None:
        self.run_dir = run_dir
        self.pid = pid
        self.console_port = console_port
        self.dialect = dialect
        self.log = self.open_log()
        self._child = child
        self._process = psutil.Process(pid)
        self._cpu_thread: int | None = None
        self.terminal_port = console_port
        """Where terminals connect: at a front of the emulator's own port, if it has one."""
        self.exposed = ""
        """Why its own ports are this computer's, where a room was to have them; else empty."""
        self.failed = ""
        """A pattern for a line of the log with which the guest says that it cannot go on."""
        self.symbols: Path | None = None
        """The program of the guest whose addresses that line has, if it has some."""
        self._looked = 0
        self.virtual: GuestClock | None = None
        """Its clock, if it runs on virtual time."""

    def open_log(self) -> LogTail:
        """The emulator's log from its beginning, for another reader."""
        return LogTail(self.run_dir / "log", self.dialect.plain)

    @classmethod
    def start(
        cls,
        machine: MachineConfig,
        run_dir: Path,
        ipl: Path | int | None = None,
        parameter: tuple[int, str] | None = None,
        note: dict[str, Any] | None = None,
        holds: Sequence[int] = (),
        emulator: Emulator | None = None,
        room: Room | None = None,
        virtual: GuestClock | None = None,
    ) -> Hercules:
        """Start Hercules in `run_dir` (made if missing) and wait until it takes terminals.

        `ipl` is an .ins file or the number of a device to IPL from at once; `parameter` an address
        and the text that is loaded there beside it. `note` is kept in state.json. The emulator
        holds the file descriptors `holds` open as long as it lives. Files of the devices must
        already be in the run folder. `emulator` is which Hercules (None: as `choice.choose` finds
        it); `room` the network that it is to have, in which its ports then are; `virtual` its
        clock, if it is to run on virtual time. Raises EmulatorError when Hercules is missing or
        refuses.
        """
        program = emulator or choose()
        run_dir = run_dir.resolve()
        run_dir.mkdir(parents=True, exist_ok=True)
        load = f"{ipl:04X}" if isinstance(ipl, int) else None
        if isinstance(ipl, Path):
            load = _write_ins(run_dir, ipl.resolve(), parameter, machine.memory_mb)
        for attempt in range(1, START_TRIES + 1):
            self = cls._launch(program, machine, run_dir, holds, room, virtual)
            try:
                if self._wait_listening(bool(machine.terminals)):
                    break
            except BaseException:
                self.kill()
                raise
            self.kill()
            if attempt == START_TRIES:
                raise EmulatorError(
                    f"Another program took the terminal port {START_TRIES} times; try again."
                )
        try:
            self._cpu_thread = self._find_cpu_thread()
            self.terminal_port = (note or {}).get("terminal_port", self.console_port)
            self.exposed = (note or {}).get("exposed", "")
            self._write_state(note or {})
            if load:
                self.command(f"ipl {load}")
        except BaseException:
            self.kill()
            raise
        return self

    @classmethod
    def _launch(
        cls, program: Emulator, machine: MachineConfig, run_dir: Path, holds: Sequence[int],
        room: Room | None, virtual: GuestClock | None,
    ) -> Hercules:  # fmt: skip
        port, mark = claim()
        (run_dir / "machine.cnf").write_text(
            config_text(machine, port, program.dialect), encoding="ascii"
        )
        commands = run_dir / "commands"
        commands.unlink(missing_ok=True)
        os.mkfifo(commands, 0o600)
        pipe = os.open(commands, os.O_RDWR | os.O_CLOEXEC)
        try:
            with (run_dir / "log").open("wb") as log:
                words = [*program.arguments(), *program.dialect.arguments, "machine.cnf"]
                own = {}
                if virtual is not None:
                    own = {CLOCK_SOCKET: virtual.node.child.fileno(), LOG_FILE: log.fileno()}
                child = subprocess.Popen(
                    room.entered(words) if room else words,
                    cwd=run_dir,
                    stdin=pipe,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env={
                        **os.environ,
                        "HERCULES_RC": "commands",
                        **{name: str(fd) for name, fd in own.items()},
                    },
                    start_new_session=True,
                    pass_fds=[*holds, *own.values(), mark.fileno()],
                )
            for line in program.dialect.wakes:
                os.write(pipe, f"{line}\n".encode())
        finally:
            os.close(pipe)
            mark.close()
        self = cls(run_dir, child.pid, port, child, program.dialect)
        if virtual is not None:
            self.virtual = virtual
            virtual.node.started(child.pid)
        return self

    def _write_state(self, note: dict[str, Any]) -> None:
        state = {
            **note,
            "schema": STATE_SCHEMA,
            "pid": self.pid,
            "dialect": self.dialect.key,
            "started_ticks": started_ticks(self.pid),
            "console_port": self.console_port,
            "cpu_thread": self._cpu_thread,
        }
        path = self.run_dir / "state.json"
        path.write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def attach(cls, run_dir: Path) -> Hercules | None:
        """The emulator that an earlier process started in `run_dir`, or None if it is gone."""
        state = read_state(run_dir)
        if state is None:
            return None
        try:
            process = psutil.Process(state["pid"])
            # A pid is used again one day; when it was started tells whose it is.
            if started_ticks(process.pid) != state["started_ticks"]:
                return None
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
        except (psutil.Error, OSError):
            return None
        dialect = dialect_called(state["dialect"])
        self = cls(run_dir.resolve(), state["pid"], state["console_port"], None, dialect)
        self._cpu_thread = state["cpu_thread"]
        self.terminal_port = state.get("terminal_port", self.console_port)
        self.exposed = state.get("exposed", "")
        return self

    def become(self, pid: int) -> None:
        """The emulator is PID from now on, which goes on from where this one was."""
        self.pid, self._child, self._process = pid, None, psutil.Process(pid)
        self._cpu_thread = None
        self.log.reopen()

    def close(self) -> None:
        """Stops it."""
        self.stop()

    def says(self, line: str) -> bool:
        """Whether a log line is the emulator's own, and not of the guest's console."""
        return re.match(self.dialect.messages.own, line) is not None

    @property
    def running(self) -> bool:
        """Whether the process still lives."""
        if self._child is not None:
            return self._child.poll() is None
        try:
            return self._process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False

    def check_running(self) -> None:
        """Raise EmulatorError with the end of the log if the process has ended, or if the guest has
        said that it cannot go on."""
        self._check_guest()
        if not self.running:
            tail = "\n".join(f"  {line}" for line in self.log.tail())
            raise EmulatorError(f"Hercules (pid {self.pid}) has ended. End of its log:\n{tail}")

    def _check_guest(self) -> None:
        if not self.failed:
            return
        mark = self.log.mark()
        for line in self.log.since(self._looked):
            if failed := re.search(self.failed, line):
                at = where(failed, self.symbols) if self.symbols else ""
                tail = "\n".join(f"  {each}" for each in self.log.tail())
                said = f"The guest (pid {self.pid}) has failed: {line.strip()}. {at}".rstrip()
                raise EmulatorError(f"{said} End of its log:\n{tail}")
        self._looked = mark

    def _wait_listening(self, terminals: bool) -> bool:
        """Wait until commands, and TERMINALS if it has some, are taken; False when the port was
        busy."""
        messages = self.dialect.messages

        def probe() -> str | None:
            # First, for what it complains of stands before: each look sees more of the log.
            listens = not terminals or self.log.find(messages.listening)
            ready = listens and self.log.find(messages.reads_commands)
            if self.log.find(messages.port_busy):
                return "busy"
            if self.log.find(messages.refused):
                errors = [line for line in self.log.since(0) if re.search(messages.error, line)]
                raise EmulatorError(f"Hercules refuses the machine: {'; '.join(errors)}.")
            self.check_running()
            return "ready" if ready else None

        said = wait_until(
            probe,
            START_WITHIN,
            "Hercules to listen for terminals",
            log=self.log.tail,
            poll=0.0005,
            clock=HOST,
        )
        return said == "ready"

    def command(self, text: str) -> None:
        """Give Hercules one console command, as typed on its own panel."""
        if "\n" in text or not text.isprintable():
            raise ValueError(f"A Hercules command is one printable line, not {text!r}.")
        self.check_running()
        try:
            pipe = os.open(self.run_dir / "commands", os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            self.check_running()
            raise EmulatorError(
                f"Hercules (pid {self.pid}) does not read its commands: {error.strerror}."
            ) from None
        try:
            os.write(pipe, f"{text}\n".encode())
        except BlockingIOError:
            raise EmulatorError(
                f"Hercules (pid {self.pid}) has stopped reading its commands; the pipe is full."
            ) from None
        finally:
            os.close(pipe)

    def operator(self, text: str, answer: str = "", within: float = 10.0) -> None:
        """Type one line on the guest's operator console (3215-C), and wait for its answer.

        Stock Hercules 3.13 drops the attention of a line typed while the console ends a write. With
        `answer`, a pattern for a log line, the line is typed again each RETYPE seconds until that
        line has come; give it only for commands that may be given twice. Raises Timeout after
        `within` seconds, EmulatorError when Hercules has ended.
        """
        mark = self.log.mark()
        deadline = Deadline(within)
        while True:
            if self.virtual is not None:
                self.check_running()
                self.virtual.operator(text)
            else:
                self.command(f"/{text}")
            if not answer:
                return
            try:
                self.wait_log(answer, min(RETYPE, deadline.quiet), mark)
                return
            except Timeout:
                if deadline.over:
                    raise

    def wait_log(self, pattern: str, within: float, since: int = 0, expected: str = "") -> str:
        """The first log line from number `since` on that `pattern` matches.

        Raises Timeout after `within` seconds, EmulatorError as soon as Hercules has ended.
        """

        look = _or_ended(lambda: self.log.find(pattern, since), self.check_running)
        expected = expected or f"a log line with /{pattern}/"
        return wait_until(look, within, expected, log=self.log.tail)

    def wait_shown(self, pattern: str, within: float, since: int, expected: str) -> int:
        """As `wait_log`, for a line that need not be ended yet; the number of the line behind."""

        look = _or_ended(lambda: self.log.find_shown(pattern, since), self.check_running)
        return wait_until(look, within, expected, log=self.log.tail)

    def doing(self) -> str:
        """Its state, in words: for a guest that does not answer."""
        try:
            if self._process.status() == psutil.STATUS_STOPPED:
                return (
                    f"its emulator (pid {self.pid}) is stopped, as by SIGSTOP: kill -CONT"
                    f" {self.pid} lets it go on"
                )
            before = self._cpu_seconds(wanted_seconds)
            HOST.sleep(LOOK_S)
            busy = (self._cpu_seconds(wanted_seconds) - before) / LOOK_S
        except (EmulatorError, psutil.Error):
            return f"what its emulator (pid {self.pid}) does is not known"
        if busy > BUSY:
            return f"its CPU works ({100 * busy:.0f} % of the host's clock): it may be in a loop"
        return "its CPU waits: nothing wakes it, or it has not seen what was typed"

    def cpu_seconds(self) -> float:
        """User plus system time of the emulated CPU's thread, in seconds (source HT)."""
        return self._cpu_seconds(used_seconds)

    def _cpu_seconds(self, told: Callable[[int, int], float]) -> float:
        self.check_running()
        if self._cpu_thread is None:
            raise EmulatorError(
                f"It is not known which thread of Hercules (pid {self.pid}) is the CPU: the kernel "
                "did not show its threads when it started."
            )
        try:
            return told(self.pid, self._cpu_thread)
        except OSError as error:
            raise EmulatorError(
                f"The kernel does not tell the time of the CPU thread of Hercules (pid {self.pid}):"
                f" {error.strerror}."
            ) from None

    def _find_cpu_thread(self) -> int | None:
        started = self.dialect.messages.cpu_started
        with on(HOST):
            match = re.search(started, self.wait_log(started, START_WITHIN))
        assert match is not None
        try:
            return emulated_cpu_thread(self.pid, int(match[1], 16))
        except EmulatorError:
            return None

    def stop(self) -> None:
        """End Hercules with its own quit; kill it when that takes longer than STOP_WITHIN."""
        if self.virtual is not None:
            self.virtual.close()
            self.kill()
            return
        if self.running:
            try:
                self.command("quit")
                wait_until(lambda: not self.running, STOP_WITHIN, "Hercules to quit", clock=HOST)
            except (EmulatorError, OSError):
                self.kill()
        self._gone()

    def kill(self) -> None:
        """End Hercules at once, as a power failure would."""
        with contextlib.suppress(psutil.Error):
            if self.running:
                self._process.kill()
        wait_until(lambda: not self.running, STOP_WITHIN, f"pid {self.pid} to end", clock=HOST)
        self._gone()

    def _gone(self) -> None:
        self.log.close()
        for name in ("state.json", "commands"):
            (self.run_dir / name).unlink(missing_ok=True)


def _or_ended(look: Callable[[], T | None], check: Callable[[], None]) -> Callable[[], T | None]:
    """As LOOK at the log, but raises what CHECK raises when nothing more can come. The last lines
    may come between the two."""

    def probe() -> T | None:
        found = look()
        if found is None:
            try:
                check()
            except EmulatorError:
                found = look()
                if found is None:
                    raise
        return found

    return probe


def read_state(run_dir: Path) -> dict[str, Any] | None:
    """The content of state.json in `run_dir`, or None when there is none that can be used."""
    try:
        state = json.loads((run_dir / "state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(state, dict) or state.get("schema") != STATE_SCHEMA:
        return None
    return state


def _write_ins(
    run_dir: Path, image: Path, parameter: tuple[int, str] | None, memory_mb: int
) -> str:
    """An .ins file in the run folder that loads what `image` loads, and the parameter text.
    EmulatorError if something is missing or does not fit in the machine's memory.

    What it names is copied beside it: Hercules 3.13 finds only files in the folder of the .ins,
    and a build that goes on meanwhile does not change what runs.
    """
    try:
        lines = image.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise EmulatorError(f"{image} cannot be read: {error.strerror}; {built()}.") from None
    out = []
    for line in lines:
        words = line.split()
        if not words or words[0].startswith("*"):
            continue
        source = image.parent / words[0]
        if not source.is_file():
            raise EmulatorError(f"{image} names {source}, which is not there; {built()}.")
        end = int(words[1], 0) + source.stat().st_size if len(words) > 1 else 0
        if end > memory_mb << 20:
            raise EmulatorError(
                f"The machine has too little memory: {source.name} ends at {-(-end >> 20)} MB, and"
                f" memory_mb is {memory_mb}."
            )
        shutil.copyfile(source, run_dir / source.name)
        out.append(" ".join([source.name, *words[1:]]))
    if parameter is not None:
        address, text = parameter
        (run_dir / "parameter").write_bytes(text.encode("ascii") + b"\0")
        out.append(f"parameter 0x{address:X}")
    (run_dir / "ipl.ins").write_text("\n".join(out) + "\n", encoding="utf-8")
    return "ipl.ins"
