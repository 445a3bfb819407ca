# SPDX-License-Identifier: MIT
"""Which disks a folder has, from a configuration or from their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from guests.base import driver
from guests.vm370.disks import brought
from hercules.deadline import EmulatorError
from hercules.emulator.config import config_text
from hercules.emulator.dialect.hercules_3_13 import DIALECT
from hercules.guest import load_guest


def image(path: Path, kind: int = 0x50, compressed: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    head = b"CKD_C370" if compressed else b"CKD_P370"
    path.write_bytes(head + (30).to_bytes(4, "little") + (19456).to_bytes(4, "little")
                     + bytes([kind]) + bytes(495))  # fmt: skip
    return path


def test_a_users_configuration_is_read_for_its_disks_only(tmp_path: Path) -> None:
    for name in ("vm50-1", "vm50-2"):
        image(tmp_path / "disks" / f"{name}.cckd")
    image(tmp_path / "disks" / "vm14-0.cckd", 0x14)
    (tmp_path / "vm370ce.conf").write_text(
        "CPUMODEL 4381\n000C 3505 io/card.txt ascii\n00C0.32 3270\n"
        "06A1    3350    disks/vm50-1.cckd ro sf=disks/shadows/vm50-1_*.shadow\n"
        "#06A9 3350 disks/not-there.cckd\n"
        "06a2 3350 disks/vm50-2.cckd # the second\n06d0 2314 disks/vm14-0.cckd\n"
    )
    found = brought(tmp_path)
    assert [(d.name, d.kind) for d in found] == [
        ("06A1", "3350"), ("06A2", "3350"), ("06D0", "2314"),
    ]  # fmt: skip
    assert brought(tmp_path / "vm370ce.conf") == found
    (tmp_path / "old.cnf").write_text("")
    with pytest.raises(EmulatorError, match=r"several configurations \(vm370ce.conf, old.cnf\)"):
        brought(tmp_path)


def test_names_tell_device_numbers(tmp_path: Path) -> None:
    image(tmp_path / "vm50-1.6a1")
    image(tmp_path / "141.cckd", 0x40, compressed=False)
    (tmp_path / "README.txt").write_text("not a disk")
    assert [(d.name, d.kind, d.compressed) for d in brought(tmp_path)] == [
        ("0141", "3340", False), ("06A1", "3350", True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ((), "has no disk images"),
        (("a.6a1", "b.6A1"), "are both device 06A1"),
        (("a.6a2",), "no disk 06A1 to IPL from"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path: Path, names: tuple[str, ...], says: str) -> None:
    for name in names:
        image(tmp_path / name)
    with pytest.raises(EmulatorError, match=says):
        driver(load_guest("vm370")).with_disks(tmp_path)


def test_what_is_no_disk_or_another_one_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.6a1").write_text("hello, this is text")
    with pytest.raises(EmulatorError, match="is no disk image of Hercules"):
        brought(tmp_path)
    image(tmp_path / "x.6a1", 0x40)
    (tmp_path / "vm.conf").write_text("6A1 3350 x.6a1\n")
    with pytest.raises(EmulatorError, match="header says that it is a 3340, not a 3350"):
        brought(tmp_path)
    (tmp_path / "vm.conf").write_text("6A1 3350 y.6a1\n")
    with pytest.raises(EmulatorError, match=r"vm.conf:1: there is no .*y.6a1"):
        brought(tmp_path)


def test_a_disk_is_not_written_on_unless_it_may_be(tmp_path: Path) -> None:
    disk = image(tmp_path / "vm50-1.6a1").resolve()
    plain = image(tmp_path / "work.6a2", compressed=False).resolve()
    hands = driver(load_guest("vm370"))
    kept = hands.with_disks(tmp_path)
    text = config_text(kept.machine, 3270, DIALECT)
    assert "06A1 3350 06A1 ro sf=06A1_*.shadow\n" in text and "06A2 3350 06A2\n" in text
    assert kept.read_only == {"06A1": str(disk)} and kept.files == {"06A2": str(plain)}
    asked = {q.answers for q in kept.ipl.questions}
    assert ("WARM", "COLD") in asked
    written = hands.with_disks(tmp_path, write=True)
    text = config_text(written.machine, 3270, DIALECT)
    assert f"06A1 3350 {disk}\n" in text and not (written.files or written.read_only)
    assert ("WARM",) in {q.answers for q in written.ipl.questions}


def test_without_disks_it_says_how_to_bring_them() -> None:
    with pytest.raises(EmulatorError, match="--disks DIR names the folder"):
        driver(load_guest("vm370")).build()
    with pytest.raises(EmulatorError, match="'vmkb' has disks of its own"):
        driver(load_guest("vmkb")).with_disks(Path("."))
