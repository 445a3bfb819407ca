# SPDX-License-Identifier: MIT
"""Tests that boot a guest boot the one that its sources make."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builds import build_guests, no_emulator
from vmkb.hercules.emulator import choice

MAKEFILE = """\
build/guest.ins: guest.c
\t@mkdir -p build; ! grep wrong guest.c >&2
\tcp guest.c $@
"""
TEST = """\
from pathlib import Path
import pytest

@pytest.mark.e2e
def test_boots():
    assert Path("guests/one/build/guest.ins").read_text() == "new"

def test_boots_nothing():
    pass
"""


@pytest.fixture
def checkout(tmp_path: Path, project: Path) -> Path:
    """A project with a guest whose build is older than its source, and a test that boots it."""
    folder = tmp_path / "guests" / "one"
    (folder / "build").mkdir(parents=True)
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / "build" / "guest.ins").write_text("old")
    os.utime(folder / "build" / "guest.ins", (1, 1))
    (folder / "guest.c").write_text("new")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(TEST)
    for name in ("conftest.py", "builds.py"):
        shutil.copy(project / "tests" / name, tmp_path / "tests" / name)
    shutil.copy(project / "pyproject.toml", tmp_path)
    (tmp_path / "hercules").symlink_to(project / "hercules")
    return tmp_path


def run(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=checkout, capture_output=True, text=True, timeout=120, check=False,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")},
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("several", [(), ("-n2",)], ids=["one process", "two"])
def test_a_guest_is_built_before_a_test_boots_it(checkout: Path, several: tuple[str, ...]) -> None:
    ran = run(checkout, *several)
    assert ran.returncode == 0, ran.stdout


@pytest.mark.slow
def test_a_guest_that_cannot_be_built_is_not_booted(checkout: Path) -> None:
    (checkout / "guests" / "one" / "guest.c").write_text("wrong")
    ran = run(checkout)
    assert ran.returncode == 1 and "1 passed, 1 error" in ran.stdout, ran.stdout
    assert "Guest 'one' is older than its sources, and make fails:" in ran.stdout
    assert run(checkout, "-m", "not e2e").returncode == 0


def test_what_is_up_to_date_or_was_never_built_stays(checkout: Path) -> None:
    assert build_guests(checkout) == ""
    image = checkout / "guests" / "one" / "build" / "guest.ins"
    before = image.stat().st_mtime_ns
    assert build_guests(checkout) == "" and image.stat().st_mtime_ns == before
    image.unlink()
    assert build_guests(checkout) == "" and not image.exists()


def test_no_other_emulator_takes_the_place_of_one_that_is_not_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(choice.CHOICE, raising=False)
    monkeypatch.setattr(choice, "BUILDS", tmp_path)
    monkeypatch.setattr(choice, "WHY_NOT", tmp_path / "failed")
    assert "it has not been built; run scripts/setup." in no_emulator()
    (tmp_path / "000000000000").mkdir()
    (tmp_path / "000000000000" / "hercules").touch()
    assert "it was built from an older patch" in no_emulator()
    monkeypatch.setenv(choice.CHOICE, "stock")
    assert no_emulator() == ""
