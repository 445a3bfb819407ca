# SPDX-License-Identifier: MIT
"""USER DIRECT: what it accepts, and where and how it complains."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmkb.guests.vmkb.disk.compiler import compile_directory
from vmkb.guests.vmkb.disk.errors import DirectoryError
from vmkb.guests.vmkb.disk.model import Directory

SPACE = (1000, 100000)

GOOD = """\
* a comment
DIRECTORY 0100 3370 VOL001
PROFILE BASE
 IPL CMS PARM AUTOCR Mixed Case
 CONSOLE 0009 3215 T OP
 LINK OP 0190 0190 RR
USER OP SECRET 2M 4M ABCDEFG1 10 # @ ON 5F
 ACCOUNT 1 SYS
 MDISK 0190 3370 AUTO 800 VOL001 MR ALL W M
 MDISK 0191 FB-512 1000 80 VOL001
USER JOE NOLOG
 INCLUDE BASE
 OPTION ACCT MAXCONN 7
 IUCV ANY MSGLIMIT 9
 AUTOLOG OP
 SPOOL 000C 2540R A
 DEDICATE 0500 0600
 SPECIAL 0700 3270
 LINK OP 191 199
"""


def _compile(text: str) -> Directory:
    return compile_directory("D", text, "VOL001", SPACE)[0]


def _problems(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(DirectoryError) as e:
        _compile(text)
    return [(p.line, p.column, p.message) for p in e.value.problems]


def test_statements_are_read() -> None:
    op, joe = _compile(GOOD).users
    assert (op.userid, op.password, op.storage_kb, op.max_kb) == ("OP", "SECRET", 2048, 4096)
    assert op.classes == 0x7F | 1 << 26
    assert (op.priority, op.account, op.distribution) == (10, "1", "SYS")
    assert op.edit == bytes([0x7B, 0x7C, 0, 0x5F])
    assert [(m.vaddr, m.start, m.blocks) for m in op.mdisks] == [
        (0x190, 1080, 800),
        (0x191, 1000, 80),
    ]
    assert op.mdisks[0].passwords == ("ALL", "W", "M")
    assert (joe.password, joe.flags) == ("", 0x1 | 0x4 | 0x100 | 0x200)
    assert (joe.ipl_name, joe.ipl_parm) == ("CMS", "AUTOCR Mixed Case")
    assert (joe.console_vaddr, joe.console_type, joe.secondary) == (9, 0x3215, "OP")
    assert (joe.iucv_msglimit, joe.maxconn) == (9, 7)
    assert [(x.userid, x.vaddr, x.alias, x.mode) for x in joe.links] == [
        ("OP", 0x190, 0x190, 2),
        ("OP", 0x191, 0x199, 2),
    ]
    assert [(d.vaddr, d.kind, d.type, d.raddr) for d in joe.devices] == [
        (0xC, 1, "2540R", 0),
        (0x500, 2, "", 0x600),
        (0x700, 3, "3270", 0),
    ]


USER = "USER A A\n"
MDISK = " MDISK 191 3370 {} 80 VOL001\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "at least one USER"),
        ("USER\n", 1, 6, "expected a userid, found end of line"),
        ("USER TOOLONGNAME X\n", 1, 6, "a userid of 1 to 8"),
        ("USER A A 12X\n", 1, 10, "a storage size such as"),
        ("USER A A 999M\n", 1, 6, "from 4K to 128M without MACHINE Z"),
        ("USER A A 9999M\n MACHINE Z\n", 1, 10, "from 4K to 2048M"),
        (USER + " MACHINE XA\n", 2, 10, "one of Z"),
        ("USER A A 2M 1M\n", 1, 13, "not below the storage size"),
        ("USER A A 1M 1M A!G\n", 1, 17, "found '!'"),
        ("USER A A 1M 1M G 100\n", 1, 18, "a priority from 0 to 99"),
        ("USER A A 1M 1M G 1 ON ON ON ON X\n", 1, 32, "expected end of line"),
        ("IPL CMS\n", 1, 1, "expected USER or PROFILE before IPL"),
        (USER + " NONSENSE 1\n", 2, 2, "expected a statement, one of ACCOUNT"),
        (USER + " INCLUDE NO\n", 2, 10, "expected a PROFILE"),
        (USER + " IPL CMS\n INCLUDE NO\n", 3, 2, "directly after USER"),
        (USER + " CONSOLE XYZ 3215\n", 2, 10, "hexadecimal"),
        (USER + " CONSOLE 9 1052\n", 2, 12, "one of 3215 3270"),
        (USER + " CONSOLE 9 3215 T GHOST\n", 2, 19, "secondary user, found 'GHOST'"),
        (USER + " IPL CMS PRAM X\n", 2, 10, "expected PARM"),
        (USER + " IPL CMS PARM " + "X" * 65 + "\n", 2, 73, "after column 72"),
        (USER + " MDISK 191 3390 8 80 V\n", 2, 12, "a device type, one of 3370"),
        (USER + MDISK.format("1001"), 2, 17, "multiple of 8"),
        (USER + MDISK.format("8"), 2, 17, "between 1000 and 99999"),
        (USER + MDISK.format("99960"), 2, 17, "between 1000 and 99999"),
        (USER + " MDISK 191 3370 AUTO 60 VOL001\n", 2, 22, "from 64 to 524288"),
        (USER + " MDISK 191 3370 AUTO 65 VOL001\n", 2, 22, "multiple of 8"),
        (USER + " MDISK 191 3370 AUTO 80 OTHER\n", 2, 2, "expected volume VOL001"),
        (USER + " MDISK 191 3370 AUTO 80 VOL001 XX\n", 2, 32, "an access mode, one of R RR"),
        (USER + " MDISK 191 3370 AUTO 200000 VOL001\n", 2, 17, "no gap of 200000"),
        (USER + MDISK.format("AUTO") * 2, 3, 2, "0191 of A is already defined in line 2"),
        (USER + MDISK.format("2000") + MDISK.format("2072").replace("191", "192"), 3, 17,
         "overlaps A 0191 (blocks 2000 to 2079) of line 2"),
        (USER * 2, 2, 6, "user A is already defined in line 1"),
        (USER + " LINK B 191\n", 2, 2, "expected a user, found 'B'"),
        (USER + " LINK A 191\n", 2, 2, "A has no MDISK 0191"),
        (USER + " AUTOLOG B\n", 2, 10, "expected a user, found 'B'"),
        (USER + " OPTION FLY\n", 2, 9, "an option, one of ACCT"),
        (USER + " SPOOL C 9999\n", 2, 10, "a spool device type"),
        (USER + " SPOOL C 1403 ??\n", 2, 15, "a spool class of one letter"),
        (USER + " IUCV NONE\n", 2, 7, "ALLOW or ANY"),
        (USER + " DEDICATE 500\n", 2, 15, "expected a real device address, found end of line"),
        ("PROFILE P\n MDISK 1 3370 AUTO 80 V\n" + USER, 2, 2, "no MDISK in a PROFILE"),
        ("PROFILE P\nPROFILE P\n" + USER, 2, 9, "already defined"),
        (USER + "DIRECTORY 100 3370 V\n", 2, 1, "before everything else"),
        ("USER Ä A\n", 1, 6, "printable ASCII, found character U+00C4"),
        (USER + "\tIPL CMS\n", 2, 1, "printable ASCII"),
        (USER + " LINK A 1\n" * 25, 1, 6, "more than 24"),
    ],
)  # fmt: skip
def test_errors_have_a_place(text: str, line: int, column: int, message: str) -> None:
    problems = _problems(text)
    assert any((a, b) == (line, column) and message in m for a, b, m in problems), problems


def test_all_errors_in_one_go() -> None:
    text = "USER A A 1X\n CONSOLE 9 1\n LINK B 1\nUSER A\n BAD\n"
    assert [p[0] for p in _problems(text)] == [1, 2, 3, 4, 4, 5]


def test_a_message_reads_file_line_column() -> None:
    with pytest.raises(DirectoryError, match=re.escape("D:1:6: expected a userid, found")):
        _compile("USER\n")


_LINES = GOOD.splitlines()
_WORDS = st.sampled_from(
    sorted({w for line in _LINES for w in line.split()}) + ["", "ZZ", "65", "-1", "1" * 30, "é"]
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(_LINES),
            st.lists(_WORDS, max_size=9).map(" ".join),
            st.text(max_size=80),
        ),
        max_size=12,
    )
)
def test_any_text_compiles_or_complains(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        directory, end = compile_directory("D", text, "VOL001", SPACE)
    except DirectoryError as e:
        assert e.problems
        count = text.count("\n") + 1
        assert all(1 <= p.line <= count and p.column >= 1 for p in e.problems)
        return
    taken = sorted(
        (m.start, m.start + m.blocks)
        for u in directory.users
        for m in u.mdisks
        if m.start is not None
    )
    assert all(a[1] <= b[0] for a, b in zip(taken, taken[1:], strict=False))
    assert all(SPACE[0] <= a and b <= end <= SPACE[1] for a, b in taken)
