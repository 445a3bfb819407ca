# SPDX-License-Identifier: MIT
"""Layers on one screen."""

from __future__ import annotations

from vmkb.accounting.profile.screen import screen
from vmkb.accounting.tables.table import Cell, Row, Section, Table, word


def test_long_names_of_cases_stand_apart_above_their_numbers() -> None:
    cells = (word("213"), *(Cell(f"{x}", x, "instr/KB", "") for x in (105.4, 998.0)))
    head = Row("Layer", tuple(map(word, ("Release", "AFS10M1", "RX1024K.L"))))
    table = Table(
        "layers-X", "Layers", (Section("head", (head,)), Section("body", (Row("Rx", cells),))), ()
    )
    _, heads, line, *_ = screen([table]).splitlines()
    assert heads.split() == ["Layer", "AFS10M1", "RX1024K.L"]
    assert line.split() == ["Rx", "105.4", "998.0"]
    assert len(heads) == len(line)
