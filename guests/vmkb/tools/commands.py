# SPDX-License-Identifier: MIT
"""Make CMS's table of commands from what their files say, so that a command is one file.

Usage: commands.py OUTPUT.c FILE.c... Each file says CMS_COMMAND("NAME", MIN, function) for each of
its commands. The table is in alphabetical order; of two names that a word may stand for the first
one wins. Exits with a sentence when a name is there twice.
"""

import re
import sys

FOUND = re.compile(r'^CMS_COMMAND\("([A-Z]+)", (\d+), (\w+)\);$', re.M)


def main(output: str, sources: list[str]) -> None:
    found = {}
    for path in sources:
        with open(path, encoding="utf-8") as f:
            for name, least, function in FOUND.findall(f.read()):
                if name in found:
                    sys.exit(f"{path}: there is another CMS command {name}")
                found[name] = (int(least), function)
    with open(output, "w", encoding="ascii") as f:
        f.write("/* SPDX-License-Identifier: MIT */\n/* made from cms/commands */\n")
        f.write('#include "cms.h"\n')
        f.writelines(f"int {function}(struct cms_arg *arg);\n" for _, function in found.values())
        f.write("const struct cms_command cms_commands[] = {\n")
        for name, (least, function) in sorted(found.items()):
            f.write(f'    {{"{name}", {least}, {function}}},\n')
        f.write("    {0, 0, 0},\n};\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: commands.py OUTPUT.c FILE.c...")
    main(sys.argv[1], sys.argv[2:])
