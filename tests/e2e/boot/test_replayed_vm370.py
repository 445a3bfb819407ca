# SPDX-License-Identifier: MIT
"""vmkb boot --guest vm370 on a disk that replays CP's console: a real IPL from a real 3350."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from hashlib import sha256
from itertools import groupby
from pathlib import Path

import pytest

from tests.e2e.boot_guest import Boots
from tests.peers.replayed_cp import (
    BEFORE,
    CLOCK,
    COLD,
    PUNCH,
    START,
    WARM,
    Console,
    console,
    end,
    make_disk,
    unloadable,
)
from tests.test_documented_commands import card
from vmkb.hercules.deadline import patient
from vmkb.hercules.emulator.machine import Hercules

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("emulator_needed")]


@pytest.fixture
def boots(tmp_path: Path) -> Iterator[Boots]:
    for program in ("dasdinit", "ckd2cckd", "s390x-linux-gnu-as", "s390x-linux-gnu-ld"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    runs = Boots(tmp_path / "run")
    runs.folder = tmp_path / "run" / "vm370"
    yield runs
    left = Hercules.attach(runs.folder)
    if left is not None:
        left.stop()


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def test_the_users_disk_stays_as_it_is_and_what_was_written_is_there_again(
    boots: Boots, tmp_path: Path
) -> None:
    disk = tmp_path / "disks" / "vm50-1.6a1"
    disk.parent.mkdir()
    played = console((CLOCK, START, START))
    played.send(PUNCH, 0x01, card())
    make_disk(disk, end(played))
    before = digest(disk)

    def log() -> str:
        return (boots.folder / "log").read_text("utf-8", "replace")

    words = ("boot", "--guest", "vm370", "--disks", str(disk.parent))
    ran = boots.run(*words)
    assert ran.returncode == 0, ran.stderr + log()
    assert "VM/370, from your disks is up" in ran.stdout and "3270" in ran.stdout
    # What CP asked was answered: the clock, and a start that needs no warm start data.
    # What is typed before the READ stands behind the question, else in a line of its own; what the
    # emulator lost is typed twice.
    echoed = re.findall(r"/\(0009\) (?:.* )?(\S+)$", log(), re.M)
    typed = [word for word, _ in groupby(echoed)]
    assert typed == ["NO", "WARM", "COLD", "ALL"]
    assert COLD in log()
    assert boots.run("stop", "vm370").stdout == "Guest 'vm370' has ended.\n"
    cards = boots.run("parse", "--format", "cards", str(boots.folder / "punch.cards"))
    assert "totcpu" in cards.stdout, cards.stderr

    assert boots.run(*words).returncode == 0
    assert WARM in log() and COLD not in log()
    assert boots.run("stop", "vm370").returncode == 0
    assert digest(disk) == before

    assert boots.run(*words, "--fresh").returncode == 0
    assert COLD in log()
    boots.run("stop", "vm370")
    disk.touch()
    refused = boots.run(*words)
    assert refused.returncode == 3 and "--fresh throws that away" in refused.stderr


def test_a_disk_that_may_be_written_on_is_and_is_never_cold_started(
    boots: Boots, tmp_path: Path
) -> None:
    disk = tmp_path / "6A1"
    made = tmp_path / "disks"
    made.mkdir()
    words = ("boot", "--guest", "vm370", "--disks", str(made), "--write-disks")
    make_disk(disk, end(console((START,))), compressed=False)
    disk.rename(made / "vm.6A1")
    before = digest(made / "vm.6A1")
    assert boots.run(*words).returncode == 0
    assert boots.run("stop", "vm370").returncode == 0
    after = digest(made / "vm.6A1")
    assert after != before
    make_disk(disk, end(console((START, START))), compressed=False)
    disk.rename(made / "vm.6A1")
    refused = boots.run(*words)
    assert refused.returncode == 3
    assert refused.stderr.startswith(
        "vmkb: Guest 'vm370' asks again, and has been answered with WARM: 13:30:33 START "
    )
    assert refused.stderr.endswith(" :\n")  # the emulator's prompt stood behind it


@pytest.mark.parametrize(
    ("loads", "says"), [(False, "IPL failed"), (True, "disabled wait")], ids=["no IPL text", "wait"]
)
def test_an_ipl_that_cannot_succeed_is_told_at_once(
    boots: Boots, tmp_path: Path, loads: bool, says: str
) -> None:
    """A guest may take a minute to come up; one that has stopped is not waited for."""
    disk = tmp_path / "disks" / "vm.6A1"
    disk.parent.mkdir()
    stops = Console()
    stops.say(*BEFORE)
    make_disk(disk, stops, compressed=False)
    if not loads:
        unloadable(disk)
    began = time.monotonic()
    refused = boots.run("boot", "--guest", "vm370", "--disks", str(disk.parent))
    assert time.monotonic() - began < patient(30)
    assert refused.returncode == 3
    assert says.lower() in refused.stderr.splitlines()[0].lower(), refused.stderr
    assert Hercules.attach(boots.folder) is None


def test_a_users_shadow_files_are_part_of_his_system(boots: Boots, tmp_path: Path) -> None:
    """The Community Edition's disks are read-only and its system is in shadow files beside them."""
    disks = tmp_path / "vm370ce"
    (disks / "disks" / "shadows").mkdir(parents=True)
    disk = disks / "disks" / "vm50-1.cckd"
    make_disk(disk, end(console((CLOCK, START))))
    (disks / "vm370ce.conf").write_text(
        "CPUMODEL 4381\nECPSVM YES\n000F 1403 print2.listing\nINCLUDE disks.conf\n"
    )
    (disks / "disks.conf").write_text(
        "06A1 3350 disks/vm50-1.cckd ro sf=disks/shadows/vm50-1_*.shadow\n"
    )
    before = digest(disk)
    words = ("boot", "--guest", "vm370", "--disks", str(disks))
    # The guest that may write on his disks writes where his own Hercules does.
    ran = boots.run(*words, "--write-disks")
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == (
        f"vmkb: The guest's machine lacks what these lines of {disks}/vm370ce.conf say:"
        " ECPSVM YES.\n"
    )
    assert COLD in (boots.folder / "log").read_text("utf-8", "replace")
    assert boots.run("stop", "vm370").returncode == 0
    (shadow,) = (disks / "disks" / "shadows").iterdir()
    assert shadow.name == "vm50-1_1.shadow" and digest(disk) == before
    # Without, it sees what is in his shadow file, and changes neither.
    his = digest(shadow)
    assert boots.run(*words).returncode == 0
    log = (boots.folder / "log").read_text("utf-8", "replace")
    assert WARM in log and COLD not in log
    assert boots.run("stop", "vm370").returncode == 0
    assert (digest(disk), digest(shadow)) == (before, his)
    assert [path.name for path in shadow.parent.iterdir()] == [shadow.name]
    assert boots.run(*words).returncode == 0
    boots.run("stop", "vm370")
    shadow.touch()
    refused = boots.run(*words)
    assert refused.returncode == 3
    assert f"{shadow} is not the disk, or not as it was" in refused.stderr
