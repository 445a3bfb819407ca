# SPDX-License-Identifier: MIT
"""Sizes of linked programs beside what the toolchain says of them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.making import COMPILER
from vmkb.guests.release.sizes import functions, objects, program_sizes, taken

SOURCE = """
int words[300] = {1}, none[1000];
const int constants[50] = {2};
void use(volatile char *);
void small(void) { volatile char b[40]; use(b); }
void large(void) { volatile char b[5000]; use(b); }
void huge(void) { volatile char b[300000]; use(b); }
int leaf(int x) { return x + constants[x] + none[x]; }
int turns(int n) { int k = 0; while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; k++; } return k; }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sizes")
    (folder / "a.c").write_text(SOURCE, "utf-8")
    subprocess.run(
        [COMPILER, "-O2", "-march=z10", "-ffreestanding", "-nostdlib", "-static", "-fno-pic",
         "-no-pie", "-fstack-usage", "-Wl,--unresolved-symbols=ignore-all,-e,0", "-o", "a.elf",
         "a.c"], cwd=folder, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return folder / "a.elf"


def test_sections_add_up_as_size_says(program: Path) -> None:
    said = subprocess.run(
        [COMPILER.replace("gcc", "size"), program], check=True, capture_output=True, text=True
    ).stdout
    assert program_sizes(program) == tuple(map(int, said.splitlines()[1].split()[:3]))


def test_frames_are_those_of_the_compiler(program: Path) -> None:
    (usage,) = program.parent.glob("*.su")
    said = dict(re.findall(r"^\S+:(\w+)\t(\d+)\t", usage.read_text("utf-8"), re.M))
    found = {f.name: str(f.frame) for f in functions(program)}
    assert said == found and set(found) == {"small", "large", "huge", "leaf", "turns"}


def test_variables_have_their_sizes(program: Path) -> None:
    assert objects(program) == {"words": 1200, "none": 4000, "constants": 200}


def test_instructions_are_cut_as_the_disassembler_cuts_them(program: Path) -> None:
    listed = subprocess.run(
        [COMPILER.replace("gcc", "objdump"), "-d", "-z", program], check=True, capture_output=True,
        text=True,
    ).stdout  # fmt: skip
    said = [int(a, 16) for a in re.findall(r"^\s*([0-9a-f]+):\t", listed, re.M)]
    mine = [address for f in functions(program) for address, _ in f.instructions()]
    assert mine and set(mine) <= set(said)


@given(st.integers(-(2**19), 2**19 - 1))
def test_lay_takes_what_its_displacement_says(n: int) -> None:
    low, high = n & 0xFFF, (n >> 12) & 0xFF
    assert taken(bytes((0xE3, 0xF0, 0xF0 | low >> 8, low & 255, high, 0x71))) == max(0, -n)


@given(st.integers(-(2**15), 2**15 - 1))
def test_aghi_takes_what_it_subtracts(n: int) -> None:
    assert taken(b"\xa7\xfb" + n.to_bytes(2, signed=True)) == max(0, -n)


@pytest.mark.parametrize("content", [b"", b"\x7fELF\x02\x02", b"\x7fELF\x01\x01" + bytes(60)])
def test_what_is_no_program_is_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.elf").write_bytes(content)
    for read in (program_sizes, functions, objects):
        with pytest.raises(SourceError, match=r"x\.elf is"):
            read(tmp_path / "x.elf")
    with pytest.raises(SourceError, match="cannot be read"):
        program_sizes(tmp_path / "nothing.elf")
