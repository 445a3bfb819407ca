# SPDX-License-Identifier: MIT
"""What a small run of each workload kept: small-run.jsonl.gz beside its tests."""

import gzip
from pathlib import Path

import pytest

from vmkb.workloads.base.found import names

MEASURE = "measuring"
EVERY = (*names(), MEASURE)


@pytest.fixture(params=EVERY)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A workload's name and a folder with what a run of it kept."""
    recorded = Path(__file__).parent / request.param / "small-run.jsonl.gz"
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "results.jsonl").write_bytes(gzip.decompress(recorded.read_bytes()))
    return request.param, folder
