# SPDX-License-Identifier: MIT
"""Names of addresses, from what binutils print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.accounting.profile.elf import ElfError, first_address
from vmkb.accounting.profile.layers import OTHER, LayerError, layer_of, parse
from vmkb.accounting.profile.symbols import (
    Frame,
    Image,
    Place,
    SymbolError,
    dump,
    image_of,
    load,
    named,
    parse_addr2line,
    parse_ins,
    parse_nm,
)

ADDR2LINE = """\
0x000000001000de60
pbuf_free.part.0.isra.0
/home/some one/vmkb/build/lwip/lwip-2.1.3/src/core/pbuf.c:731
ethernet_input
/home/some one/vmkb/build/lwip/lwip-2.1.3/src/netif/ethernet.c:251
output
/home/some one/vmkb/build/own/1f/freertos/freertos-own/source/FreeRTOS_IP.c:9
0x0000000000010000
??
/home/some one/vmkb/boot/entry.S:14
0x0000000000010f9e
op_room
/home/some one/vmkb/cp/lterm.c:108 (discriminator 3)
0x0000000000ffffff
??
??:?
"""
NM = """\
0000000000010000 T run
0000000000010080 t pgm_from_machine
0000000000012000 T send.lto_priv.0
0000000000040000 D data
"""


def test_addr2line_gives_frames_of_what_the_compiler_inlined() -> None:
    found = parse_addr2line(ADDR2LINE, "/home/some one/vmkb")
    assert found[0x1000DE60] == (
        Frame("pbuf_free", "lwip/core/pbuf.c", 731),
        Frame("ethernet_input", "lwip/netif/ethernet.c", 251),
        Frame("output", "freertos/FreeRTOS_IP.c", 9),
    )
    assert found[0x10F9E] == (Frame("op_room", "cp/lterm.c", 108),)
    assert found[0x10000] == (Frame("?", "boot/entry.S", 14),)
    assert found[0xFFFFFF] == (Frame("?", "?", 0),)


RUST = """\
0x0000000010014250
<core::num::Wrapping<u16> as core::ops::Add>::add
/rustc/59807616e1/library/core/src/num/wrapping.rs:9
<managed::slice::ManagedSlice<u8>>::len::<fn(u8) -> u8>
/home/some one/vmkb/build/crates-01ab/managed-0.8.0/src/slice.rs:7
<smoltcp::socket::tcp::Socket>::dispatch::<&mut [u8], <a::B<u8>>::c::{closure#0}>::{closure#1}
build/own/smoltcp/smoltcp-own/src/socket/tcp.rs:2
vmkb_smoltcp::look::streams
build/own/smoltcp/service/tcpip/smoltcp/look.rs:1
"""


def test_rust_has_names_without_types_and_files_without_folders() -> None:
    frames = parse_addr2line(RUST, "/home/some one/vmkb")[0x10014250]
    assert frames == (
        Frame("Wrapping::add", "rust/core/num/wrapping.rs", 9),
        Frame("ManagedSlice::len", "crates/managed/slice.rs", 7),
        Frame("Socket::dispatch", "smoltcp/socket/tcp.rs", 2),
        Frame("look::streams", "service/tcpip/smoltcp/look.rs", 1),
    )
    assert Place("tcpipown", frames).frame == frames[2]  # libraries are as headers are


def test_assembler_gets_its_names_from_the_symbols() -> None:
    code = parse_nm(NM)
    assert code == [(0x10000, "run"), (0x10080, "pgm_from_machine"), (0x12000, "send")]
    line = (Frame("?", "boot/entry.S", 14),)
    assert named(line, 0x1007E, code)[0] == Frame("run", "boot/entry.S", 14)
    assert named(line, 0x10080, code)[0].function == "pgm_from_machine"
    assert named((), 0x10, code)[0] == Frame("?", "?", 0)
    known = (Frame("send", "cp/iucv.c", 1),)
    assert named(known, 0x10080, code) == known


def test_a_function_of_a_header_counts_where_it_is_used() -> None:
    inner, outer = Frame("cpu_timer", "include/s390.h", 20), Frame("charge", "cp/acct.c", 60)
    assert Place("cp", (inner, outer)).frame == outer
    assert Place("cp", (inner,)).frame == inner


def test_images_of_an_ins_file() -> None:
    assert parse_ins("* VM/KB\ncp.bin 0x00000000\nparm.txt 0x00008000\ncms.bin 0x300000\n") == [
        ("cp.bin", 0),
        ("parm.txt", 0x8000),
        ("cms.bin", 0x300000),
    ]
    images = [Image("cp", 0, 0x20000, 0), Image("cms", 0x300000, 0x1000, 0x10000000)]
    assert image_of(images, 0x300FFE) == images[1]
    assert image_of(images, 0x301000) is None


NAMES = st.text("abcxyz_019", min_size=1, max_size=9)
FRAMES = st.builds(Frame, NAMES, NAMES.map(lambda n: f"cp/{n}.c"), st.integers(0, 99999))
PLACES = st.builds(Place, NAMES, st.lists(FRAMES, min_size=1, max_size=3).map(tuple))


@given(st.dictionaries(st.integers(0, 2**31), PLACES, max_size=10))
def test_a_table_of_names_is_read_as_it_was_written(places: dict[int, Place]) -> None:
    assert load(dump(places)) == places


@pytest.mark.parametrize("line", ["10 cp", "xyz cp a|b|1", "10 cp a|b", "10 cp a|b|c", ""])
def test_a_damaged_table_of_names_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(SymbolError, match="names, line 2"):
        load(f"10 cp a|b|1\n{line}\n", "names")


def test_the_first_address_of_what_is_no_program() -> None:
    for data in (b"", b"\x7fELF\x02\x01" + bytes(60), b"\x7fELF\x02\x02\x01" + bytes(20)):
        with pytest.raises(ElfError, match=r"cp\.elf"):
            first_address(data, "cp.elf")


LAYERS = """
[[layer]]
name = "in"
of = ["lwip/core/tcp_in.c", "lwip/core/ipv4/ip4.c:ip4_input*"]
[[layer]]
name = "rest"
of = ["lwip/*"]
"""


def test_the_first_layer_that_fits_takes_a_function() -> None:
    layers = parse(LAYERS)
    wanted = {
        ("tcp_receive", "lwip/core/tcp_in.c"): "in",
        ("ip4_input_accept", "lwip/core/ipv4/ip4.c"): "in",
        ("ip4_output", "lwip/core/ipv4/ip4.c"): "rest",
        ("main", "service/tcpip/main.c"): OTHER,
    }
    for (function, file), name in wanted.items():
        assert layer_of(layers, Frame(function, file, 1)) == name


@pytest.mark.parametrize(
    "text", ["[[layer", "[[layer]]\nname = 'x'", "[[layer]]\nname = 'x'\nof = []", "lair = 1"]
)
def test_bad_layers_are_refused_by_name(text: str) -> None:
    with pytest.raises(LayerError, match=r"my\.toml"):
        parse(text, "my.toml")


def test_the_guests_layers_name_every_source_file(project: object) -> None:
    """A file that is added to the guest must be given to a layer; `other` is for the unforeseen."""
    from pathlib import Path

    guest = Path(str(project)) / "guests" / "vmkb"
    layers = parse((guest / "layers.toml").read_text("utf-8"))
    sources = [p for suffix in ("c", "S") for p in guest.rglob(f"*.{suffix}")]
    files = {str(p.relative_to(guest)) for p in sources}
    files = {f for f in files if not f.startswith(("build/", "service/exercise/"))}
    assert len(files) > 150
    homeless = sorted(f for f in files if layer_of(layers, Frame("f", f, 1)) == OTHER)
    assert homeless == []
