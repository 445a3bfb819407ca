# SPDX-License-Identifier: MIT
"""Whole inputs: forms of file, cut lines, long lines, memory, many processes, noise."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.accounting.grammar.printed.cards import punch_card
from tests.narrow import a_record, an_error
from vmkb.accounting.input.ebcdic import TO_EBCDIC, TO_LATIN1, decode, encode
from vmkb.accounting.input.listing import make
from vmkb.accounting.input.parallel import cuts, scan_parallel
from vmkb.accounting.input.reading import CARDS, EBCDIC, EBCDIC_LF, TEXT, ReadingError, items, sniff
from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Field, ParseError, Record, Source, Text, Unit, Value, Where

LINE = "CONNECT= 00:31:03 VIRTCPU= 000:59.44 TOTCPU= 003:05.67"
FRAME = """\
                            OpenVMS Monitor Utility
                             TOP CPU TIME PROCESSES
                                 on node PROD1
                            27-OCT-1995 16:22:53.01
 23C000E8  BIGJOB1                99  XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX
"""


def card(code: str = "01", total: int = 2500, virtual: int = 1500) -> Record:
    def value(number: float, unit: Unit, tick: int = 1) -> Value:
        return Value(number, unit, Source.AC, tick)

    fields: dict[str, Field] = {
        "userid": "TCPIP", "account": "NET1", "date": "2026-11-21", "code": code,
        "clock": value(3600, Unit.DAY_S),
        "connect": value(60_000_000, Unit.US, 1_000_000),
        "totcpu": value(total * 1000, Unit.US, 1000),
        "virtcpu": value(virtual * 1000, Unit.US, 1000),
    }  # fmt: skip
    for name in ("page_reads", "page_writes", "sio", "punch", "printer", "reader"):
        fields[name] = value(7, Unit.COUNT)
    return Record("card_01", fields, "", Where())


def test_ebcdic_tables_are_inverse_permutations() -> None:
    every = bytes(range(256))
    assert every.translate(TO_LATIN1).translate(TO_EBCDIC) == every
    assert encode("HELLO [1] ^") == bytes.fromhex("c8c5d3d3d640adf1bd405f")
    assert decode(bytes.fromhex("c9c2d4")) == "IBM"


def test_type_01_has_total_before_virtual() -> None:
    image = punch_card(card())
    assert image[32:36] == (2500).to_bytes(4, "big") and image[36:40] == (1500).to_bytes(4, "big")
    (found,) = items(io.BytesIO(image), "punch")
    assert (
        a_record(found).value("totcpu").value == 2_500_000
        and a_record(found).value("totcpu").tick == 1000
    )
    assert a_record(found).value("virtcpu").value == 1_500_000


def test_a_binary_file_of_cards_goes_on_after_a_bad_one() -> None:
    bad = bytearray(punch_card(card()))
    bad[16:18] = encode("AB")
    data = punch_card(card()) + bytes(bad) + punch_card(card("C1", 1, 2)) + b"\xd9"
    first, error, less, cut = items(io.BytesIO(data), "cards")
    assert a_record(first).where == Where("cards", 1, 1)
    assert (an_error(error).line, an_error(error).column) == (2, 17) and "mmddyyhhmmss" in an_error(
        error
    ).expected
    assert a_record(less).word("code") == "C1" and "less" in a_record(less).notes[0]
    assert isinstance(cut, ParseError) and cut.line == 4 and "80 bytes" in cut.expected


def test_what_a_file_is() -> None:
    assert sniff(b"hello\n" + LINE.encode()) is TEXT
    assert sniff(encode(LINE + "\n")) is EBCDIC
    assert sniff(encode(LINE) + b"\x25" + encode("Ready;") + b"\x25") is EBCDIC_LF
    assert sniff(punch_card(card()) * 3) is CARDS
    assert sniff(b"") is TEXT


@pytest.mark.parametrize("length", [80, 132, 133])
def test_fixed_ebcdic_records_without_line_ends(length: int) -> None:
    lines = ["VM/370 ONLINE", LINE, "Ready; T=0.01/0.02 00:21:05", "THE END"] * 30
    data = b"".join(encode(line.ljust(length)) for line in lines)
    assert sniff(data).length == length
    found = list(items(io.BytesIO(data), "f"))
    assert [a_record(item).kind for item in found] == ["connect", "ready"] * 30
    assert a_record(found[0]).where.line == 2


def test_a_line_cut_at_column_80_is_joined_with_the_next() -> None:
    long = "15:29:50 TCPIP   :           CONNECT= 00:31:03 VIRTCPU= 000:59.44 TOTCPU= 003:05.67"
    text = f"before\n{long[:80]}\n{long[80:]}\nafter\n"
    before, found, after = scan([text.encode()], keep_text=True)
    assert isinstance(found, Record) and found.value("totcpu").value == 185_670_000
    assert "cut at column 80" in found.notes[0]
    assert found.raw == f"{long[:80]}\n{long[80:]}"
    assert before.raw + found.raw + "\n" + after.raw == text
    blocks = [text[: 7 + 81].encode(), text[7 + 81 :].encode()]
    assert list(scan(blocks, keep_text=True))[1] == found


def test_a_cut_line_whose_rest_is_missing_is_an_error() -> None:
    long = "15:29:50 TCPIP   :           CONNECT= 00:31:03 VIRTCPU= 000:59.44 TOTCPU= 003:05.67"
    error, ready = scan([f"{long[:80]}\nReady;\n".encode()])
    assert isinstance(error, ParseError) and error.expected == "TOTCPU= mmm:ss.hh"
    assert a_record(ready).kind == "ready"


def test_a_choice_of_families_reads_only_those() -> None:
    text = f"{LINE}\nReady;\n".encode()
    assert [a_record(item).kind for item in scan([text], names=("ready",))] == ["ready"]
    assert [a_record(item).kind for item in scan([text], names=("ready", "connect"))] == [
        "connect",
        "ready",
    ]


def test_endless_lines_are_text_in_bounded_memory() -> None:
    def blocks() -> Iterator[bytes]:
        yield b"\nCONNECT= 00:"
        for _ in range(200):
            yield b"x" * (1 << 18)
        yield b"\n" + LINE.encode() + b"\n"

    tracemalloc.start()
    kept = sum(len(item.raw) for item in scan(blocks(), keep_text=True))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert kept == 13 + 200 * (1 << 18) + 1 + len(LINE)
    assert peak < 16 << 20
    (found,) = [item for item in scan(blocks()) if isinstance(item, Record)]
    assert found.where.line == 3


def test_memory_does_not_grow_with_the_log() -> None:
    block = ("a line that is no record at all, as most are\n" * 2000 + LINE + "\n").encode()

    def peak(count: int) -> int:
        tracemalloc.start()
        found = sum(1 for _ in scan(block for _ in range(count)))
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found == count
        return top

    peak(2)
    assert peak(60) < peak(6) + (1 << 20)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    rng = random.Random(4)
    lines = []
    for number in range(30_000):
        if number % 97 == 0:
            lines.append(LINE)
        elif number % 1001 == 0:
            lines += FRAME.splitlines()
        elif number % 501 == 0:
            lines.append("CONNECT= bad")
        else:
            lines.append("DMKxxx " + "x" * rng.randint(0, 60))
    path = tmp_path / "big.log"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_pieces_on_many_processes_give_what_one_pass_gives(log: Path) -> None:
    from functools import partial

    done: list[int] = []
    parts = list(
        scan_parallel(log, partial(make, to="csv"), jobs=2, piece=100_000, told=done.append)
    )
    assert len(parts) > 5 and sum(done) == log.stat().st_size
    whole = make(scan([log.read_bytes()], str(log)), "csv")
    assert b"".join(part.out for part in parts) == whole.out
    assert [e for part in parts for e in part.errors] == whole.errors
    assert whole.kinds["connect"] == 310 and whole.kinds["vms_topcpu"] == 29


def test_cuts_cover_the_file_and_open_no_record(log: Path) -> None:
    pieces = list(cuts(log, piece=50_000))
    data = log.read_bytes()
    assert pieces[0][0] == 0 and pieces[-1][1] == len(data)
    assert max(end - begin for begin, end in pieces) < 60_000
    for (_, end), (begin, _) in zip(pieces, pieces[1:], strict=False):
        assert end == begin and data[begin - 1 : begin] == b"\n"
        assert data[begin:].startswith((b"DMKxxx", b"CONNECT", b" " * 28 + b"OpenVMS"))


def test_text_without_a_record_is_cut_and_a_long_line_is_not(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"words\n" * 20_000)
    assert [end - begin for begin, end in cuts(path, piece=10_000)] == [10_008] * 11 + [9_912]
    first = b"x" * (3 << 20) + b"\nCONNECT= bad\nwords\n"
    path.write_bytes(first + b"words\n" * 10)
    assert [begin for begin, _ in cuts(path, piece=1000)] == [0, len(first)]
    path.write_bytes(b"x" * 5000)
    assert list(cuts(path, piece=1000)) == [(0, 5000)]


def mutate(data: bytearray, rng: random.Random) -> bytes:
    """DATA with a few bytes changed, cut, doubled or swapped for parts of it."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        what = rng.randrange(5)
        if what == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif what == 1:
            data[at:at] = bytes((rng.choice(b" \n\r\t\0:.=-,%/0159AZaz\xff\xf1"),))
        elif what == 2:
            del data[at : at + rng.randint(1, 12)]
        elif what == 3:
            begin = rng.randrange(len(data) + 1)
            data[at:at] = data[begin : begin + rng.randint(1, 40)]
        else:
            data[at:at] = str(rng.randrange(10 ** rng.randint(1, 30))).encode()
    return bytes(data)


