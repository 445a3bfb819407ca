# SPDX-License-Identifier: MIT
"""The files in a run's results folder, and what it says of the emulator."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from vmkb.accounting.counter import LAYOUT_ERROR
from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Record, Where
from vmkb.accounting.store import FILE_NAME, clock_of, read
from vmkb.errors import UsageError
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.choice import Emulator
from vmkb.workloads.base.readout import wire_record

TRANSCRIPTS = "transcripts"
WIRE_LOG = "wire.jsonl"
TERMINALS_LOG = "terminals.jsonl"
LAST_LINES = 20


def emulator_metadata(emulator: Emulator) -> dict[str, str]:
    """Metadata on the emulator of a result, and on its instruction counter."""
    return {
        "emulator": emulator.dialect.name,
        "emulator_version": emulator.version,
        "counter": emulator.counter,
    }


def counter_doubts(records: Iterable[Record], emulator: Emulator) -> list[str]:
    """Why not to trust a count: CP found out at IPL that its counter is not as EMULATOR claims."""
    found = {r.word("counter") for r in records if r.kind == "connect"} - {""}
    claimed = "EXACT" if emulator.exact else "BATCHED"
    return [
        f"CP's own check of the instruction counter says {word}, but {emulator.name} is {claimed}"
        for word in sorted(found - {claimed})
    ]


def layout_error(said: str) -> str:
    """Percent by which the worst layout's count is off, as CALIBRATE LAYOUT SAID it.

    EmulatorError if it says nothing of the kind.
    """
    read = scan([said.encode("latin-1", "replace")], names=("answers",))
    found = [i for i in read if isinstance(i, Record) and i.kind == "layout_error"]
    if not found:
        raise EmulatorError(f"CP does not say how far layouts are apart: {said.strip()!r}.")
    return f"{found[0].value('worst').value:g}"


def failed(what: str, broken: Iterable[str], transcript: Path) -> EmulatorError:
    """WHAT has no numbers because it is BROKEN, with the end of its TRANSCRIPT."""
    lines = transcript.read_text("utf-8").splitlines()[-LAST_LINES:]
    tail = "\n".join(f"  {line}" for line in lines)
    return EmulatorError(
        f"{what} failed: {'; '.join(broken)}. Its transcript is {transcript}; its end:\n{tail}"
    )


def keep_layout_error(folder: Path, said: str) -> dict[str, str]:
    """Keep what CALIBRATE LAYOUT SAID among the transcripts of FOLDER; the metadata it makes."""
    (folder / TRANSCRIPTS / "calibrate.txt").write_text(said + "\n", "utf-8")
    return {LAYOUT_ERROR: layout_error(said)}


def keep_line(folder: Path, name: str, raw: str) -> Where:
    """Append the line RAW to the file NAME among the transcripts of FOLDER; where it stands."""
    path = folder / TRANSCRIPTS / name
    with path.open("a+", encoding="utf-8") as file:
        file.seek(0)
        number = sum(1 for _ in file) + 1
        file.write(raw + "\n")
    return Where(f"{TRANSCRIPTS}/{name}", number)


def keep_wire(
    folder: Path, trial: str, before: Mapping[str, Any], after: Mapping[str, Any], port: str
) -> Record:
    """Keep two readings of the wire's counters at PORT; what crossed it there between them."""
    raw = json.dumps(
        {"trial": trial, "before": before["ports"][port], "after": after["ports"][port]}
    )
    return wire_record(before, after, port, raw, keep_line(folder, f"{trial}.{WIRE_LOG}", raw))


def good_trials(folder: Path, meta: Mapping[str, str]) -> frozenset[str]:
    """Ids of the trials of FOLDER that need not be run again: those that are trusted.

    UsageError if they ran on another build of the guest, on another emulator or version of it,
    with another instruction counter or on another clock than META names.
    """
    if not (folder / FILE_NAME).exists():
        return frozenset()
    found = read(folder)
    for trial in found.trials:
        if trial.meta.get("guest_image") != meta["guest_image"]:
            raise UsageError(
                f"{folder}: its trials ran on another build of the guest "
                f"({trial.meta.get('guest_image')}, now {meta['guest_image']}); such "
                "trials do not stand in one table: start a new run."
            )
        theirs, ours = (
            f"{m.get('emulator', '')} {m.get('emulator_version', '')}" for m in (trial.meta, meta)
        )
        if theirs != ours:
            raise UsageError(
                f"{folder}: its trials ran on {theirs}, now it is {ours}; such trials do not stand "
                "in one table: start a new run, or choose the emulator with VMKB_HERCULES."
            )
        if trial.meta.get("counter") != meta["counter"]:
            raise UsageError(
                f"{folder}: its instructions were counted by the "
                f"{trial.meta.get('counter', 'stock')} counter, now it is the {meta['counter']} "
                "one; such trials do not stand in one table: start a new run, or choose the "
                "emulator with VMKB_HERCULES."
            )
        if clock_of(trial.meta) != clock_of(meta):
            raise UsageError(
                f"{folder}: its trials ran on the {clock_of(trial.meta)} clock, now it is the"
                f" {clock_of(meta)} clock; such trials do not stand in one table: start a new run."
            )
    return frozenset(t.id for t in found.trials if t.status == "good")
