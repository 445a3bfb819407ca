# SPDX-License-Identifier: MIT
"""How a workload uses VM/KB: its own directory entries and files on a volume, its IPL parameters,
and how CP is asked for CPU.

The guest's own folder is never changed: the directory source is taken from there, the entries of
some users are replaced, and the volume is built again beside the results.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from vmkb.guests.base import (
    Ability,
    Account,
    Choice,
    Contents,
    Driver,
    FileName,
    Running,
    TerminalUse,
    Wishes,
)
from vmkb.guests.compiled import PLAIN
from vmkb.guests.contents import Content, Text
from vmkb.guests.release.image import digest_of_image
from vmkb.guests.vmkb.disk.build import build, minidisk, now_1900, opened
from vmkb.guests.vmkb.disk.errors import VolumeError
from vmkb.guests.vmkb.disk.fsformat import FsError
from vmkb.guests.vmkb.disk.minidisk import Minidisk
from vmkb.guests.vmkb.disk.records import Stored, fixed, from_text, to_text
from vmkb.hercules.scratch import Scratch

VOLUME = "vmkb.fba"
OWN_DISK = 0x191
"""The minidisk that files of a user are put on."""
SYSTEM = "SYSTEM"
"""CP's own account."""
OPERATOR = "MAINT"
"""Who may start service machines and ask CP for the accounts of others; also the password."""
LEVEL, LEVEL_TITLE = "TCPIP=213", "lwIP 2.1.3"
"""The level of TCP/IP with which it stands beside other guests."""
SERVED = "VMUSER1"
"""Whose minidisk FTPSERVE serves then; also the password."""
READY = "\r\nReady; T="
"""How a terminal's line shows that CMS has done a command well."""
_LEVEL = re.compile(r"\bTCPIP=(\d+)")
_ROW = re.compile(r"^(\S+) +\d+ +\d+ +(\d+) +\d+ *$", re.M)


def executed(answer: str) -> dict[str, float]:
    """Instructions of each account in an ANSWER to QUERY ACNT. The wait executes none."""
    rows = {who: float(count) for who, count in _ROW.findall(answer)}
    return {who: count for who, count in rows.items() if who not in ("TOTAL", "*IDLE")}


def replace_entries(source: str, entries: Mapping[str, str]) -> str:
    """Directory SOURCE with the entry of each user of ENTRIES replaced by the text given there.

    An entry goes from its USER statement to the comment or statement that begins the next one.
    Raises VolumeError when a user is not in the directory.
    """
    out: list[str] = []
    left = dict(entries)
    skipping = False
    for line in source.splitlines():
        words = line.split()
        if words and words[0] == "USER":
            text = left.pop(words[1], None)
            skipping = text is not None
            if text is not None:
                out.extend(text.strip("\n").splitlines())
        elif not words or words[0].startswith("*") or words[0] in ("PROFILE", "DIRECTORY"):
            skipping = False
        if not skipping:
            out.append(line)
    if left:
        raise VolumeError(f"the guest's directory has no USER {', '.join(left)} to replace")
    return "\n".join(out) + "\n"


def make_volume(source: Path, entries: Mapping[str, str], image: Path, added: str = "") -> None:
    """Build the volume of the folder SOURCE (with a volume.toml) into IMAGE with ENTRIES replaced
    and the entries of ADDED behind the others.

    Raises VolumeError for an error in the directory or the manifest.
    """
    with Scratch(tempfile.gettempdir(), "vmkb-volume-", guarded=True) as scratch:
        folder = scratch.path / "volume"
        folder.mkdir()
        for path in source.iterdir():
            (folder / path.name).symlink_to(path.resolve())
        directory = folder / "user.direct"
        text = directory.read_text("utf-8")
        directory.unlink()
        directory.write_text(replace_entries(text, entries) + added, "utf-8")
        build(folder, image, now_1900())


def put_files(image: Path, owner: str, vaddr: int, files: Mapping[FileName, Stored]) -> None:
    """Write FILES on a minidisk of an image that no guest uses. VolumeError if they do not fit."""
    with opened(image, write=True) as (f, _, extents):
        disk = minidisk(f, extents, owner, vaddr)
        try:
            disk.put([(fn, ft, 1, stored, now_1900()) for (fn, ft), stored in files.items()])
        except FsError as error:
            raise VolumeError(f"{owner} {vaddr:03X}: {error}") from None


def digest(disk: Minidisk, name: FileName) -> tuple[str, int] | None:
    """SHA-256 and size of a file's content as stored, records and all; None if it is not there."""
    try:
        stored = disk.read(disk.find(*name))
    except FsError:
        return None
    return hashlib.sha256(stored.data).hexdigest(), len(stored.data)


def read_text(image: Path, owner: str, vaddr: int, name: FileName) -> str | None:
    """A file of text from the image of a guest that may run, or None if it is not there."""
    with opened(image) as (f, _, extents):
        disk = minidisk(f, extents, owner, vaddr)
        try:
            return to_text(disk.read(disk.find(*name)))
        except FsError:
            return None


