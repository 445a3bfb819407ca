# SPDX-License-Identifier: MIT
"""vmkb history: one figure over all runs in time, and where it changed."""

from __future__ import annotations

import math
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.output import say

if TYPE_CHECKING:
    from vmkb.accounting.history.figures import Run
    from vmkb.accounting.history.table import History

EXIT_REGRESSION = 1


@click.command("history")
@click.argument("case")
@click.option("--in", "where", type=click.Path(exists=True, path_type=Path), default="results",
              show_default=True,
              help="Archive (vmkb archive), or a folder with results below it.")  # fmt: skip
@click.option("--release", default="", help="Only this release; default: each.")
@click.option("--label", default="", help="Only this machine, as TCPIP; default: the Total.")
@click.option(
    "--accept", "accepted", default="", metavar="RUN", help="Regressions up to this run are known."
)
@click.option("--allow", multiple=True, metavar="KEY",
              help="Take runs together although KEY (emulator_version, ...) differs.")  # fmt: skip
@click.option("--to", "form", default="terminal", show_default=True,
              type=click.Choice(["terminal", "markdown", "csv", "json", "html"]))  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="File to write to.")
def command(
    case: str, where: Path, release: str, label: str, accepted: str, allow: tuple[str, ...],
    form: str, out: Path | None,
) -> None:  # fmt: skip
    """Show what CASE cost in each run, oldest first, and since when it costs more or less.

    A table has a row for each level; --to html --out FILE draws all runs. Made for cron: nothing
    but the exit code says that all is well. Exit codes: 0 no regression, 1 a regression beyond its
    interval, 2 usage.

    For example: vmkb history G2M_B --in archive --release 221
    """
    from vmkb.accounting.analysis.analyse import of_tables
    from vmkb.accounting.costs import CostError
    from vmkb.accounting.history.figures import HistoryError, check_alike, histories
    from vmkb.accounting.history.table import history_table, sentence
    from vmkb.accounting.records import UnitError
    from vmkb.accounting.report.formats import render
    from vmkb.accounting.shown import plain
    from vmkb.accounting.stats import StatsError
    from vmkb.accounting.store import StoreError
    from vmkb.accounting.store.bounded import QueryError
    from vmkb.accounting.store.dataset.write import ArchiveError, add, is_archive

    archive = where
    try:
        with ExitStack() as stack:
            if not is_archive(where):
                archive = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "archive"
                for _ in add(where, archive):
                    pass
            found = histories(archive, case, release, label)
        made = []
        for of, runs in found.items():
            check_alike(runs, allow)
            if accepted and accepted not in {r.name for r in runs}:
                raise HistoryError(f"release {of} has no run {accepted}")
            made.append(_judged(case, of, label, runs))
    except (
        ArchiveError, CostError, HistoryError, QueryError, StatsError, StoreError, UnitError,
    ) as error:  # fmt: skip
        raise Refused(plain(str(error).replace(str(archive), str(where)))) from error
    said = " ".join(sentence(h, accepted) for h in made)
    tables = [history_table(h) for h in made]
    text = render(of_tables(tables, said), form, title=f"vmkb history {case}")
    if out is None:
        say(text, nl=False)
    else:
        out.write_text(text, "utf-8")
        say(said)
    raise SystemExit(EXIT_REGRESSION if any(h.regressions(accepted) for h in made) else 0)


def _judged(case: str, release: str, label: str, runs: list[Run]) -> History:
    """The history of RUNS, with what is known of the luck of builds of their workload."""
    from vmkb.accounting.history.changes import bound, levels
    from vmkb.accounting.history.table import History
    from vmkb.accounting.measures import TOTAL
    from vmkb.workloads.base.found import of

    ran = of(runs)
    lucks = ran.specification().luck if ran is not None else {}
    known = (
        [r.figure for r in runs],
        [r.meta.get("guest_image", "") for r in runs],
        lucks.get(case, {}).get(label or TOTAL),
    )
    found = levels(*known)
    return History(case, release, runs, found, bound(*known) if len(found) == 1 else math.inf)
