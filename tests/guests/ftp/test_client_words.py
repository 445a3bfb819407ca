# SPDX-License-Identifier: MIT
"""What the FTP client makes of servers' replies and of its user's words."""

from __future__ import annotations

import fnmatch
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.ftp.conftest import FtpDrive

Line = tuple[int, str, str]


def _replies(ftp: FtpDrive, *pieces: bytes) -> list[Line]:
    answer = ftp.ask("R", data="".join("/" + p.hex() for p in pieces))
    found = re.findall(r"(\d+)([-.?])([0-9a-f]*)", answer)
    return [(int(c), kind, bytes.fromhex(text).decode("latin-1")) for c, kind, text in found]


def _text(ftp: FtpDrive, text: str) -> list[int]:
    return [int(x) for x in ftp.ask("T", data=text.encode().hex()).split()]


def _words(ftp: FtpDrive, line: str) -> list[str]:
    return ftp.ask("W", data=line.encode().hex()).split("|")


def test_replies_of_one_line(ftp: FtpDrive) -> None:
    assert _replies(ftp, b"220 hello\r\n331 who\n") == [
        (220, ".", "220 hello"),
        (331, ".", "331 who"),
    ]
    assert _replies(ftp, b"226\r\n") == [(226, ".", "226")]
    for bad in (b"hello\r\n", b"22 x\r\n", b"620 x\r\n", b"2200 x\r\n", b"\r\n", b"SSH-2.0-x\n"):
        assert _replies(ftp, bad)[0][1] == "?", bad


def test_replies_of_many_lines(ftp: FtpDrive) -> None:
    lines = _replies(
        ftp, b"220-first\r\n hello\r\n230 not yet\r\n220-still\r\n\r\n220 end\r\n200 x\r\n"
    )
    assert [kind for _, kind, _ in lines] == ["-", "-", "-", "-", "-", ".", "."]
    assert lines[-2] == (220, ".", "220 end")
    assert lines[-1] == (200, ".", "200 x")


@given(st.lists(st.binary(max_size=300)))
def test_any_bytes_are_read(ftp: FtpDrive, pieces: list[bytes]) -> None:
    lines = _replies(ftp, *pieces)
    whole = b"".join(pieces)
    assert len(lines) == whole.count(b"\n")
    assert _replies(ftp, whole) == lines
    assert all(len(text) <= 240 for _, _, text in lines)


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("227 Entering Passive Mode (10,17,0,254,4,1).", 1025),
        ("227 =10,17,0,254,4,1", 1025),
        ("227 10,17,0,254,4,1", 1025),
        ("227 Mode (10,17,0,254,4)", 0),
        ("227 Mode (10,17,0,256,4,1)", 0),
        ("227 Mode (10,17,0,254,0,0)", 0),
        ("227", 0),
    ],
)
def test_passive(ftp: FtpDrive, text: str, port: int) -> None:
    understood, ip, found = _text(ftp, text)[:3]
    assert (understood, found) == (int(port > 0), port)
    if port:
        assert ip == 0x0A1100FE


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("229 Entering Extended Passive Mode (|||51234|)", 51234),
        ("229 ok (!!!21!)", 21),
        ("229 ok (|||0|)", 0),
        ("229 ok (|||65536|)", 0),
        ("229 ok (|||12", 0),
        ("229 ok ()", 0),
        ("229 ok (", 0),
    ],
)
def test_extended_passive(ftp: FtpDrive, text: str, port: int) -> None:
    assert _text(ftp, text)[3:5] == [int(port > 0), port]


@given(st.text(alphabet="(),|0123456789 bytes", max_size=60))
def test_any_text_of_a_reply(ftp: FtpDrive, text: str) -> None:
    understood, _, port, extended, extended_port, _, _ = _text(ftp, text)
    assert bool(understood) == bool(port)
    assert bool(extended) == bool(extended_port)


