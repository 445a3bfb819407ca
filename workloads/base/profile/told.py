# SPDX-License-Identifier: MIT
"""The file in which a check keeps what changed beside the cost, as tables. It loads nothing that
runs guests: every report looks for this file."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from vmkb import given
from vmkb.accounting.tables.grown import Growth, Program, functions_table, sizes_table
from vmkb.accounting.tables.table import Table
from vmkb.errors import UsageError
from vmkb.workloads.base.definition import Strict

FILE = "changes.json"
TCPIP = "TCPIP"


class Changes(Strict):
    """What changes.json holds. programs: of base and new, if both are a stack."""

    case: str
    names: tuple[str, str]
    compiled: str
    programs: tuple[Program, Program] | None = None
    functions: dict[str, float] = {}
    whole: float = 0.0


def tables(folder: Path) -> list[Table]:
    """The tables of what the check in FOLDER found; none if it found nothing. UsageError for a
    damaged file."""
    path = folder / FILE
    if not path.is_file():
        return []
    try:
        found = Changes.model_validate_json(given.data(path))
    except (ValueError, ValidationError, OSError) as error:
        raise UsageError(f"{path} is damaged: {str(error).splitlines()[0]}.") from None
    names, case = found.names, found.case
    machines = TCPIP if found.programs else "all measured machines"
    growth = Growth(found.functions, found.whole)
    made = [functions_table(growth, names, case, machines)]
    if found.programs:
        made.insert(0, sizes_table(*found.programs, names, case, found.compiled))
    return [table for table in made if table is not None]
