# SPDX-License-Identifier: MIT
"""XEDIT as somebody at a 3270 has it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import Cms, booted
from tests.e2e.xedit_guest import Editor

FILES = {
    "user1/small.script": "alpha\nbeta\ngamma\ndelta\nepsilon\n",
}


@pytest.fixture(scope="module")
def cms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cms]:
    with booted(tmp_path_factory.mktemp("xedit"), FILES) as system:
        found = Cms(system, 0x0701, "USER1")
        yield found
        found.close()


def test_a_line_is_typed_over_and_saved(cms: Cms) -> None:
    editor = Editor(cms, "XEDIT SMALL SCRIPT")
    rows = editor.rows
    assert rows[0].split() == (
        "SMALL SCRIPT A1 V 132 Trunc=132 Size=5 Line=0 Col=1 Alt=0".split()
    )
    assert editor.find("* * * Top of File * * *") == 12
    assert rows[12].endswith("....+....7...")
    assert editor.lines() == [
        "* * * Top of File * * *", "alpha", "beta", "gamma", "delta", "epsilon",
        "* * * End of File * * *",
    ]  # fmt: skip
    editor.over(editor.find("beta"), 8, "BETTER")
    assert "Alt=1" in editor.enter()[0]
    assert "Alt=0" in editor.enter("save")[0]
    editor.leave("quit")
    assert cms.run("TYPE SMALL SCRIPT A")[1] == "BETTER"
