# SPDX-License-Identifier: MIT
"""A terminal's way to the far node, and what a person does there: typed line by line, each when
the one before was answered. Many terminals go on side by side."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from vmkb.hercules.deadline import Deadline, EmulatorError, Timeout, wait_until
from vmkb.hercules.lat.port import State
from vmkb.hercules.lat.station import LatTerminal
from vmkb.workloads.terminal.content import user
from vmkb.workloads.terminal.plan import Chain

ANSWER_WITHIN = 30.0
"""Seconds for the answer to a command of a logon."""
_POLL_S = 0.002
READY = "\r\nReady; T="
"""How CMS says that a command has ended."""
_GREETING = "VM/KB "
_PASSWORD = "ENTER PASSWORD"
_LOGGED_OFF = "LOGOFF AT"


@dataclass(frozen=True)
class Step:
    """Type `text` (nothing: only wait) and a carriage return, and go on when `answer` was shown
    and, with `whole`, its line has ended."""

    text: str
    answer: str
    whole: bool = False


def arrival(path: Chain, n: int) -> list[Step]:
    """From a session with the first node to a CMS that is ready on the far node."""
    there = logon(n)
    if not path.command:
        return there
    return [*there, Step(path.command, _GREETING, True), *there[1:]]


def logon(n: int) -> list[Step]:
    """From a session with a node to a CMS of user number N's that is ready there."""
    name = user(n)
    return [
        Step("", _GREETING, True),
        Step(f"logon {name}", _PASSWORD),
        Step(name, READY, True),
    ]


def departure(path: Chain) -> list[Step]:
    """From there to the end of the session."""
    steps = [Step("logoff", _LOGGED_OFF)]
    if path.command:
        steps = [Step("logoff", READY, True), Step("logoff", _LOGGED_OFF)]
    return steps


class Typist:
    """Somebody at terminal number `n`."""

    def __init__(self, terminal: LatTerminal, n: int) -> None:
        self.terminal = terminal
        self.n = n
        self._steps: Iterator[Step] = iter(())
        self._step: Step | None = None
        self._mark = 0

    def begin(self, steps: Iterable[Step]) -> None:
        """Start on STEPS; `advance` does them."""
        self._steps = iter(steps)
        self._next()

    def _next(self) -> None:
        self._mark = len(self.terminal.shown)
        self._step = next(self._steps, None)
        if self._step is not None and self._step.text:
            self.terminal.type(self._step.text + "\r")

    @property
    def waits_for(self) -> str:
        """Words that the answer must contain, or nothing when all is done."""
        return self._step.answer if self._step else ""

    def advance(self) -> bool:
        """Do what can be done now; True when all steps are done. EmulatorError when the session
        has ended before that."""
        while self._step is not None:
            over = self.terminal.over  # asked first: nothing more is shown after that
            text = self.terminal.shown[self._mark :]
            at = text.find(self._step.answer.encode("latin-1"))
            whole = at >= 0 and (
                not self._step.whole or text.find(b"\r\n", at + len(self._step.answer)) >= 0
            )
            if not whole:
                if over:
                    raise EmulatorError(
                        f"The session of terminal {self.n} ended ({self.terminal.reason}) while"
                        f" '{self._step.answer}' was awaited; it had shown:\n{self._tail()}"
                    )
                return False
            self._next()
        return True

    def _tail(self) -> str:
        return "\n".join(f"  |{line}" for line in self.tail())

    def tail(self) -> list[str]:
        """The last lines of the terminal."""
        text = self.terminal.shown.decode("latin-1")
        return text.replace("\r", "").split("\n")[-12:]


def all_do(
    typists: Sequence[Typist],
    steps: Callable[[Typist], Iterable[Step]],
    silence: float,
    shown: Callable[[int], None] = lambda characters: None,
) -> None:
    """Every typist does its own STEPS, side by side; SHOWN is told how many characters all have
    shown. Timeout when no terminal has shown anything for SILENCE seconds."""
    for typist in typists:
        typist.begin(steps(typist))
    _go_on(typists, silence, shown)


def _go_on(
    typists: Sequence[Typist],
    silence: float,
    shown: Callable[[int], None] = lambda characters: None,
) -> None:
    """Until all have done what they began."""
    left = list(typists)
    deadline = Deadline(silence)
    seen = -1
    while True:
        left = [t for t in left if not t.advance()]
        if not left:
            return
        now = sum(len(t.terminal.shown) for t in typists)
        if now != seen:
            seen, deadline = now, Deadline(silence)
            shown(now)
        elif deadline.over:
            first = left[0]
            raise Timeout(
                f"'{first.waits_for}' on terminal {first.n} ({len(left)} of {len(typists)} wait)",
                deadline.elapsed,
                first.tail(),
            )
        deadline.clock.wait(deadline.left, _POLL_S)


def _has_begun(terminal: LatTerminal) -> bool:
    return terminal.state in (State.RUNNING, State.ENDED)


def enter(typists: Sequence[Typist], path: Chain) -> None:
    """Bring all to the far node by PATH. EmulatorError when a session is refused."""
    for typist in typists:
        typist.begin(arrival(path, typist.n))  # the greeting may come before anybody looks
        typist.terminal.start_connect(path.enter)
    for typist in typists:
        terminal = typist.terminal
        wait_until(
            functools.partial(_has_begun, terminal),
            ANSWER_WITHIN,
            f"a LAT session of terminal {typist.n} with {path.enter}",
        )
    _go_on(typists, ANSWER_WITHIN)


def arrive(typist: Typist, node: str, steps: Iterable[Step]) -> None:
    """A session of one with NODE, and STEPS in it. EmulatorError when it is refused."""
    typist.begin(steps)  # the greeting may come before anybody looks
    typist.terminal.connect(node, ANSWER_WITHIN)
    _go_on([typist], ANSWER_WITHIN)


def showed(text: str, command: str, expected: str, ready: str = READY) -> bool:
    """Whether the TEXT of a terminal is the COMMAND's echo, what is EXPECTED and one READY, with
    which a line begins."""
    head = command + "\r\n" + expected
    return (
        text.startswith(head)
        and text[len(head) - 2 :].startswith(ready)
        and (text.endswith("\r\n") and text.count("\n", len(head)) == 1)
    )


def leave(typists: Sequence[Typist], path: Chain) -> None:
    """Log all off, on both nodes, and wait for the end of their sessions."""
    all_do(typists, lambda _: departure(path), ANSWER_WITHIN)
    for typist in typists:
        typist.terminal.ended(ANSWER_WITHIN)
