# SPDX-License-Identifier: MIT
"""Another build of a guest: made by its own description, refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import Guest, parse_guest
from vmkb.workloads.ftp.workload import station_name
from vmkb.workloads.variants import PLAIN, variant

TOML = """
name = "tiny"
title = "Tiny"
{build}
[ipl]
image = "build/tiny.ins"
[[machine.devices]]
number = "0700"
kind = "3270"
[session]
logo = "TINY"
"""
BUILD = """
[build]
command = ["make"]
variant = ["sh", "-c", "{script}"]
variant_image = "build/v{{seed}}/tiny.ins"
"""


def guest(folder: Path, script: str | None) -> Guest:
    """A guest whose variant is made by SCRIPT."""
    (folder / "build").mkdir()
    build = "" if script is None else BUILD.format(script=script)
    return parse_guest(TOML.format(build=build), folder)


def test_the_first_is_the_guest_as_it_is(tmp_path: Path) -> None:
    tiny = guest(tmp_path, None)
    assert variant(tiny, PLAIN) is tiny


def test_another_one_is_made_by_its_number(tmp_path: Path) -> None:
    tiny = guest(tmp_path, "mkdir -p build/v{seed}; : >build/v{seed}/tiny.ins")
    assert variant(tiny, 3).image == tmp_path / "build" / "v3" / "tiny.ins"
    assert tiny.image == tmp_path / "build" / "tiny.ins"


def test_a_guest_without_variants_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmulatorError, match="'tiny' has no .* variant; measure one build"):
        variant(guest(tmp_path, None), 2)


def test_a_build_that_fails_names_its_log(tmp_path: Path) -> None:
    with pytest.raises(EmulatorError, match=r"Build 2 of .* failed; see .*variant-2\.log"):
        variant(guest(tmp_path, "echo no room; exit 1"), 2)
    assert "no room" in (tmp_path / "build" / "variant-2.log").read_text()


def test_each_build_of_a_release_has_its_own_folder_and_port() -> None:
    names = [station_name(release, build) for release in ("213", "221") for build in (1, 2, 3)]
    assert len(set(names)) == 6 and names[0] == "213"
