# SPDX-License-Identifier: MIT
"""The passwords of the guest that vmkb boot starts: the delivered ones, or new ones at random."""

from __future__ import annotations

import os
from pathlib import Path

from vmkb.guests.vmkb.disk.errors import VolumeError
from vmkb.guests.vmkb.disk.passwords import (
    is_volume,
    random_passwords,
    read_passwords,
    write_passwords,
)
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import Guest

PASSWORDS = "passwords"
"""The list of a run folder's new passwords, its owner's alone."""


def passwords_in(guest: Guest, folder: Path) -> dict[str, str]:
    """By what they open, as the volumes in a run FOLDER have them: userids, and minidisks (see
    guests.vmkb.disk.passwords). None of a guest without such volumes."""
    found: dict[str, str] = {}
    for name in guest.files:
        if is_volume(folder / name):
            found |= read_passwords(folder / name)
    return found


def give_passwords(guest: Guest, folder: Path, new: bool) -> None:
    """Give the volumes in FOLDER, on which nothing runs, NEW passwords or the delivered ones.

    EmulatorError when the guest has no volume with passwords, or it cannot be written.
    """
    given: dict[str, str] = {}
    listed = folder / PASSWORDS
    listed.unlink(missing_ok=True)
    try:
        for name, original in guest.files.items():
            copy = folder / name
            if not is_volume(copy):
                continue
            delivered = read_passwords(guest.folder / original)
            wanted = random_passwords(delivered) if new else delivered
            if read_passwords(copy) != wanted:
                write_passwords(copy, wanted)
            given |= wanted
        if new and not given:
            raise EmulatorError(f"Guest '{guest.name}' has no volume whose passwords are known.")
        if new:
            handle = os.open(listed, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as out:
                out.writelines(f"{name:<14} {word}\n" for name, word in sorted(given.items()))
    except (OSError, VolumeError) as error:
        raise EmulatorError(f"The passwords cannot be changed: {error}.") from None
