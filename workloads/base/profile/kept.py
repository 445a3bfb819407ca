# SPDX-License-Identifier: MIT
"""Files that a run with --profile keeps beside its trials, and how its addresses get their names.

In a run's folder: profiles/TRIAL.counts.gz, and for each build of the guest its programs with
their debugging data and a table of the names that were asked for so far, or what its kernel said.
"""

from __future__ import annotations

import glob
import gzip
import shutil
import subprocess
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from vmkb.accounting.profile import counts
from vmkb.accounting.profile.elf import ElfError, first_address
from vmkb.accounting.profile.kallsyms import KERNEL, Kernel
from vmkb.accounting.profile.symbols import (
    NOWHERE,
    UNKNOWN,
    Image,
    Place,
    SymbolError,
    dump,
    image_of,
    load,
    named,
    parse_addr2line,
    parse_ins,
    parse_nm,
)
from vmkb.guests.base import LAYERS, driver
from vmkb.guests.compiled import PLAIN
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.guest import Guest
from vmkb.hercules.installed import obtained
from vmkb.workloads.base.profile.kernel import (
    PROGRAMS,
    PROGRAMS_AT,
    SYMBOLS,
    Whole,
    kernel,
    part_of,
)

FOLDER = "profiles"
COUNTS = "profile.counts"
"""The file that the emulator writes into its run folder."""
TOOLS = "s390x-linux-gnu-"
"""Before the names of binutils' programs for s390x; the host's own find the same."""
TOOL_WITHIN = 120.0
CONTROL = "-CP"
"""Behind a release's name in that of the folder with the programs of its control program."""
_IMAGES = "images.txt"
_KEPT = ".counts.gz"
GUEST_IS = "@"
"""Stands before the name of a guest in the name of a file."""


def _folder_of(folder: Path, build: int, release: str) -> Path:
    return folder / FOLDER / (f"build-{build}-{release}" if release else f"build-{build}")


def keep_symbols(guest: Guest, folder: Path, release: str, emulator: Emulator) -> None:
    """Keep beside the trials of FOLDER the functions of the kernel of GUEST, which is RELEASE;
    asked of it on EMULATOR, if they are not known. Raises EmulatorError when it does not say."""
    to = _folder_of(folder, PLAIN, release)
    to.mkdir(parents=True, exist_ok=True)
    said = driver(guest).symbols(emulator)
    (to / SYMBOLS).write_bytes(gzip.compress(said.encode("ascii"), mtime=0))
    (to / KERNEL).unlink(missing_ok=True)
    if (program := driver(guest).program_of_kernel()) is not None:
        (to / KERNEL).symlink_to(program.resolve())  # of a size that a run does not copy
    if (control := driver(guest).control_program()) is not None:
        keep_programs(control, folder, PLAIN, f"{release}{CONTROL}")
    layers, text = folder / FOLDER / LAYERS, driver(guest).layers()
    if not layers.is_file() or text not in layers.read_text("utf-8"):
        layers.write_text(text, "utf-8")


def keep_programs(guest: Guest, folder: Path, build: int, release: str = "") -> None:
    """Keep beside the trials of FOLDER the programs that build BUILD of GUEST loads; those of
    RELEASE, if it has others.

    Raises EmulatorError when a program has no debugging data beside it.
    """
    to = _folder_of(folder, build, release)
    to.mkdir(parents=True, exist_ok=True)
    lines = [f"folder {guest.folder.resolve()}\n"]
    for file, real in parse_ins(guest.image.read_text("utf-8")):
        loaded = guest.image.parent / file
        program = loaded.with_suffix(".elf")
        if loaded.suffix != ".bin" or not loaded.is_file():
            continue
        try:
            shutil.copyfile(program, to / program.name)
            virtual = first_address(program.read_bytes(), program.name)
        except (OSError, ElfError) as error:
            raise EmulatorError(f"{guest.title} cannot be profiled: {error}.") from None
        lines.append(f"{program.stem} {real:#x} {loaded.stat().st_size} {virtual:#x}\n")
    (to / _IMAGES).write_text("".join(lines), "utf-8")
    shutil.copyfile(guest.folder / LAYERS, folder / FOLDER / LAYERS)


