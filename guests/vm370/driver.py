# SPDX-License-Identifier: MIT
"""How VM/370 is used: from its user's disks, at its terminals.

It can play none of the parts of the workloads so far: it has no TCP/IP of its own, and QUERY TIME
tells a user's own CPU only. `vmkb measure` asks it for that, and its accounting cards come out of
the punch.
"""

from __future__ import annotations

from pathlib import Path

from vmkb.guests.base import Driver
from vmkb.guests.vm370.configuration import described, left_out
from vmkb.guests.vm370.disks import brought, check_unused, configuration, devices
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.config import MachineConfig
from vmkb.hercules.guest import Guest


class Vm370Driver(Driver):
    """VM/370: boots from what is brought, talks at its terminals, is shut down."""

    def build(self) -> None:
        """There is nothing to make: EmulatorError while no disks have been brought."""
        self.guest.check_disks()

    def with_disks(self, place: Path, write: bool = False, ipl: int | None = None) -> Guest:
        disks = brought(place)
        check_unused(disks)
        start = self.guest.ipl.device if ipl is None else ipl
        if start not in {disk.number for disk in disks}:
            there = ", ".join(disk.name for disk in disks)
            raise EmulatorError(
                f"There is no disk {start:04X} to IPL from in {place}; there are {there}: --ipl"
                " names the one that has the system."
            )
        machine = self._machine(place)
        own = machine.devices
        made = devices(disks, write)
        taken = {number for device in own for number in device.numbers}
        if clash := taken & {disk.number for disk in disks}:
            raise EmulatorError(f"Disk {min(clash):04X} has the number of another device here.")
        beside = () if write else disks
        linked = {d.name: str(d.path) for d in beside if d.compressed or d.read_only}
        copied = {d.name: str(d.path) for d in beside if d.name not in linked}
        stacked = {d.name: tuple(map(str, d.shadows)) for d in beside if d.shadows}
        questions = self.guest.ipl.questions
        if write:  # COLD throws away what is spooled: on his own disks that is the user's to say
            questions = tuple(q.model_copy(update={"answers": q.answers[:1]}) for q in questions)
        return Guest.model_validate(
            {
                **dict(self.guest),
                "ipl": self.guest.ipl.model_copy(update={"device": start, "questions": questions}),
                "machine": machine.model_copy(update={"devices": (*own, *made)}),
                "files": copied,
                "read_only": linked,
                "shadows": stacked,
            }
        )

    def _machine(self, place: Path) -> MachineConfig:
        """The machine without disks: that of the configuration in PLACE, or the usual one."""
        usual = self.guest.machine
        usual = usual.model_copy(
            update={"devices": tuple(d for d in usual.devices if d.file != "06A1")}
        )
        taken = configuration(place)
        return usual if taken is None else described(taken, usual)

    def left_out(self, place: Path) -> str:
        taken = configuration(place)
        rest = [] if taken is None else left_out(taken, self._machine(place))
        if not rest:
            return ""
        return f"The guest's machine lacks what these lines of {taken} say: {', '.join(rest)}."


DRIVER = Vm370Driver
