# SPDX-License-Identifier: MIT
"""The profile of a whole guest: its work less its rest, its programs as one."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from vmkb.accounting.profile import counts
from vmkb.accounting.profile.kallsyms import parse
from vmkb.accounting.profile.layers import layer_of
from vmkb.accounting.profile.layers import parse as parse_layers
from vmkb.accounting.profile.summary import Profile
from vmkb.accounting.profile.symbols import Frame
from vmkb.accounting.profile.tables import apart_from_counts
from vmkb.errors import UsageError
from vmkb.hercules.deadline import EmulatorError
from vmkb.workloads.base.profile import kept as profiling
from vmkb.workloads.base.profile.kernel import (
    PROGRAMS,
    PROGRAMS_AT,
    SYMBOLS,
    Whole,
    net,
    net_of_cp,
    part_of,
)
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.serve import Workload

KERNEL = parse("MODULE ctcm 4096 0x50000\n100000 T a\n100100 T _end\n50010 t tx [ctcm]\n")
WRAPPED = 1 << 32
READINGS = (100, 200, 900, 950, WRAPPED + 300, WRAPPED + 360)
"""The emulator's count as the guest was read before, after and at rest, twice each."""
WHOLE = Whole((200, 900), (950, 300), "MODULE ctcm 4096 0x70000\n")


def samples() -> list[counts.Sample]:
    """Two of each reading: at 900 the work, 300 the rest."""
    system = {900: {0x100000: 500, 0x70010: 100}, WRAPPED + 300: {0x100000: 20, 0x100010: 5}}
    programs = {900: {0x2000: 60, 0x3000: 40}, WRAPPED + 300: {0x2000: 30}}
    return [
        counts.Sample(userid, account, at, of.get(at, {0x100000: 7}))
        for at in READINGS
        for account, (userid, of) in enumerate((("KERNEL", system), ("PROGRAMS", programs)))
    ]


def test_a_trial_is_its_work_less_its_rest() -> None:
    kept = counts.read(counts.write(part_of(samples(), WHOLE, KERNEL)))
    assert net(kept) == {0x100000: 480, 0x100010: -5, 0x50010: 100, PROGRAMS_AT: 70}


@pytest.mark.parametrize("work", [(200, 901), (100, 900)])
def test_a_reading_without_a_sample_is_told(work: tuple[int, int]) -> None:
    with pytest.raises(EmulatorError, match=r"between \d+ and \d+ instructions.* no samples"):
        part_of(samples(), Whole(work, WHOLE.rest, WHOLE.modules), KERNEL)


MACHINE = replace(WHOLE, work=(1000, 2010), rest=(2010, 2040), in_machine=True)
"""CP had charged the machine so much at each reading."""


def charged(off: int = 0) -> list[counts.Sample]:
    """Those of a machine at five readings, the work OFF instructions from what CP charged, and
    another machine's between."""
    each = [
        ({0x2000: 9}, {0x100000: 100}, {0x3000: 8}),
        ({0x2000: 300 + off, 0x2008: 10}, {0x100000: 500, 0x70010: 100}, {0x3000: 60, 0x4000: 40}),
        ({0x2000: 5}, {0x100000: 20, 0x100010: 5}, {}),
        ({0x2000: 9}, {0x100000: 100}, {0x3000: 8}),
    ]
    made = []
    for of in each:
        made.append(counts.Sample("MAINT", 8, 0, {0x2000: 30}))
        made += [
            counts.Sample(userid, 16, 0, mine)
            for userid, mine in zip(("LINUX1", "KERNEL", "PROGRAMS"), of, strict=True)
        ]
    return made


def test_of_a_virtual_machine_cps_work_for_it_is_apart() -> None:
    kept = counts.read(counts.write(part_of(charged(), MACHINE, KERNEL)))
    assert net(kept) == {0x100000: 480, 0x100010: -5, 0x50010: 100, PROGRAMS_AT: 100}
    assert net_of_cp(kept) == {0x2000: 295, 0x2008: 10}
    assert net_of_cp(part_of(samples(), WHOLE, KERNEL)) == {}
    with pytest.raises(EmulatorError, match="charged the machine 1010 and 30 instructions, of"):
        part_of(charged(off=1), MACHINE, KERNEL)


