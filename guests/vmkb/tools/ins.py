# SPDX-License-Identifier: MIT
"""Write the .ins file: what Hercules loads where at IPL.

Usage: ins.py OUTPUT.ins CP.bin NSS.bin... CP goes to 0, a parameter file `parm.txt` beside the .ins
to X'8000', the named systems from X'500000' on 256 KB boundaries (param.h NSS_BASE, NSS_STEP). A
parameter file is made that asks for the model HOST if there is none.
"""

import os
import sys

NSS_BASE, NSS_STEP, NSS_END = 0x500000, 0x40000, 0x800000


def main(output: str, cp: str, systems: list[str]) -> None:
    folder = os.path.dirname(output)
    parm = os.path.join(folder, "parm.txt")
    if not os.path.exists(parm):
        with open(parm, "wb") as f:
            f.write(b"MODEL=HOST\0")
    lines = ["* VM/KB", f"{os.path.basename(cp)} 0x00000000", "parm.txt 0x00008000"]
    at = NSS_BASE
    for system in systems:
        lines.append(f"{os.path.basename(system)} 0x{at:08x}")
        at += -(-os.path.getsize(system) // NSS_STEP) * NSS_STEP
    if at > NSS_END:
        sys.exit(f"the named systems end at {at:#x}, over {NSS_END:#x}: see NSS_BASE in param.h")
    with open(output, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: ins.py OUTPUT.ins CP.bin NSS.bin...")
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
