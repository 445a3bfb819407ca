# SPDX-License-Identifier: MIT
"""USER DIRECT to a checked Directory: pure, and with every error in one go."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from vmkb.guests.vmkb.disk.errors import DirectoryError
from vmkb.guests.vmkb.disk.model import (
    DEVICE_TYPES,
    FLAGS,
    MDISKS_MAX,
    STORAGE_MAX_KB,
    Directory,
    Mdisk,
    User,
    Where,
)
from vmkb.guests.vmkb.disk.source import Source, Statement
from vmkb.guests.vmkb.disk.statements import STATEMENTS, user

# How a user's space ends: the first block after the areas of CP, and the volume's last block + 1.
Extent = tuple[int, int]


class _Reader:
    """Puts statements into users and profiles."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.users: list[User] = []
        self.profiles: dict[str, User] = {}
        self.volser: str | None = None
        self._current: User | None = None
        self._in_profile = False
        self._fresh = False  # nothing but USER read of the current user

    def statement(self, s: Statement) -> None:
        word = s.keyword
        if word.text == "USER":
            self._current = user(s)
            self._in_profile = False
            self.users.append(self._current)
            self._fresh = True
            return
        if word.text == "PROFILE":
            self._profile(s)
        elif word.text == "INCLUDE":
            self._include(s)
        elif word.text == "DIRECTORY":
            self._directory(s)
        elif word.text not in STATEMENTS:
            known = " ".join(sorted([*STATEMENTS, "USER", "PROFILE", "INCLUDE", "DIRECTORY"]))
            s.problem(word.where, f"expected a statement, one of {known}; found '{word.text}'")
        elif self._current is None:
            s.problem(word.where, f"expected USER or PROFILE before {word.text}")
        elif word.text == "MDISK" and self._in_profile:
            s.problem(word.where, "expected no MDISK in a PROFILE: a minidisk has one owner")
        else:
            STATEMENTS[word.text](s, self._current)
        self._fresh = False

    def _profile(self, s: Statement) -> None:
        name = s.name("a profile name")
        s.end()
        self._current = User(name.text if name else "", s.keyword.where)
        self._in_profile = True
        if name is None:
            return
        if name.text in self.profiles:
            s.problem(name.where, f"profile {name.text} is already defined: expected another name")
        self.profiles[name.text] = self._current

    def _include(self, s: Statement) -> None:
        name = s.name("a profile name")
        s.end()
        if self._current is None or self._in_profile or not self._fresh:
            s.problem(s.keyword.where, "expected INCLUDE directly after USER")
        elif name is not None and name.text not in self.profiles:
            s.problem(name.where, f"expected a PROFILE defined above, found '{name.text}'")
        elif name is not None:
            _merge(self._current, self.profiles[name.text])

    def _directory(self, s: Statement) -> None:
        if self._current is not None or self.volser is not None:
            s.problem(s.keyword.where, "expected DIRECTORY once, before everything else")
        s.address("a device address")
        s.choice("a device type", DEVICE_TYPES)
        name = s.name("a volume serial")
        s.end()
        if name is not None and len(name.text) > 6:
            s.problem(name.where, f"expected a volume serial of 1 to 6, found '{name.text}'")
        elif name is not None:
            self.volser = name.text


def _merge(u: User, profile: User) -> None:
    """A profile's statements as if they stood after USER."""
    p = copy.deepcopy(profile)
    u.flags |= p.flags
    u.account = p.account or u.account
    u.distribution = p.distribution or u.distribution
    for name in ("ipl_name", "ipl_parm", "console_vaddr", "console_type", "secondary",
                 "secondary_where", "iucv_msglimit", "maxconn", "links", "devices",
                 "autologs"):  # fmt: skip
        setattr(u, name, getattr(p, name))


def parse(file: str, text: str) -> tuple[Directory, Source]:
    """Read a source; problems so far are in the Source."""
    source = Source(file, text)
    reader = _Reader(source)
    for s in source.statements():
        reader.statement(s)
    if not reader.users and not source.problems:
        source.problem(Where(1, 1), "expected at least one USER statement, found none")
    return Directory(file, reader.volser, reader.users), source


