# SPDX-License-Identifier: MIT
"""What FTPSERVE makes of bytes: F and V records, lines and their ends, all 256 bytes, sizes."""

from __future__ import annotations

import ftplib
import random
import re
from collections.abc import Iterator

import pytest

from tests.e2e.net_guest import NetGuest, get, get_raw, net_guest, put, put_raw

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetGuest]:
    """One guest for this file."""
    with net_guest(tmp_path_factory.mktemp("net")) as net:
        yield net


@pytest.fixture
def ftp(net: NetGuest) -> Iterator[ftplib.FTP]:
    """A session that leaves nothing behind."""
    before = net.in_use()
    with net.ftp() as session:
        yield session
        for name in session.nlst():
            session.delete(name)
    net.wait_as_before(before)


@pytest.mark.parametrize("size", [0, 1, 79, 80, 81, 4096, 24576, 32768, 65537, 2 << 20])
@pytest.mark.parametrize("site", ["", "SITE FIXRECFM 80", "SITE FIXRECFM 4096", "SITE VARRECFM"])
def test_binary(ftp: ftplib.FTP, size: int, site: str) -> None:
    data = random.Random(size).randbytes(size)
    if site:
        assert ftp.sendcmd(site).startswith("200")
    assert put(ftp, "DATA.BIN", data) == "250 Transfer completed successfully."
    assert get(ftp, "DATA.BIN") == data
    assert ftp.size("DATA.BIN") == size
    (entry,) = listing(ftp)
    assert entry[:3] == ["DATA", "BIN", "V" if "VAR" in site else "F"]


@pytest.mark.parametrize(
    ("sent", "back"),
    [
        (b"", b""),
        (b"\r\n", b"\r\n"),
        (b"one\r\ntwo\r\n", b"one\r\ntwo\r\n"),
        (b"no end", b"no end\r\n"),
        (b"one\r\n\r\n\r\nfour\r\n", b"one\r\n\r\n\r\nfour\r\n"),
        (b"bare\nline\nfeeds\n", b"bare\r\nline\r\nfeeds\r\n"),
        (b"a\rb\r\n", b"a\rb\r\n"),
        (b"ends in CR\r", b"ends in CR\r\r\n"),
        (b"x" * 32767 + b"\r\nshort\r\n", b"x" * 32767 + b"\r\nshort\r\n"),
        (b"x" * 32768 + b"\r\n", b"x" * 32768 + b"\r\n"),
    ],
)
def test_lines_to_v_records(ftp: ftplib.FTP, sent: bytes, back: bytes) -> None:
    ftp.voidcmd("TYPE A")
    assert put_raw(ftp, "LINES.TXT", sent).startswith("250")
    assert get_raw(ftp, "LINES.TXT") == back
    assert ftp.sendcmd("SIZE LINES.TXT") == f"213 {len(back)}"
    (entry,) = listing(ftp)
    assert entry[2] == "V" and int(entry[4]) == back.count(b"\r\n")


def test_lines_to_f_records(ftp: ftplib.FTP) -> None:
    ftp.voidcmd("TYPE A")
    ftp.voidcmd("SITE FIXRECFM 20")
    put_raw(ftp, "CARDS.TXT", b"one\r\n\r\n12345678901234567890\r\nlast")
    expected = [b"one".ljust(20), b" " * 20, b"12345678901234567890", b"last".ljust(20)]
    assert get_raw(ftp, "CARDS.TXT") == b"".join(line + b"\r\n" for line in expected)
    assert listing(ftp)[0][2:5] == ["F", "20", "4"]


@pytest.mark.parametrize(
    ("site", "length"), [("SITE FIXRECFM 20", 21), ("SITE VARRECFM 20", 21), ("SITE", 40_000)]
)
def test_a_line_over_the_record_length_is_refused(ftp: ftplib.FTP, site: str, length: int) -> None:
    ftp.voidcmd("TYPE A")
    put_raw(ftp, "LONG.TXT", b"stays\r\n")
    ftp.voidcmd(site)
    with pytest.raises(ftplib.error_perm, match=r"552 A line is longer .*nothing was kept"):
        put_raw(ftp, "LONG.TXT", b"short\r\n" + b"y" * length + b"\r\nrest\r\n")
    assert get_raw(ftp, "LONG.TXT") == b"stays\r\n"


