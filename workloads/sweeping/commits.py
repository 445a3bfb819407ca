# SPDX-License-Identifier: MIT
"""Commits of a stack, or of VM/KB, in a trail. Those of a stack that differ in comments or in code
that is not compiled share one build."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vmkb.accounting.profile.summary import Profile
from vmkb.errors import UsageError
from vmkb.guests.base import driver
from vmkb.guests.compiled import PLAIN
from vmkb.guests.release.build import CKSM, Build
from vmkb.guests.release.cache import alone, let_go
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.image import digest, digest_of_image, elves
from vmkb.guests.release.kinds import VMKB, SourceKind
from vmkb.guests.release.sizes import OF, Sizes, program_sizes
from vmkb.guests.release.source import Source, read
from vmkb.guests.release.system import System
from vmkb.hercules.guest import Guest
from vmkb.workloads.base import workload as base
from vmkb.workloads.base.own import extended, own_of, stack_of
from vmkb.workloads.base.settings import Asked, Checksum, Own, Settings
from vmkb.workloads.ftp.workload import Workload
from vmkb.workloads.sweeping.trail import Built, Known, Subject

TCPIP = "TCPIP"
Made = tuple[str, str, Sizes | None]


class Stacks(Subject):
    """Commits of one KIND, measured in GUEST by the ftp workload (workloads.sweeping.trail);
    CHECKSUM is what makes a stack's checksums. UsageError if KIND is no stack."""

    def __init__(self, kind: SourceKind, guest: Guest, checksum: Checksum = CKSM) -> None:
        if kind is VMKB and checksum != CKSM:
            raise UsageError(f"--checksum is for a TCP/IP stack, not for {VMKB.name}.")
        self._kind, self.guest, self._checksum = kind, guest, checksum
        self.name, self.logged, self.part = kind.name, kind.logged, TCPIP
        self.sized = "all programs" if kind is VMKB else OF
        self._stack = stack_of(Workload())

    def digest(self) -> str:
        """As Subject."""
        return driver(self.guest).digest()

    def about(self) -> dict[str, str]:
        """As Subject."""
        return {} if self._checksum == CKSM else {"checksum": self._checksum}

    def settings(self, case: str) -> Settings:
        """As Subject."""
        return Workload().settings(Asked(releases="221", cases=(case,), trials=1, builds=1))

    def build(self, repo: Path, commit: str, known: Known) -> Built:
        """As Subject."""
        found = read(repo, commit)
        if found.kind is not self._kind:
            raise SourceError(f"it is {found.kind.name}, not {self._kind.name}")
        with alone():
            if self._kind is VMKB:
                made = _system(found, self._stack, known)
            else:
                made = self._of_stack(found, known)
            return Built(self._own("", found), *made)

    def _own(self, name: str, found: Source) -> Own:
        return own_of(name, found, self._stack, self._checksum)

    def _of_stack(self, found: Source, known: Known) -> Made:
        """Text, program and sizes of TCPIP with the stack FOUND."""
        build = Build(found.digest, what=found.kind.name, checksum=self._checksum)
        if not build.placed:
            build.place(found.files, found.kind.where)
        text = build.text()
        if text in known:
            return text, *known[text]
        program = build.program(PLAIN)
        return text, digest(program), program_sizes(program.with_suffix(".elf"))

    def planned(
        self, settings: Settings, own: Sequence[Own], profile: bool
    ) -> tuple[base.Workload[Any, Any], Settings]:
        """As Subject."""
        releases = tuple(o.name for o in own)
        update = {"releases": releases, "own": tuple(own), "profile": profile}
        return extended(Workload(), own), settings.model_copy(update=update)

    def named(self, repo: Path, commit: str, name: str) -> Own:
        """As Subject."""
        return self._own(name, read(repo, commit))

    def tells(self, profile: Profile) -> bool:
        """As Subject."""
        return self._kind is VMKB or profile.label == TCPIP

    def let_go(self) -> None:
        """As Subject."""
        let_go()


def _system(found: Source, level: str, known: Known) -> Made:
    """The same of the VM/KB FOUND with the TCPIP of LEVEL. No compiler is asked what it gets: what
    has changed is all that is built."""
    if found.digest in known:
        return found.digest, *known[found.digest]
    system = System(found.digest)
    if not system.placed:
        system.place(found.files)
    image = system.image(PLAIN)
    each = [program_sizes(elf) for elf in elves(image, level)]
    sizes = Sizes(*map(sum, zip(*each, strict=True)))
    return found.digest, digest_of_image(image, level), sizes
