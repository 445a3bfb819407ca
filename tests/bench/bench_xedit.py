# SPDX-License-Identifier: MIT
"""What XEDIT of 10,000 lines costs: python tests/bench/bench_xedit.py

Exact counts by QUERY TIME (FULL of the machine that edits, asked for by another one. What the work
needs at least is one instruction for each byte of the lines that are touched, and a subcommand that
touches none is free.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from tests.e2e import cms_guest  # noqa: E402
from tests.e2e.cms_guest import Cms, booted  # noqa: E402
from tests.e2e.xedit_guest import Editor  # noqa: E402

LINES, WIDTH = 10_000, 60
TEXT = "".join(f"{n:05d} " + "MANY A LINE HAS AN A IN IT  "[: (WIDTH - 6)] * 2 + "\n" for n in range(LINES))  # fmt: skip
COUNTS = re.compile(r"(VIRT|TOTAL)\s+\d+ US (\d+) INSTR")


def counts(asker: Cms) -> tuple[int, int]:
    """Instructions of USER1: its own, and CP's on its behalf."""
    text = "\n".join(asker.run("CP QUERY TIME USER1 (FULL"))
    found = {name: int(n) for name, n in COUNTS.findall(text)}
    return found["VIRT"], found["TOTAL"] - found["VIRT"]


def main() -> None:
    """Print the table."""
    big = cms_guest.DIRECTORY.replace("AUTO 2048 TESTVL MR ALL\n MDISK 0192", "AUTO 8192 TESTVL MR ALL\n MDISK 0192").replace("USER USER1 USER1 2M 4M", "USER USER1 USER1 4M 4M")  # fmt: skip
    cms_guest.DIRECTORY = big.replace("USER USER2 USER2 1M 4M G", "USER USER2 USER2 1M 4M ABEG")
    length = len(TEXT) // LINES - 1
    with (
        tempfile.TemporaryDirectory() as folder,
        booted(Path(folder) / "bench", {"user1/big.text": TEXT}) as system,
    ):
        user, asker = Cms(system, 0x0701, "USER1"), Cms(system, 0x0703, "USER2")
        print(f"{LINES} lines of {length} bytes")
        print("| work | lines | bytes | CMS | CP | CMS per byte |\n|---|---|---|---|---|---|")

        def step(what: str, lines: int, do: object) -> None:
            assert callable(do)
            before = counts(asker)
            do()
            after = counts(asker)
            own, cp = after[0] - before[0], after[1] - before[1]
            need = lines * length
            print(f"| {what} | {lines} | {need} | {own} | {cp} | {own / max(need, 1):.2f} |")

        box: list[Editor] = []
        step("XEDIT", LINES, lambda: box.append(Editor(user, "XEDIT BIG TEXT")))
        editor = box[0]
        editor.enter("down 20")
        shown = sum(row[1:6] == "=====" for row in editor.rows)
        step("FORWARD", shown, lambda: editor.pf(8))
        step("FORWARD", shown, lambda: editor.pf(8))
        step("BACKWARD", shown, lambda: editor.pf(7))
        step(":9000", shown, lambda: editor.enter(":9000"))
        step("a line typed over", shown + 1, lambda: (
            editor.over(editor.find("09005 "), 8, "TYPED OVER"), editor.enter()))
        step("LOCATE /99999/, not there", LINES, lambda: editor.enter(":1#locate /99999/"))
        step("CHANGE /A/B/ * *", LINES, lambda: editor.enter(":1#change /A/B/ * *", until="517I"))
        step("CHANGE /B/CC/ * *", LINES, lambda: editor.enter(":1#change /B/CC/ * *", until="517I"))
        step("SORT * D", LINES, lambda: editor.enter(":1#sort * d"))
        step("SAVE", LINES, lambda: editor.enter("save", until="Alt=0"))
        editor.leave()
        user.close()
        asker.close()


if __name__ == "__main__":
    main()
