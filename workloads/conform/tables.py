# SPDX-License-Identifier: MIT
"""Which checks a stack passes. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from vmkb.accounting.store import Trial
from vmkb.accounting.tables.listing import Shown, grouped, listing
from vmkb.accounting.tables.table import Table

SAID, CAPTURE = "said", "capture"
"""Parameters of a trial: what the stack did that it should not, and the file that shows it."""


def table(trials: Sequence[Trial]) -> Table | None:
    """A row for each release, a column for each check: in how many of its trials it passed."""
    cases = list(dict.fromkeys(t.case for t in trials))

    def passed(case: str, mine: Sequence[Trial]) -> Shown:
        each = [not t.params[SAID] for t in mine if t.case == case]
        if not each:
            return None
        return "yes" if all(each) else f"{sum(each)} of {len(each)}" if any(each) else "NO"

    rows = grouped(trials, lambda t: t.release).values()
    return listing(
        "conform", "What a stack does as TCP says", rows,
        [("Release", lambda mine: mine[0].release),
         *((case, lambda mine, case=case: passed(case, mine)) for case in cases)],
        notes(trials), keys=0, lettering=False,
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
