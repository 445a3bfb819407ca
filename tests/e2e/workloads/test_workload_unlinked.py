# SPDX-License-Identifier: MIT
"""A change of which nothing is in the measured program is named, and is no success."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.workloads.test_workload_own import put
from tests.e2e.workloads.test_workload_own_vmkb import IN_FTPSERVE, clone, vmkb
from tests.e2e.workloads.test_workload_own_vmkb import put as put_into_vmkb
from tests.guests.release.lwip import OURS, committed

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
__all__ = ["clone"]
CASE = ("--case", "G24KB", "--out", "r")
ONCE = ("--builds", "1", "--trials", "1", *CASE)


@pytest.fixture
def lwip(tmp_path: Path) -> Path:
    """lwIP 2.2.1 as it is with all its folders, committed."""
    shutil.copytree(OURS, tmp_path / "lwip" / "src")
    committed(tmp_path / "lwip")
    return tmp_path / "lwip"


def change(lwip: Path, *names: str) -> None:
    """A comment at the end of each file."""
    for name in names:
        with (lwip / "src" / name).open("a", encoding="utf-8") as file:
            file.write("/* changed */\n")


def test_a_change_that_is_in_no_program_is_not_trusted(lwip: Path, tmp_path: Path) -> None:
    change(lwip, "core/inet_chksum.c")
    done = vmkb(tmp_path, "run", "ftp", "--releases", f"OLD={lwip}@HEAD,NEW={lwip}", *ONCE)
    assert done.returncode == 3, done.stderr
    said = " ".join(done.stdout.split())
    assert "NOT TRUSTED: nothing of what NEW changes is in its program: core/inet_chksum.c" in said
    assert "(CHECKSUM stands for it: see --checksum)" in said


def test_what_is_not_linked_is_named_beside_what_is(lwip: Path, tmp_path: Path) -> None:
    change(lwip, "core/dns.c", "core/ipv6/ip6.c", "apps/http/httpd.c", "core/altcp.c")
    put(lwip, "  /* nothing that is compiled */\n")
    done = vmkb(tmp_path, "check", f"{lwip}@HEAD", str(lwip), *CASE)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "Not linked, of NEW: apps/http/httpd.c, core/altcp.c, core/dns.c and 1 more." in said
    assert "exactly the same" in said
    assert len(done.stdout.splitlines()) <= 24 and max(map(len, done.stdout.splitlines())) <= 80


def test_a_program_that_no_measured_guest_runs_is_named(clone: Path, tmp_path: Path) -> None:
    """FTPSERVE runs in the other guest, which is ours; vmkb run serve measures it."""
    put_into_vmkb(clone, IN_FTPSERVE, '    (void)fmt(0, 0, "%s", arg);\n')
    done = vmkb(tmp_path, "run", "ftp", "--releases", f"221,NEW={clone}", *ONCE)
    assert done.returncode == 3, done.stderr
    said = " ".join(done.stdout.split())
    assert "nothing of what NEW changes is in its program: FTPSERVE (no measured guest" in said


def test_a_change_of_what_is_linked_says_nothing_of_links(lwip: Path, tmp_path: Path) -> None:
    put(lwip, "  /* nothing that is compiled */\n")
    done = vmkb(tmp_path, "run", "ftp", "--releases", f"221,NEW={lwip}", *ONCE)
    assert done.returncode == 0, done.stderr
    assert "linked" not in done.stdout.lower()