def check(directory: Directory, source: Source) -> None:
    """Report what is wrong between statements: duplicates, unknown names, addresses used twice."""
    known: dict[str, User] = {}
    for u in directory.users:
        first = known.get(u.userid)
        if first is not None and u.userid:
            source.problem(
                u.where, f"user {u.userid} is already defined in line {first.where.line}"
            )
        known.setdefault(u.userid, u)
    for u in directory.users:
        if u.max_kb > STORAGE_MAX_KB and not u.flags & FLAGS["MACHINE_Z"]:
            most = f"{STORAGE_MAX_KB // 1024}M"
            source.problem(u.where, f"expected storage from 4K to {most} without MACHINE Z")
        _check_addresses(u, source)
        for link in u.links:
            owner = known.get(link.userid)
            if owner is None:
                source.problem(link.where, f"LINK: expected a user, found '{link.userid}'")
            elif all(m.vaddr != link.vaddr for m in owner.mdisks):
                source.problem(link.where, f"LINK: {link.userid} has no MDISK {link.vaddr:04X}")
        for name, where in u.autologs:
            if name not in known:
                source.problem(where, f"AUTOLOG: expected a user, found '{name}'")
        if u.secondary and u.secondary not in known and u.secondary_where is not None:
            source.problem(
                u.secondary_where, f"CONSOLE: expected a secondary user, found '{u.secondary}'"
            )


def _check_addresses(u: User, source: Source) -> None:
    used: dict[int, Where] = {}
    if u.console_type:
        used[u.console_vaddr] = u.where
    rest = [(d.vaddr, d.where) for d in u.devices]
    links = [(x.alias, x.where) for x in u.links]
    for vaddr, where in [(m.vaddr, m.where) for m in u.mdisks] + links + rest:
        if vaddr in used:
            source.problem(
                where,
                f"device {vaddr:04X} of {u.userid} is already defined in line {used[vaddr].line}",
            )
        used.setdefault(vaddr, where)
    if len(u.mdisks) + len(u.links) > MDISKS_MAX:
        source.problem(u.where, f"{u.userid} has more than {MDISKS_MAX} minidisks and links")


def place(directory: Directory, source: Source, volser: str, space: Extent) -> int:
    """Check fixed extents, find places for AUTO ones; returns the first block after the last.

    space is what minidisks may use: first block and the block after the last; AUTO takes the first
    gap that fits, fixed extents having been placed before all others.
    """
    taken: list[tuple[int, int, str, Mdisk]] = []
    auto: list[tuple[User, Mdisk]] = []
    for u in directory.users:
        for m in u.mdisks:
            if m.volser != volser:
                source.problem(
                    m.where, f"MDISK {m.vaddr:04X}: expected volume {volser}, found '{m.volser}'"
                )
            if m.start is None:
                auto.append((u, m))
                continue
            owner = f"{u.userid} {m.vaddr:04X}"
            end = m.start + m.blocks
            if m.start < space[0] or end > space[1]:
                source.problem(
                    m.start_where,
                    f"MDISK {m.vaddr:04X} is blocks {m.start} to {end - 1}: expected it between "
                    f"{space[0]} and {space[1] - 1}",
                )
            _overlaps(owner, m, taken, source)
            taken.append((m.start, end, owner, m))
    taken.sort(key=lambda t: t[:2])
    gaps = _gaps(taken, space)
    last = max([space[0], *(t[1] for t in taken)])
    for u, m in auto:
        for i, (start, end) in enumerate(gaps):
            if end - start >= m.blocks:
                m.start = start
                gaps[i] = (start + m.blocks, end)
                last = max(last, start + m.blocks)
                break
        else:
            source.problem(
                m.start_where,
                f"no gap of {m.blocks} blocks is left for {u.userid} {m.vaddr:04X}: expected a "
                "larger volume or a smaller minidisk",
            )
    return last


def _overlaps(
    owner: str, m: Mdisk, taken: Sequence[tuple[int, int, str, Mdisk]], source: Source
) -> None:
    assert m.start is not None
    for start, end, other, other_disk in taken:
        if m.start < end and start < m.start + m.blocks:
            source.problem(
                m.start_where,
                f"MDISK {owner} (blocks {m.start} to {m.start + m.blocks - 1}) overlaps {other} "
                f"(blocks {start} to {end - 1}) of line {other_disk.where.line}",
            )


def _gaps(taken: Sequence[tuple[int, int, str, Mdisk]], space: Extent) -> list[Extent]:
    gaps: list[Extent] = []
    at = -(-space[0] // 8) * 8
    for start, end, _, _ in taken:
        if start > at:
            gaps.append((at, start))
        at = max(at, end)
    if at < space[1]:
        gaps.append((at, space[1]))
    return gaps


def compile_directory(file: str, text: str, volser: str, space: Extent) -> tuple[Directory, int]:
    """A checked directory with all minidisks placed, and the block after the last minidisk.

    Raises DirectoryError with every problem of the source.
    """
    directory, source = parse(file, text)
    check(directory, source)
    if directory.volser not in (None, volser):
        source.problem(Where(1, 1), f"expected DIRECTORY for volume {volser}")
    last = place(directory, source, volser, space)
    if source.problems:
        raise DirectoryError(source.problems)
    return directory, last
