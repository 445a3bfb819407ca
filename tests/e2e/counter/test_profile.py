# SPDX-License-Identifier: MIT
"""A booted guest on the profiling emulator: its profile is what QUERY TIME (FULL counts, each
address is that of an instruction, and other tools read it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from vmkb.accounting.profile import counts
from vmkb.accounting.profile.export import callgrind
from vmkb.accounting.profile.summary import Profile
from vmkb.accounting.profile.symbols import parse_ins
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.emulator.choice import exact_build, profiling, stock
from vmkb.hercules.guest import load_guest
from vmkb.hercules.tn3270.session import UserSession
from vmkb.workloads.base.profile import kept as kept
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.cli.profile import command as profile_command
from vmkb.workloads.ftp import Workload

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("emulator_needed")]
COUNTS = re.compile(r"^(?:VIRT|TOTAL) +\d+ US (\d+) INSTR", re.M)
WITHIN = 0.0001


class Profiled:
    """A user of a guest that is profiled, and the profile's file."""

    def __init__(self, session: UserSession, folder: Path) -> None:
        self.session = session
        self.folder = folder

    def count(self, query: str = "QUERY TIME (FULL") -> tuple[int, int]:
        """Instructions of VIRT and TOTAL."""
        virt, total = map(int, COUNTS.findall(self.session.command(query).text())[:2])
        return virt, total

    def samples(self) -> list[counts.Sample]:
        return counts.read((self.folder / kept.COUNTS).read_bytes())

    def run(self, command: str) -> tuple[int, int, counts.Sample]:
        """What a command cost by QUERY TIME, VIRT and TOTAL, and its profile."""
        virt, total = self.count()
        self.session.command(command)
        after = self.count()
        return after[0] - virt, after[1] - total, self.samples()[-1]


def named_systems() -> int:
    """The real address of the first named system, CMS; CP lies below."""
    return dict(parse_ins(load_guest("vmkb").image.read_text("utf-8")))["cms.bin"]


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Profiled]:
    build = exact_build()
    if build is None or shutil.which("s3270") is None:
        pytest.skip("there is no counting emulator here, which alone has a profile")
    folder = tmp_path_factory.mktemp("profiled")
    guest = load_guest("vmkb")
    with (
        boot(guest, folder, emulator=profiling(build)) as machine,
        open_session(guest, machine) as session,
    ):
        session.logon("MAINT", "MAINT")
        yield Profiled(session, folder)


def test_the_sum_of_a_commands_profile_is_its_count(profiled: Profiled) -> None:
    cms = named_systems()
    for command in ("LISTFILE * * S", "EXEC USERS", "CP QUERY NAMES", "TYPE NOBODY HOME A"):
        virt, counted, sample = profiled.run(command)
        assert sample.userid == "MAINT"
        assert counted > 10_000
        assert abs(sample.total - counted) <= WITHIN * counted, command
        own = sum(n for address, n in sample.counts.items() if address >= cms)
        assert abs(own - virt) <= WITHIN * virt, command


def test_another_machines_and_cps_own_profile_sum_to_theirs(profiled: Profiled) -> None:
    for userid in ("OPERATOR", "SYSTEM"):
        query = f"CP QUERY TIME {userid} (FULL"
        _, before = profiled.count(query)
        profiled.session.command("CP MSG OPERATOR HELLO")
        counted = profiled.count(query)[1] - before
        sample = profiled.samples()[-1]
        assert sample.userid == userid
        assert sample.total == pytest.approx(counted, rel=WITHIN)


