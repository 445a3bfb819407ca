# SPDX-License-Identifier: MIT
"""Errors in a release of the user's own."""

from __future__ import annotations

from vmkb.errors import VmkbError


class SourceError(VmkbError):
    """A path that is no usable source, or a build that fails; the text says why."""


class MemberError(SourceError):
    """A file of a source that cannot be taken; the text does not name the source."""
