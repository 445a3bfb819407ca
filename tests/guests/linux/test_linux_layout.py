# SPDX-License-Identifier: MIT
"""A linker script that names objects in an order: each once in each section, before what is left,
and nothing else changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.guests.linux.make.layout import SECTIONS, arranged
from vmkb.guests.release.errors import SourceError

SCRIPTS = (
    "*(.text.hot .text.hot.*) *(.text .text.fixup) *(.data..init) *(.data) *(.bss..a) *(.bss)",
    "KEEP(*(.head.text))\n *(.text.hot .text .text.fixup)\n *(.data .data.[0-9a-z_]*) *(.bss)",
)
NAMES = st.sets(st.from_regex(r"[a-z]{1,4}/[a-z0-9_-]{1,6}\.o", fullmatch=True), max_size=20)


@given(st.sampled_from(SCRIPTS), NAMES, st.integers(2, 60))
def test_all_stand_once_in_each_section(script: str, names: set[str], number: int) -> None:
    lines = arranged(script, names, number).split("\n")
    for section in SECTIONS:
        mine = [f"*{name}(.{section})" for name in names]
        at = [k for k, line in enumerate(lines) if line in mine]
        assert sorted(lines[k] for k in at) == sorted(mine)
        assert not at or f".{section}" in lines[at[-1] + 1]
    kept = [line for line in lines if not line.endswith(tuple(f".o(.{s})" for s in SECTIONS))]
    assert "".join(kept).split() == script.split()


def test_another_number_is_another_order_and_the_same_one_is_not() -> None:
    names = [f"kernel/{n}.o" for n in range(20)]
    assert arranged(SCRIPTS[0], names, 2) == arranged(SCRIPTS[0], names[::-1], 2)
    assert arranged(SCRIPTS[0], names, 2) != arranged(SCRIPTS[0], names, 3)


def test_a_script_without_a_place_is_refused() -> None:
    with pytest.raises(SourceError, match=r"takes no \.data"):
        arranged("*(.text) *(.bss)", ["a.o"], 2)
