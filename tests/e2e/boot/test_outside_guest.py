# SPDX-License-Identifier: MIT
"""A guest that lies outside of the project: its description and its driver, two files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.boot_guest import Boots
from vmkb.hercules.emulator.machine import Hercules

pytestmark = [pytest.mark.e2e, pytest.mark.both, pytest.mark.usefixtures("emulator_needed")]
LINES_MAX = 200


@pytest.fixture
def tiny(project: Path, tmp_path: Path) -> Path:
    """A copy of the smallest guest, in a folder that is not the project's."""
    return Path(shutil.copytree(project / "tests" / "guests" / "tiny", tmp_path / "my-vm"))


@pytest.fixture
def boots(tmp_path: Path) -> Iterator[Boots]:
    runs = Boots(tmp_path / "run")
    yield runs
    left = Hercules.attach(tmp_path / "run" / "tiny")
    if left is not None:
        left.stop()


def test_it_is_booted_talked_to_and_ended(tiny: Path, boots: Boots) -> None:
    ran = boots.run("boot", "--guest", str(tiny))
    assert ran.returncode == 0, ran.stderr
    assert "Tiny, a program that greets is up" in ran.stdout and "3270" not in ran.stdout
    machine = Hercules.attach(boots.runs / "tiny")
    assert machine is not None
    # The dialogue has answered, and the program has stopped.
    machine.wait_log(machine.dialect.messages.disabled_wait, 5)
    assert machine.log.find("^HELLO bob")
    machine.log.close()
    # Now it is known by its name, wherever its folder is.
    assert "Tiny" in boots.run("status").stdout
    console = boots.run("console", "--guest", "tiny")
    assert (console.returncode, console.stderr) == (3, "vmkb: Guest 'tiny' has no 3270 sessions.\n")
    assert boots.run("stop", "tiny").stdout == "Guest 'tiny' has ended.\n"
    assert boots.run("stop", "tiny").returncode == 3  # nobody knows it any more


def test_a_workload_says_in_a_sentence_what_it_lacks(tiny: Path, boots: Boots) -> None:
    ran = boots.run("run", "ftp", "--guest", str(tiny), "--out", str(tiny / "results"))
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1
    assert "Guest 'tiny' cannot be the" in ran.stderr and "serve and use FTP" in ran.stderr
    assert not (tiny / "results").exists()


@pytest.mark.parametrize(
    ("driver", "says"),
    [
        ("", "names no driver; write DRIVER ="),
        ("DRIVER = int\n", "names no driver; write DRIVER ="),
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
    ],
)
def test_a_driver_that_is_none_is_said(tiny: Path, boots: Boots, driver: str, says: str) -> None:
    (tiny / "driver.py").write_text(driver)
    ran = boots.run("boot", str(tiny))
    assert ran.returncode == 3 and says in ran.stderr and "Traceback" not in ran.stderr


def test_a_folder_without_a_guest_and_a_taken_name_are_said(tiny: Path, boots: Boots) -> None:
    assert "cannot be read" in boots.run("boot", str(tiny / "nothing")).stderr
    text = (tiny / "guest.toml").read_text().replace('name = "tiny"', 'name = "vmkb"')
    (tiny / "guest.toml").write_text(text)
    assert "as one of the project's guests is called" in boots.run("boot", str(tiny)).stderr


def test_it_is_as_small_as_is_said(project: Path) -> None:
    files = [p for p in (project / "tests" / "guests" / "tiny").iterdir() if p.is_file()]
    assert len(files) == 2
    assert sum(len(p.read_text().splitlines()) for p in files) <= LINES_MAX
