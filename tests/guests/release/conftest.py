# SPDX-License-Identifier: MIT
"""Fixtures of the tests on releases of a user's own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from vmkb.guests.release import cache


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place for builds that nobody else has, where the Makefile looks for them."""
    own = cache.VMKB / "build" / "own" / f"test-{os.getpid()}"
    own.mkdir(parents=True)
    monkeypatch.setattr(cache, "KEPT", own)
    yield own
    shutil.rmtree(own)
