# SPDX-License-Identifier: MIT
"""Every family: what its formatter prints, its grammar reads back, in any surroundings."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.accounting.grammar import make_records as made
from tests.accounting.grammar.printed import cards, render
from tests.narrow import a_record
from vmkb.accounting.grammar import families
from vmkb.accounting.grammar.base import Mismatch
from vmkb.accounting.grammar.first import first_bytes
from vmkb.accounting.input.ebcdic import encode
from vmkb.accounting.input.parallel import cuts
from vmkb.accounting.input.reading import EBCDIC, text_blocks
from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import FIELDS, Item, ParseError, Record, Text, Value, Where

SHORT = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)


def settings(**options: Any) -> hypothesis_settings:
    """Without the slow phase that explains a failure."""
    return hypothesis_settings(phases=SHORT, **options)


#: Kinds that are made of several answers, of other programs' counters and reports or of printed
#: tables: no grammar reads them.
MADE = {
    "accounts", "tcp", "wire", "lan", "sessions", "echo", "commands", "figures", "host_cpu",
    "tcp_sender", "hang", "fetch", "world",
}  # fmt: skip
ANY = st.one_of(*made.RECORDS.values())


def read(data: bytes, **options: Any) -> list[Any]:
    return list(scan([data], **options))


def same(record: Record, found: Record) -> None:
    assert found.kind == record.kind
    assert dict(found.fields) == dict(record.fields)


@pytest.mark.parametrize("name", made.RECORDS)
def test_what_a_formatter_prints_its_grammar_reads(name: str) -> None:
    @settings(max_examples=40, deadline=None)
    @given(made.RECORDS[name])
    def check(record: Record) -> None:
        text = render(record)
        found = read(text.encode("latin-1"))
        assert len(found) == 1, found
        same(record, found[0])
        assert found[0].raw == text
        assert not found[0].notes

    check()


def test_every_kind_has_a_formatter_and_a_test() -> None:
    covered = {name.split()[0] for name in made.RECORDS}
    covered |= {"card_0" + n for n in "123456"} | {"card_c0"}
    assert covered - {"card"} == set(FIELDS) - MADE


@settings(max_examples=60, deadline=None)
@given(ANY)
def test_units_are_those_documented(record: Record) -> None:
    (found,) = read(render(record).encode("latin-1"))
    for name, value in found.fields.items():
        unit = FIELDS[found.kind][name]
        assert (value.unit if isinstance(value, Value) else None) == unit


def said(read: Callable[[str], object], text: str) -> object:
    """What READ makes of TEXT, or the place and the words of its refusal."""
    try:
        return read(text)
    except Mismatch as miss:
        return miss.token and (miss.token.lexpos, miss.token.value), miss.expected, miss.at


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(ANY, st.data())
def test_the_steps_that_are_kept_are_those_of_plys_parser(
    record: Record, data: st.DataObject
) -> None:
    family = families.BY_NAME[made.family_of(record.kind)]
    text = render(record)
    family.parse(text, Where())  # makes the tables
    words = text.split(" ")
    at = data.draw(st.integers(0, len(words) - 1))
    changed = data.draw(st.sampled_from(["", "x", words[0], words[-1]]))
    for line in (text, " ".join([*words[:at], changed, *words[at + 1 :]])):
        plys = said(lambda line: family._parser.parse(line, family.lexer), line)
        for _ in range(2):  # the first may be learnt, the second is known
            assert said(lambda line: family.read(line, family.lexer), line) == plys


SURROUNDINGS = [
    ("15:29:50 ", ""),
    ("2026-11-21 15:29:50.123 ", ""),
    ("data: ", ""),
    ("   ", "      "),
    ("\x1b[1;1H", ""),
    ("\0\0", "\0\0"),
    ("", "\r"),
    ("0", ""),
    ("1 ", ""),
    ("TCPIP   : ", ""),
    ("15:29:50 TCPIP   : ", ""),
    ("tcpip: ", ""),
    ("15:29:50 tcpip: ", "\r"),
    ("", "   15:29:50"),
    ("tcpip: ", " [15:29:50]"),
    ("data: ", " (15:29:50) "),
]


@pytest.mark.parametrize(("before", "after"), SURROUNDINGS)
def test_prefixes_and_line_ends_change_nothing(before: str, after: str) -> None:
    single = [n for n in made.RECORDS if n.split()[0] in
              ("connect", "time_is", "logoff", "ready", "indicate_load", "ftp_transfer", "rtm_user")
              and "zvm" not in n and "full" not in n and "system" not in n]  # fmt: skip

    @settings(max_examples=25, deadline=None)
    @given(st.one_of(*(made.RECORDS[n] for n in single)))
    def check(record: Record) -> None:
        if before[:1] in "01" and record.kind == "ftp_transfer":
            return  # carriage control before a number cannot be told from a digit of it
        text = before + render(record) + after
        (found,) = read(f"#CP QUERY TIME\n{text}\nRUNNING   VM370CE\n".encode("latin-1"))
        same(record, found)
        assert found.where.line == 2
        # Zeros that begin a line can be a hole, which a note tells.
        assert found.raw in (text, text.lstrip("\0"))
        assert found.origin == ("TCPIP" if "TCPIP" in before.upper() else "")
        assert found.stamp == ("15:29:50" if "15:29:50" in (before[:8] + after).strip("[]() \r")
                               and not before.startswith("2026") else before[:23].strip()
                               if before.startswith("2026") else "")  # fmt: skip

    check()


@settings(max_examples=60, deadline=None)
@given(ANY)
def test_an_ebcdic_file_reads_the_same(record: Record) -> None:
    import io

    text = f"Welcome to VM\n{render(record)}\n"
    stream = io.BytesIO(encode(text))
    (found,) = scan(text_blocks(stream, EBCDIC))
    same(record, a_record(found))


@settings(max_examples=60, deadline=None)
@given(made.RECORDS["card 01"] | made.RECORDS["card C0"])
def test_a_card_in_small_hexadecimal_digits_reads_the_same(record: Record) -> None:
    (found,) = read(render(record).lower().encode())
    same(record, found)


def test_the_matcher_skips_no_byte_with_which_a_family_can_begin() -> None:
    assert first_bytes(rb"(?i:ab)|[^\x00-\xfe]|\d{0,2}z") == frozenset(b"aAz0123456789\xff")
    assert first_bytes(rb"(?:x|)(?=y)a?+") == frozenset(range(256))
    skipped = frozenset(b"ghijknopquvwxyz")
    for family in families.FAMILIES:
        for start in family.start:
            assert not first_bytes(start) & skipped, (family.name, start)
            for letter in sorted(first_bytes(start)):
                assert re.match(rb"\n(?=" + families.begins((family,)) + rb")", bytes((10, letter)))


@settings(max_examples=60, deadline=None)
@given(made.RECORDS["card 01"] | made.RECORDS["card 06"] | made.RECORDS["card C0"])
def test_a_hex_dump_of_a_card_reads_the_same(record: Record) -> None:
    (found,) = read(cards.dump(record).encode())
    same(record, found)


@settings(max_examples=60, deadline=None)
@given(made.RECORDS["card 04"] | made.RECORDS["card 05"] | made.RECORDS["card 06"])
def test_a_card_of_characters_reads_the_same(record: Record) -> None:
    from vmkb.accounting.input.ebcdic import decode

    (found,) = read(decode(cards.punch_card(record)).encode("latin-1"))
    same(record, found)


def whole(items: list[Item]) -> str:
    return "".join(i.raw if isinstance(i, Text) else i.raw + "\n" for i in items)


LINES = st.lists(
    st.one_of(
        ANY.map(render),
        st.text(st.characters(max_codepoint=255, exclude_characters="\n"), max_size=90),
        st.sampled_from(
            ["CONNECT= garbage", "Ready; T=1/2", "R;x", "", "#CP Q TIME", "TIME IS 25"]
        ),
    ),
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(LINES, st.data())
def test_any_split_of_the_input_gives_the_same_items(lines: list[str], data: st.DataObject) -> None:
    text = "\n".join(lines).encode("latin-1") + b"\n"
    at = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    blocks = [text[a:b] for a, b in zip([0, *at], [*at, len(text)], strict=True)]
    once = [i for i in scan([text]) if not isinstance(i, Text)]
    split = [i for i in scan(blocks) if not isinstance(i, Text)]
    assert [str(i) for i in split] == [str(i) for i in once]
    kept = list(scan(blocks, keep_text=True))
    assert whole(kept) == text.decode("latin-1")
    line = 1
    for item in kept:
        if isinstance(item, Text):
            assert item.where.line == line
        line += item.raw.count("\n") + (not isinstance(item, Text))
    assert [str(i) for i in kept if not isinstance(i, Text)] == [str(i) for i in once]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(LINES)
def test_a_line_that_begins_a_record_never_continues_another(lines: list[str]) -> None:
    """What lets a file be cut before such a line (accounting/input/parallel.py)."""
    text = "\n".join(lines).encode("latin-1") + b"\n"
    pattern = families.candidates()[0]
    starts = [m.start() for m in pattern.finditer(b"\n" + text)]
    once = [str(i) for i in scan([text])]
    edges = [0, *starts, len(text)]
    pieces: list[str] = []
    for begin, end in zip(edges, edges[1:], strict=False):
        line = 1 + text.count(b"\n", 0, begin)
        pieces += [str(i) for i in scan([text[begin:end]], line=line)]
    assert pieces == once


ZERO = "CONNECT= 00:00:00 VIRTCPU= 000:00.00 TOTCPU= 000:00.00"


def wrapped(text: str) -> str:
    """TEXT as a terminal of 80 columns cuts its lines."""
    return "\n".join(
        line[at : at + 80] for line in text.split("\n") for at in range(0, len(line) or 1, 80)
    )


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.one_of(
            ANY.map(render),
            ANY.map(render).map(wrapped),
            ANY.map(render).flatmap(
                lambda text: st.integers(0, text.count("\n")).map(
                    lambda n: "\n".join(text.split("\n")[n:])
                )
            ),
            st.sampled_from(
                [
                    "",
                    " ",
                    "\0",
                    "12:00:01 ",
                    "VMUSER1 : ",
                    "plain words",
                    "x" * 80,
                    "7" * 12,
                    f"CONNECT= 00:31:03 VIRTCPU= {'':>40}000:59.4",
                    "8 TOTCPU= 003:05.67",
                    "PROC 0000-012%",
                    "CONNECT= bad",
                ]
            ),
        ),
        min_size=2,
        max_size=10,
    )
)
@example(["AVGPROC-038% 03", "", "PROC 0000-040% CP", "plain words"])
@example([ZERO, ZERO, "\0", ZERO])
@example([ZERO, "\0", "plain words", "\0\0", "\0", ZERO])
def test_a_file_is_cut_only_where_no_record_is_open(lines: list[str]) -> None:
    """A piece behind each line that neither begins nor continues a record, too."""
    text = "\n".join(lines).encode("latin-1") + b"\n"
    for names in ((), ("indicate_load",), ("connect", "rxperf", "tenex")):
        with tempfile.NamedTemporaryFile() as file:
            file.write(text)
            file.flush()
            edges = list(cuts(Path(file.name), names, piece=1))
        pieces: list[str] = []
        for begin, end in edges:
            line = 1 + text.count(b"\n", 0, begin)
            pieces += [str(i) for i in scan([text[begin:end]], names=names, line=line)]
        assert pieces == [str(i) for i in scan([text], names=names)]


def test_an_error_says_where_and_what(tmp_path: Path) -> None:
    text = b"hello\n  15:29:50 CONNECT= 00:00:02 VIRTCPU= 000:00.1x TOTCPU= 000:00.24\n"
    (error,) = read(text, file="op.log")
    assert isinstance(error, ParseError)
    assert (error.file, error.line, error.column) == ("op.log", 2, 30)
    assert error.expected == "VIRTCPU= mmm:ss.hh"
    assert error.found.startswith("VIRTCPU= 000:00.1x")
    assert str(error).startswith("op.log:2:30: connect record: expected VIRTCPU=")


def test_rows_of_one_heading_are_not_those_of_another() -> None:
    """A pool's row behind connections was taken for one of them."""
    text = (
        b"User Id   Conn Foreign Socket          Local Socket            State\n"
        b"2 MORE IN TIME-WAIT\nDATA BUFFERS  1 OF  2 FREE,  3 BYTES EACH\n"
    )
    found = [str(item) for item in scan([text])]
    assert len(found) == 1 and "or a connection or n MORE IN TIME-WAIT, found" in found[0]
