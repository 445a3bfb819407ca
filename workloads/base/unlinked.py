# SPDX-License-Identifier: MIT
"""Parts of a user's change to a stack that were not measured, because no program is linked from
it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vmkb.guests.compiled import PLAIN
from vmkb.guests.release.cache import VMKB as GUEST
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.image import programs
from vmkb.guests.release.source import digests, read
from vmkb.hercules.guest import Guest
from vmkb.workloads.base.own import LEVEL, options_of, source_of, stack_build
from vmkb.workloads.base.settings import LWIP, VMKB, Own, Settings
from vmkb.workloads.base.variants import variant
from vmkb.workloads.base.workload import Workload

SHOWN = 3
_PORT = {"core/inet_chksum.c": " (CHECKSUM stands for it: see --checksum)"}
_OURS = {"213": "lwip-2.1.3", "221": "lwip-2.2.1"}


def with_unlinked(settings: Settings, workload: Workload[Any, Any], guest: Guest) -> Settings:
    """Add to each release of the user's, built in GUEST, what differs from the first release and is
    not measured: a stack's files that no program is linked from, a VM/KB's programs that do not run
    in a guest of WORKLOAD's releases."""
    first = settings.releases[0] if settings.releases else ""
    base = next((o for o in settings.own if o.name == first), None)
    kind = base.what if base else LWIP
    before: Mapping[str, str] | None = None
    made = []
    ran = workload.programs
    for own in settings.own:
        if own.what == VMKB and own is not base and ran:
            theirs = _programs_of(first, workload, guest)
            made.append(_idle(own, theirs, _programs_of(own.name, workload, guest), ran))
        elif own.what == kind != VMKB and own is not base:
            if before is None:
                before = digests(source_of(base)) if base else _ours(first)
            made.append(_compared(own, before))
        else:
            made.append(own)
    return settings.model_copy(update={"own": tuple(made)})


def _programs_of(release: str, workload: Workload[Any, Any], guest: Guest) -> Mapping[str, str]:
    (parameter,) = (r.parameter for r in workload.definition.releases if r.name == release)
    built = variant(guest, PLAIN, parameter)
    return programs(built.image, parameter.removeprefix(LEVEL))


def _idle(own: Own, before: Mapping[str, str], mine: Mapping[str, str], ran: frozenset[str]) -> Own:
    differ = {name for name in {*before, *mine} if before.get(name) != mine.get(name)}
    left = tuple(f"{name.upper()} (no measured guest runs it)" for name in sorted(differ - ran))
    whole = bool(left) and not differ & ran
    return own.model_copy(update={"unlinked": left, "all_unlinked": whole})


def _compared(own: Own, before: Mapping[str, str]) -> Own:
    if not before:
        return own
    mine = digests(source_of(own))
    differ = {name for name in {*before, *mine} if before.get(name) != mine.get(name)}
    left = sorted(differ - stack_build(own, options_of(own)).compiled())
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
