# SPDX-License-Identifier: MIT
"""Count the steps that a backtracking matcher takes, so that a test need not look at the clock.

``Counted`` stands in for a compiled pattern. It interprets the pattern as ``re`` parses it, adds a
step for each character and each part that it tries, and checks that it finds what ``re`` finds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

_parser: Any = getattr(re, "_parser")  # noqa: B009
_compile = re.compile
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")

#: What follows a part: where it ends, or -1 if it does not fit.
Then = Callable[[int], int]


class Counted:
    """A pattern whose methods count their steps in ``Counted.steps``."""

    steps = 0

    def __init__(self, pattern: Any, flags: int = 0) -> None:
        self.real = _compile(pattern, flags)
        self.tree = _parser.parse(pattern, flags)
        self.flags = self.tree.state.flags

    def match(self, text: Any, pos: int = 0, end: int | None = None) -> Any:
        return self._from(text, pos, end)

    def search(self, text: Any, pos: int = 0, end: int | None = None) -> Any:
        stop = len(text) if end is None else end
        for at in range(pos, stop + 1):
            if found := self._from(text, at, stop):
                return found
        return None

    def finditer(self, text: Any, pos: int = 0, end: int | None = None) -> Iterator[Any]:
        while found := self.search(text, pos, end):
            yield found
            pos = max(found.end(), pos) + (found.end() == found.start())
            if pos > (len(text) if end is None else end):
                return

    def scanner(self, text: Any) -> Any:
        return _Scanner(self, text)

    def fullmatch(self, text: Any) -> Any:
        self._from(text, 0, None)
        return self.real.fullmatch(text)

    def sub(self, by: Any, text: Any) -> Any:
        for _ in self.finditer(text):
            pass
        return self.real.sub(by, text)

    def findall(self, text: Any) -> Any:
        for _ in self.finditer(text):
            pass
        return self.real.findall(text)

    def _from(self, text: Any, pos: int, end: int | None) -> Any:
        stop = len(text) if end is None else end
        found = self.real.match(text, pos, stop)
        run = _Run(text, stop)
        ended = run.parts(self.tree, 0, pos, lambda at: at, self.flags)
        Counted.steps += run.steps
        assert ended == (found.end() if found else -1), (self.real.pattern, text, pos, ended, found)
        return found


class _Scanner:
    def __init__(self, pattern: Counted, text: Any) -> None:
        self.pattern, self.text, self.at = pattern, text, 0

    def match(self) -> Any:
        found = self.pattern.match(self.text, self.at)
        self.at = found.end() if found else len(self.text)
        return found


class _Run:
    """One attempt at one place of TEXT, which ends at STOP."""

    def __init__(self, text: Any, stop: int) -> None:
        self.text = text.decode("latin-1") if isinstance(text, bytes) else text
        self.stop, self.steps = stop, 0

    def parts(self, items: Any, number: int, at: int, then: Then, flags: int) -> int:
        """Where ITEMS from NUMBER on and what follows end, from AT on."""
        if number == len(items):
            return then(at)
        operation, argument = items[number]

        def rest(now: int) -> int:
            return self.parts(items, number + 1, now, then, flags)

        self.steps += 1
        name = str(operation)
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            fits = at < self.stop and self._fits(name, argument, at, flags)
            return rest(at + 1) if fits else -1
        return int(getattr(self, "_" + name.lower())(argument, at, rest, flags))

    def _fits(self, name: str, argument: Any, at: int, flags: int) -> bool:
        char = self.text[at]
        if name == "ANY":
            return bool(flags & re.DOTALL) or char != "\n"
        these = {char, char.lower(), char.upper()} if flags & re.IGNORECASE else {char}
        if name == "LITERAL":
            return chr(argument) in these
        if name == "NOT_LITERAL":
            return chr(argument) not in these
        inverted = str(argument[0][0]) == "NEGATE"
        return any(self._member(what, of, these) for what, of in argument[inverted:]) != inverted

    def _member(self, operation: Any, argument: Any, these: set[str]) -> bool:
        name = str(operation)
        if name == "LITERAL":
            return chr(argument) in these
        if name == "RANGE":
            return any(argument[0] <= ord(char) <= argument[1] for char in these)
        kind = str(argument).removeprefix("CATEGORY_").removeprefix("NOT_")
        (char, *_) = these
        found = {
            "DIGIT": char.isdigit(), "SPACE": char.isspace(), "WORD": char in _WORD,
        }[kind]  # fmt: skip
        return found != ("_NOT_" in str(argument))

    def _branch(self, argument: Any, at: int, then: Then, flags: int) -> int:
        for arm in argument[1]:
            if (ended := self.parts(arm, 0, at, then, flags)) >= 0:
                return ended
        return -1

    def _subpattern(self, argument: Any, at: int, then: Then, flags: int) -> int:
        _, added, removed, inner = argument
        return self.parts(inner, 0, at, then, (flags | added) & ~removed)

    def _atomic_group(self, argument: Any, at: int, then: Then, flags: int) -> int:
        ended = self.parts(argument, 0, at, lambda now: now, flags)
        return then(ended) if ended >= 0 else -1

    def _assert(self, argument: Any, at: int, then: Then, flags: int) -> int:
        return then(at) if self._seen(argument, at, flags) else -1

    def _assert_not(self, argument: Any, at: int, then: Then, flags: int) -> int:
        return -1 if self._seen(argument, at, flags) else then(at)

    def _seen(self, argument: Any, at: int, flags: int) -> bool:
        direction, inner = argument
        if direction < 0:
            least, _ = inner.getwidth()
            at -= least
        return at >= 0 and self.parts(inner, 0, at, lambda now: now, flags) >= 0

    def _at(self, argument: Any, at: int, then: Then, flags: int) -> int:
        name = str(argument).removeprefix("AT_")
        if name == "BEGINNING":
            name = "BEGINNING_LINE" if flags & re.MULTILINE else "BEGINNING_STRING"
        elif name == "END" and flags & re.MULTILINE:
            name = "END_LINE"
        text, stop = self.text, self.stop
        before, behind = text[at - 1 : at] if at else "", text[at : at + 1] if at < stop else ""
        fits = {
            "BEGINNING_STRING": not before,
            "BEGINNING_LINE": before in ("", "\n"),
            "END_STRING": not behind,
            "END_LINE": behind in ("", "\n"),
            "END": not behind or (behind == "\n" and at + 1 == stop),
            "BOUNDARY": (before in _WORD) != (behind in _WORD),
        }[name]
        return then(at) if fits else -1

    def _max_repeat(self, argument: Any, at: int, then: Then, flags: int) -> int:
        least, most, inner = argument
        if len(inner) == 1 and str(inner[0][0]) in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            for now in range(self._run(argument, at, flags), at + int(least) - 1, -1):
                self.steps += 1
                if (ended := then(now)) >= 0:
                    return ended
            return -1

        def once_more(number: int, begun: int) -> int:
            self.steps += 1
            if number < int(most):
                ended = self.parts(
                    inner, 0, begun,
                    lambda now: once_more(number + 1, now) if now > begun or number < least else -1,
                    flags,
                )  # fmt: skip
                if ended >= 0:
                    return ended
            return then(begun) if number >= least else -1

        return once_more(0, at)

    def _min_repeat(self, argument: Any, at: int, then: Then, flags: int) -> int:
        least, most, inner = argument

        def once_more(number: int, begun: int) -> int:
            self.steps += 1
            if number >= least and (ended := then(begun)) >= 0:
                return ended
            if number >= int(most):
                return -1
            return self.parts(
                inner, 0, begun,
                lambda now: once_more(number + 1, now) if now > begun else -1,
                flags,
            )  # fmt: skip

        return once_more(0, at)

    def _possessive_repeat(self, argument: Any, at: int, then: Then, flags: int) -> int:
        ended = self._max_repeat(argument, at, lambda now: now, flags)
        return then(ended) if ended >= 0 else -1

    def _run(self, argument: Any, at: int, flags: int) -> int:
        """Where a repetition of one character ends at the latest."""
        _, most, inner = argument
        operation, what = inner[0]
        limit = min(self.stop, at + int(most))
        while at < limit and self._fits(str(operation), what, at, flags):
            self.steps += 1
            at += 1
        return at
