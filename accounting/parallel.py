# SPDX-License-Identifier: MIT
"""A large text file on all cores: cut before lines that begin a record, joined in order.

A line that begins a record never continues another (tests/accounting/grammar checks it),
so the pieces read as the whole does.  Workers give back what ``work`` makes of a piece;
records themselves would cost more to send than to read.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from accounting.grammar.families import candidates
from accounting.reading import BLOCK
from accounting.records import Item
from accounting.scan import scan

Result = TypeVar("Result")
#: Bytes of a piece: small enough that what a worker makes of it fits in memory many times.
PIECE = 2 << 20


def cuts(
    path: Path, names: tuple[str, ...] = (), piece: int | None = None
) -> Iterator[tuple[int, int]]:
    """(begin, end) of pieces of PATH, each but the first beginning with a record's line."""
    pattern = candidates(names)[0]
    size = path.stat().st_size
    piece = piece or PIECE
    begin = 0
    with path.open("rb") as file:
        while size - begin > piece:
            at = _next_start(file, pattern, begin + piece, size)
            if at >= size:
                break
            yield begin, at
            begin = at
    yield begin, size


def _next_start(file: Any, pattern: Any, at: int, size: int) -> int:
    """Offset of the first record line after AT; SIZE if there is none."""
    window = 1 << 16
    while at < size:
        file.seek(at)
        data = file.read(window)
        stop = len(data) if at + len(data) >= size else data.rfind(b"\n")
        if stop > 0:
            match = pattern.search(data, 0, stop)
            if match:
                return int(at + match.start() + 1)
            at += stop
            if stop == len(data):
                return size
        else:
            at += len(data)
    return size


def _blocks(path: str, begin: int, end: int) -> Iterator[bytes]:
    with Path(path).open("rb") as file:
        file.seek(begin)
        while begin < end:
            block = file.read(min(BLOCK, end - begin))
            if not block:
                return
            begin += len(block)
            yield block


def _count(path: str, begin: int, end: int) -> int:
    return sum(block.count(b"\n") for block in _blocks(path, begin, end))


def _run(
    path: str,
    begin: int,
    end: int,
    line: int,
    names: tuple[str, ...],
    work: Callable[[Iterable[Item]], Result],
) -> Result:
    return work(scan(_blocks(path, begin, end), path, names, line=line))


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

    jobs = jobs or os.cpu_count() or 1
    pieces = list(cuts(path, names, piece))
    name = str(path)
    with ProcessPoolExecutor(jobs) as pool:
        counts = pool.map(_count, [name] * len(pieces), *zip(*pieces, strict=True), chunksize=8)
        line = 1
        waiting: deque[tuple[int, Future[Result]]] = deque()
        try:
            for (begin, end), lines in zip(pieces, counts, strict=True):
                future = pool.submit(_run, name, begin, end, line, names, work)
                waiting.append((end - begin, future))
                line += lines
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
