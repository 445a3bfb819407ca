# SPDX-License-Identifier: MIT
"""The error that is the user's to put right."""

from __future__ import annotations

from vmkb.errors import VmkbError


class UsageError(VmkbError, ValueError):
    """A workload, case, release or option that does not exist or does not fit (exit code 2)."""