def mark(station: Path) -> int:
    """How much the emulator in folder STATION has written of its profile, in bytes."""
    path = station / COUNTS
    return path.stat().st_size if path.exists() else 0


def keep(station: Path, since: int, folder: Path, trial: str, guest: str = "") -> None:
    """Keep what was counted in TRIAL: between its machines' first samples behind SINCE and their
    last. GUEST is whose, if the trial has several. Raises EmulatorError when the emulator wrote no
    two samples of any machine.
    """
    found = _samples(station, since, trial)
    wanted = [s for k, s in enumerate(found) if s.userid in {f.userid for f in found[:k]}]
    if not wanted:
        raise EmulatorError(
            f"Trial {trial} has no profile: no machine was sampled twice in {station / COUNTS}. Is"
            " the guest an older build than the emulator?"
        )
    _write(folder, f"{trial}{GUEST_IS if guest else ''}{guest}", wanted)


def keep_whole(
    station: Path, since: int, folder: Path, trial: str, release: str, whole: Whole
) -> None:
    """Keep what was counted in TRIAL of a guest that is RELEASE: the parts of it that WHOLE says.
    Raises EmulatorError when the emulator wrote no such samples."""
    found = _samples(station, since, trial)
    try:
        known = kernel(_folder_of(folder, PLAIN, release))
        assert known is not None
        _write(folder, trial, part_of(found, whole, known))
    except (EmulatorError, SymbolError) as error:
        raise EmulatorError(f"Trial {trial} has no profile: {str(error).rstrip('.')}.") from None


def _samples(station: Path, since: int, trial: str) -> list[counts.Sample]:
    path = station / COUNTS
    try:
        with path.open("rb") as file:
            head = file.read(counts.HEAD_BYTES)
            file.seek(max(since, counts.HEAD_BYTES))
            return counts.read(head + file.read(), str(path))
    except (OSError, counts.ProfileError) as error:
        raise EmulatorError(f"Trial {trial} has no profile: {error}.") from None


def _write(folder: Path, name: str, samples: Iterable[counts.Sample]) -> None:
    to = folder / FOLDER / f"{name}{_KEPT}"
    to.write_bytes(gzip.compress(counts.write(samples), mtime=0))


def kept(folder: Path, trial: str) -> list[counts.Sample]:
    """The samples of TRIAL; none if it was not profiled. Machines of several guests are called
    `GUEST USERID`. Raises ProfileError for a damaged file."""
    found: list[counts.Sample] = []
    name = glob.escape(trial)
    for form in (f"{name}{_KEPT}", f"{name}{GUEST_IS}*{_KEPT}"):
        for path in sorted((folder / FOLDER).glob(form)):
            try:
                data = gzip.decompress(path.read_bytes())
            except (OSError, EOFError) as error:
                raise counts.ProfileError(f"{path} is damaged: {error}") from None
            guest = path.name.removeprefix(trial).removesuffix(_KEPT).removeprefix(GUEST_IS)
            found += [
                replace(s, userid=f"{guest} {s.userid}".strip())
                for s in counts.read(data, str(path))
            ]
    return found


