# SPDX-License-Identifier: MIT
"""Files that documents and comments name are there; ARCHITECTURE lists the rooms that there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOMS = ("accounting", "docs", "guests", "hercules", "scripts", "tests", "workloads")
#: In capitals: a place for a name that the reader has in mind (NAME.toml, runs/ID).
NAMED = re.compile(rf"(?<![\w./-])(?:{'|'.join(ROOMS)})/[\w./*-]*[\w/*]")
PLACE = re.compile(r"\b[A-Z]{2,}\b")
#: Rooms whose folders docs/ARCHITECTURE.md lists, each of them; in others it lists some.
WHOLE = ("guests/vmkb", "guests/vmkb/cms", "guests/vmkb/cp", "guests/vmkb/protocol",
         "guests/vmkb/service", "hercules", "accounting")  # fmt: skip
#: Made by setup, a build or a run.
MADE = ("guests/vmkb/build", "guests/linux/build")


def documents(project: Path) -> list[Path]:
    return [project / "README.md", *sorted((project / "docs").rglob("*.md"))]


def texts(project: Path) -> Iterator[tuple[Path, str]]:
    """Documents, and the comments and strings of the code."""
    for path in documents(project):
        yield path, path.read_text("utf-8")
    for room in ("accounting", "guests", "hercules", "scripts", "workloads"):
        for path in sorted((project / room).rglob("*")):
            if path.suffix in (".py", ".c", ".h", ".S") and "build" not in path.parts:
                yield path, path.read_text("utf-8")


def test_links_of_documents_lead_somewhere(project: Path) -> None:
    dead = []
    seen = 0
    for path in documents(project):
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            if "://" not in target:
                seen += 1
                if not (path.parent / target).exists():
                    dead.append(f"{path.name}: {target}")
    assert seen > 60
    assert not dead


def test_files_that_are_named_are_there(project: Path) -> None:
    missing = []
    seen = 0
    for path, text in texts(project):
        for m in NAMED.finditer(text):
            name = m[0].rstrip(".")
            if PLACE.search(Path(name).name) or name.startswith(MADE):
                continue
            seen += 1
            bases = (project, project / "guests/vmkb", path.parent)
            if not any(list(base.glob(name)) for base in bases):
                missing.append(f"{path.relative_to(project)}: {name}")
    assert seen > 100
    assert not missing


def listed(project: Path) -> set[str]:
    """The folders of the list in docs/ARCHITECTURE.md, by their indentation."""
    text = (project / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    block = text.split("\n## Rooms\n")[1].split("```")[1]
    found: set[str] = set()
    above: list[tuple[int, str]] = []
    for line in block.strip("\n").split("\n"):
        m = re.match(r"( *)((?:[\w-]+/ ?)+)", line)
        if m is None:
            continue
        while above and above[-1][0] >= len(m[1]):
            above.pop()
        for name in m[2].split():
            found.add("".join(a for _, a in above) + name.rstrip("/"))
        above.append((len(m[1]), "".join(m[2].split()[:1])))
    return found


def has_files(folder: Path) -> bool:
    """Whether it has more than Python left there when its files went."""
    return any(path.suffix != ".pyc" for path in folder.rglob("*.*"))


def test_the_rooms_are_those_of_architecture(project: Path) -> None:
    rooms = listed(project)
    assert {r for r in rooms if not (project / r).is_dir()} == set()
    there = {r for r in ROOMS if r != "docs"}
    for room in WHOLE:
        there |= {
            str(p.relative_to(project))
            for p in (project / room).iterdir()
            if p.is_dir() and p.name not in ("build", "__pycache__") and has_files(p)
        }
    assert there - rooms == set()
