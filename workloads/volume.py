# SPDX-License-Identifier: MIT
"""VM/KB's volume, for the workloads that know only that guest."""

from __future__ import annotations

from guests.base import FileName as CmsName
from guests.vmkb.driver import (
    digest,
    digests,
    make_volume,
    put_files,
    read_text,
    replace_entries,
)

__all__ = [
    "CmsName", "digest", "digests", "make_volume", "put_files", "read_text", "replace_entries",
]  # fmt: skip
