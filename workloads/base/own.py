# SPDX-License-Identifier: MIT
"""Releases of the user's own beside those that a workload has: `--releases 221,NAME=PATH[@REF]`, or
NAME alone where the file vmkb.toml in the current folder has a table [release.NAME].

Each is VM/KB's TCPIP with an lwIP of the user's; nothing else of the guest differs.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from guests.vmkb.release.build import Build, alone, tidy, use
from guests.vmkb.release.image import assembled, level
from guests.vmkb.release.source import Source, SourceError, read, split
from hercules.guest import Guest
from workloads.base.definition import Release, Strict
from workloads.base.settings import Asked, Own, Settings
from workloads.base.workload import Workload
from workloads.errors import UsageError
from workloads.variants import PLAIN, variant

FILE = Path("vmkb.toml")
OF_GUEST = "vmkb"
LEVEL = "TCPIP="
W = TypeVar("W", bound=Workload[Any, Any])


class Entry(Strict):
    """A table [release.NAME] of vmkb.toml; paths are relative to that file."""

    path: str
    ref: str = ""
    lwipopts: str = ""


def taken(workload: Workload[Any, Any], asked: Asked) -> tuple[Asked, tuple[Own, ...]]:
    """The user's releases among those that are ASKED for, and what is asked with their names
    alone; the WORKLOAD has them from now on. UsageError for one that cannot be."""
    known = {r.name.upper() for r in workload.definition.releases}
    names: list[str] = []
    own: list[Own] = []
    for word in filter(None, (w.strip() for w in asked.releases.split(","))):
        name, given, where = word.partition("=")
        entry = (
            Entry(**dict(zip(("path", "ref"), _split(name, where), strict=True)))
            if given
            else (None if name.upper() in known else _entries().get(name))
        )
        names.append(name.strip())
        if entry is not None:
            _check(workload, name.strip(), known)
            own.append(_own(name.strip(), entry))
            known.add(name.strip().upper())
    extended(workload, own)
    return (replace(asked, releases=",".join(names)) if own else asked), tuple(own)


def _split(name: str, where: str) -> tuple[str, str]:
    try:
        return split(where.strip())
    except SourceError as error:
        raise UsageError(f"Release {name}: {error}.") from None


def _check(workload: Workload[Any, Any], name: str, known: set[str]) -> None:
    if workload.compares or not all(LEVEL in r.parameter for r in workload.definition.releases):
        raise UsageError(f"Workload {workload.name} does not compare levels of TCP/IP: {name}.")
    if name.upper() in known:
        raise UsageError(f"Release {name}: {workload.name} has one of that name; choose another.")
    try:
        Release(name=name, title=name, parameter="")
    except ValidationError:
        raise UsageError(
            f"Release {name}: a name has one to eight letters, digits and periods, and begins with"
            " a capital letter or a digit."
        ) from None


def _entries() -> dict[str, Entry]:
    """The tables [release.NAME] of vmkb.toml; none if there is no such file."""
    if not FILE.is_file():
        return {}
    try:
        tables = tomllib.loads(FILE.read_text("utf-8")).get("release", {})
        return {name: Entry.model_validate(table) for name, table in tables.items()}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, AttributeError) as error:
        raise UsageError(f"{FILE}: {error}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise UsageError(f"{FILE}: [release]: {key}: {first['msg']}.") from None


def _own(name: str, entry: Entry) -> Own:
    text = _options(name, entry.lwipopts)
    file = str(Path(entry.lwipopts).expanduser().resolve()) if entry.lwipopts else ""
    made = own_of(name, _read(name, entry.path, entry.ref))
    return made.model_copy(update={"lwipopts": file, "options": _named(text)})


def own_of(name: str, found: Source) -> Own:
    """The release NAME that is the lwIP FOUND."""
    return Own(
        name=name, path=str(found.path), ref=found.ref, commit=found.commit,
        changed=found.changed, version=found.version, source=found.digest,
    )  # fmt: skip


def _read(name: str, path: str, ref: str) -> Source:
    try:
        return read(Path(path), ref)
    except SourceError as error:
        raise UsageError(f"Release {name}: {error}.") from None


def _options(name: str, file: str) -> str:
    try:
        return Path(file).expanduser().read_text("utf-8") if file else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"Release {name}: lwipopts {file}: {error}.") from None


def _named(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16] if text else ""


def extended(workload: W, own: Sequence[Own]) -> W:
    """WORKLOAD, which has the releases OWN from now on."""
    known = workload.definition
    there = {r.name for r in known.releases}
    more = tuple(
        Release(name=o.name, title=o.title, parameter=f"{LEVEL}{level(n)}")
        for n, o in enumerate(own, start=1)
        if o.name not in there
    )
    if more:
        workload.definition = known.model_copy(update={"releases": (*known.releases, *more)})
    return workload


def check_unchanged(settings: Settings) -> None:
    """UsageError if a release of a run is not what it was when the run began."""
    for own in settings.own:
        _same(own, _options(own.name, own.lwipopts))


def _same(own: Own, options: str) -> Source:
    """What is now where OWN came from, with the text of OPTIONS. UsageError if it has changed."""
    now = _read(own.name, own.path, own.ref)
    said = ""
    if _named(options) != own.options:
        said = f"its options {own.lwipopts} have changed"
    if now.digest != own.source:
        where = f"{own.path} at {own.ref}" if own.ref else own.path
        said = f"{where} was source {own.source}, now it is {now.digest}"
    if said:
        raise UsageError(
            f"Release {own.name} is not what it was when the run began: {said}; start a new run."
        )
    return now


def with_own(
    guest: Guest, settings: Settings, say: Callable[[str], None] = lambda said: None
) -> Guest:
    """GUEST with the user's releases of SETTINGS in it, in each build; what has to be made is SAID.
    UsageError, with the compiler's first error, if it cannot be built."""
    if not settings.own:
        return guest
    if guest.name != OF_GUEST:
        raise UsageError(f"Releases of your own are of guest {OF_GUEST}, not of {guest.name}.")
    with alone():
        builds = [(own, _build(own)) for own in settings.own]
        images = dict(_images(guest, settings.builds, builds, say))
        for folder in [b.folder for _, b in builds] + [i.parent for i in images.values()]:
            use(folder)
        tidy()
    made = guest.with_image(str(images[PLAIN]))
    return made.model_copy(update={"images": {n: str(image) for n, image in images.items()}})


def _build(own: Own) -> Build:
    text = _options(own.name, own.lwipopts)
    made = Build(own.source, text)
    if not made.placed or _named(text) != own.options:
        made.place(_same(own, text).files)
    return made


def _images(
    guest: Guest, builds: int, own: Sequence[tuple[Own, Build]], say: Callable[[str], None]
) -> Iterator[tuple[int, Path]]:
    for number in range(PLAIN, builds + 1):
        programs = []
        for release, build in own:
            if not build.has(number):
                which = f", build {number}" if builds > 1 else ""
                say(f"Building TCPIP with {release.title}{which}")
            try:
                programs.append(build.program(number))
            except SourceError as error:
                raise UsageError(f"Release {release.name}, {release.about()}: {error}.") from None
        try:
            yield number, assembled(variant(guest, number).image, programs)
        except SourceError as error:
            raise UsageError(f"{error}.") from None
