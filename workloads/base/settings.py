# SPDX-License-Identifier: MIT
"""The request of a run, kept in its folder so that --resume does the same."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, ValidationError

from vmkb import given
from vmkb.errors import UsageError
from vmkb.guests.compiled import checked
from vmkb.guests.release.rooms import Rooms
from vmkb.hercules.deadline import Timeout, wait_until
from vmkb.workloads.base.definition import Strict, Style

FILE_NAME = "run.json"
SCHEMA = 1
FREE_WITHIN = 5.0
"""Seconds in which the lanes of a run that was killed end."""
LWIP, FREERTOS, SMOLTCP = STACKS = "lwIP", "FreeRTOS-Plus-TCP", "smoltcp"
VMKB = "VM/KB"


Checksum = Literal["cksm", "own"]
Ip = Literal[4, 6]
"""A version of IP."""
Compiled = Annotated[str, AfterValidator(checked)]


@dataclass(frozen=True)
class Asked:
    """The options of a run as they were given; what is empty or None was not."""

    style: str | None = None
    trials: int | None = None
    releases: str = ""
    cases: tuple[str, ...] = ()
    model: str = ""
    wire: str = ""
    emulator: str = ""
    builds: int | None = None
    profile: bool = False
    guests: tuple[str, ...] = ()
    mtu: int | None = None
    users: int | None = None
    checksum: Checksum | None = None
    ip: Ip | None = None


class Own(Strict):
    """A release of the user's own: an lwIP at `path` (or `what` else), and what it was when the run
    began.

    `ref`: the commit or tag that was asked for; `commit`: its full name; `changed`: files that were
    not committed. `lwipopts`: a file of options above ours. `source` and `options` are digests of
    the source's files and of the options. `stack`: which of VM/KB's TCPIPs is measured;
    `takes_options`: whether a VM/KB can be compiled with options that are not its Makefile's.
    `unlinked`: files that differ from the base's and are in no program; `all_unlinked`: no others
    differ. `by`: the compiler beside gcc, with its version. `checksum`: what makes a stack's
    checksums (guests.release.build); `ip`: the version of IP that it has.
    """

    name: str
    path: str
    ref: str = ""
    lwipopts: str = ""
    commit: str = ""
    changed: int = 0
    version: str
    source: str
    options: str = ""
    what: str = LWIP
    stack: str = ""
    takes_options: bool = False
    unlinked: tuple[str, ...] = ()
    all_unlinked: bool = False
    by: str = ""
    checksum: Checksum = "cksm"
    ip: Ip = 4
    rooms: Rooms | None = None

    @property
    def title(self) -> str:
        """Its name in a sentence."""
        return f"{self.what} {self.version} ({self.name})"

    def about(self) -> str:
        """All of this in one line, for the notes under a table."""
        said = [f"{self.what} {self.version} from {self.path}"]
        if self.commit:
            said.append(
                f"{self.ref} is commit {self.commit}" if self.ref else f"commit {self.commit}"
            )
        if self.changed:
            said.append(f"uncommitted changes in {self.changed} file{'s' * (self.changed > 1)}")
        if self.rooms:
            said.append(str(self.rooms))
        if self.lwipopts:
            said.append(f"options {self.lwipopts} ({self.options})")
        said += [f"source {self.source}", *filter(None, [self.by])]
        if self.what in STACKS:
            said.append(f"checksums by {'CHECKSUM' if self.checksum == 'cksm' else 'its own code'}")
        return ", ".join(said) + over_of([self])


def over_of(releases: Sequence[Own]) -> str:
    """What to say behind figures of RELEASES that are over IPv6."""
    ipv6 = [own for own in releases if own.ip == 6]
    if not ipv6:
        return ""
    alone = ", where vmkb's port gives lwIP each segment alone"
    return ", over IPv6" + alone * any(own.what == LWIP for own in ipv6)


class Settings(Strict):
    """The same with the workload's own defaults filled in."""

    schema_number: int = SCHEMA
    workload: str
    style: Style
    trials: int
    releases: tuple[str, ...]
    cases: tuple[str, ...]
    model: str
    wire: str
    builds: int = 1
    builds_here: int | None = None
    """How many builds of the guest there are, where no more can be made."""
    compiled: tuple[Compiled, ...] = ()
    """The compiler's options of builds, in turn (guests.compiled)."""
    profile: bool = False
    guests: tuple[str, ...] = ()
    """Those that a workload compares; empty where it has one for all roles."""
    emulator: str = ""
    """`exact`, `stock` or a path; empty: the best one there is."""
    mtu: int | None = None
    """Bytes; None: the workload's own."""
    users: int | None = None
    """At terminals, where their number can be chosen."""
    fixed: bool = False
    """Whether --trials or --builds was given, so that a run is as long as that says."""
    more: dict[str, int] = {}
    """Rounds of a case beyond the others', because it was not known well enough."""
    own: tuple[Own, ...] = ()
    """Those of `releases` that are the user's."""


def save(settings: Settings, folder: Path) -> None:
    """Write run.json whole."""
    partial = folder / f"{FILE_NAME}.new"
    partial.write_text(settings.model_dump_json(indent=1) + "\n", "utf-8")
    partial.replace(folder / FILE_NAME)


def restore(folder: Path, workload: str) -> Settings:
    """The settings of an earlier run of WORKLOAD in FOLDER; UsageError if there are none."""
    path = folder / FILE_NAME
    try:
        values = json.loads(given.data(path))
        if values.get("schema_number") != SCHEMA:
            raise UsageError(f"{path} was written by another version of vmkb; run anew.")
        if values.get("workload") != workload:
            raise UsageError(f"{folder} has a run of {values.get('workload')}, not of {workload}.")
        values.pop("clock", None)  # which follows from the emulator now
        return Settings.model_validate(values)
    except OSError:
        raise UsageError(f"{folder} is no folder of a run: it has no {FILE_NAME}.") from None
    except (ValueError, ValidationError, AttributeError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{path} is damaged: {error}; run anew.") from None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Only one process runs in FOLDER at a time; UsageError for a second one, after some seconds: a
    run that was killed holds it until its lanes have ended. A folder into which nothing was written
    meanwhile is gone afterwards."""
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)

    def ours() -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    try:
        try:
            wait_until(ours, FREE_WITHIN, "the folder", poll=0.05)
        except Timeout:
            raise UsageError(f"Another vmkb is running in {folder}; wait for it.") from None
        try:
            yield
        finally:
            with suppress(OSError):  # the folder may be gone
                if [path.name for path in folder.iterdir()] == ["lock"]:
                    (folder / "lock").unlink()
                    folder.rmdir()
    finally:
        os.close(handle)
