# SPDX-License-Identifier: MIT
"""lib: fmt against Python's %, string.c against bytes, ctype in both character sets."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.rexx.rexx import GUEST


@pytest.fixture(scope="module")
def libs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ctypes.CDLL]:
    """lib as shared objects with ASCII and with EBCDIC literals."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    where = tmp_path_factory.mktemp("lib")
    built = {}
    for charset in ("US-ASCII", "IBM1047"):
        target = where / f"lib{charset}.so"
        subprocess.run(
            [
                "gcc",
                "-std=gnu11",
                "-O2",
                "-shared",
                "-fPIC",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-funsigned-char",
                "-DLIB_TEST_NAMES",
                f"-fexec-charset={charset}",
                *(str(GUEST / "lib" / f"{n}.c") for n in ("string", "fmt", "ctype")),
                "-o",
                str(target),
            ],
            check=True,
            timeout=60,
        )
        built[charset] = ctypes.CDLL(str(target))
    return built


@pytest.fixture(scope="module")
def lib(libs: dict[str, ctypes.CDLL]) -> ctypes.CDLL:
    return libs["US-ASCII"]


def formatted(lib: ctypes.CDLL, size: int, form: str, *args: object) -> tuple[bytes, int]:
    buf = ctypes.create_string_buffer(b"#" * 299, 300)
    n = lib.fmt(buf, ctypes.c_size_t(size), form.encode(), *args)
    return buf.raw, n


@given(
    st.sampled_from(["%d", "%5d", "%-7d|", "%05d", "%u", "%x", "%08x", "%X", "%3u"]),
    st.integers(-(2**31), 2**31 - 1),
)
def test_fmt_numbers(lib: ctypes.CDLL, form: str, v: int) -> None:
    if "d" not in form:
        v &= 0xFFFFFFFF
    raw, n = formatted(lib, 300, form, ctypes.c_uint(v & 0xFFFFFFFF))
    want = (form % v).encode()
    assert (raw[: n + 1], n) == (want + b"\0", len(want))


@given(
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-12, 12),
    st.text("ab", max_size=9),
    st.integers(0, 9),
    st.integers(0, 60),
)
def test_fmt_sizes_and_texts(
    lib: ctypes.CDLL, v: int, width: int, s: str, precision: int, size: int
) -> None:
    seven = f"{7:{width}}" if width >= 0 else f"{7:<{-width}}"
    want = f"{v} {seven} {s[:precision]:>4} {s:<4}.{chr(65)}% {v & 2**64 - 1:x}"
    raw, n = formatted(
        lib,
        size,
        "%ld %*d %4.*s %-4s.%c%% %lx",
        ctypes.c_long(v),
        width,
        7,
        precision,
        s.encode(),
        s.encode(),
        65,
        ctypes.c_ulong(v & 2**64 - 1),
    )
    assert n == len(want)
    if size:
        assert raw[:size].split(b"\0")[0] == want[: size - 1].encode()
    assert raw[max(size, 0) : 299] == b"#" * (299 - size)  # nothing is written beyond size


@given(st.binary(min_size=1, max_size=700), st.data())
def test_memory(lib: ctypes.CDLL, data: bytes, draw: st.DataObject) -> None:
    n = draw.draw(st.integers(0, len(data)))
    to, start = (draw.draw(st.integers(0, len(data) - n)) for _ in range(2))
    want = bytearray(data)
    want[to : to + n] = data[start : start + n]
    buf = ctypes.create_string_buffer(data, len(data))
    at = ctypes.addressof(buf)
    lib.lib_memmove(ctypes.c_void_p(at + to), ctypes.c_void_p(at + start), ctypes.c_size_t(n))
    assert buf.raw == bytes(want)
    lib.lib_memset(ctypes.c_void_p(at + to), 0x1FF, ctypes.c_size_t(n))
    assert buf.raw[to : to + n] == b"\xff" * n


@given(
    st.binary(max_size=20).map(lambda b: b.replace(b"\0", b"a")),
    st.binary(max_size=20).map(lambda b: b.replace(b"\0", b"a")),
    st.integers(0, 22),
)
def test_strings(lib: ctypes.CDLL, a: bytes, b: bytes, n: int) -> None:
    def sign(x: int) -> int:
        return (x > 0) - (x < 0)

    assert sign(lib.lib_strcmp(a, b)) == (a > b) - (a < b)
    assert sign(lib.lib_strncmp(a, b, n)) == (a[:n] > b[:n]) - (a[:n] < b[:n])
    assert lib.lib_strlen(a) == len(a) and lib.lib_strnlen(a, n) == min(len(a), n)
    k = min(len(a), len(b))
    assert sign(lib.lib_memcmp(a, b, k)) == (a[:k] > b[:k]) - (a[:k] < b[:k])


@pytest.mark.parametrize("charset, codec", [("US-ASCII", "ascii"), ("IBM1047", "cp037")])
def test_classes(libs: dict[str, ctypes.CDLL], charset: str, codec: str) -> None:
    """Letters and digits have the same places in EBCDIC 1047 and 037."""
    lib = libs[charset]
    table = (ctypes.c_ubyte * 256).in_dll(lib, "ctype_class")
    upper = (ctypes.c_ubyte * 256).in_dll(lib, "ctype_fold_up")
    lower = (ctypes.c_ubyte * 256).in_dll(lib, "ctype_fold_down")
    for byte in range(256):
        c = bytes([byte]).decode(codec, errors="replace")
        c = c if c.isascii() else "\0"
        assert bool(table[byte] & 1) == c.isupper(), hex(byte)
        assert bool(table[byte] & 2) == c.islower(), hex(byte)
        assert bool(table[byte] & 4) == c.isdigit(), hex(byte)
        assert upper[byte] == (c.upper().encode(codec)[0] if c.islower() else 0)
        assert lower[byte] == (c.lower().encode(codec)[0] if c.isupper() else 0)
        assert lib.hex_value(byte) == (int(c, 16) if c in "0123456789abcdefABCDEF" else -1)


def test_string_c_does_not_call_itself(tmp_path: Path) -> None:
    """A compiler that turns the loop of memset into a call of memset would recurse for ever."""
    compiler = shutil.which("s390x-linux-gnu-gcc")
    if compiler is None:
        pytest.skip("needs s390x-linux-gnu-gcc")
    target = tmp_path / "string.o"
    subprocess.run(
        [
            compiler,
            "-std=gnu11",
            "-march=z10",
            "-O3",
            "-ffreestanding",
            "-c",
            str(GUEST / "lib" / "string.c"),
            "-o",
            str(target),
        ],
        check=True,
        timeout=60,
    )
    out = subprocess.run(
        ["s390x-linux-gnu-objdump", "-dr", str(target)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    bodies = out.split("\n\n")
    for name in ("memset", "memmove", "memcmp", "strlen", "memchr"):
        body = next(b for b in bodies if f"<{name}>:" in b)
        assert f"R_390_PLT32DBL\t{name}+" not in body and f"R_390_PC32DBL\t{name}+" not in body
        assert f"brasl\t%r14,0 <{name}>" not in body
