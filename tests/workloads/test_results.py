# SPDX-License-Identifier: MIT
"""What a run says of its emulator's counter, and what a resumed run must agree in."""

from __future__ import annotations

from pathlib import Path

import pytest

from vmkb.accounting.records import Record, Where
from vmkb.accounting.store import Store, Trial
from vmkb.errors import UsageError
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.emulator.dialect import dialect
from vmkb.workloads.base.results import counter_doubts, emulator_metadata, good_trials, layout_error

DEBIAN = dialect("hercules-3.13")
EXACT = Emulator(Path("/x/hercules"), DEBIAN, "3.13", "exact", "0123456789ab")
STOCK = Emulator(Path("/y/hercules"), DEBIAN, "3.13", "stock 3.13")
SDL = Emulator(Path("/z/hercules"), dialect("sdl-hyperion-4"), "4.9.0.0", "exact")
SAID = "LAYOUT ERROR 0005.93 PERCENT WORST 0011.85 LAYOUTS 0256 COUNTER BATCHED"


def told(counter: str) -> list[Record]:
    return [Record("connect", {"counter": counter} if counter else {}, "", Where("t"))]


def test_the_worst_layout_is_what_counts() -> None:
    assert layout_error(f"cp calibrate layout\n{SAID}\nReady;") == "11.85"
    with pytest.raises(EmulatorError, match="HCPCMD001E"):
        layout_error("HCPCMD001E Unknown CP command: CALIBRATE")


@pytest.mark.parametrize(
    ("emulator", "counter", "doubts"),
    [(EXACT, "EXACT", 0), (EXACT, "BATCHED", 1), (STOCK, "BATCHED", 0), (STOCK, "", 0)],
)
def test_cps_own_check_must_agree(emulator: Emulator, counter: str, doubts: int) -> None:
    found = counter_doubts(told(counter), emulator)
    assert len(found) == doubts
    assert not doubts or "BATCHED" in found[0]


def test_a_run_is_not_resumed_on_another_counter(tmp_path: Path) -> None:
    meta = {**emulator_metadata(EXACT), "guest_image": "1"}
    store = Store(tmp_path)
    store.begin_run("r", meta, "2026-11-22T00:00:00")
    store.begin_trial(Trial(id="t", run="r", case="C", release="1", parts={}))
    store.end_trial("t")
    assert good_trials(tmp_path, meta) == {"t"}
    other = {**meta, **emulator_metadata(STOCK)}
    with pytest.raises(UsageError, match="counted by the exact counter, now it is the stock 3.13"):
        good_trials(tmp_path, other)


def test_a_run_is_not_resumed_on_another_clock(tmp_path: Path) -> None:
    meta = {**emulator_metadata(EXACT), "guest_image": "1"}
    store = Store(tmp_path)
    store.begin_run("r", {**meta, "clock": "virtual"}, "2026-11-22T00:00:00")
    store.begin_trial(Trial(id="t", run="r", case="C", release="1", parts={}))
    store.end_trial("t")
    assert good_trials(tmp_path, {**meta, "clock": "virtual"}) == {"t"}
    for now in ({**meta, "clock": "host"}, meta):
        with pytest.raises(UsageError, match="ran on the virtual clock, now it is the host clock"):
            good_trials(tmp_path, now)


def test_a_run_is_not_resumed_on_another_emulator_that_counts_as_well(tmp_path: Path) -> None:
    meta = {**emulator_metadata(EXACT), "guest_image": "1"}
    store = Store(tmp_path)
    store.begin_run("r", meta, "2026-11-22T00:00:00")
    store.begin_trial(Trial(id="t", run="r", case="C", release="1", parts={}))
    store.end_trial("t")
    with pytest.raises(UsageError, match=r"ran on Hercules 3\.13, now it is SDL Hyperion 4\.9"):
        good_trials(tmp_path, {**meta, **emulator_metadata(SDL)})
