# SPDX-License-Identifier: MIT
"""Who calls whom in the guest, as guests/vmkb/tools/calls.py counts: no circle is large."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from importlib import util
from pathlib import Path
from typing import Any

import pytest

VMKB = Path(__file__).resolve().parents[2] / "guests" / "vmkb"
#: Files in a circle that lies in a folder. The four layers of a DECnet link know each other. A REXX
#: function can run any instruction again, an XEDIT subcommand any other, a PIPE stage all stages.
LARGEST = {"cp": {"": 4}, "cms": {"": 3, "cms/pipe/": 7, "cms/rexx/": 14, "cms/xedit/": 8}}


@pytest.fixture(scope="module")
def tool() -> Any:
    spec = util.spec_from_file_location("vmkb_calls", VMKB / "tools" / "calls.py")
    assert spec and spec.loader
    module = util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def symbols(tool: Any, **files: tuple[str, str]) -> Mapping[str, Any]:
    return {
        name: tool.Symbols(frozenset(has.split()), frozenset(needs.split()))
        for name, (has, needs) in files.items()
    }


def test_a_circle_is_found(tool: Any) -> None:
    files = symbols(
        tool, a=("fa", "fb"), b=("fb", "fc memcpy"), c=("fc", "fa fd"), d=("fd", "fe"), e=("fe", "")
    )
    edges = tool.calls(files)
    assert edges["c"] == {"a", "d"}
    assert tool.circles(edges) == [["a", "b", "c"]]


def test_two_circles_that_touch_in_one_direction_are_two(tool: Any) -> None:
    edges = {"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"e"}, "e": {"c"}}
    assert tool.circles(edges) == [["c", "d", "e"], ["a", "b"]]


@pytest.mark.parametrize("program", LARGEST)
def test_no_large_circle(tool: Any, program: str) -> None:
    build = VMKB / "build"
    if shutil.which("s390x-linux-gnu-gcc-nm") is None or not (build / f"{program}.elf").is_file():
        pytest.skip("the guest is not built")
    files = tool.of_program(program, build)
    assert len(files) > 100
    for circle in tool.circles(tool.calls(files)):
        folders = LARGEST[program].items()
        most = max(n for folder, n in folders if all(name.startswith(folder) for name in circle))
        assert len(circle) <= most, circle
