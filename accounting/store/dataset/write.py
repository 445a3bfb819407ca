# SPDX-License-Identifier: MIT
"""Adds runs and logs to an archive.

    ARCHIVE/vmkb-archive.json            what it is
    ARCHIVE/taken/RUN.json               where a run came from, and how large it was then
    ARCHIVE/TABLE/run=RUN/part.parquet   its rows; TABLE is one of TABLES

A file is written under another name and then moved to its place: an archive that is read while
it is written, or whose writer was killed, has whole files only.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from vmkb.accounting.input.archive import files, write_csv
from vmkb.accounting.store import FILE_NAME, Results, StoreError, holds_results, read
from vmkb.accounting.store.bounded import QueryError, database
from vmkb.accounting.store.query import RECORDS, SCHEMA, csv_to_parquet, select_rows, write_rows
from vmkb.errors import VmkbError

MARK = "vmkb-archive.json"
SCHEMA_NUMBER = 1
TABLES = (*SCHEMA, "records")
_TAKEN = "taken"
PARQUET = "FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2"
"""Of version 2 are encodings of numbers that are smaller and read faster than a dictionary."""


class ArchiveError(VmkbError, ValueError):
    """Something cannot be added to an archive, or is none; the sentence says why."""


def is_archive(path: Path) -> bool:
    """Whether PATH is a folder that `vmkb archive` has made."""
    return (path / MARK).is_file()


def open_archive(path: Path) -> None:
    """Make the archive PATH, or look whether it is one of this schema. ArchiveError if not."""
    mark = path / MARK
    if not mark.is_file():
        if path.is_dir() and any(path.iterdir()):
            raise ArchiveError(f"{path} is there and is no archive: name an empty or a new folder")
        path.mkdir(parents=True, exist_ok=True)
        mark.write_text(json.dumps({"schema": SCHEMA_NUMBER}) + "\n", "utf-8")
    check_schema(path)


def check_schema(path: Path) -> None:
    """ArchiveError if the archive PATH is not of this version's schema."""
    try:
        number = json.loads((path / MARK).read_text("utf-8"))["schema"]
    except (OSError, ValueError, KeyError, TypeError):
        raise ArchiveError(f"{path / MARK} is damaged: it names no schema") from None
    if number != SCHEMA_NUMBER:
        raise ArchiveError(
            f"{path} has schema {number}, and this vmkb writes and reads {SCHEMA_NUMBER}: use the"
            " vmkb that made it, or archive the runs anew"
        )


def results_below(path: Path) -> list[Path]:
    """The results folders at PATH and below, in order of their names; none inside an archive."""
    if is_archive(path):
        return []
    return sorted(p.parent for p in path.rglob(FILE_NAME))


def add(source: Path, archive: Path) -> Iterator[str]:
    """Add what is at SOURCE, results folders (at and below it) or logs, to ARCHIVE; a sentence for
    each run that was taken, and for what was odd. What is there already as it is now is left.

    ArchiveError for what cannot be taken, a line for each folder; all else is there then.
    """
    open_archive(archive)
    folders = [source] if holds_results(source) else results_below(source)
    if not folders:
        yield from _add_logs(source, archive)
    refused = []
    for folder in folders:
        try:
            yield from _add_results(folder, archive)
        except VmkbError as error:
            refused.append(str(error))
    if refused:
        raise ArchiveError("\n".join(refused))


def _state(path: Path) -> dict[str, object]:
    found = [p.stat() for p in files(path)]
    newest = max((s.st_mtime_ns for s in found), default=0)
    total = sum(s.st_size for s in found)
    return {"from": str(path.resolve()), "bytes": total, "changed_ns": newest}