def test_size_in_a_reply(ftp: FtpDrive) -> None:
    assert _text(ftp, "150 Opening (x) data connection for a (2097152 bytes).")[5:] == [1, 2097152]
    assert _text(ftp, "150 Opening (12 kilobytes)")[5:] == [0, 0]


@pytest.mark.parametrize(
    ("line", "local"),
    [
        ("put a.b", "A B  1"),
        ("put profile.exec.a1 x/y", "PROFILE EXEC A1 1"),
        ("put profile exec", "PROFILE EXEC  2"),
        ("put profile exec b there", "PROFILE EXEC B 3"),
        ("put a.b.7", "the filemode is a letter and perhaps a digit 0 to 6"),
        ("put a", "a filetype is needed: fn.ft"),
        ("put .b", "a filename and a filetype are needed"),
        ("put toolongname.b", "a filename or filetype has 8 characters at most"),
        ("put a*.b", "a filename or filetype has letters, digits and $ # @ + - : _ only"),
    ],
)
def test_local_names(ftp: FtpDrive, line: str, local: str) -> None:
    assert _words(ftp, line)[1] == local


@pytest.mark.parametrize(
    ("foreign", "local"),
    [
        ("a.b", "A B"),
        ("/usr/lib/read.me", "READ ME"),
        ("README", "it has no filetype (fn.ft)"),
        ("a.b.c", "it has more than fn.ft"),
        ("index.htmlpages", "a filename or filetype has 8 characters at most"),
        ("ä.b", "a filename or filetype has letters, digits and $ # @ + - : _ only"),
    ],
)
def test_names_from_the_server(ftp: FtpDrive, foreign: str, local: str) -> None:
    assert _words(ftp, f"get {foreign}")[2] == local


def test_words_and_options(ftp: FtpDrive) -> None:
    assert _words(ftp, "get  Some.File x.y (replace)")[0] == "3 1 0 Some.File x.y (replace)"
    assert _words(ftp, "get a.b (rep")[0] == "2 1 0 a.b (rep"
    assert _words(ftp, "get a.b (bogus")[0].startswith("2 0 1")
    assert _words(ftp, "a " * 9) == ["too many"]


@given(st.text(st.characters(codec="latin-1", exclude_characters="\0\n|"), max_size=255))
def test_any_line_is_cut(ftp: FtpDrive, line: str) -> None:
    answer = ftp.ask("W", data=line.encode("latin-1").hex()).split("|")
    assert answer == ["too many"] or len(answer) == 3


@given(name=st.text("ab.", max_size=12), pattern=st.text("ab.*?", max_size=8))
def test_patterns_of_a_servers_names(ftp: FtpDrive, name: str, pattern: str) -> None:
    fits = fnmatch.fnmatchcase(name, pattern)
    assert ftp.ask("G", data=f"{name.encode().hex()}/{pattern.encode().hex()}") == str(int(fits))


def test_the_message_after_a_transfer(ftp: FtpDrive) -> None:
    published = "2097152 bytes transferred in 1.65 seconds. Transfer rate 1241 Kbytes/sec."
    assert ftp.ask("M", 2097152, 1650000) == published
    none = "0 bytes transferred in 0.00 seconds. Transfer rate 0 Kbytes/sec."
    assert ftp.ask("M", 0, 0) == none


@given(st.integers(0, 1 << 40), st.integers(0, 10**10))
def test_rate_is_cut_to_whole_kilobytes(ftp: FtpDrive, size: int, us: int) -> None:
    match = re.fullmatch(
        r"(\d+) bytes transferred in (\d+)\.(\d\d) seconds\. Transfer rate (\d+) Kbytes/sec\.",
        ftp.ask("M", size, us),
    )
    assert match
    assert int(match[1]) == size
    assert int(match[2] + match[3]) == (us + 5000) // 10000
    assert int(match[4]) == size * 10**6 // max(us, 1) // 1024
