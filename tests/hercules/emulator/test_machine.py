# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.busy import busy
from vmkb.hercules import ports
from vmkb.hercules.deadline import EmulatorError, Timeout, wait_until
from vmkb.hercules.emulator import boot
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.config import MachineConfig
from vmkb.hercules.emulator.cputime import (
    NEAR,
    nearest_below,
    used_seconds,
    wanted_seconds,
)
from vmkb.hercules.emulator.log import LogTail
from vmkb.hercules.emulator.machine import Hercules, read_state

WITHIN = 30.0
"""Seconds of a wait that ends at once, also where the computer is busy."""

pytestmark = pytest.mark.both


def test_it_listens_on_the_loopback_address_only(bare_machine: Hercules) -> None:
    listening = [
        c
        for c in psutil.Process(bare_machine.pid).net_connections("inet")
        if c.status == psutil.CONN_LISTEN
    ]
    assert [(c.laddr.ip, c.laddr.port) for c in listening] == [
        ("127.0.0.1", bare_machine.console_port)
    ]


def test_commands_are_carried_out_and_the_log_is_read(bare_machine: Hercules) -> None:
    mark = bare_machine.log.mark()
    bare_machine.command("devlist 0702")
    assert "0702" in bare_machine.wait_log("0702 3270", WITHIN, mark)


def test_a_wait_for_the_log_ends_at_its_deadline(bare_machine: Hercules) -> None:
    with pytest.raises(Timeout) as error:
        bare_machine.wait_log("never said", 0.2, expected="a word that is never said")
    assert error.value.elapsed >= 0.2
    assert "for a word that is never said" in str(error.value)
    assert 0 < len(error.value.log) <= 20


def test_a_wait_ends_as_soon_as_hercules_dies(bare_machine: Hercules) -> None:
    psutil.Process(bare_machine.pid).kill()
    began = time.monotonic()
    with pytest.raises(EmulatorError, match="has ended"):
        bare_machine.wait_log("never said", 2 * WITHIN)
    assert time.monotonic() - began < WITHIN
    with pytest.raises(EmulatorError, match="has ended"):
        bare_machine.command("devlist")


@pytest.mark.parametrize("text", ["a\nb", "\x00"])
def test_a_command_is_one_line(bare_machine: Hercules, text: str) -> None:
    with pytest.raises(ValueError, match="one printable line"):
        bare_machine.command(text)


def test_it_can_be_attached_to_and_stopped_by_another(bare_machine: Hercules) -> None:
    other = Hercules.attach(bare_machine.run_dir)
    assert other is not None
    assert (other.pid, other.console_port) == (bare_machine.pid, bare_machine.console_port)
    assert other.cpu_seconds() >= 0.0
    other.stop()
    wait_until(lambda: not bare_machine.running, 5, "its last threads to be gone")
    assert Hercules.attach(bare_machine.run_dir) is None


def test_a_state_file_of_another_process_is_not_believed(bare_machine: Hercules) -> None:
    path = bare_machine.run_dir / "state.json"
    state = json.loads(path.read_text())
    path.write_text(json.dumps(state | {"pid": os.getpid()}))
    assert Hercules.attach(bare_machine.run_dir) is None
    path.write_text(json.dumps(state | {"schema": 99}))
    assert read_state(bare_machine.run_dir) is None
    path.write_text("{")
    assert Hercules.attach(bare_machine.run_dir) is None


def test_the_cpu_thread_is_one_of_the_process_and_not_the_main_one(bare_machine: Hercules) -> None:
    state = read_state(bare_machine.run_dir)
    assert state is not None
    threads = {thread.id for thread in psutil.Process(bare_machine.pid).threads()}
    assert state["cpu_thread"] in threads - {bare_machine.pid}


def test_a_machine_that_hercules_refuses_is_said(emulator_needed: None, tmp_path: Path) -> None:
    config = MachineConfig.model_validate(
        {"devices": [{"number": "0100", "kind": "3370", "file": "not-there"}]}
    )
    with pytest.raises(EmulatorError, match="refuses the machine: .*0100"):
        Hercules.start(config, tmp_path / "run")