def masked(text: str, given: str) -> str:
    """TEXT with the asterisks, as characters or in hexadecimal, that GIVEN has in their place."""
    same = "".join(g if g in "*5C" else t for t, g in zip(text, given, strict=False))
    return same + text[len(given) :]


def hammer(count: int, seed: int) -> None:
    """COUNT mutated inputs: only Records, ParseErrors and Text come out, and all of the bytes."""
    from tests.accounting.grammar.test_samples import (
        HYPTOP,
        IMAGE,
        LINES,
        VAX_ACCOUNTING,
        VMS_SYSTEM,
        ZVM63_LOAD,
        ZVM_LOAD,
        ZVM_USER,
    )  # fmt: skip

    rng = random.Random(seed)
    seeds = [line for line, _ in LINES] + [VAX_ACCOUNTING, ZVM63_LOAD, ZVM_LOAD, ZVM_USER, FRAME]
    seeds += [VMS_SYSTEM, HYPTOP, IMAGE]
    image = punch_card(card())
    seeds += [image.hex().upper(), image.hex(" ", 4), LINE + "\nVIRT 1 US 2 INSTR 3 MOVED 4 SUMMED"]
    seeds += ["PAGES: RES-0012 WS-0034 READS=000123\nVTIME=001:02 TTIME=002:03 SIO=000123"]
    seeds += [
        "RTMSF SYSTEM 2026-11-21 06:40:10 SECS=1.000 CPU=1.00 CP=1.00 USR=1 WAIT=2 IO=3 IUCV=4"
    ]
    seeds += ["case,cpu_sec_per_megabit,approx_cost_usd_per_megabit\nRJS,75,10\nFTP,,0.33"]
    raw = [line.encode("latin-1") for line in seeds]
    for _ in range(count):
        data = mutate(bytearray(rng.choice(raw)), rng)
        back = []
        found = list(scan([data], keep_text=True))
        for item in found:
            assert isinstance(item, Record | ParseError | Text)
            back.append(item.raw if isinstance(item, Text) else item.raw + "\n")
        text = without_holes(data.decode("latin-1"))
        given = "".join(back)
        if any(isinstance(i, Record) and i.kind in ("card_04", "card_06") for i in found) or any(
            isinstance(i, ParseError) and i.family.startswith("card") for i in found
        ):
            text = masked(text, given)  # it has the form of a card with a password
        assert given in (text, text + "\n")
        if rng.random() < 0.02:
            changed = mutate(bytearray(image), rng)
            for card_found in items(io.BytesIO(changed * 2), names=("cards",)):
                assert isinstance(card_found, Record | ParseError)


