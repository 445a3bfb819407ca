# SPDX-License-Identifier: MIT
"""scripts/setup on copies of the project with programs taken away or stood in for."""

from __future__ import annotations

import shutil
import stat
import subprocess
import time
from pathlib import Path

import pytest

NEEDED = (
    "bash env awk cat dirname mkdir flock id sha256sum grep rm tee tail touch readlink"
    " basename find wc sed cut printf sleep mv head nproc make"
).split()


@pytest.fixture
def copy(project: Path, tmp_path: Path) -> Path:
    """A project with scripts and pins but without guests, and a venv that is 'there'."""
    top = tmp_path / "a copy whose path has blanks" / ("and is long" * 8)
    (top / "scripts").mkdir(parents=True)
    for name in ("setup", "vmkb", "packages.txt", "constraints.txt"):
        shutil.copy2(project / "scripts" / name, top / "scripts" / name)
    shutil.copy2(project / "pyproject.toml", top)
    (top / "guests").mkdir()
    return top


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def tools(folder: Path, *more: str) -> Path:
    """A folder with links to the few programs that the script itself uses."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*NEEDED, *more):
        found = shutil.which(name)
        if found and not (folder / name).exists():
            (folder / name).symlink_to(found)
    return folder


def run(top: Path, path: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(path / "bash"), str(top / "scripts" / "setup"), *args],
        env={"PATH": str(path), "HOME": str(top)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def pretend_venv(top: Path) -> None:
    """A Python that makes a 'virtual environment' in no time and whose pip installs nothing."""
    program(
        top / "stand-in",
        f'case "$*" in\n'
        f'*"-m venv"*) mkdir -p .venv/bin; cp "{top}/stand-in" .venv/bin/python;;\n'
        f'*"-m pip"*) echo "Collecting click"; echo pip >>"{top}/calls";;\n'
        f"-V) echo Python 3.11.0;;\n"
        f"esac",
    )


def test_python_only_needs_no_emulator_and_is_done_once(copy: Path, tmp_path: Path) -> None:
    path = tools(tmp_path / "bin", "mkdir", "cp")
    pretend_venv(copy)
    (path / "python3").symlink_to(copy / "stand-in")
    first = run(copy, path, "--python")
    assert first.returncode == 0, first.stderr
    assert "installing" in first.stderr and "Python packages" in first.stderr
    second = run(copy, path, "--python")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert (copy / "calls").read_text() == "pip\n"
    with (copy / "scripts" / "constraints.txt").open("a") as pins:
        pins.write("more==1\n")
    assert "installing" in run(copy, path, "--python").stderr


def test_elsewhere_one_sentence_names_the_missing_programs(copy: Path, tmp_path: Path) -> None:
    path = tools(tmp_path / "bin", "mkdir", "cp")
    pretend_venv(copy)
    (path / "python3").symlink_to(copy / "stand-in")
    assert run(copy, path, "--python").returncode == 0
    result = run(copy, path)
    assert result.returncode == 3
    lines = result.stderr.splitlines()
    assert len(lines) == 1
    for name in ("hercules", "s3270", "c3270", "expect", "s390x-linux-gnu-gcc"):
        assert name in lines[0]


def test_a_failing_install_shows_the_end_of_its_log(copy: Path, tmp_path: Path) -> None:
    path = tools(tmp_path / "bin", "mkdir", "cp")
    program(path / "python3", 'case "$*" in "-m venv"*) echo no space left; exit 1;; esac')
    result = run(copy, path, "--python")
    assert result.returncode == 3
    assert "no space left" in result.stderr


def test_usage(copy: Path, tmp_path: Path) -> None:
    assert run(copy, tools(tmp_path / "bin"), "--everything").returncode == 2


def test_packages_are_installed_with_progress(copy: Path, tmp_path: Path) -> None:
    if not Path("/etc/debian_version").exists():
        pytest.skip("not a Debian system")
    path = tools(tmp_path / "bin", "mkdir", "cp")
    pretend_venv(copy)
    (path / "python3").symlink_to(copy / "stand-in")
    program(
        path / "apt-get",
        f'echo "$*" >>"{copy}/apt"\n'
        'case "$*" in\n'
        '*"install -s"*) for n in 1 2 3 4 5 6; do echo "Inst p$n"; done;;\n'
        '*"install -y --no-install-recommends hercules"*)\n'
        '  for n in 1 2 3 4 5 6; do echo "Unpacking p$n"; echo "Setting up p$n"; done;;\n'
        "esac",
    )
    program(path / "sudo", 'exec "$@"')
    program(path / "dpkg", "")
    result = run(copy, path)
    assert result.returncode == 0, result.stderr
    assert "installing Debian packages: hercules s3270 c3270 expect" in result.stderr
    assert "10 of 12" in result.stderr
    calls = (copy / "apt").read_text().splitlines()
    assert calls[0].endswith(" update")
    assert " install -y --no-install-recommends hercules s3270 c3270 expect" in calls[-1]


@pytest.mark.slow
def test_nothing_missing_costs_under_two_seconds(project: Path) -> None:
    if not (project / ".setup" / "python.stamp").exists():
        pytest.skip("this checkout was not set up by scripts/setup")
    command = [str(project / "scripts" / "setup"), "--python"]
    subprocess.run(command, capture_output=True, timeout=300, check=True)
    before = time.monotonic()
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert time.monotonic() - before < 2.0