def test_a_refusal_that_comes_between_two_looks_is_said(
    emulator_needed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy computer lets it write all of its log between any two looks at that."""
    config = MachineConfig.model_validate(
        {"devices": [{"number": "0100", "kind": "3370", "file": "not-there"}]}
    )
    find, said = LogTail.find, choose().dialect.messages

    def looks(self: LogTail, pattern: str, since: int = 0) -> str | None:
        found = find(self, pattern, since)
        if pattern == said.refused and found is None:
            wait_until(lambda: find(self, said.reads_commands), WITHIN, "the end of its start")
        return found

    monkeypatch.setattr(LogTail, "find", looks)
    with pytest.raises(EmulatorError, match="refuses the machine: .*0100"):
        Hercules.start(config, tmp_path / "run")


def test_an_image_that_is_not_there_is_said(emulator_needed: None, tmp_path: Path) -> None:
    config = MachineConfig.model_validate({"devices": [{"number": "0700", "kind": "3270"}]})
    with pytest.raises(EmulatorError, match=r"no\.ins cannot be read"):
        Hercules.start(config, tmp_path / "run", tmp_path / "no.ins")
    (tmp_path / "bad.ins").write_text("* comment\ngone.bin 0x0\n")
    with pytest.raises(EmulatorError, match=r"names .*gone\.bin, which is not there"):
        Hercules.start(config, tmp_path / "run", tmp_path / "bad.ins")


def test_an_image_and_its_parameter_reach_storage(emulator_needed: None, tmp_path: Path) -> None:
    # A disabled wait PSW at 0 with the code ABC: the CPU stops and the log shows the code.
    build = tmp_path / "build"
    build.mkdir()
    (build / "t.bin").write_bytes(bytes.fromhex("000A0000 00000ABC"))
    (build / "t.ins").write_text("* a test\nt.bin 0x00000000\n")
    config = MachineConfig.model_validate({"devices": [{"number": "0700", "kind": "3270"}]})
    parameter = (0x8000, "MODEL=HOST")
    with Hercules.start(config, tmp_path / "run", build / "t.ins", parameter) as machine:
        machine.wait_log("0ABC", 5)
        mark = machine.log.mark()
        machine.command("r 8000.10")
        # The text is loaded as ASCII.
        machine.wait_log("4D4F4445 4C3D484F 5354", 5, mark)


def test_starting_and_stopping_again_and_again_leaves_nothing(
    emulator_needed: None, tmp_path: Path
) -> None:
    config = MachineConfig.model_validate({"devices": [{"number": "0700", "kind": "3270"}]})
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with Hercules.start(config, tmp_path / "run") as machine:
            pass
        assert not psutil.pid_exists(machine.pid)
    assert len(os.listdir("/proc/self/fd")) == before


def test_an_emulator_has_its_port_for_itself_even_before_it_listens(
    emulator_needed: None, tmp_path: Path
) -> None:
    config = MachineConfig.model_validate({"devices": [{"number": "0700", "kind": "3270"}]})
    port, mark = ports.claim()
    with mark, ports.Ports() as others:
        assert port in ports.CONSOLES and others.take(port) == ports.PLANNED
        another, second = ports.claim()
        second.close()
        assert another != port
    with Hercules.start(config, tmp_path / "run") as machine, ports.Ports() as others:
        assert others.take(machine.console_port) == ports.PLANNED
    with ports.Ports() as others:
        assert others.take(port) == others.take(machine.console_port) == ""


def test_nearest_stack_below_an_address() -> None:
    top = 1 << 40
    assert nearest_below(top, {1: top - 5000, 2: top - 4000, 3: top + 10}) == 2
    assert nearest_below(top, {1: top - NEAR - 1}) is None
    assert nearest_below(top, {}) is None


def test_a_thread_that_gets_no_processor_is_seen_to_work() -> None:
    with busy(2 * (os.cpu_count() or 1), 0), busy(1, 5) as (loop,):
        began = wanted_seconds(loop, loop), used_seconds(loop, loop)

        def grown() -> bool:
            return wanted_seconds(loop, loop) > began[0] + 0.5

        wait_until(grown, WITHIN, "it to want half a second")
        assert used_seconds(loop, loop) - began[1] < 0.25


@given(st.lists(st.binary(max_size=30), max_size=20))
def test_a_log_read_in_any_pieces_is_the_same_log(pieces: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.write_bytes(b"")
        tail = LogTail(path)
        with path.open("ab", buffering=0) as out:
            for piece in pieces:
                out.write(piece)
                tail.read()
        whole = b"".join(pieces).split(b"\n")[:-1]
        assert tail.mark() == len(whole)
        assert list(tail.since(0)) == [w.decode("utf-8", "replace").rstrip("\r") for w in whole]
        assert list(tail.since(1)) == list(tail.since(0))[1:]
        tail.close()


def test_an_unended_line_that_was_found_is_not_found_again(tmp_path: Path) -> None:
    """A question is answered once, however often the log is read before its line ends."""
    path = tmp_path / "log"
    path.write_bytes(b"before\nSTART :")
    tail = LogTail(path)
    behind = tail.find_shown("START")
    assert behind == 2 and tail.shown(behind - 1) == "START :"
    assert tail.find_shown("START", behind) is None
    with path.open("ab") as out:
        out.write(b"WARM\nNO DATA\nSTART :")
    assert tail.find_shown("START", behind) == 4
    tail.close()


@pytest.mark.parametrize(("answer", "times"), [("", 2), ("NO DATA\n", 1)])
def test_a_line_behind_which_nothing_comes_is_typed_once_more(
    answer: str, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"START :")

    class Deaf:
        """A machine that echoes what is typed, and says ANSWER."""

        log, wait_shown = LogTail(path), Hercules.wait_shown
        typed = 0

        def operator(self, text: str) -> None:
            self.typed += 1
            with path.open("a") as out:
                out.write(f"/(0009) {text}\n{answer}")

        def check_running(self) -> None: ...

    monkeypatch.setattr(boot, "RETYPE", 0.2)
    machine: Any = Deaf()
    boot._type(machine, "WARM")
    assert machine.typed == times
    machine.log.close()
