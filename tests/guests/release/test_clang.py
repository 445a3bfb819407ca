# SPDX-License-Identifier: MIT
"""tools/clang.py does by itself what gcc and objcopy do: theirs is what it is compared with."""

from __future__ import annotations

import runpy
import shutil
import string
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmkb.hercules.guest import load_guest

GUEST = load_guest("vmkb").folder
TOOL = runpy.run_path(str(GUEST / "tools" / "clang.py"))
translated: Callable[[str], str] = TOOL["translated"]
flat: Callable[[bytes], bytes] = TOOL["flat"]
GCC = "s390x-linux-gnu-gcc"
WITH = ["-Iservice/tcpip", "-Iservice/tcpip/port", "-Iservice/tcpip/libc", "-Iservice/lib",
        "-Iinclude", "-Ilib", "-Ifs", "-Ibuild/lwip/lwip-2.2.1/src/include"]  # fmt: skip
PORT = sorted(GUEST.glob("service/tcpip/**/*.c"))
ASCII = string.digits + string.ascii_letters + string.punctuation + " "

pytestmark = pytest.mark.skipif(not shutil.which(GCC), reason=f"{GCC} is not installed")


def gcc(text: str, *words: str) -> str:
    """What gcc makes of the C TEXT, as assembler text or, with -E, as C."""
    how = ["-E"] if "-E" in words else ["-S", "-x", "cpp-output"]
    return subprocess.run(
        [GCC, "-std=gnu11", "-O2", "-w", "-march=z10", "-msoft-float", "-ffreestanding",
         *how, *(w for w in words if w != "-E"), "-", "-o", "-"],
        input=text, capture_output=True, text=True, timeout=60, check=True, cwd=GUEST,
    ).stdout  # fmt: skip


def same(text: str) -> bool:
    """Whether gcc makes the same of TEXT with EBCDIC and of the translated TEXT without."""
    return gcc(text, "-fexec-charset=IBM1047") == gcc(translated(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", PORT, ids=[str(p.relative_to(GUEST / "service" / "tcpip")) for p in PORT]
)
def test_the_texts_of_the_port_are_those_of_gcc(path: Path) -> None:
    if {"freertos", "smoltcp"} & set(path.parts):
        pytest.skip("its headers come with the stack, or gcc compiles it alone")
    with_ip = ["-DTCPIP_IPV6"] if "ipv6" in path.parts else []
    made = gcc(f'#include "{path.relative_to(GUEST)}"\n', "-E", "-I.", *WITH, *with_ip)
    assert same(made)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(ASCII, max_size=20), min_size=1, max_size=20))
def test_each_character_is(texts: list[str]) -> None:
    quoted = [t.replace("\\", "\\\\").replace('"', '\\"').replace("??", "?") for t in texts]
    lines = [f'const char t{n}[] = "{t}";' for n, t in enumerate(quoted)]
    ones = [f"const char c{n} = '{c}';" for n, c in enumerate(ASCII) if c not in "'\\"]
    assert same("\n".join((*lines, *ones, "")))


@pytest.mark.parametrize(
    "code",
    [
        r"""const char t[] = "\n\t\a\b\f\r\v\\\"\'\101\x41 A" "B\0" "1";""",
        'int f(int a) { __asm__ volatile("lr %0,%0" : "+d"(a) : : "cc"); return a + "x"[0]; }',
        'register long r2 __asm__("2"); const char *f(void) { return "(2"; }',
        'const char t[] __attribute__((section(".nss"))) = "x)"; int a = sizeof "(";',
        '# 1 "main.c"\n_Static_assert(1, "words"); const char *a = "asm(", b = \'(\';',
    ],
)
def test_what_is_no_data_stays(code: str) -> None:
    assert same(f"{code}\n")


def test_the_binary_is_that_of_objcopy() -> None:
    for name in ("tcpip213", "tcpip221"):
        program = GUEST / "build" / name
        assert flat(program.with_suffix(".elf").read_bytes()) == (
            program.with_suffix(".bin").read_bytes()
        )


def test_a_program_of_another_machine_is_refused() -> None:
    with pytest.raises(SystemExit, match="no program for s390x"):
        flat(Path("/bin/true").resolve().read_bytes())
