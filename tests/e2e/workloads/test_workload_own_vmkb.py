# SPDX-License-Identifier: MIT
"""A VM/KB of the user's own as a release: loops of known cost in CP and FTPSERVE are found, a
comment costs nothing, and what does not build is refused."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guests.release.lwip import committed
from vmkb.accounting.costs import costs
from vmkb.accounting.models import model
from vmkb.accounting.records import Source
from vmkb.accounting.store import read
from vmkb.guests.release.source import read as read_source
from vmkb.hercules.guest import PROJECT

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(900),
              pytest.mark.usefixtures("emulator_needed")]  # fmt: skip
IN_CP = "cp/comm/iucv.c", "    case IUCV_SEND:    "
IN_FTPSERVE = "service/ftp/file_commands.c", "    reply(s, 150, \"Sending file '%s'.\", arg);\n"
TURNS = 20_000
LOOP = f"""{{ uint64_t turns;
    __asm__ volatile("lghi %0,{TURNS}\\n0:\\tbrctg %0,0b" : "=d"(turns)); }}
"""
COMMENT = "    /* only\n       a comment */\n"
FILES = 36


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What of this project VM/KB is built from, committed in a folder with a blank in its name."""
    here = tmp_path / "my vmkb"
    for name, content in read_source(PROJECT).files.items():
        path = here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if content.startswith(b"#!") else 0o644)
    committed(here)
    return here


def put(clone: Path, where: tuple[str, str], code: str, behind: bool = False) -> None:
    """CODE in front of a place of VM/KB, or behind it."""
    path = clone / "guests" / "vmkb" / where[0]
    text = path.read_text("utf-8")
    assert where[1] in text
    path.write_text(text.replace(where[1], where[1] + code if behind else code + where[1]), "utf-8")


def vmkb(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command, run in FOLDER."""
    return subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", *words], cwd=folder, text=True, timeout=800,
        capture_output=True, env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )  # fmt: skip


def executed(folder: Path) -> dict[str, float]:
    """Instructions that all machines executed in the one trial of each release."""
    found = costs(read(folder).trials, Source.IC, model("2064-109"))
    return {
        cost.trial.release: sum(p.instructions.value for p in cost.parts if p.instructions)
        for cost in found
    }


def test_a_trail_names_the_commit_that_made_cp_dearer(clone: Path, tmp_path: Path) -> None:
    put(clone, IN_CP, LOOP, behind=True)
    committed(clone, "loop")
    done = vmkb(tmp_path, "trail", "vmkb", str(clone), "HEAD~1..HEAD", "--case", "G24KB",
                "--out", "t")  # fmt: skip
    assert done.returncode == 0, done.stderr
    with (tmp_path / "t" / "trail.csv").open(encoding="utf-8", newline="") as file:
        first, loop = csv.DictReader(file)
    assert float(first["cpu_us_per_kb"]) > 0
    assert float(loop["change_percent"]) > 0
    assert int(loop["text_bytes"]) > 500_000
    page = (tmp_path / "t" / "site" / f"step-{loop['commit'][:10]}.html").read_text()
    grew = page[page.index('id="step-functions') :]
    assert "iucv" in grew[: grew.index("</tr>", grew.index("<tbody"))]


def test_a_loop_in_cp_is_found_and_a_comment_costs_nothing(clone: Path, tmp_path: Path) -> None:
    put(clone, IN_FTPSERVE, COMMENT)
    committed(clone, "comment")
    put(clone, IN_CP, LOOP, behind=True)
    done = vmkb(tmp_path, "run", "ftp", "--releases", f"221,NOTE={clone}@HEAD,LOOP={clone}",
                "--case", "G24KB", "--trials", "1", "--builds", "1", "--out", "r")  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    spent = executed(tmp_path / "r")
    assert spent["221"] == spent["NOTE"]
    programs = {t.release: t.params["program"] for t in read(tmp_path / "r").trials}
    assert programs["221"] == programs["NOTE"] != programs["LOOP"]
    grown = spent["LOOP"] - spent["221"]
    sent = round(grown / (TURNS + 1))
    assert sent >= FILES
    assert grown == pytest.approx((TURNS + 1) * sent, rel=0.002)
    assert "HEAD is commit" in done.stderr and "uncommitted changes in 1 file," in done.stderr


def test_a_loop_in_ftpserve_is_found_by_who_serves(clone: Path, tmp_path: Path) -> None:
    put(clone, IN_FTPSERVE, LOOP)
    done = vmkb(tmp_path, "run", "serve", "--releases", f"KB,LOOP={clone}", "--case", "G24KB",
                "--trials", "1", "--out", "r")  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    spent = executed(tmp_path / "r")
    # what the system does without work is taken off by how long the work takes
    assert spent["LOOP"] - spent["KB"] == pytest.approx((TURNS + 1) * FILES, rel=0.01)


def test_what_does_not_build_is_refused_with_its_first_error(clone: Path, tmp_path: Path) -> None:
    put(clone, IN_CP, "    mistake;\n")
    done = vmkb(tmp_path, "run", "ftp", "--releases", f"221,BAD={clone}", "--builds", "1",
                "--out", "r")  # fmt: skip
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert "Release BAD, VM/KB" in said and "does not build: cp/comm/iucv.c:" in said
    assert "error:" in said and "mistake" in said
    assert not (tmp_path / "r").exists()
