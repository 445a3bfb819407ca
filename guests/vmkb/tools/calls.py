# SPDX-License-Identifier: MIT
"""Who calls whom among a program's files, by the symbols of its objects.

  python3 tools/calls.py [PROGRAM...]    as built in build/; all of them when none is named

Printed are circles, and functions that could be static. Functions and constant tables are counted,
for a table has the functions that its reader calls: a lower file asks a higher one by a table that
it was given.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent.parent
PROGRAMS = ("cp", "cms", "exercise", "ftpserve", "rtmsf", "telnetd", "tcpip213", "tcpip221")
#: Objects that are not made from a file of ours: lwIP's, and generated tables.
OTHERS = ("lwip/", "ebcdic_table", "models_table")


class Symbols(NamedTuple):
    """Functions and constants that an object has for others, and what it needs of others."""

    functions: frozenset[str]
    needs: frozenset[str]


def sources(program: str, build: Path) -> Iterator[tuple[str, Path]]:
    """The project's source files of a program, and their objects."""
    root = build / program
    for path in sorted(root.rglob("*.o")):
        name = path.relative_to(root).with_suffix("")
        for suffix in (".c", ".S"):
            if (HERE / name).with_suffix(suffix).is_file():
                yield str(name) + suffix, path


def symbols(path: Path) -> Symbols:
    """What nm says of an object; gcc-nm reads those of the optimiser too."""
    nm = os.environ.get("CROSS", "s390x-linux-gnu-") + "gcc-nm"
    out = subprocess.run([nm, path], capture_output=True, text=True, check=True, timeout=60).stdout
    words = [line.split() for line in out.splitlines() if line.strip()]
    return Symbols(
        frozenset(w[-1] for w in words if w[-2] in {"T", "R"}),
        frozenset(w[-1] for w in words if w[-2] == "U"),
    )


def calls(files: Mapping[str, Symbols]) -> dict[str, set[str]]:
    """From each file the others whose functions it needs."""
    where = {function: name for name, file in files.items() for function in file.functions}
    return {
        name: {where[need] for need in file.needs if need in where} - {name}
        for name, file in files.items()
    }


def circles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of files each of which leads to all others of its group (Tarjan), largest first."""
    number: dict[str, int] = {}
    least: dict[str, int] = {}
    path: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = least[name] = len(number)
        path.append(name)
        for other in sorted(edges[name]):
            if other not in number:
                visit(other)
            if other in path:
                least[name] = min(least[name], least[other])
        if least[name] == number[name]:
            at = path.index(name)
            found.append(sorted(path[at:]))
            del path[at:]

    for name in sorted(edges):
        if name not in number:
            visit(name)
    return sorted((c for c in found if len(c) > 1), key=lambda c: (-len(c), c))


def of_program(program: str, build: Path) -> dict[str, Symbols]:
    """The symbols of a program's files."""
    return {name: symbols(path) for name, path in sources(program, build)}


def private(build: Path) -> list[tuple[str, str]]:
    """File and name of functions that no other file of any program needs."""
    having: dict[str, set[str]] = {}
    needed: dict[str, set[str]] = {}
    for program in PROGRAMS:
        root = build / program
        others = (p for p in root.rglob("*.o") if str(p.relative_to(root)).startswith(OTHERS))
        needs = {need for path in others for need in symbols(path).needs}
        files = of_program(program, build)
        needs |= {need for file in files.values() for need in file.needs}
        for name, file in files.items():
            having.setdefault(name, set()).update(file.functions)
            needed.setdefault(name, set()).update(needs)
    return [(name, f) for name in sorted(having) for f in sorted(having[name] - needed[name])]


def main(programs: list[str]) -> None:
    """Print the circles of the programs and the functions that could be static."""
    build = HERE / "build"
    for program in programs or PROGRAMS:
        files = of_program(program, build)
        print(f"{program}: {len(files)} files")
        for circle in circles(calls(files)):
            print(f"  circle of {len(circle)}: {' '.join(circle)}")
    for name, function in private(build):
        print(f"  {name}: {function} is needed nowhere else")


if __name__ == "__main__":
    main(sys.argv[1:])
