# SPDX-License-Identifier: MIT
"""Tables and files of a profile whose numbers are known."""

from __future__ import annotations

from vmkb.accounting.profile.export import callgrind, collapsed
from vmkb.accounting.profile.screen import screen
from vmkb.accounting.profile.summary import Profile
from vmkb.accounting.profile.symbols import Frame, Place
from vmkb.accounting.profile.tables import apart_from_counts, changes_table, layers_table
from vmkb.accounting.tables.table import Table

PLACES = {
    0x10000: Place("cp", (Frame("send", "cp/iucv.c", 10),)),
    0x10002: Place("cp", (Frame("send", "cp/iucv.c", 11),)),
    0x400000: Place("tcpip213", (Frame("tcp_input", "lwip/core/tcp_in.c", 5),)),
    0x440000: Place("tcpip221", (Frame("tcp_input", "lwip/core/tcp_in.c", 6),)),
    0x440002: Place("tcpip221", (Frame("tcp_new", "lwip/core/tcp.c", 7),)),
}


def layer(frame: Frame) -> str:
    return "IUCV" if frame.file == "cp/iucv.c" else "lwIP"


def profile(release: str, *trials: dict[int, int], off: int = 0) -> Profile:
    made = Profile("TCPIP", "TCP/IP", "G2M_B", release)
    for counts in trials:
        made.add(counts, PLACES, 10.0, sum(counts.values()) + off)
    return made


BASE = [{0x10000: 100 + k, 0x10002: 100, 0x400000: 300} for k in range(3)]
NEW = [{0x10000: 101 - k, 0x10002: 100, 0x440000: 280, 0x440002: 50} for k in range(3)]


def cells(table: Table) -> dict[tuple[str, ...], list[str]]:
    rows = [r for s in table.body for r in s.rows]
    return {(r.label, r.cells[0].text): [c.text for c in r.cells[1:]] for r in rows}


def test_layers_sum_to_the_machines_count() -> None:
    table = layers_table([profile("213", *BASE), profile("221", *NEW)], layer)
    assert cells(table) == {
        ("lwIP", "213"): ["30.0"],
        ("lwIP", "221"): ["33.0"],
        ("IUCV", "213"): ["20.1"],
        ("IUCV", "221"): ["20.0"],
        ("Total", "213"): ["50.1"],
        ("Total", "221"): ["53.0"],
    }
    assert any("to the instruction" in note for note in table.notes)


def test_releases_stand_beside_each_other_on_the_screen() -> None:
    many = [{0x10000: 123456, 0x400000: 9994}] * 3
    table = layers_table([profile("213", *many), profile("221", *NEW)], layer)
    assert screen([table]).splitlines() == [
        "Where the instructions of TCP/IP go, per KB",
        "Layer                        G2M_B",
        "                         213   221",
        "IUCV                   12346  20.0",
        "lwIP                   999.4  33.0",
        "Total                  13345  53.0",
    ]


def test_a_sum_that_is_apart_from_the_count_is_not_trusted() -> None:
    assert apart_from_counts([profile("213", *BASE), profile("213", *BASE, off=1)]) == [
        "the profile of TCP/IP in G2M_B213 sums to 1503 instructions, QUERY TIME counted 1506",
    ]


def test_functions_that_changed_are_told_and_what_trials_differ_by_is_not() -> None:
    table = changes_table([profile("213", *BASE), profile("221", *NEW)])
    assert table is not None
    assert cells(table) == {
        ("tcp.c tcp_new", "TCP/IP"): ["+5.0"],
        ("tcp_in.c tcp_input", "TCP/IP"): ["-2.0"],
        ("all functions", "TCP/IP"): ["+2.9"],
    }


def test_two_trials_say_nothing_for_sure() -> None:
    table = changes_table([profile("213", *BASE[:2]), profile("221", *NEW[:2])])
    assert table is not None
    assert cells(table)["tcp.c tcp_new", "TCP/IP"] == ["+5.0~"]


def test_one_release_has_no_changes() -> None:
    assert changes_table([profile("213", *BASE)]) is None


def test_callgrinds_form() -> None:
    text = callgrind(profile("213", BASE[0]), "ftp-1")
    assert text.splitlines()[0] == "# callgrind format"
    assert "summary: 500" in text
    assert text.endswith("totals: 500\n")
    assert "ob=cp\nfl=cp/iucv.c\nfn=send\n10 100\n11 100\n" in text


def test_collapsed_stacks() -> None:
    assert collapsed([profile("213", BASE[0])], layer).splitlines() == [
        "TCP/IP;IUCV;cp/iucv.c;send 200",
        "TCP/IP;lwIP;lwip/core/tcp_in.c;tcp_input 300",
    ]
