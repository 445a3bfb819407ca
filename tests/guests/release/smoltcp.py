# SPDX-License-Identifier: MIT
"""Which tests have a smoltcp, and a Rust that builds it for s390x."""

from __future__ import annotations

import os

import pytest

from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.rust import rust

TREE = os.environ.get("VMKB_SMOLTCP", "")


def rust_needed() -> None:
    """Skip where there is none."""
    if not TREE:
        pytest.skip("VMKB_SMOLTCP names no tree of smoltcp")
    try:
        rust()
    except SourceError as error:
        pytest.skip(str(error))
