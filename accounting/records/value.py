# SPDX-License-Identifier: MIT
"""A number that was read, with its unit and its source.

CPU and elapsed times are whole **microseconds** whatever a line prints; ``Value.tick`` says how
fine the line was (10 000 us for QUERY TIME).
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from vmkb.errors import VmkbError


class Unit(StrEnum):
    """Unit of a Value. KB is 1024 bytes everywhere; the rates follow it."""

    US = "us"  # microseconds of CPU or elapsed time
    MS = "ms"
    S = "s"
    DAY_S = "s-of-day"  # seconds since midnight, from a clock stamp
    BYTE = "B"
    KB = "KB"
    PAGE = "page"  # 4096 bytes on VM, 512 on VAX/VMS
    COUNT = "count"
    INSTR = "instr"
    PERCENT = "%"  # 100 is one engine fully busy unless the field says otherwise
    RATIO = "ratio"
    KB_S = "KB/s"
    MB_S = "MB/s"  # 1 000 000 bytes
    KBIT = "Kbit"  # 1000 bits, as the RFCs count
    MBIT = "Mbit"  # 1 000 000 bits
    KBIT_S = "Kbit/s"
    PER_S = "/s"
    US_MBIT = "us/Mbit"  # CPU time per 1 000 000 bits
    US_KB = "us/KB"
    USD_MBIT = "USD/Mbit"


class Source(StrEnum):
    """Where a number comes from; the letters are printed in table headers.

    IN is no measurement but what an experiment was given; the letters of CP INDICATE are CI.
    """

    QT = "QT"  # CP QUERY TIME, LOGOFF or ACNT line
    IC = "IC"  # instruction and byte counts, to go through a machine model
    HT = "HT"  # host CPU time of the emulator's CPU thread
    RT = "RT"  # monitor display
    AC = "AC"  # accounting card or accounting block
    FT = "FT"  # FTP's own console message
    WI = "WI"  # the wire's counters
    CI = "CI"  # CP INDICATE
    IN = "IN"  # an input of the experiment
    RM = "RM"  # CMS Ready message
    PB = "PB"  # a published table
    PM = "PM"  # a program's own message of what it did (RXPERF, GMSBENCH, GMSREAD)
    VT = "VT"  # virtual time of the modelled machine


#: Factor to the first unit of each dimension. Only these convert into each other.
_SCALE: dict[Unit, tuple[str, int | float]] = {
    Unit.US: ("time", 1),
    Unit.MS: ("time", 1_000),
    Unit.S: ("time", 1_000_000),
    Unit.BYTE: ("bytes", 1),
    Unit.KB: ("bytes", 1024),
    Unit.KBIT: ("bytes", 125),
    Unit.MBIT: ("bytes", 125_000),
    Unit.KB_S: ("byte rate", 1024),
    Unit.MB_S: ("byte rate", 1_000_000),
    Unit.KBIT_S: ("byte rate", 125),
    Unit.US_MBIT: ("cpu per byte", 1 / 125_000),
    Unit.US_KB: ("cpu per byte", 1 / 1024),
}


class UnitError(VmkbError, TypeError):
    """Two values of different dimensions met, or a conversion makes no sense."""


class Value(NamedTuple):
    """A number, its unit, its source, and the step in which the source counts (same unit)."""

    value: int | float
    unit: Unit
    source: Source
    tick: int | float = 0

    def to(self, unit: Unit) -> Value:
        """The same quantity in another unit of the same dimension; UnitError otherwise."""
        if unit is self.unit:
            return self
        here, there = _SCALE.get(self.unit), _SCALE.get(unit)
        if here is None or there is None or here[0] != there[0]:
            raise UnitError(f"{self.value} {self.unit} ({self.source}) is no quantity in {unit}")
        factor = here[1] / there[1]
        return Value(self.value * factor, unit, self.source, self.tick * factor)

    def minus(self, other: Value) -> Value:
        """Difference of two readings of one counter; both must share unit and source."""
        if (self.unit, self.source) != (other.unit, other.source):
            raise UnitError(
                f"cannot subtract {other.value} {other.unit} ({other.source})"
                f" from {self.value} {self.unit} ({self.source})"
            )
        return Value(self.value - other.value, self.unit, self.source, self.tick + other.tick)

    def __str__(self) -> str:
        return f"{self.value} {self.unit} ({self.source})"
