# SPDX-License-Identifier: MIT
"""Read a user's stack or VM/KB from a folder, an archive or a commit of a git repository: the files
that programs may be built from. Nothing is written there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vmkb import given
from vmkb.guests.release import folder, git, packed
from vmkb.guests.release.errors import MemberError, SourceError
from vmkb.guests.release.kinds import KINDS, Files, SourceKind
from vmkb.guests.release.members import FILE_BYTES, chosen, lines_of


@dataclass(frozen=True)
class Source:
    """A source of one `kind`: its `files`, their `digest`, its `version`, and where it came from.
    `commit` is empty outside of git; `changed` counts files that are not committed. `beside` has
    digests of the C files and headers that no program is built from."""

    kind: SourceKind
    path: Path
    ref: str
    commit: str
    changed: int
    version: str
    digest: str
    files: Files
    beside: Mapping[str, str]


def split(text: str) -> tuple[str, str]:
    """Split PATH[@REF] behind the longest path that exists. SourceError if none does."""
    ends = [len(text), *(m.start() for m in reversed(list(re.finditer("@", text))))]
    for end in ends:
        if end and _is_there(text[:end]):
            return text[:end], text[end + 1 :]
    raise SourceError(f"there is no file or folder {text}")


def _is_there(text: str) -> bool:
    try:
        return Path(text).expanduser().exists()
    except (OSError, ValueError, RuntimeError):  # a name that is too long, a user who is unknown
        return False


def read(path: Path, ref: str = "", kinds: Sequence[SourceKind] = KINDS) -> Source:
    """Read the source at PATH, of one of KINDS: as it is, or at commit or tag REF. SourceError says
    what is wrong."""
    commit, changed = "", 0
    try:
        path = path.expanduser().resolve()
        if not path.exists():
            raise SourceError(f"there is no file or folder {path}")
        if path.is_file():
            if ref:
                raise SourceError(f"{path} is a file, which has no commit {ref}")
            kind, files, beside = chosen(packed.members(path), folder=True, kinds=kinds)
        elif ref or git.is_bare(path):
            commit = git.commit_of(path, ref or "HEAD")
            with git.tree(path, commit) as members:
                kind, files, beside = chosen(members, kinds=kinds)
        else:
            kind, files, beside = chosen(folder.members(path), kinds=kinds)
            commit, changed = git.state(path, kind, files)
    except MemberError as error:
        raise SourceError(f"{path}: {error}") from None
    except (OSError, *packed.BROKEN) as error:
        raise SourceError(f"{path} cannot be read: {error}") from None
    version = kind.version(files, f"{path} at {ref}" if ref else str(path))
    return Source(kind, path, ref, commit, changed, version, digest_of(files), files, beside)


def text_of(file: str) -> str:
    """The text of the FILE that changes lwIP's options. SourceError if it is of no use."""
    try:
        return given.text(Path(file).expanduser(), FILE_BYTES)
    except OSError as error:
        raise SourceError(error.strerror or str(error)) from None
    except (ValueError, RuntimeError) as error:
        raise SourceError(str(error)) from None


def digests(source: Source) -> Mapping[str, str]:
    """Digests of all C files and headers of SOURCE, whatever ends its lines have."""
    mine = {name: hashlib.sha256(lines_of(text)).hexdigest() for name, text in source.files.items()}
    return {**source.beside, **mine}


def digest_of(files: Files) -> str:
    """Sixteen hexadecimal digits that name FILES."""
    total = hashlib.sha256()
    for name, content in sorted(files.items()):
        total.update(f"{name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()[:16]
