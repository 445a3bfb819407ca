# SPDX-License-Identifier: MIT
"""Workloads are found, not listed; each is what workloads.base says that one is."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vmkb.errors import UsageError
from vmkb.guests.base import Ability, Role, driver, refusal
from vmkb.guests.vmkb.driver import VmkbDriver
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.definition import choose_cases, choose_releases
from vmkb.workloads.base.found import FOLDER, names, workload
from vmkb.workloads.base.settings import Asked

FORMATS = {"terminal"}
"""Names of output formats, which a workload may be called, too."""


def words(path: Path) -> Iterator[str]:
    """What a file imports, and its texts but for the documentation of what is in it."""
    tree = ast.parse(path.read_text("utf-8"))
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body and isinstance(node.body[0], ast.Expr)
    }  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and id(node) not in documents:
            yield str(node.value)


@pytest.mark.parametrize("folder", ["cli", "base"])
def test_the_command_and_the_base_name_no_workload(folder: str) -> None:
    found = []
    for path in sorted((FOLDER / folder).glob("*.py")):
        for text in words(path):
            for name in names():
                imported = text.startswith(f"workloads.{name}")
                called = text == name and name not in FORMATS
                run = f"run {name}" in text or f"workload {name}" in text
                if imported or called or run:
                    found.append((path.name, text))
    assert found == []


def test_every_folder_with_its_toml_is_one(tmp_path: Path) -> None:
    for file in ("b/b.toml", "a/a.toml", "a/luck.toml", "c/other.toml", "d/d.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    assert names(tmp_path) == ("a", "b")
    assert {"echo", "ftp", "terminal"} <= set(names())
    assert "measuring" not in names()  # what `measure` keeps is no workload


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("style", ["quick", "full"])
def test_each_says_what_it_is_and_plans_what_it_says(name: str, style: str) -> None:
    found = workload(name)
    assert found.name == name and found.question.endswith("?")
    assert refusal(driver(load_guest("vmkb")), found.roles) == ""
    settings = found.settings(Asked(style))
    plan = found.plan(settings)
    assert [p.seq for p in plan] == list(range(1, len(plan) + 1))
    heads = [head for p in plan for head in found.heads(p)]
    assert len(heads) == len(set(heads)) > 0
    cases, releases = found.chosen(settings)
    assert {p.case.id for p in plan} == {c.id for c in cases}
    assert {p.release.name for p in plan} == {r.name for r in releases}


@pytest.mark.parametrize("name", names())
def test_only_the_options_that_it_has(name: str) -> None:
    found = workload(name)
    of_linux = {  # what serve has of other guests than the one that it has without --guest
        "profile": "profiles Linux only: add --guest linux",
        "builds": "VM/KB, lwIP 2.1.3 has one build: leave out --builds",
    }
    for option, asked in (("builds", Asked(builds=2)), ("profile", Asked(profile=True))):
        if name == "serve":
            with pytest.raises(UsageError, match=of_linux[option]):
                found.settings(asked)
        elif option in found.options:
            assert getattr(found.settings(asked), option)
        else:
            with pytest.raises(UsageError, match=f"Workload {name} has no --{option}"):
                found.settings(asked)


def test_looking_for_workloads_imports_none() -> None:
    code = (
        "import sys, vmkb.workloads.base.found as f; f.names(); [f.question(n) for n in f.names()];"
        "print([m for m in sys.modules if"
        " m.startswith(tuple('vmkb.workloads.' + n for n in f.names())) or m == 'pydantic'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_to_report_a_run_imports_nothing_that_runs_guests_or_draws() -> None:
    code = (
        "import sys, vmkb.accounting.report.formats, vmkb.accounting.solve\n"
        "import vmkb.workloads.base.report\n"
        "from vmkb.workloads import echo, ftp, line, pages, rpc\n"
        "heavy = {'asyncio', 'duckdb', 'jinja2', 'matplotlib', 'numpy', 'psutil'}\n"
        "guests = {'vmkb.hercules.guest', 'vmkb.workloads.base.lab'}\n"
        "print(sorted((heavy | guests) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_guest_that_cannot_play_a_role_is_refused_in_words(tmp_path: Path) -> None:
    guest = load_guest("vmkb").model_copy(update={"name": "other", "folder": tmp_path})
    role = Role("file server", frozenset({Ability.FTP, Ability.FILES}))
    said = refusal(driver(guest), [role])
    assert said.startswith("Guest 'other' cannot be the file server: it does not ")
    assert refusal(driver(guest), [Role("onlooker", frozenset())]) == ""


def test_who_asks_is_asked_inmost() -> None:
    guest = VmkbDriver(load_guest("vmkb"))
    before, after = guest.cpu_questions(["TCPIP", "ME", "*SYSTEM"], "ME")
    assert before == ["QUERY ACNT", "QUERY TIME TCPIP (FULL", "QUERY TIME SYSTEM (FULL",
                      "QUERY TIME ME (FULL"]  # fmt: skip
    assert after == before[::-1]
    assert guest.cpu_questions(["*SYSTEM", "TCPIP"])[0][-1] == "QUERY TIME SYSTEM (FULL"


def test_cases_and_releases_are_named_the_same_way_everywhere() -> None:
    known = workload("terminal").definition
    assert [c.id for c in choose_cases(known.case, ["set_h", "LAT"])] == ["SET HOST", "LAT"]
    assert [r.name for r in choose_releases(known, "")] == list(known.usual_releases)
    with pytest.raises(UsageError, match="name each release once"):
        choose_releases(known, "221,221")
