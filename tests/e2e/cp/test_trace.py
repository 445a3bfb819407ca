# SPDX-License-Identifier: MIT
"""TRACE and ADSTOP: instructions of one machine shown, or stopped at, by the processor's events."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import WITHIN, Cms
from tests.e2e.spool_guest import built, logged_on, running
from vmkb.hercules.tn3270.screen import Status

pytestmark = pytest.mark.e2e

SHOWN = re.compile(r"-> ([0-9A-F]{16})  ((?:[0-9A-F]{4}){1,3}) +CC [0-3]")


@pytest.fixture
def users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cms, Cms]]:
    run = built(tmp_path_factory.mktemp("trace"), {"sender/any.text": "any\n"})
    with running(run) as pair, logged_on(pair) as (one, other):
        yield one, other


def stopped(cms: Cms, command: str) -> list[str]:
    """What was shown until the machine stopped in CP READ."""
    mark = cms.type(command)
    lines = cms.session.lines
    cms.session.terminal.wait(
        lambda s: s.status is Status.CP_READ and len(lines) > mark + 1, WITHIN, "CP READ"
    )
    return lines[mark + 1 :]


def traced(line: str) -> tuple[int, int]:
    """Address and length of the instruction."""
    found = SHOWN.fullmatch(line)
    assert found, line
    return int(found[1], 16), len(found[2]) // 2


def ready(cms: Cms, command: str) -> None:
    mark = cms.type(command)
    cms.expect("Ready", mark)


def test_instructions_are_shown_one_by_one(users: tuple[Cms, Cms]) -> None:
    one, other = users
    at, length = traced(stopped(one, "TRACE INSTR RANGE 10000000-1FFFFFFF")[-1])
    assert length in (2, 4, 6)
    places = [at] + [traced(stopped(one, "BEGIN")[-1])[0] for _ in range(5)]
    assert len(set(places)) > 1
    assert other.run("TRACE INSTR", 7) == ("DMKTRC007E SENDER IS TRACED; ONE MACHINE CAN BE",)
    assert other.run("QUERY TRACE") == ("NO TRACE IS ACTIVE",)
    assert stopped(one, "TRACE END")[-1] == "TRACE ENDED"
    ready(one, "BEGIN")
    assert one.run("IDENTIFY")[0].startswith("SENDER   AT")


def test_a_machine_stops_before_an_instruction_once(users: tuple[Cms, Cms]) -> None:
    one, _ = users
    stopped(one, "TRACE INSTR RANGE 10000000-1FFFFFFF")
    at, _ = traced(stopped(one, "BEGIN")[-1])
    stopped(one, "TRACE END")
    ready(one, "BEGIN")
    assert stopped(one, f"ADSTOP {at:X}")[-1] == f"ADSTOP AT {at:X}"
    assert stopped(one, "DISPLAY PSW")[-1].endswith(f"{at:016X}")
    ready(one, "BEGIN")
    assert one.run("QUERY TRACE") == ("NO TRACE IS ACTIVE",), "it was for once"


def test_stores_are_shown_and_the_machine_goes_on(users: tuple[Cms, Cms]) -> None:
    one, _ = users
    one.run("TRACE STORE RANGE 10000.8 RUN")
    assert one.run("QUERY TRACE") == ("TRACE STORE RANGE 10000-10007 RUN",)
    assert one.run("TRACE END") == ("TRACE ENDED",)
    traced(stopped(one, "TRACE STORE")[-1])
    ready(one, "IPL CMS")
    assert one.run("QUERY TRACE") == ("NO TRACE IS ACTIVE",), "an IPL ends it"


@pytest.mark.parametrize(
    ("command", "rc", "said"),
    [
        ("TRACE", 26, "DMKTRC026E OPERAND MISSING OR INVALID"),
        ("TRACE SVC", 7, "DMKTRC007E SVC IS NOT TRACED; INSTR, BRANCH AND STORE ARE"),
        ("TRACE INSTR RANGE X", 4, "DMKTRC004E INVALID HEXLOC - X"),
        ("TRACE INSTR RANGE 20-10", 4, "DMKTRC004E INVALID HEXLOC - 20-10"),
        ("TRACE INSTR PRINTER", 7, "DMKTRC007E TRACE PRINTER IS NOT IN VM/KB"),
        ("ADSTOP XYZ", 4, "DMKTRC004E INVALID HEXLOC - XYZ"),
    ],
)
def test_refused(users: tuple[Cms, Cms], command: str, rc: int, said: str) -> None:
    assert users[0].run(command, rc) == (said,)
