# SPDX-License-Identifier: MIT
"""Whether instructions are counted alike on all workers: a command that costs the same
everywhere."""

from __future__ import annotations

import tempfile

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.guest import Guest
from vmkb.hercules.scratch import Scratch
from vmkb.hercules.tn3270.dialogue import load_dialogue
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.warden import Warden
from vmkb.workloads.base.guest import OPERATOR
from vmkb.workloads.measuring.asked import Variant
from vmkb.workloads.measuring.trial import Bench

COMMAND, TIMES = "QUERY DISK", 50
AGREE = 0.001
"""Counts of workers that are further apart than this part are not pooled."""


def probe(guest: Guest, emulator: Emulator) -> float:
    """Instructions of the operator's own machine for COMMAND on GUEST. EmulatorError if it cannot
    be had."""
    with (
        Scratch(tempfile.gettempdir(), "vmkb-probe-", guarded=True) as folder,
        Warden() as warden,
        boot(guest, folder.path, holds=(warden.held,), emulator=emulator) as machine,
        UserSession(guest.session, machine.terminal_port) as session,
    ):
        session.logon(OPERATOR, OPERATOR)
        bench = Bench(session, load_dialogue("vmkb"), OPERATOR)
        bench.take(Variant("warm", COMMAND), 1, "probe")
        used = bench.take(Variant("probe", COMMAND), TIMES, "probe").interval(OPERATOR).used
        session.logoff()
    if "virt_instr" not in used:
        raise EmulatorError(
            f"Guest '{guest.name}' does not count instructions: nothing to compare."
        )
    return used["virt_instr"].value / TIMES


def disagrees(theirs: float, ours: float) -> str:
    """Why counts of a worker are not pooled with ours; empty if they may be."""
    apart = abs(theirs - ours) / ours
    if apart <= AGREE:
        return ""
    return (
        f"the probe ('{COMMAND}') took {theirs:.1f} instructions there and {ours:.1f} here,"
        f" {100 * apart:.2f} % apart; {100 * AGREE:g} % is the limit"
    )
