# SPDX-License-Identifier: MIT
"""What stands in a table, for the tests of the workloads that make it."""

from __future__ import annotations

from vmkb.accounting.tables.table import Row, Table


def rows(table: Table, *keys: str) -> list[Row]:
    """The rows that begin with KEYS: the label, then cells."""
    every = [row for section in table.body for row in section.rows]
    return [r for r in every if (r.label, *(c.text for c in r.cells))[: len(keys)] == keys]


def text(table: Table, row: Row, head: str) -> str:
    """The cell below the column HEAD."""
    return row.cells[table.columns.index(head)].text


def value(table: Table, row: Row, head: str) -> float:
    """What is behind the cell below the column HEAD."""
    found = row.cells[table.columns.index(head)].value
    assert found is not None, (head, row)
    return found
