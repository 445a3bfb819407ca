# SPDX-License-Identifier: MIT
"""CPU models: instruction and byte counts into the milliseconds of a named machine.

The table is machines.toml, from which the guest's own C table is generated too, so that
QUERY TIME and this module agree.  No figure is fitted to a published result.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from vmkb.accounting.records import Source, Unit, Value
from vmkb.accounting.store import Trial
from vmkb.errors import VmkbError

#: Longest key that QUERY TIME (FULL prints.
KEY_LENGTH = 8


class ModelError(VmkbError, ValueError):
    """A model that does not exist or cannot be used; the sentence says what to choose."""


@dataclass(frozen=True, slots=True)
class Model:
    """One engine of a named machine. kmips is instructions per millisecond, rates bytes per ms.
    verified: whether somebody measured the rates; else they are assumptions."""

    key: str
    name: str
    kmips: int
    move_rate: float
    sum_rate: float
    engines: int
    available: bool
    verified: bool
    source: str
    rates: str
    caveat: str = ""
    reason: str = ""

    @property
    def is_timer(self) -> bool:
        """True for `host`: the CPU timer counts, no model is applied."""
        return self.available and self.kmips == 0

    def with_byte_price(self, factor: float) -> Model:
        """The same machine, whose bytes cost FACTOR times as much; 0: nothing."""
        if not factor:
            return replace(self, move_rate=math.inf, sum_rate=math.inf)
        return replace(self, move_rate=self.move_rate / factor, sum_rate=self.sum_rate / factor)

    def cpu(self, instructions: Value, moved: Value, summed: Value) -> Value:
        """CPU time (us, IC) of counts on one engine of this machine, as CP and its clock tell it:
        the only place that prices CPU.

        Takes instructions (instr) and bytes moved and summed (B). Raises ModelError for a
        model without figures or for `host`, which has no instruction rate.
        """
        if not self.available:
            raise ModelError(f"model {self.key} ({self.name}) is not available: {self.reason}")
        if self.is_timer:
            raise ModelError(
                "model host counts no instructions; use the CPU timer, or name a machine"
            )
        if instructions.unit is not Unit.INSTR:
            raise ModelError(f"a model takes instructions, not {instructions}")
        ms = (
            instructions.value / self.kmips
            + moved.to(Unit.BYTE).value / self.move_rate
            + summed.to(Unit.BYTE).value / self.sum_rate
        )
        step = instructions.tick / self.kmips
        return Value(ms * 1000, Unit.US, Source.IC, step * 1000)

    def describe(self) -> str:
        """One sentence for the note under a table."""
        if self.is_timer:
            return "model host: the CPU timer of the emulated CPU as it is"
        mips = f"{self.kmips / 1000:g} MIPS per engine"
        text = f"model {self.key} ({self.name}): {mips}, {self.source}"
        if not self.verified:
            text += (
                f"; bytes at assumed rates, {self.move_rate / 1e6:.3g} GB/s moved and"
                f" {self.sum_rate / 1e6:.3g} GB/s summed: a verdict holds from no price to twice it"
            )
        return text if not self.caveat else f"{text}; {self.caveat}"


@cache
def models() -> dict[str, Model]:
    """All models by key, in the order of machines.toml; unavailable ones included."""
    with (Path(__file__).parent / "machines.toml").open("rb") as f:
        rows = tomllib.load(f)["model"]
    table = {row["key"]: Model(**row) for row in rows}
    for key in table:
        if len(key) > KEY_LENGTH:
            raise ModelError(f"machines.toml: key {key!r} is longer than {KEY_LENGTH} characters")
    return table


def model(key: str) -> Model:
    """The available model KEY (case does not matter); ModelError says which there are."""
    for found in models().values():
        if found.key.upper() == key.upper():
            if not found.available:
                raise ModelError(f"model {found.key} is not available: {found.reason}")
            return found
    usable = ", ".join(m.key for m in models().values() if m.available)
    raise ModelError(f"there is no model {key!r}; the models are {usable}")


def chosen_model(trials: Sequence[Trial], wanted: str) -> Model | None:
    """The model to put counts through: WANTED, else the one that the trials ran under, as their
    run recorded it or as QUERY TIME (FULL named it.
    """
    recorded = (t.meta["model"] for t in trials if t.meta.get("model"))
    said = (m for t in trials for r in t.records if r.kind == "connect" and (m := r.word("model")))
    name = wanted or next(recorded, "") or next(said, "")
    return model(name) if name else None
