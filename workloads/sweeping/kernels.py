# SPDX-License-Identifier: MIT
"""Commits of Linux in a trail: each is a guest that serves files to a client in VM/KB."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vmkb.errors import UsageError
from vmkb.guests.base import Choice, driver
from vmkb.guests.release.errors import SourceError
from vmkb.hercules.emulator.boot import find_guest
from vmkb.hercules.guest import Guest
from vmkb.workloads.base import workload as base
from vmkb.workloads.base.settings import Asked, Own, Settings
from vmkb.workloads.serve.compared import kernel_of
from vmkb.workloads.serve.workload import Workload
from vmkb.workloads.sweeping.trail import Built, Known, Subject

LINUX = "linux"
_LOGGED = (
    "Makefile", "Kbuild", "Kconfig", "arch/Kconfig", "arch/s390", "block", "certs", "crypto",
    "drivers/base", "drivers/block", "drivers/char", "drivers/net", "drivers/s390", "drivers/tty",
    "fs", "include", "init", "io_uring", "ipc", "kernel", "lib", "mm", "net", "scripts", "security",
    "usr", "virt",
)  # fmt: skip
"""What a kernel with our configuration has parts of."""


class Kernels(Subject):
    """Commits of Linux (workloads.sweeping.trail). Client is GUEST."""

    name, logged, sized, part = "Linux", _LOGGED, "the kernel", ""

    def __init__(self, guest: Guest) -> None:
        self.guest = guest
        self._hands = driver(find_guest(LINUX))

    def digest(self) -> str:
        """As Subject."""
        return f"{driver(self.guest).digest()} {self._hands.surroundings()}"

    def settings(self, case: str) -> Settings:
        """As Subject."""
        return Workload().alike(Asked(cases=(case,), trials=1))

    def build(self, repo: Path, commit: str, known: Known) -> Built:
        """As Subject."""
        choice = self._choice(repo, commit, "C")
        own = kernel_of(choice.name, f"{repo}@{commit}", [choice])
        return Built(own, own.source, own.source, driver(choice.guest).sizes())

    def planned(
        self, settings: Settings, own: Sequence[Own], profile: bool
    ) -> tuple[base.Workload[Any, Any], Settings]:
        """As Subject."""
        workload = Workload()
        releases = ",".join(f"{o.name}={o.path}" for o in own)
        asked = Asked(
            releases=releases,
            cases=settings.cases,
            trials=1,
            builds=1,
            profile=profile,
            guests=(LINUX,),
        )
        return workload, workload.settings(asked)

    def named(self, repo: Path, commit: str, name: str) -> Own:
        """As Subject."""
        choice = self._choice(repo, commit, name)
        return kernel_of(choice.name, f"{repo}@{commit}", [choice])

    def _choice(self, repo: Path, commit: str, name: str) -> Choice:
        name = name if name[0].isalpha() else f"C{name[:7]}"  # as a release's begins
        try:
            (made,) = self._hands.choices([f"{name}={repo}@{commit}"])
        except UsageError as error:  # its source is at fault
            raise SourceError(str(error).partition(": ")[2].rstrip(".")) from None
        return made
