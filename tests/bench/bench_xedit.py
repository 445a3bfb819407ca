# SPDX-License-Identifier: MIT
"""What XEDIT of 10,000 lines costs: python tests/bench/bench_xedit.py

Exact counts by QUERY TIME (FULL of the machine that edits, asked for by another one. What the work
needs at least is one instruction for each byte of the lines that are touched, and for a page one
for each byte of the screen.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from tests.e2e import cms_guest  # noqa: E402
from tests.e2e.cms_guest import Cms, booted  # noqa: E402
from tests.e2e.xedit_guest import Editor  # noqa: E402

LINES, SCREEN = 10_000, 1920
WORDS = " ".join(["MANY A LINE HAS AN A IN IT "] * 2).rstrip()
TEXT = "".join(f"{n:05d} {WORDS}\n" for n in range(LINES))
COUNTS = re.compile(r"(VIRT|TOTAL)\s+\d+ US (\d+) INSTR")
ROOM = {
    "USER USER1 USER1 2M": "USER USER1 USER1 4M",
    "AUTO 2048 TESTVL MR ALL\n MDISK 0192": "AUTO 8192 TESTVL MR ALL\n MDISK 0192",
    "USER USER2 USER2 1M 4M G": "USER USER2 USER2 1M 4M ABEG",
}
"""Who edits has storage and disk enough, who asks the privilege class to ask."""


def counts(asker: Cms) -> tuple[int, int]:
    """Instructions of USER1: its own, and CP's on its behalf."""
    text = "\n".join(asker.run("CP QUERY TIME USER1 (FULL"))
    found = {name: int(n) for name, n in COUNTS.findall(text)}
    return found["VIRT"], found["TOTAL"] - found["VIRT"]


def measure(user: Cms, asker: Cms) -> None:
    """Print a row for each step."""
    length = len(TEXT) // LINES - 1
    print(f"{LINES} lines of {length} bytes\n")
    print("| step | lines | bytes | CMS | CP | CMS per byte |\n|---|---|---|---|---|---|")

    def step(what: str, lines: int, do: Callable[[], object]) -> None:
        before = counts(asker)
        do()
        after = counts(asker)
        own, cp = after[0] - before[0], after[1] - before[1]
        need = lines * length if lines == LINES else SCREEN
        print(f"| {what} | {lines:,} | {need:,} | {own:,} | {cp:,} | {own / need:.2f} |")

    editor = Editor.at_screen(user)
    step("XEDIT", LINES, lambda: Editor(user, "XEDIT BIG TEXT"))
    editor.enter("down 20")
    shown = sum(row[1:6] == "=====" for row in editor.rows)
    step("FORWARD", shown, lambda: editor.pf(8))
    step("FORWARD", shown, lambda: editor.pf(8))
    step("BACKWARD", shown, lambda: editor.pf(7))
    step(":9000", shown, lambda: editor.enter(":9000"))
    editor.over(editor.find("09005 "), 8, "TYPED OVER")
    step("a line typed over", shown, editor.enter)
    for command, done in {
        "locate /99999/": "546E",
        "change /A/B/ * *": "517I",
        "change /B/CC/ * *": "517I",
        "sort * d": "Line=1 ",
    }.items():
        editor.enter(":1")
        step(command.upper(), LINES, lambda c=command, d=done: editor.enter(c, until=d))  # type: ignore[misc]
    step("SAVE", LINES, lambda: editor.enter("save", until="Alt=0"))
    editor.leave()


def main() -> None:
    """Print the table."""
    for before, after in ROOM.items():
        cms_guest.DIRECTORY = cms_guest.DIRECTORY.replace(before, after)
    with (
        tempfile.TemporaryDirectory() as folder,
        booted(Path(folder) / "bench", {"user1/big.text": TEXT}) as system,
    ):
        user, asker = Cms(system, 0x0701, "USER1"), Cms(system, 0x0703, "USER2")
        measure(user, asker)
        user.close()
        asker.close()


if __name__ == "__main__":
    main()
