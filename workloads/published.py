# SPDX-License-Identifier: MIT
"""Which published table stands beside a workload's own: its TOML names it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from accounting.store import Trial

HERE = Path(__file__).resolve().parent


def published_table(trials: Iterable[Trial]) -> str:
    """The name of the published table of the one workload that TRIALS are of, or nothing."""
    ran = {t.meta.get("workload", "") for t in trials}
    path = HERE / f"{ran.pop()}.toml" if len(ran) == 1 else HERE
    if not path.is_file():
        return ""
    return str(tomllib.loads(path.read_text("utf-8")).get("published_table", ""))
