# SPDX-License-Identifier: MIT
"""A release is its source, not one compile of it: what one option of the compiler does to a cost is
no verdict, and is told with each option."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.e2e.workloads.test_workload_own import LOOP, TURNS, put
from tests.e2e.workloads.test_workload_own_vmkb import IN_CP, clone, executed, vmkb
from tests.e2e.workloads.test_workload_own_vmkb import put as put_into_vmkb
from tests.guests.release.lwip import committed, copied
from vmkb.accounting.store import read

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(900),
              pytest.mark.usefixtures("emulator_needed")]  # fmt: skip
__all__ = ["clone"]
SMALL = f"#ifdef __OPTIMIZE_SIZE__\n{LOOP}#endif\n"
ONE_CASE = ("--case", "G24KB", "--trials", "1", "--out", "r")


@pytest.fixture
def lwip(tmp_path: Path) -> Path:
    """lwIP 2.2.1 as it is, committed."""
    committed(copied(tmp_path / "lwip"))
    return tmp_path / "lwip"


def compiled(folder: Path, release: str) -> dict[str, str]:
    """The program of each build of RELEASE, by what it was compiled with."""
    return {t.params["compiled"]: t.params["program"]
            for t in read(folder).trials if t.release == release}  # fmt: skip


def test_a_change_with_one_option_depends_on_the_options(lwip: Path, tmp_path: Path) -> None:
    put(lwip, SMALL)
    done = vmkb(tmp_path, "run", "ftp", "--releases", f"221,SMALL={lwip}", "--builds", "3",
                *ONE_CASE)  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "The compiler's options decide get 24 KB, binary: " in said
    assert re.search(r"binary: 0.00+ % with -O3, 0.00+ % with -O2, (x|\+)", said), said
    assert " with -Os." in said
    assert "depends on options" in said and "dearer" not in said
    assert "3 builds of each release (gcc " in said and " -O3, -O2, -Os), 1 seed of each." in said
    ours, small = compiled(tmp_path / "r", "221"), compiled(tmp_path / "r", "SMALL")
    assert set(ours) == set(small) == {"-O3", "-O2", "-Os"}
    assert ours["-O3"] == small["-O3"] and ours["-O2"] == small["-O2"]
    assert ours["-Os"] != small["-Os"] and len(set(ours.values())) == 3


def test_pinned_options_are_those_of_all_builds(lwip: Path, tmp_path: Path) -> None:
    put(lwip, SMALL)
    done = vmkb(tmp_path, "run", "ftp", "--releases", f"221,SMALL={lwip}", "--cflags",
                "-Os -fno-inline-functions", "--builds", "1", *ONE_CASE)  # fmt: skip
    assert done.returncode == 0, done.stderr
    ours, small = compiled(tmp_path / "r", "221"), compiled(tmp_path / "r", "SMALL")
    assert set(ours) == set(small) == {"-Os -fno-inline-functions"}
    spent = executed(tmp_path / "r")
    assert spent["SMALL"] - spent["221"] > 10 * TURNS


def test_a_vmkb_is_compiled_with_an_option_as_a_whole(clone: Path, tmp_path: Path) -> None:
    """Not its TCPIP alone: here CP does not compile without it."""
    put_into_vmkb(clone, IN_CP, "#ifndef __OPTIMIZE_SIZE__\n#error not for size\n#endif\n")
    done = vmkb(tmp_path, "run", "ftp", "--releases", f"SMALL={clone}", "--cflags=-Os",
                "--builds", "1", *ONE_CASE)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert set(compiled(tmp_path / "r", "SMALL")) == {"-Os"}


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("-fplugin=/tmp/x.so", "-fplugin=/tmp/x.so is no option that chooses how gcc optimises"),
        ("-O2 -DX=1", "-DX=1 is no option"), ("$(shell id)", "$(shell is no option"),
    ],
)  # fmt: skip
def test_options_that_name_files_or_programs_are_refused(
    tmp_path: Path, flags: str, said: str
) -> None:
    for words in (("run", "ftp"), ("check", "213", "221")):
        done = vmkb(tmp_path, *words, f"--cflags={flags}", "--out", "r")
        assert done.returncode == 2 and said in done.stderr
        assert not (tmp_path / "r").exists()


def test_a_workload_without_builds_has_no_options(tmp_path: Path) -> None:
    done = vmkb(tmp_path, "run", "rpc", "--cflags=-Os", "--out", "r")
    assert done.returncode == 2 and "Workload rpc has no --cflags" in done.stderr


@pytest.mark.skipif(not find_spec("ziglang"), reason="ziglang is not installed")
def test_a_second_compiler_is_one_more_option(lwip: Path, tmp_path: Path) -> None:
    put(lwip, SMALL.replace("__OPTIMIZE_SIZE__", "__clang__"))
    done = vmkb(tmp_path, "run", "ftp", "--releases", f"221,SMALL={lwip}", *ONE_CASE)
    assert done.returncode == 0, done.stderr
    assert "depends on options" in done.stdout
    ours, mine = compiled(tmp_path / "r", "221"), compiled(tmp_path / "r", "SMALL")
    assert [name for name in ours if ours[name] != mine[name]] == ["clang -O2"]
