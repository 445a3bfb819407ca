# SPDX-License-Identifier: MIT
"""vmkb show: a published table that the project carries."""

from __future__ import annotations

import click

from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.output import say


@click.command("show")
@click.argument("kind", type=click.Choice(["published"]))
@click.argument("ident", metavar="ID")
@click.option("--to", "form", default="terminal", show_default=True,
              type=click.Choice(["terminal", "markdown", "csv", "json", "latex"]))  # fmt: skip
def command(kind: str, ident: str, form: str) -> None:
    """Print a published table that the project carries.

    It is printed as it stands in its source and, where its columns say what they are, with CPU
    per KB recomputed. vmkb list published names the tables.
    """
    from vmkb.accounting.analysis.analyse import of_tables
    from vmkb.accounting.input.mapped import contradictions, mapped_table, read_map, read_rows
    from vmkb.accounting.published import as_table, published
    from vmkb.accounting.report.formats import render

    try:
        found = published(ident)
    except KeyError as error:
        raise Refused(str(error.args[0])) from None
    tables, doubts = [as_table(found)], []
    if found.map:
        lines = read_rows(found.rows, read_map(found.map))
        doubts = contradictions(lines)
        if told := [x for x in lines if x.cost is not None or x.against]:
            tables.append(mapped_table(told, "the table above"))
    say(render(of_tables(tables, doubts=doubts), form), nl=False)
