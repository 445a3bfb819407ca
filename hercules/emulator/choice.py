# SPDX-License-Identifier: MIT
"""Which emulator is run: the counting build of `scripts/exact-emulator`, or another.

The counter is what matters: a counting build counts each instruction once; stock emulators count
in batches, and miss or add some with the layout of the code, each in its own way. An emulator
names itself in what `--version` prints; its dialect, version and counter are read from there and
never from where the file lies.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from vmkb.hercules.deadline import EmulatorError, patient
from vmkb.hercules.emulator.dialect import dialects, speaks
from vmkb.hercules.emulator.dialect.base import Dialect
from vmkb.hercules.installed import BROUGHT, SETUP, is_clone, obtained

PROJECT = Path(__file__).resolve().parents[2]
BUILDS = PROJECT / ".setup" / "emulator"
USERS_BUILDS = PROJECT / ".setup" / "hyperion"
"""Where `scripts/hyperion` leaves what it builds from a user's source."""
WHY_NOT = BUILDS / "failed"
"""Holds the sentence that says why there is no counting build."""
CHOICE = "VMKB_HERCULES"
"""Environment: `exact`, `stock`, `hyperion`, or the path of a hercules program."""
EXACT = "exact"
STOCK = "stock"
HYPERION = "hyperion"
VERSION_WITHIN = 10.0
OURS = "count.patch", "virtual.patch", "Makefile", "*.[ch]"
"""Files of hercules/exact that make a counting build, beside the source."""
STOCK_NAME = "hercules"
BUILDER = "scripts/setup" if is_clone() else str(SETUP.with_name("exact-emulator"))
"""The script that builds the counting emulator: in a clone, or where vmkb was installed as a
wheel."""
PROFILING = "hercules-profile"
"""The program of a counting build that counts by address too."""
ASKED = 3
"""It ends while its logger still writes: now and then the first lines are lost."""

_HERCULES = re.compile(r"\bHercules version \S+", re.I)
_EXACT = re.compile(r"vmkb exact count ([0-9a-f]{12})")


@dataclass(frozen=True, slots=True)
class Emulator:
    """A hercules program: where it is, its dialect and version, and which counter it has.

    `identity` is the source and patch of a counting build, `modules` the folder that its device
    modules are taken from (None: the program knows).
    """

    program: Path
    dialect: Dialect
    version: str
    counter: str
    identity: str = ""
    modules: Path | None = None

    @property
    def exact(self) -> bool:
        """Whether each instruction is counted once."""
        return self.counter == EXACT

    @property
    def name(self) -> str:
        """Metadata of a result: name, version and counter."""
        return f"{self.dialect.name} {self.version}, {self.counter} counter"

    def arguments(self) -> list[str]:
        """The program and what makes it find its own modules."""
        modules = ["-p", str(self.modules), "-l", "hdteq"] if self.modules else []
        return [str(self.program), *modules]


@functools.cache
def wanted_identity(project: Path = PROJECT) -> str:
    """Twelve hexadecimal digits of the source and the patch that a counting build is made from.

    Made as scripts/exact-emulator does.
    """
    script = (project / "scripts" / "exact-emulator").read_text("utf-8")
    found = re.search(r"^sha256=([0-9a-f]{64})$", script, re.M)
    assert found is not None, "scripts/exact-emulator names no sha256"
    exact, engine = project / "hercules" / "exact", project / "hercules" / "clock" / "engine"
    paths = [path for name in OURS for path in sorted(exact.glob(name))]
    parts = [path.read_bytes() for path in (*paths, *sorted(engine.glob("*.[ch]")))]
    return hashlib.sha256(b"".join(parts) + f"{found[1]}\n".encode()).hexdigest()[:12]


