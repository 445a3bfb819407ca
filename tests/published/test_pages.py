# SPDX-License-Identifier: MIT
"""docs/published is what the kept runs make, with a verdict in each row."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.published.record import DOCS, HERE, made, unpacked
from vmkb.workloads.cli.main import group

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


@pytest.mark.parametrize(
    ("name", "heads"),
    [
        ("dxu", ["Case", "What", "Published", "Ours", "Ratio"]),
        ("terminal", ["Node", "Path", "Instructions per KB", "Ratio to the first path"]),
    ],
)
def test_a_first_screen_says_which_row_is_which(
    name: str, heads: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In 24 lines of 80 columns: what each row is, and the published figure if there is one."""
    (run,) = unpacked(name, tmp_path)
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(group, ["report", run.name])
    lines = told.output.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    head = next(line for line in lines if line.startswith(heads[0]))
    at = [head.find(word) for word in heads]
    assert -1 not in at and at == sorted(at), head
    below = lines[lines.index(head) + 1 :]
    rows = [line[: at[2]] for line in below[: below.index("")]]
    assert len(rows) > 3 and len(set(rows)) == len(rows), rows
