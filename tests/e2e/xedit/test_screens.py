# SPDX-License-Identifier: MIT
"""Screens larger than 24 by 80: CP's and CMS's lines, and XEDIT's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import WITHIN, booted
from tests.e2e.xedit_guest import Editor, Seated, System
from vmkb.hercules.deadline import HOST, Deadline

MODELS = [
    pytest.param(("-model", "3278-2"), 24, 80, id="model 2"),
    pytest.param(("-model", "3279-3"), 32, 80, id="model 3"),
    pytest.param(("-model", "3278-4"), 43, 80, id="model 4"),
    pytest.param(("-model", "3279-5"), 27, 132, id="model 5"),
    pytest.param(("-model", "3279-4", "-oversize", "160x62"), 62, 160, id="62x160"),
    pytest.param(("-model", "3278-4", "-tn", "IBM-3278-4"), 24, 80, id="no extended data stream"),
    pytest.param(("-model", "3279-4", "-oversize", "180x80"), 24, 80, id="over the largest"),
]


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    wide = "".join(f"{n:3d} " + "=" * 120 + " end\n" for n in range(1, 101))
    with booted(tmp_path_factory.mktemp("screens"), {"user1/wide.memo": wide}) as found:
        yield found


@pytest.mark.parametrize(("model", "rows", "columns"), MODELS)
def test_all_rows_and_columns(
    system: System, model: tuple[str, ...], rows: int, columns: int
) -> None:
    cms = Seated(system, 0x0702, "USER1", model)
    try:
        assert len(cms.run("TYPE LINES TEXT A")) == 30
        page = cms.session.terminal.read()
        assert (len(page.rows), len(page.rows[0])) == (rows, columns) or rows == 24
        editor = Editor(cms, "XEDIT WIDE MEMO")
        shown = editor.rows
        assert editor.find("====>") == rows - 1
        assert shown[-1][columns - 20 :].strip() == "X E D I T  1 File"
        assert editor.find("* * * Top of File * * *") == (rows + 1) // 2
        assert shown[(rows + 1) // 2].strip().startswith("|...+....1")
        editor.enter("bottom")
        last = editor.find("100 ===")
        assert last == (rows + 1) // 2
        if columns > 140:
            assert editor.rows[last - 1].endswith(" end")
            editor.over(last, 7 + 127, "END")
        else:
            editor.over(last, 8, "END")
        assert "Alt=1" in editor.enter()[0]
        editor.leave()
    finally:
        cms.close()


def test_a_reserved_line_has_colour_where_the_terminal_has(system: System) -> None:
    for model, attribute in (("3279-3", "SF(c0=f8,42=f2,41=f2)"), ("3278-2", "SF(c0=f8)")):
        extended = ("-tn", "IBM-3278-2") if model == "3278-2" else ()
        cms = Seated(system, 0x0702, "USER1", ("-model", model, *extended))
        editor = Editor(cms, "XEDIT LINES TEXT")
        editor.enter("set reserved 5 red revvideo high mark")
        row = cms.session.terminal.action("ReadBuffer(Ascii)", Deadline(WITHIN, HOST))[4]
        assert row.startswith(f"{attribute} 6d 61 72 6b ")
        editor.leave()
        cms.close()
