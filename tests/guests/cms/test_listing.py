# SPDX-License-Identifier: MIT
"""LISTFILE's lines: columns that hold for every number, and dates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.guests.cms.conftest import Ask

WORD = st.integers(0, 2**32 - 1)
DETAIL = {"fname": 0, "ftype": 1, "fmode": 2, "format": 3, "alloc": 4, "date": 5, "label": 6}


@pytest.fixture
def ask(start: Callable[[], Ask]) -> Ask:
    return start()


def test_short_forms_have_no_heading(ask: Ask) -> None:
    assert ask(f"l{DETAIL['fname']} 1 80 1 1 0") == ["", "FILENAME"]
    assert ask(f"l{DETAIL['ftype']} 1 80 1 1 0") == ["", "FILENAME TYPE"]
    assert ask(f"l{DETAIL['fmode']} 1 80 1 1 0") == ["", "FILENAME TYPE     A1"]


@settings(
    max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(fixed=st.booleans(), numbers=st.tuples(WORD, WORD, WORD), written=st.integers(0, 6 * 10**9))
def test_every_file_fits_the_columns(
    ask: Ask, fixed: bool, numbers: tuple[int, int, int], written: int
) -> None:
    lrecl, records, blocks = numbers
    heading, line = ask(f"l6 {int(fixed)} {lrecl} {records} {blocks} {written}")
    when = datetime(1900, 1, 1, tzinfo=UTC) + timedelta(seconds=written)
    stamp = f"{when.month:2}/{when:%d/%y} {when.hour:2}:{when:%M:%S}"
    recfm = "F" if fixed else "V"
    assert line == (
        f"FILENAME TYPE     A1 {recfm} {lrecl:10} {records:10} {blocks:10} {stamp} LABEL"
    )
    assert len(heading) == len(line)
    assert heading.index("LABEL") == line.index("LABEL")
