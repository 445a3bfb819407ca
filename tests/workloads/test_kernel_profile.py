# SPDX-License-Identifier: MIT
"""The profile of a whole guest: its work less its rest, its programs as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from vmkb.accounting.profile import counts
from vmkb.accounting.profile.kallsyms import parse
from vmkb.accounting.profile.layers import layer_of
from vmkb.accounting.profile.layers import parse as parse_layers
from vmkb.accounting.profile.summary import Profile
from vmkb.accounting.profile.symbols import Frame
from vmkb.accounting.profile.tables import apart_from_counts
from vmkb.hercules.deadline import EmulatorError
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.errors import UsageError
from vmkb.workloads.kernel_profile import PROGRAMS, PROGRAMS_AT, Whole, net, part_of
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
