# SPDX-License-Identifier: MIT
"""docs/published is what the kept runs make, with a verdict in each row."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.published.record import DOCS, HERE, made

PAGES = sorted(path.stem for path in DOCS.glob("*.md"))
VERDICT = re.compile(r"\| (as published|(differs|not measured) because \(\d+\)) \|$")


def test_each_page_has_its_run() -> None:
    assert sorted(path.name.partition(".")[0] for path in HERE.glob("*.tar.xz")) == PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_its_run_makes(name: str, tmp_path: Path) -> None:
    assert (DOCS / f"{name}.md").read_text("utf-8") == made(name, tmp_path)


@pytest.mark.parametrize("name", PAGES)
def test_each_cell_has_a_verdict(name: str) -> None:
    text = (DOCS / f"{name}.md").read_text("utf-8")
    rows = re.findall(r"^\| (?!.* \| published ).*$", text, re.MULTILINE)
    assert rows and all(VERDICT.search(row) for row in rows)
    assert f"\n{len(rows)} cells: " in text
