# SPDX-License-Identifier: MIT
"""The sweep table: how cost, rate and utilization move with one parameter of the cases."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import throughput, total_cpu, value
from vmkb.accounting.tables.group import columns, configuration, said
from vmkb.accounting.tables.listing import listing, series
from vmkb.accounting.tables.table import Plot, Table, TableError
from vmkb.accounting.tables.utilization import busy_sum

_NUMBER = re.compile(r"^\s*([\d.]+)\s*([KMG]?)")
_SCALE = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


def magnitude(text: str) -> float:
    """The number that a parameter begins with: 24 KB is 24576; infinity for a word."""
    match = _NUMBER.match(text)
    return float(match[1]) * _SCALE[match[2]] if match and match[1] != "." else float("inf")


def sweep_table(costs: Sequence[TrialCost], parameter: str) -> Table:
    """One line per value of PARAMETER and release, in order of size. TableError if none has it."""
    swept = [c for c in columns(costs) if c.trials[0].trial.params.get(parameter)]
    if not swept:
        known = sorted({k for c in costs for k in c.trial.params})
        raise TableError(
            f"no trial has a parameter {parameter!r}; there are {', '.join(known) or 'none'}"
        )
    values: dict[int, str] = {id(c): c.trials[0].trial.params[parameter] for c in swept}
    swept.sort(key=lambda c: (magnitude(values[id(c)]), values[id(c)]))
    where, per = configuration(costs), swept[0].per
    lines = series(
        (f"{c.release} {c.mode}".strip(), magnitude(values[id(c)]), c.estimate(total_cpu))
        for c in swept
        if c.has(total_cpu)
    )
    made = listing(
        "sweep", f"Sweep over {parameter}", swept,
        [
            (parameter, lambda c: values[id(c)]),
            ("Release", lambda c: c.release),
            ("Mode", lambda c: c.mode or c.case),
            ("Rate", lambda c: value(throughput)(c.trials)),
            ("CPU", lambda c: value(total_cpu)(c.trials)),
            ("Busy", lambda c: value(busy_sum)(c.trials)),
            ("n", lambda c: str(len(c.trials))),
        ],
        [*([f"Configuration: {where}."] if where else []), *said(costs)], keys=2,
        plots=(Plot("lines", f"CPU per {per} over {parameter}", f"us/{per}", lines,
                    x_title=parameter),) if lines else (),
    )  # fmt: skip
    assert made is not None
    return made
