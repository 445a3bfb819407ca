# SPDX-License-Identifier: MIT
"""scripts/hyperion with a source that stands in: what it builds, refuses and leaves behind."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.scripts.test_setup import program

MAKEFILE = """\
all:
\tgrep -q counted cpu.c && touch made
install-libLTLIBRARIES install-modexecLTLIBRARIES:
install-binPROGRAMS:
\tmkdir -p $(PREFIX)/bin && cp hercules $(PREFIX)/bin/
"""
CONFIGURE = """\
for word in "$@"; do
    case $word in
    --prefix=*) prefix=${word#*=} ;;
    --enable-custom=*) custom=${word#*=} ;;
    esac
done
echo '#define HDL_USE_LIBTOOL 1' >config.h
{ echo "PREFIX=$prefix"; cat Makefile.am; } >Makefile
printf '#!/bin/sh\\necho "HHC01413I Hercules version 4.9.0.1-SDL"; echo "%s"\\n' "$custom" >hercules
chmod +x hercules
"""


@pytest.fixture
def copy(project: Path, tmp_path: Path) -> Path:
    """A project with the script and a patch for the source that stands in."""
    for name in ("gcc", "make", "patch", "tar", "flock"):
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
    top = tmp_path / "copy"
    (top / "scripts").mkdir(parents=True)
    shutil.copy2(project / "scripts" / "hyperion", top / "scripts")
    exact = top / "hercules" / "exact"
    exact.mkdir(parents=True)
    (exact / "hyperion-count.patch").write_text(
        "--- a/cpu.c\n+++ b/cpu.c\n@@ -1 +1 @@\n-one\n+counted\n"
    )
    return top


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder that looks like Hyperion's source."""
    tree = tmp_path / "hyperion"
    tree.mkdir()
    (tree / "cpu.c").write_text("one\n")
    (tree / "version.c").write_text("HHC01417\n")
    (tree / "Makefile.am").write_text(MAKEFILE)
    program(tree / "configure", CONFIGURE)
    return tree


def build(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [copy / "scripts" / "hyperion", *words], capture_output=True, text=True, timeout=60
    )


def test_it_builds_counts_and_leaves_the_users_folder_alone(copy: Path, source: Path) -> None:
    (source / "cpu.o").write_text("of another compiler")
    before = {p.name: p.read_bytes() for p in source.iterdir()}
    ran = build(copy, str(source))
    assert ran.returncode == 0, ran.stderr
    program_ = Path(ran.stdout.strip())
    assert program_ == next((copy / ".setup" / "hyperion").glob("*/bin/hercules"))
    said = subprocess.run([program_], capture_output=True, text=True, check=True).stdout
    assert f"vmkb exact count {program_.parent.parent.name}" in said
    assert {p.name: p.read_bytes() for p in source.iterdir()} == before
    again = build(copy, str(source))
    assert (again.stdout, again.stderr) == (ran.stdout, "")


def test_what_is_no_source_is_refused_in_a_sentence(copy: Path, tmp_path: Path) -> None:
    for word in (str(tmp_path), str(tmp_path / "nowhere")):
        ran = build(copy, word)
        assert ran.returncode == 1 and ran.stderr.count("\n") == 1, ran.stderr
    assert build(copy).returncode == 2


def test_a_patch_that_does_not_fit_names_the_way_out_and_leaves_no_program(
    copy: Path, source: Path
) -> None:
    (source / "cpu.c").write_text("another\n")
    ran = build(copy, str(source))
    assert ran.returncode == 1 and "--stock" in ran.stderr
    left = sorted(p.name for p in (copy / ".setup" / "hyperion").iterdir())
    assert left == ["lock", "log"]
    (source / "Makefile.am").write_text(MAKEFILE.replace("grep -q counted cpu.c && ", ""))
    assert build(copy, str(source), "--stock").returncode == 0
