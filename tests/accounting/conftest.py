# SPDX-License-Identifier: MIT

from pathlib import Path

import pytest

from tests.accounting.texts import make_results


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Two releases, five interleaved trials each."""
    return make_results(tmp_path / "results")
