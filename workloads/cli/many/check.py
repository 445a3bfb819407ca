# SPDX-License-Identifier: MIT
"""vmkb check: whether a change made anything dearer, for a pull request."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vmkb.workloads.base.found import default_check
from vmkb.workloads.cli.run import RESULTS, checksum_option, ip_option, seconds_of
from vmkb.workloads.cli.run import command as run
from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.number import Number
from vmkb.workloads.command.output import say

if TYPE_CHECKING:
    from vmkb.workloads.base.settings import Checksum, Ip

SUMMARY = "GITHUB_STEP_SUMMARY"
"""Names the file of the job's page, where there is one."""


@click.command("check")
@click.argument("base")
@click.argument("new")
@click.option("--fail-above", type=Number(0), default=1.0, show_default=True,
              metavar="PERCENT", help="How much dearer a case may become.")  # fmt: skip
@click.option("--workload", default="", help="What is measured; default: files by FTP.")
@click.option("--cflags", default="", metavar="FLAGS",
              help="Compile all builds with these options, not with several in turn.")  # fmt: skip
@checksum_option
@ip_option
@click.option("--case", "cases", multiple=True, help="Case; default: all. May be given again.")
@click.option("--time", "within", default="15m", show_default=True, callback=seconds_of,
              metavar="TIME", help="How long it may take to decide.")  # fmt: skip
@click.option("--to", "form", type=click.Choice(["terminal", "github"]), default="terminal",
              show_default=True, help="Print a screen, or Markdown and annotations.")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path),
              help="Folder for the results; default: results/check-STAMP.")  # fmt: skip
@click.pass_context
def command(
    ctx: click.Context, base: str, new: str, fail_above: float, workload: str,
    cflags: str, checksum: Checksum | None, ip: Ip | None, cases: tuple[str, ...],
    within: float | None,
    form: str, out: Path | None,
) -> None:  # fmt: skip
    """Measure whether NEW costs more than BASE: releases, or a stack, a VM/KB or a Linux kernel of
    your own, PATH[@REF].

    Exit codes: 0 no case is dearer by more than --fail-above, 1 one is, or it was undecided when
    --time ran out, 2 usage, 3 a trial failed or is not to be trusted.

    For example: vmkb check ../lwip@origin/master ../lwip --fail-above 0.5
    """
    from vmkb.workloads.base.own import guest_of

    measured = workload or default_check()
    folder = out or Path(RESULTS) / f"check-{datetime.now():%Y%m%d-%H%M%S}"
    given = ",".join(_release(name, text) for name, text in (("BASE", base), ("NEW", new)))
    printed = sys.stderr if form == "github" else sys.stdout
    try:
        with contextlib.redirect_stdout(printed):
            ctx.invoke(
                run, workload=measured, releases=given, cases=cases, within=within,
                cflags=cflags, checksum=checksum, ip=ip, fail_above=fail_above, out=folder,
                explained=True, guest_name=guest_of(base, new),
            )  # fmt: skip
    except SystemExit as ended:
        if form == "github" and ended.code in (0, 1, 3) and (folder / "run.json").exists():
            _tell(folder, fail_above)
        raise


def _release(name: str, text: str) -> str:
    """A release that vmkb has, or the user's own under NAME."""
    if "," in text:
        raise Refused(f"{text}: a path with a comma goes into vmkb.toml, as a release with a name")
    looks = "/" in text or "@" in text or Path(text).exists()
    return f"{name}={text}" if looks and "=" not in text else text


def _tell(folder: Path, percent: float) -> None:
    """Print the comment and the annotations, and add the comment to the job's page."""
    from vmkb.accounting.report.github import comment, log_lines
    from vmkb.accounting.store import read
    from vmkb.workloads.base.profile.told import tables
    from vmkb.workloads.base.report import analysed

    results = read(folder)
    found = analysed(results.trials, None, results.unfinished)
    found = replace(found, tables=(*found.tables, *tables(folder)))
    text = comment(found, percent)
    say(text)
    for line in log_lines(found, percent):
        say(line)
    if page := os.environ.get(SUMMARY):
        with Path(page).open("a", encoding="utf-8") as file:
            file.write(text)
