# SPDX-License-Identifier: MIT
"""What the runners of all workloads do with a results folder and with the emulator's name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from accounting.store import FILE_NAME, read
from hercules.emulators import Emulator
from workloads.errors import UsageError

TRANSCRIPTS = "transcripts"
WIRE_LOG = "wire.jsonl"
EMULATORS_OWN = re.compile(r"HHC[A-Z]{2}\d{3}[A-Z] ")
"""What Hercules says in between is not of the guest's console."""


def emulator_metadata(emulator: Emulator) -> dict[str, str]:
    """What a result says of the emulator that it ran on, and of its instruction counter."""
    return {
        "emulator": "Hercules",
        "emulator_version": emulator.version,
        "counter": emulator.counter,
    }


def good_trials(folder: Path, meta: Mapping[str, str]) -> frozenset[str]:
    """Ids of the trials of FOLDER that need not be run again: those that are trusted.

    UsageError if they ran on another build of the guest, or with another instruction counter,
    than META names.
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
        if trial.meta.get("counter") != meta["counter"]:
            raise UsageError(
                f"{folder}: its instructions were counted by the "
                f"{trial.meta.get('counter', 'stock')} counter, now it is the {meta['counter']} "
                "one; such trials do not stand in one table: start a new run, or choose the "
                "emulator with VMKB_HERCULES."
            )
    return frozenset(t.id for t in found.trials if t.status == "good")
