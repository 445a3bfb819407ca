# SPDX-License-Identifier: MIT
"""docs/reference/formats.md: its examples parse, and it names every family."""

from __future__ import annotations

import re
from pathlib import Path

from tests.narrow import a_record
from vmkb.accounting.grammar.families import family_names
from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Record

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "formats.md").read_text()


def test_the_examples_parse_as_they_say() -> None:
    blocks = re.findall(r"```\n(.*?)```", PAGE, re.S)
    found = [item for block in blocks for item in scan([block.encode()])]
    assert [type(item) for item in found] == [Record] * 3
    assert [a_record(item).kind for item in found] == ["connect", "rtm_system", "rtm_user"]
    assert a_record(found[0]).value("total_summed").value == 189


def test_every_family_is_named() -> None:
    for name in family_names():
        assert f"`{name}`" in PAGE, name
