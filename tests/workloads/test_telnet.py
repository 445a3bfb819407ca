# SPDX-License-Identifier: MIT
"""What a TELNET host's terminal shows, who can be one, and the trials that are planned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.errors import UsageError
from vmkb.guests.base import driver
from vmkb.guests.vmkb.driver import READY
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.found import workload
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.telnet import Workload
from vmkb.workloads.telnet.plan import Case, shown, text
from vmkb.workloads.terminal.chain import showed

CASES = Workload().definition.case


@given(st.integers(256, 20000))
def test_a_file_is_what_both_type_and_cat_show(size: int) -> None:
    """Of the size, but for the blanks at the ends of lines; lines that no terminal breaks."""
    case = Case(id="X", bytes=size, characters_per_second=0)
    lines = text(case).split("\n")
    assert lines.pop() == ""
    assert shown(case) == "".join(f"{line}\r\n" for line in lines)
    assert all(line == line.rstrip() and len(line) < 80 for line in lines)
    assert 0.9 * size <= len(text(case)) <= size


@pytest.mark.parametrize("name", ["vmkb", "linux"])
def test_only_the_file_and_one_prompt_is_right(name: str) -> None:
    use = driver(load_guest(name)).terminal()
    tail = "0.01/0.02 12:00:00\r\n" if name == "vmkb" else "\r\n"
    command = use.show.format(name="T1", kind="SOURCE")
    file = "one\r\ntwo\r\n"
    right = f"{command}\r\n{file}" + use.ready.removeprefix("\r\n") + tail
    assert showed(right, command, file, use.ready)
    assert not showed(right, command, file.replace("two", "twx"), use.ready)
    assert not showed(right + "MSG FROM OPERATOR\r\n", command, file, use.ready)
    assert not showed(right.replace("one\r\n", ""), command, file, use.ready)
    assert (use.ready == READY) == (name == "vmkb")


def test_run_terminal_with_linux_is_this_workload() -> None:
    assert workload(workload("terminal").servers).name == Workload().name == "telnet"


def test_a_guest_without_telnet_is_refused_in_words() -> None:
    with pytest.raises(UsageError, match="'vm370' cannot be the TELNET host: it does not"):
        Workload().settings(Asked(guests=("vm370",)))


def test_one_guest_twice_has_turns_with_itself() -> None:
    made = Workload()
    settings = made.settings(Asked(guests=("vmkb", "vmkb"), cases=("FAST",), trials=2))
    assert settings.releases == ("KB", "KB'")
    assert [p.id for p in made.plan(settings)] == ["FASTKB-1", "FASTKB'-1", "FASTKB-2", "FASTKB'-2"]
