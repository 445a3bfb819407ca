# SPDX-License-Identifier: MIT
"""README's commands and the first command of each guide page, once.

A command that starts guests is run: README's first one as it stands, others with the words of LESS
behind them. Others have tests of their own: ELSEWHERE says which. Only `scripts/test -m shown` and
CI run these, in some minutes.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from vmkb.accounting.costs import costs
from vmkb.accounting.measures import TOTAL, instructions_of
from vmkb.accounting.models import model
from vmkb.accounting.records import Source
from vmkb.accounting.store import read
from vmkb.guests.release.making import compiler

pytestmark = [pytest.mark.shown, pytest.mark.timeout(1200)]
ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
WITHIN = 1100.0
"""Seconds for one command on a slow computer."""
LINUX = (
    "scripts/vmkb run serve --guest linux,linuxkb,vmkb"
    " --releases 6.1,6.1KBSLOW,6.1KB,6.1KBVIRT,KB --case G2M_B --trials 1"
)
"""The command of README's table of Linux."""
ELSEWHERE = {
    "scripts/test": "this is a part of it",
    "scripts/vmkb boot": "tests/e2e/boot/test_boot_command.py, with the clients that it names",
    "scripts/vmkb boot --fresh": "tests/e2e/test_tutorial.py",
    "scripts/vmkb boot linux": "tests/e2e/linux",
    "scripts/vmkb run ftp --releases 221,mine=../lwip": "tests/e2e/workloads/test_workload_own.py",
    "scripts/vmkb trail lwip ../lwip": "tests/e2e/workloads/test_workload_own.py",
    "scripts/vmkb check ../lwip@": "tests/e2e/workloads/test_workload_unlinked.py",
    "vmkb sweep": "tests/e2e/workloads/test_virtual_again.py, with a smaller design",
    "pipx install .": ".ci/run, in a clean root",
    "vmkb parse console.log": "tests/test_documented_commands.py",
    "vmkb compare before.log after.log": "tests/test_documented_commands.py",
    "vmkb archive results --to archive": "tests/test_documented_commands.py",
    "vmkb measure --connect 127.0.0.1:3270": "tests/e2e/boot/test_measure.py",
    "vmkb boot --guest vm370 --disks ~/vm370ce": "tests/e2e/boot/test_replayed_vm370.py",
}
"""Commands by what they begin with."""
LESS = {
    "scripts/vmkb run ftp": "",
    "scripts/vmkb run terminal": "--case LAT --trials 2",
    "scripts/vmkb run dxu": "--case GG --case RX6K --case AFS1M1 --trials 1",
    "scripts/vmkb run rpc": "--trials 1",
    "scripts/vmkb run pages": "--trials 1",
    "scripts/vmkb run line": "--case 96N --case 96Q --trials 1",
    "scripts/vmkb run cms": "--users 2 --trials 2",
    "scripts/vmkb run ftp --guest vmkb,linux": "--case G24KB --trials 1",
    "scripts/vmkb run serve --guest linux,linuxkb": "--case G24KB --trials 1",
    LINUX: "",
    "scripts/vmkb run ftp --profile": "--case G24KB --trials 1 --builds 1",
    "vmkb run ftp --workers 4": "--case G24KB",
}
"""What makes each of the others shorter."""


def command(line: str) -> str:
    """A line of a block of commands, without what is said of it."""
    return re.sub(r" +#.*", "", line).removeprefix("$ ").strip()


def shown() -> list[str]:
    """README's commands, those of its table of workloads, and each guide page's first one."""
    found = [command(line) for line in README.splitlines() if line.startswith("$ ")]
    for row in re.findall(r"^\| (\[`.+?) \|", README, re.M):
        found += [f"scripts/vmkb run {words}" for words in re.findall(r"`(.+?)`", row)]
    for page in sorted((ROOT / "docs" / "guide").glob("*.md")):
        lines = page.read_text("utf-8").splitlines()
        found += [command(line) for line in lines if line.startswith("$ ")][:1]
    trail = (ROOT / "docs" / "guide" / "releases.md").read_text("utf-8")
    found += [
        command(line) for line in trail.splitlines() if line.startswith("$ scripts/vmkb tra")
    ][:1]
    return list(dict.fromkeys(found))


def run_here() -> list[str]:
    """Those that no other test runs."""
    return [each for each in shown() if not any(each.startswith(known) for known in ELSEWHERE)]


def said(line: str, out: Path) -> subprocess.CompletedProcess[str]:
    """Run a command with the results in OUT."""
    words = shlex.split(f"{line} {LESS[line]}")
    if words[0] == "vmkb":
        words[0] = "scripts/vmkb"
    return subprocess.run(
        [*words, "--out", str(out)], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=WITHIN, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("line", run_here())
def test_it_works_as_it_is_shown(line: str, tmp_path: Path) -> None:
    done = said(line, tmp_path / "out")
    print(done.stderr)
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    assert len(done.stdout.splitlines()) > 4, done.stdout
    if line == "scripts/vmkb run ftp":
        readme_has(done.stdout)
    if line == LINUX:
        readme_has_linux(tmp_path / "out")


def readme_has(screen: str) -> None:
    """README's screen is what the command prints, but for the folder's name. Another compiler makes
    other programs, which have other figures."""
    if " 12." not in compiler():
        return
    block = README.split("This is what `scripts/vmkb run ftp` prints:\n\n```\n")[1].split("```")[0]
    ends = "By machine"
    assert block.split(ends)[0] == screen.split(ends)[0], "README's screen is stale"


def readme_has_linux(out: Path) -> None:
    """README's table of Linux is what the run in OUT found, if Debian has that kernel still."""
    trials = {t.release: t for t in read(out).trials}
    if " 12." not in compiler() or f"from {trials['6.1'].params['title']}:" not in README:
        return
    each = {c.trial.release: c for c in costs(trials.values(), Source.IC, model("2064-109"))}
    whole = instructions_of(TOTAL)

    def row(release: str) -> str:
        told = json.loads(trials[release].params["machine"])
        kb = 2048 * int(trials[release].params["files"])
        if told:
            return " + ".join(f"{told[part] / kb:.0f}" for part in ("virt", "cp", "rest"))
        found = whole(each[release])
        assert found is not None
        return f"{found.value:.0f}"

    block = README.split(f"$ {LINUX}\n")[1].split("```")[0]
    shown = re.findall(r"\d.*", block)
    assert shown == [row(r) for r in ("6.1", "6.1KBSLOW", "6.1KB", "6.1KBVIRT", "KB")], (
        "README's table of Linux is stale"
    )
