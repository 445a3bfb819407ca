# SPDX-License-Identifier: MIT
"""The language of session scripts, one step a line. Pure: text in, steps out.

    # a comment
    set timeout 20                 seconds that each later step may take (more on a busy computer)
    logon MAINT MAINT on 0701      user, password, and the terminal if it matters
    use 0701                       go on at that terminal, where a session is open already
    cp query names                 a CP command
    cms listfile * exec a          a CMS command; waits for Ready
    rc 0                           the last CMS command's return code must be this
    expect "some text" within 5    the console or screen must show it
    type some text                 only typed; then a key:
    enter | clear | pf 3 | pa 1
    screen                         print the screen as it is
    operator query names           a line on the operator's console
    wait 5                         seconds in which nothing is done
    let file REPORT SCRIPT         {file} stands for that in the steps behind
    pick mode A B C                {mode} stands for one of these, drawn
    repeat 3 ... end               the steps between, three times
    set think 30                   before each key that sends, a time with this mean is waited
                                   (set think 0: none)
    logoff

Words are separated by blanks; "double quotes" keep blanks in a word, and a doubled quote inside
is one. What follows cp, cms, type, operator and let is taken as it stands, but for {NAME} of a
variable and {{ for a brace. hercules.tn3270.course makes of this the steps to be done in turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vmkb.errors import VmkbError

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
VARIABLE = re.compile(r"\{(?:\{|([A-Za-z][A-Za-z0-9_]*)\})")
"""A variable, or a doubled brace, which stands for one."""
_OUTSIDE = frozenset(("logon", "logoff", "use", "operator"))
REPEATS_MAX = 1_000_000
UNPARSED = "unparsed"
"""The argument of a step with variables: its text, which is looked at when they have values."""
_WORD = re.compile(r'\s*(?:"((?:[^"]|"")*)"(?=\s|$)|([^\s"]+)(?=\s|$))')


class ScriptError(VmkbError):
    """A script cannot be read, or a step of it failed; the text begins with file:line."""

    def __init__(self, file: str, line: int, text: str) -> None:
        self.file = file
        self.line = line
        super().__init__(f"{file}:{line}: {text}")


Args = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One step: its line number from 1, its verb, and its arguments by name."""

    line: int
    verb: str
    args: Args

    @property
    def sends(self) -> bool:
        """Whether it sends something to the host: who sits there thinks before it."""
        return self.verb in ("cp", "cms", "enter", "clear", "pf", "pa", "logon", "logoff")


def _words(text: str) -> list[str]:
    """Words of `text`; ValueError when a quote is not closed or stands in mid-word."""
    words = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _WORD.match(text, at)
        if match is None:
            raise ValueError("a double quote is not closed or not at the start of a word")
        words.append(match[1].replace('""', '"') if match[1] is not None else match[2])
        at = match.end()
    return words


def _seconds(word: str, least: str = "above 0") -> float:
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not (0 < value <= 3600 or (value == 0 and least == "0")):
        raise ValueError(f"'{word}' is not a time; give seconds from {least} to 3600")
    return value


def _name(word: str) -> str:
    if not NAME.fullmatch(word):
        raise ValueError(f"'{word}' is not a name; a letter, then letters, digits and _ make one")
    return word.lower()


def _device(word: str) -> int:
    if not re.fullmatch(r"[0-9A-Fa-f]{1,4}", word):
        raise ValueError(f"'{word}' is not a terminal; give its device number, like 0701")
    return int(word, 16)


def _number(low: int, high: int) -> Callable[[str], Args]:
    def parse(text: str) -> Args:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise ValueError(f"a number from {low} to {high} must follow, not '{text}'")
        return {"number": int(text)}

    return parse


def _nothing(text: str) -> Args:
    if text:
        raise ValueError(f"nothing may follow, but '{text}' does")
    return {}


def _raw(text: str) -> Args:
    if not text:
        raise ValueError("text must follow")
    if not text.isprintable():
        raise ValueError("the text has a character that cannot be typed")
    return {"text": text}


