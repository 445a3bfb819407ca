# SPDX-License-Identifier: MIT
"""scripts/exact-emulator and what setup makes of it, with a source and a compiler that stand in."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.scripts.test_setup import NEEDED, program
from vmkb.hercules.deadline import wait_until

TOOLS = (*NEEDED, "cp", "ls", "mktemp", "mv", "nproc", "patch", "tar", "tr", "gzip", "sh", "seq")


@pytest.fixture
def copy(project: Path, tmp_path: Path) -> Path:
    """A project with what the emulator's build needs, a source that stands in, no real compiler."""
    top = tmp_path / "copy"
    (top / "scripts").mkdir(parents=True)
    for name in ("exact-emulator", "setup", "packages.txt", "constraints.txt"):
        shutil.copy2(project / "scripts" / name, top / "scripts" / name)
    shutil.copy2(project / "pyproject.toml", top)
    for folder in ("hercules/exact", "hercules/clock/engine"):
        shutil.copytree(project / folder, top / folder)
    (top / "guests").mkdir()
    bin_ = top / "bin"
    bin_.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found is not None, name
        if not (bin_ / name).exists():
            (bin_ / name).symlink_to(found)
    program(bin_ / "gcc", 'case "$*" in *hercules) : ;; esac')
    return top


def source(top: Path, configure: str) -> None:
    """Make debian-source deliver a source whose configure is CONFIGURE and that the patch fits."""
    (top / "hercules" / "exact" / "count.patch").write_text(
        "--- a/cpu.c\n+++ b/cpu.c\n@@ -1 +1 @@\n-one\n+two\n"
    )
    (top / "hercules" / "exact" / "virtual.patch").write_text(
        "--- a/cpu.c\n+++ b/cpu.c\n@@ -1 +1 @@\n-two\n+three\n"
    )
    tree = top / "tree" / "hercules-3.13"
    tree.mkdir(parents=True)
    (tree / "cpu.c").write_text("one\n")
    program(tree / "configure", configure)
    with tarfile.open(top / "source.tar.gz", "w:gz") as out:
        out.add(tree, "hercules-3.13")
    program(top / "scripts" / "debian-source", f"echo {top}/source.tar.gz")


def no_source(top: Path, why: str, also: str = ":") -> None:
    """Make debian-source fail with the sentence WHY."""
    program(top / "scripts" / "debian-source", f"{also}\necho '{why}' >&2\nexit 4")


def run(top: Path, script: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [top / "bin" / "bash", top / "scripts" / script, *args], env=environment(top),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def environment(top: Path) -> dict[str, str]:
    return {"PATH": str(top / "bin"), "HOME": str(top)}


def left(top: Path) -> list[str]:
    """What a build left behind but its log."""
    return sorted(
        p.name for p in (top / ".setup" / "emulator").iterdir() if p.name not in ("log", "why")
    )


def check_one_sentence(result: subprocess.CompletedProcess[str], says: str) -> None:
    assert result.returncode == 1, result.stderr
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1 and says in lines[0], result.stderr


def test_no_compiler(copy: Path) -> None:
    (copy / "bin" / "gcc").unlink()
    check_one_sentence(run(copy, "exact-emulator"), "gcc is not installed")


def test_no_source(copy: Path) -> None:
    no_source(copy, "debian-source: no archive answers")
    check_one_sentence(run(copy, "exact-emulator"), "no archive answers")
    assert left(copy) == []


def test_a_patch_that_does_not_fit(copy: Path) -> None:
    source(copy, "exit 0")
    patch = copy / "hercules" / "exact" / "count.patch"
    patch.write_text(patch.read_text().replace("-one", "-another"))
    check_one_sentence(run(copy, "exact-emulator"), "its patch does not fit")
    assert left(copy) == []


def test_a_configure_that_fails(copy: Path) -> None:
    source(copy, "echo no headers; exit 1")
    check_one_sentence(run(copy, "exact-emulator"), "configure failed")
    assert "no headers" in (copy / ".setup" / "emulator" / "log").read_text()
    assert left(copy) == []


def test_one_that_is_killed_leaves_nothing_that_counts(copy: Path) -> None:
    fifo = copy / "fifo"
    os.mkfifo(fifo)
    source(copy, f"echo here >{copy}/begun; read x <{fifo}")
    child = subprocess.Popen(
        [copy / "bin" / "bash", copy / "scripts" / "exact-emulator"], env=environment(copy),
        start_new_session=True,
    )  # fmt: skip
    try:
        wait_until(lambda: (copy / "begun").exists(), 20, "configure to begin")
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait(10)
    assert not [name for name in left(copy) if not name.startswith("build.")]
    no_source(copy, "debian-source: gone")
    run(copy, "exact-emulator")
    assert left(copy) == []


def pretend_ready(top: Path) -> None:
    """A Python environment and the packages are there already."""
    stamp = top / ".setup" / "python.stamp"
    stamp.parent.mkdir()
    program(top / ".venv" / "bin" / "python", "exit 0")
    both = (top / "pyproject.toml").read_bytes() + (top / "scripts/constraints.txt").read_bytes()
    digest = subprocess.run(["sha256sum"], input=both, capture_output=True, check=True).stdout
    place = f"{top.resolve()}\n{(top / '.venv/bin/python').resolve()}\n"
    stamp.write_bytes(place.encode() + digest + b"\n")
    (top / "scripts" / "packages.txt").write_text("")


def test_setup_goes_on_without_it_and_says_so(copy: Path) -> None:
    pretend_ready(copy)
    calls = copy / "calls"
    no_source(copy, "no archive", f"echo asked >>{calls}")
    result = run(copy, "setup", "--run")
    assert result.returncode == 0, result.stderr
    assert "there is no counting emulator: its source cannot be had: no archive" in result.stderr
    assert "stock Hercules runs" in result.stderr
    again = run(copy, "setup", "--run")
    assert again.returncode == 0 and calls.read_text().count("asked") == 1, again.stderr
    by_hand = run(copy, "setup")
    assert by_hand.returncode == 0 and calls.read_text().count("asked") == 2, by_hand.stderr


def test_setup_shows_how_far_the_build_is(copy: Path) -> None:
    """A build takes minutes: each step, and then every tenth object, is said as it happens."""
    pretend_ready(copy)
    configure = 'for n in $(seq 99); do echo "checking for number $n"; echo; done; touch config.h'
    source(copy, configure)
    (copy / "bin" / "make").unlink()
    seen = copy / "seen"
    program(
        copy / "bin" / "make",
        'case "$*" in *emulator*) ;; *) exit 0 ;; esac\n'
        "for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo gcc -c a$n.c -o build/a$n.o; done\n"
        f'case "$*" in *-n*) ;; *)'
        f' for n in $(seq 1000); do [ -e "{seen}" ] || sleep 0.01; done ;; esac',
    )
    setup = subprocess.Popen(
        [copy / "bin" / "bash", copy / "scripts" / "setup"], env=environment(copy), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert setup.stderr is not None
    try:
        said = [setup.stderr.readline().removeprefix("setup: ").strip() for _ in range(5)]
    finally:
        seen.touch()
        rest = setup.communicate(timeout=30)[1]
    assert said == [
        "building the emulator that counts every instruction",
        "fetching its source",
        "configuring it",
        "80 of 400  checking for number 80",
        "10 of 12  build/a10.o",
    ]
    assert "there is no counting emulator" in rest
