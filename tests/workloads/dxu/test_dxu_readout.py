# SPDX-License-Identifier: MIT
"""What is read from consoles of a dxu trial, and what is refused."""

from __future__ import annotations

import re
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.accounting.records import Where
from vmkb.workloads.dxu.content import DONE
from vmkb.workloads.dxu.readout import (
    Fetched,
    Said,
    read_calls,
    read_fetches,
    read_hang,
    read_loopback,
    read_transfers,
)
from vmkb.workloads.dxu.tables.rx import Line, fit

SIZE = 1362944
CALLS = (
    "RXPERF: 10 WRITE calls of 49152 bytes in 0.150000 seconds\n"
    "RXPERF: 66 calls/second, 3200 KB/second\n"
    "RXPERF: 133 packets sent, 14 received, 1 acknowledgements sent, 3 received, 0 sent\nagain\n"
)


def console(user: str, rates: list[int], size: int = SIZE, code: int = 0) -> str:
    """What FTP's user typed: a message for each transfer, and the end."""
    lines = [
        f"{user:8}: {size} bytes transferred in {size / 1024 / rate:.2f} seconds."
        f" Transfer rate {rate} Kbytes/sec."
        for rate in rates
    ]
    return "\n".join([*lines, f"{user:8}: DXU T-1 {user} {DONE}{code}"]) + "\n"


def test_two_senders_of_one_guest_are_told_apart() -> None:
    text = console("VMUSER1", [500, 400]) + console("VMUSER2", [510, 510])
    senders = [("lisa", "VMUSER1"), ("lisa", "VMUSER2")]
    work = read_transfers({"lisa": Said(text, "f")}, senders, SIZE, 2, "T-1")
    assert work.broken == () and work.data is not None and work.elapsed is not None
    assert work.data.value == 4 * SIZE
    assert work.elapsed.value == pytest.approx(1e6 * SIZE / 1024 * (1 / 500 + 1 / 400), rel=0.01)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (console("VMUSER1", [500]), "not 2 times"),
        (console("VMUSER1", [500, 500], SIZE - 1), "not 2 times"),
        (console("VMUSER1", [500, 500], code=100), "did not end well"),
        (console("VMUSER1", [500, 500]).replace("T-1", "T-2"), "did not end well"),
        ("", "not 2 times"),
    ],
)
def test_a_transfer_that_is_not_whole_has_no_numbers(text: str, why: str) -> None:
    work = read_transfers({"lisa": Said(text, "f")}, [("lisa", "VMUSER1")], SIZE, 2, "T-1")
    assert work.data is None and re.search(why, work.broken[0])


SENT = f"{SIZE} bytes sent in 00:00 (22.75 MiB/s)\n"


def test_what_a_guests_own_client_said() -> None:
    work = read_loopback(Said(2 * SENT, "f"), SIZE, 2, "T-1")
    assert work.broken == () and work.data is not None and work.elapsed is not None
    assert work.data.value == 2 * SIZE
    assert work.elapsed.value == pytest.approx(2e6 * SIZE / 2**20 / 22.755, rel=1e-4)
    for text in (SENT, 3 * SENT, SENT + SENT.replace("1362944", "1362943"), "500 OOPS\n"):
        assert "not 2 times" in read_loopback(Said(text, "f"), SIZE, 2, "T-1").broken[0]


@given(st.integers(60, 100), st.integers(0, 10**8))
def test_rxperfs_words_may_be_broken_by_the_screens_edge(edge: int, sent: int) -> None:
    text = CALLS.replace("sent\nagain", "sent again").replace("133 packets", f"{sent} packets")
    text = "".join(f"{textwrap.fill(line, edge)}\n" for line in text.splitlines())
    work = read_calls(Said(f"\n{text}Ready;\n", "f"), 49152, 10, "T-1")
    assert work.broken == ()
    (record,) = work.records
    assert record.raw == text.rstrip() and record.where.line == 2
    assert record.value("elapsed").value == 150000
    assert (record.value("sent").value, record.value("acks_received").value) == (sent, 3)


@pytest.mark.parametrize("line", [1, 2])
def test_rxperfs_lines_may_have_an_empty_one_between(line: int) -> None:
    """Seen before a line of more than a row."""
    lines = CALLS.splitlines(keepends=True)
    work = read_calls(Said("".join([*lines[:line], "\n", *lines[line:]]), "f"), 49152, 10, "T-1")
    assert work.broken == () and len(work.records) == 1
    assert work.records[0].value("sent").value == 133


@given(st.integers(0, len(CALLS)), st.sampled_from(["", "x", "-1 ", "\x00\x00"]))
def test_a_report_that_is_damaged_is_no_trial_or_says_the_same(at: int, put: str) -> None:
    work = read_calls(Said(CALLS[:at] + put + CALLS[at + 1 :], "f"), 49152, 10, "T-1")
    if not work.broken:
        assert work.elapsed is not None and work.data is not None
        assert work.data.value == 491520
    else:
        assert work.records == () and work.data is None


def test_other_calls_than_were_asked_for_are_no_trial() -> None:
    assert "not 11" in read_calls(Said(CALLS, "f"), 49152, 11, "T").broken[0]
    assert "did not say" in read_calls(Said("RXPERF: no\n", "f"), 49152, 10, "T").broken[0]


def test_who_ended_a_write() -> None:
    said = "RXPERF 10.17.0.2 WRITE (COUNT 1 SIZE {size} LIMIT 5\n{text}\nRC={rc}\n"
    good = CALLS.replace("10 WRITE calls of 49152", "1 WRITE calls of 98304")
    stuck = CALLS.replace("10 WRITE calls of 49152", "0 WRITE calls of 131072")
    stuck += "DMSRXP110E After 0 calls: no call ended in LIMIT seconds (code\n-7)\n"
    text = said.format(size=98304, text=good, rc=0) + said.format(size=131072, text=stuck, rc=100)
    work = read_hang(Said(text, "f"), (98304, 131072), "T")
    assert [r.word("ended") for r in work.records] == ["by itself", "by LIMIT"]
    dead = text.replace("-7)", "-1)")
    assert read_hang(Said(dead, "f"), (98304, 131072), "T").broken


def test_a_fetch_with_a_wrong_byte_has_no_numbers() -> None:
    found = [Fetched("maggie", 2.0, 100, True), Fetched("esa", 2.5, 100, False)]
    work = read_fetches(found, 100, "{}", Where("f"), "T")
    assert work.data is None and "esa" in work.broken[0]
    work = read_fetches(found[:1] * 2, 100, "{}", Where("f"), "T")
    assert work.data is not None and work.data.value == 200


@given(
    st.floats(1e-4, 1e-1), st.floats(1e-5, 1e-1),
    st.lists(st.floats(1, 1000), min_size=2, max_size=9, unique_by=lambda x: round(x, 1)),
)  # fmt: skip
def test_a_line_is_found_again(call: float, each: float, sizes: list[float]) -> None:
    line = fit([(kb, Line(call, each).seconds(kb)) for kb in sizes])
    assert line is not None
    for kb in sizes:
        assert line.seconds(kb) == pytest.approx(call + each * kb, rel=1e-3)


def test_one_size_makes_no_line() -> None:
    assert fit([(3.0, 0.1), (3.0, 0.2)]) is None and fit([]) is None
