# SPDX-License-Identifier: MIT
"""Errors in what somebody wants a guest to have."""

from __future__ import annotations

from vmkb.errors import VmkbError


class ContentsError(VmkbError):
    """Files or users that a guest cannot take, or a volume that is damaged; the text says what,
    where and why."""
