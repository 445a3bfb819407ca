# SPDX-License-Identifier: MIT
"""Which commit of this project runs, for the record of a run."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WITHIN = 5.0


@cache
def commit() -> str:
    """The commit, with `-dirty` if files are changed; nothing where the project is no checkout, or
    git is not here."""
    if not (ROOT / ".git").exists():
        return ""
    asked = ("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *asked],
            capture_output=True,
            text=True,
            timeout=WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
