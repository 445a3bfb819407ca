# SPDX-License-Identifier: MIT
"""Making the guest when something is missing: each is a sentence, and nothing half done is kept.

apt is a program of the test's own here: what the real one says is in tests/e2e/linux."""

from __future__ import annotations

import os
import re
import shutil
import stat
from pathlib import Path

import pytest

from vmkb.guests.base import Choice, driver
from vmkb.guests.linux.driver import LinuxDriver
from vmkb.guests.linux.make import cpio
from vmkb.guests.linux.make.image import make_image
from vmkb.guests.linux.make.store import PackageStore
from vmkb.guests.linux.make.suites import suites
from vmkb.guests.release.making import COMPILER
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import load_guest

ARCHIVE = 'if [ "$1" = indextargets ]; then echo http://archive.invalid/debian/; exit 0; fi\n'


def apt(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An apt-get that does what SCRIPT says."""
    program = folder / "bin" / "apt-get"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n" + ARCHIVE + "for last; do :; done\n" + script)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def store(folder: Path, said: list[str] | None = None) -> PackageStore:
    return PackageStore(suites(), folder / "cache", (said if said is not None else []).append)


def left(folder: Path) -> list[str]:
    return sorted(p.name for p in (folder / "cache").iterdir() if p.name != "lock")


def test_a_suite_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apt(tmp_path, 'echo "E: The repository has no Release file." >&2; exit 100', monkeypatch)
    with pytest.raises(EmulatorError, match=r"list of packages of suite trixie:\n  E: The repo"):
        store(tmp_path).kernel("trixie")
    assert left(tmp_path) == []


def test_a_suite_without_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apt(tmp_path, "exit 0", monkeypatch)
    with pytest.raises(EmulatorError, match="Suite trixie has no kernel for s390x"):
        store(tmp_path).kernel("trixie")


def test_a_package_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apt(tmp_path, "exit 0", monkeypatch)
    with pytest.raises(EmulatorError, match=r"Suite bookworm did not give .*vsftpd"):
        store(tmp_path).programs()
    assert left(tmp_path) == []


def test_half_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = "linux-image-6.1.0-1-s390x"
    script = f"""\
case " $* " in
*--print-uris*) echo "'http://x/{names}_6.1.5-1_s390x.deb' {names}_6.1.5-1_s390x.deb 5 MD5:0" ;;
*download*) printf half >{names}_6.1.5-1_s390x.deb ;;
esac
"""
    apt(tmp_path, script, monkeypatch)
    said: list[str] = []
    with pytest.raises(EmulatorError, match=r"linux-image-6\.1\.0-1-s390x_6\.1\.5-1.*unpacked"):
        store(tmp_path, said).kernel("bookworm")
    assert left(tmp_path) == []
    assert any("fetching linux-image" in line for line in said)


def test_no_debian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EmulatorError, match="apt-get, which is not on this machine"):
        store(tmp_path).kernel("bookworm")


def test_a_cache_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(EmulatorError, match="XDG_CACHE_HOME"):
        store(tmp_path)


def test_a_damaged_note_of_what_is_there_is_no_note(tmp_path: Path) -> None:
    made = store(tmp_path)
    (tmp_path / "cache" / "suites.json").write_text('{"bookworm": "6.1')
    assert made.known() == {}


def test_the_initramfs_is_an_archive_of_the_known_form() -> None:
    entries = cpio.with_folders(
        [cpio.program("usr/bin/x", b"abc"), cpio.link("bin", "usr/bin"), cpio.device("dev/c", 5, 1)]
    )
    data, found = cpio.archive(entries), []
    at = 0
    while True:
        head = data[at : at + 110]
        assert head[:6] == b"070701"
        mode, size, name_size = (int(head[6 + 8 * n : 14 + 8 * n], 16) for n in (1, 6, 11))
        name = data[at + 110 : at + 110 + name_size - 1].decode()
        at += -(-(110 + name_size) // 4) * 4
        if name == "TRAILER!!!":
            break
        found.append((name, stat.S_IFMT(mode), data[at : at + size]))
        at += -(-size // 4) * 4
    assert found == [
        ("usr", stat.S_IFDIR, b""), ("usr/bin", stat.S_IFDIR, b""),
        ("usr/bin/x", stat.S_IFREG, b"abc"), ("bin", stat.S_IFLNK, b"usr/bin"),
        ("dev", stat.S_IFDIR, b""), ("dev/c", stat.S_IFCHR, b""),
    ]  # fmt: skip


@pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"{COMPILER} is not installed")
def test_a_kernel_whose_payload_is_not_found_boots_as_it_was_shipped(tmp_path: Path) -> None:
    """It is said, with why; the kernel that is loaded is the one that was given, to the byte."""
    kernel, programs = tmp_path / "kernel", tmp_path / "programs"
    for folder in (kernel, programs / "bin"):
        folder.mkdir(parents=True)
    shipped = bytes(0x10000) + b"no payload that anybody knows" * 999
    (kernel / "vmlinuz").write_bytes(shipped)
    (programs / "bin" / "busybox").write_bytes(b"#!")
    for folder in (kernel, programs):
        (folder / "packages").write_text("one\n")
    said: list[str] = []
    ins = make_image("9.9.9", kernel, programs, tmp_path / "build", said.append)
    loaded = {at: name for name, at in map(str.split, ins.read_text().splitlines())}
    assert (ins.parent / loaded["0x00000000"]).read_bytes() == shipped
    assert not any("payload" in name for name in loaded.values())
    assert any(re.search(r"Linux 9\.9\.9 boots as it was shipped.*: \w", line) for line in said)


def _suites_that_have(monkeypatch: pytest.MonkeyPatch, have: set[str]) -> None:
    """Let guest linux find a kernel in the suites HAVE, and in no other."""

    def release(self: LinuxDriver, suite: str) -> Choice:
        if suite not in have:
            raise EmulatorError(f"apt-get could not get packages of suite {suite}:\n  E: 404")
        return Choice(suite, f"Linux of {suite}", self.guest)

    monkeypatch.setattr(LinuxDriver, "release", release)


def test_a_kernel_that_the_archive_lacks_gives_way_to_the_next_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says which is left out and why; the run has as many kernels as always."""
    first, second, third = suites().kernels[:3]
    _suites_that_have(monkeypatch, {first, third})
    assert [c.name for c in driver(load_guest("linux")).choices(())] == [first, third]
    said = f"suite {second} is left out: apt-get could not get packages of suite {second}: E: 404"
    assert capsys.readouterr().err == f"vmkb: linux: the kernel of {said}\n"


def test_one_kernel_is_enough_and_none_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    hands = driver(load_guest("linux"))
    last = suites().kernels[-1]
    _suites_that_have(monkeypatch, {last})
    assert [c.name for c in hands.choices(())] == [last]
    _suites_that_have(monkeypatch, set())
    with pytest.raises(EmulatorError) as raised:
        hands.choices(())
    assert all(f"suite {each}:" in str(raised.value) for each in suites().kernels)
