# SPDX-License-Identifier: MIT
"""vmkb run with a user's smoltcp: files arrive whole both ways, connections are made and echoed, a
wrong byte is a failure, and a panic tells its file and line. VMKB_SMOLTCP names a tree of it;
without one, or without a Rust for s390x, these tests are skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guests.release.smoltcp import TREE, rust_needed
from vmkb.accounting.store import read
from vmkb.hercules.guest import load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
ROOT = load_guest("vmkb").folder.parents[1]
FUNCTION = "    pub fn peek_slice("
WRONG = "if data.len() > 400 { data[300] ^= 1; }"
PANIC = 'assert!(data.len() < 400, "planted");'


@pytest.fixture
def smoltcp(tmp_path: Path) -> Path:
    rust_needed()
    for name in ("src", "Cargo.toml", "build.rs"):
        copy = shutil.copytree if Path(TREE, name).is_dir() else shutil.copyfile
        (tmp_path / "own").mkdir(exist_ok=True)
        copy(Path(TREE, name), tmp_path / "own" / name)
    return tmp_path / "own"


def run(
    tree: Path, folder: Path, *cases: str, workload: str = "ftp", release: str = ""
) -> subprocess.CompletedProcess[str]:
    """One trial of each of CASES with 2.2.1 and the stack of TREE, or a RELEASE that vmkb.toml in
    FOLDER names, kept in FOLDER/r."""
    chosen = [word for case in cases for word in ("--case", case)]
    return subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "run", workload, "--releases",
         f"221,{release or f'SMOL={tree}'}", *chosen, "--trials", "1", "--builds", "1",
         "--out", "r"], cwd=folder, text=True, capture_output=True, timeout=600,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def planted(tree: Path, code: str) -> int:
    """Puts CODE behind what peek_slice copies for a client. Its line."""
    path = tree / "src" / "socket" / "tcp.rs"
    before, name, behind = path.read_text("utf-8").partition(FUNCTION)
    first, brace, rest = behind.partition("{\n")
    body, end, after = rest.partition("    }\n")
    made = f"{before}{name}{first}{brace}let read = {{\n{body}}};\n{code}\nread\n{end}"
    path.write_text(made + after, "utf-8")
    return made[: made.index(code)].count("\n") + 1


def test_files_go_both_ways(smoltcp: Path, tmp_path: Path) -> None:
    done = run(smoltcp, tmp_path, "G24KB", "P24KB", "G2M_A", "P2M_A", "G2M_B", "P2M_B")
    assert done.returncode == 0, done.stdout + done.stderr
    trials = read(tmp_path / "r").trials
    assert sum(t.release == "SMOL" for t in trials) == 6


OPTIONS = """\
features = ["socket-tcp-reno"]
rx_room = 16384
tx_room = 16384
settings = { ASSEMBLER_MAX_SEGMENT_COUNT = 4 }
"""


def test_small_rings_do_not_make_a_client_wait(smoltcp: Path, tmp_path: Path) -> None:
    """It asks for more bytes at once than a ring has."""
    named = f'[release.small]\npath = "{smoltcp}"\nsmoltcp = "small.toml"\nchecksum = "own"\n'
    (tmp_path / "vmkb.toml").write_text(named, "utf-8")
    (tmp_path / "small.toml").write_text(OPTIONS, "utf-8")
    done = run(smoltcp, tmp_path, "G2M_B", "P2M_B", release="small")
    assert done.returncode == 0, done.stdout + done.stderr


def test_64_connections_at_once_are_made_and_answered(smoltcp: Path, tmp_path: Path) -> None:
    done = run(smoltcp, tmp_path, "CRR64", "RR64", workload="echo")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_byte_is_a_failure(smoltcp: Path, tmp_path: Path) -> None:
    planted(smoltcp, WRONG)
    done = run(smoltcp, tmp_path, "G24KB")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "24KB" in done.stderr


def test_a_panic_ends_tcpip_with_file_and_line(smoltcp: Path, tmp_path: Path) -> None:
    line = planted(smoltcp, PANIC)
    done = run(smoltcp, tmp_path, "G24KB")
    assert done.returncode == 3, done.stdout + done.stderr
    assert f"SMOLTCP PANICS IN smoltcp-own/src/socket/tcp.rs LINE {line}\n" in done.stderr


def test_what_does_not_compile_says_where(smoltcp: Path, tmp_path: Path) -> None:
    line = planted(smoltcp, "let read: () = 1;")
    done = run(smoltcp, tmp_path, "G24KB")
    assert done.returncode == 2, done.stdout + done.stderr
    assert f"does not build: smoltcp-own/src/socket/tcp.rs:{line}:" in done.stderr
    assert "error[E0308]: mismatched types" in done.stderr
