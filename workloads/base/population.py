# SPDX-License-Identifier: MIT
"""Which builds a run draws a release's cost from: the compiler's options that it tries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vmkb.errors import UsageError
from vmkb.guests.compiled import STACK, WHOLE, pinned, stacks
from vmkb.hercules.guest import Guest
from vmkb.workloads.base.settings import VMKB, Own
from vmkb.workloads.base.variants import installed
from vmkb.workloads.base.workload import Workload


def population(
    workload: Workload[Any, Any], own: Sequence[Own], guest: Guest, cflags: str
) -> tuple[str, ...]:
    """Return what the builds of GUEST are compiled with in turn (guests.compiled), in a run of
    WORKLOAD with the user's releases OWN; or CFLAGS alone, if given. UsageError if these are of no
    use there."""
    varied = (
        not workload.compares and guest.build is not None and "{options}" in guest.build.variant
    )
    fixed = [o.name for o in own if o.what == VMKB and not o.takes_options]
    if cflags and ("builds" not in workload.options or not varied):
        raise UsageError(f"Workload {workload.name} has no --cflags on guest {guest.name}.")
    if cflags and fixed:
        raise UsageError(f"Release {fixed[0]}: its Makefile takes no options: leave out --cflags.")
    if "builds" not in workload.options or not varied or fixed:
        return ()
    stack = workload.stacks and all(o.what != VMKB for o in own)
    if not cflags:
        return (STACK if installed(guest) else stacks()) if stack else WHOLE
    try:
        return pinned(cflags, stack=stack)
    except ValueError as error:
        raise UsageError(
            f"--cflags: {error} is no option that chooses how gcc optimises: -O2, -fNAME or -mNAME."
        ) from None