def test_site(ftp: ftplib.FTP) -> None:
    for wrong in ("SITE FIXRECFM", "SITE FIXRECFM 0", "SITE FIXRECFM 65535", "SITE VAR 40000"):
        with pytest.raises(ftplib.error_perm, match="^501 A record length is 1 to 32768"):
            ftp.sendcmd(wrong)
    with pytest.raises(ftplib.error_perm, match="^500 SITE FIXRECFM n, VARRECFM"):
        ftp.sendcmd("SITE CHMOD 777 A.B")
    ftp.voidcmd("SITE FIXRECFM 32768")
    ftp.voidcmd("TYPE A")
    put_raw(ftp, "WIDE.TXT", b"a\r\nb\r\n")
    wide = b"a" + b" " * 32767 + b"\r\n" + b"b" + b" " * 32767 + b"\r\n"
    assert get_raw(ftp, "WIDE.TXT") == wide


def test_every_byte_survives_ascii(ftp: ftplib.FTP) -> None:
    """ISO 8859-1 to EBCDIC 1047 and back, one value a line; LF alone is the end of a line."""
    ftp.voidcmd("TYPE A")
    text = b"".join(b"<" + bytes([n]) + b">\r\n" for n in range(256) if n != 10)
    put_raw(ftp, "BYTES.TXT", text)
    assert get_raw(ftp, "BYTES.TXT") == text
    # As stored: the EBCDIC of code page 1047, which differs from 037 in six places.
    stored = get(ftp, "BYTES.TXT")
    assert bytes([stored[3 * 0x41 - 3 + 1], stored[3 * 0x5B - 3 + 1]]) == b"\xc1\xad"


def test_every_stored_byte_comes_back_in_ascii(ftp: ftplib.FTP) -> None:
    """EBCDIC to ISO 8859-1 is one to one: what GET makes of each byte, PUT makes that byte of."""
    records = b"".join(bytes([n]) * 4 for n in range(256) if n not in (0x0D, 0x25))
    ftp.voidcmd("SITE FIXRECFM 4")
    put(ftp, "ALL.BIN", records)
    ftp.voidcmd("TYPE A")
    text = get_raw(ftp, "ALL.BIN")
    assert len(set(text)) == 256  # the two left out end the lines
    put_raw(ftp, "BACK.BIN", text)
    assert get(ftp, "BACK.BIN") == records


def test_pieces_do_not_matter(ftp: ftplib.FTP) -> None:
    """CR LF may be parted by the edges of segments."""
    ftp.voidcmd("TYPE A")
    with ftp.transfercmd("STOR PIECES.TXT") as data:
        data.setsockopt(6, 1, 1)  # TCP_NODELAY
        for piece in (b"a", b"b\r", b"\n", b"c\r\n\r", b"\nd", b"\n", b"e\r", b"f\r\n"):
            data.sendall(piece)
    ftp.voidresp()
    assert get_raw(ftp, "PIECES.TXT") == b"ab\r\nc\r\n\r\nd\r\ne\rf\r\n"


def test_many_files(ftp: ftplib.FTP) -> None:
    names = [f"F{n:03}.BIN" for n in range(120)]
    for name in names:
        put(ftp, name, name.encode() * 10)
    assert sorted(ftp.nlst()) == names
    assert sorted(ftp.nlst("F00%.BIN")) == names[:10]
    assert {name: get(ftp, name) for name in names} == {n: n.encode() * 10 for n in names}


def test_a_large_file_that_comes_leaves_the_cache_to_what_is_read(
    net: NetGuest, ftp: ftplib.FTP
) -> None:
    """QUERY MDC: what was read is still cached when more than the whole cache was written."""

    def misses() -> int:
        said = re.search(r"MISSES (\d+)", net.console.ask("QUERY MDC")[0])
        assert said is not None
        return int(said[1])

    data = random.Random(1).randbytes(1 << 20)
    put(ftp, "READ.BIN", data)
    get(ftp, "READ.BIN")
    before = misses()
    get(ftp, "READ.BIN")
    assert misses() == before
    for user in ("CL02", "CL03"):
        with net.ftp(user) as other:
            for number in range(5):
                put(other, f"WRITTEN.{number}", data)
            for number in range(5):
                other.delete(f"WRITTEN.{number}")
    before = misses()
    assert get(ftp, "READ.BIN") == data
    assert misses() == before


def listing(ftp: ftplib.FTP) -> list[list[str]]:
    """The words of LIST's lines."""
    rows: list[str] = []
    kind = ftp.sendcmd("STAT").splitlines()[1]
    ftp.retrlines("LIST", rows.append)
    ftp.voidcmd("TYPE A" if "ASCII" in kind else "TYPE I")
    return [row.split() for row in rows]
