# SPDX-License-Identifier: MIT
"""Records to bytes of the wire and back, against a few lines of Python that say the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.guests.ftp.conftest import FtpDrive
from vmkb.guests.vmkb.disk.codepage import decode

F, V = 0xC6, 0xE5
RECORD_ERROR = -13
BLANK = b"\x40"
LATIN1 = bytes(range(256))
EBCDIC_OF = {decode(bytes([e])).encode("latin-1")[0]: e for e in range(256)}

CRLF_TO_BLANK = bytes.maketrans(b"\x25\x0d", BLANK * 2)
records = st.lists(st.binary(max_size=40), max_size=12)
wire = st.lists(st.sampled_from([b"\r\n", b"\n", b"\r", b"word", b"\xe4\x00", b"x" * 30])).map(
    b"".join
)


def _latin1(data: bytes) -> bytes:
    return decode(data).encode("latin-1")


def _ebcdic(data: bytes) -> bytes:
    return bytes(EBCDIC_OF[b] for b in data)


def _pieces(data: bytes, cuts: list[int]) -> str:
    at = sorted({0, len(data), *(c % (len(data) + 1) for c in cuts)})
    return "".join("/" + data[a:b].hex() for a, b in zip(at, at[1:], strict=False))


def _out(
    ftp: FtpDrive, ascii_type: bool, recfm: int, piece: int, data: list[bytes], skip: int = 0
) -> bytes:
    told = "".join("/" + r.hex() for r in data)
    text, code = ftp.ask("O", ascii_type, recfm, piece, skip, data=told).split(" ")
    assert int(code) == 0
    return bytes.fromhex(text)


def _in(
    ftp: FtpDrive, ascii_type: bool, recfm: int, lrecl: int, data: str, limit: int = 200
) -> tuple[int, list[bytes]]:
    code, _, text = ftp.ask("I", ascii_type, recfm, lrecl, limit, data=data).partition(" ")
    records = text.split("/")[text.startswith("/") :] if text else []
    return int(code), [bytes.fromhex(r) for r in records]


@given(data=records, piece=st.integers(1, 120), recfm=st.sampled_from([F, V]))
def test_ascii_out_is_lines(ftp: FtpDrive, data: list[bytes], piece: int, recfm: int) -> None:
    expected = b"".join(_latin1(r) + b"\r\n" for r in data)
    assert _out(ftp, True, recfm, piece, data) == expected


@given(data=records, piece=st.integers(1, 120), recfm=st.sampled_from([F, V]))
def test_binary_out_is_the_bytes(ftp: FtpDrive, data: list[bytes], piece: int, recfm: int) -> None:
    assert _out(ftp, False, recfm, piece, data) == b"".join(data)


@given(data=wire, cuts=st.lists(st.integers(0, 500), max_size=8))
def test_ascii_in_is_records(ftp: FtpDrive, data: bytes, cuts: list[int]) -> None:
    lines = data.split(b"\n")
    expected = [_ebcdic(x.removesuffix(b"\r")) for x in lines[:-1]]
    if lines[-1]:
        expected.append(_ebcdic(lines[-1]))
    too_long = any(len(r) > 200 for r in expected)
    code, got = _in(ftp, True, V, 0, _pieces(data, cuts))
    if too_long:
        assert code == RECORD_ERROR
    else:
        assert (code, got) == (0, expected)


@given(data=wire, cuts=st.lists(st.integers(0, 500), max_size=8))
def test_fixed_records_are_filled_with_blanks(ftp: FtpDrive, data: bytes, cuts: list[int]) -> None:
    lines = data.split(b"\n")
    expected = [x.removesuffix(b"\r") for x in lines[:-1]] + [x for x in lines[-1:] if x]
    code, got = _in(ftp, True, F, 60, _pieces(data, cuts))
    if any(len(r) > 60 for r in expected):
        assert code == RECORD_ERROR
    else:
        assert (code, got) == (0, [_ebcdic(r).ljust(60, BLANK) for r in expected])


@given(data=st.binary(max_size=900), cuts=st.lists(st.integers(0, 900), max_size=8))
def test_binary_in(ftp: FtpDrive, data: bytes, cuts: list[int]) -> None:
    assert _in(ftp, False, F, 80, _pieces(data, cuts)) == (0, [data] if data else [])
    code, got = _in(ftp, False, V, 100, _pieces(data, cuts))
    assert code == 0
    assert b"".join(got) == data
    assert all(len(r) == 100 for r in got[:-1])


@given(data=records, piece=st.integers(1, 90), cuts=st.lists(st.integers(0, 500), max_size=5))
def test_text_there_and_back(ftp: FtpDrive, data: list[bytes], piece: int, cuts: list[int]) -> None:
    data = [r.replace(b"\x25", b"\x40").replace(b"\x0d", b"\x40") for r in data]
    wire_bytes = _out(ftp, True, V, piece, data)
    assert _in(ftp, True, V, 0, _pieces(wire_bytes, cuts)) == (0, data)


def test_a_record_longer_than_the_buffer_is_refused_not_overrun(ftp: FtpDrive) -> None:
    code, _ = _in(ftp, True, F, 65535, "/" + b"short\r\n".hex(), limit=100)
    assert code == -14


# REST and APPE: what of an old file stays, and what goes on behind it.


def _keep(
    ftp: FtpDrive, ascii_type: bool, recfm: int, lrecl: int, n: int, old: list[bytes], new: str
) -> tuple[int, list[bytes]]:
    told = "".join("/" + r.hex() for r in old) + ":" + new
    code, _, text = ftp.ask("K", ascii_type, recfm, lrecl, n, data=told).partition(" ")
    got = text.split("/")[text.startswith("/") :] if text else []
    return int(code), [bytes.fromhex(r) for r in got]


EVERYTHING = 2**64 - 1
lines = st.lists(st.binary(max_size=40).map(lambda r: r.translate(CRLF_TO_BLANK)), max_size=12)


@given(data=records, piece=st.integers(1, 90), recfm=st.sampled_from([F, V]), at=st.integers(0, 99))
def test_rest_of_what_is_sent(
    ftp: FtpDrive, data: list[bytes], piece: int, recfm: int, at: int
) -> None:
    for ascii_type in (True, False):
        whole = _out(ftp, ascii_type, recfm, 100, data)
        skip = len(whole) * at // 99
        assert _out(ftp, ascii_type, recfm, piece, data, skip) == whole[skip:]


def test_rest_behind_the_end(ftp: FtpDrive) -> None:
    for ascii_type, recfm in ((True, F), (True, V), (False, V), (False, F)):
        assert ftp.ask("O", ascii_type, recfm, 10, 100, data="/c1c2") == " -17"


@given(data=lines, at=st.integers(0, 99), cuts=st.lists(st.integers(0, 500), max_size=5))
def test_rest_of_text_that_comes_anywhere_in_a_line(
    ftp: FtpDrive, data: list[bytes], at: int, cuts: list[int]
) -> None:
    whole = _out(ftp, True, V, 100, data)
    n = len(whole) * at // 99
    assert _keep(ftp, True, V, 0, n, data, _pieces(whole[n:], cuts)) == (0, data)
    cards = [r.ljust(40, BLANK) for r in data]
    whole = _out(ftp, True, F, 100, cards)
    n = len(whole) * at // 99
    assert _keep(ftp, True, F, 40, n, cards, _pieces(whole[n:], cuts)) == (0, cards)


@given(data=records, at=st.integers(0, 99), more=st.binary(max_size=300))
def test_rest_of_bytes_that_come(ftp: FtpDrive, data: list[bytes], at: int, more: bytes) -> None:
    whole = b"".join(data)
    n = len(whole) * at // 99
    code, got = _keep(ftp, False, F, 80, n, data, _pieces(more, [7]))
    assert (code, b"".join(got)) == (0, whole[:n] + more)
    code, got = _keep(ftp, False, V, 0, n, data, _pieces(more, [7]))
    assert (code, b"".join(got)) == (0, whole[:n] + more)
    stay, size = 0, 0
    while stay < len(data) and size + len(data[stay]) < n:
        size += len(data[stay])
        stay += 1
    assert got[:stay] == data[:stay]


@given(data=lines, more=wire.filter(lambda w: len(w) < 200), ascii_type=st.booleans())
def test_a_file_that_is_added_to_keeps_its_records(
    ftp: FtpDrive, data: list[bytes], more: bytes, ascii_type: bool
) -> None:
    _, added = _in(ftp, ascii_type, V, 0, _pieces(more, [3]))
    code, got = _keep(ftp, ascii_type, V, 0, EVERYTHING, data, _pieces(more, [3]))
    assert (code, got) == (0, data + added)


def test_a_short_last_record_is_filled_before_lines_are_added(ftp: FtpDrive) -> None:
    code, got = _keep(ftp, True, F, 8, EVERYTHING, [b"\xc1" * 8, b"\xc2" * 3], "/" + b"C\r\n".hex())
    assert (code, got) == (0, [b"\xc1" * 8, b"\xc2" * 3 + BLANK * 5, b"\xc3" + BLANK * 7])


def test_more_cannot_stay_than_there_is(ftp: FtpDrive) -> None:
    for ascii_type, recfm in ((True, V), (False, V), (False, F)):
        assert _keep(ftp, ascii_type, recfm, 80, 50, [b"\xc1" * 8], "")[0] == -17


def test_a_cr_that_stays_is_the_lines_end_only_with_an_lf_behind_it(ftp: FtpDrive) -> None:
    for more, expected in ((b"\nb\n", [b"\xc1", b"\x82"]), (b"b\n", [b"\xc1\x0d\x82"])):
        assert _keep(ftp, True, V, 0, 2, [b"\xc1"], "/" + more.hex()) == (0, expected)