def test_mutated_inputs_raise_nothing_else() -> None:
    hammer(6_000, 1)


#: How many inputs are mutated: VMKB_FUZZ=1000000 is an afternoon's, this is every run's.
FUZZ = int(os.environ.get("VMKB_FUZZ", "10000"))


@pytest.mark.slow
@pytest.mark.timeout(300 + FUZZ // 500)
def test_many_mutated_inputs_raise_nothing_else_and_take_no_memory() -> None:
    tracemalloc.start()
    hammer(FUZZ, 2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20


def without_holes(text: str) -> str:
    """TEXT without zeros at the beginning of lines, which are left out."""
    return re.sub(r"(^|\n)\0+", r"\1", text)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(max_size=200), max_size=5))
def test_any_bytes_are_read(blocks: list[bytes]) -> None:
    back = [i.raw if isinstance(i, Text) else i.raw + "\n" for i in scan(blocks, keep_text=True)]
    text = without_holes(b"".join(blocks).decode("latin-1"))
    assert "".join(back) in (text, text + "\n")
    with contextlib.suppress(ReadingError):  # rubbish is refused, in a sentence
        list(items(io.BytesIO(b"".join(blocks))))


@pytest.mark.slow
@pytest.mark.parametrize(
    "repeat", [b"Q0-1 ", b"A - DSC , ", b"1 ", b"MEMBER  - DSC , ", b"T=", b"F0 "]
)
def test_time_grows_with_length_and_no_faster(repeat: bytes) -> None:
    """A line of a megabyte that a grammar cannot like must not take the square of it."""
    import time

    heads = (
        b"AVGPROC-001% ",
        b"MEMBER  - DSC , ",
        b"CONNECT= ",
        b"Subset of data  # Files\n A ",
        b"",
    )
    for head in heads:
        begin = time.process_time()
        list(scan([head + repeat * (200_000 // len(repeat)) + b"!\n"]))
        assert time.process_time() - begin < 5


@pytest.mark.parametrize(("day", "iso"), [("02/29/00", "2000-02-29"), ("02/29/96", "1996-02-29")])
def test_the_last_of_february_is_in_one_of_two_centuries(day: str, iso: str) -> None:
    (found,) = scan([f"TIME IS 10:00:00 UTC TUESDAY {day}".encode()])
    assert isinstance(found, Record) and found.word("date") == iso
