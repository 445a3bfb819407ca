# SPDX-License-Identifier: MIT
"""A directory with errors, and volumes that are truncated or zeroed in places: words, no hang."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.cp_console import DIRECTORY, VOLUME
from vmkb.guests.vmkb.disk.build import build, now_1900, opened
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import PROJECT, Guest, load_guest

pytestmark = pytest.mark.e2e

IPL_WITHIN = 15.0
BLOCK = 512
FIRST_DISK = ("GENERAL", 0x191)
FILES = """
[[minidisk]]
owner = "GENERAL"
vaddr = "191"
file = [{ generate = "DOC TEXT", bytes = 5000 }]
"""


@pytest.fixture(scope="module")
def volume(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small good volume."""
    folder = tmp_path_factory.mktemp("volume")
    (folder / "volume.toml").write_text(VOLUME + FILES, encoding="ascii")
    (folder / "user.direct").write_text(DIRECTORY, encoding="ascii")
    build(folder, folder / "vmkb.fba", now_1900())
    return folder / "vmkb.fba"


def _places(volume: Path) -> dict[str, int]:
    """Where things are, in bytes from the beginning of the image."""
    with opened(volume) as (_, label, extents):
        areas = {area.name.strip(): area.start for area in label.areas}
        disk = next(e for e in extents if (e.owner.strip(), e.vaddr) == FIRST_DISK)
        return {
            "label": 0,
            "directory": areas["DIRECTRY"] * BLOCK,
            "minidisk": disk.start * BLOCK,
            "end": volume.stat().st_size,
        }


def _boot_on(image: bytes | bytearray, folder: Path) -> tuple[Guest, Hercules]:
    guest = load_guest("vmkb")
    guest.check_built()
    folder.mkdir(exist_ok=True)
    (folder / "vmkb.fba").write_bytes(image)
    return guest, boot(guest, folder, keep=True)


ZEROED = {
    "label": r"DMKCPI954E DASD 0100 HAS NO VM/KB LABEL",
    "directory": r"DMKCPI954E DASD 0100 HAS NO DIRECTORY WHERE ITS LABEL SAYS",
}


@pytest.mark.parametrize("place", list(ZEROED))
def test_a_zeroed_volume_is_refused_by_name(volume: Path, tmp_path: Path, place: str) -> None:
    image = bytearray(volume.read_bytes())
    at = _places(volume)[place]
    image[at : at + BLOCK] = bytes(BLOCK)
    _, machine = _boot_on(image, tmp_path / "run")
    with machine:
        machine.wait_log(ZEROED[place], IPL_WITHIN)
        machine.wait_log("DMKCPI955E NO DIRECTORY", IPL_WITHIN)
        machine.wait_log("DMKCPI966I", IPL_WITHIN)


@pytest.mark.parametrize("at", [600, 0x3F1])
def test_a_changed_byte_of_the_directory_is_seen(volume: Path, tmp_path: Path, at: int) -> None:
    image = bytearray(volume.read_bytes())
    image[_places(volume)["directory"] + at] ^= 0x10
    _, machine = _boot_on(image, tmp_path / "run")
    with machine:
        machine.wait_log("DMKCPI954E DASD 0100 DIRECTORY IS DAMAGED: CHECKSUM WRONG", IPL_WITHIN)
        machine.wait_log("DMKCPI966I", IPL_WITHIN)


@pytest.mark.parametrize(("where", "extra"), [
    ("label", 0), ("label", 256), ("directory", 0), ("directory", 700),
    ("minidisk", 0), ("minidisk", 3000), ("end", -4096),
])  # fmt: skip
def test_a_truncated_volume_is_said_to_be(
    volume: Path, tmp_path: Path, where: str, extra: int
) -> None:
    """Hercules refuses a file without a block; any other length, CP says what is missing."""
    size = _places(volume)[where] + extra
    try:
        _, machine = _boot_on(volume.read_bytes()[:size], tmp_path / "run")
    except EmulatorError as refused:
        assert size < BLOCK, refused
        assert "HHC" in str(refused)
        return
    with machine:
        line = machine.wait_log("DMKCPI954E DASD 0100 ", IPL_WITHIN)
        assert re.search("TRUNCATED|CANNOT BE READ|NO VM/KB LABEL", line), line
        machine.wait_log("DMKCPI966I", IPL_WITHIN)


@pytest.mark.parametrize("what", ["superblocks", "directory block"])
def test_a_damaged_minidisk_is_refused_and_the_others_work(
    volume: Path, tmp_path: Path, what: str
) -> None:
    image = bytearray(volume.read_bytes())
    at = _places(volume)["minidisk"]
    if what == "superblocks":
        image[at : at + 4096] = bytes(4096)
    else:
        image[at + 4096 : at + 16 * 4096] = bytes(15 * 4096)
    (tmp_path / "bad.fba").write_bytes(image)
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.guests.vmkb.disk", "check", tmp_path / "bad.fba"],
        cwd=PROJECT, capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert done.returncode == 3
    assert re.search(r"^GENERAL 191: .*(damaged|not formatted)", done.stderr, re.M), done.stderr
    guest, machine = _boot_on(image, tmp_path / "run")
    with machine, open_session(guest, machine) as session:
        session.logon("GENERAL", "GENERAL")
        text = "\n".join(session.lines)
        assert re.search(r"DMSACC\d+[ES]", text), text
        assert session.command("ACCESS 191 A").rc not in (0, None)
        assert session.command("ACCESS 193 B").rc == 0
        session.logoff()


def test_each_error_of_a_directory_has_its_line(tmp_path: Path) -> None:
    bad = (
        "USER ONE ONE 1M 4M G\n"
        " MDISK 0191 3370 AUTO 7 TESTVL MR\n"
        "USER ONE TWO 1M 4M G\n"
        " LINK NOBODY 0191 0191 RR\n"
        " FROBNICATE\n"
        "USER THREE THREE 1Q\n"
    )
    path = tmp_path / "user.direct"
    path.write_text(bad, encoding="ascii")
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.guests.vmkb.disk", "directory", path],
        cwd=PROJECT, capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert done.returncode == 2
    lines = {int(x) for x in re.findall(r"user\.direct:(\d+):\d+: \S", done.stderr)}
    assert lines == {2, 3, 4, 5, 6}, done.stderr