def _is_new(archive: Path, run: str, state: dict[str, object]) -> bool:
    """Whether RUN in STATE is not there yet. ArchiveError if another source gave a run of its
    name."""
    note = archive / _TAKEN / f"{folder_of(run)}.json"
    try:
        known = json.loads(note.read_text("utf-8"))
    except (OSError, ValueError):
        return True
    if known.get("from") != state["from"]:
        raise ArchiveError(
            f"run {run} is in {archive} already, from {known.get('from')}; that of"
            f" {state['from']} cannot have the same name"
        )
    return bool(known != state)


def folder_of(run: str) -> str:
    """RUN as a part of a path."""
    return quote(run, safe="-_.") or "-"


def _taken(archive: Path, run: str, state: dict[str, object]) -> None:
    note = archive / _TAKEN / f"{folder_of(run)}.json"
    note.parent.mkdir(exist_ok=True)
    _placed(note, lambda path: path.write_text(json.dumps(state) + "\n", "utf-8"))


def _placed(path: Path, write: object) -> None:
    partial = path.with_name(path.name + ".partial")
    assert callable(write)
    write(partial)
    partial.replace(path)


def _add_results(folder: Path, archive: Path) -> Iterator[str]:
    file = folder / FILE_NAME if folder.is_dir() else folder
    state = _state(file)
    found: Results | None = None
    for run in _runs(file):
        if not _is_new(archive, run, state):
            continue
        if found is None:
            found = read(folder)
            yield from found.notes
        _write_run(_of_run(found, run), run, archive)
        _taken(archive, run, state)
        yield f"{run}: {len(found.trials)} trials of {folder}"


def _runs(file: Path) -> list[str]:
    """The runs of a results file, without reading what else is in it."""
    named = re.compile(rb'"row": ?"run", ?"run": ?("(?:[^"\\]|\\.)*")')
    found: dict[str, None] = {}
    try:
        with file.open("rb") as lines:
            for line in lines:
                match = named.search(line[:4096])
                if match:
                    found[json.loads(match[1])] = None
    except OSError as error:
        raise StoreError(f"{file}: cannot read results: {error.strerror}") from error
    return list(found)


def _of_run(found: Results, run: str) -> Results:
    return replace(
        found,
        trials=tuple(t for t in found.trials if t.run == run),
        unfinished=tuple(t for t in found.unfinished if t.run == run),
        begun={run: found.begun.get(run, "")},
    )


def _write_run(results: Results, run: str, archive: Path) -> None:
    import duckdb

    with tempfile.TemporaryDirectory() as folder, database() as db:
        here = Path(folder)
        write_rows((results,), SCHEMA, here)
        for table in SCHEMA:
            path = _part(archive, table, run)
            without = " EXCLUDE (run)" if "run" in SCHEMA[table] else ""  # its folder says it
            sql = f"SELECT *{without} FROM ({select_rows(table, here)})"

            def copy(partial: Path, sql: str = sql) -> None:
                quoted = str(partial).replace("'", "''")
                db.execute(f"COPY ({sql}) TO '{quoted}' ({PARQUET})")

            try:
                _placed(path, copy)
            except duckdb.Error as error:
                raise ArchiveError(f"{path} cannot be written: {error}") from error


def _part(archive: Path, table: str, run: str) -> Path:
    path = archive / table / f"run={folder_of(run)}" / "part.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _add_logs(source: Path, archive: Path) -> Iterator[str]:
    if not files(source):
        raise ArchiveError(f"{source} holds neither results nor logs")
    run, state = source.name, _state(source)
    if not _is_new(archive, run, state):
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "records.csv"
        malformed, notes = write_csv(source, rows)
        try:
            _placed(_part(archive, "records", run), lambda path: csv_to_parquet(rows, path))
        except QueryError as error:
            raise ArchiveError(str(error)) from error
    _taken(archive, run, state)
    yield from notes
    said = f"; {malformed} malformed records: vmkb parse says where" if malformed else ""
    yield f"{run}: the logs of {source}{said}"


#: What a table without any file has.
COLUMNS = {**SCHEMA, "records": RECORDS}
