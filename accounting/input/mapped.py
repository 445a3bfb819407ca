# SPDX-License-Identifier: MIT
"""Anybody's table of CPU and amounts: CPU per KB recomputed, and rows that contradict themselves.

A mapping names the columns: `case` and `release` (words), `cpu`, `amount`, `elapsed`, `rate`,
`cost`, `percent` and `cpu_rate` (numbers, with units). Every printed number is known to half a unit
of its last place, or cut off there; a row contradicts itself if no such numbers give what it
prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from vmkb.accounting.digits import fixed
from vmkb.accounting.records import Record, Source, Unit, Value, Where
from vmkb.accounting.stats import Estimate
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.table import Cell, Row, Section, Table, header, known, word
from vmkb.errors import VmkbError

WORDS = ("case", "release")
#: Unit -> factor to us, bytes, bytes a second, us a byte, percent.
UNITS: dict[str, dict[str, Fraction]] = {
    "time": {"us": Fraction(1), "ms": Fraction(1000), "s": Fraction(10**6)},
    "amount": {
        "B": Fraction(1), "KB": Fraction(1024), "MB": Fraction(1024**2),
        "bit": Fraction(1, 8), "Kbit": Fraction(125), "Mbit": Fraction(125_000),
    },
    "rate": {
        "B/s": Fraction(1), "KB/s": Fraction(1024), "MB/s": Fraction(1024**2),
        "bit/s": Fraction(1, 8), "Kbit/s": Fraction(125), "Mbit/s": Fraction(125_000),
    },
    "cost": {
        "us/KB": Fraction(1, 1024), "ms/KB": Fraction(1000, 1024), "us/bit": Fraction(8),
        "us/Kbit": Fraction(8, 1000), "ms/Mbit": Fraction(8, 1000), "s/Mbit": Fraction(8),
    },
    "percent": {"%": Fraction(1)},
}  # fmt: skip
DIMENSION = {
    "cpu": "time", "elapsed": "time", "amount": "amount", "rate": "rate", "cost": "cost",
    "percent": "percent", "cpu_rate": "rate",
}  # fmt: skip


class MappingError(VmkbError, ValueError):
    """A mapping or a table that it does not fit; the sentence says what is wrong."""


@dataclass(frozen=True)
class Map:
    """Columns by what they hold; a number's column with its unit, costs may be several."""

    words: Mapping[str, str]
    numbers: Mapping[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Range:
    """The least and the most that a printed number may be, in base units; text as printed."""

    low: Fraction
    high: Fraction
    text: str = ""

    @property
    def middle(self) -> Fraction:
        """The value as printed, or the middle of a recomputed one."""
        return (self.low + self.high) / 2


def read_map(given: Mapping[str, str | Sequence[str]]) -> Map:
    """A mapping such as {"cpu": "cpu_s:s", "amount": "file:MB", "case": "host"}."""
    words: dict[str, str] = {}
    numbers: dict[str, tuple[tuple[str, str], ...]] = {}
    for key, value in given.items():
        if key in WORDS:
            words[key] = str(value)
            continue
        if key not in DIMENSION:
            known = ", ".join((*WORDS, *DIMENSION))
            raise MappingError(f"a mapping has no {key!r}; it may have {known}")
        several = [value] if isinstance(value, str) else list(value)
        numbers[key] = tuple(_column(key, text) for text in several)
    if not numbers:
        raise MappingError("the mapping names no column with a number, such as cpu=COLUMN:s")
    return Map(words, numbers)


def _column(key: str, text: str) -> tuple[str, str]:
    column, _, unit = text.rpartition(":")
    known = UNITS[DIMENSION[key]]
    if not column or unit not in known:
        raise MappingError(f"{key}={text}: give COLUMN:UNIT, the unit one of {', '.join(known)}")
    return column, unit


def _printed(row: Mapping[str, str], column: str, factor: Fraction, number: int) -> Range | None:
    if column not in row:
        raise MappingError(f"there is no column {column!r}; there are {', '.join(row)}")
    text = (row[column] or "").strip()
    if not text or text == "-":
        return None
    try:
        x = Decimal(text.replace(",", ""))
    except InvalidOperation:
        raise MappingError(f"row {number}: {column} is {text!r}, which is no number") from None
    exponent = x.as_tuple().exponent
    if not isinstance(exponent, int) or x < 0:
        raise MappingError(f"row {number}: {column} is {text!r}, which nothing can be")
    half = Fraction(Decimal(1).scaleb(exponent)) / 2
    value = Fraction(x)
    return Range((value - half) * factor, (value + half) * factor, text)


def _over(top: Range, below: Range, times: int = 1) -> Range | None:
    if below.low <= 0:
        return None
    return Range(times * max(Fraction(0), top.low) / below.high, times * top.high / below.low)


@dataclass(frozen=True)
class Line:
    """One row read: its words, its printed numbers, its CPU per byte, and its contradictions."""

    number: int
    case: str
    release: str
    printed: Mapping[str, tuple[Range, ...]]
    cost: Range | None
    against: tuple[str, ...]


def read_rows(rows: Sequence[Mapping[str, str]], by: Map) -> list[Line]:
    """The rows of a table; MappingError for a column or a number that is none."""
    made = []
    for number, row in enumerate(rows, start=1):
        printed: dict[str, tuple[Range, ...]] = {}
        for key, columns in by.numbers.items():
            units = UNITS[DIMENSION[key]]
            found = [_printed(row, column, units[unit], number) for column, unit in columns]
            if there := tuple(f for f in found if f is not None):
                printed[key] = there
        for key, column in by.words.items():
            if column not in row:
                raise MappingError(f"there is no column {column!r} for the {key}")
        words = {k: (row[c] or "").strip() for k, c in by.words.items()}
        cost = _cost(printed)
        made.append(
            Line(number, words.get("case", ""), words.get("release", ""), printed,
                 cost, tuple(_contradictions(printed)))
        )  # fmt: skip
    if not made:
        raise MappingError("there is no row below the head")
    return made


def _first(printed: Mapping[str, tuple[Range, ...]], key: str) -> Range | None:
    return printed[key][0] if key in printed else None


def _cost(printed: Mapping[str, tuple[Range, ...]]) -> Range | None:
    """CPU per byte: of CPU and amount, of the share of CPU and the rate, or as printed."""
    cpu, amount = _first(printed, "cpu"), _first(printed, "amount")
    if cpu and amount:
        return _over(cpu, amount)
    percent, rate = _first(printed, "percent"), _first(printed, "rate")
    if percent and rate:
        return _over(percent, rate, 10_000)
    return _first(printed, "cost")


#: What a row may print twice: the printed one, and what makes it (top, below, factor).
_IDENTITIES = (
    ("cost", "cpu", "amount", 1),
    ("rate", "amount", "elapsed", 10**6),
    ("percent", "cpu", "elapsed", 100),
    ("percent", "rate", "cpu_rate", 100),
)


def _contradictions(printed: Mapping[str, tuple[Range, ...]]) -> Iterator[str]:
    for what, top, below, times in _IDENTITIES:
        a, b = _first(printed, top), _first(printed, below)
        made = _over(a, b, times) if a and b else None
        if a is None or b is None or made is None:
            continue
        for said in printed.get(what, ()):
            # Cut off, the true value lies up to a whole step above what is printed.
            if said.low <= made.high and made.low <= said.high + (said.high - said.low) / 2:
                continue
            yield f"{what} is printed {said.text}, but {top} {a.text} over {below} {b.text} is " + (
                _times(made, said)
            )
    costs = printed.get("cost", ())
    for other in costs[1:]:
        if not (other.low <= costs[0].high and costs[0].low <= other.high):
            yield f"the costs {costs[0].text} and {other.text} are not the same in one unit"


def _times(made: Range, said: Range) -> str:
    """A recomputed number in the unit of the printed one."""
    factor = said.middle / Fraction(Decimal(said.text.replace(",", ""))) if said.middle else None
    if not factor:
        return "more than that"
    low, high = float(made.low / factor), float(made.high / factor)
    return f"{low:.4g} to {high:.4g}"


def mapped_table(lines: Sequence[Line], source: str) -> Table:
    """Every row with its CPU per KB and per bit as recomputed, and whether it holds."""
    rows = []
    for line in lines:
        verdict = "contradicts itself" if line.against else "holds"
        cells = [word(line.release or "-")]
        for scale, unit in ((1024, "us/KB"), (Fraction(1, 8), "us/bit")):
            cells.append(_cell(line.cost, Fraction(scale), unit))
        cells.append(word(_range(line.cost)))
        cells.append(word(verdict))
        rows.append(Row(line.case or f"row {line.number}", tuple(cells)))
    heads = ("Release", "CPU us/KB (PB)", "CPU us/bit (PB)", "us/KB from..to", "The row")
    head = header("Case", heads)
    notes = (f"From {source}. From..to is what the rounding of the printed numbers leaves open.",)
    return Table(
        "mapped", "CPU per KB, recomputed", (head, Section("body", tuple(rows))), notes, keys=1
    )


def contradictions(lines: Sequence[Line]) -> list[str]:
    """A sentence for each number of LINES that the others of its row contradict."""
    names = ((f"{x.case} {x.release}".strip() or f"row {x.number}", x) for x in lines)
    return [f"{name}: {text}" for name, line in names for text in line.against]


def _digits(x: Range, scale: Fraction) -> int:
    """Decimals of which the last has the size of what is open."""
    half = (x.high - x.low) / 2 * scale
    places = 0
    while places < 6 and half and half * 10**places < 1:
        places += 1
    return places


def _cell(x: Range | None, scale: Fraction, unit: str) -> Cell:
    if x is None:
        return word("-")
    low, high = float(x.low * scale), float(x.high * scale)
    return known(Estimate((low + high) / 2, low, high, 1, 0.0, step=(high - low) / 2), unit, "(PB)")


def _range(x: Range | None) -> str:
    if x is None:
        return "-"
    places = _digits(x, Fraction(1024)) + 1
    return f"{fixed(float(x.low * 1024), places)}..{fixed(float(x.high * 1024), places)}"


def mapped_trials(lines: Sequence[Line], origin: str) -> list[Trial]:
    """The rows as trials of printed figures, for a comparison of releases or cases."""
    made = []
    for line in lines:
        if line.cost is None:
            continue
        cost = line.cost
        value = Value(
            float(cost.middle * 1024), Unit.US_KB, Source.PB, float((cost.high - cost.low) * 1024)
        )
        where = Where(origin, line.number + 1)
        records = [Record("figures", {"userid": "CPU", "cpu_per_kb": value}, line.case, where)]
        if rate := _first(line.printed, "rate"):
            speed = Value(float(rate.middle / 1024), Unit.KB_S, Source.PB,
                          float((rate.high - rate.low) / 1024))  # fmt: skip
            records.append(Record("figures", {"rate": speed}, line.case, where))
        name = line.release or line.case or f"row {line.number}"
        made.append(
            Trial(
                id=f"{origin}:{line.number}", run=origin, status="good", parts={"CPU": "CPU"},
                case=(line.case if line.release else "") or "table", release=name, run_id=name[:12],
                seq=line.number, records=tuple(records),
            )
        )  # fmt: skip
    keys = [(t.case, t.release) for t in made]
    for k, key in enumerate(keys):
        if key in keys[:k]:
            raise MappingError(f"two rows are case {key[0]!r} of release {key[1]!r}")
    if not made:
        raise MappingError("no row has CPU and an amount, a share of CPU and a rate, or a cost")
    return made
