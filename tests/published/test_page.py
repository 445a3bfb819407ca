# SPDX-License-Identifier: MIT
"""The page of a published document: each cell is as published or has a sentence, or there is no
page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.accounting.texts import make_results
from vmkb.accounting.compare import Ours, agrees, compare, said
from vmkb.accounting.published import Published, names, published
from vmkb.accounting.report import published as page
from vmkb.accounting.tables.table import TableError
from vmkb.workloads.cli.many.published import command

ROWS = ({"host": "A", "rate": "12.0"}, {"host": "B", "rate": "< 3"}, {"host": "C", "rate": ""})
SAID = {"side": "less", "differs": "ours waits."}
MADE = Published(
    "made", "nobody", ROWS, {},
    page={"of": "made", "title": "T", "keys": ["host"], "figures": {"rate": "KB/s"}},
    because=(SAID, {"where": {"host": "B"}, "missing": "there was no B"}),
)  # fmt: skip


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "of_workload", lambda name: [MADE])


@pytest.mark.parametrize(
    ("printed", "value", "same"),
    [
        ("0.022", 0.0224, True), ("0.022", 0.0226, True), ("0.022", 0.0236, False),
        ("100", 95.0, True), ("100", 94.9, False), ("1,200", 1200.0, True),
        ("2-10", 9.9, True), ("2-10", 1.4, False), ("<5", 4.9, True),
        ("> 20", 19.6, True), ("> 20", 19.4, False), ("10 to 45", 45.0, True),
        ("10 to 45", 46.0, False), ("< 15", 4.8, True), ("< 15", 15.6, False),
        ("0", 0.4, True), ("0", 0.6, False),
    ],
)  # fmt: skip
def test_what_is_as_published(printed: str, value: float, same: bool) -> None:
    assert agrees(printed, value, 5.0) is same


def test_what_is_no_figure_is_an_error() -> None:
    with pytest.raises(TableError, match="'about 3' is no figure"):
        agrees("about 3", 3.0, 5.0)


def test_each_cell_has_a_sentence(made: None) -> None:
    def ours(row: Mapping[str, str], column: str) -> Ours | None:
        return Ours(6.0, "(FT)", 7.5) if row["host"] == "A" else None

    text = page.page("made", {"made": ours}, ["From a run."])
    assert "2 cells: 0 as published, 1 differ, 1 not measured." in text
    assert "| A | 12.0 | 6.00 (FT) | 0.500 | 7.50 | differs because (1) |" in text
    assert "| B | \\< 3 | - | - | - | not measured because (2) |" in text
    assert text.endswith(
        "- (1) differs because ours waits.\n- (2) not measured because there was no B.\n"
    )


def test_words_differ_from_any_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    words = replace(MADE, rows=({"host": "A", "rate": "no figure"},), because=({"differs": "w"},))
    monkeypatch.setattr(page, "of_workload", lambda name: [words])
    text = page.page("made", {"made": lambda row, column: Ours(130.4, "(PM)")}, [])
    assert "| A | no figure | 130 (PM) | - | differs because (1) |" in text


def test_a_cell_without_a_sentence_makes_no_page(made: None) -> None:
    """Ours is more here, and the sentence is for less."""
    with pytest.raises(TableError, match=r"made, A, rate: published 12.0, ours is 24, and no"):
        page.page("made", {"made": lambda row, column: Ours(24.0, "(FT)")}, [])
    with pytest.raises(TableError, match=r"made, A, rate: .*nothing was measured"):
        page.page("made", {}, [])


def test_somebody_s_own_run_has_a_page_without_sentences(made: None) -> None:
    """It may have other cases and stacks than those that the sentences are about."""
    text = page.page("made", {"made": lambda row, column: Ours(24.0, "(FT)")}, [], strict=False)
    assert "2 cells: 0 as published, 2 differ, 0 not measured." in text
    assert "| A | 12.0 | 24.0 (FT) | 2.00 | differs |" in text
    text = page.page("made", {}, [], strict=False)
    assert "2 cells: 0 as published, 0 differ, 2 not measured." in text
    assert "| A | 12.0 | - | - | not measured |" in text


def test_a_word_that_a_page_does_not_have_is_named() -> None:
    odd = replace(MADE, because=({"becuase": "a slip"},))
    with pytest.raises(TableError, match="no key becuase"):
        compare(odd, lambda row, column: None)


def test_an_input_is_marked(made: None) -> None:
    text = page.page("made", {"made": lambda row, column: Ours(2.9 if row["host"] == "B" else 12.0,
                                                               "(IN)")}, [])  # fmt: skip
    assert "| A | 12.0 | 12.0 (IN) | 1.00 | as published |" in text


def test_where_a_figure_is_printed_once(made: None, monkeypatch: pytest.MonkeyPatch) -> None:
    once = replace(MADE, page={**MADE.page, "once": {"rate": {"host": "A"}}})
    monkeypatch.setattr(page, "of_workload", lambda name: [once])
    text = page.page("made", {"made": lambda row, column: Ours(12.0, "(FT)")}, [])
    assert "1 cells: 1 as published" in text


def test_a_run_of_no_published_document_is_refused(tmp_path: Path) -> None:
    run = make_results(tmp_path / "r", trials=2, workload="another")
    made = CliRunner().invoke(command, [str(run)])
    assert made.exit_code == 2
    assert "no published table is on a page" in made.output


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    made = CliRunner().invoke(command, [str(tmp_path / "gone")])
    assert made.exit_code == 2 and "gone" in made.output


def test_each_sentence_is_of_a_cell() -> None:
    """A column or row that a sentence names is there."""
    for found in map(published, names()):
        for entry in found.because:
            assert set(entry.get("columns", ())) <= set(found.page["figures"]), entry
            where = entry.get("where", {})
            assert any(all(r[k] == where[k] for k in where) for r in found.rows), entry
    assert said(MADE, ROWS[0], "rate", Ours(12.1, "(FT)")) == ("as published", "")


@pytest.mark.parametrize("trials", [1.0, 2.0])
def test_a_run_of_either_size_has_a_page(trials: float) -> None:
    """The trials that a quick run has are not those of the report, and that has its reason."""
    text = published("zvm310_text")
    (row,) = (r for r in text.rows if r["key"] == "trials")
    verdict, _ = said(text, row, "printed", Ours(trials, "(IN)"))
    assert verdict == ("as published" if trials == 2 else "differs because")
