# SPDX-License-Identifier: MIT
"""Results on disk: append-only JSON lines, read back whole even after a kill -9.

History of the schema number (every line carries it; docs/reference/results.md has the fields):
  1  first: rows run, trial, record, end.

A line is written by one write() and forced to disk.  If the process dies in the middle, the line
that it leaves has no line end and is no JSON; the reader reports it and goes on, the next writer
ends it first.  A trial counts when its `end` row says good, and only its last attempt counts:
what a killed run left half done is run again and is counted once.

Results that must not be mixed are refused by `check_mix`; METADATA lists what has to agree, and
results of two clocks are refused by `check_clocks`.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern
from typing import Any, BinaryIO, cast

from vmkb import given
from vmkb.accounting.records import FIELDS, Record, Source, Unit, Value, Where
from vmkb.accounting.store.rows import RowError, check_row, decode
from vmkb.errors import VmkbError

SCHEMA = 1
FILE_NAME = "results.jsonl"
LONGEST_ROW = 64 << 20

#: Upgrades of one row from the schema number that is the key to the next one.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}

#: Metadata of a run that must agree before its numbers stand in one table with another's.
METADATA = (
    "workload",
    "emulator",
    "emulator_version",
    "counter",
    "guest",
    "guest_image",
    "compiled",
    "model",
    "wire",
    "mtu",
)
#: Needed as well where the CPU was measured by the host (HT).
HOST_METADATA = ("host",)


_UNITS = {str(u): u for u in Unit}  # a call of the enumeration costs more than the rest of a row
_SOURCES = {str(s): s for s in Source}
_new = tuple.__new__


class StoreError(VmkbError, ValueError):
    """A results file that cannot be read or written; the sentence says what to do."""


class MixError(StoreError):
    """Results that must not stand in one table; the sentence names what differs."""


@dataclass(frozen=True)
class Trial:
    """One run of one case under one release, with everything that was read during it.

    parts: userid -> label, in the order in which the table prints them; machines with one label are
    printed as one.  pair: trials of base
    and new with one number ran next to each other.  data, elapsed: bytes moved and elapsed time
    when they do not come from FTP's own messages.
    """

    id: str
    run: str
    case: str
    release: str
    pair: int = 0
    seq: int = 0
    table: str = ""
    mode: str = ""
    run_id: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    engines: int = 1
    data: Value | None = None
    elapsed: Value | None = None
    meta: Mapping[str, str] = field(default_factory=dict)
    records: tuple[Record, ...] = ()
    status: str = ""
    why: str = ""

    @property
    def counts(self) -> bool:
        """True if the trial came to its end with numbers."""
        return self.status in ("good", "untrusted")


@dataclass(frozen=True)
class Results:
    """A results directory as read: finished trials, unfinished ones, what was odd, and when each
    run was begun first (ISO form; nothing for one that does not say)."""

    path: Path
    trials: tuple[Trial, ...]
    unfinished: tuple[Trial, ...] = ()
    notes: tuple[str, ...] = ()
    begun: Mapping[str, str] = field(default_factory=dict)

    @property
    def done(self) -> frozenset[str]:
        """Ids of the trials that need not be run again."""
        return frozenset(t.id for t in self.trials)


def _value_out(value: Value | None) -> list[Any] | None:
    return None if value is None else [value.value, value.unit, value.source, value.tick]


def _value_in(row: Any) -> Value | None:
    if row is None:
        return None
    value, unit, source, tick = row
    return _new(Value, (value, _UNITS[unit], _SOURCES[source], tick))


def record_row(trial: str, record: Record) -> dict[str, Any]:
    """A record as a row: each number with unit, source and tick, and the raw text beside."""
    fields = {
        name: {"v": _value_out(got)} if isinstance(got, Value) else {"w": got}
        for name, got in record.fields.items()
    }
    return {
        "row": "record",
        "trial": trial,
        "kind": record.kind,
        "fields": fields,
        "raw": record.raw,
        "where": list(record.where),
        "stamp": record.stamp,
        "origin": record.origin,
        "notes": list(record.notes),
    }


def _record_in(row: Mapping[str, Any]) -> Record:
    fields: dict[str, Any] = {}
    for key, got in row["fields"].items():
        name = intern(key)  # else each record has its own copy of each name
        if "v" in got:
            fields[name] = _value_in(got["v"])
        else:
            word = got["w"]
            fields[name] = word if isinstance(word, str) else tuple(tuple(r) for r in word)
    file, line, column = row["where"]
    return Record(
        intern(row["kind"]), fields, row["raw"], Where(intern(file), line, column),
        row.get("stamp", ""), intern(row.get("origin", "")), intern(row["trial"]),
        tuple(row.get("notes", ())),
    )  # fmt: skip


class Store:
    """Appends rows to the results file of one directory, which is made if it is missing."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / FILE_NAME
        directory.mkdir(parents=True, exist_ok=True)

    def append(self, *rows: Mapping[str, Any]) -> None:
        """Write rows in order, each whole, then force them to disk. StoreError if it fails."""
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                size = os.fstat(handle).st_size
                if size and os.pread(handle, 1, size - 1) != b"\n":
                    _write(handle, b"\n")  # end the line that an earlier process left torn
                for row in rows:
                    line = json.dumps({"schema": SCHEMA, **row}, ensure_ascii=False)
                    _write(handle, line.encode() + b"\n")
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise StoreError(
                f"{self.path}: cannot write results: {error.strerror}; free some space or give"
                " another directory with --out"
            ) from error

    def begin_run(self, run: str, meta: Mapping[str, str], at: str = "") -> None:
        """The head of a run: what was run on what. AT is the caller's clock, ISO form."""
        self.append({"row": "run", "run": run, "at": at, "meta": dict(meta)})

    def begin_trial(self, trial: Trial) -> None:
        """The head of a trial; an earlier attempt with the same id no longer counts."""
        self.append(
            {
                "row": "trial",
                "trial": trial.id,
                "run": trial.run,
                "case": trial.case,
                "release": trial.release,
                "pair": trial.pair,
                "seq": trial.seq,
                "table": trial.table,
                "mode": trial.mode,
                "run_id": trial.run_id,
                "parts": dict(trial.parts),
                "params": dict(trial.params),
                "engines": trial.engines,
                "data": _value_out(trial.data),
                "elapsed": _value_out(trial.elapsed),
            }
        )

    def add_records(self, trial: str, records: Iterable[Record]) -> None:
        """Keep the RECORDS of a trial. StoreError for a kind or a field that FIELDS has not."""
        records = list(records)
        for record in records:
            _check(record)
        self.append(*(record_row(trial, r) for r in records))

    def end_trial(self, trial: str, status: str = "good", why: str = "") -> None:
        """STATUS good, untrusted or failed; only good and untrusted trials have numbers."""
        if status not in ("good", "untrusted", "failed"):
            raise StoreError(f"a trial ends good, untrusted or failed, not {status!r}")
        self.append({"row": "end", "trial": trial, "status": status, "why": why})

    def write_trial(self, trial: Trial) -> None:
        """A whole finished trial at once."""
        self.begin_trial(trial)
        self.add_records(trial.id, trial.records)
        self.end_trial(trial.id, trial.status or "good", trial.why)


