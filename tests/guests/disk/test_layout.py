# SPDX-License-Identifier: MIT
"""The Python structures against the C headers: a C program reads what Python packed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from vmkb.guests.vmkb.disk import fsformat, layout, model
from vmkb.guests.vmkb.disk.codepage import checksum, decode, encode
from vmkb.guests.vmkb.disk.compiler import compile_directory
from vmkb.guests.vmkb.disk.errors import VolumeError

VMKB = Path(__file__).parents[3] / "guests" / "vmkb"

SOURCE = """\
USER ZED ZED 1M 2M ABG 7 X
 ACCOUNT 42 BIN
 IPL CMS PARM HI
 CONSOLE 9 3270 A OP
 OPTION MAXCONN 300
 IUCV ALLOW MSGLIMIT 255
 LINK OP 190 19E MR
 DEDICATE 501 600
 AUTOLOG OP
USER OP SECRET
 MDISK 190 9336 1008 80 VOL001 MR RPASS WPASS MPASS
"""

PROGRAM = r"""
#include <stdio.h>
#include "directory.h"
#define P32(r, f) printf(#r "." #f "=%u\n", __builtin_bswap32(r->f))
#define P16(r, f) printf(#r "." #f "=%u\n", __builtin_bswap16(r->f))
#define P8(r, f) printf(#r "." #f "=%u\n", r->f)
#define PT(r, f) text(#r "." #f, r->f, sizeof r->f)
static void text(const char *name, const uint8_t *p, unsigned size) {
    printf("%s=", name);
    for (unsigned i = 0; i < size; i++)
        printf("%02x", p[i]);
    puts("");
}
static char raw[65536] __attribute__((aligned(8)));
#define AT(t, i) (void *)(raw + 512 + __builtin_bswap32(h->table[t].offset) + (i))
int main(void) {
    if (fread(raw, 1, sizeof raw, stdin) == 0) return 1;
    struct volume_label *label = (void *)raw;
    struct dir_header *h = (void *)(raw + 512);
    struct dir_user *op = AT(DIR_USERS, 0), *zed = AT(DIR_USERS, sizeof(struct dir_user));
    struct dir_mdisk *mdisk = AT(DIR_MDISKS, 0);
    struct dir_link *link = AT(DIR_LINKS, 0);
    struct dir_device *device = AT(DIR_DEVICES, 0);
    struct dir_autolog *autolog = AT(DIR_AUTOLOGS, 0);
    P32(label, version); P32(label, blocks); P32(label, area_count); PT(label, volser);
    P32(label, areas[1].start); P32(label, areas[1].blocks); PT(label, areas[1].name);
    P32(h, version); P32(h, bytes); PT(h, volser);
    P32(h, table[DIR_USERS].count); P32(h, table[DIR_MDISKS].count);
    PT(op, userid); PT(op, password); PT(zed, userid); PT(zed, account); PT(zed, distribution);
    P32(zed, storage); P32(zed, storage_max); P32(zed, classes); P32(zed, flags);
    P16(zed, priority); P16(zed, iucv_msglimit); P16(zed, maxconn); P16(zed, console_vaddr);
    P16(zed, console_type); PT(zed, edit); PT(zed, ipl_name); PT(zed, secondary);
    P32(zed, first_mdisk); P32(zed, mdisks); P32(zed, links); P32(zed, devices);
    P32(zed, autologs); P32(op, mdisks); P32(op, first_mdisk);
    P16(mdisk, vaddr); P16(mdisk, device_type); P32(mdisk, start); P32(mdisk, blocks);
    P8(mdisk, mode); PT(mdisk, read_password); PT(mdisk, write_password);
    PT(mdisk, multi_password);
    PT(link, userid); P16(link, vaddr); P16(link, as); P8(link, mode);
    P16(device, vaddr); P8(device, kind); P16(device, raddr); PT(autolog, userid);
    return 0;
}
"""


def _text(hexadecimal: str) -> str:
    return decode(bytes.fromhex(hexadecimal)).rstrip()


def test_c_reads_what_python_packs(tmp_path: Path) -> None:
    directory, _ = compile_directory("D", SOURCE, "VOL001", (1000, 5000))
    areas = (layout.Area("DIRECTRY", 1, 20), layout.Area("WARMSTRT", 21, 64))
    image = layout.pack_label(layout.Label("VOL001", 5000, 9, areas))
    image += layout.pack_directory(directory, "VOL001")
    (tmp_path / "t.c").write_text(PROGRAM)
    subprocess.run(
        ["gcc", "-std=gnu11", "-Wall", "-Werror", f"-I{VMKB}/cp/include", "t.c", "-o", "t"],
        cwd=tmp_path, check=True, timeout=60,
    )  # fmt: skip
    out = subprocess.run([tmp_path / "t"], input=image, capture_output=True, check=True, timeout=10)
    got = dict(line.split("=") for line in out.stdout.decode().split())
    numbers = {
        "label.version": 1, "label.blocks": 5000, "label.area_count": 2,
        "label.areas[1].start": 21, "label.areas[1].blocks": 64, "h.version": 1,
        "h.table[DIR_USERS].count": 2,
        "h.table[DIR_MDISKS].count": 1,
        "zed.storage": 1024, "zed.storage_max": 2048, "zed.classes": 0b1000011,
        "zed.flags": model.FLAGS["IUCV_ALLOW"] | model.FLAGS["CONSOLE"], "zed.priority": 7,
        "zed.iucv_msglimit": 255, "zed.maxconn": 300, "zed.console_vaddr": 9,
        "zed.console_type": 0x3270, "zed.mdisks": 0, "zed.first_mdisk": 1, "zed.links": 1,
        "zed.devices": 1, "zed.autologs": 1, "op.mdisks": 1, "op.first_mdisk": 0,
        "mdisk.vaddr": 0x190, "mdisk.device_type": 0x9336, "mdisk.start": 1008,
        "mdisk.blocks": 80, "mdisk.mode": 6, "link.vaddr": 0x190, "link.as": 0x19E,
        "link.mode": 6, "device.vaddr": 0x501, "device.kind": 2, "device.raddr": 0x600,
    }  # fmt: skip
    assert {k: int(got[k]) for k in numbers} == numbers
    texts = {
        "label.volser": "VOL001", "label.areas[1].name": "WARMSTRT", "h.volser": "VOL001",
        "op.userid": "OP", "op.password": "SECRET", "zed.userid": "ZED", "zed.account": "42",
        "zed.distribution": "BIN", "zed.ipl_name": "CMS", "zed.secondary": "OP",
        "mdisk.read_password": "RPASS", "mdisk.write_password": "WPASS",
        "mdisk.multi_password": "MPASS", "link.userid": "OP", "autolog.userid": "OP",
    }  # fmt: skip
    assert {k: _text(got[k]) for k in texts} == texts
    assert got["zed.edit"] == "e7000000"


def test_limits_are_those_of_the_headers() -> None:
    text = (VMKB / "fs" / "param_fs.h").read_text()
    limits = {k: int(v) for k, v in re.findall(r"#define FS_(\w+) (\d+)u", text)}
    for c, python in [
        ("FBA_SIZE", fsformat.FBA), ("BLOCK_SIZE", fsformat.BLOCK),
        ("FBA_PER_BLOCK", fsformat.FBA_PER_BLOCK), ("BLOCKS_MIN", fsformat.BLOCKS_MIN),
        ("BLOCKS_MAX", fsformat.BLOCKS_MAX), ("DIR_BLOCKS_MAX", fsformat.DIR_BLOCKS_MAX),
        ("ENTRIES_PER_BLOCK", fsformat.ENTRIES_PER_BLOCK), ("RESERVE", fsformat.RESERVE),
        ("INLINE_EXTENTS", fsformat.INLINE_EXTENTS), ("LRECL_MAX", fsformat.LRECL_MAX),
        ("OVERFLOW_EXTENTS", fsformat.OVERFLOW_EXTENTS),
    ]:  # fmt: skip
        assert limits[c] == python, c
    assert model.MDISK_BLOCKS_MIN == fsformat.BLOCKS_MIN * 8
    assert model.MDISK_BLOCKS_MAX == fsformat.BLOCKS_MAX * 8
    cp = (VMKB / "cp" / "include" / "param.h").read_text()
    assert re.search(rf"#define VM_MDISKS +{model.MDISKS_MAX}\b", cp)


def test_code_page_round_trip_and_known_points() -> None:
    everything = bytes(range(256))
    assert encode(decode(everything)) == everything
    assert encode("[]^|A0 ") == bytes([0xAD, 0xBD, 0x5F, 0x4F, 0xC1, 0xF0, 0x40])


def test_label_and_directory_round_trip_and_notice_damage() -> None:
    directory, _ = compile_directory("D", SOURCE, "VOL001", (1000, 5000))
    label = layout.Label("VOL001", 5000, 9, (layout.Area("DIRECTRY", 1, 20),))
    data = layout.pack_label(label)
    assert layout.unpack_label(data) == label
    objects = layout.pack_directory(directory, "VOL001")
    assert layout.unpack_extents(objects) == [layout.Extent("OP", 0x190, 1008, 80)]
    for i in range(0, 512, 7):
        broken = data[:i] + bytes([data[i] ^ 4]) + data[i + 1 :]
        with pytest.raises(VolumeError):
            layout.unpack_label(broken)
    size = int.from_bytes(objects[16:20], "big")
    for i in range(0, size, 11):
        broken = objects[:i] + bytes([objects[i] ^ 4]) + objects[i + 1 :]
        with pytest.raises(VolumeError):
            layout.unpack_extents(broken)
    with pytest.raises(VolumeError):
        layout.unpack_extents(b"")


def test_checksum_known_value() -> None:
    h = (0xCBF29CE484222325 ^ 1) * 0x100000001B3 % 2**64
    assert checksum((1).to_bytes(8, "big")) == (h ^ (h >> 32)) & 0xFFFFFFFF
