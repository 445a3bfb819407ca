# SPDX-License-Identifier: MIT
"""Choose the files that programs are built from, out of a tree that may be a stranger's.

What is not built from is passed over, whatever it is. What is built from must be regular files with
plain names, once each, and not larger than the limits here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from vmkb.guests.release.errors import MemberError
from vmkb.guests.release.kinds import KINDS, LWIP, Files, SourceKind

MEMBERS = 100_000
"""How many files and folders of a tree are looked at."""
FILES = 10_000
"""How many files a program may be built from."""
FILE_BYTES, ALL_BYTES = 8 << 20, 128 << 20
"""The size of one of these files, and of all together."""
_NAME_LENGTH, _SHOWN = 200, 100
_PLAIN = re.compile(r"(?!-)[A-Za-z0-9_.+-]+")
"""A component of a name that neither make nor a shell takes for anything else."""


@dataclass(frozen=True)
class Member:
    """A file of a tree: `name` in it, its `size`, and how it is read, at most so many bytes. `what`
    says why it is no regular file: "is a link"."""

    name: str
    size: int = 0
    read: Callable[[int], bytes] = lambda most: b""
    what: str = ""


@dataclass
class _Tree:
    """Wanted files of one kind below one folder, and why they cannot be taken."""

    files: dict[str, bytes] = field(default_factory=dict)
    refused: str = ""
    beside: dict[str, str] = field(default_factory=dict)


def chosen(
    members: Iterable[Member], folder: bool = False, kinds: Sequence[SourceKind] = KINDS
) -> tuple[SourceKind, Files, Mapping[str, str]]:
    """The kind of MEMBERS, one of KINDS, those of them that it wants, and digests of the C files
    and headers that it does not. With FOLDER, one folder may stand before their names. MemberError
    if a wanted one cannot be taken."""
    trees: dict[tuple[str, str], _Tree] = {}
    left = ALL_BYTES
    for count, member in enumerate(members):
        if count == MEMBERS:
            raise MemberError(f"it has more than {MEMBERS} files")
        parts = [part for part in member.name.split("/") if part not in ("", ".")]
        for above in (0, 1)[: 1 + folder]:
            name = "/".join(parts[above:])
            for kind in kinds:
                inside = kind.inside(name)
                key = kind.name, "/".join(parts[:above])
                if not inside and not (member.what and kind.holds(name)):
                    other = kind.passed_over(name)
                    if other and not _wrong(member, parts):
                        content = lines_of(member.read(FILE_BYTES))
                        mine = trees.setdefault(key, _Tree()).beside
                        mine[other] = hashlib.sha256(content).hexdigest()
                    continue
                tree = trees.setdefault(key, _Tree())
                why = _wrong(member, parts) or (
                    "is there twice" if inside in tree.files else
                    f"is one of more than {FILES} files" if len(tree.files) == FILES else ""
                )  # fmt: skip
                if why:
                    tree.refused = tree.refused or f"{shown(member.name)} {why}"
                    continue
                content = member.read(FILE_BYTES + 1)
                left -= len(content)
                if left < 0 or len(content) > FILE_BYTES:
                    raise MemberError(f"{shown(member.name)} is too large{_most(left < 0)}")
                tree.files[inside] = content
    return _one(trees, kinds)


def lines_of(content: bytes) -> bytes:
    """CONTENT with lines that end as on Linux."""
    return content.replace(b"\r\n", b"\n")


def _wrong(member: Member, parts: list[str]) -> str:
    """Why MEMBER cannot be taken, or nothing."""
    if member.what:
        return f"{member.what}; only files are taken"
    if member.name.startswith("/") or ".." in parts:
        return "leads out of the tree"
    if not all(map(_PLAIN.fullmatch, parts)):
        return (
            "has a name with other characters than letters, digits and _.+-, or a part that"
            " begins with -; rename it"
        )
    if len("/".join(parts)) > _NAME_LENGTH:
        return f"has a name of over {_NAME_LENGTH} characters"
    if member.size > FILE_BYTES:
        return f"is too large{_most()}"
    return ""


def is_plain(name: str) -> bool:
    """Whether the path NAME stays in its tree, and neither make nor a shell takes it for anything
    else."""
    parts = name.split("/")
    return ".." not in parts and all(map(_PLAIN.fullmatch, parts))


def _most(together: bool = False) -> str:
    return f": all files may have {ALL_BYTES >> 20} MB" if together else (
        f": a file may have {FILE_BYTES >> 20} MB"
    )  # fmt: skip


def _one(
    trees: dict[tuple[str, str], _Tree], kinds: Sequence[SourceKind]
) -> tuple[SourceKind, Files, Mapping[str, str]]:
    """The one of TREES that has the mark of its kind, one of KINDS."""
    for kind in kinds:
        mark = kind.inside(kind.mark)
        found = {
            above: t for (name, above), t in trees.items() if name == kind.name and mark in t.files
        }
        if len(found) > 1:
            raise MemberError(f"it has {kind.name} twice, in {' and '.join(map(shown, found))}")
        for tree in found.values():
            _check(tree)
            return kind, tree.files, tree.beside
    for tree in trees.values():  # the mark itself may be what was refused
        _check(tree)
    return LWIP, trees.get((LWIP.name, ""), _Tree()).files, {}


def _check(tree: _Tree) -> None:
    if tree.refused:
        raise MemberError(tree.refused)
    for name in tree.files:
        above, slash, _ = name.rpartition("/")
        while slash:
            if above in tree.files:
                raise MemberError(f"{above} is both a file and a folder")
            above, slash, _ = above.rpartition("/")


def shown(text: str, most: int = _SHOWN) -> str:
    """TEXT for a message: short, and without characters that move a terminal's cursor."""
    plain = ascii(text)[1:-1]
    return plain if len(plain) <= most else f"{plain[:most]}..."
