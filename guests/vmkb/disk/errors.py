# SPDX-License-Identifier: MIT
"""Errors in a volume or its sources, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vmkb.guests.errors import ContentsError


class VolumeError(ContentsError):
    """A volume, a minidisk or a source file is not usable; the text says what, where and why."""


@dataclass(frozen=True, order=True)
class Problem:
    """One error in a directory source. line and column count from 1."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class DirectoryError(VolumeError):
    """A directory source has errors; `problems` holds all of them, in source order."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = sorted(problems)
        super().__init__("\n".join(str(p) for p in self.problems))
