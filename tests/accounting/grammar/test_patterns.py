# SPDX-License-Identifier: MIT
"""Patterns that every Python from 3.11 on takes alike."""

from __future__ import annotations

import re
from pathlib import Path

from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Record

ANSWER = b"""\
ECHO    : CONNECT= 00:00:00 VIRTCPU= 000:00.00 TOTCPU= 000:00.00
ECHO    : VIRT  000000000887 US 000000138411 INSTR 000000000084 MOVED 000000000000 SUMMED
ECHO    : TOTAL 000000001532 US 000000238338 INSTR 000000016596 MOVED 000000000000 SUMMED
ECHO    : MODEL 2064-109 CORRECTIONS 0 COUNTER EXACT USER TCPIP
ECHO    : TIME IS 12:59:52 UTC SUNDAY 11/22/26
"""


def test_a_record_ends_before_the_line_that_is_no_part_of_it() -> None:
    connect, time_is = scan([ANSWER])
    assert isinstance(connect, Record) and isinstance(time_is, Record), (connect, time_is)
    assert connect.raw.encode() == ANSWER.rpartition(b"\nECHO    : TIME")[0]


def test_no_group_is_repeated_possessively(project: Path) -> None:
    """Python before 3.11.5 forgets to go back when such a repetition fails halfway."""
    found = [
        f"{path.relative_to(project)}: {line.strip()}"
        for package in ("accounting", "guests", "hercules", "workloads")
        for path in (project / package).rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"\)(\?|\*|\+|\{[^}]*\})\+", line.partition("  # ")[0])
        and not line.startswith("#")
    ]
    assert not found
