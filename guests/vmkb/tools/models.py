# SPDX-License-Identifier: MIT
"""Make CP's table of CPU models from accounting/machines.toml, so that there is one table.

Usage: models.py MACHINES.TOML OUTPUT.c. Models that are not available are left out. Exits with a
sentence when a model lacks a key or its name is too long for the IPL parameter.
"""

import sys
import tomllib


def main(toml: str, output: str) -> None:
    with open(toml, "rb") as f:
        models = [m for m in tomllib.load(f)["model"] if m["available"]]
    rows = []
    for m in models:
        key = m["key"].upper()
        if len(key) > 8:
            sys.exit(f"{toml}: model key {key!r} is over 8 characters")
        rows.append(f'    {{"{key}", {m["kmips"]}UL, {m["move_rate"]}UL, {m["sum_rate"]}UL}},')
    with open(output, "w", encoding="ascii") as f:
        f.write("/* SPDX-License-Identifier: MIT */\n/* made from accounting/machines.toml */\n")
        f.write('#include "models.h"\n')
        f.write("const struct model models[] = {\n" + "\n".join(rows) + "\n};\n")
        f.write(f"const int model_count = {len(rows)};\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: models.py MACHINES.TOML OUTPUT.c")
    main(sys.argv[1], sys.argv[2])
