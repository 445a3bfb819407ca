# SPDX-License-Identifier: MIT
"""A number's unit, head and letters follow from its figure: none can be typed wrong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.accounting.texts import make_results
from vmkb.accounting.costs import TrialCost, costs, per_event
from vmkb.accounting.digits import bare, spoken
from vmkb.accounting.measures import (
    figures,
    instructions_of,
    measured,
    moved_by,
    part_cpu,
    throughput,
    total_cpu,
    value,
)
from vmkb.accounting.models import model
from vmkb.accounting.records import Source, Unit, UnitError
from vmkb.accounting.store import read
from vmkb.accounting.tables.lines import compared
from vmkb.accounting.tables.listing import case, listing
from vmkb.accounting.tables.release import release_tables
from vmkb.accounting.units import Figure

ROOT = Path(__file__).parents[2]
LETTERS = re.compile(r"\((?:[A-Z]{2})(?:/[A-Z]{2})*\)$")


@pytest.fixture(scope="module")
def per_kb(tmp_path_factory: pytest.TempPathFactory) -> list[TrialCost]:
    trials = read(make_results(tmp_path_factory.mktemp("results"))).trials
    return costs(trials, Source.IC, model("2064-109"))


@pytest.fixture(scope="module")
def per_command(per_kb: list[TrialCost]) -> list[TrialCost]:
    return per_event(per_kb, lambda trial: 7, "command")


def test_what_is_of_a_command_cannot_be_printed_as_of_a_kilobyte(
    per_kb: list[TrialCost], per_command: list[TrialCost]
) -> None:
    """Whatever a workload asks for, the cell says what the figure is of, or there is no cell."""
    for measure, of_kb, of_command in (
        (total_cpu, "us/KB", "us/command"), (part_cpu("TCPIP"), "us/KB", "us/command"),
        (throughput, "KB/s", "commands/s"), (moved_by("TCPIP"), "B/KB", "B/command"),
        (instructions_of("Total"), "instr/KB", "instr/command"),
    ):  # fmt: skip
        assert measured(per_kb, measure).unit == of_kb
        assert measured(per_command, measure).unit == of_command
        with pytest.raises(UnitError, match=f"in {of_command} is not printed in {of_kb}"):
            value(measure, of_kb)(per_command)
    both = [*per_kb[:1], *per_command[:1]]
    with pytest.raises(UnitError):
        figures(both, total_cpu)


def test_a_wanted_unit_changes_the_number_with_it(per_command: list[TrialCost]) -> None:
    us, ms = value(total_cpu)(per_command), value(total_cpu, "ms/command")(per_command)
    assert us is not None and us.value is not None and ms is not None
    assert ms.unit == "ms/command" and ms.value == pytest.approx(us.value / 1000)
    with pytest.raises(UnitError):
        value(total_cpu, "KB/command")(per_command)


def test_heads_have_units_and_letters_of_their_cells(per_command: list[TrialCost]) -> None:
    columns = [("Case", case), ("CPU", value(total_cpu)), ("", value(instructions_of("TCPIP"))),
               ("Given", value(total_cpu, source="(IN)"))]  # fmt: skip
    table = listing("t", "T", [per_command], columns)
    assert table is not None
    assert table.columns == (
        "CPU us/command (IC)", "Instructions per command (IC)", "Given us/command (IN)",
    )  # fmt: skip
    one = listing("t", "T", [per_command], [*columns[:2], columns[3]], once=True)
    assert one is not None and one.title == "T, us/command"
    assert one.columns == ("CPU (IC)", "Given (IN)")


def test_a_release_table_of_commands_says_commands(per_command: list[TrialCost]) -> None:
    (table,) = release_tables(per_command, compared(per_command))
    labels = [row.label for section in table.body for row in section.rows]
    assert any(x.startswith("Rate (commands/sec)") for x in labels)
    assert any(x.startswith("Total CPU/command") for x in labels)
    assert not any("KB" in x for x in labels)


def test_a_figure_goes_into_its_own_units_alone() -> None:
    cost = Figure(1500.0, Unit.US_KB, (Source.IC,), 10.0)
    assert (cost.to("ms/KB").value, cost.to("ms/KB").tick, cost.to("ms/KB").quantity) == (
        1.5, 0.01, "ms/KB",
    )  # fmt: skip
    assert cost.to("ms/KB").to("us/KB").value == pytest.approx(1500.0)
    for wrong in ("us/command", "us", "KB/s", "instr/KB"):
        with pytest.raises(UnitError):
            cost.to(wrong)


def test_digits_have_one_rule() -> None:
    assert [bare(x) for x in (12345.0, 12345.6, 12.3456, 0.0123456, 0.00000123, 7.0)] == [
        "12345", "12346", "12.35", "0.0123", "0.0000", "7",
    ]  # fmt: skip
    assert [spoken(x) for x in (14.0, 15.884, 0.43712, 1376.6)] == ["14", "15.9", "0.437", "1377"]


def heads() -> Iterator[tuple[Path, str]]:
    """The names of columns in the code of the workloads and of the tables."""
    for path in sorted([*ROOT.glob("workloads/**/*.py"), *ROOT.glob("accounting/tables/*.py")]):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.AnnAssign) and "Columns" in ast.unparse(node.annotation)):
                continue
            for each in ast.walk(node.value) if node.value else ():
                if isinstance(each, ast.Tuple) and len(each.elts) == 2:
                    first = each.elts[0]
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        yield path, first.value


def test_no_head_has_a_source_letter_typed_by_hand() -> None:
    found = list(heads())
    assert len(found) > 100
    assert not [(path.name, head) for path, head in found if LETTERS.search(head)]


def test_no_workload_decides_digits() -> None:
    """They are decided in accounting/digits.py."""
    wrong = []
    for path in ROOT.glob("workloads/*/**/*.py"):
        if path.parts[len(ROOT.parts) + 1] in ("cli", "base", "campaign", "measuring"):
            continue
        text = path.read_text("utf-8")
        wrong += [(path.name, x) for x in re.findall(r"decimals=\w+|places=\d|round\([^()]*, \d\)",
                                                      text) if "tables" in str(path)]  # fmt: skip
    assert not wrong, wrong