def test_programs_and_all_are_compared_with_the_meter() -> None:
    found = net(part_of(samples(), WHOLE, KERNEL))
    places = {a: PROGRAMS if a == PROGRAMS_AT else KERNEL.place(a) for a in found}
    profile = Profile("SERVER", "Guest", "P2M", "6.1", whole=True, in_programs=70)
    profile.add(found, places, 2.0, 645)
    assert (profile.programs, profile.apart, apart_from_counts([profile])) == (70, 0, [])
    profile.in_programs, profile.counted = 71, 646
    assert apart_from_counts([profile]) == [
        "the profile of Guest in P2M6.1 sums to 645 instructions, the guest counted 646",
        "the profile of Guest in P2M6.1 has 70 instructions of programs, the guest counted 71",
    ]


SOURCE = """\
int x;
__attribute__((noinline)) void first(void) { x++; }
static inline void inlined(void) { x *= 3; }
void second(void)
{
    inlined();
    first();
}
"""


def test_a_kernel_with_debugging_data_has_lines(tmp_path: Path) -> None:
    if shutil.which("s390x-linux-gnu-gcc") is None:
        pytest.skip("s390x-linux-gnu-gcc is not installed")
    tree = tmp_path / "tree"
    (tree / "net").mkdir(parents=True)
    (tree / "net" / "tcp.c").write_text(SOURCE, "utf-8")
    subprocess.run(
        ["s390x-linux-gnu-gcc", "-g", "-O2", "-nostdlib", "-static", "-Wl,-Ttext=0x101000,-efirst",
         "-o", tree / "vmlinux", tree / "net" / "tcp.c"],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    said = subprocess.run(
        ["s390x-linux-gnu-nm", tree / "vmlinux"],
        check=True, capture_output=True, text=True, timeout=60,
    ).stdout  # fmt: skip
    at = {name: int(a, 16) - 0x1000 for a, kind, name in map(str.split, said.splitlines())
          if kind == "T"}  # fmt: skip
    of = tmp_path / profiling.FOLDER / "build-1-MINE"
    of.mkdir(parents=True)
    (of / "vmlinux").symlink_to(tree / "vmlinux")

    def functions(second: int) -> None:
        text = f"{at['first']:x} T first\n{second:x} T second\n200000 T _end\n"
        (of / SYMBOLS).write_bytes(gzip.compress(text.encode()))

    functions(at["second"] + 2)
    with pytest.raises(EmulatorError, match="vmlinux is not the kernel that ran: of 2 functions"):
        profiling.places(tmp_path, 1, [at["second"]], "MINE")
    functions(at["second"])
    for program in (True, False):  # what was asked for once is known
        found = profiling.places(tmp_path, 1, [at["first"], at["second"], PROGRAMS_AT], "MINE")
        assert found[at["first"]].frame == Frame("first", "net/tcp.c", 2)
        assert found[at["second"]].frame[:2] == ("second", "net/tcp.c")
        assert 5 <= found[at["second"]].frame.line <= 7
        assert found[PROGRAMS_AT] == PROGRAMS
        if program:
            (tree / "vmlinux").unlink()
    profile = Profile("SERVER", "Guest", "P2M", "MINE", whole=True)
    profile.add(dict.fromkeys(found, 1), found, 1.0, 3)
    assert {f.file for f in profile.functions()} == {"vmlinux", "programs"}  # as of kernels without


def test_linux_has_layers(project: Path) -> None:
    layers = parse_layers((project / "guests/linux/layers.toml").read_text("utf-8"))
    found = {
        name: layer_of(layers, Frame(name, file, 0))
        for file, name in (
            ("vmlinux", "tcp_v4_rcv"), ("vmlinux", "ip_rcv"), ("vmlinux", "memcpy"),
            ("vmlinux", "memcg_charge"), ("ctcm", "ctcm_tx"), ("programs", "programs"),
        )
    }  # fmt: skip
    assert found == {
        "tcp_v4_rcv": "TCP", "ip_rcv": "IP", "memcpy": "copies, checksums",
        "memcg_charge": "memory", "ctcm_tx": "channel I/O", "programs": "programs",
    }  # fmt: skip


def test_vmkb_is_not_profiled_as_a_whole() -> None:
    with pytest.raises(UsageError, match=r"profiles Linux only: .* vmkb run ftp --profile"):
        Workload().settings(Asked(guests=("vmkb",), profile=True))
