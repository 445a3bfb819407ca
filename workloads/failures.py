# SPDX-License-Identifier: MIT
"""What goes wrong under a command becomes a sentence and an exit code, never a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from hercules.deadline import EmulatorError


class Refused(click.ClickException):
    """What was asked for cannot be done, in a sentence; exit code 2 (usage)."""

    exit_code = 2


def sentence(error: OSError | MemoryError | ValueError) -> str:
    """What has failed, for the user."""
    if isinstance(error, MemoryError):
        if str(error):
            return f"{error}."
        return "There is no storage left for this process (a memory limit, or the host's)."
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}."
    return str(error)


@contextmanager
def kept(goes_on: str) -> Iterator[None]:
    """Around a run: whatever ends it but the user, what is done is kept, and it is said how to go
    on. A full disk, a folder that was removed or a memory limit becomes an EmulatorError."""
    from accounting.store import StoreError

    try:
        yield
    except EmulatorError:
        click.echo(f"What is done is kept; {goes_on}", err=True)
        raise
    except (OSError, MemoryError, StoreError) as error:
        click.echo(f"What is done is kept; {goes_on}", err=True)
        raise EmulatorError(sentence(error)) from error
