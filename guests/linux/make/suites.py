# SPDX-License-Identifier: MIT
"""The content of suites.toml."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path

from pydantic import Field

from vmkb.hercules.emulator.config import Strict

FOLDER = Path(__file__).resolve().parent.parent


class Programs(Strict):
    """The packages of one suite, and which of their files are wanted."""

    suite: str
    packages: tuple[str, ...] = Field(min_length=1)
    files: tuple[str, ...] = Field(min_length=1)


class Suites(Strict):
    """Where kernels and programs come from."""

    architecture: str
    kernels: tuple[str, ...] = Field(min_length=1)
    usual: int = Field(ge=1)
    kernel_package: str
    kernel_parts: str
    modules: tuple[str, ...]
    afs_modules: tuple[str, ...]
    """Those that a kernel does not have are left out."""
    programs: Programs


@functools.cache
def suites() -> Suites:
    """The project's own."""
    return Suites.model_validate(tomllib.loads((FOLDER / "suites.toml").read_text("utf-8")))
