# SPDX-License-Identifier: MIT
"""Another order of the same things, given by a seed: what a build is made of must not matter.

Usage: shuffle.py words SEED WORD...            prints the words in another order
       shuffle.py functions SEED SCRIPT MAP     prints the linker script SCRIPT with the functions
                                                of the link whose map is MAP in another order
An order is that of the SHA-256 of seed and name: the same on every machine and Python. A word that
is a path is named from the folder on that all words share, so that releases of one program that
stand in different folders are fed in one order, and one source twice is one program.
"""

import hashlib
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

TEXT = "*(.text .text.*)"
_FUNCTION = re.compile(r"^ (\.text\.\S+)", re.M)


def shuffled(seed: str, names: Iterable[str]) -> list[str]:
    """NAMES, each once, in the order that SEED gives."""
    return sorted(set(names), key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())


def with_order(script: str, link_map: str, seed: str) -> str:
    """SCRIPT with the sections of functions that LINK_MAP has, one by one, before what is left.

    Exits with a sentence when the script has no place for them or the map has none.
    """
    sections = shuffled(seed, _FUNCTION.findall(link_map))
    if TEXT not in script or not sections:
        sys.exit(f"shuffle.py: no {TEXT} in the script, or no function's section in the map")
    return script.replace(TEXT, "\n".join([*(f"*({name})" for name in sections), TEXT]))


def main(what: str, seed: str, *rest: str) -> None:
    """Print the WORDS, or the script with the functions of a map, in the order of SEED."""
    if what == "words":
        shared = os.path.commonpath(rest)
        names = {os.path.relpath(word, shared): word for word in rest}
        print(" ".join(names[name] for name in shuffled(seed, names)))
    else:
        script, link_map = rest
        print(with_order(Path(script).read_text("ascii"), Path(link_map).read_text("utf-8"), seed))


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in {"words", "functions"}:
        sys.exit("usage: shuffle.py words SEED WORD... | functions SEED SCRIPT MAP")
    main(*sys.argv[1:])
