# SPDX-License-Identifier: MIT
import pytest

from vmkb.accounting.models import KEY_LENGTH, ModelError, model, models
from vmkb.accounting.records import Source, Unit, UnitError, Value


def instr(n: float) -> Value:
    return Value(n, Unit.INSTR, Source.IC)


def byte(n: float) -> Value:
    return Value(n, Unit.BYTE, Source.IC)


def test_formula_term_by_term() -> None:
    m = model("2064-109")
    assert m.cpu(instr(156_000), byte(0), byte(0)).value == pytest.approx(1000)
    assert m.cpu(instr(0), byte(m.move_rate), byte(0)).value == pytest.approx(1000)
    assert m.cpu(instr(0), byte(0), byte(m.sum_rate)).value == pytest.approx(1000)
    together = m.cpu(instr(156_000), byte(m.move_rate), byte(m.sum_rate))
    assert together.value == pytest.approx(3000)
    assert (together.unit, together.source) == (Unit.US, Source.IC)


def test_bytes_may_cost_nothing_and_twice_as_much() -> None:
    m = model("2064-109")
    counts = instr(156_000), byte(m.move_rate), byte(m.sum_rate)
    prices = [m.with_byte_price(factor).cpu(*counts).value for factor in (0, 1, 2)]
    assert prices == pytest.approx([1000, 3000, 5000])


def test_bytes_may_come_in_kb_but_not_as_time() -> None:
    m = model("VAX750")
    assert m.cpu(instr(0), Value(1, Unit.KB, Source.IC), byte(0)) == m.cpu(
        instr(0), byte(1024), byte(0)
    )
    with pytest.raises(UnitError):
        m.cpu(instr(0), Value(1, Unit.US, Source.IC), byte(0))
    with pytest.raises(ModelError, match="instructions"):
        m.cpu(byte(1), byte(1), byte(1))


def test_every_usable_model_cites_and_every_other_says_why() -> None:
    ours = ["host", "2064-109", "9021-720", "3090600E", "4381", "VAX750", "AXP266", "AXP500"]
    assert list(models()) == ours
    for key, m in models().items():
        assert len(key) <= KEY_LENGTH
        assert all(isinstance(x, int) for x in (m.kmips, m.move_rate, m.sum_rate))
        if m.available and key != "host":
            assert m.source not in ("", "none") and m.kmips > 0
            assert m.move_rate > 0 and m.sum_rate > 0
        if not m.available:
            assert m.reason and m.kmips == 0


def test_models_that_cannot_be_used_say_so() -> None:
    with pytest.raises(ModelError, match="no citable MIPS"):
        model("4381")
    with pytest.raises(ModelError, match="2064-109"):
        model("z17")
    with pytest.raises(ModelError, match="CPU timer"):
        model("HOST").cpu(instr(1), byte(0), byte(0))
    with pytest.raises(ModelError, match="not available"):
        models()["4381"].cpu(instr(1), byte(0), byte(0))


def test_description_names_source_and_caveat() -> None:
    text = model("2064-109").describe()
    assert "156 MIPS" in text and "high side" in text
    assert "timer" in model("host").describe()
