# SPDX-License-Identifier: MIT
"""What check keeps beside the costs: RAM by NETSTAT's lines, growth, damaged files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.accounting.records import Record
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.grown import MOST, Growth, Program, functions_table, in_lines
from vmkb.errors import UsageError
from vmkb.workloads.base.profile.changes import most_ram, ram
from vmkb.workloads.base.profile.told import FILE, Changes, tables
from vmkb.workloads.base.readout import POOLS, read_console

LWIP = """TCPIP Free pool status:
DATA BUFFERS         48 OF     48 FREE,  32768 BYTES EACH
HEAP BYTES       1572864 OF 1572864 FREE, MOST USED 288, FAILED 0
RAW_PCB               3 OF      4 FREE, MOST USED 1, FAILED 0
UDP_PCB              32 OF     32 FREE, MOST USED 0, FAILED 0
TCP_PCB             223 OF    256 FREE, MOST USED 34, FAILED 0
"""
FREERTOS = """TCPIP Free pool status:
DATA BUFFERS         48 OF     48 FREE,  32768 BYTES EACH
NETWORK BUFFERS      90 OF    100 FREE, MOST USED 12, FAILED 0
"""
ARRAYS = {"memp_memory_RAW_PCB_base": 4 * 48 + 7, "memp_memory_TCP_PCB_base": 256 * 280 + 7}


def pools(text: str) -> list[Record]:
    return list(read_console(text.encode(), "t", "T-1", POOLS)[0])


def test_ram_is_the_heap_and_each_pool_at_its_most() -> None:
    assert ram(pools(LWIP), ARRAYS) == 288 + 48 + 34 * 280


def test_ram_is_that_of_the_trial_that_took_most() -> None:
    little = LWIP.replace("MOST USED 34", "MOST USED 2")

    def trials(*texts: str) -> list[Trial]:
        return [
            Trial(id=f"T-{n}", run="r", case="c", release="221", records=tuple(pools(text)))
            for n, text in enumerate(texts)
        ]

    most = 288 + 48 + 34 * 280
    assert most_ram(trials(LWIP, little), ARRAYS) == most_ram(trials(little, LWIP), ARRAYS) == most
    assert most_ram(trials(LWIP, ""), ARRAYS) is None
    assert most_ram([], ARRAYS) is None


def test_ram_is_not_guessed() -> None:
    assert ram(pools(FREERTOS), ARRAYS) is None
    assert ram(pools(LWIP), {"memp_memory_RAW_PCB_base": 199}) is None
    assert ram([], ARRAYS) is None


def test_what_is_kept_is_told_again(tmp_path: Path) -> None:
    assert tables(tmp_path) == []
    base, new = Program(10, 8, 9, 240, "a"), Program(12, 8, 9, 320, "b", 5)
    kept = Changes(case="get 2 MB", names=("x", "y"), compiled="-O3", programs=(base, new),
                   functions={"tcp.c f": -2.0, "tcp.c g": 1.04}, whole=-0.01)  # fmt: skip
    (tmp_path / FILE).write_text(kept.model_dump_json(), "utf-8")
    assert in_lines(tables(tmp_path)) == [
        "Bytes: text 10 -> 12 (+2), largest frame 240 a -> 320 b (+80); the same: program's data 8,"
        " program's bss 9.",
        "Grew, instructions per KB: g +1.0",
        "Shrank, instructions per KB: f -2.0",
    ]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"case": 1}', b"\xff\xfe"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(UsageError, match=r"changes\.json"):
        tables(tmp_path)


@given(st.dictionaries(st.text("abc_", min_size=1, max_size=50), st.floats(-1e6, 1e6), max_size=40))
def test_functions_take_a_line_each_way(functions: dict[str, float]) -> None:
    growth = Growth({f"a.c {name}": x for name, x in functions.items()}, 0.0)
    table = functions_table(growth, ("x", "y"), "get 2 MB", "TCPIP")
    lines = in_lines([table] if table else [])
    assert len(lines) == bool(growth.grew) + bool(growth.shrank)
    assert all(len(line) <= 100 for line in lines)
    assert len(growth.grew) <= MOST and all(x > 0 for _, x in growth.grew)
    assert all(x < 0 for _, x in growth.shrank)
    left = set(growth.each.values()) - {x for _, x in (*growth.grew, *growth.shrank)}
    if len(growth.grew) == MOST and left:
        assert max(left) <= growth.grew[-1][1]
