# SPDX-License-Identifier: MIT
"""Releases built from the user's own TCP/IP stack or VM/KB: `--releases 221,NAME=PATH[@REF]`, or
NAME alone if the file vmkb.toml in the current folder has a table [release.NAME].

Only TCPIP is built with a stack. All other programs of the guest stay the same. Each release is an
image of its own, whose TCPIP has a level that no other image has: so the level chooses the image.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from vmkb import given
from vmkb.errors import UsageError
from vmkb.guests.base import driver
from vmkb.guests.compiled import PLAIN, flags, of_build
from vmkb.guests.release import rust, smoltcp
from vmkb.guests.release.build import CKSM, Build, brought_compiler, make_guest
from vmkb.guests.release.cache import KEPT, alone, named, tidy, use
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.image import as_level, level, with_program
from vmkb.guests.release.kinds import KINDS, KINDS_OF_IPV6
from vmkb.guests.release.making import compiler
from vmkb.guests.release.rooms import Rooms, rooms_of
from vmkb.guests.release.rooms import text_of as room_text
from vmkb.guests.release.sandbox import warning
from vmkb.guests.release.source import Source, read, split, text_of
from vmkb.guests.release.system import System
from vmkb.hercules.emulator.boot import find_guest
from vmkb.hercules.guest import Guest, guest_names
from vmkb.workloads.base.definition import Release, Strict
from vmkb.workloads.base.settings import (
    FREERTOS,
    LWIP,
    SMOLTCP,
    VMKB,
    Asked,
    Checksum,
    Ip,
    Own,
    Settings,
)
from vmkb.workloads.base.variants import variant
from vmkb.workloads.base.workload import Workload

FILE = Path("vmkb.toml")
OF_GUEST = "vmkb"
LEVEL = "TCPIP="
_MAKEFILE, _OPTIONS_WORD = "guests/vmkb/Makefile", b"$(OPT)"
"""A word in its Makefile by which a VM/KB takes other options."""
W = TypeVar("W", bound=Workload[Any, Any])


class Entry(Strict):
    """A table [release.NAME] of vmkb.toml; paths are relative to that file."""

    path: str
    ref: str = ""
    lwipopts: str = ""
    smoltcp: str = ""
    rooms: str | Rooms = ""
    checksum: Checksum | None = None


def taken(workload: Workload[Any, Any], asked: Asked) -> tuple[Asked, tuple[Own, ...]]:
    """Find the user's releases in ASKED and add them to WORKLOAD. Return ASKED with plain names,
    and the releases. UsageError for a bad name, path or file."""
    if workload.compares:  # what a system is, its guest's driver knows
        _check_asked(asked, (), ())
        return asked, ()
    known = {r.name.upper() for r in workload.definition.releases}
    names: list[str] = []
    own: list[Own] = []
    for word in filter(None, (w.strip() for w in asked.releases.split(","))):
        name, given, where = word.partition("=")
        name = name.strip()
        folded = name.upper()  # names go into names of CMS files
        if given:
            path, ref = _split(name, where)
            entry: Entry | None = Entry(path=path, ref=ref)
        else:
            entry = None if folded in known else _entries().get(folded)
        names.append(name if entry is None else folded)
        if entry is not None:
            _check(workload, folded, known)
            own.append(own_from(folded, entry, stack_of(workload), asked))
            _check_kind(workload, own[-1])
            known.add(folded)
    extended(workload, own)
    _check_asked(asked, own, names)
    return (replace(asked, releases=",".join(names)) if own else asked), tuple(own)


def _check_asked(asked: Asked, own: Sequence[Own], names: Sequence[str]) -> None:
    """Check that OWN are what options in ASKED are for; NAMES are all of its releases."""
    stacks = {o.name for o in own if o.what != VMKB}
    if asked.checksum and not stacks:
        raise UsageError("--checksum is for a TCP/IP stack of your own: --releases NAME=PATH.")
    if asked.ip != 6:
        return
    if not names or not stacks.issuperset(names):
        others = ", ".join(name for name in names if name not in stacks) or "vmkb's own lwIPs"
        raise UsageError(
            f"--ip 6 is for TCP/IP stacks of your own, at both ends, and not for {others}:"
            " --releases NAME=PATH."
        )


def guest_of(*releases: str) -> str:
    """The guest on which RELEASES are measured, names or PATH[@REF]: vmkb, unless another one's
    driver takes one of these paths for a system of its own."""
    drivers = {name: driver(find_guest(name)) for name in guest_names() if name != OF_GUEST}
    found = (name for name, hands in drivers.items() if any(map(hands.is_ours, releases)))
    return next(found, OF_GUEST)


def stack_of(workload: Workload[Any, Any]) -> str:
    """Which of its TCPIPs a VM/KB of the user's has in WORKLOAD: that of its last release."""
    last: Release = workload.definition.releases[-1]
    return last.parameter.partition(LEVEL)[2]


@contextmanager
def _of(name: str, what: str = "") -> Iterator[None]:
    """Say of an error of a source that release NAME has it, and WHAT of it."""
    try:
        yield
    except SourceError as error:
        raise UsageError(f"Release {name}: {what}{error}.") from None


