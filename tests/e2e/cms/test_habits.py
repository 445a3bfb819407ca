# SPDX-License-Identifier: MIT
"""What a person types at a VM system (habits.txt): how much of it is answered as IBM's manuals say,
how much is refused in words, and how much is unknown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e import system
from tests.e2e.cms_guest import WITHIN, Cms
from tests.e2e.spool_guest import DIRECTORY, USERS, VOLUME, logged_on
from tests.e2e.xedit_guest import COMMAND, Editor
from vmkb.errors import VmkbError
from vmkb.hercules.emulator.boot import boot
from vmkb.workloads.base.virtual import alone, volumes_dated

pytestmark = pytest.mark.e2e

HERE = Path(__file__).parent
LEAST = 170
TYPED = ("#CP", "IPL", "DEFINE STORAGE", "SORT", "6 6", "FORMAT 300", "1", "TEMP")
"""Commands that ask, and what answers them."""
UNKNOWN = ("Unknown CP/CMS command", "?CP:")
HELP = """\
    { from = "help/cms.txt", split = "HELPCMS", mode = 2 },
    { from = "help/cp.txt", split = "HELPCP", mode = 2 },
    { from = "help/xedit.txt", split = "HELPXEDI", mode = 2 },
"""
FILES = {
    "sender/hello.exec": "/* */\nsay 'Hello,' userid()\n",
    "sender/short.text": "only\n",
    "sender/long.text": "".join(f"line {n}\n" for n in range(1, 301)),
    "sender/sender.names": ":nick.FRED :userid.GETTER :name.Fred Getter\n",
}


@dataclass(frozen=True)
class Habit:
    """A line of habits.txt."""

    command: str
    manual: str
    begins: str

    @property
    def refused(self) -> bool:
        return self.begins.startswith("!")

    @property
    def expected(self) -> str:
        return self.begins.removeprefix("!")


def habits() -> list[Habit]:
    lines = (HERE / "habits.txt").read_text("ascii").splitlines()
    return [
        Habit(*line.split(" ; ")) for line in lines if line and line != "#" and line[:2] != "# "
    ]


@pytest.fixture(scope="module")
def user(counting: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cms]:
    volume = VOLUME.format(spool=4096).replace("mode = 2 }]", "mode = 2 },\n" + HELP + "]", 1)
    made = system.source(
        tmp_path_factory.mktemp("habits"),
        system.VOLUME.format(1 << 20) + volume,
        DIRECTORY.format(*[4096] * len(USERS)).replace("AUTO 1024", "AUTO 8192"),
        {**FILES, "fixed/cards.data": "CARD\n"},
        folders=("system", "help"),
    )
    run = made.parent / "run"
    guest = system.delivered()
    with volumes_dated(), alone("VMKB") as clock:
        system.image(made, run)
        with (
            boot(guest, run, keep=True, virtual=clock) as machine,
            logged_on((guest, machine)) as (sender, _),
        ):
            yield sender


class Desk:
    """The user at the terminal, on the screen of a command or not."""

    def __init__(self, cms: Cms) -> None:
        self.cms = cms
        self.screen: Editor | None = None

    def answer(self, habit: Habit) -> list[str]:
        """The lines that answer a habit; those of a screen without their margins."""
        if habit.command.startswith(COMMAND):
            return self._subcommand(habit.command.removeprefix(COMMAND).strip())
        self.leave()
        if habit.command.startswith("screen "):
            return self._screen(habit.command.removeprefix("screen "))
        if habit.command.startswith(TYPED):
            return self._typed(habit.command)
        answer = self.cms.answer(habit.command)
        return list(answer.lines) or ["-" if answer.rc == 0 else str(answer.rc)]

    def leave(self) -> None:
        """CMS is ready again."""
        if self.screen is not None:
            self.screen.leave()
        self.screen = None

    def _typed(self, command: str) -> list[str]:
        mark = self.cms.type(command)
        terminal = self.cms.session.terminal
        lines = self.cms.session.lines
        terminal.wait(lambda s: s.reading and len(lines) > mark + 1, WITHIN, f"{command}'s answer")
        return lines[mark:]

    def _screen(self, command: str) -> list[str]:
        self.cms.session.terminal.read()
        try:
            self.screen = Editor(self.cms, command)
        except VmkbError as why:
            return [str(why)]
        return [row.strip() for row in self.screen.rows]

    def _subcommand(self, command: str) -> list[str]:
        if self.screen is None:
            return ["no screen"]
        if command in ("qquit", "file"):
            self.screen.leave(command)
            self.screen = None
            return self.cms.session.lines[-1:]
        return self.screen.enter(command)


def fits(habit: Habit, answer: list[str]) -> bool:
    """Whether that is the answer that the habit expects."""
    if habit.command.startswith((COMMAND, "screen")):
        return any(habit.expected in line for line in answer)
    if habit.expected.startswith("..."):
        return any(habit.expected[3:] in line for line in answer)
    return any(line.startswith(habit.expected) for line in answer)


def test_habits_are_answered(user: Cms) -> None:
    desk = Desk(user)
    found = dict.fromkeys(("documented", "refused", "unknown", "other"), 0)
    wrong: list[str] = []
    for habit in habits():
        try:
            answer = desk.answer(habit)
        except VmkbError as why:
            answer = [str(why)]
        kind = "refused" if habit.refused else "documented"
        if not fits(habit, answer):
            kind = "unknown" if any(u in line for line in answer for u in UNKNOWN) else "other"
            wrong.append(f"{habit.command}: {habit.begins} but {answer[:3]}")
        found[kind] += 1
    print(f"\n{sum(found.values())} habits:", *(f"{n} {kind}" for kind, n in found.items()))
    assert not wrong, "\n".join(wrong)
    assert found["documented"] >= LEAST
