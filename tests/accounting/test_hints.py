# SPDX-License-Identifier: MIT
"""RE2 finds every line that the families' own pattern would find: results never differ."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.accounting.grammar import make_records as made
from tests.accounting.grammar.printed import render
from tests.accounting.grammar.test_samples import (
    LINES,
    NO_RECORDS,
    VAX_ACCOUNTING,
    ZVM63_LOAD,
    ZVM_LOAD,
    ZVM_USER,
)
from tests.narrow import a_record, some
from vmkb.accounting.grammar.families import candidates
from vmkb.accounting.input import scan as module
from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Item, Record

sys.path.insert(0, str(Path(__file__).parent / "grammar"))

PREFIXES = (
    "",
    "15:29:50 ",
    "TCPIP   : ",
    "[ 320] ",
    "data: ",
    "  ",
    "\0\0",
    "1 ",
    "\x1b[1;1H",
    "vmuser1: ",
)


def both(data: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Item], list[Item]]:
    """What scan makes of DATA without RE2 (it is short) and with RE2 for each line."""
    plain = list(scan([data], keep_text=True))
    with monkeypatch.context() as patch:
        patch.setattr(module, "SHORT", 0)
        patch.setattr(module, "CROWDED", 0)
        return plain, list(scan([data], keep_text=True))


def shown(items: list[Item]) -> list[str]:
    return [f"{type(i).__name__} {i.args if isinstance(i, Exception) else i}" for i in items]


@pytest.mark.parametrize("name", sorted(made.RECORDS))
def test_every_record_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @settings(max_examples=40, deadline=None)
    @given(made.RECORDS[name], st.sampled_from(PREFIXES), st.sampled_from(["\n", "\r\n", ""]))
    def check(record: Record, before: str, end: str) -> None:
        lines = [f"{before}{line}" for line in render(record).split("\n")]
        data = ("some text\n" + "\n".join(lines) + end).encode("latin-1")
        plain, fast = both(data, monkeypatch)
        assert shown(fast) == shown(plain)

    check()


def test_samples_and_their_mutations_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(10)
    blocks = [VAX_ACCOUNTING, ZVM63_LOAD, ZVM_LOAD, ZVM_USER]
    seeds = [*(line for line, _ in LINES), *blocks, *NO_RECORDS]
    for _ in range(1500):
        text = "\n".join(rng.choice(seeds) for _ in range(rng.randint(1, 4)))
        data = bytearray(text.encode("latin-1"))
        for _ in range(rng.randint(0, 3)):
            data[rng.randrange(len(data))] = rng.choice(b"\n :;0459AF-=/\r")
        plain, fast = both(bytes(data), monkeypatch)
        assert shown(fast) == shown(plain), bytes(data)


def test_long_and_crowded_inputs_give_what_the_pattern_finds() -> None:
    """Through RE2, from RE2 to the pattern where records crowd, and across blocks."""
    rng = random.Random(3)
    record, text = LINES[0][0], "DMKLOG050E PASSWORD INCORRECT - REINITIATE LOGON PROCEDURE"
    lines = [record if rng.random() < 0.002 else text for _ in range(6000)]
    lines += [record if rng.random() < 0.7 else text for _ in range(3000)] + lines
    data = ("\n".join(lines) + "\n").encode()
    want = [n for n, line in enumerate(lines, start=1) if line == record]
    for size in (len(data), 300_000, 70_001):
        blocks = [data[at : at + size] for at in range(0, len(data), size)]
        assert [a_record(item).where.line for item in scan(blocks)] == want


def test_one_familys_hints_are_enough_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SHORT", 0)
    monkeypatch.setattr(module, "CROWDED", 0)
    for line, _ in LINES:
        (found,) = scan([line.encode("latin-1")])
        pattern = candidates(())
        first = some(pattern[0].match(b"\n" + line.encode("latin-1")))
        name = pattern[1][some(first.lastindex)].name
        assert shown(list(scan([line.encode("latin-1")], names=(name,)))) == shown([found])