def test_each_address_is_that_of_an_instruction(profiled: Profiled, tmp_path: Path) -> None:
    """One that crosses a page is copied before it is executed: it counts where it begins."""
    profiled.run("LISTFILE * * S")
    guest = load_guest("vmkb")
    kept.keep_programs(guest, tmp_path, 1)
    code: dict[str, dict[int, int]] = {}
    addresses = {address for sample in profiled.samples() for address in sample.counts}
    for name in ("cp", "cms"):
        listing = subprocess.run(
            ["s390x-linux-gnu-objdump", "-d", "--section=.text", "--section=.init",
             guest.image.parent / f"{name}.elf"],
            capture_output=True, text=True, check=True, timeout=60,
        ).stdout  # fmt: skip
        found = re.findall(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+)", listing, re.M)
        code[name] = {int(address, 16): len(octets) // 3 for address, octets in found}
    cms = named_systems()
    size = (guest.image.parent / "cms.bin").stat().st_size
    crossing = 0
    for address in addresses:
        name, virtual = ("cp", address) if address < cms else ("cms", address - cms + 0x10000000)
        if address >= cms + size:
            continue
        assert virtual in code[name], hex(address)
        crossing += virtual % 4096 + code[name][virtual] > 4096
    assert crossing, "no instruction crosses a page: nothing was tried"


def test_callgrind_annotate_reads_it(profiled: Profiled, tmp_path: Path) -> None:
    if shutil.which("callgrind_annotate") is None:
        pytest.skip("callgrind_annotate is not installed (Debian package valgrind)")
    _, counted, sample = profiled.run("LISTFILE * * S")
    kept.keep_programs(load_guest("vmkb"), tmp_path, 1)
    names = kept.places(tmp_path, 1, sample.counts)
    profile = Profile("MAINT", "MAINT", "LISTFILE", "")
    profile.add(sample.counts, names, 1.0, counted)
    path = tmp_path / "callgrind.out.maint"
    path.write_text(callgrind(profile, "LISTFILE"), "utf-8")
    said = subprocess.run(
        ["callgrind_annotate", "--threshold=100", path],
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    assert f"{sample.total:,} (100.0%)  PROGRAM TOTALS" in said
    assert re.search(r"cp/core/dispatch\.c:turn \[cp\]", said)
    assert re.search(r"cms/commands/listfile\.c:\w+ \[cms\]", said)
    frames = {frame for _, frame in profile.lines}
    assert not [f for f in frames if "?" in (f.file, f.function)]


def test_names_stay_when_the_programs_are_gone(profiled: Profiled, tmp_path: Path) -> None:
    kept.keep_programs(load_guest("vmkb"), tmp_path, 1)
    addresses = profiled.samples()[-1].counts
    names = kept.places(tmp_path, 1, addresses)
    (tmp_path / kept.FOLDER / "build-1" / "cp.elf").unlink()
    assert kept.places(tmp_path, 1, addresses) == names


def test_a_stock_emulator_has_no_profile(tmp_path: Path) -> None:
    found = stock()
    if found is None:
        pytest.skip("no stock Hercules is installed")
    with pytest.raises(EmulatorError, match="counts every instruction"):
        profiling(found)
    settings = Workload().settings(Asked(None, 1, "", ("G24KB",), "", "", "stock", None, True))
    with pytest.raises(EmulatorError, match="counts every instruction"):
        Run(Workload(), settings, load_guest("vmkb"), tmp_path)


@pytest.mark.slow
def test_a_run_is_profiled_and_told_again(tmp_path: Path) -> None:
    if exact_build() is None:
        pytest.skip("there is no counting emulator here, which alone has a profile")
    vmkb = [sys.executable, "-m", "vmkb.workloads.cli"]
    top = load_guest("vmkb").folder.parents[1]
    run = ["run", "ftp", "--profile", "--builds", "1", "--trials", "1", "--case", "G24KB",
           "--wire", "fast"]  # fmt: skip
    for command in ([*run, "--out", "r"], ["profile", "r"]):
        done = subprocess.run(
            [*vmkb, *command], cwd=tmp_path, capture_output=True, text=True, timeout=120,
            env={**os.environ, "PYTHONPATH": str(top)},
        )  # fmt: skip
        assert "Where the instructions of TCPIP go" in done.stdout, done.stdout + done.stderr
        assert "What grew and what shrank from 213 to 221" in done.stdout
        assert "QUERY TIME counted" not in done.stdout + done.stderr  # no sum is apart
    there = tmp_path / "r" / "profiles"
    assert (there / "G24KB221-1.counts.gz").stat().st_size > 0
    for release in ("213", "221"):
        stacks = (there / f"G24KB{release}.folded").read_text("utf-8").splitlines()
        both = sum(int(line.rpartition(" ")[2]) for line in stacks)
        totals = [
            int((there / f"callgrind.out.G24KB{release}.{user}").read_text().split()[-1])
            for user in ("TCPIP", "VMUSER1", "SYSTEM")
        ]
        assert both == sum(totals) > 100_000
        assert {line.split(";")[1] for line in stacks} >= {"IUCV", "CTC", "lwIP in", "REXX", "FTP"}
        assert not [line for line in stacks if ";other;" in line]


def test_a_run_without_a_profile_has_none_to_tell(tmp_path: Path) -> None:
    done = CliRunner().invoke(profile_command, [str(tmp_path)])
    assert done.exit_code == 2
    assert "cannot read results" in done.output
