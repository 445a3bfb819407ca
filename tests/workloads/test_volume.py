# SPDX-License-Identifier: MIT
"""A workload's volume: the client's own directory entry, files put on it and compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from vmkb.guests.vmkb.disk.build import minidisk, opened
from vmkb.guests.vmkb.disk.errors import VolumeError
from vmkb.guests.vmkb.disk.records import fixed, from_text
from vmkb.guests.vmkb.driver import (
    VmkbDriver,
    digests,
    make_volume,
    put_files,
    records_of,
    replace_entries,
)
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.workload import rounds
from vmkb.workloads.ftp import Workload, execs
from vmkb.workloads.ftp.content import source_files
from vmkb.workloads.ftp.plan import plan

WORKLOAD = Workload().definition
DRIVER = VmkbDriver(load_guest("vmkb"))
SOURCE = """\
* users
USER A A 1M
 IPL CMS
USER B B 1M
 IPL CMS
*
USER C C 1M
"""


def test_only_the_named_entry_is_replaced() -> None:
    made = replace_entries(SOURCE, {"B": "USER B X 2M E\n ACCOUNT 1 Y\n"})
    assert made == SOURCE.replace("USER B B 1M\n IPL CMS\n", "USER B X 2M E\n ACCOUNT 1 Y\n")


def test_the_last_and_the_first_entry_can_be_replaced() -> None:
    assert replace_entries(SOURCE, {"C": "USER C Z"}).endswith("*\nUSER C Z\n")
    assert "USER A Q\nUSER B B 1M" in replace_entries(SOURCE, {"A": "USER A Q"})


def test_a_user_that_is_not_there_is_named() -> None:
    with pytest.raises(VolumeError, match="no USER D"):
        replace_entries(SOURCE, {"D": "USER D"})


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workload's volume, made from the guest's own sources."""
    path = tmp_path_factory.mktemp("volume") / "v.fba"
    client = WORKLOAD.client
    make_volume(load_guest("vmkb").folder / "volume", {client.user: client.entry}, path)
    return path


def test_a_full_run_fits_the_clients_minidisk(image: Path) -> None:
    """All sources, and the 50 files of 2 MB that a trial of the published size leaves."""
    client = WORKLOAD.client
    files = {name: records_of(made) for name, made in source_files(WORKLOAD).items()}
    for name, text in execs.exec_texts(DRIVER, WORKLOAD.part, client.user).items():
        files[name, "EXEC"] = from_text(text)
    put_files(image, client.user, int(client.minidisk, 16), files)
    with opened(image) as (f, _, extents):
        free = minidisk(f, extents, client.user, int(client.minidisk, 16)).free
    largest = max(s.full * -(-(s.bytes + 60000) // 4096) for s in WORKLOAD.size.values())
    assert free > largest


def test_a_changed_byte_changes_the_digest(image: Path) -> None:
    put_files(image, "VMUSER1", 0x191, {("X", "SOURCE"): fixed(b"abc" * 100, 80)})
    put_files(image, "VMUSER1", 0x191, {("Y", "SOURCE"): fixed(b"abc" * 99 + b"abd", 80)})
    found = digests(image, "VMUSER1", 0x191, [("X", "SOURCE"), ("Y", "SOURCE"), ("Z", "SOURCE")])
    x, y, z = found["X", "SOURCE"], found["Y", "SOURCE"], found["Z", "SOURCE"]
    assert x is not None and y is not None
    assert z is None
    assert x[1] == y[1] == 300
    assert x[0] != y[0]


def test_the_command_fits_a_terminal_line_and_the_procedures_a_minidisk() -> None:
    for planned in plan(WORKLOAD, "full", rounds(WORKLOAD.case, WORKLOAD.releases, 99)):
        line = execs.command(WORKLOAD, planned, 9)
        assert len(line) <= 130
    name = {"release": planned.release.model_copy(update={"name": "LONGNAME"})}
    for ends in ("-1", "-TW", "-build2-0"):  # a warm-up may be called after another case
        named = [
            p.model_copy(update={"id": f"G2M_A{p.release.name}{ends}"})
            for p in (planned, planned.model_copy(update=name))
        ]
        assert len({len(execs.command(WORKLOAD, p, 9)) for p in named}) == 1
    texts = execs.exec_texts(DRIVER, WORKLOAD.part, WORKLOAD.client.user)
    for text in texts.values():
        assert text.startswith("/*")
        assert all(len(line) <= 80 or line.startswith("/*") for line in text.splitlines())


def test_the_client_asks_for_its_own_time_inmost() -> None:
    text = execs.exec_texts(DRIVER, WORKLOAD.part, "VMUSER1")[execs.TIME_NAME]
    before, after = text.split("else do")
    assert before.index("TIME TCPIP") < before.index("TIME VMUSER1")
    assert after.index("TIME VMUSER1") < after.index("TIME TCPIP")


def test_an_installation_makes_its_volume_once(tmp_path: Path) -> None:
    guest = load_guest("vmkb")
    (tmp_path / "build").mkdir()
    (tmp_path / "volume").symlink_to(guest.folder / "volume")
    installed = VmkbDriver(guest.model_copy(update={"folder": tmp_path}))
    installed.build()
    assert not (tmp_path / "build" / "vmkb.fba").exists(), "where make has made nothing"
    installed.guest.image.touch()
    installed.build()
    assert {p.name for p in (tmp_path / "build").iterdir()} == {"vmkb.ins", "vmkb.fba"}
    with opened(tmp_path / "build" / "vmkb.fba") as (f, _, extents):
        assert minidisk(f, extents, "MAINT", 0x190).entries()
    made = (tmp_path / "build" / "vmkb.fba").stat().st_mtime_ns
    installed.build()
    assert (tmp_path / "build" / "vmkb.fba").stat().st_mtime_ns == made
