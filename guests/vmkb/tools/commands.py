# SPDX-License-Identifier: MIT
"""Make CMS's table of commands from what their files say, so that a command is one file.

Usage: commands.py OUTPUT.c FILE.c... Each file says CMS_COMMAND("NAME", MIN, function) for each of
its commands. Names and their abbreviations are hashed without collisions: to look one up takes the
same instructions whatever other commands there are. Exits with a sentence when two commands have a
name or an abbreviation in common.
"""

import re
import sys
from itertools import count

FOUND = re.compile(r'^CMS_COMMAND\("([A-Z0-9]+)", (\d+), (\w+)\);$', re.M)
BUCKETS, PLACES = 256, 1024
MASK = (1 << 64) - 1


def key(name: str) -> int:
    """NAME's eight EBCDIC characters, zeros behind it, as the number that they are in the guest."""
    return int.from_bytes(name.encode("cp037").ljust(8, b"\0"))


def words(found: dict[str, tuple[int, str]]) -> dict[str, str]:
    """The command that each name and abbreviation stands for, as VM/370 has it: of several the
    first one."""
    made: dict[str, str] = {}
    for name, (least, _) in sorted(found.items()):
        for n in range(least, len(name) + 1):
            made.setdefault(name[:n], name)
    for name in found:
        if made[name] != name:
            sys.exit(f"{name} is an abbreviation of {made[name]}, too")
    return made


def hashed(names: list[str], factor: int) -> tuple[list[int], dict[int, str]] | None:
    """How far each bucket's words are moved, and the word in each place; nothing if they do not
    fit. The bucket and the place are parts of the product of FACTOR and the word's key."""
    buckets: dict[int, list[tuple[int, str]]] = {}
    for name in names:
        product = key(name) * factor & MASK
        buckets.setdefault(product >> 56, []).append((product >> 32 & PLACES - 1, name))
    moved, places = [0] * BUCKETS, dict[int, str]()
    for bucket, mine in sorted(buckets.items(), key=lambda item: -len(item[1])):
        for by in range(PLACES):
            at = {(place + by) % PLACES: name for place, name in mine}
            if len(at) == len(mine) and not at.keys() & places.keys():
                moved[bucket] = by
                places |= at
                break
        else:
            return None
    return moved, places


def main(output: str, sources: list[str]) -> None:
    """Write the table of the commands of SOURCES to OUTPUT."""
    found: dict[str, tuple[int, str]] = {}
    for path in sources:
        with open(path, encoding="utf-8") as f:
            for name, least, function in FOUND.findall(f.read()):
                if name in found:
                    sys.exit(f"{path}: there is another CMS command {name}")
                found[name] = (int(least), function)
    stands_for = words(found)
    order = sorted(found)
    factor, (moved, places) = next(
        (factor, made)
        for n in count(1)
        if (made := hashed(sorted(stands_for), factor := n * 0x9E3779B97F4A7C15 & MASK | 1))
    )
    with open(output, "w", encoding="ascii") as f:
        f.write("/* SPDX-License-Identifier: MIT */\n/* made from cms/commands */\n")
        f.write('#include "cms.h"\n')
        f.writelines(f"int {function}(struct cms_arg *arg);\n" for _, function in found.values())
        f.write("const struct cms_command cms_commands[] = {\n")
        f.writelines(f'    {{"{name}", {found[name][0]}, {found[name][1]}}},\n' for name in order)
        f.write("    {0, 0, 0},\n};\n")
        f.write(f"const uint64_t cms_word_factor = {factor:#x}UL;\n")
        f.write(f"const uint16_t cms_word_moved[{BUCKETS}] = {{{', '.join(map(str, moved))}}};\n")
        f.write(f"const struct cms_word cms_words[{PLACES}] = {{\n")
        for place, word in sorted(places.items()):
            command = order.index(stands_for[word])
            whole = int(word == order[command])
            f.write(f"    [{place}] = {{{key(word):#x}UL, &cms_commands[{command}], {whole}}},\n")
        f.write("};\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: commands.py OUTPUT.c FILE.c...")
    main(sys.argv[1], sys.argv[2:])
