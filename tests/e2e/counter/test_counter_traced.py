# SPDX-License-Identifier: MIT
"""The accounts against the emulator's own instruction trace: Hercules writes a line for each
instruction, and a CMS command costs as many as there are lines, in the machine and in all."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e import cms_guest
from tests.e2e.cms_guest import Cms, booted
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.machine import Hercules

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

PSW = re.compile(r"PSW=([0-9A-F]{8}) [0-9A-F]{8} [0-9A-F]{16} INST=([0-9A-F]+)")
PROBLEM_STATE = 0x00010000
PROGRAM_INTERRUPTION = re.compile(r"HHCCP014I ")
VIRT = re.compile(r"VIRT +\d+ US (\d+) INSTR")
SUM = re.compile(r"TOTAL +\d+ +\d+ +(\d+) +\d+")
COMMAND = "listfile lines text a (label"
TRACING = r"^HHCPN040I "
TRACED_WITHIN = 60.0
SWITCHED_WITHIN = 30.0


@dataclass(frozen=True)
class Trace:
    """Instructions in order: in problem state or not, and the code."""

    problem: list[bool]
    code: list[str]

    def at(self, pattern: str) -> list[int]:
        """Where the instructions are whose code matches."""
        return [i for i, code in enumerate(self.code) if re.match(pattern, code)]


def read_trace(log: Iterable[str]) -> Trace:
    """The instructions that were begun; one that is shown again as it is interrupted is one."""
    trace = Trace([], [])
    again = False
    for line in log:
        again |= PROGRAM_INTERRUPTION.match(line) is not None
        match = PSW.match(line)
        if match is None:
            continue
        if not again:
            trace.problem.append(bool(int(match[1], 16) & PROBLEM_STATE))
            trace.code.append(match[2])
        again = False
    return trace


def counts(user: Cms) -> tuple[int, int]:
    """What the machine has counted, and all accounts."""
    own = [m for m in map(VIRT.match, user.run("query time (full")) if m]
    everybody = [m for m in map(SUM.match, user.run("cp query acnt")) if m]
    return int(own[0][1]), int(everybody[0][1])


def growth(user: Cms) -> tuple[int, int]:
    """The same between two readings with the command between them."""
    before = counts(user)
    user.run(COMMAND)
    after = counts(user)
    return after[0] - before[0], after[1] - before[1]


def traced(machine: Hercules, user: Cms) -> tuple[tuple[int, int], Trace]:
    """What has grown while Hercules traced, and its trace of it."""
    machine.command("traceopt noregs")
    machine.command("t+")
    machine.wait_log(TRACING, SWITCHED_WITHIN)
    grown = growth(user)
    mark = machine.log.mark()
    machine.command("t-")
    machine.wait_log(TRACING, SWITCHED_WITHIN, mark)
    with (machine.run_dir / "log").open(encoding="latin-1") as log:
        return grown, read_trace(log)


def test_a_command_counts_as_many_instructions_as_its_trace_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not choose().exact:
        pytest.skip("this emulator counts in batches: CALIBRATE says by how much it is wrong")
    if choose().dialect.key != "hercules-3.13":
        pytest.skip("what is read here is the trace of Hercules 3.13")
    monkeypatch.setattr(cms_guest, "WITHIN", TRACED_WITHIN)
    with booted(tmp_path, {}) as (guest, machine):
        user = Cms((guest, machine), 0x0701, "USER1")
        growth(user)  # the first time the file's blocks are read
        untraced = min(growth(user)[0] for _ in range(3))  # a busy host interrupts one or other
        (virt, everything), trace = traced(machine, user)
        user.close()
    # CMS gives CP a command by DIAGNOSE X'08'. QUERY TIME and QUERY ACNT read the counter once
    # themselves, behind the reading at CP's entry; the machine's part is read there.
    asked = trace.at("83..0008")
    assert len(asked) == 4
    readings = trace.at("83..0F08")
    time_1, acnt_1, time_2, acnt_2 = asked
    assert virt == sum(trace.problem[time_1 + 1 : time_2 + 1])
    first, last = (readings[bisect_right(readings, at) + 1] for at in (acnt_1, acnt_2))
    assert everything == last - first
    # Untraced it is the same but for clocks, whose figures differ, and what is slow is interrupted.
    assert virt == pytest.approx(untraced, rel=0.02)
