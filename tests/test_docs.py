# SPDX-License-Identifier: MIT
"""README and docs/ are short, plain, and reached from docs/README.md; query.md has all columns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from vmkb.accounting.store.query import FIELD_COLUMNS, SCHEMA

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
#: The lab is evidence, the pages of published documents are made by runs.
EVIDENCE = {DOCS / "lab", DOCS / "published"}
#: README, and what a user may need.
PAGES = [
    ROOT / "README.md",
    *(p for p in sorted(DOCS.rglob("*.md")) if not EVIDENCE & set(p.parents)),
]
WORDS_README = 1000
LINES_README = 150
WORDS_DOCS = 24_000
WORDS_DECISION = 250
#: Longer sentences lose their readers. Tables, lists of names and code are not counted.
WORDS_SENTENCE = 32
#: Expressions that earlier pages had, and plain ones.
PLAIN = {
    "no better than": "an uncertainty above",
    "is told": "name who says it: vmkb prints, CP reports",
    "in words": "with a message",
    "load average": "only docs/lab has the load of a host",
    "at a load of": "only docs/lab has the load of a host",
    "beside other work": "only docs/lab has the load of a host",
}


def words(path: Path) -> int:
    return len(path.read_text("utf-8").split())


def sentences(text: str) -> list[str]:
    """Sentences of paragraphs; a list's or a table's line may be as long as it needs."""
    text = re.sub(r"```.*?```", "\n\n", text, flags=re.DOTALL)
    kept = [line for line in text.split("\n") if not re.match(r"\s*(?:[|#<!]|    )", line)]
    blocks = re.split(r"\n\s*\n|\n(?=- |\d+\. |\* )", "\n".join(kept))
    bare = [re.sub(r"\[([^]]*)\]\([^)]*\)|`[^`]*`|\([^)]*\)", r"\1", block) for block in blocks]
    flat = [" ".join(block.split()) for block in bare]
    return [s for block in flat for s in re.split(r"(?<=[.:;?!])\s+", block)]


def test_readme_fits_on_two_screens() -> None:
    readme = ROOT / "README.md"
    assert words(readme) <= WORDS_README
    assert len(readme.read_text("utf-8").splitlines()) <= LINES_README


def test_docs_are_short() -> None:
    assert sum(words(p) for p in PAGES[1:]) <= WORDS_DOCS


def test_a_decision_is_under_a_page() -> None:
    decisions = sorted((DOCS / "decisions").glob("*.md"))
    assert len(decisions) >= 8
    assert {p.name: words(p) for p in decisions if words(p) > WORDS_DECISION} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_page_is_plain(page: Path) -> None:
    text = page.read_text("utf-8")
    flat = " ".join(text.lower().split())
    assert {made: plain for made, plain in PLAIN.items() if made in flat} == {}
    assert [s for s in sentences(text) if len(s.split()) > WORDS_SENTENCE] == []


def test_sentences_are_found() -> None:
    assert sentences("# A\nOne `x y` two. Three\n| no |\n\n- [four](five six)\n") == [
        "One two.", "Three", "- four"
    ]  # fmt: skip


def test_every_page_is_in_the_index() -> None:
    """Directly: nobody finds a page through others within a minute."""
    index = (DOCS / "README.md").read_text("utf-8")
    linked = {(DOCS / t).resolve() for t in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", index)}
    pages = set(DOCS.rglob("*.md")) - {DOCS / "README.md"}
    assert len(pages) > 40
    assert {str(p.relative_to(DOCS)) for p in pages - linked} == set()


def test_the_query_page_has_every_column() -> None:
    text = (DOCS / "reference" / "query.md").read_text("utf-8")
    parts = re.split(r"(?m)^### ", text.split("\n## Logs")[0])[1:]
    listed = {
        name: set(re.findall(r"`(\w+)`", " ".join(re.findall(r"(?m)^\| (`[^|]*) \|", part))))
        for part in parts
        for name in part.split("\n", 1)[0].split(", ")
    }
    shown = {name: set(columns) for name, columns in SCHEMA.items()}
    shown["values"] = shown["values"] - {"fields"} | set(FIELD_COLUMNS)
    assert listed == shown
