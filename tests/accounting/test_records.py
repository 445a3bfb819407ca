# SPDX-License-Identifier: MIT
"""Units convert only within their dimension; errors are sentences; all of it pickles."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.accounting.input.listing import to_csv, to_json, to_line, to_rows
from vmkb.accounting.records import (
    FIELDS,
    Field,
    ParseError,
    Record,
    Source,
    Unit,
    UnitError,
    Value,
    Where,
)  # fmt: skip

CPU = Value(1_650_000, Unit.US, Source.QT, 10_000)


def test_conversion_within_a_dimension() -> None:
    assert CPU.to(Unit.S).value == pytest.approx(1.65)
    assert CPU.to(Unit.MS).tick == pytest.approx(10)
    assert Value(8, Unit.KBIT, Source.PB).to(Unit.BYTE).value == 1000
    assert Value(1, Unit.MBIT, Source.PB).to(Unit.KB).value == pytest.approx(122.0703125)
    assert Value(8.192, Unit.KBIT_S, Source.PB).to(Unit.KB_S).value == pytest.approx(1.0)
    seconds_per_megabit = Value(4_000_000, Unit.US_MBIT, Source.PB)
    assert seconds_per_megabit.to(Unit.US_KB).value == pytest.approx(32_768)


@pytest.mark.parametrize("unit", [Unit.KB, Unit.COUNT, Unit.PERCENT, Unit.DAY_S, Unit.INSTR])
def test_no_conversion_between_dimensions(unit: Unit) -> None:
    with pytest.raises(UnitError, match="no quantity in"):
        CPU.to(unit)


def test_differences_need_one_unit_and_one_source() -> None:
    less = CPU._replace(value=650_000)
    assert CPU.minus(less) == Value(1_000_000, Unit.US, Source.QT, 20_000)
    with pytest.raises(UnitError, match="cannot subtract"):
        CPU.minus(less._replace(source=Source.AC))
    with pytest.raises(UnitError):
        CPU.minus(less._replace(unit=Unit.MS))


@given(st.integers(0, 10**15), st.sampled_from([Unit.US, Unit.MS, Unit.S]))
def test_conversion_there_and_back(number: int, unit: Unit) -> None:
    value = Value(number, Unit.US, Source.QT, 1)
    assert value.to(unit).to(Unit.US).value == pytest.approx(number)


def test_a_record_gives_numbers_and_words() -> None:
    record = Record("connect", {"virtcpu": CPU, "model": "host"}, "raw", Where("f", 3, 1))
    assert record.value("virtcpu") is CPU and record.word("model") == "host"
    assert record.word("userid", "none") == "none"
    with pytest.raises(KeyError, match="not a number"):
        record.value("model")
    assert pickle.loads(pickle.dumps(record)) == record


def test_an_error_is_a_sentence_and_pickles() -> None:
    error = ParseError("op.log", 2, 31, "VIRTCPU= mmm:ss.hh", "VIRTCPU= x", "connect", "whole")
    assert str(error) == (
        "op.log:2:31: connect record: expected VIRTCPU= mmm:ss.hh, found 'VIRTCPU= x'"
    )
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.raw, again.line) == (str(error), "whole", 2)
    assert "the end of the line" in str(ParseError("-", 1, 1, "x", ""))


def test_every_field_has_one_meaning_everywhere() -> None:
    """The same name never has two dimensions of time or of bytes."""
    for kind, fields in FIELDS.items():
        for name, unit in fields.items():
            if name in ("virtcpu", "totcpu", "elapsed", "connect"):
                assert unit is Unit.US, (kind, name)
            if name == "date":
                assert unit is None


def test_listings_hold_every_field() -> None:
    rows = (("A,B", '"x"'),)
    fields: dict[str, Field] = {
        "virtcpu": CPU, "model": 'a,"b"', "users": rows,
        "clock": Value(61, Unit.DAY_S, Source.QT, 1),
    }  # fmt: skip
    record = Record(
        "connect", fields, "raw\n2", Where("a b", 3, 1), "15:00:00", "TCPIP", notes=("n",)
    )
    import csv
    import json

    parsed = list(csv.reader(to_csv(record).splitlines()))
    assert [row[6] for row in parsed] == list(fields)
    assert parsed[0] == ["a b", "3", "1", "connect", "15:00:00", "TCPIP", "virtcpu", "1650000",
                         "us", "QT", "10000"]  # fmt: skip
    assert parsed[1][7] == 'a,"b"' and json.loads(parsed[2][7]) == [["A,B", '"x"']]
    whole = json.loads(to_json(record))
    assert whole["fields"]["virtcpu"] == {
        "value": 1650000, "unit": "us", "source": "QT", "tick": 10000,
    }  # fmt: skip
    assert whole["raw"] == "raw\n2" and whole["notes"] == ["n"]
    sums = Record("connect", {"model": "=1+1", "clock": CPU}, "", Where("@a", 1, 1), "", "-B")
    cells = [[row[0], row[5], row[7]] for row in csv.reader(to_csv(sums).splitlines())]
    assert cells == [["'@a", "'-B", "'=1+1"], ["'@a", "'-B", "1650000"]]
    assert to_rows(sums).startswith("@a,1,1,connect,,-B,model,=1+1,")
    line = to_line(record)
    assert "virtcpu=1.65s" in line and "clock=00:01:01" in line and "note: n" in line
