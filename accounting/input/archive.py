# SPDX-License-Identifier: MIT
"""Logs as people keep them: one file or a folder of them, plain or packed, of any size.

A large plain file is read by several processes; everything else as a stream.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path

from vmkb.accounting.input.listing import HEADS, Listing, make
from vmkb.accounting.input.parallel import scan_parallel
from vmkb.accounting.input.reading import TEXT, ReadingError, items, opened, packed, sniff
from vmkb.accounting.records import Item

#: Files from this size on are read by several processes.
LARGE = 32 << 20
#: Files that this process has open itself, and with the queues of its workers; and for a worker.
OWN_FILES, FILES_EACH = 20, 2
#: Items that one process turns into text at a time.
BATCH = 2000


def files(path: Path) -> list[Path]:
    """PATH, or if it is a folder the files in it and below, in order of their names.

    Those whose names begin with a full stop are left out, as a shell does.
    """
    if not path.is_dir():
        return [path]
    found = (p for p in sorted(path.rglob("*")) if p.is_file())
    return [p for p in found if not any(w.startswith(".") for w in p.relative_to(path).parts)]


def listings(
    file: str,
    to: str,
    names: tuple[str, ...] = (),
    strict: bool = False,
    keep_text: bool = False,
    jobs: int | None = None,
    told: Callable[[int], object] | None = None,
) -> Iterator[Listing]:
    """The content of FILE ('-': standard input) in the format TO, piece by piece.

    STRICT ends it at the first malformed record. ReadingError, OSError.
    """
    path = Path(file)
    jobs = min(jobs or os.cpu_count() or 1, _processes())
    size = path.stat().st_size if path.is_file() else 0
    if size >= LARGE and jobs > 1 and not keep_text:
        with path.open("rb") as stream:
            head = stream.read(8192)
        if not packed(head) and b"\0" not in head and sniff(head) is TEXT:
            yield from scan_parallel(
                path, partial(make, to=to, strict=strict), names, jobs, told=told
            )
            return
    with opened(file) as source:
        for batch in _batches(items(source, file, names, keep_text, told)):
            yield make(batch, to, strict)


def _processes() -> int:
    """How many processes this one can talk to with the files that it may open."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(1, (most - OWN_FILES) // FILES_EACH)


def _batches(found: Iterator[Item]) -> Iterator[Iterable[Item]]:
    for first in found:
        yield chain((first,), islice(found, BATCH - 1))


def write_csv(path: Path, rows: Path) -> tuple[int, tuple[str, ...]]:
    """Write the records of all logs at PATH to ROWS as vmkb parse does with --to csv, each text as
    it is.

    How many records were malformed, and a sentence for each file that cannot be read.
    """
    malformed, unread = 0, []
    with rows.open("wb") as out:
        out.write(HEADS["rows"].encode())
        for file in files(path):
            try:
                for part in listings(str(file), "rows"):
                    out.write(part.out)
                    malformed += len(part.errors)
            except (ReadingError, OSError) as error:
                unread.append(str(error))
    return malformed, tuple(unread)
