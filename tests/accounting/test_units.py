# SPDX-License-Identifier: MIT

from typing import Any

import pytest

from vmkb.accounting.records import Source, Unit, Value
from vmkb.accounting.units import (
    FigureError,
    add,
    cp_share,
    cpu_per_kb,
    rate,
    tv_ratio,
    utilization,
)


def us(x: float, source: Source = Source.QT, tick: float = 0) -> Value:
    return Value(x, Unit.US, source, tick)


def kb(x: float, source: Source = Source.FT, tick: float = 0) -> Value:
    return Value(x, Unit.KB, source, tick)


def test_cpu_per_kb_and_its_sources() -> None:
    f = cpu_per_kb(us(2_252_800, tick=20_000), kb(102_400))
    assert (f.value, f.unit) == (22.0, Unit.US_KB)
    assert f.sources == (Source.QT, Source.FT) and f.letters == "(QT/FT)"
    assert f.tick == 20_000 / 102_400
    assert str(f) == "22 us/KB (QT/FT)"
    # the published unit: s per 1 000 000 bits is 8.192 ms/KB
    bits = Value(1, Unit.MBIT, Source.QT)
    assert cpu_per_kb(Value(1, Unit.S, Source.QT), bits).value == pytest.approx(8192)
    assert cpu_per_kb(us(1), kb(1, Source.QT)).letters == "(QT)"


def test_utilization_and_rate() -> None:
    f = utilization(us(2_480_000, tick=20_000), Value(100, Unit.S, Source.FT))
    assert (f.value, f.unit, f.tick) == (pytest.approx(2.48), Unit.PERCENT, pytest.approx(0.02))
    assert f.letters == "(QT/FT)"
    r = rate(Value(2 * 1024 * 1024, Unit.BYTE, Source.WI), Value(4, Unit.S, Source.FT, 0.1))
    assert (r.value, r.unit, r.letters) == (512, Unit.KB_S, "(WI/FT)")
    assert r.tick == pytest.approx(12.8)


def test_cp_share_and_tv() -> None:
    f = cp_share(us(600, tick=1), us(1000, tick=1))
    assert (f.value, f.unit, f.tick) == (40, Unit.PERCENT, pytest.approx(0.2))
    assert f.letters == "(QT)"
    tv = tv_ratio(us(1000, tick=10), us(500, tick=10))
    assert (tv.value, tv.unit, tv.tick) == (2, Unit.RATIO, pytest.approx(0.08))
    assert tv.letters == "(QT)"
    assert tv_ratio(Value(1, Unit.S, Source.QT), us(500_000)).value == 2


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: cpu_per_kb(kb(1), us(1)),
        lambda: cpu_per_kb(us(1), us(1)),
        lambda: cpu_per_kb(Value(1, Unit.INSTR, Source.IC), kb(1)),
        lambda: utilization(us(1), kb(1)),
        lambda: rate(us(1), us(1)),
        lambda: rate(kb(1), kb(1)),
        lambda: cp_share(kb(1), us(1)),
        lambda: cp_share(us(1), us(2, Source.IC)),
        lambda: tv_ratio(us(1), kb(1)),
        lambda: add([us(1), kb(1)]),
        lambda: add([us(1), us(1, Source.IC)]),
    ],
)
def test_units_are_checked_by_type(wrong: Any) -> None:
    with pytest.raises(TypeError):  # UnitError is one
        wrong()


def test_nothing_is_divided_by_nothing() -> None:
    for below in (0, -1, float("nan"), float("inf")):
        with pytest.raises(FigureError, match="CPU per KB needs more than"):
            cpu_per_kb(us(1), kb(below))
    with pytest.raises(FigureError, match="utilization"):
        utilization(us(1), us(0))
    with pytest.raises(FigureError, match="a rate"):
        rate(kb(1), us(0))
    with pytest.raises(FigureError, match="CP's share"):
        cp_share(us(0), us(0))
    with pytest.raises(FigureError, match="T/V"):
        tv_ratio(us(0), us(0))
    with pytest.raises(FigureError, match="nothing to add"):
        add([])


def test_add_keeps_unit_source_and_adds_ticks() -> None:
    total = add([us(1, tick=2), Value(1, Unit.MS, Source.QT, 1), us(3, tick=4)])
    assert total == Value(1004, Unit.US, Source.QT, 1006)
