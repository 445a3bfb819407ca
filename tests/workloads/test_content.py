# SPDX-License-Identifier: MIT
"""The files that are moved: their sizes on the wire, and that they are the same every time."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from vmkb.guests.vmkb.disk.records import to_text
from vmkb.guests.vmkb.driver import records_of
from vmkb.workloads.base.workload import rounds
from vmkb.workloads.ftp import Workload
from vmkb.workloads.ftp.content import (
    LINE_MAX,
    LINE_MIN,
    source_files,
    source_name,
    target_name,
    text_lines,
    transfers,
)
from vmkb.workloads.ftp.execs import command
from vmkb.workloads.ftp.plan import FILES_MAX, plan

WORKLOAD = Workload().definition


@given(st.integers(256, 30000), st.integers(0, 1000))
def test_text_is_as_long_as_asked_with_crlf(size: int, seed: int) -> None:
    lines = text_lines(size, random.Random(seed))
    assert sum(len(line) + 2 for line in lines) == size
    assert all(LINE_MIN <= len(line) <= LINE_MAX for line in lines)
    assert all(line == line.rstrip() for line in lines)  # a trailing blank would be lost


def test_sources_are_whole_and_different() -> None:
    files = source_files(WORKLOAD)
    for case in WORKLOAD.case:
        size = WORKLOAD.size[case.size]
        found = [records_of(files[source_name(case, n + 1)]) for n in range(size.sources)]
        assert len({f.data for f in found}) == size.sources
        for stored in found:
            if case.mode == "ASCII":
                wire = to_text(stored).replace("\n", "\r\n")
                assert len(wire.encode("latin-1")) == size.bytes
            else:
                assert len(stored.data) == size.bytes
    assert all(len(fn) <= 8 and len(ft) <= 8 for fn, ft in files)


def test_the_same_bytes_every_time() -> None:
    first, again = (text_lines(5000, random.Random("320 A")) for _ in range(2))
    assert first == again


def test_sources_take_turns_and_every_target_has_its_own_name() -> None:
    for planned in plan(WORKLOAD, "full", rounds(WORKLOAD.case, WORKLOAD.releases[:1], 1)):
        moved = transfers(WORKLOAD, planned)
        assert len(moved) == planned.files
        assert len({target for _, target in moved}) == planned.files
        sources = WORKLOAD.size[planned.case.size].sources
        assert [source for source, _ in moved[: 2 * sources]] == [
            source_name(planned.case, k % sources + 1) for k in range(2 * sources)
        ]


def test_a_single_file_uses_the_first_source_only() -> None:
    planned = plan(WORKLOAD, "quick", rounds(WORKLOAD.case[:1], WORKLOAD.releases[:1], 1))[0]
    one = planned.model_copy(update={"files": 1})
    assert transfers(WORKLOAD, one) == [(source_name(planned.case, 1), target_name(1))]
    assert len(target_name(FILES_MAX)[0]) <= 8


def test_the_command_is_the_same_for_all_releases() -> None:
    planned = plan(WORKLOAD, "quick", rounds(WORKLOAD.case[:1], WORKLOAD.releases[:1], 1))[0]
    lines = set()
    for name in ("213", "A", "LONGNAME"):
        release = planned.release.model_copy(update={"name": name})
        mine = planned.model_copy(update={"release": release, "id": f"{planned.case.id}{name}-12"})
        lines.add(command(WORKLOAD, mine, 2))
    (line,) = lines
    assert line.startswith(f"FTPTRIAL {planned.case.id}-12 ")
