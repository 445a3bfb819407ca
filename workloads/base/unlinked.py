# SPDX-License-Identifier: MIT
"""What of a user's change to a stack was not measured, because no program is linked from it."""

from __future__ import annotations

from collections.abc import Mapping

from vmkb.guests.release.build import Build
from vmkb.guests.release.cache import VMKB as GUEST
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.source import digests, read
from vmkb.workloads.base.own import options_of, source_of
from vmkb.workloads.base.settings import LWIP, VMKB, Own, Settings

SHOWN = 3
_PORT = {"core/inet_chksum.c": " (the port has its own)"}
_OURS = {"213": "lwip-2.1.3", "221": "lwip-2.2.1"}


def with_unlinked(settings: Settings) -> Settings:
    """Add to each stack of the user's, built, its files that differ from those of the first release
    and that no program is linked from."""
    first = settings.releases[0] if settings.releases else ""
    base = next((o for o in settings.own if o.name == first), None)
    kind = base.what if base else LWIP
    before: Mapping[str, str] | None = None
    made = []
    for own in settings.own:
        if own.what == kind != VMKB and own is not base:
            if before is None:
                before = digests(source_of(base)) if base else _ours(first)
            made.append(_compared(own, before))
        else:
            made.append(own)
    return settings.model_copy(update={"own": tuple(made)})


def _compared(own: Own, before: Mapping[str, str]) -> Own:
    if not before:
        return own
    mine = digests(source_of(own))
    differ = {name for name in {*before, *mine} if before.get(name) != mine.get(name)}
    left = sorted(differ - Build(own.source, options_of(own)).compiled())
    whole = bool(left) and len(left) == len(differ)
    return own.model_copy(update={"unlinked": tuple(left), "all_unlinked": whole})


def _ours(release: str) -> Mapping[str, str]:
    """The files of an lwIP of ours; none where its sources are not here."""
    folder = GUEST / "build" / "lwip" / _OURS.get(release, "-")
    try:
        return digests(read(folder))
    except SourceError:
        return {}


def said(own: Own) -> str:
    """The files of OWN that were not measured, in a line."""
    named = [f"{name}{_PORT.get(name, '')}" for name in own.unlinked[:SHOWN]]
    more = len(own.unlinked) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
