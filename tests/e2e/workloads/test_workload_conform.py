# SPDX-License-Identifier: MIT
"""vmkb run conform on real guests: lwIP passes, and faults that are put into it are found by the
checks that are for them, by no other, with a capture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.e2e.workloads.test_workload_own import run_of
from tests.guests.release.lwip import copied
from vmkb.accounting.input.capture.files import packets
from vmkb.accounting.store import read

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
IN, OUT = "tcp_in.c", "tcp_out.c"
RESET = "if (seqno == pcb->rcv_nxt) {\n        acceptable = 1;"
FAULTS: Mapping[str, tuple[str, str, str]] = {
    # a reset anywhere in the window is taken for the peer's
    "RSTWIN": (
        IN, RESET, RESET.replace("seqno == pcb->rcv_nxt", "seqno - pcb->rcv_nxt < pcb->rcv_wnd")
    ),
    # a SYN on a connection is not answered
    "HALFOPEN": (IN, "remote end crashed */\n    tcp_ack_now(pcb);", "remote end crashed */"),
    # a window that is closed is not probed
    "ZEROWIN": (
        OUT, "tcp_zero_window_probe(struct tcp_pcb *pcb)\n{\n",
        "tcp_zero_window_probe(struct tcp_pcb *pcb)\n{\n  if (pcb) return ERR_OK;\n",
    ),
}  # fmt: skip
OLD = "  if (TCP_SEQ_LT(ackno, pcb->lastack)) return;\n"


def spoilt(folder: Path, faults: Mapping[str, tuple[str, str, str]]) -> None:
    """A lwIP in FOLDER with these FAULTS."""
    core = copied(folder) / "src" / "core"
    for file, was, now in faults.values():
        text = (core / file).read_text("utf-8").replace("\r\n", "\n")
        assert text.count(was) == 1, was
        (core / file).write_text(text.replace(was, now), "utf-8")


def passed(folder: Path) -> dict[tuple[str, str], bool]:
    """Release and case of each trial, and whether it passed."""
    return {(t.release, t.case): not t.params["said"] for t in read(folder).trials}


def test_each_fault_is_found_by_its_check_alone(tmp_path: Path) -> None:
    spoilt(tmp_path / "lwip", FAULTS)
    done = run_of(
        "conform", tmp_path, "--releases", "221,bad=lwip", "--trials", "1", "--out", "r",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = passed(tmp_path / "r")
    failed = {case for (release, case), good in found.items() if not good}
    assert failed == set(FAULTS)
    assert {release for (release, _), good in found.items() if not good} == {"BAD"}
    assert f"221 passes {len(found) // 2} of {len(found) // 2}" in done.stdout
    captures = sorted(p.name for p in (tmp_path / "r" / "transcripts").glob("*.pcapng"))
    assert captures == sorted(f"{case}BAD-1.pcapng" for case in FAULTS)
    for name in captures:
        assert len(list(packets(tmp_path / "r" / "transcripts" / name))) > 5


@pytest.mark.parametrize("ip", ["4", "6"])
def test_data_that_is_dropped_for_its_old_acknowledgement_is_found(ip: str, tmp_path: Path) -> None:
    """A fault that smoltcp 0.13.1 has. Nothing else fails, over either IP."""
    data = "  if ((tcplen > 0) && (pcb->state < CLOSE_WAIT)) {"
    spoilt(tmp_path / "lwip", {"OLDACK": (IN, data, OLD + data)})
    done = run_of(
        "conform", tmp_path, "--releases", "bad=lwip", "--ip", ip, "--case", "OLDACK", "--case",
        "HALFOPEN", "--trials", "1", "--out", "r",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "BAD passes 1 of 2, not OLDACK." in done.stdout
    assert "OLDACK: drops data" in done.stderr
