# SPDX-License-Identifier: MIT
"""Errors under a command become a sentence and an exit code, never a traceback."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from vmkb.hercules.deadline import EmulatorError
from vmkb.workloads.command.output import say

#: Files that may be open at one time, of this process and of all.
TOO_MANY = (errno.EMFILE, errno.ENFILE)


class Refused(click.ClickException):
    """A request that cannot be done, in a sentence; exit code 2 (usage)."""

    exit_code = 2


def sentence(error: OSError | MemoryError | ValueError) -> str:
    """A failure, for the user."""
    if isinstance(error, MemoryError):
        if str(error):
            return f"{error}."
        return "There is no storage left for this process (a memory limit, or the host's)."
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}."
    return str(error)


@contextmanager
def kept(goes_on: str, folder: Path) -> Iterator[None]:
    """Around a run that writes to FOLDER: whatever ends it but the user, it is said whether what is
    done is kept and how to go on. A full disk, a folder that was removed or a memory limit becomes
    an EmulatorError."""
    from vmkb.accounting.store import StoreError

    try:
        yield
    except EmulatorError:
        say(what_is_kept(goes_on, folder), err=True)
        raise
    except (OSError, MemoryError, StoreError) as error:
        say(what_is_kept(goes_on, folder), err=True)
        raise EmulatorError(sentence(error)) from error


def stopped(goes_on: str, folder: Path) -> str:
    """The message of a run that the user has stopped: how it GOES ON, or that FOLDER is gone."""
    return f"\nStopped; {goes_on if folder.is_dir() else what_is_kept(goes_on, folder)}"


def what_is_kept(goes_on: str, folder: Path) -> str:
    """Whether the results in FOLDER are still there, and if so how a run GOES ON."""
    if not folder.is_dir():
        return f"Nothing is kept: {folder} was removed while the run wrote to it."
    return f"What is done is kept; {goes_on}"
