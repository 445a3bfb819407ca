# SPDX-License-Identifier: MIT
"""What several systems print in the same way."""

from __future__ import annotations

from vmkb.accounting.records import Record, Value


def numbers(record: Record) -> dict[str, int]:
    """RECORD's numbers by their fields."""
    return {name: int(v.value) for name, v in record.fields.items() if isinstance(v, Value)}


def hms(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
