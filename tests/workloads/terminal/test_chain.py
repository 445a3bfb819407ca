# SPDX-License-Identifier: MIT
"""Somebody at a terminal: what is typed when, and what is said when the answer does not come."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from vmkb.guests.vmkb.driver import READY
from vmkb.hercules.deadline import Deadline, EmulatorError, Timeout
from vmkb.hercules.lat.station import LatTerminal
from vmkb.workloads.terminal import Workload, chain
from vmkb.workloads.terminal.chain import Step, Typist, all_do, arrival, departure
from vmkb.workloads.terminal.plan import Chain

TELNET, CMU, SETHOST, LAT = Workload().definition.case
DONE = f"{READY}0.01/0.02 10:00:00\r\n"


class Screen(LatTerminal):
    """A terminal without a line: ANSWER tells what a host shows of what is typed."""

    def __init__(self, answer: Callable[[str], str] = lambda line: "") -> None:
        self.typed: list[str] = []
        self.memory = bytearray()
        self.ended_because = ""
        self._answer = answer

    @property
    def shown(self) -> bytearray:
        return self.memory

    @property
    def over(self) -> bool:
        return bool(self.ended_because)

    @property
    def reason(self) -> str:
        return self.ended_because

    def type(self, text: str) -> None:
        self.typed.append(text)
        self.say(self._answer(text.rstrip("\r")))

    def say(self, text: str) -> None:
        """The host shows TEXT."""
        self.memory += text.encode("latin-1")


def host(line: str) -> str:
    """What a host with CMS says; of LOGOFF as if it were both the far host and the near one."""
    word = line.split()[0].upper()
    if word == "LOGON":
        return f"{line}\r\nENTER PASSWORD:\r\n"
    if word.startswith("TERM"):
        return f"\r\nVM/KB CMS LEVEL 1{DONE}"
    if word in ("TELNET", "SET"):
        return f"{line}\r\nVM/KB ONLINE--T001\r\n"
    return f"{line}\r\nLOGOFF AT 10:00:01{DONE}"


@pytest.mark.parametrize("path", [TELNET, SETHOST, LAT], ids=lambda p: p.id)
def test_logons_on_the_way_and_logoffs_back(path: Chain) -> None:
    screen = Screen(host)
    typist = Typist(screen, 7)
    there = ["logon TERM07\r", "TERM07\r"]
    back = ["logoff\r"]
    if path is not LAT:
        there += [f"{path.command}\r", *there]
        back *= 2
    typist.begin(arrival(path, 7)[1:])
    assert typist.advance()
    assert screen.typed == there
    typist.begin(departure(path))
    assert typist.advance()
    assert screen.typed == there + back


def test_the_greeting_may_come_before_anybody_looks() -> None:
    screen = Screen(host)
    typist = Typist(screen, 1)
    typist.begin(arrival(LAT, 1))
    assert not typist.advance() and screen.typed == []
    screen.say("VM/KB ONLINE--L000")
    assert not typist.advance() and screen.typed == []
    screen.say("\r\n")
    assert typist.advance()


def test_an_answer_that_was_there_before_is_none() -> None:
    screen = Screen()
    screen.say(DONE)
    typist = Typist(screen, 1)
    typist.begin([Step("query time", READY, True)])
    assert not typist.advance()
    assert typist.waits_for == READY
    screen.say("query time" + DONE[:-1])
    assert not typist.advance()
    screen.say(DONE[-1])
    assert typist.advance()
    assert typist.waits_for == ""


def test_a_session_that_ends_early_says_what_it_showed() -> None:
    screen = Screen()
    typist = Typist(screen, 12)
    screen.ended_because = "the host does not answer"
    screen.say("typedocs 3\r\n000001 the account")
    with pytest.raises(EmulatorError) as caught:
        all_do([typist], lambda _: [Step("typedocs 3", READY)], 5.0)
    text = str(caught.value)
    assert not isinstance(caught.value, Timeout)
    for word in ("terminal 12 ended", "the host does not answer", READY, "|000001 the account"):
        assert word in text


def test_a_logoff_that_only_ends_the_session_is_told_at_once() -> None:
    screen = Screen()
    screen.ended_because = "the host does not answer"
    with pytest.raises(EmulatorError, match=r"ended \(the host does not answer\).*LOGOFF AT"):
        all_do([Typist(screen, 1)], lambda _: departure(LAT), 0.05)


def test_what_a_session_said_last_counts() -> None:
    screen = Screen(host)
    screen.ended_because = "user disconnect"
    all_do([Typist(screen, 1)], lambda _: departure(LAT), 5.0)


def test_silence_is_a_timeout_with_the_last_lines() -> None:
    good, silent, third = Screen(host), Screen(), Screen()
    silent.say("".join(f"line {k}\r\n" for k in range(20)))
    typists = [Typist(s, n) for n, s in enumerate((good, silent, third), start=1)]
    with pytest.raises(Timeout) as caught:
        all_do(typists, lambda _: [Step("x", READY)], 0.05)
    assert "terminal 2 (2 of 3 wait)" in caught.value.expected
    assert "line 19" in caught.value.screen and "line 2" not in caught.value.screen
    assert caught.value.elapsed >= 0.05


class Slow(Screen):
    """Shows one more character at every tenth look, and its answer in the end."""

    looks = 0

    @property
    def shown(self) -> bytearray:
        self.looks += 1
        if self.looks == 500:
            self.say(DONE)
        elif self.looks % 10 == 0 and self.looks < 500:
            self.memory += b"x"
        return self.memory


def test_one_who_is_shown_something_is_waited_for_and_told_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Time is counted in looks: 30 of them without a character would be silence."""
    slow = Slow()

    class Looks(Deadline):
        def __init__(self, seconds: float) -> None:
            super().__init__(seconds)
            self.started = slow.looks

        @property
        def elapsed(self) -> float:
            return slow.looks - self.started

    monkeypatch.setattr(chain, "Deadline", Looks)
    told: list[int] = []
    all_do([Typist(slow, 1)], lambda _: [Step("x", READY, True)], 30, told.append)
    assert told == sorted(told) and len(told) > 20
    assert len(slow.memory) == 49 + len(DONE)
