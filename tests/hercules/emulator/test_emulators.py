# SPDX-License-Identifier: MIT
"""Which emulator runs, and what it says of its counter."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from vmkb.hercules import installed
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator import choice as emulators
from vmkb.hercules.emulator.choice import (
    choose,
    described,
    exact_build,
    older_builds,
    wanted_identity,
)
from vmkb.hercules.emulator.dialect import dialect

STOCK = (
    "Hercules Version 3.13\n(c)Copyright 1999-2015 by Roger Bowler\nBuild information:\n  Debian\n"
)
HYPERION = (
    "10:01:02 HHC01413I Hercules version 4.9.0.11581-SDL-g2d2c4054 (4.9.0.11581)\n"
    "10:01:02 HHC01414I (C) Copyright 1999-2025 by Roger Bowler, Jan Jaeger, and others\n"
)


STARTED = {
    "listening": "HHCTE003I Waiting for console connection on port 3270",
    "port_busy": "HHCTE002W Waiting for port 3270 to become free",
    "reads_commands": 'HHCPN008I Script file processing started using file "commands"',
    "cpu_started": "HHCCP002I CPU0000 thread started: tid=7F3FB2AEE6C0, pid=1560, priority=0",
    "refused": "HHCCF044E Initialization failed for device 0100",
    "disabled_wait": "HHCCP011I CPU0000: Disabled wait state",
}
STARTED_HYPERION = {
    "listening": "HHC01024I Waiting for console connections on port 3270",
    "port_busy": "HHC01023W Waiting for port 3270 to become free for console connections",
    "reads_commands": "HHC02260I Script 1: begin processing file commands",
    "cpu_started": "HHC00100I Thread id 00007f6c4b0d96c0, prio 2, name 'Processor CP00' started",
    "refused": "HHC01463E 0:0100 device initialization failed",
    "disabled_wait": "HHC00809I Processor CP00: disabled wait state 000A0000 00000000",
}


def hercules(folder: Path, said: str) -> Path:
    """A program that says SAID when it is asked for its version."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "hercules"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{said}END\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of counting builds, empty; PATH finds a stock emulator."""
    monkeypatch.delenv(emulators.CHOICE, raising=False)
    monkeypatch.setattr(emulators, "WHY_NOT", tmp_path / "builds" / "failed")
    folder = tmp_path / "builds"
    monkeypatch.setattr(emulators, "BUILDS", folder)
    hercules(tmp_path / "path", STOCK)
    monkeypatch.setenv("PATH", str(tmp_path / "path"), prepend=":")
    return folder


def test_the_identity_is_the_build_scripts(project: Path) -> None:
    said = subprocess.run(
        [project / "scripts" / "exact-emulator", "--id"], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == wanted_identity()


@pytest.mark.parametrize(
    ("said", "version", "counter"),
    [
        (STOCK, "3.13", "stock 3.13"),
        (HYPERION, "4.9.0.11581", "stock Hyperion"),
        (STOCK.replace("Debian", "vmkb exact count 0123456789ab"), "3.13", "exact"),
    ],
)
def test_the_counter_is_what_the_program_says(said: str, version: str, counter: str) -> None:
    found = described(Path("/somewhere/hercules"), said)
    assert (found.version, found.counter) == (version, counter)
    assert found.exact == (counter == "exact")


def test_an_emulator_that_nobody_here_knows_is_named(tmp_path: Path) -> None:
    path = hercules(tmp_path, "Hercules version 5.0.1 of another world\n")
    with pytest.raises(EmulatorError, match=r"version 5\.0\.1, which vmkb cannot drive.*Hyperion"):
        choose(str(path))


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("10:01:02 HHC01024I Waiting for console connection", "HHC01024I Waiting for console conn"),
        ("10:01:02 /10:01:02 DMKCPI966I INITIALIZATION", "10:01:02 DMKCPI966I INITIALIZATION"),
        ("10:01:02 //* a comment", "/* a comment"),
        ("HHC01413I Hercules version 4.9", "HHC01413I Hercules version 4.9"),
        ("", ""),
    ],
)
def test_hyperions_lines_are_read_without_what_it_puts_before_them(line: str, plain: str) -> None:
    assert dialect("sdl-hyperion-4").plain(line).startswith(plain)
    assert dialect("hercules-3.13").plain(line) == line


def test_each_message_of_an_emulator_is_its_own() -> None:
    for each, said in (("hercules-3.13", STARTED), ("sdl-hyperion-4", STARTED_HYPERION)):
        messages = dialect(each).messages
        for name, line in said.items():
            pattern = getattr(messages, name)
            assert re.search(pattern, line) and re.search(messages.own, line), (each, name)
            assert not any(
                re.search(pattern, other) for key, other in said.items() if key != name
            ), name


def test_another_program_of_that_name_is_refused(tmp_path: Path) -> None:
    path = hercules(tmp_path, "hercules 2.0, a solver of equations\n")
    with pytest.raises(EmulatorError, match="is it Hercules"):
        choose(str(path))


def test_the_counting_build_comes_first_and_stock_where_there_is_none(builds: Path) -> None:
    assert choose().counter == "stock 3.13"
    wanted = wanted_identity()
    hercules(builds / wanted, STOCK.replace("Debian", f"vmkb exact count {wanted}"))
    assert exact_build() is not None
    assert choose().exact and choose("exact").exact
    assert choose("stock").counter == "stock 3.13"


def test_one_that_came_in_a_wheel_is_used_unless_one_was_built(
    builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emulators, "BROUGHT", tmp_path / "programs")
    wanted = wanted_identity()
    said = STOCK.replace("Debian", f"vmkb exact count {wanted}")
    brought = hercules(tmp_path / "programs", said)
    assert choose().program == brought
    built = hercules(builds / wanted, said)
    assert choose().program == built
    shutil.rmtree(built.parent)
    monkeypatch.setattr(emulators, "BROUGHT", tmp_path / "older")
    hercules(tmp_path / "older", STOCK.replace("Debian", "vmkb exact count 000000000000"))
    assert choose().counter == "stock 3.13"


def test_a_program_that_came_in_a_wheel_goes_before_that_of_path(
    builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "BROUGHT", tmp_path / "programs")
    assert installed.found("hercules") == str(tmp_path / "path" / "hercules")
    brought = hercules(tmp_path / "programs", STOCK)
    assert installed.found("hercules") == str(brought)


def test_a_build_of_an_older_patch_is_not_used_and_said(builds: Path) -> None:
    hercules(builds / "000000000000", STOCK.replace("Debian", "vmkb exact count 000000000000"))
    assert [p.name for p in older_builds()] == ["000000000000"]
    assert choose().counter == "stock 3.13"
    with pytest.raises(EmulatorError, match="older patch"):
        choose("exact")


def test_why_there_is_none_is_told(builds: Path) -> None:
    builds.mkdir()
    emulators.WHY_NOT.write_text("gcc is not installed\n")
    with pytest.raises(EmulatorError, match="no counting emulator here: gcc is not installed"):
        choose("exact")
    assert "gcc is not installed" in emulators.cost_of_stock(choose("stock"))


def test_the_environment_chooses(builds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = hercules(builds.parent / "sdl", HYPERION)
    monkeypatch.setenv(emulators.CHOICE, str(path))
    assert choose().counter == "stock Hyperion"
    monkeypatch.setenv(emulators.CHOICE, "/no/such/hercules")
    with pytest.raises(EmulatorError, match="/no/such/hercules"):
        choose()
