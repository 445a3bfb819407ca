# SPDX-License-Identifier: MIT
"""Writes a workload's luck.toml: what builds do to the ratio of its releases, from a run of many.

vmkb run ftp --builds 8 --trials 3 --out DIR && python -m vmkb.workloads.luck DIR
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean, stdev

from vmkb.accounting.analysis.analyse import Analysis
from vmkb.accounting.counter import BUILD
from vmkb.accounting.store import read
from vmkb.accounting.tables.group import paired
from vmkb.accounting.tables.lines import RATE
from vmkb.workloads.base.found import FOLDER
from vmkb.workloads.base.report import analysed


def by_build(found: Analysis) -> dict[tuple[str, str], dict[str, float]]:
    """The logarithm of each ratio of Totals and parts, by case and row, then by build; mean over
    the seeds."""
    made: dict[tuple[str, str], dict[str, float]] = {}
    for known in found.comparison.lines.values():
        if known.base is None or known.is_base or known.line.label == RATE:
            continue
        logs: dict[str, list[float]] = defaultdict(list)
        for base, new in paired(known.base, known.column):
            before, after = known.line.measure(base), known.line.measure(new)
            if before and after and before.value > 0 and after.value > 0:
                ratio = math.log(after.value / before.value)
                logs[new.trial.params.get(BUILD, "1")].append(ratio)
        key = known.column.case, known.line.label
        made[key] = {build: fmean(xs) for build, xs in logs.items()}
    return made


def written(found: Analysis, measured: str) -> str:
    """luck.toml as text; ValueError where there are fewer than three builds of each release."""
    each = by_build(found)
    builds = min((len(xs) for xs in each.values()), default=0)
    if builds < 3:
        raise ValueError(f"luck is told by three builds at least, here are {builds}")
    lines = [
        "# SPDX-License-Identifier: MIT",
        "# Standard deviation between builds of the ratio of two releases, percent, by case and",
        "# row. python -m vmkb.workloads.luck writes this file from a run of many builds.",
        f"builds = {builds}",
        f'measured = "{measured}"',
    ]
    for case in dict.fromkeys(case for case, _ in each):
        lines += ["", f"[deviation_percent.{case}]"]
        for (of, row), ratios in each.items():
            if of == case:
                deviation = 100 * stdev(ratios.values())
                lines.append(f'"{row}" = {deviation:.4f}')
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the file beside the workload's own."""
    results = read(Path(sys.argv[1]))
    found = analysed(results.trials)
    meta = found.trials[0].meta
    begun = min(results.begun.values(), default="")[:10]
    measured = f"{begun}, {meta['emulator']} {meta['emulator_version']}, {meta['counter']} counter"
    path = FOLDER / meta["workload"] / "luck.toml"
    path.write_text(written(found, measured), "utf-8")
    print(path)


if __name__ == "__main__":
    main()
