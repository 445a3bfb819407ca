# SPDX-License-Identifier: MIT
"""What a workload's TOML says for its report: the published table, its releases' names."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from accounting.store import Trial

HERE = Path(__file__).resolve().parent


def _toml(trials: Iterable[Trial]) -> Mapping[str, Any]:
    """The TOML of the one workload that TRIALS are of; empty if they are of none or of several."""
    ran = {t.meta.get("workload", "") for t in trials}
    path = HERE / f"{ran.pop()}.toml" if len(ran) == 1 else HERE
    return tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}


def published_table(trials: Iterable[Trial]) -> str:
    """The name of the published table that stands beside TRIALS, or nothing."""
    return str(_toml(trials).get("published_table", ""))


def release_titles(trials: Iterable[Trial]) -> dict[str, str]:
    """What each release is called in a sentence."""
    return {r["name"]: r["title"] for r in _toml(trials).get("releases", ())}