def _check(record: Record) -> None:
    """Only what accounting.records.FIELDS names is kept, so that its readers can rely on it."""
    fields = FIELDS.get(record.kind)
    if fields is None:
        raise StoreError(f"{record.where}: there is no kind of record {record.kind!r}")
    for name, got in record.fields.items():
        if name not in fields:
            raise StoreError(f"{record.where}: a {record.kind} record has no field {name!r}")
        unit = fields[name]
        if isinstance(got, Value) and got.unit is not unit:
            raise StoreError(
                f"{record.where}: {name} of a {record.kind} record is in {got.unit}, not {unit}"
            )


def _write(handle: int, line: bytes) -> None:
    view = memoryview(line)
    while view:
        view = view[os.write(handle, view) :]


def upgrade(row: dict[str, Any]) -> dict[str, Any]:
    """A row of any older schema in today's; StoreError for a newer one or a missing step."""
    number = row.get("schema")
    if type(number) is not int or number < 1:
        raise StoreError("a line has no schema number: this is no results file of vmkb")
    if number > SCHEMA:
        raise StoreError(
            f"schema {number} is newer than this vmkb's {SCHEMA}: use the vmkb that wrote it"
        )
    while number < SCHEMA:
        if number not in MIGRATIONS:
            raise StoreError(f"this vmkb cannot read schema {number}: no upgrade to {number + 1}")
        row = MIGRATIONS[number](row)
        number += 1
        row["schema"] = number
    return row


def rows(path: Path, notes: list[str]) -> Iterator[dict[str, Any]]:
    """The rows of a results file in today's schema; NOTES gets those about torn lines."""
    try:
        with cast(BinaryIO, io.BufferedReader(given.opened(path))) as file:
            yield from _rows(path, file, notes)
    except FileNotFoundError:
        raise StoreError(
            f"{path}: cannot read results: there is no such file, so no trial was begun there"
        ) from None
    except OSError as error:
        raise StoreError(f"{path}: cannot read results: {error.strerror}") from error


def _rows(path: Path, file: BinaryIO, notes: list[str]) -> Iterator[dict[str, Any]]:
    for number, ended in enumerate(iter(lambda: file.readline(LONGEST_ROW + 1), b""), start=1):
        if len(ended) > LONGEST_ROW:
            raise StoreError(
                f"{path}:{number}: not a row of results: it has more than {LONGEST_ROW >> 20} MB"
            )
        line = ended.rstrip(b"\n")
        if not line:
            continue
        try:
            row = decode(line)
            if not isinstance(row, dict):
                raise ValueError("not an object")
        except ValueError as error:
            if isinstance(error, RowError) or not line.startswith(b"{"):
                raise StoreError(f"{path}:{number}: not a row of results: {error}") from error
            notes.append(
                f"{path}:{number}: a write was interrupted after {len(line)} bytes; the line is"
                " left out and its trial counts only if it was run again"
            )
            continue
        try:
            upgraded = upgrade(row)
            check_row(upgraded)
        except (RowError, StoreError) as error:
            raise StoreError(f"{path}:{number}: {error}") from error
        yield upgraded


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Reading makes a million tuples and no garbage: the collector would look at all of them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def holds_results(path: Path) -> bool:
    """Whether PATH is a results directory, or the file in one: what read() takes."""
    return (path / FILE_NAME).exists() if path.is_dir() else path.suffix == ".jsonl"


