# SPDX-License-Identifier: MIT
"""Which disks a folder has, from a configuration or from their names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vmkb.guests.base import driver
from vmkb.guests.vm370.disks import brought
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.config import config_text
from vmkb.hercules.emulator.dialect.hercules_3_13 import DIALECT
from vmkb.hercules.emulator.shadow import check_shadow, shadows
from vmkb.hercules.guest import load_guest


def image(path: Path, kind: int = 0x50, compressed: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    head = b"CKD_C370" if compressed else b"CKD_P370"
    path.write_bytes(head + (30).to_bytes(4, "little") + (19456).to_bytes(4, "little")
                     + bytes([kind]) + bytes(495))  # fmt: skip
    return path


#: A configuration as the Community Edition's are: its disks, and what its nucleus has besides.
ITS_OWN = """\
ARCHMODE S/370
CNSLPORT 3270
CPUMODEL 4381
CPUPRIO 0
DIAG8CMD DISABLE
ECPSVM YES
MAINSIZE 16
NUMCPU 1
* a comment
000C 3505 localhost:3505 SOCKDEV ASCII TRUNC EOF
000D 3525 io/punch.txt ascii
000E 1403 io/print1.listing
000F 1403 io/print2.listing
0009 3215-C NOPROMPT
00C0.32 3270
01C0.7 3270 MOD4
0480 3420 *
"""


def test_a_users_configuration_is_read_for_its_disks_and_the_rest_is_told(tmp_path: Path) -> None:
    for name in ("vm50-1", "vm50-2", "vm 3"):
        image(tmp_path / "disks" / f"{name}.cckd")
    image(tmp_path / "disks" / "vm14-0.cckd", 0x14)
    (tmp_path / "vm370ce.conf").write_text(
        ITS_OWN + "06A1    3350    disks/vm50-1.cckd ro sf=disks/shadows/vm50-1_*.shadow\n"
        '#06A9 3350 disks/not-there.cckd\n06a3 3350 "disks/vm 3.cckd"\n'
        "06a2 3350 disks/vm50-2.cckd # the second\n06d0 2314 disks/vm14-0.cckd\n"
    )
    found = brought(tmp_path)
    assert [(d.name, d.kind) for d in found] == [
        ("06A1", "3350"), ("06A2", "3350"), ("06A3", "3350"), ("06D0", "2314"),
    ]  # fmt: skip
    assert brought(tmp_path / "vm370ce.conf") == found
    said = driver(load_guest("vm370")).left_out(tmp_path)
    assert said.endswith("/vm370ce.conf say: ECPSVM YES.")
    text = config_text(driver(load_guest("vm370")).with_disks(tmp_path).machine, 3270, DIALECT)
    for line in ("ARCHMODE S/370", "MAINSIZE 16", "000D 3525 punch.cards ebcdic",
                 "000F 1403 000F.txt", "01C0.7 3270", "0480 3420 *"):  # fmt: skip
        assert f"{line}\n" in text, text


def test_the_users_configuration_decides_the_machine(tmp_path: Path) -> None:
    image(tmp_path / "a.cckd")
    (tmp_path / "vm.conf").write_text(
        "ARCHMODE ESA/390\nMAINSIZE 256M\nCPUMODEL 3090\nNUMCPU 2\n001F 3215-C\n"
        "0020.8 3270\n0300 3705 lport=37050\n06A1 3350 a.cckd\n"
    )
    hands = driver(load_guest("vm370"))
    machine = hands.with_disks(tmp_path).machine
    assert (machine.architecture, machine.memory_mb, machine.cpu_model, machine.cpus) == (
        "ESA/390", 256, "3090", 2,
    )  # fmt: skip
    assert [(d.number, d.kind, d.count) for d in machine.devices] == [
        (0x1F, "3215-C", 1), (0x20, "3270", 8), (0x6A1, "3350", 1),
    ]  # fmt: skip
    assert hands.left_out(tmp_path).endswith("vm.conf say: 0300 3705.")
    (tmp_path / "vm.conf").write_text("06A1 3350 a.cckd\n")
    assert len(hands.with_disks(tmp_path).machine.devices) == 6, "disks alone: the usual machine"


def test_the_machine_that_vm_370_plus_s_kit_describes(tmp_path: Path) -> None:
    """After the README and the maker of its kit, 9 October 2026; the text is ours."""
    image(tmp_path / "a.cckd")
    (tmp_path / "vm370ce.conf").write_text(
        "ARCHMODE ESA/390\nCPUMODEL 3090\nMAINSIZE        256\nECPSVM NO\nCODEPAGE 819/1047\n"
        'PANTITLE        "VM/370plus (VM370CE 1.1.2 ESA/390)"\n0009 3215-C\n000A 1052\n'
        "0500 CTCE 30882 127.0.0.1 30880\n#0600.2  CTCI    10.1.1.2 10.1.1.1\n"
        "00C0.32 3270\n06A1 3350 a.cckd\n"
    )
    hands = driver(load_guest("vm370"))
    machine = hands.with_disks(tmp_path).machine
    assert (machine.architecture, machine.memory_mb, machine.cpu_model) == ("ESA/390", 256, "3090")
    assert hands.left_out(tmp_path).endswith("say: CODEPAGE 819/1047, 000A 1052, 0500 CTCE.")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ARCHMODE S/360\n", r"vm.conf:1: the guest's machine cannot have that \(architecture:"),
        ("\nMAINSIZE 8192\n", r"vm.conf:2: .*memory_mb: .*less than or equal to 4096"),
        ("MAINSIZE 512K\n", r"vm.conf:1: .*memory_mb"),
        ("MAINSIZE lots\n", r"vm.conf:1: .*memory_mb"),
        ("NUMCPU 99\n", r"vm.conf:1: .*cpus"),
        ("00C0.99 3270\n", r"vm.conf:1: .*count"),
        ("00C0 3270\n00C0 1403 x.txt\n", r"vm.conf: .*00C0"),
    ],
)
def test_a_machine_that_cannot_be_is_said(tmp_path: Path, text: str, says: str) -> None:
    image(tmp_path / "a.cckd")
    (tmp_path / "vm.conf").write_text(text + "06A1 3350 a.cckd\n")
    with pytest.raises(EmulatorError, match=says):
        driver(load_guest("vm370")).with_disks(tmp_path)


def test_of_several_configurations_the_user_names_his(tmp_path: Path) -> None:
    image(tmp_path / "a.cckd")
    image(tmp_path / "b.cckd")
    (tmp_path / "vm370ce.conf").write_text(ITS_OWN + "include lib/disks.conf\n")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "disks.conf").write_text("INCLUDE more.cnf\n06A1 3350 a.cckd\n")
    (tmp_path / "more.cnf").write_text("06A2 3350 b.cckd\n")
    (tmp_path / "printers.conf").write_text("000F 1403 print.txt\n")
    # One is included, and one has no disks: there is only one to take.
    assert [d.name for d in brought(tmp_path)] == ["06A1", "06A2"]
    assert "ECPSVM YES" in driver(load_guest("vm370")).left_out(tmp_path)
    (tmp_path / "cleandisks.conf").write_text("06A1 3350 a.cckd\n")
    with pytest.raises(EmulatorError) as refused:
        brought(tmp_path)
    assert "with disks: cleandisks.conf, vm370ce.conf." in str(refused.value)
    assert f"--disks {tmp_path}/NAME" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("INCLUDE gone.conf\n", r"vm.conf:1: .*gone.conf cannot be read"),
        ("INCLUDE vm.conf\n", "includes itself"),
        ("06A1 3350 $(DASD)/x.cckd\n", r"vm.conf:1: write out the symbol in \$\(DASD\)/x.cckd"),
    ],
)
def test_a_configuration_that_cannot_be_followed_is_said(
    tmp_path: Path, text: str, says: str
) -> None:
    (tmp_path / "vm.conf").write_text(text)
    with pytest.raises(EmulatorError, match=says):
        brought(tmp_path)


@pytest.mark.parametrize(
    ("sf", "names", "found"),
    [
        ("sh/vm50-1_*.shadow", ["vm50-1_1.shadow", "vm50-1_2.shadow", "vm50-1_4.shadow"], 2),
        ("sh/vm50-1_", ["vm50-11", "vm50-12"], 2),
        ("sh/vm50-1_1.shadow", ["vm50-1_1.shadow"], 1),
        ("sh/g.dot_*.shadow", ["1.dot_*.shadow"], 1),
        ("sh/g.dot_*.shadow", ["g.dot_1.shadow"], 1),
        ("sh/vm50-1_*.shadow", [], 0),
    ],
)
def test_shadow_files_of_a_users_are_below_ours(
    tmp_path: Path, sf: str, names: list[str], found: int
) -> None:
    """His system is the disk with what is in them."""
    disk = image(tmp_path / "vm50-1.cckd").resolve()
    (tmp_path / "sh").mkdir()
    for name in names:
        (tmp_path / "sh" / name).write_text("CKD_S370")
    (tmp_path / "vm.conf").write_text(f"06A1 3350 vm50-1.cckd ro sf={sf}\n")
    guest = driver(load_guest("vm370")).with_disks(tmp_path)
    expected = tuple(str(tmp_path / "sh" / name) for name in names[:found])
    assert guest.shadows == ({"06A1": expected} if found else {})
    assert guest.read_only == {"06A1": str(disk)}
    text = config_text(guest.machine, 3270, DIALECT)
    assert "06A1 3350 06A1 ro sf=06A1_*.shadow\n" in text


def test_with_write_disks_the_users_own_lines_hold(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        image(tmp_path / f"{name}.cckd")
    image(tmp_path / "d.ckd", compressed=False)
    (tmp_path / "vm.conf").write_text(
        "06A1 3350 a.cckd ro sf=sh/a_*.shadow\n06A2 3350 b.cckd readonly cu=3880\n"
        "06A3 3350 c.cckd\n06A4 3350 d.ckd ro sf=sh/d_*.shadow\n"
    )
    hands = driver(load_guest("vm370"))
    written = config_text(hands.with_disks(tmp_path, write=True).machine, 3270, DIALECT)
    top = tmp_path.resolve()
    assert f"06A1 3350 {top}/a.cckd ro sf={tmp_path}/sh/a_*.shadow\n" in written
    assert f"06A2 3350 {top}/b.cckd ro cu=3880\n" in written
    assert f"06A3 3350 {top}/c.cckd\n" in written
    beside = config_text(hands.with_disks(tmp_path).machine, 3270, DIALECT)
    # On what nothing can be written in his system, nothing can be in ours.
    assert "06A2 3350 06A2 ro cu=3880\n" in beside and "06A4 3350 06A4 ro\n" in beside
    assert "06A1 3350 06A1 ro sf=06A1_*.shadow\n" in beside


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


def test_shadow_files_are_copied_and_a_change_of_theirs_is_refused(tmp_path: Path) -> None:
    disk, folder = image(tmp_path / "a.cckd"), tmp_path / "run"
    folder.mkdir()
    below = (tmp_path / "a_1.shadow", tmp_path / "a_2.shadow")
    for number, path in enumerate(below):
        path.write_text(f"his {number}")
    check_shadow(disk, folder, "06A1", True, below)
    assert [p.read_text() for p in shadows(folder, "06A1")] == ["his 0", "his 1"]
    shadows(folder, "06A1")[-1].write_text("ours")
    check_shadow(disk, folder, "06A1", True, below)
    assert [p.read_text() for p in shadows(folder, "06A1")] == ["his 0", "ours"]
    below[1].write_text("his again")
    with pytest.raises(EmulatorError, match=r"a_2.shadow is not the disk, or not as it was"):
        check_shadow(disk, folder, "06A1", True, below)
    check_shadow(disk, folder, "06A1", False, below)
    assert [p.read_text() for p in shadows(folder, "06A1")] == ["his 0", "his again"]
    # A copy that was not finished is made again.
    shadows(folder, "06A1")[0].rename(folder / "06A1_1.shadow.copied")
    check_shadow(disk, folder, "06A1", True, below)
    assert [p.read_text() for p in shadows(folder, "06A1")] == ["his 0", "his again"]
    assert [p.read_text() for p in below] == ["his 0", "his again"]


def test_a_disk_that_another_program_writes_is_refused(tmp_path: Path) -> None:
    """Two emulators that write one disk destroy it; a copy of one that is written is torn."""
    image(tmp_path / "a.cckd")
    (tmp_path / "a_1.shadow").write_text("CKD_S370")
    (tmp_path / "vm.conf").write_text("06A1 3350 a.cckd ro sf=a_*.shadow\n")
    hands = driver(load_guest("vm370"))
    for name in ("a.cckd", "a_1.shadow"):
        with (tmp_path / name).open("rb"):
            hands.with_disks(tmp_path)
        with (tmp_path / name).open("r+b"), pytest.raises(EmulatorError) as refused:
            hands.with_disks(tmp_path)
        assert f"{name} is being written by another program (pid {os.getpid()})" in str(
            refused.value
        )
