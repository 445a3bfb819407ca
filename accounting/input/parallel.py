# SPDX-License-Identifier: MIT
"""A large text file on all cores: cut where no record can be, joined in order.

A line that begins a record never continues another (tests/accounting/grammar checks it), and
behind a line that neither begins nor continues one nothing is left open: such a line can only end
a record that was cut at column 80. So the pieces read as the whole does. Workers give back what
``work`` makes of a piece; records themselves would cost more to send than to read.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from vmkb.accounting.grammar.families import candidates, further, hints
from vmkb.accounting.input.scan import LONGEST_LINE, Scanner
from vmkb.accounting.records import Item

Result = TypeVar("Result")
#: Bytes of a piece: small enough that what a worker makes of it fits in memory many times.
PIECE = 2 << 20


def cuts(
    path: Path, names: tuple[str, ...] = (), piece: int | None = None
) -> Iterator[tuple[int, int]]:
    """(begin, end) of pieces of PATH, each beginning where no record goes on."""
    size = path.stat().st_size
    piece = piece or PIECE
    begin = 0
    with path.open("rb") as file:
        while size - begin > piece:
            at = _next_start(file, names, begin + piece)
            if at >= size:
                break
            yield begin, at
            begin = at
    yield begin, size


def _next_start(file: BinaryIO, names: tuple[str, ...], at: int) -> int:
    """Offset of the first line that begins behind AT before which no record is open; the file's
    size if there is none."""
    begins, continues = candidates(names)[0].match, further(names)
    file.seek(at)
    _pass_line(file)
    zeros = True  # the line before, of which the next record tells; nobody knows of the first one
    while line := file.readline(LONGEST_LINE):
        if not line.endswith(b"\n"):
            _pass_line(file)
        elif line.startswith(b"\0"):
            pass
        elif begins(b"\n" + line):
            if not zeros:
                return file.tell() - len(line)
        elif not continues(line):
            return file.tell()
        zeros = line.startswith(b"\0")
    return file.tell()


def _pass_line(file: BinaryIO) -> None:
    """Go on to the next line, however long this one is."""
    while (part := file.readline(LONGEST_LINE)) and not part.endswith(b"\n"):
        pass


#: Lines before each piece, -1 while nobody knows, and who waits for that; shared by the workers.
_lines_before: Any = None
_counted: Any = None
#: Seconds in which a worker that began earlier must have counted its piece's lines.
_WITHIN = 120.0


def _share(lines_before: Any, counted: Any) -> None:
    global _lines_before, _counted
    _lines_before, _counted = lines_before, counted


def _first_line(number: int, data: bytes) -> int:
    """The number of the first line of piece NUMBER, whose bytes are DATA.

    Pieces are begun in order, and each worker counts before it reads on, so that nobody waits
    longer than that takes.
    """
    count = data.count(b"\n")
    known = _lines_before
    with _counted:
        if not _counted.wait_for(lambda: known[number] >= 0, _WITHIN):
            raise RuntimeError(f"piece {number - 1} was not counted within {_WITHIN:g} s")
        known[number + 1] = known[number] + count
        _counted.notify_all()
        return int(known[number]) + 1


def _run(
    path: str,
    number: int,
    begin: int,
    end: int,
    names: tuple[str, ...],
    work: Callable[[Iterable[Item]], Result],
) -> Result:
    with Path(path).open("rb") as file:
        file.seek(begin)
        data = file.read(end - begin)
    return work(Scanner(path, names, line=_first_line(number, data)).feed(data, last=True))


def scan_parallel(
    path: Path,
    work: Callable[[Iterable[Item]], Result],
    names: tuple[str, ...] = (),
    jobs: int | None = None,
    piece: int | None = None,
    told: Callable[[int], object] | None = None,
) -> Iterator[Result]:
    """WORK(items) for each piece of PATH, in order, computed by JOBS processes.

    WORK must be a module-level function or a partial of one.  At most three pieces for
    each process are under way.  TOLD hears how many bytes were done.
    """
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import Condition
    from multiprocessing.sharedctypes import RawArray

    jobs = jobs or os.cpu_count() or 1
    pieces = list(cuts(path, names, piece))
    hints(names)  # made before the workers are, which get it with the rest
    counts = RawArray("q", [0] + [-1] * len(pieces))
    name = str(path)
    with ProcessPoolExecutor(jobs, initializer=_share, initargs=(counts, Condition())) as pool:
        waiting: deque[tuple[int, Future[Result]]] = deque()
        try:
            for number, (begin, end) in enumerate(pieces):
                future = pool.submit(_run, name, number, begin, end, names, work)
                waiting.append((end - begin, future))
                if len(waiting) >= jobs * 3:
                    yield _take(waiting, told)
            while waiting:
                yield _take(waiting, told)
        finally:
            for _, future in waiting:
                future.cancel()


def _take(waiting: deque[Any], told: Callable[[int], object] | None) -> Any:
    size, future = waiting.popleft()
    result = future.result()
    if told:
        told(size)
    return result
