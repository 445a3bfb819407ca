# SPDX-License-Identifier: MIT
"""Somebody's own console log as trials of commands: what each Ready message says of one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from vmkb.accounting.input.logs import IDLE_US, asks_time
from vmkb.accounting.input.scan import unprefixed
from vmkb.accounting.measures import TOTAL
from vmkb.accounting.records import Item, Record, Text
from vmkb.accounting.store import Trial
from vmkb.errors import VmkbError

#: What s3270 says of a line of its screen, to a program or in its trace.
_OF_SCREEN = re.compile(r"(?:data: | Output for \S+: ')(.*?)['\s]*$")
#: What a command has; a line of stars has not.
_NAME = re.compile(r"[A-Za-z0-9]")
#: What stands at the end of a screen and was not typed.
_STATUS = re.compile(r"(?:RUNNING|[VC][MP] READ|MORE\.\.\.|HOLDING|NOT ACCEPTED)(?: +\S+)?")


class CommandError(VmkbError, ValueError):
    """Logs whose commands are not the same; the sentence says what to try."""


def command_trials(name: str, items: Iterable[Item]) -> list[Trial]:
    """A trial for each Ready message with T= in the console text NAME; its release is NAME.

    Its case is the command, in capital letters: the first line below the Ready before, of the same
    userid where lines begin with one. It is empty if the log does not show what was typed, and
    LOGON for the first of a session.
    Questions for the time are no trials. What s3270 shows of a screen may be there several times:
    it counts once.
    """
    items = list(items)
    screens = any(isinstance(i, Record) and _OF_SCREEN.search(i.raw) for i in items)
    typed: dict[str, str] = {}
    asked: set[str] = set()  # who asked for the time, which CP answers without a Ready
    shown: set[str] = set()
    made: list[Trial] = []
    for item in items:
        if isinstance(item, Text):
            for line in item.raw.splitlines():
                if screens and not _OF_SCREEN.search(line):
                    continue  # what s3270 says of itself
                for text, whose in unprefixed(line):
                    if _NAME.search(text) and not _STATUS.fullmatch(text):
                        typed.setdefault(whose, " ".join(text.upper().split()))
        elif isinstance(item, Record) and item.kind == "connect":
            if asks_time(typed.get(item.origin, "")):
                asked.add(item.origin)
                del typed[item.origin]
        elif isinstance(item, Record) and item.kind == "logon":
            typed[item.origin] = "LOGON"  # above it is the logo, and below it what CMS is called
        elif isinstance(item, Record) and item.kind == "ready":
            command = typed.pop(item.origin, "")
            of_question = not command and item.origin in asked
            asked.discard(item.origin)
            again = _screen(item) in shown
            shown.add(_screen(item))
            if "totcpu" in item.fields and not of_question and not again:
                number = len(made) + 1
                made.append(
                    Trial(
                        id=f"{name}#{number}", run=name, case=command, release=name, seq=number,
                        parts={item.origin or "(console)": TOTAL}, records=(item,), status="good",
                    )
                )  # fmt: skip
    return made


def _screen(ready: Record) -> str:
    """What READY shows of a screen, or its place in the log if it is of none."""
    found = _OF_SCREEN.search(ready.raw)
    return found[1] if found else str(ready.where)


def matched(sides: Sequence[Sequence[Trial]]) -> tuple[list[list[Trial]], list[str]]:
    """The trials of each of SIDES, one log each, whose commands stand in all of them; and notes.

    Commands are the same by their words. If the logs share none, the k-th Ready of one is beside
    the k-th of the other; CommandError if one has more. What costs no more in any log than a
    question for the time does is left out.
    """
    notes = []
    named = [{t.case for t in side} - {""} for side in sides]
    common = set.intersection(*named)
    if common:
        kept = [[t for t in side if t.case in common] for side in sides]
        lost = sum(map(len, sides)) - sum(map(len, kept))
        if lost:
            notes.append(f"{lost} Ready messages are of no command that all logs show: left out")
    else:
        counts = [len(side) for side in sides]
        if len(set(counts)) > 1:
            raise CommandError(
                "the logs have no command in common and not as many Ready messages"
                f" ({' and '.join(map(str, counts))}): type the same commands in both"
            )
        kept = [
            [replace(t, case=f"command {k}") for k, t in enumerate(side, start=1)] for side in sides
        ]
        notes.append(
            "the logs do not show the same commands: they are taken in order"
            if len(sides) > 1
            else "the log does not show what was typed: commands are numbered"
        )
    most: dict[str, float] = {}
    for t in (t for side in kept for t in side):
        most[t.case] = max(most.get(t.case, 0), t.records[0].value("totcpu").value)
    small = {case for case, us in most.items() if us <= IDLE_US}
    if small and len(small) < len(most):
        notes.append(
            f"{len(small)} of {len(most)} commands cost at most {IDLE_US / 1e6:g} s, two steps of"
            " T=: left out"
        )
        kept = [[t for t in side if t.case not in small] for side in kept]
    return _doubted(kept), notes


def _doubted(sides: Sequence[Sequence[Trial]]) -> list[list[Trial]]:
    """SIDES, where a trial that failed is not trusted if others of its command did not fail so."""
    codes: dict[str, set[int]] = {}
    for t in (t for side in sides for t in side):
        codes.setdefault(t.case, set()).add(_code(t))
    return [
        [
            replace(
                t, status="untrusted",
                why=f"{t.case} ended with Ready({_code(t):05}), and not so in every trial",
            )
            if _code(t) and len(codes[t.case]) > 1 else t
            for t in side
        ]
        for side in sides
    ]  # fmt: skip


def _code(trial: Trial) -> int:
    return int(trial.records[0].value("rc").value)
