# SPDX-License-Identifier: MIT
"""Debugging data name files from VM/KB's folder: a clone that was moved has the names, too."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vmkb.accounting.profile.symbols import parse_addr2line
from vmkb.hercules.guest import load_guest

pytestmark = pytest.mark.e2e
TOOLS = "s390x-linux-gnu-"
ABSOLUTE = re.compile(r"^/", re.M)


def test_a_folder_of_any_name_makes_the_same_program(tmp_path: Path) -> None:
    """An option that names the folder is one word to the shell."""
    here = load_guest("vmkb").folder
    odd = tmp_path / "a folder of 'some' name (1)"
    shutil.copytree(here, odd / "guests" / "vmkb", ignore=shutil.ignore_patterns("build"))
    (odd / "accounting").mkdir()
    shutil.copy(here.parents[1] / "accounting" / "machines.toml", odd / "accounting")
    program = "build/exercise.elf"
    subprocess.run(
        ["make", "-C", odd / "guests" / "vmkb", f"PYTHON={sys.executable}", program],
        check=True, capture_output=True,
    )  # fmt: skip
    assert (odd / "guests" / "vmkb" / program).read_bytes() == (here / program).read_bytes()


def test_no_program_names_the_folder_in_which_it_was_made() -> None:
    build = load_guest("vmkb").folder / "build"
    programs = sorted(build.glob("*.elf"))
    assert {"cp.elf", "cms.elf", "tcpip221.elf"} <= {p.name for p in programs}
    for program in programs:
        listed = subprocess.run([f"{TOOLS}nm", program], capture_output=True, text=True, check=True)
        code = [w[0] for line in listed.stdout.splitlines() if (w := line.split())[1:2] == ["T"]]
        told = subprocess.run(
            [f"{TOOLS}addr2line", "-a", "-i", "-f", "-e", program], text=True, check=True,
            input="\n".join(code), capture_output=True,
        ).stdout  # fmt: skip
        assert not ABSOLUTE.search(told), program
        frames = [f for found in parse_addr2line(told, "/elsewhere").values() for f in found]
        known = [f for f in frames if f.file != "?"]
        assert known and all(Path(f.file).suffix for f in known)
