# SPDX-License-Identifier: MIT
"""The head of a trial's results."""

from __future__ import annotations

from collections.abc import Mapping

from vmkb.accounting.store import Trial
from vmkb.workloads.base.workload import Stage
from vmkb.workloads.dxu.plan import Planned
from vmkb.workloads.dxu.readout import Work

TITLES = {
    1: "Table 1. Baseline Measurements", 2: "Table 2. TCP DXU Measurements",
    3: "Table 3. Rx DXU Measurements", 4: "Table 4. AFS DXU Measurements",
    5: "Table 5. Clientload Benchmark",
}  # fmt: skip


def head_of(
    stage: Stage[Planned], planned: Planned, parts: Mapping[str, str], work: Work,
    more: Mapping[str, str] | None = None,
) -> Trial:  # fmt: skip
    """The head of a trial in which WORK was done; PARTS are its machines, by what a table calls
    them; MORE is what else is known of it."""
    case = planned.case
    return Trial(
        id=planned.id, run=stage.run_id, case=case.id, release=planned.release.name,
        pair=planned.pair, seq=planned.seq, table=TITLES[case.table], run_id=case.id,
        parts=dict(parts), data=work.data, elapsed=work.elapsed,
        params={
            "kind": case.kind, "table": str(case.table), "title": case.title,
            "row": case.row, "bytes": str(case.bytes), "files": str(planned.files),
            "senders": str(len(case.pairs or case.clients)), "case_mtu": str(planned.mtu),
            "held": str(case.held) if case.held else "",
            "wire": case.wire, "disk": "yes" if case.disk else "",
            "beside_mvs": "yes" if case.load else "",
            "monitored": "yes" if planned.monitored else "",
            **(more or {}),
        },
    )  # fmt: skip