def read(directory: Path) -> Results:
    """The results of a directory (or of the file itself). StoreError if there are none."""
    with _collector_paused():
        return _read(directory / FILE_NAME if directory.is_dir() else directory)


def _read(path: Path) -> Results:
    notes: list[str] = []
    meta: dict[str, dict[str, str]] = {}
    begun: dict[str, str] = {}
    heads: dict[str, dict[str, Any]] = {}
    records: dict[str, list[Record]] = {}
    ends: dict[str, dict[str, Any]] = {}
    earlier: dict[str, Trial] = {}

    def closed(trial: str) -> Trial:
        head = heads[trial]
        end = ends.get(trial, {"status": "", "why": "interrupted"})
        return _trial_in(head, meta.get(head["run"], {}), tuple(records[trial]), end)

    for row in rows(path, notes):
        what, trial = row["row"], row.get("trial", "")
        if what == "run":
            meta[row["run"]] = row["meta"]
            begun.setdefault(row["run"], row.get("at", ""))
        elif what == "trial":
            # A new attempt. What an interrupted one left is not counted; a finished one is,
            # until the new one has finished too.
            if trial in heads and closed(trial).counts:
                earlier[trial] = closed(trial)
            heads.pop(trial, None)
            heads[trial] = row
            records[trial] = []
            ends.pop(trial, None)
        elif trial not in heads:
            notes.append(f"{path}: a {what} row of trial {trial!r} has no head and is left out")
        elif what == "record":
            records[trial].append(_record_in(row))
        elif what == "end":
            ends[trial] = row
    trials: list[Trial] = []
    unfinished: list[Trial] = []
    for trial in heads:
        made = closed(trial)
        if not made.counts and trial in earlier:
            made = earlier[trial]
        (trials if made.counts else unfinished).append(made)
    return Results(path, tuple(trials), tuple(unfinished), tuple(notes), begun)


def _trial_in(
    head: Mapping[str, Any],
    meta: Mapping[str, str],
    records: tuple[Record, ...],
    end: Mapping[str, Any],
) -> Trial:
    return Trial(
        id=head["trial"],
        run=head["run"],
        case=head["case"],
        release=head["release"],
        pair=head["pair"],
        seq=head["seq"],
        table=head["table"],
        mode=head["mode"],
        run_id=head["run_id"],
        parts=head["parts"],
        params=head["params"],
        engines=head["engines"],
        data=_value_in(head["data"]),
        elapsed=_value_in(head["elapsed"]),
        meta=meta,
        records=records,
        status=end["status"],
        why=end["why"],
    )


def clock_of(meta: Mapping[str, str]) -> str:
    """Which clock the guests of a run followed, `virtual` or `host`; nothing for what ran on no
    emulator. Runs that do not say are older than virtual time."""
    return meta.get("clock") or ("host" if "emulator" in meta else "")


def check_clocks(metas: Iterable[Mapping[str, str]]) -> None:
    """MixError if some results were measured on virtual time and others on the host's clock."""
    if len({clock_of(meta) for meta in metas} - {""}) > 1:
        raise MixError(
            "some trials ran on virtual time and others on the host's clock: the guests had other"
            " work to do, so their costs are never put together. Run both on the counting"
            " emulator (vmkb list emulators)"
        )


def check_mix(
    trials: Iterable[Trial], *, allow: Iterable[str] = (), host: bool = False
) -> list[str]:
    """Refuse trials that must not stand in one table; returns sentences about allowed mixes.

    HOST adds the host's identity to what must agree, for numbers from the host's clock.
    Raises MixError naming the first thing that differs and is not in ALLOW. Two clocks cannot be
    allowed.
    """
    trials, allowed = list(trials), set(allow)
    check_clocks(t.meta for t in trials)
    must = METADATA + (HOST_METADATA if host else ())
    for key in allowed - set(METADATA + HOST_METADATA):
        raise MixError(f"--allow {key}: it is one of {', '.join(METADATA + HOST_METADATA)}")
    said = []
    for key in must:
        found = sorted({t.meta.get(key, "(not recorded)") for t in trials})
        if len(found) < 2:
            continue
        what = f"{key.replace('_', ' ')} differs: {', '.join(found)}"
        if key not in allowed:
            raise MixError(f"{what}. Such results are compared only on purpose: --allow {key}")
        said.append(f"compared on purpose though the {what}")
    return said
