# SPDX-License-Identifier: MIT
"""Who is logged on to a guest, and the CPU that each has used, by its operator's console."""

from __future__ import annotations

from vmkb.accounting.grammar.connect import render
from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Record, Value
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Users

ANSWERS_WITHIN = 5.0
SYSTEM = "SYSTEM"
_ANSWERED = r"CONNECT=|^DMK\w{3}\d{3}E"


def machine_lines(users: Users, machine: Hercules) -> list[str]:
    """A table of the machines and the control program's own work, source QT. EmulatorError if the
    console does not answer."""
    system, before = _ask(users, machine, users.system)
    lines = [f"{'machine':<8}  {'at':<4}  {'VIRTCPU':>10}  {'TOTCPU':>10} (QT)"]
    names = [record for record in before if record.kind == "names"]
    if not names:
        raise EmulatorError(f"the operator's console did not answer {users.names}.")
    for record in names:
        rows = record.fields["users"]
        assert isinstance(rows, tuple) and not isinstance(rows, Value)
        for user, where in rows:
            used, _ = _ask(users, machine, users.time.format(user=user))
            if used is not None:  # it may have logged off meanwhile
                lines.append(_row(user, where, used))
    if system is not None:
        lines.append(_row(SYSTEM, "", system))
    return lines


def _ask(users: Users, machine: Hercules, command: str) -> tuple[Record | None, list[Record]]:
    """The answer of a command on CPU time; and the list of users, asked before it. The list
    has no end that can be told, so it is whole when the next answer has come."""
    mark = machine.log.mark()
    if command == users.system:
        machine.operator(users.names, r"\S - \S", ANSWERS_WITHIN)
    machine.operator(command, _ANSWERED, ANSWERS_WITHIN)
    text = "\n".join(machine.log.since(mark)).encode("latin-1", "replace")
    found = [item for item in scan([text], names=("users", "connect")) if isinstance(item, Record)]
    used = [record for record in found if record.kind == "connect"]
    return (used[-1] if used else None), found


def _row(user: str, where: str, used: Record) -> str:
    words = render(used).splitlines()[0].replace("=", " ").split()
    return f"{user:<8}  {where:<4}  {words[3]:>10}  {words[5]:>10}".rstrip()
