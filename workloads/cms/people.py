# SPDX-License-Identifier: MIT
"""Many users at displays of one guest, each playing scripts, on the world's time.

Between two phases all are between two scripts. So an interval has whole scripts only, and what its
commands cost on the average does not depend on who was where in a script.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from vmkb.hercules.clock.messages import NEVER, PS
from vmkb.hercules.clock.world import Rank, World
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.tn3270.course import course, thinks
from vmkb.hercules.tn3270.screen import Screen, Status
from vmkb.hercules.tn3270.script import ScriptError, Step
from vmkb.workloads.base.progress import clock

ANSWER_WITHIN = 120 * PS
"""A command that is not answered by then is an error."""
ARRIVALS_S = 0.2
"""Between two users who come, seconds, on the average."""
PAGE_S = 2.0
"""How long a full page of lines is read, on the average, before CLEAR."""
REST = -1
"""In place of a wait: until the next phase."""
_DOING = ("think", "wait for an answer", "read", "done")
_READS = (Status.VM_READ, Status.CP_READ)


class Display(Protocol):
    """A 3270 display on the world's time (vmkb.hercules.clock.seat.Seat)."""

    def press(self, key: str, text: str = "") -> None: ...
    @property
    def locked(self) -> bool: ...
    def rows(self) -> Sequence[str]: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class Response:
    """One answer, times in ps of the world: the key `at`, and the `first` and the `last` write that
    came of it, to the end or to a full page."""

    user: str
    script: str
    text: str
    at: int
    first: int
    last: int


class Floor:
    """Where people sit: whether they may go on, and what was answered."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.until = 0
        self.responses: list[Response] = []
        self.people: list[Person] = []
        self.moving = 0
        """How many have not stopped yet."""
        self._looked = 0

    @property
    def over(self) -> bool:
        """Whether no script begins any more."""
        return self.world.now >= self.until

    def greet(self, person: Person) -> None:
        """Wait until the guest has written to PERSON's display. Displays that are connected at one
        time interrupt it in the order of this computer's threads."""
        if not self.world.run(stop=lambda: person.greeted):
            raise EmulatorError(f"The guest writes nothing to the display of {person.name}.")

    def state(self) -> str:
        """The acts of people now, and the world's time: of who types it shows no more than the key,
        for think times have that in them."""
        doing = Counter(person.doing for person in self.people)
        said = ", ".join(f"{doing[what]} {what}" for what in _DOING if doing[what])
        return f"{said}; virtual time {clock(self.world.now / PS)}"

    def run(self, until: int = NEVER, look: Callable[[str], None] | None = None) -> None:
        """Everybody goes on, and begins no script from the time UNTIL on; LOOK is told how
        it stands, once in a second of the world at most."""

        def stop() -> bool:
            if look and self.world.now >= self._looked + PS:
                self._looked = self.world.now
                look(self.state())
            return not self.moving

        self.until = until
        self.moving = len(self.people)
        for person in self.people:
            person.resume()
        if not self.world.run(stop=stop):
            waits = " ".join(p.seen() for p in self.people if p.since)
            raise EmulatorError(f"Nothing happens any more. {waits}".rstrip())

    def take(self) -> list[Response]:
        """The answers since this was asked last."""
        taken, self.responses = self.responses, []
        return taken


