# SPDX-License-Identifier: MIT
"""What a run was asked to do survives its process; two processes do not share a folder."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from vmkb.errors import UsageError
from vmkb.workloads.base.found import names, workload
from vmkb.workloads.base.settings import FILE_NAME, Asked, locked, restore, save
from vmkb.workloads.cli.main import group
from vmkb.workloads.ftp import Workload as Ftp
from vmkb.workloads.terminal import Workload as Terminal

FTP, TERMINAL = Ftp(), Terminal()
NOTHING = Asked()


def test_settings_come_back_and_mean_the_same_plan(tmp_path: Path) -> None:
    made = FTP.settings(Asked("full", 3, "221,213", ("G2M", "P24KBF2A"), "vax750", "fast"))
    save(made, tmp_path)
    assert restore(tmp_path, "ftp") == made
    assert FTP.plan(restore(tmp_path, "ftp")) == FTP.plan(made)
    assert made.model == "VAX750"


def test_all_but_ftp_need_the_emulator_that_has_virtual_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stock = SimpleNamespace(exact=False)
    monkeypatch.setattr("vmkb.workloads.base.workload.choose", lambda name: stock)
    taken = []
    for name in names():
        with suppress(UsageError):
            workload(name).settings(NOTHING)
            taken.append(name)
    assert taken == ["ftp"]
    with pytest.raises(UsageError, match="Workload echo needs virtual time, .* builds it"):
        workload("echo").settings(NOTHING)


def test_full_is_the_published_cases_unless_others_are_named() -> None:
    workload = FTP.definition
    full = FTP.settings(Asked("full"))
    assert full.cases == tuple(c.id for c in workload.case if c.published)
    assert len(FTP.plan(full)) == 6 * 2 * full.trials * full.builds
    assert FTP.settings(Asked("full", cases=("P2M_A",))).cases == ("P2M_A",)


def test_defaults_are_the_workloads() -> None:
    made = FTP.settings(NOTHING)
    workload = FTP.definition
    assert (made.style, made.trials) == ("quick", workload.trials.quick)
    assert (made.model, made.wire) == (workload.model, workload.wire)
    assert workload.builds is not None
    assert (made.builds, made.emulator) == (workload.builds.quick, "")
    cases, releases = FTP.chosen(made)
    assert len(FTP.plan(made)) == len(cases) * len(releases) * made.trials * made.builds


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema_number": 2}', '{"schema_number": 1, "workload": "ftp"}']
)
def test_damaged_settings_are_refused_in_words(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    with pytest.raises(UsageError, match="run anew"):
        restore(tmp_path, "ftp")


def test_a_run_of_another_workload_is_refused(tmp_path: Path) -> None:
    save(FTP.settings(NOTHING), tmp_path)
    with pytest.raises(UsageError, match="a run of ftp, not of terminal"):
        restore(tmp_path, "terminal")


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(UsageError, match="Another vmkb"), locked(tmp_path):
        pass
    tmp_path.mkdir()
    with locked(tmp_path):
        pass


def test_of_a_run_that_never_began_no_folder_stays(tmp_path: Path) -> None:
    for name in ("nothing", "something"):
        (tmp_path / name).mkdir()
        with pytest.raises(UsageError, match="no such emulator"), locked(tmp_path / name):
            if name == "something":
                save(FTP.settings(NOTHING), tmp_path / name)
            raise UsageError("no such emulator")
    assert [path.name for path in tmp_path.iterdir()] == ["something"]


def test_what_ended_a_run_is_told_though_its_folder_is_gone(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the reason"), locked(tmp_path):
        shutil.rmtree(tmp_path)
        raise UsageError("the reason")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--case", "NOPE"], "There is no case NOPE"),
        (["--releases", "9"], "There is no release 9"),
        (["--model", "PDP10"], "no model"),
        (["--model", "4381"], "not available"),
        (["--wire", "string"], "no wire profile"),
        (["--wire", "ethernet-10"], "Wire ethernet-10 carries packets of 1500 bytes, and these"),
        (["--trials", "0"], "0 is not in the range"),
        (["--resume", "nowhere"], "no folder of a run"),
        (["--resume", "nowhere", "--full"], "give none with it"),
    ],
)
def test_usage_errors_are_sentences_and_exit_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(group, ["run", "ftp", *arguments])
    assert result.exit_code == 2
    assert said in result.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--case", "RLOGIN"],
            "There is no case RLOGIN; there are TELNET, TELNET CMU, SET HOST, LAT",
        ),
        (["--releases", "221,9"], "There is no release 9"),
        (["--model", "4381"], "not available"),
        (["--wire", "string"], "no wire profile"),
        (["--builds", "2"], "Workload terminal has no --builds"),
        (["--profile"], "Workload terminal has no --profile"),
    ],
)
def test_the_terminal_workload_refuses_in_sentences_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(group, ["run", "terminal", *arguments])
    assert result.exit_code == 2
    assert said in result.output
    assert list(tmp_path.iterdir()) == []


def test_terminal_defaults_are_the_workloads() -> None:
    made = TERMINAL.settings(Asked(cases=("set",)))
    assert (made.style, made.cases, made.releases) == ("quick", ("SET HOST",), ("221",))
    full = TERMINAL.settings(Asked("full", releases="213,221"))
    assert full.cases == ("TELNET", "TELNET CMU", "SET HOST", "LAT")
    assert full.releases == (
        "213",
        "221",
    )


def test_what_earlier_versions_kept_is_read(tmp_path: Path) -> None:
    """Each workload once kept the fields that it had."""
    kept = {"schema_number": 1, "workload": "terminal", "style": "quick", "trials": 6,
            "releases": ["221"], "cases": ["LAT"], "model": "VAX750", "wire": "ethernet-10",
            "emulator": "", "clock": "host"}  # fmt: skip
    (tmp_path / FILE_NAME).write_text(json.dumps(kept))
    asked = TERMINAL.settings(Asked(trials=6, cases=("LAT",)))
    assert restore(tmp_path, "terminal") == asked.model_copy(update={"fixed": False})


def test_a_workload_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    result = CliRunner().invoke(group, ["run", "rlogin"])
    assert result.exit_code == 2
    assert "There is no workload rlogin; there are " in result.output
    assert " serve, telnet, terminal." in result.output


def test_a_folder_with_a_run_is_not_written_over(tmp_path: Path) -> None:
    save(FTP.settings(NOTHING), tmp_path)
    result = CliRunner().invoke(group, ["run", "ftp", "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert "--resume" in result.output