def _split(name: str, where: str) -> tuple[str, str]:
    with _of(name):
        return split(where.strip())


def _check(workload: Workload[Any, Any], name: str, known: set[str]) -> None:
    if not all(LEVEL in r.parameter for r in workload.definition.releases):
        raise UsageError(
            f"Release {name}: workload {workload.name} takes no release of your own: it runs no"
            " TCP/IP."
        )
    if name in known:
        raise UsageError(f"Release {name}: this name is taken; choose another.")
    try:
        Release(name=name, title=name, parameter="")
    except ValidationError:
        raise UsageError(
            f"Release {name}: a name has one to eight letters, digits and periods, and begins with"
            " a letter or a digit."
        ) from None


def _check_kind(workload: Workload[Any, Any], own: Own) -> None:
    if not workload.stacks and own.what != VMKB:
        raise UsageError(
            f"Release {own.name}: {own.path} is {own.what}, and workload {workload.name} runs no"
            " TCP/IP: give it a clone of vmkb."
        )


def _entries() -> dict[str, Entry]:
    """Read the tables [release.NAME] of vmkb.toml, if there is such a file. Names are folded to
    upper case."""
    if not FILE.is_file():
        return {}
    try:
        tables = tomllib.loads(given.text(FILE)).get("release", {})
        found = {}
        for name, table in tables.items():
            if name.upper() in found:
                raise UsageError(
                    f"{FILE}: [release.{name}] is there twice, for capital letters do not count."
                )
            found[name.upper()] = Entry.model_validate(table)
        return found
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, AttributeError) as error:
        raise UsageError(f"{FILE}: {error}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise UsageError(f"{FILE}: [release]: {key}: {first['msg']}.") from None


def own_from(name: str, entry: Entry, stack: str, asked: Asked) -> Own:
    """Describe what ENTRY names as release NAME; of a VM/KB its TCPIP of level STACK is measured;
    ASKED has the checksum of stacks whose entries do not say, and the version of IP. UsageError if
    it is of no use."""
    ip = asked.ip or 4
    found = _read(name, entry.path, entry.ref, ip)
    for key, what, given_file in (
        ("lwipopts", LWIP, entry.lwipopts), ("smoltcp", SMOLTCP, entry.smoltcp),
    ):  # fmt: skip
        if given_file and found.kind.name != what:
            raise UsageError(f"Release {name}: {key} is for {what}, not for {found.kind.name}.")
    options = entry.lwipopts or entry.smoltcp
    with _of(name, "rooms: "):
        rooms = rooms_of(entry.rooms) if entry.rooms else None
    if rooms and found.kind.name == VMKB:
        raise UsageError(f"Release {name}: rooms are for a TCP/IP stack, not for {VMKB}.")
    text = _options(name, options, rooms, found.kind.name)
    file = str(Path(options).expanduser().resolve()) if options else ""
    if entry.smoltcp:
        with _of(name, f"options {file}: "):
            smoltcp.options(text)
    if entry.checksum and found.kind.name == VMKB:
        raise UsageError(f"Release {name}: checksum is for a TCP/IP stack, not for {VMKB}.")
    checksum = entry.checksum or asked.checksum or CKSM
    return own_of(name, found, stack, checksum).model_copy(update={
        "lwipopts": file, "options": _named(text), "rooms": rooms, "ip": ip,
    })  # fmt: skip


def own_of(name: str, found: Source, stack: str, checksum: Checksum = CKSM) -> Own:
    """Describe the source FOUND as release NAME."""
    what = found.kind.name
    return Own(
        name=name, path=str(found.path), ref=found.ref, commit=found.commit,
        changed=found.changed, version=found.version, source=found.digest, what=what,
        stack=stack if what == VMKB else "",
        takes_options=_OPTIONS_WORD in found.files.get(_MAKEFILE, b""),
        by=_by(name) if what == SMOLTCP else "", checksum=checksum,
    )  # fmt: skip


def _by(name: str) -> str:
    with _of(name):
        return rust.version()


def _read(name: str, path: str, ref: str, ip: Ip) -> Source:
    with _of(name):
        return read(Path(path), ref, KINDS_OF_IPV6 if ip == 6 else KINDS)


def _options(name: str, file: str, rooms: Rooms | None, what: str) -> str:
    with _of(name, "rooms: "):
        sizes = room_text(rooms, what) if rooms else ""
    with _of(name, f"options {file}: "):
        return sizes + (text_of(file) if file else "")


def _named(text: str) -> str:
    return named(text) if text else ""


def extended(workload: W, own: Sequence[Own]) -> W:
    """Add the releases OWN to WORKLOAD, if it does not have them, and return it."""
    known = workload.definition
    there = {r.name for r in known.releases}
    more = tuple(
        Release(name=o.name, title=o.title, parameter=chosen)
        for o, chosen in levels(own)
        if o.name not in there
    )
    if more:
        workload.definition = known.model_copy(update={"releases": (*known.releases, *more)})
    return workload


def levels(own: Sequence[Own]) -> list[tuple[Own, str]]:
    """Those of OWN that we build, each with the IPL parameter that chooses it."""
    ours = [o for o in own if o.what in (LWIP, FREERTOS, SMOLTCP, VMKB)]
    return [(o, f"{LEVEL}{level(n)}") for n, o in enumerate(ours, start=1)]


def check_unchanged(settings: Settings) -> None:
    """Check that the user's releases are the same as when the run began. UsageError if not."""
    for own, _ in levels(settings.own):
        source_of(own)


def source_of(own: Own) -> Source:
    """Read OWN's source again. UsageError if it has changed."""
    return _same(own, options_of(own))


def options_of(own: Own) -> str:
    """The text of OWN's rooms and of the file with its options, if it has any. UsageError."""
    return _options(own.name, own.lwipopts, own.rooms, own.what)


def _same(own: Own, options: str) -> Source:
    """Read OWN's source again. UsageError if it or the text of OPTIONS has changed."""
    now = _read(own.name, own.path, own.ref, own.ip)
    said = ""
    if _named(options) != own.options:
        said = f"its options {own.lwipopts} have changed"
    if now.digest != own.source:
        where = f"{own.path} at {own.ref}" if own.ref else own.path
        said = f"{where} was source {own.source}, now it is {now.digest}"
    if said:
        raise UsageError(
            f"Release {own.name} has changed since the run began: {said}. Start a new run."
        )
    return now


Say = Callable[[str], None]


def with_own(
    guest: Guest, settings: Settings, say: Say = lambda said: None, builds: int = 0
) -> Guest:
    """Add the user's releases of SETTINGS to GUEST, in BUILDS builds (0: as many as SETTINGS begin
    with). SAY is told what is built. UsageError, with the compiler's first error, if a release does
    not build."""
    guest = guest.model_copy(update={"compiled": settings.compiled})
    mine = levels(settings.own)
    if not mine:
        return guest
    if guest.name != OF_GUEST:
        raise UsageError(f"Releases of your own run on guest {OF_GUEST}, not on {guest.name}.")
    try:
        with alone():
            make_guest()
            _check_compiler(settings, [own for own, _ in mine])
            before = set(KEPT.iterdir())
            made = [(own, chosen, _build(own)) for own, chosen in mine]
            images = dict(_images(guest, builds or settings.builds, made, say))
            for folder in [b.folder for *_, b in made] + [i.parent for i in images.values()]:
                if folder.is_relative_to(KEPT):
                    use(folder)
            if set(KEPT.iterdir()) != before:
                tidy()
    except SourceError as error:
        raise UsageError(f"{error}.") from None
    first = guest.with_image(str(images[PLAIN, ""]))
    return first.model_copy(update={"images": {key: str(image) for key, image in images.items()}})


def _check_compiler(settings: Settings, own: Sequence[Own]) -> None:
    """Check that all releases of SETTINGS are compiled by one compiler: those that an installed
    vmkb brought may be another's than OWN. UsageError if not."""
    ours = [name for name in settings.releases if name not in {o.name for o in own}]
    brought, here = brought_compiler(), compiler()
    if ours and brought not in ("", here):
        raise UsageError(
            f"Release {ours[0]} came compiled by {brought}, and {own[0].name} would be compiled by"
            f" {here}. Compare two sources of your own, such as PATH@REF and PATH."
        )


def stack_build(own: Own, options: str) -> Build:
    """TCPIP with the stack OWN and the text of its OPTIONS. SourceError."""
    return Build(own.source, options, own.what, own.checksum, own.ip)


def _build(own: Own) -> Build | System:
    text = options_of(own)
    made = System(own.source) if own.what == VMKB else stack_build(own, text)
    if not made.placed or _named(text) != own.options:
        now = _same(own, text)
        if isinstance(made, System):
            made.place(now.files)
        else:
            made.place(now.files, now.kind.where)
    return made


def _images(
    guest: Guest, builds: int, own: Sequence[tuple[Own, str, Build | System]], say: Say
) -> Iterator[tuple[tuple[int, str], Path]]:
    """The image of each build, and those of the user's releases, by build and level. UsageError,
    SourceError."""
    bases = {number: variant(guest, number).image for number in range(PLAIN, builds + 1)}
    for number, base in bases.items():  # all of ours are there: what a VM/KB shares is taken
        compiled = of_build(guest.compiled, number)
        yield (number, ""), base
        for release, chosen, build in own:
            which = f", build {number}, {flags(compiled)}" if builds > 1 else ""
            bare = chosen.removeprefix(LEVEL)
            whole = isinstance(build, System)
            if not build.has(number, compiled):
                if said := warning():
                    say(said)
                say(f"Building {'' if whole else 'TCPIP with '}{release.title}{which}")
            try:
                if isinstance(build, System):
                    made = as_level(build.image(number, compiled), release.stack, bare)
                else:
                    made = with_program(base, build.program(number, compiled), bare)
            except SourceError as error:
                raise UsageError(f"Release {release.name}, {release.about()}: {error}.") from None
            yield (number, chosen), made
