# SPDX-License-Identifier: MIT
"""The same object code in several layouts, its functions put in other orders by the linker: on the
exact counter the same work counts the same. On a stock counter it does not: both are printed."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e import cms_guest, net_guest, system
from tests.e2e.cms_guest import Cms
from tests.e2e.net_guest import get, put
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.choice import CHOICE, EXACT, STOCK, choose
from vmkb.hercules.guest import Guest, load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(900)]

LAYOUTS = range(1, 1 + int(os.environ.get("VMKB_LAYOUTS", "4")))
"""Seeds. VMKB_LAYOUTS=10 gave what docs/reference/counter.md says; four are a minute less."""
SYSTEMS = "cms ftpserve tcpip221"
LINKED_WITHIN = 300
AGREE = 0.05
"""Percent of the least that counts of the same work may be apart."""
TRANSFERS_AGREE = 4.0
"""Percent: when segments come, and in how many blocks, differs from one transfer to another, beside
four busy processes on two cores by 1 to 3 percent. A batching counter is wrong by up to 12."""
MODEL = "MODEL=2064-109"
"""Ready tells time by counts then: no digit of it depends on the host."""
COMMANDS = ("exec sums 3000", "listfile * * s (label", "type lines text")
TIMES = 5
TRANSFER = 2 << 20
FULL = re.compile(r"(VIRT|TOTAL) +\d+ US (\d+) INSTR")

Counts = dict[str, int]


@pytest.fixture(scope="module")
def layouts() -> dict[int, Guest]:
    """The guest in each layout, linked from the objects that are there if it is not up to date."""
    guest = load_guest("vmkb")
    guest.check_built()
    made = {}
    for seed in LAYOUTS:
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


def transfers(folder: Path) -> Counts:
    """What a transfer of 2 MB between guest and host counts, TCPIP and FTPSERVE: the middle of
    TIMES, since a busy host may give one all its blocks at once."""
    data = os.urandom(TRANSFER)
    counted: dict[str, list[int]] = {}
    with net_guest.net_guest(folder, parameter="") as net, net.ftp() as ftp:
        moves: dict[str, Callable[[], object]] = {
            "PUT": lambda: put(ftp, "TWO.MB", data), "GET": lambda: get(ftp, "TWO.MB")
        }  # fmt: skip
        for _ in range(TIMES):
            for move, run in moves.items():
                for part, grown in during(net, run).items():
                    counted.setdefault(f"{move} 2 MB, {part}", []).append(grown)
    return {name: statistics.median_low(found) for name, found in counted.items()}


def during(net: net_guest.NetGuest, run: Callable[[], object]) -> Counts:
    """What TCPIP and FTPSERVE have counted meanwhile."""

    def now() -> Counts:
        return {
            f"{user} {part}": count
            for user in ("TCPIP", "FTPSERVE")
            for part, count in full(net.console.ask(f"QUERY TIME {user} (FULL")).items()
        }

    before = now()
    run()
    return {name: count - before[name] for name, count in now().items()}


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


def test_transfers_in_several_layouts(
    layouts: dict[int, Guest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_with(EXACT, monkeypatch)
    found = {}
    for seed, guest in layouts.items():
        monkeypatch.setattr(system, "load_guest", lambda name, guest=guest: guest)
        found[seed] = transfers(tmp_path / str(seed))
    show(EXACT, found)
    # a get is left out: how many acknowledgements come is the host's affair
    puts = {name: percent for name, percent in spread(found).items() if "PUT" in name}
    assert max(puts.values()) <= TRANSFERS_AGREE, puts
