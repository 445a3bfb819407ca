# SPDX-License-Identifier: MIT
"""docs/guide/tutorial.md: its commands are typed as they stand, and what they print is compared."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.e2e.boot_guest import boots
from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Record

pytestmark = pytest.mark.e2e
WITHIN = 120.0
PATH = os.environ["PATH"]
WEEKDAY = re.compile(r"\b(?:MON|TUES|WEDNES|THURS|FRI|SATUR|SUN)DAY\b")


def steps(page: str) -> list[tuple[str, str]]:
    """Each command of PAGE, and what it says that was printed."""
    found = []
    for block in re.findall(r"```\n(\$ .*?)```", page, re.DOTALL):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, _, printed = part.partition("\n")
            found.append((command, printed))
    return found


def shape(printed: str) -> list[str]:
    """The words of PRINTED with every number as n, wherever its lines are cut."""
    text = re.sub(r"/\S+/log", "LOG", WEEKDAY.sub("DAY", printed))
    text = re.sub(r"-{3,}", "---", text)  # as wide as the column
    return re.sub(r"\d+(?:\.\d+)?", "n", text).replace("~", "").split()


def virtual(log: Path) -> list[tuple[str, int]]:
    """Of each run of a LOG the T of its Ready message, and the machine's own instructions."""
    read = [i for i in scan([log.read_bytes()]) if isinstance(i, Record)]
    counts = [int(r.value("virt_instr").value) for r in read if "virt_instr" in r.fields]
    times = re.findall(r"The sum is \d+\nReady; T=(\S+)", log.read_text())
    return [(t, b - a) for t, a, b in zip(times, counts, counts[1:], strict=False)]


def test_the_tutorial_is_what_is_printed(
    project: Path, tmp_path: Path, emulator_needed: None
) -> None:
    commands = steps((project / "docs" / "guide" / "tutorial.md").read_text())
    assert len(commands) == 9
    with boots(tmp_path) as both:
        scripts = tmp_path / "scripts"
        scripts.mkdir()
        (scripts / "examples").symlink_to(project / "scripts" / "examples")
        launcher = scripts / "vmkb"
        launcher.write_text(f'#!/bin/sh\nexec {shlex.join(both.words())} "$@"\n')
        launcher.chmod(0o755)
        for command, printed in commands:
            done = subprocess.run(
                ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True,
                timeout=WITHIN, check=False, env={"PYTHONPATH": str(project), "PATH": PATH},
            )  # fmt: skip
            assert done.returncode == 0, (command, done.stderr, done.stdout)
            assert shape(done.stdout + done.stderr) == shape(printed), command
    loop, formula = virtual(tmp_path / "loop.log"), virtual(tmp_path / "formula.log")
    assert len(loop) == len(formula) == 6
    for runs in (loop, formula):  # a busy host makes the T longer, and its digits take instructions
        assert len(set(runs)) == len(dict(runs)), "as many as it says that it took"
        assert max(n for _, n in runs) - min(n for _, n in runs) < 200
    assert loop[0][1] > 5 * formula[0][1]
