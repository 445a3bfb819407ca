# SPDX-License-Identifier: MIT
"""Make the translation tables between EBCDIC 1047 and ISO 8859-1 from the host tools' code page.

Usage: ebcdic.py OUTPUT.c, with guests.vmkb.disk importable.
"""

import sys

from vmkb.guests.vmkb.disk.codepage import decode


def table(name: str, values: list[int]) -> str:
    rows = [", ".join(f"{v:#04x}" for v in values[i : i + 16]) for i in range(0, 256, 16)]
    return f"const uint8_t {name}[256] = {{\n    " + ",\n    ".join(rows) + ",\n};\n"


def main(output: str) -> None:
    to_latin = [ord(c) for c in decode(bytes(range(256)))]
    to_ebcdic = [to_latin.index(i) for i in range(256)]
    with open(output, "w", encoding="ascii") as f:
        f.write("/* SPDX-License-Identifier: MIT */\n/* made by tools/ebcdic.py */\n")
        f.write('#include "translate.h"\n')
        f.write(table("latin1_of_ebcdic", to_latin) + table("ebcdic_of_latin1", to_ebcdic))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: ebcdic.py OUTPUT.c")
    main(sys.argv[1])
