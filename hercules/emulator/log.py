# SPDX-License-Identifier: MIT
"""The growing log file of an emulator, read line by line."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

KEPT_LINES = 20_000
_CHUNK = 1 << 16


class LogTail:
    """Lines of a file that another process appends to.

    Lines are numbered from 0 and the last KEPT_LINES are kept. A line counts once its end has
    been written; bytes that are not UTF-8 become replacement characters. `plain` takes from a line
    what the emulator puts before it.
    """

    def __init__(self, path: Path, plain: Callable[[str], str] = str) -> None:
        self.path = path
        self._plain = plain
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._count = 0
        self._rest = b""
        self._file = path.open("rb", buffering=0)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def reopen(self) -> None:
        """Go on in the file that has its name now, which begins alike."""
        place = self._file.tell()
        self._file.close()
        self._file = self.path.open("rb", buffering=0)
        self._file.seek(place)

    def read(self) -> None:
        """Take in what has been written since the last call; never blocks."""
        data = self._file.read(_CHUNK)
        if not data:
            return
        while more := self._file.read(_CHUNK):
            data += more
        *whole, self._rest = (self._rest + data).split(b"\n")
        for line in whole:
            self._lines.append(self._plain(line.decode("utf-8", "replace").rstrip("\r")))
        self._count += len(whole)

    def mark(self) -> int:
        """The number that the next line will have."""
        self.read()
        return self._count

    def since(self, mark: int) -> Iterator[str]:
        """Lines from number `mark` on, as far as they are kept."""
        wanted = min(max(0, self._count - mark), len(self._lines))
        return reversed(list(islice(reversed(self._lines), wanted)))

    def tail(self, lines: int = 20) -> tuple[str, ...]:
        """The last `lines` lines, with an unfinished one at the end if there is one."""
        self.read()
        kept = list(self._lines)
        if self._rest:
            kept.append(self._rest.decode("utf-8", "replace"))
        return tuple(kept[-lines:])

    def find_shown(self, pattern: str, since: int = 0) -> int | None:
        """The number behind the first line from `since` on that `pattern` matches anywhere, or
        None; a line that is not ended yet (a question, and the answer behind it) counts as one."""
        self.read()
        compiled = re.compile(pattern)
        first = max(since, self._count - len(self._lines))
        for number, line in enumerate(self.since(since), first):
            if compiled.search(line):
                return number + 1
        if since > self._count:  # the unfinished line has been found before
            return None
        rest = self._plain(self._rest.decode("utf-8", "replace"))
        return self._count + 1 if compiled.search(rest) else None

    def shown(self, number: int) -> str:
        """The line with that number, which need not be ended; nothing if it is not kept."""
        found = next(self.since(number), None) if number < self._count else None
        return self._plain(self._rest.decode("utf-8", "replace")) if found is None else found

    def find(self, pattern: str, since: int = 0) -> str | None:
        """The first line from `since` on that `pattern` matches anywhere, or None."""
        self.read()
        compiled = re.compile(pattern)
        return next((line for line in self.since(since) if compiled.search(line)), None)
