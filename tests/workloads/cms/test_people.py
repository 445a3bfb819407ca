# SPDX-License-Identifier: MIT
"""People at displays of a host that answers as CMS does, in a world without guests."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from vmkb.hercules.clock.messages import PS
from vmkb.hercules.clock.world import Rank, World
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.tn3270.script import ScriptError, Step, parse_seated
from vmkb.workloads.cms.people import ANSWER_WITHIN, Floor, Person

MS = PS // 1000
READY = "Ready; T=0.01/0.02 12:34:56"


class Host:
    """A display and what is behind it: each line is echoed after 1 ms and answered after 5."""

    def __init__(self, world: World, told: Callable[[int], None]) -> None:
        self._world, self._told = world, told
        self._lines: list[str] = []
        self._status = "RUNNING"
        self.locked = False
        self.closed = False

    def rows(self) -> Sequence[str]:
        return [*self._lines, *[""] * (23 - len(self._lines)), " " * 60 + self._status]

    def press(self, key: str, text: str = "") -> None:
        assert not self.locked
        self.locked = True
        if text == "hang":
            return
        self._lines = [] if key == "clear" else [text]
        self._write(1, "RUNNING")
        if text == "long":
            self._write(5, "MORE...")
        else:
            self._write(5, "VM READ", READY.replace(";", "(00028);") if text == "bad" else READY)

    def _write(self, after: int, status: str, line: str = "") -> None:
        def written(time: int) -> None:
            self._lines += [line] if line else []
            self._status, self.locked = status, status == "RUNNING"
            self._told(time)

        self._world.at(self._world.now + after * MS, written, Rank.BLOCK)

    def close(self) -> None:
        self.closed = True


class Office:
    """PEOPLE who all play one script again and again, thinking THINK_S on the average."""

    def __init__(self, script: str, people: int = 1, think_s: float = 2.0) -> None:
        self.world = World(0)
        self.floor = Floor(self.world)
        self.begun = 0
        steps = parse_seated(script, "S")
        self.people = [
            Person(floor=self.floor, n=n, name=f"U{n}", sit=lambda told: Host(self.world, told),
                   choose=lambda: self._chosen(steps), think_s=think_s, draws=random.Random(n))
            for n in range(1, people + 1)
        ]  # fmt: skip

    def _chosen(self, steps: Sequence[Step]) -> tuple[str, Sequence[Step]]:
        self.begun += 1
        return "S", steps


def test_an_interval_has_whole_scripts() -> None:
    office = Office("cms one\ncms two\ncms three", people=5)
    office.floor.run(0)
    assert not office.floor.take() and not office.begun
    for _ in range(2):
        office.begun = 0
        office.floor.run(office.world.now + 20 * PS)
        taken = office.floor.take()
        assert office.begun > 5
        assert [sum(r.text == f"enter {t}" for r in taken) for t in ("one", "two", "three")] == [
            office.begun
        ] * 3


def test_first_and_last_are_of_the_writes_that_came() -> None:
    office = Office("cms one")
    office.floor.run(0)
    office.floor.run(office.world.now + 1)
    (response,) = office.floor.take()
    assert (response.user, response.script) == ("U1", "S")
    assert (response.first - response.at, response.last - response.at) == (MS, 5 * MS)


def test_a_full_page_is_read_and_cleared_and_is_no_command() -> None:
    office = Office("cms long\ncms two")
    office.floor.run(0)
    office.floor.run(office.world.now + 1)
    long, two = office.floor.take()
    assert long.last - long.at == 5 * MS
    assert two.at - long.last > MS


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ('cms one\nexpect "two"', r"S:2: 'two' is not there. The display of U1 shows:\n  \|one"),
        ("cms bad\nrc 0", r"S:2: the return code differs. The display of U1"),
    ],
)
def test_what_did_not_come_is_said_with_its_line(script: str, said: str) -> None:
    office = Office(script)
    office.floor.run(0)
    with pytest.raises(ScriptError, match=said):
        office.floor.run(office.world.now + 1)


def test_a_host_that_does_not_answer_is_not_waited_for_for_ever() -> None:
    office = Office("cms hang")
    office.floor.run(0)
    began = office.world.now
    with pytest.raises(EmulatorError, match="U1 was not answered in time"):
        office.floor.run(began + 1)
    assert office.world.now < began + ANSWER_WITHIN + 60 * PS


def test_who_has_left_does_nothing_any_more() -> None:
    office = Office("cms one", people=2)
    office.floor.run(0)
    for person in office.people:
        person.close()
    with pytest.raises(EmulatorError, match="Nothing happens any more."):
        office.floor.run(office.world.now + 1)
    assert not office.floor.take()


def test_what_is_typed_goes_with_the_key_and_a_wait_is_waited() -> None:
    office = Office("set think 0\ntype one\ntype  more\nenter\nwait 5\ncms two\npf 3")
    office.floor.run(0)
    office.floor.run(office.world.now + 1)
    typed, two, key = office.floor.take()
    assert [r.text for r in (typed, two, key)] == ["enter onemore", "enter two", "pf3"]
    assert two.at - typed.last == 5 * PS


def test_who_looks_on_is_told_what_people_do() -> None:
    office = Office("cms one\ncms long", people=3)
    office.floor.run(0)
    told: list[str] = []
    office.floor.run(office.world.now + 20 * PS, told.append)
    assert 5 < len(told) < 60
    for state in told:
        people, _, time = state.partition("; virtual time ")
        counts = [int(each.split()[0]) for each in people.split(", ")]
        assert sum(counts) == 3 and time.count(":") == 1
    assert any(" think" in state for state in told) and any(" read" in state for state in told)
    assert "done" in told[-1] or office.floor.people[0].doing == "done"
