# SPDX-License-Identifier: MIT
"""The first session is played and compared with first-session.txt, times and counts aside."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.both]

MASKS = (
    (r"\b\d?\d:\d\d:\d\d", "hh:mm:ss"),  # LISTFILE has one digit before ten o'clock
    (r"\d\d/\d\d/\d\d", "date"),
    (r"\b(MON|TUES|WEDNES|THURS|FRI|SATUR|SUN)DAY\b", "DAY"),
    (r"\d{12}", "n" * 12),
    (r"T=\d+\.\d\d/\d+\.\d\d", "T=v/t"),
    (r"\d{3}:\d\d(\.\d\d)?", "mmm:ss"),
    (r"SIO=\d{6}", "SIO=n"),
    (r"CORRECTIONS \d+ COUNTER (EXACT|BATCHED)", "CORRECTIONS n COUNTER c"),
)


def masked(text: str) -> list[str]:
    """Lines of a transcript without what differs from one session to the next."""
    for pattern, instead in MASKS:
        text = re.sub(pattern, instead, text)
    return [re.sub(r" +", " ", line).rstrip() for line in text.strip().splitlines()]


def test_the_first_session_is_what_the_guest_says(project: Path, emulator_needed: None) -> None:
    played = subprocess.run(
        ["scripts/vmkb", "script", "--private", "scripts/examples/first-session.vmkb"],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert played.returncode == 0, played.stderr
    recorded = (Path(__file__).parent / "first-session.txt").read_text()
    assert masked(recorded) == masked(played.stdout)


def test_a_cast_has_virtual_times_and_is_the_same_again(
    project: Path, counting: object, tmp_path: Path
) -> None:
    """Lines of JSON as asciinema's players read them."""
    for name in ("one", "two"):
        subprocess.run(
            ["scripts/vmkb", "script", "scripts/examples/first-session.vmkb",
             "--cast", str(tmp_path / name)],
            cwd=project, check=True, capture_output=True, timeout=120,
        )  # fmt: skip
    written = (tmp_path / "one").read_text("utf-8")
    assert written == (tmp_path / "two").read_text("utf-8")
    head, *events = map(json.loads, written.splitlines())
    assert head["version"] == 2 and (head["width"], head["height"]) == (80, 24)
    times = [at for at, kind, _ in events if kind == "o"]
    assert len(times) == len(events) and times == sorted(times) and times[-1] > 0.5
    assert any("Ready(00028)" in text for _, _, text in events), "LISTFILE finds nothing"
