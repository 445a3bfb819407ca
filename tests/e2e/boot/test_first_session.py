# SPDX-License-Identifier: MIT
"""docs/guide/boot.md shows a real session: it is played here and compared.

Times and counts are masked."""

from __future__ import annotations

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


def shown(page: str) -> str:
    found = re.search(r"<!-- first-session -->\n```\n(.*?)```", page, re.DOTALL)
    assert found, "the page has no block behind <!-- first-session -->"
    return found.group(1)


def test_the_session_in_the_guide_is_what_the_guest_says(
    project: Path, emulator_needed: None
) -> None:
    played = subprocess.run(
        ["scripts/vmkb", "script", "--private", "scripts/examples/first-session.vmkb"],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert played.returncode == 0, played.stderr
    assert masked(shown((project / "docs/guide/boot.md").read_text())) == masked(played.stdout)
