# SPDX-License-Identifier: MIT
"""Linux at both consoles, and how it ends when it ends badly: in words, and soon."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.linux.consoles import Session3270, logoff_3215, logon_3215
from tests.e2e.linux.linux_guest import running, typed
from vmkb.guests.base import Running, driver
from vmkb.guests.linux import driver as linux_driver
from vmkb.hercules.deadline import EmulatorError, patient
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.guest import Guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
SOON = 20.0


@pytest.fixture(scope="module")
def linux(kernel: Guest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One for all tests of this file, in their order: the last one is its end."""
    with running(kernel, tmp_path_factory.mktemp("bad") / "linux") as guest:
        yield guest


def test_a_user_at_the_3270(linux: Running) -> None:
    """Logs on, is answered, logs off; the next one is asked again."""
    for number in (41, 58):
        session = Session3270(linux.machine)
        try:
            assert session.command(f"tty; echo sum $(({number} + 1))") == [
                "/dev/3270/tty1", f"sum {number + 1}",
            ]  # fmt: skip
            assert session.command("whoami") == ["root"]
            session.logoff()
        finally:
            session.close()


def test_a_user_at_the_3215(linux: Running) -> None:
    """Logs on beside the operator, whose console it is again behind the logoff."""
    logon_3215(linux.machine)
    mark = linux.machine.log.mark()
    linux.machine.operator("echo $((6 * 7)) $-", r"^42 \S*i", SOON)
    logoff_3215(linux.machine)
    assert any("42" in line for line in linux.machine.log.since(mark))
    assert "sum 9" in typed(linux, "echo sum $((4 + 5))")


def test_each_character_at_the_3215_is_the_same_on_both_sides(linux: Running) -> None:
    """What is typed is what Linux has, and what Linux has is what is seen; but for #, which begins
    a comment of the emulator's."""
    marks = "[]^|!~{}@$%&*()_+-=`:;<>?,./"
    said = typed(linux, f'c=\'{marks}\'; echo; echo "$c"; printf %s "$c" | hexdump -ve \'/1 "%x"\'')
    assert marks in said.splitlines()
    assert marks.encode().hex() in said.splitlines()


@pytest.mark.parametrize("garbage", ["exit", "echo 'not ended", ")", "#$%&/()=?*+-:.;,<>"])
def test_garbage_at_the_console_ends_nothing(linux: Running, garbage: str) -> None:
    linux.machine.operator(garbage)
    assert "still 12" in typed(linux, "echo still $((3 * 4))")


def test_an_answer_is_found_among_other_lines(linux: Running) -> None:
    """Others type on the same console meanwhile."""
    typed(linux, "while usleep 90000; do echo COUNT x; echo noise; done & echo $! >/tmp/noise")
    hands = driver(linux.guest)
    try:
        hands.begin_count(linux)
        counts = [hands.count(linux, word) for word in ("one", "two")]
        assert [line.split()[:2] for line in counts] == [["COUNT", "one"], ["COUNT", "two"]]
        assert all(int(line.split()[2]) > 0 for line in counts)
    finally:
        hands.end_count(linux)
        typed(linux, "kill $(cat /tmp/noise)")


def test_an_emulator_that_is_stopped(linux: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told, with what lets it go on; and then it goes on."""
    monkeypatch.setattr(linux_driver, "COUNTS_WITHIN", 2.0)
    pid = linux.machine.pid
    os.kill(pid, signal.SIGSTOP)
    begun = time.monotonic()
    try:
        with pytest.raises(EmulatorError, match=rf"'meter' at its 3215 .* kill -CONT {pid}"):
            driver(linux.guest).begin_count(linux)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert time.monotonic() - begun < patient(SOON)
    monkeypatch.undo()
    hands = driver(linux.guest)
    hands.begin_count(linux)
    hands.end_count(linux)


def test_a_guest_in_a_loop_and_its_panic(linux: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop is told as such; a panic, which is what comes then, as soon as it is there."""
    quiet = round(patient(9.0))  # longer than the loop is waited for
    typed(linux, f"(sleep {quiet}; echo c >/proc/sysrq-trigger) & true")
    monkeypatch.setattr(linux_driver, "COUNTS_WITHIN", 2.0)
    linux.machine.operator("echo LOOPS; while :; do :; done", "^LOOPS", SOON)
    with pytest.raises(EmulatorError, match=r"'meter' at its 3215 .* may be in a loop"):
        driver(linux.guest).begin_count(linux)
    begun = time.monotonic()
    monkeypatch.setattr(linux_driver, "COUNTS_WITHIN", 10 * SOON)
    with pytest.raises(EmulatorError, match=r"has failed: .*Kernel panic.* End of its log"):
        driver(linux.guest).begin_count(linux)
    assert time.monotonic() - begun < quiet + patient(3 * SOON)


def test_a_panic_at_the_start_is_known_at_once(kernel: Guest, tmp_path: Path) -> None:
    """It does not wait for the deadline, and shows the last lines."""
    words = "rdinit=/nobody root=/dev/nothing"
    with pytest.raises(EmulatorError, match=r"has failed: .*Kernel panic[^\n]*\n") as caught:
        boot(kernel, tmp_path, parameter=words)
    assert "End of its log" in str(caught.value)


def test_too_little_memory(kernel: Guest, tmp_path: Path) -> None:
    """Said before it starts, with what does not fit; nothing is left running."""
    small = kernel.machine.model_copy(update={"memory_mb": 100})
    with pytest.raises(EmulatorError, match=r"payload\.bin ends at \d+ MB, and memory_mb is 100"):
        boot(kernel.model_copy(update={"machine": small}), tmp_path)
    assert not (tmp_path / "state.json").exists()
