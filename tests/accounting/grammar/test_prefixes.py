# SPDX-License-Identifier: MIT
"""What may stand before a record, in which letters it may be, and what stays text all the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.accounting.grammar import make_records as made
from tests.accounting.grammar.printed import render
from tests.accounting.grammar.test_samples import NO_RECORDS
from vmkb.accounting.grammar.families import BY_NAME
from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import ParseError, Record, Text

SHARED = Path(__file__).parents[4] / "shared"
LINE = "CONNECT= 00:31:03 VIRTCPU= 000:59.44 TOTCPU= 003:05.67"
BLOCK = (
    "PAGES: RES-0012 WS-0034 READS=000123 WRITES=000045 DISK-0010 DRUM-0000\n"
    "VTIME=001:02 TTIME=002:03 SIO=000123 RDR-000001 PRT-000002 PCH-000003"
)
#: What stands before a record; the stamp and the origin that the record then has.
PREFIXES = [
    ("TCPIP   : ", "", "TCPIP"),
    ("TCPIP: ", "", "TCPIP"),
    ("26/11/23 10:00:00 ", "26/11/23 10:00:00", ""),
    ("2026-11-23T10:00:00.125Z ", "2026-11-23T10:00:00.125Z", ""),
    ("2026-11-23 10:00:00,125+01:00 TCPIP: ", "2026-11-23 10:00:00,125+01:00", "TCPIP"),
    ("26/11/23 10:00:00 TCPIP    VMSYS1   : ", "26/11/23 10:00:00", "VMSYS1(TCPIP)"),
    ("26/11/23 10:00:00          VMSYS1   : ", "26/11/23 10:00:00", "VMSYS1"),
    ("26/11/23 10:00:00                   : ", "26/11/23 10:00:00", ""),
    ("Nov 23 10:00:00 zvm1 TCPIP: ", "Nov 23 10:00:00", "ZVM1(TCPIP)"),
    ("Nov  3 10:00:00 zvm1 TCPIP[12]: ", "Nov  3 10:00:00", "ZVM1(TCPIP)"),
    ("FROM VMSYS1(TCPIP): ", "", "VMSYS1(TCPIP)"),
    ("10:00:00 From VMSYS1(TCPIP): ", "10:00:00", "VMSYS1(TCPIP)"),
    ("DMTRGX171I FROM VMSYS1: ", "", "VMSYS1"),
    ("DMTRGX171I From VMSYS1(TCPIP): ", "", "VMSYS1(TCPIP)"),
    # two loggers; SDL Hyperion's log, and its message; z/VM's processors
    ("10:00:02 10:00:00 ", "10:00:00", ""),
    ("20:04:17.740 0x00002B98 ", "20:04:17.740", ""),
    ("10:00:00 HHC00001I ", "10:00:00", ""),
    ("00: ", "", ""),
    ("TCPIP   : 1F: ", "", "TCPIP"),
    ("TCPIP: 10:00:00 ", "10:00:00", "TCPIP"),
    ("10:00:00.1 0x00002B98 HHC00001I 01: TCPIP   : ", "10:00:00.1", "TCPIP"),
    ("data: 10:00:00 00: ", "10:00:00", ""),
]
#: What stands in a trace of s3270 before a line of the screen; behind it is a quote.
TRACES = [
    "20261128.221854.576 Output for Macro[#3.2]: '",
    "20261128.221854.576 Output for x: '01: ",
]
#: What may be mixed, in any order.
MIXED = [
    "10:00:00 ", "2026-11-23 10:00:00 ", "20:04:17.740 ", "0x00002B98 ", "HHC00001I ", "00: ",
    "2F: ", "[ 320] ", "data: ", "Nov  3 10:00:00 ",
]  # fmt: skip
SAID = ["", "TCPIP   : ", "VMUSER1: ", "FROM VMSYS1(TCPIP): "]


def only(text: str) -> Record:
    (found,) = scan([text.encode("latin-1")], keep_text=True)
    assert isinstance(found, Record), found
    return found


@pytest.mark.parametrize(("before", "stamp", "origin"), PREFIXES)
@pytest.mark.parametrize("text", [LINE, BLOCK])
def test_who_said_it_and_when(text: str, before: str, stamp: str, origin: str) -> None:
    raw = "\n".join(before + line for line in text.split("\n"))
    found, bare = only(raw), only(text)
    assert (found.stamp, found.origin, found.raw) == (stamp, origin, raw)
    assert found.fields == bare.fields and found.where.col == len(before) + 1
    cut = raw.replace("TOTCPU=", "TOTCPU!").replace("VTIME=001", "VTIME=x")
    (error,) = scan([cut.encode()])
    assert isinstance(error, ParseError)


@pytest.mark.parametrize("before", TRACES)
def test_a_line_of_a_trace(before: str) -> None:
    for text in (LINE, "Ready(00028); T=0.01/0.02 10:00:00", "R;", "Ready;"):
        assert only(f"{before}{text}{' ' * 20}'").fields == only(text).fields


@settings(deadline=None)
@given(
    st.sampled_from(sorted(made.RECORDS)), st.data(), st.lists(st.sampled_from(MIXED), max_size=5),
    st.sampled_from(SAID), st.lists(st.sampled_from(["00: ", "10:00:00 "]), max_size=2),
)  # fmt: skip
def test_no_mixture_hides_a_record(
    name: str, data: st.DataObject, mixed: list[str], said: str, behind: list[str]
) -> None:
    record = data.draw(made.RECORDS[name])
    family = BY_NAME[made.family_of(record.kind)]
    text = render(record)
    plain = (
        re.match(rb"[ \0]*(?:" + start + rb")", text.encode("latin-1")) for start in family.start
    )
    if family.secret or not any(plain):
        return  # what begins with a name is not looked for behind one; cards need their place
    before = "".join([*mixed, said, *(behind if said else [])])
    found, bare = (
        [i for i in scan([x.encode("latin-1")]) if isinstance(i, Record)]
        for x in ("\n".join(before + line for line in text.split("\n")), text)
    )
    assert [(r.kind, r.fields) for r in found] == [(r.kind, r.fields) for r in bare]


@example("AT THE VIA APPIA", [], "VMUSER1: ")
@given(
    st.sampled_from(NO_RECORDS), st.lists(st.sampled_from([*MIXED, *TRACES]), max_size=5),
    st.sampled_from(SAID),
)  # fmt: skip
def test_no_mixture_makes_a_record(text: str, mixed: list[str], said: str) -> None:
    line = "".join([*mixed, said, text]).encode("latin-1")
    assert [type(i) for i in scan([line], keep_text=True)] == [Text]


@pytest.mark.parametrize(
    ("text", "as_usual"),
    [
        ("Connect= 00:31:03 Virtcpu= 000:59.44 Totcpu= 003:05.67", LINE),
        ("connect= 00:31:03 virtcpu= 000:59.44 totcpu= 003:05.67", LINE),
        ("Time is 10:01:02 EST Monday 11/23/26", "TIME IS 10:01:02 EST MONDAY 11/23/26"),
        ("Logoff at 10:01:02 EST Monday 11/23/26", "LOGOFF AT 10:01:02 EST MONDAY 11/23/26"),
        ("Ready (00004)", "Ready(00004)"),
        ("Ready (00004); T=0.01/0.02 10:00:01", "Ready(00004); T=0.01/0.02 10:00:01"),
        ("READY(00028); T=0.01/0.02 10:00:01", "Ready(00028); T=0.01/0.02 10:00:01"),
        ("ready; t=0.01/0.02 10:00:01", "Ready; T=0.01/0.02 10:00:01"),
    ],
)
def test_letters_of_another_case_say_the_same(text: str, as_usual: str) -> None:
    found, usual = only(text), only(as_usual)
    assert (found.kind, found.fields, found.notes) == (usual.kind, usual.fields, usual.notes)


@pytest.mark.parametrize(
    "text",
    [
        "Ready (2 of 3)", "Ready (00004) or not", "ready;", "READY;", "ready(1);",
        "Time is 16:45", "time is 10:00:00 or later", "Logon at 10:00:00 was late",
        "connect=server", "connect= 10", f"the answer: {LINE}", f"From here on {LINE}",
        f"FROM VMSYS1 {LINE}", "FROM VMSYS1(TCPIP): hello", "DMTRGX171I FROM VMSYS1: hello",
        "Nov 23 10:00:00 zvm1 kernel: Ready to go", f"Nov 23 zvm1 TCPIP: {LINE}",
        f"LONGUSERID: {LINE}", f"26/11/23 10:00:00 A B C : {LINE}",
    ],
)  # fmt: skip
def test_what_only_might_be_a_record_is_text(text: str) -> None:
    assert [type(item) for item in scan([text.encode()], keep_text=True)] == [Text]


def test_the_shared_ready_lines() -> None:
    found: list[Record] = []
    for name in ("06_vm370_ready_and_help", "08_identify_and_ready_rc"):
        path = SHARED / "samples" / f"{name}.txt"
        if not path.is_file():
            pytest.skip(f"{name} is not beside the checkout")
        # Behind the samples stands, from column 38 on, where each was found.
        lines = [line if " AT " in line else line[:37] for line in path.read_text().splitlines()]
        items = scan(["\n".join(lines).encode()])
        found += [item for item in items if isinstance(item, Record)]
    assert [r.kind for r in found].count("identify") == 1
    ready = [int(r.value("rc").value) for r in found if r.kind == "ready"]
    assert ready == [0, 0, 28, 8, 40]
