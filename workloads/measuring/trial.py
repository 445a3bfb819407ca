# SPDX-License-Identifier: MIT
"""One interval: the time asked before and after a command in one session, and nothing between."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from vmkb import given
from vmkb.accounting.input.scan import scan
from vmkb.accounting.intervals import Interval, between, samples
from vmkb.accounting.records import ParseError, Record, Text
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.tn3270.dialogue import Dialogue
from vmkb.hercules.tn3270.player import Player
from vmkb.hercules.tn3270.script import parse_seated
from vmkb.hercules.tn3270.session import UserSession
from vmkb.workloads.measuring.asked import Variant

SCRIPT = "@"
"""A command that begins so is the file of a session script, which is played in its place."""
MASK = "********"
INDICATE = "INDICATE USER"
_KEPT = ("connect", "time_is", "indicate_")
"""How the kinds begin that CP was asked for; what the command itself prints is no sample."""


class CommandFailed(EmulatorError):
    """The command, or one before it, ended with a return code other than 0."""


@dataclass(frozen=True)
class Taken:
    """One interval: its records, how often the command ran in it, its transcript, its time."""

    records: tuple[Record, ...]
    repeat: int
    lines: tuple[str, ...]
    elapsed_s: float

    def interval(self, user: str) -> Interval:
        """The use of USER's machine; EmulatorError if its counters went back or were not told."""
        found = between(samples(self.records, user))
        if len(found) != 1 or not found[0].valid:
            why = "; ".join(found[0].notes) if found else "the answers name another machine"
            raise EmulatorError(f"The two answers make no interval of {user}: {why}.")
        return found[0]


class Bench:
    """A session that is logged on, and how its system is asked for CPU time.

    `within` is the deadline of one command in seconds, 0 for the dialogue's own.
    """

    def __init__(
        self,
        session: UserSession,
        dialogue: Dialogue,
        user: str,
        secrets: Sequence[str] = (),
        within: float = 0.0,
    ) -> None:
        self.session, self.dialogue, self.user = session, dialogue, user
        self._secrets = [s for s in secrets if s]
        self._within = within or None
        self._indicates = True

    def take(self, variant: Variant | None, repeat: int, file: str) -> Taken:
        """Run what comes before VARIANT, the interval with the command REPEAT times in it (None:
        with nothing), and what comes after. FILE is what the transcript will be called.

        Raises CommandFailed, Timeout, and EmulatorError when the session is lost.
        """
        begin = len(self.session.lines)
        for text in variant.before if variant else ():
            self._run(text, variant.label if variant else "")
        first = self._sample(begin, file)
        clock = time.monotonic()
        for done in range(repeat if variant else 0):
            assert variant is not None
            if variant.command.startswith(SCRIPT):
                self._play(variant.command.removeprefix(SCRIPT), done)
                continue
            answer = self.session.command(variant.command, self._within)
            if answer.rc:
                which = f", time {done + 1} of {repeat} in one interval" if done else ""
                raise CommandFailed(
                    f"'{variant.command}' ended with return code {answer.rc}{which}:\n"
                    f"{self.masked(answer.text())}"
                )
        took = time.monotonic() - clock
        last = self._sample(begin, file)
        more = self._indicate(begin, file)
        for text in variant.after if variant else ():
            self._run(text, variant.label if variant else "")
        lines = tuple(self.masked(line) for line in self.session.lines[begin:])
        return Taken((*first, *last, *more), repeat, lines, took)

    def masked(self, text: str) -> str:
        """TEXT without the password."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return text

    def _play(self, file: str, seed: int) -> None:
        """The steps of a script, each time with other draws."""
        try:
            text = given.text(file)
        except OSError as error:
            raise CommandFailed(f"The script {file} cannot be read: {error.strerror}") from None
        steps, draws = parse_seated(text, file), random.Random(seed)
        Player(lambda _: self.session, self, lambda _: None, file, draws).play(steps)

    def operator(self, text: str) -> None:
        """A system that is measured is reached at a terminal only: parse_seated refuses this."""
        raise AssertionError(text)

    def _run(self, text: str, label: str) -> None:
        answer = self.session.command(text, self._within)
        if answer.rc:
            raise CommandFailed(
                f"'{text}', which {label} needs, ended with return code {answer.rc}:\n"
                f"{self.masked(answer.text())}"
            )

    def _sample(self, begin: int, file: str) -> list[Record]:
        mark = len(self.session.lines)
        answer = self.session.cp(self.dialogue.time)
        found = self._records(mark, begin, file)
        if sum(r.kind == "connect" for r in found) != 1:
            raise EmulatorError(
                f"CP's answer to '{self.dialogue.time}' has no CONNECT= VIRTCPU= TOTCPU= line:\n"
                f"{self.masked(answer.text())}"
            )
        return found

    def _records(self, mark: int, begin: int, file: str) -> list[Record]:
        text = "\n".join(self.masked(line) for line in self.session.lines[mark:])
        made = []
        for item in scan([text.encode("latin-1", "replace")], file, line=mark - begin + 1):
            if isinstance(item, ParseError):
                raise EmulatorError(f"CP's answer cannot be read: {item}")
            if isinstance(item, Text) or not item.kind.startswith(_KEPT):
                continue
            if item.kind == "connect" and not item.word("userid"):
                item = item._replace(origin=self.user)
            made.append(item)
        return made

    def _indicate(self, begin: int, file: str) -> list[Record]:
        """The answer of INDICATE USER, behind the interval, if this user's class may ask."""
        if not self._indicates:
            return []
        mark = len(self.session.lines)
        answer = self.session.cp(INDICATE)
        self._indicates = not answer.rc
        return self._records(mark, begin, file) if self._indicates else []