class Person:
    """Somebody called NAME, number N, at a display that SIT gives, whose scripts CHOOSE names."""

    def __init__(
        self,
        floor: Floor,
        n: int,
        name: str,
        sit: Callable[[Callable[[int], None]], Display],
        choose: Callable[[], tuple[str, Sequence[Step]]],
        think_s: float,
        draws: random.Random,
    ) -> None:
        self.name = name
        self.since = 0
        """When the key was pressed whose answer is waited for; 0: none is."""
        self._floor = floor
        self._n = n
        self._choose = choose
        self._think = think_s
        self._draws = draws
        self._first = self._last = 0
        self._looks = self._gone = self._rests = False
        self._typed = ""
        self._life = self._live()
        self._screen = Screen.of(())
        self._display = sit(self._told)
        floor.people.append(self)

    def close(self) -> None:
        """Hang up; what was to come does not."""
        self._gone = True
        self._display.close()

    @property
    def greeted(self) -> bool:
        """Whether the guest has written to the display."""
        return self._last > 0

    @property
    def doing(self) -> str:
        """One of _DOING."""
        if self._rests:
            return "done"
        if self.since:
            return "wait for an answer"
        return "read" if self._screen.held else "think"

    def resume(self) -> None:
        """Go on with the next script, or come."""
        self._rests = False
        self._wake_in(0)

    def seen(self) -> str:
        """The display's state, in a sentence."""
        rows = "\n".join(f"  |{row.rstrip()}" for row in self._display.rows() if row.strip())
        return f"The display of {self.name} shows:\n{rows}"

    # The world calls

    def _told(self, time: int) -> None:
        self._last = time
        self._first = self._first or time
        if self.since and not self._looks:
            self._looks = True
            self._floor.world.at(time, self._look, Rank.SCRIPT, self._n)

    def _wake_in(self, wait: int) -> None:
        world = self._floor.world
        world.at(world.now + wait, lambda _: self._go_on(), Rank.SCRIPT, self._n)

    def _look(self, _: int) -> None:
        self._looks = False
        if not self.since or self._gone:
            return
        self._see()
        if not self._display.locked and (
            self._screen.status in (None, *_READS) or self._screen.held
        ):
            self.since = 0
            self._go_on()

    def _see(self) -> None:
        self._screen = Screen.of(self._display.rows())

    def _go_on(self) -> None:
        if self._gone:
            return
        wait = next(self._life)
        if wait == REST:
            self._rests = True
            self._floor.moving -= 1
        elif wait is not None:
            self._wake_in(wait)

    # Who sits there: yields how long nothing is done, ps, or None where an answer is waited for

    def _live(self) -> Iterator[int | None]:
        yield round(self._n * ARRIVALS_S * self._draws.uniform(0.5, 1.5) * PS)
        for text in ("", f"LOGON {self.name}", self.name):
            yield from self._press("enter", text)
        if self._screen.status is not Status.VM_READ:
            raise EmulatorError(f"{self.name} cannot log on. {self.seen()}")
        while True:
            if self._floor.over:
                yield REST
                continue
            script, steps = self._choose()
            for step in course(
                steps, self._draws, {"user": self.name}, script, think_s=self._think
            ):
                yield from self._do(script, step)

    def _do(self, script: str, step: Step) -> Iterator[int | None]:
        args = step.args
        if step.verb == "wait":
            yield round(args["seconds"] * PS)
        elif step.verb == "type":
            self._typed += args["text"]
        elif step.verb == "expect":
            if not self._screen.has(args["text"]):
                said = f"'{args['text']}' is not there. {self.seen()}"
                raise ScriptError(script, step.line, said)
        elif step.verb == "rc":
            ready = self._screen.ready
            if ready is None or ready.rc != args["number"]:
                raise ScriptError(script, step.line, f"the return code differs. {self.seen()}")
        elif step.verb != "set":
            key = {"cms": "enter", "pf": "pf{number}", "pa": "pa{number}"}.get(step.verb, step.verb)
            text = args["text"] if step.verb == "cms" else self._typed
            self._typed = ""
            try:
                yield from self._press(key.format(**args), text, script)
            except EmulatorError as error:
                raise ScriptError(script, step.line, f"{error} {self.seen()}") from None

    def _send(self, key: str, text: str) -> int:
        world = self._floor.world
        self._first = 0
        self._display.press(key, text)
        at = self.since = world.now
        world.at(at + ANSWER_WITHIN, lambda _: self._check(at), Rank.SCRIPT, self._n)
        return at

    def _check(self, at: int) -> None:
        if self.since == at and not self._gone:
            raise EmulatorError(f"{self.name} was not answered in time. {self.seen()}")

    def _press(self, key: str, text: str, script: str = "") -> Iterator[int | None]:
        at = self._send(key, text)
        yield None
        first, last = self._first, self._last
        while self._screen.held:
            yield round(thinks(PAGE_S, self._draws) * PS)
            self._send("clear", "")
            yield None
        if script:
            said = f"{key} {text}".strip()
            self._floor.responses.append(Response(self.name, script, said, at, first, last))
