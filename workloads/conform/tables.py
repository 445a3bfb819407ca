# SPDX-License-Identifier: MIT
"""Which checks a stack passes. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from vmkb.accounting.store import Trial
from vmkb.accounting.tables.listing import Shown, grouped, listing
from vmkb.accounting.tables.table import Table

TITLE, SAID, CAPTURE = "title", "said", "capture"
"""Parameters of a trial: the check in words, what the stack did that it should not, and the file
that shows it."""


def table(trials: Sequence[Trial]) -> Table | None:
    """A row for each check, a column for each release: whether all of its trials passed, or how
    many."""
    checks = grouped(trials, lambda t: t.case)
    releases = dict.fromkeys(t.release for t in trials)

    def passed(release: str, check: str) -> Shown:
        each = [not t.params[SAID] for t in checks[check] if t.release == release]
        if not each:
            return None
        return "yes" if all(each) else f"{sum(each)} of {len(each)}" if any(each) else "NO"

    return listing(
        "conform", "What a stack does as TCP says", checks,
        [("Check", str), ("", lambda check: checks[check][0].params[TITLE]),
         *((release, partial(passed, release)) for release in releases)],
        notes(trials), keys=2, lettering=False,
    )  # fmt: skip


def notes(trials: Sequence[Trial]) -> list[str]:
    """A sentence for each check and release that failed."""
    wrong = grouped((t for t in trials if t.params[SAID]), lambda t: (t.release, t.case))
    return [
        f"{release} {case}: {mine[0].params[SAID]} ({mine[0].params[CAPTURE]})."
        for (release, case), mine in wrong.items()
    ]


def answer(trials: Sequence[Trial]) -> str:
    """Who passes, and who fails what."""
    said = []
    for release, mine in grouped(trials, lambda t: t.release).items():
        cases = list(dict.fromkeys(t.case for t in mine))
        wrong = list(dict.fromkeys(t.case for t in mine if t.params[SAID]))
        passes = f"{release} passes {len(cases) - len(wrong)} of {len(cases)}"
        said.append(passes + (f", not {', '.join(wrong)}" if wrong else ""))
    return "; ".join(said) + "."
