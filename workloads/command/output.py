# SPDX-License-Identifier: MIT
"""Printing: texts of others made harmless, and an output whose reader has gone."""

from __future__ import annotations

import os
import sys

import click

from vmkb.accounting.shown import plain


def say(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print TEXT, on standard error with ERR. Nothing else prints: names, subjects, paths and
    answers of others come with what terminals obey."""
    click.echo(plain(str(text)), err=err, nl=nl)


def discard_output() -> None:
    """Drop what standard output still holds: its flush at the end shall not fail again.

    Python 3.13 keeps what it could not write, and a second failure there makes the exit code 120.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
