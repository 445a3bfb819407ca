# SPDX-License-Identifier: MIT
"""The things that accounting reads: values with units, records, text, and errors.

Everything here is immutable and carries its unit and its source.  ``Value`` and
``Record`` are named tuples, not frozen dataclasses, because one record costs the
parser less than ten microseconds and a frozen dataclass spends three of them.
"""

from vmkb.accounting.records.fields import FIELDS
from vmkb.accounting.records.record import Field, Item, ParseError, Record, Text, Where
from vmkb.accounting.records.value import Source, Unit, UnitError, Value

__all__ = [
    "FIELDS",
    "Field",
    "Item",
    "ParseError",
    "Record",
    "Source",
    "Text",
    "Unit",
    "UnitError",
    "Value",
    "Where",
]
