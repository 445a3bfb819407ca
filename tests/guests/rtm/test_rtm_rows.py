# SPDX-License-Identifier: MIT
"""vmkb monitor's reading of RTMSF's console: lines of more than 80 characters in rows of 80."""

from __future__ import annotations

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from vmkb.workloads.measuring.monitor import plain, read_interval, screen

AT = "2026-11-21 06:40:10 SECS=10.000"
SYSTEM = f"RTMSF SYSTEM {AT} CPU=43.21 CP=12.10 USR=31.11 WAIT=56.79 IO={{io}} IUCV={{iucv}}"
SYSTEM += " STOR=34.00 QUEUE=2 USERS=1 CONS=1.20 INSTR={instr} MODEL={model}"
USER = f"RTMSF USER {{name:<8}} {AT} CPU=23.40 VIRT=11.10 IO={{io}} IUCV={{iucv}} STOR=4096 STATE=R"
USER += " CONS=0.00 INSTR={instr} MODEL={model}"
RATE = st.integers(0, 99_999_999).map(lambda n: f"{n / 100:.2f}")
FIELDS = st.fixed_dictionaries(
    {
        "io": RATE,
        "iucv": RATE,
        "instr": st.integers(0, 999_999_999),
        "model": st.sampled_from(["HOST", "2064-109", "9021-720"]),
        "name": st.sampled_from(["A", "TCPIP", "VMUSER12"]),
    }
)


def rows(lines: list[str]) -> list[str]:
    """As a screen shows them and a transcript keeps them: cut at 80, blanks at the end gone."""
    return [line[i : i + 80].rstrip() for line in lines for i in range(0, len(line), 80)]


@settings(max_examples=30)
@given(st.lists(FIELDS, min_size=1, max_size=6))
def test_lines_come_whole_out_of_rows(fields: list[dict[str, object]]) -> None:
    lines = [SYSTEM.format(**fields[0])] + [USER.format(**one) for one in fields[1:]]
    found = read_interval(["set console on", *rows(lines), ""])
    assert found is not None
    assert list(found.lines) == lines
    assert len(found.users) == len(fields) - 1
    assert found.system.value("instr").value == fields[0]["instr"]


@settings(max_examples=30)
@given(st.lists(FIELDS, min_size=2, max_size=4), st.data())
def test_a_row_that_is_missing_is_not_guessed(fields: list[dict[str, object]], data) -> None:  # type: ignore[no-untyped-def]
    lines = [SYSTEM.format(**fields[0])] + [USER.format(**one) for one in fields[1:]]
    whole = rows(lines)
    gone = data.draw(st.integers(0, len(whole) - 1))
    found = read_interval(whole[:gone] + whole[gone + 1 :])
    if found is not None:  # only the end of a model's name can go unnoticed
        assert all(any(one.startswith(line) for one in lines) for line in found.lines)


def test_what_is_shown() -> None:
    values = {"io": "123.40", "iucv": "5.00", "instr": 77, "model": "HOST", "name": "TCPIP"}
    found = read_interval(rows([SYSTEM.format(**values), USER.format(**values)]))
    assert found is not None
    assert plain(found).splitlines()[0].startswith("06:40:10 CPU 43.21 % CP 12.10 USR 31.11 WAIT")
    assert "T/V  2.11" in plain(found)
    console = Console(file=io.StringIO(), width=100, height=24)
    console.print(screen(found, [found.system] * 50, console))
    shown = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert len(shown) <= 24
    assert any(line.split()[:4] == ["TCPIP", "23.40", "11.10", "2.11"] for line in shown)
