# SPDX-License-Identifier: MIT
"""What REXX costs in the guest: python tests/bench/bench_rexx.py

Exact counts by QUERY TIME (FULL of the machine that runs the EXEC. A clause: two runs of a loop
around it that differ in their rounds, so that what is done once cancels; the loop's own
instructions are in. The procedures of `vmkb run cms` as the second run of each.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from tests.e2e.cms_guest import Cms, booted  # noqa: E402
from vmkb.workloads.cms import content  # noqa: E402

COUNT = re.compile(r"^VIRT +\d+ US +(\d+) INSTR.*^TOTAL +\d+ US +(\d+) INSTR", re.M | re.S)
FEW, MANY = 200, 1200
CLAUSES = {
    "nop": "nop",
    "x=i+1": "x=i+1",
    "x=x+1": "x=x+1",
    "x=i*3//7": "x=i*3//7",
    "x=i/7": "x=i/7",
    "x=i*1.5": "x=i*1.5",
    "x=1.25+i": "x=1.25+i",
    "if i=5": "if i=5 then nop",
    "if w='DS'": "if w='DS' then nop",
    "a.i=i": "a.i=i",
    "x=b.k": "x=b.k",
    "x='abc'||i": "x='abc'||i",
    "x=w w": "x=w w",
    "x=substr(s,3,4)": "x=substr(s,3,4)",
    "x=right(i,5,0)": "x=right(i,5,0)",
    "x=wordpos(w,s)": "x=wordpos(w,s)",
    "parse var s a b c": "parse var s a b c",
    "call r": "call r",
    "x=f(i)": "x=f(i)",
}
LOOP = """\
arg n .
s = 'the quick brown fox'; w = 'fox'; k = 7; b. = 0; x = 0
do i = 1 to n
  {}
end
exit 0
r: return
f: procedure; arg n; return n
"""
PROCEDURES = {
    "CMSASM PROG": "CMSASM, 120 lines",
    "CMSCOMP PAYROLL COBOL": "CMSCOMP, 90 lines",
    "CMSCOMP MATRIX FORTRAN": "CMSCOMP, 60 lines",
    "CMSRUN 50": "CMSRUN 50",
}
FILES = {
    "user1/cmsasm.exec": content.ASSEMBLE_EXEC,
    "user1/cmscomp.exec": content.COMPILE_EXEC,
    "user1/cmsrun.exec": content.RUN_EXEC,
    "user1/prog.assemble": content.program(120),
    "user1/payroll.cobol": content.payroll(90),
    "user1/matrix.fortran": content.matrix(60),
}


def cost(user: Cms, command: str) -> tuple[int, int]:
    """Instructions of a command, VIRT and TOTAL, without those of QUERY TIME."""
    counts = []
    for between in (None, command):
        if between:
            user.run(between)
        found = COUNT.search("\n".join(user.run("QUERY TIME (FULL")))
        assert found is not None
        counts.append([int(n) for n in found.groups()])
    return counts[1][0] - counts[0][0], counts[1][1] - counts[0][1]


def main() -> None:
    """Print the tables."""
    files = FILES | {
        f"user1/b{n}.exec": "/* */\n" + LOOP.format(clause)
        for n, clause in enumerate(CLAUSES.values())
    }
    with (
        tempfile.TemporaryDirectory() as folder,
        booted(Path(folder) / "bench", files) as system,
    ):
        user = Cms(system, 0x0701, "USER1")
        print("| clause in a loop | instructions |\n|---|---|")
        for n, name in enumerate(CLAUSES):
            few, many = (cost(user, f"EXEC B{n} {rounds}")[0] for rounds in (FEW, MANY))
            print(f"| {name} | {(many - few) / (MANY - FEW):.1f} |", flush=True)
        print("\n| procedure | machine | in all |\n|---|---|---|")
        for command, name in PROCEDURES.items():
            cost(user, command)
            own, total = cost(user, command)
            print(f"| {name} | {own:,} | {total:,} |", flush=True)
        user.close()


if __name__ == "__main__":
    main()
