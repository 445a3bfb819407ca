# SPDX-License-Identifier: MIT
"""Anybody's table: recomputed, checked, compared."""

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from tests.published.arithmetic import inconsistent
from vmkb.accounting.input.mapped import MappingError, read_map, read_rows
from vmkb.accounting.published import names, published
from vmkb.workloads.cli.compare import command as compare
from vmkb.workloads.cli.list import command as list_
from vmkb.workloads.cli.show import command as show
from vmkb.workloads.cli.table import command as table

TEXT = """# a stranger's
host,size,secs,cpu_s,ms_per_kb
alpha,2,10.5,1.25,0.610
beta,2,9.0,1.30,0.9
gamma,1,4.0,0.50,
"""
MAP = ("--map", "case=host", "--map", "amount=size:MB", "--map", "cpu=cpu_s:s",
       "--map", "elapsed=secs:s", "--map", "cost=ms_per_kb:ms/KB")  # fmt: skip


def run(command: click.Command, *args: object) -> Result:
    return CliRunner().invoke(command, [str(a) for a in args])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "t.csv"
    found.write_text(TEXT)
    return found


def test_costs_are_recomputed_and_contradictions_named(path: Path) -> None:
    done = run(table, path, *MAP)
    assert done.exit_code == 3, done.output
    rows = {line.split()[0]: line for line in done.output.splitlines() if line.strip()}
    # 1.25 s over 2 MB, of which nobody knows whether it was 1.5 or 2.5
    assert "holds" in rows["alpha"] and "contradicts itself" in rows["beta"]
    assert "holds" in rows["gamma"]
    assert "cost is printed 0.9, but cpu 1.30 over amount 2 is 0.5059 to 0.8496" in (
        " ".join(done.output.split())
    )


def test_a_mapping_file_and_compare(path: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "map.toml"
    mapping.write_text('[map]\nrelease = "host"\namount = "size:MB"\ncpu = "cpu_s:s"\n')
    done = run(table, path, "--map", mapping)
    assert done.exit_code == 0, done.output
    done = run(compare, path, "--map", mapping)
    assert done.exit_code == 0 and "beta" in done.output and "As printed" in done.output


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        (["cpu=cpu_s"], "give COLUMN:UNIT"),
        (["cpu=cpu_s:h"], "the unit one of us, ms, s"),
        (["price=x:s"], "a mapping has no 'price'"),
        (["cpu=nope:s"], "there is no column 'nope'"),
        (["case=host"], "names no column with a number"),
        (["cpu=host:s"], "'alpha', which is no number"),
        (["none.toml"], "or give KEY=COLUMN:UNIT"),
    ],
)
def test_wrong_mappings_are_refused_in_words(path: Path, given_: list[str], words: str) -> None:
    done = run(table, path, *[x for g in given_ for x in ("--map", g)])
    assert done.exit_code == 2 and words in done.output, done.output
    assert "Traceback" not in done.output


AMOUNTS = st.decimals("0.01", "9999", places=2)


@given(AMOUNTS, AMOUNTS, st.integers(0, 4), st.sampled_from([ROUND_DOWN, ROUND_HALF_UP]))
def test_a_row_that_was_rounded_or_cut_never_contradicts_itself(
    cpu: Any, amount: Any, places: int, how: Any
) -> None:
    step = Decimal(1).scaleb(-places)
    cost = (1000 * cpu / amount).quantize(step, how)
    row = {"c": f"{cpu:f}", "a": f"{amount:f}", "x": f"{cost:f}"}
    by = read_map({"cpu": "c:s", "amount": "a:KB", "cost": "x:ms/KB"})
    (line,) = read_rows([row], by)
    assert line.against == ()
    wrong = {**row, "x": f"{cost * 2 + 100 * step:f}"}
    if cost:
        (line,) = read_rows([wrong], by)
        assert (line.against != ()) or Decimal(row["a"]) < 1


def test_mappings_of_published_tables_find_what_is_known_to_be_wrong() -> None:
    """The rows that accounting.published names outside of rounding are the ones found here."""
    rfc415 = published("rfc415_tenex_bandwidth")
    lines = read_rows(rfc415.rows, read_map(rfc415.map))
    found = {line.number for line in lines if line.against}
    said = [x for x in inconsistent() if x.startswith("RFC 415") and "outside" in x]
    assert found == {int(x.split()[3]) for x in said}
    for name in names():
        table_ = published(name)
        if table_.map:
            read_rows(table_.rows, read_map(table_.map))


def test_every_published_table_is_listed_and_shown() -> None:
    listed = run(list_, "published").output
    for name in names():
        assert name in listed
        done = run(show, "published", name)
        assert done.exit_code == 0 and published(name).rows[0] and name in done.output, done.output
    done = run(show, "published", "nothing")
    assert done.exit_code == 2 and "no published table 'nothing'" in done.output


def test_no_rows() -> None:
    with pytest.raises(MappingError, match="no row"):
        read_rows([], read_map({"cpu": "c:s"}))


def test_rows_without_a_cost_are_not_recomputed() -> None:
    """A table that has none of CPU stands alone."""
    alone = CliRunner().invoke(show, ["published", "tcp1990_line_ftp"])
    assert alone.exit_code == 0 and "recomputed" not in alone.output
    some = CliRunner().invoke(show, ["published", "rfc557_bbn_rjs", "--to", "csv"])
    recomputed = [x for x in some.output.splitlines() if x.startswith("mapped,")]
    assert any("BBN FTP 8-bit" in x for x in recomputed)
    assert not any("32/36-bit" in x for x in recomputed)
