# SPDX-License-Identifier: MIT
"""The functions of a Linux kernel: which has an address, also when a module is elsewhere."""

from __future__ import annotations

import pytest

from vmkb.accounting.profile.kallsyms import Kernel, Loaded, modules_of, parse
from vmkb.accounting.profile.symbols import NOWHERE, SymbolError

SAID = """\
MODULE ctcm 4096 0x000003ff60008000
MODULE fsm 8192 0x000003ff60000000
0000000000100000 T _stext
0000000000100000 T startup_continue
0000000000100100 t ip_rcv.constprop.0
0000000000100180 T __sched_text_start
0000000000100180 t __schedule
0000000000100200 T kmalloc_noprof
0000000000100300 T _end
000003ff60000010 t fsm_event\t[fsm]
000003ff60008040 T ctcm_tx\t[ctcm]
"""


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return parse(SAID)


@pytest.mark.parametrize(
    ("address", "file", "function"),
    [
        (0x100000, "vmlinux", "startup_continue"),
        (0x1000FE, "vmlinux", "startup_continue"),
        (0x100100, "vmlinux", "ip_rcv"),
        (0x100180, "vmlinux", "__schedule"),
        (0x100200, "vmlinux", "kmalloc"),
        (0x3FF60000010, "fsm", "fsm_event"),
        (0x3FF60001FFE, "fsm", "fsm_event"),
        (0x3FF60008FFE, "ctcm", "ctcm_tx"),
        # what a module has before its first function, and what the kernel has in the first page
        (0x3FF60008000, "ctcm", "?"),
        (0x400, "lowcore", "?"),
    ],
)
def test_an_address_is_a_functions(kernel: Kernel, address: int, file: str, function: str) -> None:
    place = kernel.place(address)
    assert (place.image, place.frame) == (file, (function, file, 0))


@pytest.mark.parametrize("address", [0xFFFFE, 0x100300, 0x200000, 0x3FF60002000, 0x3FF60009000])
def test_what_is_nowhere_has_no_name(kernel: Kernel, address: int) -> None:
    assert kernel.place(address) == NOWHERE


def test_a_module_that_is_elsewhere_is_brought_home(kernel: Kernel) -> None:
    loaded = {"ctcm": Loaded(0x3FF7FD17000, 4096), "fsm": Loaded(0x3FF60008000, 8192)}
    kernel.check(loaded)
    home = {a: kernel.home(a, loaded) for a in (0x3FF7FD17040, 0x3FF60008010, 0x100100)}
    assert {a: kernel.place(b).frame.function for a, b in home.items()} == {
        0x3FF7FD17040: "ctcm_tx", 0x3FF60008010: "fsm_event", 0x100100: "ip_rcv",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "said"),
    [("MODULE ctcm 8192 0x0", "in its symbols it is of 4096 bytes"),
     ("MODULE kafs 4096 0x0", "module kafs has 4096 bytes in the guest, .* missing")],
)  # fmt: skip
def test_a_module_that_is_not_the_same_is_refused(kernel: Kernel, line: str, said: str) -> None:
    with pytest.raises(SymbolError, match=said):
        kernel.check(modules_of(line))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("100000 T a\nnothing\n", "t, line 2 is no symbol: 'nothing'"),
        ("", "t has no addresses"),
        ("0000000000000000 T a\n", "t has no addresses"),  # to whom the kernel does not tell them
        ("MODULE x\n100000 T a\n", "a line that is no module: 'MODULE x'"),
    ],
)
def test_what_are_no_symbols_is_refused(text: str, said: str) -> None:
    with pytest.raises(SymbolError, match=said):
        parse(text, "t")
