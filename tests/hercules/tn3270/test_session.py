# SPDX-License-Identifier: MIT
"""Sessions and the script player against a small host that behaves as CP and CMS do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.peers.host3270 import Host3270, page_write
from vmkb.hercules.deadline import EmulatorError, Timeout
from vmkb.hercules.guest import Session as Conventions
from vmkb.hercules.tn3270.player import Player
from vmkb.hercules.tn3270.script import ScriptError, parse_script
from vmkb.hercules.tn3270.session import UserSession

LOGO = page_write(["", "   VM/KB ONLINE"], "RUNNING")
READY = "Ready; T=0.01/0.02 12:34:56"
CONVENTIONS = Conventions(logo="VM/KB ONLINE", logon_within=2, command_within=2)


class SmallVm:
    """What the host answers: a logo, LOGON with a password, some commands, LOGOFF."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.state = "logo"

    def __call__(self, key: str, text: str) -> list[bytes]:
        if key != "ENTER":
            return self.show(*[], status="CP READ" if self.state == "cp" else "VM READ")
        lines: list[bytes] = getattr(self, f"at_{self.state}")(text)
        return lines

    def show(self, *lines: str, status: str) -> list[bytes]:
        self.lines.extend(lines)
        self.lines = self.lines[-20:]
        return [page_write(self.lines, status)]

    def at_logo(self, text: str) -> list[bytes]:
        self.state, self.lines = "cp", []
        return self.show(status="CP READ")

    def at_cp(self, text: str) -> list[bytes]:
        if text == "BEGIN":
            self.state = "cms"
            return self.show("BEGIN", status="VM READ")
        if text.startswith("LOGON "):
            if text.endswith("NOBODY"):
                return self.show(text, "DMKLOG053E NOBODY NOT IN CP DIRECTORY", status="CP READ")
            self.state = "password"
            return self.show(text, "ENTER PASSWORD:", status="CP READ")
        return self.show(text, "DMKCFM001E ?CP: " + text, status="CP READ")

    def at_password(self, text: str) -> list[bytes]:
        self.state = "cp"
        if text == "AGAIN":
            return self.show("RECONNECTED AT 12:00:00", status="CP READ")
        if text != "MAINT":
            return self.show("DMKLOG050E PASSWORD INCORRECT", status="CP READ")
        self.state = "cms"
        return self.show("LOGON AT 12:00:00", READY, status="VM READ")

    def at_cms(self, text: str) -> list[bytes]:
        if text == "LOGOFF":
            self.state = "logo"
            return [LOGO]
        if text == "hang":
            return self.show(text, status="RUNNING")
        if text == "bad":
            return self.show(text, "it failed", READY.replace(";", "(00028);", 1), status="VM READ")
        if text == "smsg":
            return self.show(text, "sent", READY, "MSG FROM RTMSF   : SET", status="VM READ")
        if text == "stop":
            self.state = "cp"
            return self.show(text, "DMKDSP450W CP ENTERED", status="CP READ")
        return self.show(text, f"did {text}", READY, status="VM READ")


Opener = Callable[[], UserSession]


@pytest.fixture
def connect(emulator_needed: None) -> Iterator[Opener]:
    made: list[tuple[Host3270, UserSession]] = []

    def begin() -> UserSession:
        host = Host3270(LOGO, SmallVm())
        session = UserSession(CONVENTIONS, host.port, log=lambda: ("HHC the log",))
        made.append((host, session))
        return session

    yield begin
    for host, session in made:
        session.close()
        host.close()


def test_logon_command_and_logoff(connect: Opener) -> None:
    session = connect()
    session.logon("MAINT", "MAINT")
    answer = session.command("listfile")
    assert (answer.lines, answer.rc) == (("did listfile",), 0)
    assert session.command("bad").rc == 28
    assert session.cp("query names").lines == ("did CP query names",)
    session.logoff()
    assert session.user is None
    assert session.lines[0:2] == ["LOGON MAINT", "ENTER PASSWORD:"]


def test_a_message_behind_ready_is_not_the_answers(connect: Opener) -> None:
    session = connect()
    session.logon("MAINT", "MAINT")
    answer = session.command("smsg")
    assert (answer.lines, answer.rc) == (("sent",), 0)


