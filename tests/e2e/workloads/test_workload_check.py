# SPDX-License-Identifier: MIT
"""vmkb check says what a maintainer asks of a change to lwIP: cost, functions, sizes and RAM."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.workloads.test_workload_own import LOOP, TURNS, put
from tests.e2e.workloads.test_workload_own_vmkb import vmkb
from tests.guests.release.lwip import committed, copied
from vmkb.accounting.report.github import MARK

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(900),
              pytest.mark.usefixtures("emulator_needed")]  # fmt: skip
IN_WRITE = "  /* don't allocate segments bigger than half the maximum window we ever received */\n"
FRAME = """  { volatile u8_t much[3000]; much[apiflags] = 1;
    __asm__ volatile("" :: "a"(much) : "memory"); }
"""
FOLDED = re.compile(r"<details>.*?</details>", re.S)


@pytest.fixture
def lwip(tmp_path: Path) -> Path:
    """lwIP 2.2.1 as it is, committed."""
    committed(copied(tmp_path / "lwip"))
    return tmp_path / "lwip"


def check(lwip: Path, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """What is in the working tree beside its HEAD, in one case and with one option."""
    return vmkb(folder, "check", f"{lwip}@HEAD", str(lwip), "--case", "G24KB", "--cflags=-O3",
                "--out", "r", *more)  # fmt: skip


def test_what_grew_is_told_and_told_again_by_report(lwip: Path, tmp_path: Path) -> None:
    """A loop in tcp_input and a frame in tcp_write."""
    put(lwip, LOOP)
    path = lwip / "src" / "core" / "tcp_out.c"
    text = path.read_text("utf-8").replace("\r\n", "\n")
    assert IN_WRITE in text
    path.write_text(text.replace(IN_WRITE, FRAME + IN_WRITE), "utf-8")
    done = check(lwip, tmp_path, "--to", "github")
    assert done.returncode == 1, done.stderr
    body, _, log = done.stdout.partition("\n::")
    assert body.startswith(f"{MARK}\n**vmkb: dearer by more than 1 %: get 24 KB, binary**")
    assert log.startswith("error title=vmkb::")
    seen = [line for line in FOLDED.sub("fold", body).splitlines() if line]
    assert len(seen) <= 25 and seen.count("fold") == 3
    grew = re.search(r"\| tcp\\_in\.c tcp\\_input \| \+(\d+\.\d) \|", body)
    assert grew and float(grew[1]) > TURNS / 24  # more than a segment for each 24 KB
    sizes = re.search(r"Bytes: text ([\d,]+) -\\> [\d,]+ \(\+(\d+)\)", body)
    assert sizes and 40_000 < int(sizes[1].replace(",", "")) < 65_000  # a third of the program
    assert 8 <= int(sizes[2]) <= 100
    frames = re.search(r"largest frame (\d+) \S+ -\\> ([\d,]+) tcp\\_write \(", body)
    assert frames and int(frames[1]) < 400 and 3000 < int(frames[2].replace(",", "")) < 3500
    assert "program's data " in body and re.search(r"RAM at most [\d,]+", body)

    screen = vmkb(tmp_path, "report", "r").stdout.splitlines()
    assert len(screen) <= 24 and max(map(len, screen)) <= 80
    told = [line for line in screen if ".html" not in line]
    assert "\n".join(told) in done.stderr
    assert any(x.startswith("Grew, instructions per KB: tcp_input +") for x in told)
    for name, words in (("report.csv", "program's bss"), ("report.json", "tcp_in.c tcp_input")):
        assert words in (tmp_path / "r" / name).read_text("utf-8")
    assert not (tmp_path / "r" / "changes").exists()


def test_equal_programs_are_said_and_nothing_more_is_run(lwip: Path, tmp_path: Path) -> None:
    put(lwip, "  /* nothing that is compiled */\n")
    done = check(lwip, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "The programs of all releases are the same, byte for byte." in done.stdout
    assert "Bytes:" not in done.stdout and not (tmp_path / "r" / "changes.json").exists()
