# SPDX-License-Identifier: MIT
"""What FTPSERVE makes of clients' paths: a minidisk and a file, or why there is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.ftp.conftest import FtpDrive

DISK, FILE, PATTERN = 0, 1, 2
NO_LEVELS = "minidisks have no levels; CD owner.vaddr goes to another one"
BEHIND = "behind filename and filetype there may be filemode A, or A0 to A6, and nothing else"
NAMED = "a file is named filename.filetype"
LONG = "a file name and type have up to 8 characters each"
LETTERS = "a name is made of letters, digits and $ # @ + - : _"
OWNER = "CD owner.vaddr, as in MAINT.19E"


def _path(ftp: FtpDrive, kind: int, text: str) -> str:
    return ftp.ask("D", kind, data=text.encode("latin-1").hex()).rstrip()


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("a.b", "- A B"),
        ("profile exec", "- PROFILE EXEC"),
        ("profile  exec  a1", "- PROFILE EXEC"),
        ("Profile.Exec.A0", "- PROFILE EXEC"),
        ("'A.B'", "- A B"),
        ("$#@+-:_.x", "- $#@+-:_ X"),
        ("VMUSER1.192/F001.BIN", "VMUSER1.192 F001 BIN"),
        ("/vmuser1.192/f001.bin", "VMUSER1.192 F001 BIN"),
        ("vmuser1.191/vmuser1.192/f001.bin", "VMUSER1.192 F001 BIN"),
        ("192/F001.BIN", "ME.192 F001 BIN"),
        ("MAINT/F001.BIN", "MAINT.191 F001 BIN"),
        ("/F001.BIN", "ME.191 F001 BIN"),
        ("./F001.BIN", "- F001 BIN"),
        ("../F001.BIN", NO_LEVELS),
        ("lib.tar.gz", BEHIND),
        ("lib.tar.bz2", BEHIND),
        ("a.b.c", BEHIND),
        ("a.b.c.d", BEHIND),
        ("a.b.a7", BEHIND),
        ("a.b.a11", BEHIND),
        ("a.b.a.b", BEHIND),
        ("a.b.", BEHIND),
        ("a b c", BEHIND),
        ("a", NAMED),
        ("a.", NAMED),
        (".b", NAMED),
        ("a..b", NAMED),
        ("ninechars.b", LONG),
        ("a.ninechars", LONG),
        ("a*.b", LETTERS),
        ("\xe4.b", LETTERS),
        ("a'b.c", LETTERS),
        ("'a.b", LETTERS),
        ("no.disk/a.b", OWNER),
        ("maint.1919e/a.b", OWNER),
        ("", "a file name is needed"),
        ("maint.19e/", "a file name is needed"),
    ],
)
def test_files(ftp: FtpDrive, text: str, understood: str) -> None:
    assert _path(ftp, FILE, text) == understood


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("maint.19e", "MAINT.19E"),
        ("maint 19e", "MAINT.19E"),
        ("/maint.19e/", "MAINT.19E"),
        ("me.191/maint.19e", "MAINT.19E"),
        ("maint", "MAINT.191"),
        ("192", "ME.192"),
        (".19e", "ME.19E"),
        ("/", "ME.191"),
        (".", "-"),
        ("", "-"),
        ("./192", "ME.192"),
        ("..", NO_LEVELS),
        ("192/..", NO_LEVELS),
        ("19e/../192", NO_LEVELS),
        ("maint.xyz", OWNER),
        ("maint.19e.a", OWNER),
        ("toolonguser.191", "a userid has up to 8 characters; CD owner.vaddr, as in MAINT.19E"),
    ],
)
def test_minidisks(ftp: FtpDrive, text: str, understood: str) -> None:
    assert _path(ftp, DISK, text) == understood


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("", "- * *"),
        (".", "- * *"),
        ("*", "- * *"),
        ("f*", "- F* *"),
        ("f*.b?n", "- F* B%N"),
        ("192/", "ME.192 * *"),
        ("192/*.bin", "ME.192 * BIN"),
        ("a.b.c", BEHIND),
        ("[ab].c", LETTERS),
    ],
)
def test_patterns(ftp: FtpDrive, text: str, understood: str) -> None:
    assert _path(ftp, PATTERN, text) == understood


NAME = st.text("ABCXYZ019$#@+-:_", min_size=1, max_size=8)


@given(fn=NAME, ft=NAME, mode=st.sampled_from(["", ".A", ".a1", " A6"]), disk=st.booleans())
def test_each_name_is_its_own(ftp: FtpDrive, fn: str, ft: str, mode: str, disk: bool) -> None:
    before = "OWNER.2a0/" if disk else ""
    where = "OWNER.2A0" if disk else "-"
    assert _path(ftp, FILE, f"{before}{fn}.{ft}{mode}") == f"{where} {fn} {ft}"


@given(
    kind=st.integers(0, 2),
    text=st.text(st.characters(codec="latin-1", exclude_characters="\0\n"), max_size=60)
    | st.text("aA1./ *'", max_size=30),
)
def test_any_text(ftp: FtpDrive, kind: int, text: str) -> None:
    assert _path(ftp, kind, text)
