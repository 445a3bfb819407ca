# SPDX-License-Identifier: MIT
"""The functions that make the difference between a kernel natively and in a virtual machine."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vmkb.accounting.profile.beside import beside_table
from vmkb.accounting.profile.summary import Profile
from vmkb.accounting.profile.symbols import Frame, Place
from vmkb.accounting.tables.table import Table

KB = 10.0


def profile(title: str, counts: dict[str, int], case: str = "G2M_B", whole: bool = True) -> Profile:
    made = Profile("SERVER", "Guest", case, title, whole=whole, title=title)
    places = {n: Place("vmlinux", (Frame(f, "vmlinux", 0),)) for n, f in enumerate(counts)}
    made.add(dict(enumerate(counts.values())), places, KB, sum(counts.values()))
    return made


def cells(table: Table | None) -> dict[str, list[str]]:
    assert table is not None
    rows = [row for section in table.body for row in section.rows]
    return {row.cells[1].text: [c.text for c in row.cells[2:]] for row in rows}


def test_what_makes_the_difference_is_told_and_the_rest_closes_it() -> None:
    native = {"tx": 5000, "do_IRQ": 1000, "gone": 100, "same": 90000}
    virtual = {"tx": 4000, "do_IRQ": 3000, "new": 200, "same": 90000}
    found = cells(beside_table([profile("L 6.1", native), profile("L 6.1 under VM/KB", virtual)]))
    assert found == {
        "vmlinux do_IRQ": ["100.0", "300.0", "+200.0"],
        "vmlinux new": ["0.0", "20.0", "+20.0"],
        "vmlinux gone": ["10.0", "0.0", "-10.0"],
        "vmlinux tx": ["500.0", "400.0", "-100.0"],
        "the others": ["9000.0", "9000.0", "0.0"],
        "all functions": ["9610.0", "9720.0", "+110.0"],
    }


def test_what_is_near_or_alone_is_not_told() -> None:
    native = profile("L 6.1", {"same": 100_000})
    assert beside_table([native, profile("L 6.1 under VM/KB", {"same": 100_500})]) is None
    far = {"same": 100_600}
    assert beside_table([native, profile("L 6.1 under VM/KB", far)]) is not None
    for other in (
        profile("L 6.12 under VM/KB", far), profile("L 6.1 under VM/KB", far, "P2M_B"),
        profile("L 6.1 under VM/KB", far, whole=False),
    ):  # fmt: skip
        assert beside_table([native, other]) is None


COUNTS = st.dictionaries(st.text("abc", min_size=1, max_size=2), st.integers(1, 10**6), min_size=1)


@given(COUNTS, COUNTS)
def test_the_rows_add_up(native: dict[str, int], virtual: dict[str, int]) -> None:
    table = beside_table([profile("L", native), profile("L under VM/KB", virtual)])
    if table is None:
        assert abs(sum(virtual.values()) - sum(native.values())) <= 0.005 * sum(native.values())
        return
    rows = [[cell.value for cell in row.cells[2:]] for row in table.body[0].rows]
    for parts in zip(*rows, strict=True):
        *each, whole = (x or 0.0 for x in parts)
        assert abs(sum(each) - whole) < 1e-3 * (1 + sum(native.values()))