def test_refusals_carry_what_cp_says(connect: Opener) -> None:
    session = connect()
    with pytest.raises(EmulatorError, match="DMKLOG053E NOBODY NOT IN CP DIRECTORY"):
        session.logon("NOBODY", "X")
    with pytest.raises(EmulatorError, match="DMKLOG050E PASSWORD INCORRECT"):
        session.logon("MAINT", "WRONG")
    session.logon("MAINT", "MAINT")


def test_a_kept_session_is_resumed(connect: Opener) -> None:
    session = connect()
    session.logon("MAINT", "AGAIN")
    assert session.command("listfile").rc == 0


def test_cp_in_cp_read(connect: Opener) -> None:
    session = connect()
    session.begin()
    answer = session.cp("frobnicate")
    assert (answer.lines, answer.rc) == (("DMKCFM001E ?CP: frobnicate",), None)


def test_a_machine_that_stops_is_said(connect: Opener) -> None:
    session = connect()
    session.logon("MAINT", "MAINT")
    with pytest.raises(EmulatorError, match="(?s)left the machine in CP READ.*DMKDSP450W"):
        session.command("stop")


def play(session: UserSession, text: str) -> list[str]:
    out: list[str] = []

    class NoOperator:
        def operator(self, text: str) -> None:
            out.append(f"operator: {text}")

    with Player(lambda device: session, NoOperator(), out.append, "test.vm") as player:
        player.play(parse_script(text, "test.vm"))
    return out


def test_a_script_prints_each_line_once(connect: Opener) -> None:
    out = play(
        connect(),
        """
        set timeout 2
        logon MAINT MAINT
        cms listfile
        rc 0
        cms bad
        rc 28
        expect "it failed" within 1
        operator query names
        type xyzzy
        enter
        expect "did xyzzy"
        logoff
        """,
    )
    assert out == [
        "LOGON MAINT",
        "ENTER PASSWORD:",
        "LOGON AT 12:00:00",
        READY,
        "listfile",
        "did listfile",
        READY,
        "bad",
        "it failed",
        READY.replace(";", "(00028);", 1),
        "operator: query names",
        "xyzzy",
        "did xyzzy",
        READY,
    ]


def test_a_step_that_fails_is_named_with_screen_and_log(connect: Opener) -> None:
    with pytest.raises(ScriptError) as error:
        play(connect(), "set timeout 0.3\nlogon MAINT MAINT\ncms hang\nlogoff\n")
    text, cause = str(error.value), error.value.__cause__
    assert isinstance(cause, Timeout) and cause.elapsed >= 0.3
    assert text.startswith(f"test.vm:3: cms: Waited {cause.elapsed:.2f} s")
    assert "CMS to be ready after 'hang'" in text
    assert "|hang" in text and "HHC the log" in text


def test_a_wrong_return_code_is_named(connect: Opener) -> None:
    with pytest.raises(ScriptError, match=r"(?s)test.vm:3: rc: the return code is 28, not 0.*it f"):
        play(connect(), "logon MAINT MAINT\ncms bad\nrc 0\n")
    with pytest.raises(ScriptError, match="rc: no CMS command came before it"):
        play(connect(), "rc 0")


def test_screen_prints_the_whole_screen(connect: Opener) -> None:
    out = play(connect(), "logon MAINT MAINT\nscreen\n")
    assert out[-26] == out[-1] == f"+{'-' * 80}+"
    assert len(out[-2]) == 82 and "VM READ" in out[-2]


def test_a_script_goes_through_loops_and_its_responses_are_timed(connect: Opener) -> None:
    class NoOperator:
        def operator(self, text: str) -> None:
            raise AssertionError(text)

    session, out = connect(), list[str]()
    text = "logon MAINT MAINT\nrepeat 2\ncms list {user}\nwait 0.05\nend\ntype xyzzy\nenter"
    with Player(
        lambda device: session, NoOperator(), out.append, "test.vm", variables={"user": "7"}
    ) as player:
        player.play(parse_script(text, "test.vm"))
    assert out.count("did list 7") == 2
    steps = [(r.line, r.step) for r in player.responses]
    assert steps == [(1, "logon MAINT"), (3, "cms list 7"), (3, "cms list 7"), (7, "enter")]
    assert all(0 < r.seconds < 2 for r in player.responses)