@functools.cache
def describe(program: Path) -> Emulator:
    """The version and name of PROGRAM, as it says. Raises EmulatorError if it is no Hercules, or
    does not start."""
    for _ in range(ASKED):
        try:
            ran = subprocess.run(
                [program, "--version"], capture_output=True, text=True, errors="replace",
                timeout=patient(VERSION_WITHIN), stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EmulatorError(f"{program} cannot be started: {error}") from None
        if speaks(said := ran.stdout + ran.stderr):
            break
    return described(program, said)


def described(program: Path, said: str) -> Emulator:
    """The emulator whose `--version` printed SAID. Raises EmulatorError if it is none that is
    known."""
    found = speaks(said)
    if found is None:
        if (other := _HERCULES.search(said)) is not None:
            known = ", ".join(f"{d.name} {d.series}" for d in dialects())
            raise EmulatorError(
                f"{program} is {other[0]}, which vmkb cannot drive; it knows {known}."
            )
        first = said.strip().splitlines()[:1]
        raise EmulatorError(
            f"{program} --version says {first[0] if first else 'nothing'!r}; is it Hercules?"
        )
    dialect, version = found
    exact = _EXACT.search(said)
    if exact is None:
        return Emulator(program, dialect, version, f"{STOCK} {dialect.series}")
    beside = program.parent if any(program.parent.glob("hdt*.so")) else None
    return Emulator(program, dialect, version, EXACT, exact[1], beside)


def exact_folder() -> Path:
    """Where the counting build of the project's present patch is, or would be."""
    built = BUILDS / wanted_identity()
    return BROUGHT if BROUGHT.is_dir() and not built.is_dir() else built


def exact_build() -> Emulator | None:
    """The counting build of the project's present patch, or None."""
    program = exact_folder() / "hercules"
    found = describe(program) if program.is_file() else None
    return found if found is not None and found.identity == wanted_identity() else None


def profiling(emulator: Emulator) -> Emulator:
    """The program beside EMULATOR that counts by address too (docs/guide/profile.md).

    Raises EmulatorError when there is none: only a counting build has it.
    """
    if not emulator.exact:
        raise EmulatorError(
            "A profile needs the emulator that counts every instruction, and this is"
            f" {emulator.name}; vmkb list emulators shows what is here."
        )
    program = emulator.program.with_name(PROFILING)
    if not program.is_file():
        raise EmulatorError(
            f"A profile needs {PROFILING}, which is not beside {emulator.program}; the counting"
            " build of Hercules 3.13 has it (--emulator exact, made by scripts/setup)."
        )
    return describe(program)


def older_builds() -> list[Path]:
    """Counting builds of another patch than the present one: not used."""
    wanted = wanted_identity()
    return sorted(p.parent for p in BUILDS.glob("*/hercules") if p.parent.name != wanted)


def users_build() -> Emulator | None:
    """The emulator that `scripts/hyperion` has built last, or None."""
    programs = sorted(
        USERS_BUILDS.glob("*/bin/hercules"), key=lambda p: p.parent.parent.stat().st_mtime
    )
    return describe(programs[-1]) if programs else None


def stock() -> Emulator | None:
    """The hercules that PATH finds, or None."""
    found = shutil.which(STOCK_NAME)
    return None if found is None else describe(Path(found))


def choose(name: str | None = None) -> Emulator:
    """The emulator that NAME (or else VMKB_HERCULES) says: `exact`, `stock`, `hyperion` or a path.

    Without a name the counting build, or where there is none the stock program. Raises
    EmulatorError when there is no such emulator.
    """
    name = name or os.environ.get(CHOICE) or None
    if name == EXACT or name is None:
        if (build := exact_build()) is not None:
            return build
        if name == EXACT:
            raise EmulatorError(f"There is no counting emulator here: {why_no_exact()}")
    if name == STOCK or name is None:
        found = stock()
        if found is None:
            raise EmulatorError(f"The program hercules is not installed; {obtained(STOCK_NAME)}.")
        return found
    if name == HYPERION:
        if (build := users_build()) is None:
            raise EmulatorError(
                "There is no SDL Hyperion here: scripts/hyperion DIR builds it from a folder with"
                " its source."
            )
        return build
    path = Path(name).expanduser()
    if not path.is_file():
        raise EmulatorError(
            f"There is no emulator {name}: it is {EXACT}, {STOCK}, {HYPERION} or the path of a"
            " hercules."
        )
    return describe(path.resolve())


def why_no_exact() -> str:
    """Why there is no counting build of the present patch, in a sentence."""
    try:
        reason = WHY_NOT.read_text("utf-8").strip()
    except OSError:
        reason = ""
    if reason:
        return f"{reason}."
    if older_builds():
        return f"it was built from an older patch; run {BUILDER}."
    return f"it has not been built; run {BUILDER}."


def cost_of_stock(emulator: Emulator) -> str:
    """The cost of a stock counter, in one line; empty for an exact one."""
    if emulator.exact:
        return ""
    hint = "--emulator exact does not" if exact_build() else why_no_exact().removesuffix(".")
    return (
        "its counter miscounts with the layout of the code, by up to 12 %: differences of releases"
        f" inside that mean nothing ({hint})"
    )
