# SPDX-License-Identifier: MIT
"""RTMSF's log file: parts, their order, what is there when power is lost."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.guests.harness import VMKB
from tests.guests.rtm.conftest import HERE
from vmkb.guests.vmkb.disk.codepage import decode

LINES = 1536  # of one part


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    where = tmp_path_factory.mktemp("rtmlog")
    # What the guest does by DIAGNOSE the harness does on its disk in storage.
    (where / "host.h").write_text(
        "struct diag_disk;\n"
        "long diag_diskinfo(int vaddr, struct diag_disk *p);\n"
        "long diag_block(int vaddr, int op, long block, long count, void *buf);\n"
    )
    common = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-O1"]
    common += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    parts = ("include", "lib", "service/rtm", "fs")
    common += [f"-I{VMKB / part}" for part in parts] + [f"-I{HERE.parent / 'fs'}"]
    common += ["-include", str(where / "host.h")]
    # The log's file names are EBCDIC, as the file system wants them; so is what makes them.
    objects = []
    for source in (VMKB / "service" / "rtm" / "logfile.c", VMKB / "lib" / "fmt.c"):
        objects.append(where / f"{source.stem}.o")
        ebcdic = ["-fexec-charset=IBM1047", "-Wno-format", "-c", str(source)]
        subprocess.run([*common, *ebcdic, "-o", objects[-1]], check=True, timeout=60)
    program = where / "log"
    rest = [*sorted((VMKB / "fs").glob("fs_*.c")), HERE / "log_harness.c"]
    subprocess.run([*common, *rest, *objects, "-o", program], check=True, timeout=120)
    return program


def run(program: Path, *steps: object) -> tuple[int, dict[str, tuple[int, int, int]]]:
    """The last return code, and for each part how many lines it has, its first and its last."""
    words = [str(program), *map(str, steps)]
    done = subprocess.run(words, capture_output=True, timeout=60, check=True)
    code, mount, *files = done.stdout.splitlines()
    assert mount == b"mount 0"
    found = {}
    for line in files:
        name = decode(line[:17]).split()
        assert name[0] == "RTMSF"
        count, *ends = map(int, line[17:].split())
        found[name[1]] = (count, ends[0], ends[-1])
    return int(code.split()[1]), found


def test_nothing_is_written_before_ten_intervals(log: Path) -> None:
    assert run(log, "start", 9) == (0, {})
    assert run(log, "start", 10) == (0, {"LOG": (100, 0, 99)})
    assert run(log, "start", 19) == (0, {"LOG": (100, 0, 99)})
    assert run(log, "start", 13, "stop") == (0, {"LOG": (130, 0, 129)})


def test_a_new_log_keeps_the_old_one(log: Path) -> None:
    steps = ["start", 1, "stop", "start", 2, "stop", "start", 3, "stop"]
    assert run(log, *steps) == (0, {"LOG": (30, 30, 59), "LOG1": (20, 10, 29), "LOG2": (10, 0, 9)})


def test_a_full_part_is_closed_and_nothing_is_lost_between_parts(log: Path) -> None:
    _, found = run(log, "start", 2 * LINES // 10 + 20, "stop")
    total = (2 * LINES // 10 + 20) * 10
    assert found == {
        "LOG": (total - 2 * LINES, 2 * LINES, total - 1),
        "LOG1": (LINES, LINES, 2 * LINES - 1),
        "LOG2": (LINES, 0, LINES - 1),
    }


def test_the_oldest_part_goes(log: Path) -> None:
    steps = [step for _ in range(12) for step in ("start", 1, "stop")]
    code, found = run(log, *steps)
    assert code == 0
    assert sorted(found) == ["LOG", *(f"LOG{n}" for n in range(1, 10))]
    assert found["LOG"] == (10, 110, 119) and found["LOG9"] == (10, 20, 29)


def test_lost_power_leaves_the_part_that_was_written(log: Path) -> None:
    code, found = run(log, "start", 10, "power", 10)
    assert code != 0
    assert found == {"LOG": (100, 0, 99)}
