# SPDX-License-Identifier: MIT
"""What does not run cannot move a figure: code of commands, names, paths and dates, other cases."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.e2e.workloads.test_workload_own_vmkb import clone, put, vmkb
from tests.guests.release.lwip import copied
from vmkb.accounting.costs import costs
from vmkb.accounting.models import model
from vmkb.accounting.records import Record, Source, Unit, Value
from vmkb.accounting.store import read

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(900),
              pytest.mark.usefixtures("emulator_needed")]  # fmt: skip
__all__ = ["clone"]
CASES = ("--case", "G24KB", "--case", "P2M_B")
ONCE = ("--trials", "1", "--builds", "1", "--out", "r")
MORE = "static char more[{size}];\n"
GIVEN = "char given_more[3000] = {1, 2, 3};\n"
"""Of CP alone: commands of CMS have no data with a first value, which IPL would copy."""
BODY = """\
    for (unsigned i = 0; i < sizeof(more); i++)
        more[i] += (char)(3 * i);
"""
EDITS = {
    "cp/commands/sleep.c": ("int cmd_sleep(struct cmd *c)\n{\n", 70_000),
    "cp/spool/spool_queue.c": ("void spool_purge(struct spool_file *f)\n{\n", 40_000),
    "cms/xedit/session.c": ("int cmd_xedit(struct cms_arg *arg)\n{\n", 5_000),
    "cms/settings/globalv.c": ("int cmd_globalv(struct cms_arg *arg)\n{\n", 700),
}
COMMAND = """\
/* SPDX-License-Identifier: MIT */
/* ABCDE and FTQ: nothing. */
#include "commands.h"

CMS_COMMAND("ABCDE", 2, cmd_abcde);
CMS_COMMAND("FTQ", 3, cmd_ftq);

int cmd_abcde(struct cms_arg *arg)
{
    cms_say("%s", arg->name);
    return 0;
}

int cmd_ftq(struct cms_arg *arg)
{
    return cmd_abcde(arg);
}
"""


def counts(records: Sequence[Record]) -> list[tuple[str, str, float]]:
    """All counts of a trial."""
    wanted = (Unit.INSTR, Unit.BYTE, Unit.COUNT)
    return [
        (r.kind, name, value.value)
        for r in records if r.kind != "world"
        for name, value in r.fields.items() if isinstance(value, Value) and value.unit in wanted
    ]  # fmt: skip


def by_release(folder: Path) -> dict[str, dict[str, list[tuple[str, str, float]]]]:
    """The counts of each case, by release."""
    found: dict[str, dict[str, list[tuple[str, str, float]]]] = {}
    for trial in read(folder).trials:
        found.setdefault(trial.release, {})[trial.case] = counts(trial.records)
    return found


def test_code_that_no_case_runs_moves_no_count(clone: Path, tmp_path: Path) -> None:
    for name, (head, size) in EDITS.items():
        put(clone, (name, head), MORE.format(size=size) + GIVEN * (name == "cp/commands/sleep.c"))
        put(clone, (name, head), BODY, behind=True)
    (clone / "guests" / "vmkb" / "cms" / "commands" / "abcde.c").write_text(COMMAND)
    done = vmkb(tmp_path, "run", "ftp", "--releases", f"221,EDIT={clone}", *CASES, *ONCE)
    assert done.returncode == 0, done.stderr
    assert "CPU per KB is exactly the same in all 2 cases." in " ".join(done.stdout.split())
    spent = {
        (c.trial.release, c.trial.case): [
            (p.label, p.instructions, p.moved, p.cpu) for p in c.parts
        ]
        for c in costs(read(tmp_path / "r").trials, Source.IC, model("2064-109"))
    }
    for case in CASES[1::2]:
        assert spent["221", case] == spent["EDIT", case]
    programs = {t.release: t.params["program"] for t in read(tmp_path / "r").trials}
    assert programs["221"] != programs["EDIT"]


def test_names_places_paths_and_dates_move_no_count(tmp_path: Path) -> None:
    paths = tmp_path / "l", tmp_path / "a much longer path to the same"
    for path in paths:
        copied(path)
    for path in paths[1].rglob("*"):
        os.utime(path, (1e9, 1e9))
    done = vmkb(tmp_path, "run", "ftp", "--releases", f"A={paths[0]},213,LONGNAME={paths[1]},221",
                *CASES, *ONCE)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = by_release(tmp_path / "r")
    assert found["A"] == found["LONGNAME"] == found["221"] != found["213"]
    assert " ".join(done.stdout.split()).count("is exactly the same in all 2 cases") == 2


def test_a_case_does_not_depend_on_the_others(tmp_path: Path) -> None:
    words = ("run", "ftp", "--guest", "vmkb,vmkb", "--trials", "1")
    every = vmkb(tmp_path, *words, "--case", "G24KB", "--case", "P24KB", "--out", "all")
    alone = vmkb(tmp_path, *words, "--case", "P24KB", "--out", "one")
    assert every.returncode == alone.returncode == 0, every.stderr + alone.stderr
    among, one = by_release(tmp_path / "all"), by_release(tmp_path / "one")
    assert one and {r: {"P24KB": c["P24KB"]} for r, c in among.items()} == one
