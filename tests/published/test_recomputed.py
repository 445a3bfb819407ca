# SPDX-License-Identifier: MIT
"""Ten rows and more of each page come out of the transcripts by a script that shares no code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.published.record import DOCS, HERE

SCRIPT = HERE / "recomputed.py"
PAGES = ("dxu", "ftp", "line", "rpc", "terminal")


def run(page: Path, name: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", str(SCRIPT), str(page), str(HERE / f"{name}.tar.xz")],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_it_imports_nothing_of_ours() -> None:
    assert "vmkb" not in SCRIPT.read_text("utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_rows_of_a_page_come_out_of_the_transcripts(name: str) -> None:
    done = run(DOCS / f"{name}.md", name)
    assert done.returncode == 0, done.stdout + done.stderr
    agreed = re.fullmatch(r"(\d+) of \1 rows agree\n", done.stdout)
    assert agreed and int(agreed[1]) >= 10


@pytest.mark.parametrize("name", PAGES)
def test_a_changed_figure_is_found(name: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = (DOCS / f"{name}.md").read_text("utf-8")
    page.write_text(re.sub(r"(\d) \(([A-Z/]+)\)", lambda m: f"{(int(m[1]) + 1) % 10} ({m[2]})",
                           text), "utf-8")  # fmt: skip
    done = run(page, name)
    assert done.returncode == 1
    assert "the page has" in done.stdout
