# SPDX-License-Identifier: MIT
"""Write the .ins file: what Hercules loads where at IPL.

Usage: ins.py OUTPUT.ins CP.bin NSS.bin... CP goes to 0, a parameter file `parm.txt` beside the .ins
to X'8000', the named systems where CP looks for them: from NSS_BASE of param.h up to DYNAMIC_BASE,
on boundaries of NSS_STEP. A parameter file is made that asks for the model HOST if there is none.
"""

import os
import re
import sys
from pathlib import Path

PARAM = Path(__file__).resolve().parent.parent / "cp" / "include" / "param.h"


def param(name: str) -> int:
    """The value of NAME in param.h."""
    found = re.search(rf"^#define {name}\s+(0x[0-9a-fA-F]+)UL\b", PARAM.read_text("utf-8"), re.M)
    if found is None:
        sys.exit(f"{PARAM} has no #define {name} with a number")
    return int(found[1], 16)


def main(output: str, cp: str, systems: list[str]) -> None:
    folder = os.path.dirname(output)
    parm = os.path.join(folder, "parm.txt")
    if not os.path.exists(parm):
        with open(parm, "wb") as f:
            f.write(b"MODEL=HOST\0")
    lines = ["* VM/KB", f"{os.path.basename(cp)} 0x00000000", "parm.txt 0x00008000"]
    at, step, end = param("NSS_BASE"), param("NSS_STEP"), param("DYNAMIC_BASE")
    for system in systems:
        lines.append(f"{os.path.basename(system)} 0x{at:08x}")
        at += -(-os.path.getsize(system) // step) * step
    if at > end:
        sys.exit(f"the named systems end at {at:#x}, over {end:#x}: see NSS_BASE in param.h")
    with open(output, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: ins.py OUTPUT.ins CP.bin NSS.bin...")
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
