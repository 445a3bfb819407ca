# SPDX-License-Identifier: MIT
"""Reaching a limit gives the REXX error that belongs to it, never a hang or a crash."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.guests.rexx.rexx import ARENA, Rexx


def test_endless_recursion_fills_the_control_stack(rexx: Rexx) -> None:
    for program in (
        "s: call s",
        "say f(1); exit; f: procedure; return f(arg(1) + 1)",
        "s: interpret 'call s'",
        "x = 'interpret x'; interpret x",
    ):
        result = rexx.run(program)
        assert result.error == 11, result.out
        assert "DMSREX458E Error 11" in result.out


def test_deep_nesting_in_the_source(rexx: Rexx) -> None:
    assert rexx.run("do;" * 240 + "say 'in';" + "end;" * 240).out == "in\n"
    assert rexx.run("do 1;" * 240 + "say 'in';" + "end;" * 240).out == "in\n"
    assert rexx.run("do;" * 300 + "end;" * 300).error == 11
    assert rexx.run("if 1 then " * 240 + "say 'in'").out == "in\n"
    assert rexx.run("if 1 then " * 5000 + "say 'in'").error == 11
    assert rexx.run("say " + "(" * 60 + "7" + ")" * 60).out == "7\n"
    assert rexx.run("say " + "-" * 100000 + "7").error == 39
    assert rexx.run("say " + "f(" * 100000).error == 39


def test_execs_calling_execs(rexx: Rexx) -> None:
    result = rexx.run("'EXEC SELF'\n%% SELF\n'EXEC SELF'; exit rc", arena=4 << 20)
    assert "Error 11 running SELF" in result.out
    result = rexx.run("'EXEC SELF'\n%% SELF\n'EXEC SELF'; exit rc", arena=64 * 1024)
    assert "Error 5 running SELF" in result.out and result.error == 0


@pytest.mark.parametrize(
    "program",
    [
        "x = 'a'; do forever; x = x || x; end",
        "do i = 1; a.i = i; end",
        "say copies('x', 100000000)",
        "say left('x', 999999999)",
        "say insert('a','b',99999999)",
        "say space('a b c', 99999999)",
        "say format(1, 99999999)",
        "say trunc(1, 99999999)",
        "say d2c(1, 99999999)",
        "interpret copies('nop;', 60000)",
        "say right('', 500000000)",
        "do i = 1; interpret 'v'i '=' i; end",
        "say trunc(1e99999999)",
    ],
)
def test_storage_runs_out(rexx: Rexx, program: str) -> None:
    result = rexx.run(program)
    assert result.error == 5, result.out
    assert result.lines[-1].endswith("Machine storage exhausted")


def test_tiny_arenas(rexx: Rexx) -> None:
    for size in (0, 100, 4096, 8191, 8192, 9000, 10000, 12000, 16384, 20000):
        assert rexx.run("say 'hello'; do i = 1 to 50; x.i = i; end", arena=size).error in (0, 5)
    assert rexx.run("say 'hello'", arena=20000).out == "hello\n"


def test_storage_is_used_again(rexx: Rexx) -> None:
    program = (
        "do 5000; x = copies('ab', random(1, 3000)); y = x || x; drop x; call s y\n"
        "interpret 'z = 1; do k = 1 to 2; q.k = k; end; drop q.'; end; say 'done'; exit\n"
        "s: procedure; parse arg a b; t.1 = a; t.2 = reverse(a); return length(t.2)"
    )
    result = rexx.run(program)
    assert result.out == "done\n", result.out


def test_free_neighbours_are_joined(rexx: Rexx) -> None:
    program = (
        "do i = 1 to 1500; a.i = i 'some text that needs a block of its own'; end\n"
        "drop a.; x = copies('x', 90000); say length(x)\n"
        "drop x; do i = 1 to 1500; a.i = i 'again'; end; say a.1500"
    )
    assert rexx.run(program).out == "90000\n1500 again\n"


def test_trapped_errors_leave_nothing_behind(rexx: Rexx) -> None:
    program = (
        "n = 0\nagain: n = n + 1; if n > 3000 then signal done\n"
        "signal on syntax name again\n"
        "do i = 1 to 2; interpret 'x = s(i) 1/0'; end\ndone: say n; exit\n"
        "s: procedure; x = copies('a', 500); signal on syntax name t\n"
        "do j = 1 to 3; interpret 'y = x + 1'; end; t: return left(x, 10)"
    )
    assert rexx.run(program, arena=64 * 1024).out == "3001\n"


def test_halt_interrupts_a_runaway(rexx: Rexx) -> None:
    for program in (
        "do forever; end",
        "a: signal a",
        "do forever; interpret 'nop'; end",
        "do forever; call s; end; s: return",
    ):
        result = rexx.run(program, halt_after=3)
        assert result.error == 4
        assert "DMSREX452E Error 4 running TEST EXEC, line 1: Program interrupted" in result.out
    assert (
        rexx.run(
            "call on halt name h; do i = 1 to 3000; end; say i; exit\n"
            "h: say 'halt' sigl condition('c') condition('i') condition('s'); return",
            halt_after=3,
        ).out
        == "halt 1 HALT CALL DELAY\n3001\n"
    )
    assert (
        rexx.run("signal on halt; do forever; end; halt: say 'stopped' sigl", halt_after=2).out
        == "stopped 1\n"
    )


def test_whole_program_in_a_small_machine_stack(harness: Path) -> None:
    """The machine stack of the guest is 64 KB; sanitized frames are larger, so 512 KB here."""
    small = Rexx(["sh", "-c", f"ulimit -s 512 && exec {harness}"])
    try:
        assert small.run("say f(1); exit; f: procedure; return f(arg(1) + 1)").error == 11
        assert small.run("say " + "(" * 1000).error == 39
        assert "Error 11" in small.run("'EXEC S'\n%% S\n'EXEC S'", arena=4 << 20).out
    finally:
        small.close()


def test_arena_is_the_only_storage(harness: Path) -> None:
    """Nothing writable outside the arena: the program text is shared between machines."""
    out = subprocess.run(
        ["nm", "--defined-only", str(harness)], capture_output=True, text=True, check=True
    ).stdout
    writable = {line.split()[2] for line in out.splitlines() if line.split()[1] in "bBdD"}
    assert not {n for n in writable if n.startswith(("rx_", "bif_", "rexx_"))}
    assert ARENA == 256 * 1024
