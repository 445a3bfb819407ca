# SPDX-License-Identifier: MIT
"""The figure of a case in each run of an archive, oldest run first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vmkb.accounting.stats import Estimate, mean_estimate
from vmkb.accounting.store import METADATA, MixError, check_clocks
from vmkb.accounting.store.dataset.read import query_archive
from vmkb.errors import VmkbError

#: What may differ from run to run: that is what is watched.
WATCHED = ("guest_image",)


class HistoryError(VmkbError, ValueError):
    """No history can be told; the sentence says what is missing."""


@dataclass(frozen=True)
class Run:
    """A run and its figure in us/KB, of the source called METHOD. meta: what was run on what."""

    name: str
    at: str
    figure: Estimate
    method: str
    meta: Mapping[str, str]


def histories(archive: Path, case: str, release: str = "", label: str = "") -> dict[str, list[Run]]:
    """The runs of CASE by release, each oldest first: the Total of its machines, or what LABEL
    names. HistoryError if there are none; QueryError, ArchiveError."""
    wanted = f"case_id = {_text(case)} AND machine <> 'SYSTEM' AND us_per_kb IS NOT NULL"
    wanted += f" AND release = {_text(release)}" if release else ""
    wanted += f" AND label = {_text(label)}" if label else ""
    _, rows = query_archive(
        archive,
        "SELECT run, release, any_value(method), list(x ORDER BY trial), list(s ORDER BY trial)"
        " FROM (SELECT run, release, trial, method, sum(us_per_kb) AS x, sum(step) AS s FROM costs"
        f" WHERE {wanted} GROUP BY ALL) GROUP BY run, release",
    )
    if not rows:
        raise HistoryError(_nothing(archive, case, release, label))
    _, said = query_archive(archive, 'SELECT run, key, "value" FROM runs')
    meta: dict[str, dict[str, str]] = {}
    for run, key, value in said:
        meta.setdefault(run, {})[key] = value
    found: dict[str, list[Run]] = {}
    for run, of, method, values, steps in rows:
        about = meta.get(run, {})
        around = [(x - step, x + step) for x, step in zip(values, steps, strict=True)]
        figure = mean_estimate(values, bounds=around, step=max(steps))
        found.setdefault(of, []).append(Run(run, about.get("at", ""), figure, method, about))
    for runs in found.values():
        runs.sort(key=lambda r: (r.at, r.name))
    return dict(sorted(found.items()))


def _text(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def _nothing(archive: Path, case: str, release: str, label: str) -> str:
    """A sentence that names what an archive has, when it lacks what was asked for."""
    for column, value in (("case_id", case), ("release", release), ("label", label)):
        _, rows = query_archive(archive, f"SELECT DISTINCT {column} FROM costs ORDER BY 1")
        known = [r[0] for r in rows]
        if value and value not in known:
            what = column.removesuffix("_id")
            return f"{archive} has no {what} {value}; it has {', '.join(known[:20]) or 'none'}"
    return f"{archive} has no costs per KB of case {case} as asked for"


def check_alike(runs: Sequence[Run], allow: Iterable[str]) -> None:
    """Refuse runs that do not belong into one history. MixError names what differs."""
    allowed = set(allow)
    check_clocks(r.meta for r in runs)
    for key in (*METADATA, "method"):
        if key in WATCHED or key in allowed:
            continue
        values = {r.method if key == "method" else r.meta.get(key, "(not recorded)") for r in runs}
        if len(values) > 1:
            what = key.replace("_", " ")
            raise MixError(
                f"{what} differs: {', '.join(sorted(values))}; such runs are not one history;"
                f" --allow {key} if that is meant"
            )
