# SPDX-License-Identifier: MIT
"""vmkb.session.Session against systems that behave as other tools' users report them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.peers.host3270 import Host3270, line_write, page_write, sba, status_write
from tests.peers.replayed_vm import ROWS, ZVM, ReplayedVm
from vmkb.hercules.installed import found
from vmkb.hercules.tn3270.address import Address
from vmkb.hercules.tn3270.dialogue import load_dialogue
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.tn3270.terminal import Outward
from vmkb.session import EmulatorError, Session, Timeout

pytestmark = pytest.mark.usefixtures("emulator_needed")
Serve = Callable[[Callable[[str, str], list[bytes]]], Host3270]
LATE_S = 0.2
"""A system's own delay: its status follows what it is the status of."""
LOCKED = 0xC1
"""A write control character that leaves the keyboard locked."""


@pytest.fixture
def serve() -> Iterator[Serve]:
    made: list[Host3270] = []

    def begin(answer: Callable[[str, str], list[bytes]]) -> Host3270:
        made.append(Host3270(ReplayedVm(ZVM).logo, answer))
        return made[-1]

    yield begin
    for host in made:
        host.close()


def on(host: Host3270, password: str = "SECRET") -> Session:
    return Session(f"127.0.0.1:{host.port}", "CMSUSER", password)


def lines(count: int) -> list[str]:
    return [f"line {n}" for n in range(count)]


class Holds(ReplayedVm):
    """A console on which a full page stays until PA2, and ENTER does nothing but hold it. That a
    page is full is written LATE, or not before the next key comes."""

    host: Host3270
    late = LATE_S
    full = False

    def show(self, *lines: str, status: str) -> list[bytes]:
        shown = super().show(*lines, status=status)
        if len(self.page) == ROWS:
            self.full = True
            shown = [page_write(self.page, "RUNNING")]
            if self.late:
                more = [status_write("MORE...")]
                threading.Timer(self.late, lambda: self.host.send(*more)).start()
        return shown

    def __call__(self, key: str, text: str) -> list[bytes]:
        if not self.full:
            return super().__call__(key, text)
        if key == "ENTER":
            return [status_write("HOLDING")]
        self.full = False
        return super().__call__(key if self.waiting else "CLEAR", text)


def test_more_that_comes_late(serve: Serve) -> None:
    said = lines(2 * ROWS + 5)
    vm = Holds(ZVM, quirk=lambda vm, text: (
        vm.show(text, *said, vm.ready(), status="RUNNING") if text == "TYPE" else None
    ))  # fmt: skip
    vm.host = serve(vm)
    with on(vm.host) as session:
        assert session.command("TYPE").lines == tuple(said)
        assert session.command("AGAIN").lines == ("did AGAIN",)


def test_a_line_that_came_as_the_page_filled_is_typed_again(serve: Serve) -> None:
    """The page is full with Ready, and the status says RUNNING until ENTER makes it HOLDING."""

    def fills(vm: ReplayedVm, text: str) -> list[bytes] | None:
        room = ROWS - len(vm.page) - 2
        return vm.show(text, *lines(room), vm.ready(), status="RUNNING") if text == "FILL" else None

    vm = Holds(ZVM, quirk=fills)
    vm.late = 0.0
    host = serve(vm)
    with on(host) as session:
        assert session.command("FILL").lines[-1].startswith("line ")
        assert session.command("NEXT").lines == ("did NEXT",)
    assert vm.given == ["FILL", "NEXT", "LOGOFF"]
    assert host.keys.count(("ENTER", "NEXT")) == 2


def test_a_line_that_is_not_accepted_is_typed_again(serve: Serve) -> None:
    refused: list[str] = []

    def busy(vm: ReplayedVm, text: str) -> list[bytes] | None:
        if text != "NEXT" or refused:
            return None
        refused.append(vm.given.pop())
        threading.Timer(LATE_S, lambda: host.send(status_write("RUNNING"))).start()
        return [status_write("NOT ACCEPTED")]

    vm = ReplayedVm(ZVM, quirk=busy)
    host = serve(vm)
    with on(host) as session:
        assert session.command("NEXT").lines == ("did NEXT",)
    assert vm.given == ["NEXT", "LOGOFF"] and refused == ["NEXT"]


def test_a_screen_that_is_cleared_without_more(serve: Serve) -> None:
    """Three pages in one moment, none of them full."""

    def clears(vm: ReplayedVm, text: str) -> list[bytes] | None:
        if text != "IPL CMS":
            return None
        pages = [*vm.show(text, "page one", status="RUNNING")]
        for said in (("page two", "its end"), ("page three",)):
            vm.page = []
            pages += vm.show(*said, status="RUNNING")
        return [*pages, *vm.show(vm.ready(), status="RUNNING")]

    vm = ReplayedVm(ZVM, quirk=clears)
    with on(serve(vm)) as session:
        for _ in range(5):
            said = session.command("IPL CMS").lines
            assert said == ("page one", "page two", "its end", "page three")


