# SPDX-License-Identifier: MIT
"""The folder of sockets: the first one that is short enough and can be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.sockets import NAME_MAX, PATH_MAX, socket_folder


def test_the_runtime_folder_is_preferred(tmp_path: Path) -> None:
    short, other = Path("/tmp"), tmp_path / "other"
    made = socket_folder({"XDG_RUNTIME_DIR": str(short), "TMPDIR": str(other)})
    made.close()
    assert made.path.parent == short
    assert len(str(made.path)) + 1 + NAME_MAX <= PATH_MAX


@pytest.mark.parametrize("value", ["", "relative", "/nowhere/at/all", "/" + "long/" * 30])
def test_what_cannot_be_used_is_passed_over(value: str) -> None:
    made = socket_folder({"XDG_RUNTIME_DIR": value, "TMPDIR": value})
    made.close()
    assert made.path.parent == Path("/tmp")


def test_no_folder_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, mode: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(EmulatorError, match="/tmp: No space left on device"):
        socket_folder({})
