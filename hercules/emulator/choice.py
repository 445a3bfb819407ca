# SPDX-License-Identifier: MIT
"""Which Hercules is run: the counting build of `scripts/exact-emulator`, or a stock one.

The counter is what matters: the exact build counts each instruction once; stock Hercules 3.13
and SDL Hyperion count in batches, and miss or add some with the layout of the code, each in its
own way. An emulator names itself in what `--version` prints; its counter is read from there and
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

from hercules.deadline import EmulatorError

PROJECT = Path(__file__).resolve().parents[2]
BUILDS = PROJECT / ".setup" / "emulator"
WHY_NOT = BUILDS / "failed"
"""Holds the sentence that says why there is no counting build."""
CHOICE = "VMKB_HERCULES"
"""Environment: `exact`, `stock`, or the path of a hercules program."""
EXACT = "exact"
STOCK = "stock"
VERSION_WITHIN = 10.0
OURS = ("count.patch", "Makefile", "profile.c", "profile.h")
"""What of hercules/exact makes a counting build, beside the source."""
PROFILING = "hercules-profile"
"""The program of a counting build that counts by address too."""
ASKED = 3
"""It ends while its logger still writes: now and then the first lines are lost."""

_VERSION = re.compile(r"\bHercules version (\d+\.\d+[\w.]*)", re.I)
_EXACT = re.compile(r"vmkb exact count ([0-9a-f]{12})")


@dataclass(frozen=True, slots=True)
class Emulator:
    """A hercules program: where it is, its version, and which counter it has.

    `identity` is the source and patch of a counting build, `modules` the folder that its device
    modules are taken from (None: the program knows).
    """

    program: Path
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
        """What a result says about it: version and counter."""
        return f"Hercules {self.version}, {self.counter} counter"

    def arguments(self) -> list[str]:
        """The program and what makes it find its own modules."""
        modules = ["-p", str(self.modules), "-l", "hdteq"] if self.modules else []
        return [str(self.program), *modules]


def wanted_identity(project: Path = PROJECT) -> str:
    """Twelve hexadecimal digits of the source and the patch that a counting build is made from.

    Made as scripts/exact-emulator does.
    """
    script = (project / "scripts" / "exact-emulator").read_text("utf-8")
    found = re.search(r"^sha256=([0-9a-f]{64})$", script, re.M)
    assert found is not None, "scripts/exact-emulator names no sha256"
    exact = project / "hercules" / "exact"
    parts = [(exact / name).read_bytes() for name in OURS]
    return hashlib.sha256(b"".join(parts) + f"{found[1]}\n".encode()).hexdigest()[:12]


@functools.cache
def describe(program: Path) -> Emulator:
    """What PROGRAM says of itself. Raises EmulatorError if it is no Hercules, or does not start."""
    for _ in range(ASKED):
        try:
            ran = subprocess.run(
                [program, "--version"], capture_output=True, text=True, errors="replace",
                timeout=VERSION_WITHIN, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EmulatorError(f"{program} cannot be started: {error}") from None
        if _VERSION.search(said := ran.stdout + ran.stderr):
            break
    return described(program, said)


def described(program: Path, said: str) -> Emulator:
    """The emulator whose `--version` printed SAID. Raises EmulatorError if it is no Hercules."""
    version = _VERSION.search(said)
    if version is None:
        first = said.strip().splitlines()[:1]
        raise EmulatorError(
            f"{program} --version says {first[0] if first else 'nothing'!r}; is it Hercules?"
        )
    exact = _EXACT.search(said)
    if exact is not None:
        return Emulator(program, version[1], EXACT, exact[1], program.parent)
    series = "3.13" if version[1].startswith("3.") else "Hyperion"
    return Emulator(program, version[1], f"{STOCK} {series}")


def exact_build() -> Emulator | None:
    """The counting build of the project's present patch, or None."""
    wanted = wanted_identity()
    program = BUILDS / wanted / "hercules"
    found = describe(program) if program.is_file() else None
    return found if found is not None and found.identity == wanted else None


def profiling(emulator: Emulator) -> Emulator:
    """The program beside EMULATOR that counts by address too (docs/profile.md).

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
            f"A profile needs {PROFILING}, which is not beside {emulator.program};"
            " run scripts/setup."
        )
    return describe(program)


def older_builds() -> list[Path]:
    """Counting builds of another patch than the present one: not used."""
    wanted = wanted_identity()
    return sorted(p.parent for p in BUILDS.glob("*/hercules") if p.parent.name != wanted)


def stock() -> Emulator | None:
    """The hercules that PATH finds, or None."""
    found = shutil.which("hercules")
    return None if found is None else describe(Path(found))


def choose(name: str | None = None) -> Emulator:
    """The emulator that NAME (or else VMKB_HERCULES) says: `exact`, `stock` or a path.

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
            raise EmulatorError("The program hercules is not installed; run scripts/setup.")
        return found
    path = Path(name).expanduser()
    if not path.is_file():
        raise EmulatorError(
            f"There is no emulator {name}: it is {EXACT}, {STOCK} or the path of a hercules."
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
        return "it was built from an older patch; run scripts/setup."
    return "it has not been built; run scripts/setup."


def cost_of_stock(emulator: Emulator) -> str:
    """What a stock counter costs, in one line; empty for an exact one."""
    if emulator.exact:
        return ""
    hint = "--emulator exact does not" if exact_build() else why_no_exact().removesuffix(".")
    return (
        "its counter miscounts with the layout of the code, by up to 12 %: differences of releases"
        f" inside that mean nothing ({hint})"
    )