def test_a_page_that_is_held_in_mid_answer(serve: Serve) -> None:
    """HOLDING, as a warning makes it, without a full page."""
    vm = ReplayedVm(ZVM)

    def warns(_: ReplayedVm, text: str) -> list[bytes] | None:
        if text != "WAIT":
            return None
        vm.page += [text, "before", "WNG FROM OPERATOR: DOWN AT 6"]
        vm.waiting, vm._status = ["behind", vm.ready()], "RUNNING"
        return [page_write(vm.page, "HOLDING")]

    vm.quirk = warns
    with on(serve(vm)) as session:
        said = session.command("WAIT").lines
        assert said == ("before", "WNG FROM OPERATOR: DOWN AT 6", "behind")


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_a_page_that_is_painted_again_in_two_halves(serve: Serve, rows: int) -> None:
    """The first half is read: it has no status, and no line of it is new."""

    def repaints(vm: ReplayedVm, text: str) -> list[bytes] | None:
        if text != "PAINT":
            return None
        before = vm.show(text, "one", "two", status="RUNNING")
        half = page_write(vm.page[:rows], "")[: -len(status_write("")) + 2]
        threading.Timer(LATE_S, lambda: host.send(vm.show(vm.ready(), status="RUNNING")[0])).start()
        return [*before, half]

    vm = ReplayedVm(ZVM, quirk=repaints)
    host = serve(vm)
    with on(host) as session:
        assert session.command("PAINT").lines == ("one", "two")
        assert session.lines.count("PAINT") == 1


def test_what_is_erased_while_the_keyboard_is_locked(serve: Serve) -> None:
    def locks(vm: ReplayedVm, text: str) -> list[bytes] | None:
        if text != "WORK":
            return None
        first, second = (
            bytes([0xF5, LOCKED]) + page_write(said, "RUNNING")[2:].replace(b"\xf1\xc3", b"")
            for said in ([text, "one"], ["two"])
        )
        vm.page = ["three"]
        return [first, second, *vm.show(vm.ready(), status="RUNNING")]

    with on(serve(ReplayedVm(ZVM, quirk=locks))) as session:
        assert session.command("WORK").lines == ("one", "two", "three")


def test_a_keyboard_that_is_never_unlocked_is_said(serve: Serve) -> None:
    def locks(vm: ReplayedVm, text: str) -> list[bytes] | None:
        if text != "HANG":
            return None
        return [bytes([0xF1, LOCKED]) + sba(0) + "it began".encode("cp037")]

    vm = ReplayedVm(ZVM, quirk=locks)
    with on(serve(vm)) as session:
        with pytest.raises(Timeout, match=r"(?s)unlock the keyboard.*\|it began") as raised:
            session.command("HANG", 0.5)
        assert raised.value.screen[0].startswith("it began")
    assert vm.given == ["HANG"]


def test_who_is_hung_up_on_sees_the_last_screen(serve: Serve) -> None:
    def hangs_up(vm: ReplayedVm, text: str) -> list[bytes] | None:
        return [line_write(9, "SYSTEM SHUTDOWN", "RUNNING"), b""] if text == "WORK" else None

    with (
        on(serve(ReplayedVm(ZVM, quirk=hangs_up))) as session,
        pytest.raises(EmulatorError, match=r"(?s)disconnected.*\|SYSTEM SHUTDOWN"),
    ):
        session.command("WORK")


def test_a_block_that_fails_is_logged_off(serve: Serve) -> None:
    vm = ReplayedVm(ZVM)
    with pytest.raises(ZeroDivisionError), on(serve(vm)):
        raise ZeroDivisionError
    assert vm.given == ["LOGOFF"] and not vm.left


def test_a_session_that_was_resumed_is_left_disconnected(serve: Serve) -> None:
    vm = ReplayedVm(ZVM, left=True)
    with on(serve(vm)) as session:
        assert session.cp("QUERY TIME").text().startswith("TIME IS")
    assert vm.given == ["CP QUERY TIME", "CP DISCONN"]


def test_a_logon_that_is_refused_leaves_no_terminal(serve: Serve) -> None:
    host = serve(ReplayedVm(ZVM))
    before = threading.active_count()
    with pytest.raises(EmulatorError, match="HCPLGA050E"):
        on(host, "WRONG")
    assert threading.active_count() == before


def test_words_of_s3270s_errors_do_not_matter(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They change from version to version. Where TLS hides the records, s3270 does the waiting."""
    program = tmp_path / "s3270"
    program.write_text(
        f"#!/bin/sh\n{found('s3270')} \"$@\" | sed -u 's/^data: .*[Tt]ime.*/data: Quite other/'\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    vm = ReplayedVm(ZVM, quirk=lambda vm, text: [] if text == "HANG" else None)
    address = Address("127.0.0.1", serve(vm).port)
    with UserSession(load_dialogue("zvm").session, address, link=Outward()) as session:
        session.logon("CMSUSER", "SECRET")
        with pytest.raises(Timeout):
            session.terminal.wait(lambda screen: screen.has("never"), 1.0, "never")
        assert session.command("AGAIN").lines == ("did AGAIN",)