def _logon(text: str) -> Args:
    words = _words(text)
    if len(words) == 2:
        return {"user": words[0], "password": words[1]}
    if len(words) == 4 and words[2].lower() == "on":
        return {"user": words[0], "password": words[1], "device": _device(words[3])}
    raise ValueError("write it as: logon USER PASSWORD [on DEVICE]")


def _use(text: str) -> Args:
    return {"device": _device(text)}


def _expect(text: str) -> Args:
    words = _words(text)
    if len(words) == 1 and words[0]:
        return {"text": words[0]}
    if len(words) == 3 and words[0] and words[1].lower() == "within":
        return {"text": words[0], "within": _seconds(words[2])}
    raise ValueError('write it as: expect "TEXT" [within SECONDS]')


def _set(text: str) -> Args:
    words = _words(text)
    if len(words) == 2 and words[0].lower() == "timeout":
        return {"timeout": _seconds(words[1])}
    if len(words) == 2 and words[0].lower() == "think":
        return {"think": _seconds(words[1], "0")}
    raise ValueError("write it as: set timeout SECONDS, or set think SECONDS")


def _wait(text: str) -> Args:
    return {"seconds": _seconds(text)}


def _let(text: str) -> Args:
    name, _, value = text.partition(" ")
    return {"name": _name(name), "text": value.strip()}


def _pick(text: str) -> Args:
    name, *words = _words(text)
    if not words:
        raise ValueError("write it as: pick NAME ONE OTHER ...")
    return {"name": _name(name), "words": tuple(words)}


def _rc(text: str) -> Args:
    if not re.fullmatch(r"-?\d{1,10}", text):
        raise ValueError(f"a return code must follow, not '{text}'")
    return {"number": int(text)}


VERBS: dict[str, Callable[[str], Args]] = {
    "set": _set,
    "logon": _logon,
    "use": _use,
    "cp": _raw,
    "cms": _raw,
    "rc": _rc,
    "expect": _expect,
    "type": _raw,
    "enter": _nothing,
    "clear": _nothing,
    "pf": _number(1, 24),
    "pa": _number(1, 3),
    "screen": _nothing,
    "operator": _raw,
    "logoff": _nothing,
    "wait": _wait,
    "let": _let,
    "pick": _pick,
    "repeat": _number(1, REPEATS_MAX),
    "end": _nothing,
}


def parse_script(text: str, file: str = "script") -> tuple[Step, ...]:
    """The steps of a script. Raises ScriptError with the line of the first mistake."""
    steps = []
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        verb, _, rest = stripped.partition(" ")
        if verb.lower() not in VERBS:
            known = ", ".join(sorted(VERBS))
            raise ScriptError(file, number, f"'{verb}' is not a step; steps are {known}.")
        args = {UNPARSED: rest.strip()} if VARIABLE.search(rest) else None
        steps.append(Step(number, verb.lower(), args or arguments(file, number, verb, rest)))
    _check_loops(steps, file)
    return tuple(steps)


def parse_seated(text: str, file: str) -> tuple[Step, ...]:
    """The same, of a script for somebody who is logged on and stays at that terminal. ScriptError
    for a step that is nothing for him."""
    steps = parse_script(text, file)
    for step in steps:
        if step.verb in _OUTSIDE:
            raise ScriptError(file, step.line, f"{step.verb}: this user is logged on and stays so.")
    return steps


def arguments(file: str, line: int, verb: str, rest: str) -> Args:
    """The meaning of the REST of a step. ScriptError if it means nothing."""
    try:
        return VERBS[verb.lower()](rest.strip())
    except ValueError as error:
        raise ScriptError(file, line, f"{verb}: {error}.") from None


def _check_loops(steps: list[Step], file: str) -> None:
    begun: list[Step] = []
    for step in steps:
        if step.verb == "repeat":
            begun.append(step)
        elif step.verb == "end":
            if not begun:
                raise ScriptError(file, step.line, "end: no repeat stands before it.")
            begun.pop()
    if begun:
        raise ScriptError(file, begun[-1].line, "repeat: it has no end.")
