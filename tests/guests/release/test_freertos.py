# SPDX-License-Identifier: MIT
"""A user's FreeRTOS-Plus-TCP is known by its contents, as an lwIP is."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tests.guests.release.lwip import committed
from tests.guests.release.lwip import tree as lwip_tree
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.kinds import FREERTOS, LWIP
from vmkb.guests.release.source import read

HEAD = "source/include/FreeRTOS_IP.h"
BUFFERS = "source/portable/BufferManagement/BufferAllocation_1.c"
PACKED = "source/portable/Compiler/GCC/pack_struct_end.h"
FILES = {HEAD, BUFFERS, PACKED, "source/FreeRTOS_IP.c"}
UNUSED = (
    "source/portable/BufferManagement/BufferAllocation_2.c", "source/portable/Compiler/IAR/a.h",
    "test/unit-test/t.c", "tools/a.c", "source/notes.md",
)  # fmt: skip


def tree(folder: Path, version: str = "V4.4.1") -> Path:
    for name in (*FILES, *UNUSED):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#define ipFR_TCP_VERSION_NUMBER    "{version}"\n', "utf-8")
    return folder


def test_a_tree_is_known_and_only_what_is_compiled_is_taken(tmp_path: Path) -> None:
    found = read(tree(tmp_path))
    assert (found.kind, found.version, set(found.files)) == (FREERTOS, "4.4.1", FILES)
    assert read(lwip_tree(tmp_path / "lwip")).kind is LWIP


def test_a_commit_and_a_tarball_have_the_same_files(tmp_path: Path) -> None:
    here = tree(tmp_path / "tree")
    first = committed(here)
    (here / "source" / "FreeRTOS_IP.c").write_text("int changed;\n", "utf-8")
    (here / "tools" / "a.c").write_text("int changed;\n", "utf-8")
    with tarfile.open(tmp_path / "own.tar.gz", "w:gz") as made:
        made.add(here, "FreeRTOS-Plus-TCP-4.4.1")
    now = read(here)
    assert (now.commit, now.changed) == (first, 1)
    assert read(tmp_path / "own.tar.gz").digest == now.digest != read(here, "HEAD").digest


@pytest.mark.parametrize(
    "version, said", [("V3.1.0", r"is FreeRTOS-Plus-TCP 3\.1\.0; .* 4\.0\.0"), ("?", "no version")]
)
def test_one_that_is_too_old_or_says_nothing_is_refused(
    tmp_path: Path, version: str, said: str
) -> None:
    with pytest.raises(SourceError, match=said.replace("no version", "does not say a version")):
        read(tree(tmp_path, version))
