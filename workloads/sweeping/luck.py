# SPDX-License-Identifier: MIT
"""Writes a workload's luck.toml: what builds do to the ratio of its releases, from a run of many.

vmkb run ftp --builds 24 --trials 1 --out DIR && python -m vmkb.workloads.sweeping.luck DIR
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, variance

from vmkb.accounting.analysis.analyse import Analysis
from vmkb.accounting.counter import BUILD, COMPILED
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
    """luck.toml as text; ValueError unless there are three builds with each of the compiler's
    options."""
    each = by_build(found)
    options = {t.params.get(BUILD, "1"): t.params.get(COMPILED, "") for t in found.trials}
    builds = min((len(xs) for xs in each.values()), default=0)
    made = len(set(options.values()))
    if builds < 3 * made:
        raise ValueError(f"luck is told by {3 * made} builds at least, here are {builds}")
    lines = [
        "# SPDX-License-Identifier: MIT",
        "# Standard deviation of the ratio of two releases between builds with the same options of",
        "# the compiler, percent, by case and row.",
        "# python -m vmkb.workloads.sweeping.luck writes this file.",
        f"builds = {builds}",
        f"options = {made}",
        f'measured = "{measured}"',
    ]
    for case in dict.fromkeys(case for case, _ in each):
        lines += ["", f"[deviation_percent.{case}]"]
        for (of, row), ratios in each.items():
            if of == case:
                deviation = 100 * math.sqrt(_between(ratios, options))
                lines.append(f'"{row}" = {deviation:.4f}')
    return "\n".join(lines) + "\n"


def _between(ratios: Mapping[str, float], options: Mapping[str, str]) -> float:
    """Variance between builds with the same OPTIONS, whose RATIOS are by build."""
    alike: dict[str, list[float]] = defaultdict(list)
    for build, ratio in ratios.items():
        alike[options[build]].append(ratio)
    squares = sum(variance(xs) * (len(xs) - 1) for xs in alike.values() if len(xs) > 1)
    return squares / (len(ratios) - len(alike))


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
