# SPDX-License-Identifier: MIT
import pytest

from tests.accounting.texts import make_results


@pytest.fixture
def results(tmp_path):
    """Two releases, five interleaved trials each."""
    return make_results(tmp_path / "results")
