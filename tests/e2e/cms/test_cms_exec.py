# SPDX-License-Identifier: MIT
"""IPL CMS, the Ready loop, and EXECs with what they ask of CMS: commands, stack, CP, files, HX."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import WITHIN, Cms, booted
from tests.guests.rexx import vectors
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.tn3270.screen import Status

pytestmark = pytest.mark.e2e

SUMS = vectors.arithmetic(seed=4)[::100]

EXECS = {
    "user1/vectors.exec": "/* */\n" + vectors.program(SUMS),
    "user1/loop.exec": "/* */\nsay 'LOOPING'\ndo forever\n  x = 1\nend\n",
    "user1/commands.exec": "/* */\nsay 'LOOPING'\ndo forever\n  'STATE LINES TEXT A'\nend\n",
    "user1/stubborn.exec": "/* */\nsay 'LOOPING'\nagain:\nsignal on halt name again\n"
    "do forever\n  x = 1\nend\n",
    "user1/outer.exec": "/* */\nsay 'RC' rc\n'INNER A b'\nsay 'INNER RC' rc\n"
    "say twice(21)\n'NOSUCHCMD'\nsay 'UNKNOWN' rc\nexit 5\n",
    "user1/inner.exec": "/* */\nparse arg x y\nsay 'INNER' x y\nexit 12\n",
    "user1/value.exec": "/* */\nparse arg e\ninterpret 'say' e\n",
    "user1/twice.exec": "/* */\nreturn 2 * arg(1)\n",
    "user1/copy.exec": "/* reads a file and writes another */\n"
    "'EXECIO * DISKR LINES TEXT A (FINIS'\nsay 'READ' rc queued()\n"
    "'EXECIO' queued() 'DISKW OUT TEXT A'\n"
    "'EXECIO 1 DISKW OUT TEXT A (FINIS STRING The End'\n"
    "'EXECIO 1 DISKR OUT TEXT A 31 (FINIS'\nparse pull last\nsay last\n"
    "'EXECIO 2 DISKR OUT TEXT A 31'\nsay 'RC' rc\n'DESBUF'\n'FINIS OUT TEXT A'\n",
    "user1/unclosed.exec": "/* */\n'EXECIO 1 DISKW LEFT TEXT A (STRING kept'\n",
    "user1/ends.exec": "/* */\n'EXECIO 1 DISKW LEFT TEXT A (STRING kept'\n'STATE LEFT TEXT A'\n"
    "say rc\n'FINIS * * *'\n'STATE LEFT TEXT A'\nsay rc\n'ERASE LEFT TEXT A'\n",
    "user1/asks.exec": "/* */\npush 'from the stack'\npull a\nsay a\n"
    "say 'NAME?'\nparse pull b\nsay 'GOT' b\n",
    "user1/diag.exec": "/* */\nparse value diag(8, 'QUERY TIME') with a '15'x b '15'x\n"
    "say word(a, 1) word(b, 1)\n'EXECIO * CP (STRING QUERY TIME'\nsay queued()\n'DESBUF'\n"
    "address command 'LISTF * * A'\nsay rc\naddress command 'STATE LINES TEXT A'\nsay rc\n",
    "user1/streams.exec": "/* */\nf = 'lines text a'; g = 'NEW TEXT'\nsay lines(f) lines('NO FILE')"
    "\nn = 0\ndo while lines(f) > 0\n  n = n + 1\n  x = linein(f)\n"
    "  if lineout(g, n x) \\= 0 then say 'NOT WRITTEN'\nend\n"
    "say n lines(f) '<'linein(f)'>' lines(g)\n"
    "say linein(g, 3) '/' linein(g) '/' linein(g, 2) '/' '<'linein(g, 2, 0)'>' linein(g)\n"
    "say lineout(g) stream(g, 'c', 'close') lineout('NEW TEXT Q', 'x') linein('!')'.'\n"
    "'STATE NEW TEXT A'\nsay rc lineout(, 'to the terminal')\nsay 'NAME?'\nsay 'GOT' linein()\n"
    "'ERASE NEW TEXT A'\n",
    "user1/chars.exec": "/* */\nf = 'lines text a'; g = 'CHARS TEXT'; e = '15'x\n"
    "say chars(f) charin(f)charin(f,, 3) linein(f) lines(f) chars(f)\n"
    "say charin(f, 1, 0)translate(charin(f, 5, 6), '/', e) chars(f)\n"
    "say length(charin(f,, 99999)) '<'charin(f)'>' chars(f)\n"
    "say charout(g, 'ab') charout(g, 'c'e'd') charout(g) charin(g,, 2)linein(g) linein(g)'.'\n"
    "say charout(g, 'x') chars('FIXED TEXT') translate(charin('FIXED TEXT',, 15), '/', e)'.'\n"
    "call charout , 'A PROM'; call charout , 'PT? '; a = charin(); say a'+'linein()\n"
    "'ERASE FIXED TEXT A'; call charout , 'LAST'\n",
    "user1/stacks.exec": "/* */\nqueue 'IDENTIFY'\nqueue 'NOSUCH'\nexit 3\n",
    "user1/buffers.exec": "/* */\nqueue 'old'\n'MAKEBUF'\nsay rc\nqueue 'new'\n'SENTRIES'\nsay rc\n"
    "'DROPBUF'\nsay queued()\npull x\nsay x\n",
    "user1/fill.exec": "/* */\nsignal on syntax\ndo i = 1 to 99999\n  queue left(i, 80, '.')\nend\n"
    "syntax: say rc (queued() = i - 1) (i > 4000)\n'STATE LINES TEXT A'\nsay rc\n"
    "n = queued()\ndo k = 1 to n\n  parse pull x\n  if x \\== left(k, 80, '.') then say k x\n"
    "end\nqueue 'again'\nparse pull x\nsay x queued()\n",
    "user1/broken.exec": "/* */\nsay 1 +\n",
    "user1/adds.exec": "/* */\ndo i = 1 to 2000\n  x = i + 1\nend\n",
    "user1/itself.exec": "/* */\n'ITSELF'\nexit rc\n",
    "user1/query.exec": "/* shadows the CMS command */\nsay 'MY QUERY' arg(1)\n",
}


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Guest, Hercules]]:
    with booted(tmp_path_factory.mktemp("exec"), EXECS) as pair:
        yield pair


@pytest.fixture(scope="module")
def user(system: tuple[Guest, Hercules]) -> Iterator[Cms]:
    cms = Cms(system, 0x0700, "USER1")
    yield cms
    cms.close()


def test_ipl_runs_the_profile(user: Cms) -> None:
    text = "\n".join(user.start)
    assert re.search(
        r"VM/KB CMS.*\nPROFILE RAN\nDMSACC723I Y \(19E\) R/O\n"
        r"Ready; T=\d+\.\d\d/\d+\.\d\d \d\d:\d\d:\d\d",
        text,
    )


def test_ipl_without_profile_and_with_a_bad_one(system: tuple[Guest, Hercules]) -> None:
    other = Cms(system, 0x0701, "USER2")
    assert re.match(r"Ready\(00077\);", other.start[-1])
    mark = other.type("IPL CMS PARM NOPROF")
    other.expect("Ready;", mark)
    assert "DMSARE" not in "\n".join(other.session.lines[mark:])
    other.close()


def test_a_machine_without_disks_has_cms_too(system: tuple[Guest, Hercules]) -> None:
    bare = Cms(system, 0x0702, "BARE")
    assert bare.run("LISTFILE * * A", 36) == ("DMSLST069E Filemode A not accessed",)
    assert bare.run("SYSEXEC hello") == ("SYSTEM hello",)
    bare.close()


def test_execs_call_execs(user: Cms) -> None:
    said = user.run("outer", 5)
    assert said == (
        "RC RC",
        "INNER A b",
        "INNER RC 12",
        "42",
        "     6 *-* 'NOSUCHCMD'",
        "       +++ RC(-3) +++",
        "UNKNOWN -3",
    )


def test_execio_reads_and_writes(user: Cms) -> None:
    assert user.run("COPY") == ("READ 0 30", "The End", "RC 2")
    assert user.run("TYPE OUT TEXT A 30") == ("line 30", "The End")
    user.run("UNCLOSED")
    assert user.run("TYPE LEFT TEXT A") == ("kept",)
    user.run("ERASE OUT TEXT A")
    user.run("ERASE LEFT TEXT A")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("changestr('na','banana','')'.'", "ba."),
        ("changestr('a','banana','oo')", "boonoonoo"),
        ("changestr('aa','aaa','b') changestr('','abc','x')'.'", "ba abc."),
        ("changestr('x','','y')'.'", "."),
        ("countstr('aa','aaaaa') countstr('','abc')", "2 0"),
        ("countstr('x','') countstr(1,1121)", "0 3"),
        ("cmsflag('impcp') cmsflag(' CMSTYPE ') cmsflag('DOS')", "1 1 0"),
        ("storage()", "00200000"),
        ("length(storage('1fff00',512)) length(storage('200000',8))", "256 0"),
        ("length(storage('100000')) storage('100000',3,'abc')storage('100000',3)'.'",
         "1 \0\0\0abc."),
    ],
)  # fmt: skip
def test_functions_of_cms(user: Cms, expression: str, value: str) -> None:
    assert user.run(f"VALUE {expression}") == (value.replace("\0", " "),)


@pytest.mark.parametrize(
    "expression",
    ["countstr('a')", "changestr('a','b')", "cmsflag('nosuch')", "cmsflag()", "storage('xyz')",
     "storage(100,'z')", "storage(,8)"],
)  # fmt: skip
def test_functions_of_cms_refuse_bad_arguments(user: Cms, expression: str) -> None:
    said = user.run(f"VALUE {expression}", 20040)
    assert said[-1].endswith("Incorrect call to routine"), said


def test_the_stack_is_limited_by_storage(user: Cms) -> None:
    """It fills until Error 48; commands still run, and every line comes back in order."""
    assert user.run("FILL") == ("48 1 1", "0", "again 0")


def test_arithmetic_is_as_defined(user: Cms) -> None:
    """What the host's tests compare by the thousand, in the guest's own build and characters."""
    said = [vectors.value(line) for line in user.run("VECTORS")]
    assert said == [v.wanted for v in SUMS]


def test_streams_are_files_line_by_line(user: Cms) -> None:
    mark = user.type("STREAMS")
    user.expect("NAME?", mark)
    user.type("Typed here")
    user.expect("Ready;", mark)
    said = [line for line in user.session.lines[mark:] if line.strip()]
    assert said[said.index("30 0") :][:7] == [
        "30 0",
        "30 0 <> 30",
        "3 line 3 / 4 line 4 / 2 line 2 / <> 2 line 2",
        "0 READY 1 .",
        "to the terminal",
        "0 0",
        "NAME?",
    ]
    assert "GOT Typed here" in said


def test_streams_are_read_and_written_by_characters(user: Cms) -> None:
    user.run("COPYFILE LINES TEXT A FIXED TEXT A (RECFM F LRECL 9")
    mark = user.type("CHARS")
    user.expect("A PROMPT?", mark)
    user.type("Typed here")
    user.expect("Ready;", mark)
    said = [line for line in user.session.lines[mark:] if line.strip()]
    size = sum(len(f"line {n}") + 1 for n in range(1, 31))
    assert said[said.index(f"{size} line  1 29 {size - 7}") :][:5] == [
        f"{size} line  1 29 {size - 7}",
        f" 1/lin {size - 10}",
        f"{size - 10} <> 0",
        "0 0 0 abc d.",
        "0 300 line 1   /line .",
    ]
    assert "T+yped here" in said
    assert "LAST" in said
    assert user.run("TYPE CHARS TEXT A") == ("abc", "d", "x")
    user.run("ERASE CHARS TEXT A")


def test_finis_makes_what_was_written_a_file(user: Cms) -> None:
    said = user.run("ENDS")
    assert said[0] == "DMSSTT002E File LEFT TEXT A not found"
    assert [line for line in said if line.isdigit()] == ["28", "0"]


def test_pull_takes_the_stack_then_the_console(user: Cms) -> None:
    mark = user.type("ASKS")
    user.expect("NAME?", mark)
    user.expect("FROM THE STACK", mark)
    mark = user.type("Some Body")
    user.expect("GOT Some Body", mark)
    user.expect("Ready;", mark)


def test_cp_answers_an_exec(user: Cms) -> None:
    said = [line for line in user.run("DIAG") if "*-*" not in line and "+++" not in line]
    assert said == ["TIME CONNECT=", "2", "-3", "0"]


def test_what_an_exec_stacks_is_the_next_command(user: Cms) -> None:
    mark = user.type("STACKS")
    user.expect("Ready(00003);", mark)
    user.expect("USER1    AT", mark)
    user.expect("Ready(-0003);", mark)


def test_stack_buffers(user: Cms) -> None:
    assert user.run("BUFFERS") == ("1", "2", "1", "OLD")


def test_errors_in_an_exec_are_said_with_their_line(user: Cms) -> None:
    answer = user.answer("BROKEN")
    assert answer.rc == 20035
    assert "2 +++ say 1 +" in "\n".join(answer.lines)


def test_an_exec_that_calls_itself_ends(user: Cms) -> None:
    answer = user.answer("ITSELF")
    assert answer.rc not in (0, None)
    assert user.run("STATE LINES TEXT A") == ()


@pytest.mark.parametrize("endless", ["LOOP", "COMMANDS", "STUBBORN"])
def test_hx_ends_an_exec_and_others_work_meanwhile(
    system: tuple[Guest, Hercules], user: Cms, endless: str
) -> None:
    other = Cms(system, 0x0701, "USER2")
    mark = user.type(endless)
    user.expect("LOOPING", mark + 1)
    other.run("QUERY TIME")
    other.run("LISTFILE * * S")
    other.session.close()
    mark = user.type("HX")
    user.expect("Ready", mark)
    assert user.run("STATE LINES TEXT A") == ()


@pytest.mark.parametrize("word", ["HT", "HX"])
def test_typing_is_halted_at_a_full_screen(user: Cms, word: str) -> None:
    mark = user.type("TYPE DOC2M TEXT Y")
    terminal = user.session.terminal
    terminal.wait(lambda screen: screen.status is Status.MORE, WITHIN, "MORE...")
    terminal.type(word)
    terminal.enter()
    user.expect("Ready", mark)
    assert user.session.lines[-1].startswith("Ready;")
    assert len(user.session.lines) - mark < 1000


def test_search_order_and_its_settings(user: Cms) -> None:
    assert user.run("QUERY DISK") == ("MY QUERY DISK",)
    user.run("SET IMPEX OFF")
    assert user.run("QUERY IMPEX") == ("IMPEX   = OFF",)
    user.run("OUTER", -3)
    user.run("SET IMPEX ON")
    user.run("SET IMPCP OFF")
    user.run("MESSAGE * HELLO", -3)
    user.run("SET IMPCP ON")
    assert user.run("Q TIME")[0].startswith("TIME IS")
    assert user.run("CP QUERY TIME")[0].startswith("TIME IS")


def test_ready_can_be_short(user: Cms) -> None:
    user.run("SET RDYMSG SMSG")
    mark = user.type("NOSUCH")
    user.expect("R(-0003);", mark)
    mark = user.type("SET RDYMSG LMSG")
    user.expect("Ready; T=", mark)


@pytest.mark.parametrize("nothing", ["", "hx", "RT"])
def test_nothing_is_answered(user: Cms, nothing: str) -> None:
    mark = user.type(nothing)
    user.expect("CMS", mark)
    assert user.run("STATE LINES TEXT A") == ()


def test_disks_of_others_are_read_while_they_change(
    system: tuple[Guest, Hercules], user: Cms
) -> None:
    other = Cms(system, 0x0701, "USER2")
    other.run("ACCESS 291 B")
    assert other.run("TYPE LINES TEXT B 30") == ("line 30",)
    for n in range(4):
        user.run(f"COPYFILE LINES TEXT A COPY{n} TEXT A")
    assert other.run("TYPE LINES TEXT B 30") == ("line 30",)
    other.run("ACCESS 291 B")
    assert other.run("TYPE COPY3 TEXT B 30") == ("line 30",)
    user.run("ERASE COPY* TEXT A")
    other.close()


def test_cp_knows_the_bytes_that_a_copy_moves(user: Cms) -> None:
    def moved() -> int:
        (virt,) = (line for line in user.run("CP QUERY TIME (FULL") if line.startswith("VIRT "))
        return int(virt.split("INSTR")[1].split()[0])

    user.run("ACCESS 192 C")
    user.run("COPYFILE DOC2M TEXT Y F TEXT C (FOR 500 RECFM F LRECL 256")
    before = moved()
    user.run("TYPE LINES TEXT A 30")
    typed = moved() - before
    assert typed < 8000
    user.run("COPYFILE F TEXT C V TEXT C (RECFM V")
    assert 120000 <= moved() - before - typed < 3 * 128000
    user.run("ERASE * TEXT C")
    user.run("RELEASE C")


def test_the_same_command_costs_the_same(user: Cms) -> None:
    def instructions() -> int:
        lines = user.run("CP QUERY TIME (FULL")
        (virt,) = (line for line in lines if line.startswith("VIRT "))
        return int(virt.split("US")[1].split()[0])

    costs = []
    before = instructions()
    for _ in range(10):
        user.run("ADDS")
        after = instructions()
        costs.append(after - before)
        before = after
    assert max(costs) - min(costs) < 0.002 * min(costs), costs
