# SPDX-License-Identifier: MIT
"""Another build of a guest: made by its own description, refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from vmkb.guests.compiled import PLAIN
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import Build, Guest, parse_guest
from vmkb.workloads.base.variants import at_most, variant
from vmkb.workloads.ftp.workload import station_name

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
IMAGE = "build/v{build}/tiny.ins"
BUILD = """
[build]
command = ["make"]
variant = ["sh", "-c", "{script}"]
variant_image = "build/v{{build}}/tiny.ins"
"""


def guest(folder: Path, script: str | None) -> Guest:
    """A guest whose variant is made by SCRIPT."""
    (folder / "build").mkdir()
    build = "" if script is None else BUILD.format(script=script)
    return parse_guest(TOML.format(build=build), folder)


def test_a_level_may_have_an_image_of_its_own(tmp_path: Path) -> None:
    images = {(1, ""): "a.ins", (1, "TCPIP=001"): "b.ins", (2, ""): "c.ins"}
    tiny = guest(tmp_path, None).model_copy(update={"images": images})
    wanted = ((1, "TCPIP=001"), (1, "TCPIP=221"), (1, "TCPIP=001 TELNET=RECORDS"), (2,))
    names = [variant(tiny, *key).image.name for key in wanted]
    assert names == ["b.ins", "a.ins", "b.ins", "c.ins"]


def test_what_was_installed_without_sources_has_the_builds_that_it_has(tmp_path: Path) -> None:
    made = guest(tmp_path, "").model_copy(
        update={"build": Build(command=("make",), variant=("make",), variant_image=IMAGE)}
    )
    (tmp_path / "build" / "v2").mkdir()
    (tmp_path / "build" / "v2" / "tiny.ins").touch()
    assert variant(made, 2).image == tmp_path / "build" / "v2" / "tiny.ins"
    assert at_most(made, 2) == 2
    with pytest.raises(EmulatorError, match="has 2 builds of guest 'tiny'.* ask for --builds 2 at"):
        at_most(made, 3)
    (tmp_path / "Makefile").touch()
    assert at_most(made, 3) is None


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


def test_how_far_a_build_is_comes_as_it_happens(tmp_path: Path) -> None:
    """Nobody looks at a silent screen while two programs are linked."""
    wait = "for n in $(seq 3000); do [ -e seen ] || sleep 0.01; done"
    tiny = guest(
        tmp_path, f"mkdir -p build/v{{seed}}; cd build/v{{seed}}; : >a.elf; {wait}; : >tiny.ins"
    )
    tiny.image.write_text("* tiny\na.bin 0x0\nb.bin 0x500000\n")
    told: list[tuple[int, int]] = []

    def linked(n: int, of: int) -> None:
        told.append((n, of))
        (tmp_path / "build" / "v2" / "seen").touch()

    assert variant(tiny, 2, linked=linked).image.is_file()
    assert told == [(1, 2)]
