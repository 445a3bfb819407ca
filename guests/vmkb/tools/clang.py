# SPDX-License-Identifier: MIT
"""Build a program for a virtual machine with zig's clang, where there is no gcc for s390x.

Usage: clang.py OPTION... -c SOURCE -o OBJECT             compiles
       clang.py OPTION... -E ...                          preprocesses
       clang.py link ELF SCRIPT SEED OBJECT...            SEED orders the functions; none is 0
       clang.py flat ELF BINARY                           the bytes to load, as objcopy writes them

clang has no EBCDIC: the text of a C file is translated between the preprocessor and the compiler,
as gcc does with -fexec-charset=IBM1047. Texts in asm and attributes are no data of a program.
"""

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

_ZIG = [sys.executable, "-m", "ziglang"]
_CC = [*_ZIG, "cc", "-target", "s390x-freestanding", "-mcpu=z10+soft_float", "-w"]
_PART = re.compile(
    r'^#.*$|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[()]'
    r"|\b(?:asm|__asm__|__attribute__|_Static_assert)\b",
    re.M,
)
_CHARACTER = re.compile(r"\\(?:[0-7]{1,3}|x[0-9a-fA-F]+|.)|[^\\]")
_ESCAPES = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_IBM1047 = {"[": 0xAD, "]": 0xBD, "^": 0x5F}
"""The ASCII characters that Python's cp037 has elsewhere."""
_HEAD, _SEGMENT = struct.Struct(">18xH12xQ14xHH"), struct.Struct(">IIQQQQ")
_S390, _LOAD = 22, 1


def _character(found: re.Match[str]) -> str:
    text = found[0]
    if text[0] == "\\":
        if text[1] in "01234567x":
            return text
        text = _ESCAPES.get(text[1], text[1])
    return f"\\{_IBM1047.get(text) or text.encode('cp037')[0]:03o}"


def translated(text: str) -> str:
    """The preprocessed C TEXT with its constants in EBCDIC."""
    depth, before = 0, False

    def part(found: re.Match[str]) -> str:
        nonlocal depth, before
        word = found[0]
        if word == "(" and (before or depth):
            depth, before = depth + 1, False
        elif word == ")" and depth:
            depth -= 1
        elif word[0] == "_" or word[0].isalpha():
            before = before or not depth
        elif word[0] in "\"'" and not depth:
            return word[0] + _CHARACTER.sub(_character, word[1:-1]) + word[0]
        return word

    return _PART.sub(part, text)


def flat(elf: bytes) -> bytes:
    """What ELF, a program for s390x, has to load, by physical address."""
    machine, at, size, count = _HEAD.unpack_from(elf)
    if machine != _S390:
        sys.exit("clang.py: this is no program for s390x")
    made = [_SEGMENT.unpack_from(elf, at + n * size) for n in range(count)]
    loaded = sorted((where, at, size) for kind, _, at, _, where, size in made if kind == _LOAD)
    content = b""
    for where, at, size in loaded:
        content = content.ljust(where - loaded[0][0], b"\0") + elf[at : at + size]
    return content


def compile_c(words: list[str]) -> None:
    """Run clang with WORDS, which name one C file and its object."""
    source, to = words[words.index("-c") + 1], words[words.index("-o") + 1]
    others = ("-c", "-o", source, to, "-MMD", "-MP")
    options = [word for word in words if word not in others]
    if not source.endswith(".c"):
        _run(*_CC, *options, "-c", source, "-o", to)
        return
    stem, _ = os.path.splitext(to)
    _run(*_CC, *options, "-E", "-MMD", "-MP", "-MF", f"{stem}.d", "-MT", to, source, "-o",
         f"{stem}.e.c")  # fmt: skip
    text = Path(f"{stem}.e.c")
    text.write_text(translated(text.read_text("utf-8")), "utf-8")
    _run(*_CC, *options, "-c", str(text), "-o", to)
    text.unlink()


def _run(*words: str) -> None:
    done = subprocess.run(words, check=False)
    if done.returncode:
        sys.exit(1)


def main(what: str, *rest: str) -> None:
    """Do WHAT the usage says."""
    if what == "link":
        elf, script, seed, *objects = rest
        order = ["--shuffle-sections=.text.*=" + seed] if seed != "0" else []
        _run(*_ZIG, "ld.lld", "-T", script, "--gc-sections", "-z", "noexecstack",
             "--build-id=none", *order, "-o", elf, *objects)  # fmt: skip
    elif what == "flat":
        Path(rest[1]).write_bytes(flat(Path(rest[0]).read_bytes()))
    elif "-E" in rest:
        _run(*_CC, what, *rest)
    else:
        compile_c([what, *rest])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: clang.py OPTION... -c SOURCE -o OBJECT | link ... | flat ELF BINARY")
    main(*sys.argv[1:])