def digests(
    image: Path, owner: str, vaddr: int, names: Iterable[FileName]
) -> dict[FileName, tuple[str, int] | None]:
    """The digest of each file of a minidisk, read from the image of a guest that rests.

    The file system switches from one whole state to the next, so what is read is whole.
    """
    with opened(image) as (f, _, extents):
        disk = minidisk(f, extents, owner, vaddr)
        return {name: digest(disk, name) for name in names}


def cpu_questions(users: Sequence[str], asker: str = "") -> tuple[list[str], list[str]]:
    """The commands that ask for the CPU of USERS before and after the work, with counts.

    The asker's own, or else CP's, is asked for last before and first after, so that asking for the
    others is not charged to it. All accounts stand around that: what they say is of the same
    interval, and so is the time that passed in it.
    """
    inmost = (asker or SYSTEM).lstrip("*")
    order = sorted(users, key=lambda user: user.lstrip("*") == inmost)
    asked = ["QUERY ACNT", *(f"QUERY TIME {user.lstrip('*')} (FULL" for user in order)]
    return asked, asked[::-1]


class VmkbDriver(Driver):
    """VM/KB can do all that a workload asks for so far."""

    #: Its users send files to itself by a procedure of the workload's.
    abilities = frozenset(Ability) - {Ability.LOOPBACK, Ability.SYMBOLS}

    def build(self) -> None:
        """Make the volume where only programs were installed; elsewhere make has made it."""
        image = self.guest.path(self.guest.files[VOLUME])
        if self.guest.image.is_file() and not image.is_file():
            made = image.with_name(f"{image.name}.{os.getpid()}")
            build(self.guest.folder / "volume", made, now_1900())
            made.replace(image)

    def prepare(self, contents: Contents, image: Path) -> None:
        make_volume(self.guest.folder / "volume", contents.replaced, image, contents.added)
        for owner, files in contents.files.items():
            self.put(image, owner, files)

    def stored(self, content: Content) -> bytes:
        return records_of(content).data

    def put(self, image: Path, owner: str, files: Mapping[FileName, Content]) -> None:
        stored = {name: records_of(content) for name, content in files.items()}
        put_files(image, owner, OWN_DISK, stored)

    def fetch(self, image: Path, owner: str, name: FileName) -> str | None:
        return read_text(image, owner, OWN_DISK, name)

    def digests(
        self, image: Path, owner: str, names: Iterable[FileName]
    ) -> dict[FileName, tuple[str, int] | None]:
        return digests(image, owner, OWN_DISK, names)

    def parameter(self, wishes: Wishes) -> str:
        words = [wishes.level]
        words += [f"IP={wishes.address}"] if wishes.address else []
        words += [f"MTU={wishes.mtu}"] if wishes.mtu is not None else []
        words += [f"MODEL={wishes.model}"] if wishes.model else []
        if wishes.node is not None:
            words += [f"NODE={wishes.node[0]}"]
            words += [f"DECNET={wishes.node[1]}"] if wishes.node[1] else []
        if wishes.nodes:
            words.append("DECNODES=" + ",".join(f"{name}:{at}" for name, at in wishes.nodes))
        return " ".join(filter(None, words))

    def program(self, level: str) -> str:
        chosen = _LEVEL.search(level)
        return digest_of_image(self.guest.image, chosen[1]) if chosen else ""

    def cpu_questions(self, users: Sequence[str], asker: str = "") -> tuple[list[str], list[str]]:
        return cpu_questions(users, asker)

    def choices(self, wanted: Sequence[str], builds: int = PLAIN) -> Sequence[Choice]:
        return [Choice("KB", f"VM/KB, {LEVEL_TITLE}", self.guest, LEVEL)]

    def account(self) -> Account:
        return Account(SERVED, SERVED, f"{SERVED}.191")

    def terminal(self) -> TerminalUse:
        logon = ((f"LOGON {SERVED}", "ENTER PASSWORD"), (SERVED, READY))
        return TerminalUse("VM/KB ", logon, READY, "TYPE {name} {kind}")

    def begin_count(self, running: Running) -> None:
        if running.session is None:
            running.logon(OPERATOR, OPERATOR)

    def count(self, running: Running, word: str) -> str:
        self.begin_count(running)
        assert running.session is not None
        return running.session.cp("QUERY ACNT").text()

    def end_count(self, running: Running) -> None:
        """The operator stays: logging on again would be work of the guest's."""

    def shares(self, running: Running) -> Mapping[str, float]:
        return executed(self.count(running, "shares"))

    def pools(self, running: Running) -> str:
        self.begin_count(running)
        assert running.session is not None
        return running.session.command("NETSTAT POOLSIZE").text()

    def checksums(self, running: Running, names: Sequence[str]) -> Sequence[str]:
        wanted = [(fn, ft) for fn, _, ft in (name.partition(".") for name in names)]
        found = digests(running.image, SERVED, OWN_DISK, wanted)
        return [each[0] for each in found.values() if each is not None]


@lru_cache(maxsize=16)  # each trial of a workload has the same files
def records_of(content: Content) -> Stored:
    """CONTENT as a minidisk holds it. FsError if it cannot."""
    if isinstance(content, Text):
        return from_text(content.text)
    return fixed(content.data, content.lrecl)


DRIVER = VmkbDriver
