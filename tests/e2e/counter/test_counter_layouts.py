# SPDX-License-Identifier: MIT
"""The same object code in several layouts, its functions put in other orders by the linker: on the
exact counter the same work counts the same. On a stock counter it does not: both are printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e import cms_guest, system
from tests.e2e.cms_guest import Cms
from vmkb.accounting.store import read
from vmkb.accounting.tables.lines import RATE
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.choice import CHOICE, EXACT, STOCK, choose
from vmkb.hercules.guest import Guest, load_guest
from vmkb.workloads.base.report import analysed

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(900)]

LAYOUTS = range(int(os.environ.get("VMKB_LAYOUTS", "2")))
"""Seeds; 0 is the guest as it is delivered. VMKB_LAYOUTS=10 gave what docs/reference/counter.md
says; each takes a quarter of a minute."""
DELIVERED = 0
SYSTEMS = "cms ftpserve tcpip221"
LINKED_WITHIN = 800
AGREE = 0.05
"""Percent of the least that counts of the same work may be apart."""
TRANSFERS_AGREE = 3.0
"""Percent: the code's addresses decide a few compares, and the few instructions decide whether the
client finds the next acknowledgement there or waits for it: 1.9 of CP's part was seen. A batching
counter is wrong by up to 12."""
MODEL = "MODEL=2064-109"
"""Ready tells time by counts then: no digit of it depends on the host."""
COMMANDS = ("exec sums 3000", "listfile * * s (label", "type lines text")
TIMES = 5
PUT = ("run", "ftp", "--case", "P2M_B", "--releases", "221", "--builds", "2", "--trials", "1")
ROOT = str(load_guest("vmkb").folder.parents[1])
FULL = re.compile(r"(VIRT|TOTAL) +\d+ US (\d+) INSTR")

Counts = dict[str, int]


@pytest.fixture(scope="module")
def layouts() -> dict[int, Guest]:
    """The guest in each layout, linked from the objects that are there if it is not up to date."""
    guest = load_guest("vmkb")
    guest.check_built()
    made = {DELIVERED: guest}
    for seed in LAYOUTS[1:]:
        folder = f"build/layout-{seed}"
        ran = subprocess.run(
            ["make", "-s", "-j2", f"PYTHON={sys.executable}", f"B={folder}", "O=build",
             f"LAYOUT={seed}", f"NSS={SYSTEMS}", f"{folder}/vmkb.ins"],
            cwd=guest.folder, capture_output=True, text=True, timeout=LINKED_WITHIN,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        made[seed] = guest.with_image(f"{folder}/vmkb.ins")
    return made


def count_with(counter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An emulator with that counter runs, and all volumes are of one moment: LISTFILE's work
    depends on the digits of the files' dates."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time())))
    monkeypatch.setenv(CHOICE, counter)
    try:
        choose()
    except EmulatorError as error:
        pytest.skip(str(error))


def full(lines: list[str] | tuple[str, ...]) -> Counts:
    """The counts of QUERY TIME (FULL."""
    return {m[1]: int(m[2]) for m in map(FULL.match, lines) if m}


def commands(folder: Path) -> Counts:
    """The least that each command counts of TIMES, the machine's part and with CP's."""
    least: Counts = {}
    with cms_guest.booted(folder, {"user1/sums.exec": sums()}, parameter=MODEL) as booted:
        user = Cms(booted, 0x0701, "USER1")
        for command in COMMANDS:
            user.run(command)
            for _ in range(TIMES):
                before = full(user.run("query time (full"))
                user.run(command)
                after = full(user.run("query time (full"))
                for part, count in after.items():
                    name = f"{command.upper()}, {part}"
                    grown = count - before[part]
                    least[name] = min(least.get(name, grown), grown)
        user.close()
    return least


def sums() -> str:
    """SUMS EXEC as it is delivered."""
    (path,) = (load_guest("vmkb").folder / "volume").rglob("sums.exec")
    return path.read_text("ascii")


def transfer(folder: Path) -> dict[str, dict[str, float]]:
    """CPU per KB of a PUT of 2 MB by row, then by the program that ran, all from the same seed."""
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", *PUT, "--out", str(folder)], cwd=folder.parent,
        capture_output=True, text=True, timeout=LINKED_WITHIN,
        env={**os.environ, "PYTHONPATH": ROOT},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, float]] = {}
    for known in analysed(read(folder).trials).comparison.lines.values():
        for trial in known.column.trials:
            measured = known.line.measure(trial)
            if measured and known.line.label != RATE:
                program = trial.trial.params["program"]
                found.setdefault(known.line.label, {})[program] = measured.value
    return found


def spread(found: dict[int, Counts]) -> dict[str, float]:
    """Percent between the least and the most of the layouts."""
    names = next(iter(found.values()))
    columns = {name: [counts[name] for counts in found.values()] for name in names}
    return {name: 100 * (max(c) - min(c)) / min(c) for name, c in columns.items()}


def show(counter: str, found: dict[int, Counts]) -> None:
    least = {name: min(c[name] for c in found.values()) for name in found[LAYOUTS[0]]}
    for name, percent in spread(found).items():
        print(f"{counter:5} {name:40} least {least[name]:>10} apart {percent:7.3f} %")


@pytest.mark.parametrize("counter", [EXACT, STOCK])
def test_commands_in_several_layouts(
    layouts: dict[int, Guest], counter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_with(counter, monkeypatch)
    found = {}
    for seed, guest in layouts.items():
        monkeypatch.setattr(system, "load_guest", lambda name, guest=guest: guest)
        found[seed] = commands(tmp_path / str(seed))
    show(counter, found)
    apart = spread(found)
    own = {name: percent for name, percent in apart.items() if name.endswith("VIRT")}
    if counter == EXACT:
        assert own == dict.fromkeys(own, 0.0)
        assert apart["EXEC SUMS 3000, TOTAL"] <= AGREE
    else:
        assert max(own.values()) > AGREE, "layouts that differ in nothing are one layout"


def test_a_transfer_in_several_layouts_costs_nearly_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_with(EXACT, monkeypatch)
    found = transfer(tmp_path / "r")
    apart = {row: 100 * (max(c.values()) / min(c.values()) - 1) for row, c in found.items()}
    print(apart)
    assert {len(c) for c in found.values()} == {2}, "each build is a program of its own"
    assert max(apart.values()) <= TRANSFERS_AGREE, apart
