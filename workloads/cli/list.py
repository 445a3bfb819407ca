# SPDX-License-Identifier: MIT
"""vmkb list: what there is to run, and on what."""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from vmkb.errors import UsageError
from vmkb.workloads.base.found import names, question, read
from vmkb.workloads.command.output import say

PROJECT = Path(__file__).resolve().parent.parent.parent
KINDS = (
    "guests", "emulators", "workloads", "cases", "releases", "models", "profiles", "published",
)  # fmt: skip


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise click.ClickException(f"{path} is not TOML: {error}") from None


def _named(entries: Any) -> Iterator[tuple[str, str]]:
    """Name and a few words for each entry of a table or an array of tables."""
    pairs = entries.items() if isinstance(entries, dict) else ((None, e) for e in entries or ())
    for key, value in pairs:
        if isinstance(value, dict):
            name = key or value.get("name") or value.get("id") or value.get("run_id") or "?"
            words = value.get("title") or value.get("description") or value.get("source") or ""
            yield str(name), str(words)
        elif key is None:
            yield str(value), ""


def guests(project: Path) -> Iterator[tuple[str, str]]:
    """Each guest and its title; a guest that is not built yet says so."""
    for path in sorted(project.glob("guests/*/guest.toml")):
        values = _toml(path)
        image = values.get("ipl", {}).get("image", "")
        built = "" if (path.parent / image).is_file() else " (not built; boot and run build it)"
        if not image:
            built = " (vmkb boot --guest NAME --disks DIR)"
        yield path.parent.name, f"{values.get('title', '')}{built}"


def emulators() -> Iterator[tuple[str, str]]:
    """The emulators that are here, and which of them is used."""
    from vmkb.hercules.deadline import EmulatorError
    from vmkb.hercules.emulator.choice import (
        EXACT,
        HYPERION,
        STOCK,
        choose,
        exact_build,
        stock,
        users_build,
        why_no_exact,
    )

    try:
        used = choose()
    except EmulatorError as error:
        used = None
        yield "none", str(error)
    here = {EXACT: exact_build(), STOCK: stock(), HYPERION: users_build()}
    if used is not None and used not in here.values():
        here["VMKB_HERCULES"] = used
    for name, found in here.items():
        if found is not None:
            mark = " (used)" if found == used else ""
            yield name, f"{found.name}{mark}: {found.program}"
        elif name == EXACT:
            yield name, f"not here: {why_no_exact()}"
        elif name == HYPERION:
            yield name, "not here: scripts/hyperion DIR builds it from a folder with its source"


def workloads(folder: Path) -> Iterator[tuple[str, str]]:
    """Each workload and its question."""
    for name in names(folder):
        yield name, question(name, folder)


def _of_workloads(folder: Path, key: str) -> Iterator[tuple[str, str]]:
    for workload in names(folder):
        try:
            values = read(workload, folder)
        except UsageError as error:
            raise click.ClickException(str(error)) from None
        for name, words in _named(values.get(key)):
            yield f"{workload}/{name}", words


def models(project: Path) -> Iterator[tuple[str, str]]:
    """Each machine model of accounting/machines.toml by its key, and the machine it stands for."""
    for model in _toml(project / "accounting" / "machines.toml").get("model", ()):
        usable = "" if model.get("available", True) else " (cannot be chosen: no citable figure)"
        yield str(model.get("key", "?")), f"{model.get('name', '')}{usable}"


def profiles(project: Path) -> Iterator[tuple[str, str]]:
    """Each named profile of the wire and where its figures come from."""
    return _named(_toml(project / "hercules" / "wire" / "profiles.toml"))


def published(project: Path) -> Iterator[tuple[str, str]]:
    """Each published table that is here, and where it was printed; vmkb show prints it."""
    for path in sorted((project / "accounting" / "published").glob("*.toml")):
        yield path.stem, str(_toml(path).get("source", ""))


@click.command()
@click.argument("kind", type=click.Choice(KINDS), required=False)
def command(kind: str | None) -> None:
    """Show guests, emulators, workloads, cases, releases, models, profiles, published tables."""
    sources: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
        "guests": lambda: guests(PROJECT),
        "emulators": emulators,
        "workloads": lambda: workloads(PROJECT / "workloads"),
        "cases": lambda: _of_workloads(PROJECT / "workloads", "case"),
        "releases": lambda: _of_workloads(PROJECT / "workloads", "releases"),
        "models": lambda: models(PROJECT),
        "profiles": lambda: profiles(PROJECT),
        "published": lambda: published(PROJECT),
    }
    # Who reads a pipe or a file may want all of it; a person wants a line for each.
    most = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    for name in KINDS if kind is None else (kind,):
        entries = list(sources[name]())
        if kind is None:
            say(f"{name}:" if entries else f"{name}: none here")
        width = max((len(entry) for entry, _ in entries), default=0)
        for entry, words in entries:
            line = f"  {entry:<{width}}  {words}".rstrip()
            say(line if len(line) <= most else line[: most - 3] + "...")