def places(
    folder: Path, build: int, addresses: Collection[int], release: str = ""
) -> dict[int, Place]:
    """Names of ADDRESSES in BUILD of RELEASE, as the run in FOLDER had it; NOWHERE where none is
    known.

    Raises EmulatorError when there are no tools to find names that were not asked for before.
    """
    of = _folder_of(folder, build, release)
    if not of.is_dir():
        of = _folder_of(folder, build, "")
    of_kernel = kernel(of)
    if of_kernel is not None and not (of / KERNEL).is_symlink():
        return {a: PROGRAMS if a == PROGRAMS_AT else of_kernel.place(a) for a in addresses}
    table = of / "symbols.gz"
    try:
        known = load(gzip.decompress(table.read_bytes()).decode("utf-8"), str(table))
    except FileNotFoundError:
        known = {}
    except (OSError, EOFError, UnicodeDecodeError, SymbolError):
        known = {}  # it is made again
    missing = [a for a in addresses if a not in known]
    if missing:
        known.update(_lines(of, of_kernel, missing) if of_kernel else _resolve(of, missing))
        table.write_bytes(gzip.compress(dump(known).encode("utf-8"), mtime=0))
    return known


def _lines(of: Path, known: Kernel, addresses: Iterable[int]) -> dict[int, Place]:
    """The functions of ADDRESSES; those of the kernel itself with lines of its program's source. A
    function that was put into another one is at the line that calls it."""
    found = {a: PROGRAMS if a == PROGRAMS_AT else known.place(a) for a in addresses}
    program = (of / KERNEL).resolve()
    try:
        off = known.apart(parse_nm(_tool("nm", "-n", str(program))))
    except SymbolError as error:
        raise EmulatorError(f"{program} is not the kernel that ran: {error}.") from None
    mine = {a: place for a, place in found.items() if place.image == KERNEL}
    asked = "".join(f"{a + off:x}\n" for a in mine)
    told = _tool("addr2line", "-a", "-i", "-f", "-e", str(program), said=asked)
    frames = parse_addr2line(told, str(program.parent))
    for address, place in mine.items():
        outer = frames.get(address + off, (place.frame,))[-1]
        if outer.file != UNKNOWN:
            frame = outer._replace(function=place.frame.function)
            found[address] = place._replace(frames=(frame,))
    return found


def _resolve(of: Path, addresses: Iterable[int]) -> dict[int, Place]:
    try:
        first, *rest = (of / _IMAGES).read_text("utf-8").splitlines()
    except (OSError, ValueError):
        raise EmulatorError(f"{of} has lost {_IMAGES}: its addresses have no names.") from None
    source = first.removeprefix("folder ")
    images = [
        Image(name, int(real, 0), int(size), int(virtual, 0))
        for name, real, size, virtual in (line.split() for line in rest)
    ]
    found = dict.fromkeys(addresses, NOWHERE)
    by_image: dict[Image, list[int]] = {}
    for address in found:
        image = image_of(images, address)
        if image is not None:
            by_image.setdefault(image, []).append(address)
    for image, mine in by_image.items():
        off = image.virtual - image.real
        named = in_program(of / f"{image.name}.elf", source, [a + off for a in mine])
        found.update((a, named[a + off]) for a in mine)
    return found


def in_program(program: Path, source: str, addresses: Collection[int]) -> dict[int, Place]:
    """The names of virtual ADDRESSES of PROGRAM, whose sources are in the folder SOURCE."""
    asked = "".join(f"{a:x}\n" for a in addresses)
    told = _tool("addr2line", "-a", "-i", "-f", "-C", "-e", str(program), said=asked)
    frames = parse_addr2line(told, source)
    code = parse_nm(_tool("nm", "-n", str(program)))
    image = program.stem
    return {a: Place(image, tuple(named(frames.get(a, ()), a, code))) for a in addresses}


def _tool(name: str, *arguments: str, said: str = "") -> str:
    program = shutil.which(f"{TOOLS}{name}") or shutil.which(name)
    if program is None:
        raise EmulatorError(
            f"{name} is not installed: it finds the names of addresses; {obtained('binutils')}."
        )
    try:
        return subprocess.run(
            [program, *arguments], input=said, capture_output=True, text=True, check=True,
            timeout=TOOL_WITHIN,
        ).stdout  # fmt: skip
    except (subprocess.SubprocessError, OSError) as error:
        raise EmulatorError(f"{program} failed: {error}.") from None
