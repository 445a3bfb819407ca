# SPDX-License-Identifier: MIT
"""Plays a session script on a running guest and prints the transcript as it grows."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple, Protocol

from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import EmulatorError, pause, present
from vmkb.hercules.tn3270.course import course
from vmkb.hercules.tn3270.script import ScriptError, Step
from vmkb.hercules.tn3270.session import Answer, UserSession


class Operator(Protocol):
    """The part of the emulator that the player needs."""

    def operator(self, text: str) -> None:
        """Type one line on the operator's console."""


class Response(NamedTuple):
    """How long a step took that sent something, `seconds`, to the last that came of it."""

    line: int
    step: str
    seconds: float


class Player(Closing):
    """Carries out steps. `open_terminal` opens a session on a device or on any free one.

    `out` gets each console line once, in order; with more than one terminal in use a line says
    which one goes on. `variables` have values from the start; `draws` says what is picked and how
    long who sits there thinks. `responses` are those of all steps so far.
    """

    def __init__(
        self,
        open_terminal: Callable[[int | None], UserSession],
        machine: Operator,
        out: Callable[[str], None],
        file: str = "script",
        draws: random.Random | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.responses: list[Response] = []
        self._draws = draws or random.Random(0)
        self._variables = variables or {}
        self._open = open_terminal
        self._machine = machine
        self._out = out
        self._file = file
        self._stack = ExitStack()
        self._sessions: dict[int | None, UserSession] = {}
        self._printed: dict[int | None, int] = {}
        self._device: int | None = None
        self._timeout: float | None = None
        self._answer: Answer | None = None
        self._mark = 0

    def close(self) -> None:
        """Disconnects its terminals."""
        self._stack.close()

    def play(self, steps: Sequence[Step]) -> None:
        """Carry out all steps; ScriptError with file and line at the first that fails."""
        for step in course(steps, self._draws, self._variables, self._file):
            began = present().now()
            try:
                self._do(step)
                if step.sends:
                    took = present().now() - began
                    said = " ".join(map(str, (step.verb, *self._said(step))))
                    self.responses.append(Response(step.line, said, took))
            except EmulatorError as error:
                raise ScriptError(self._file, step.line, f"{step.verb}: {error}") from error
            finally:
                self._print()

    def _said(self, step: Step) -> list[object]:
        return [v for name, v in step.args.items() if name != "password"]

    def _session(self) -> UserSession:
        session = self._sessions.get(self._device)
        if session is None:
            session = self._stack.enter_context(self._open(self._device))
            self._sessions[self._device] = session
            self._printed[self._device] = 0
        return session

    def _print(self) -> None:
        session = self._sessions.get(self._device)
        if session is None:
            return
        for line in session.lines[self._printed[self._device] :]:
            self._out(line)
        self._printed[self._device] = len(session.lines)

    def _do(self, step: Step) -> None:
        args = step.args
        if step.verb == "wait":
            pause(float(args["seconds"]))
        elif step.verb == "set":
            self._timeout = float(args["timeout"])
        elif step.verb == "use":
            self._change(int(args["device"]))
            self._session()
        elif step.verb == "operator":
            self._machine.operator(str(args["text"]))
        elif step.verb == "rc":
            self._check_rc(int(args["number"]))
        elif step.verb == "logon":
            if "device" in args:
                self._change(int(args["device"]))
            session = self._session()
            self._mark = len(session.lines)
            session.logon(str(args["user"]), str(args["password"]), self._timeout)
        else:
            self._on_terminal(step, self._session())

    def _on_terminal(self, step: Step, session: UserSession) -> None:
        args, terminal = step.args, session.terminal
        if step.verb in ("cp", "cms", "type", "enter", "logoff"):
            self._mark = len(session.lines)
        if step.verb == "cp":
            self._answer = session.cp(str(args["text"]), self._timeout)
        elif step.verb == "cms":
            self._answer = session.command(str(args["text"]), self._timeout)
        elif step.verb == "expect":
            within = float(args.get("within") or self._timeout or 10.0)
            session.expect(str(args["text"]), within, self._mark)
        elif step.verb == "type":
            terminal.type(str(args["text"]))
        elif step.verb == "enter":
            terminal.enter()
        elif step.verb == "clear":
            terminal.clear()
        elif step.verb == "pf":
            terminal.pf(int(args["number"]))
        elif step.verb == "pa":
            terminal.pa(int(args["number"]))
        elif step.verb == "logoff":
            session.logoff(self._timeout)
        elif step.verb == "screen":
            terminal.read()
            self._print()
            self._out(f"+{'-' * 80}+")
            for row in terminal.screen.rows:
                self._out(f"|{row}|")
            self._out(f"+{'-' * 80}+")
        else:
            raise AssertionError(f"no such step: {step.verb}")

    def _change(self, device: int) -> None:
        if self._sessions and device != self._device:
            self._out(f"--- terminal {device:04X} ---")
        self._device = device

    def _check_rc(self, wanted: int) -> None:
        if self._answer is None or self._answer.rc is None:
            raise EmulatorError("no CMS command came before it.")
        if self._answer.rc != wanted:
            raise EmulatorError(
                f"the return code is {self._answer.rc}, not {wanted}; "
                f"the command wrote:\n{self._answer.text()}"
            )
