# SPDX-License-Identifier: MIT
"""conform.toml: the checks."""

from __future__ import annotations

from pydantic import Field, model_validator

from vmkb.workloads.base import definition
from vmkb.workloads.conform.checks import CHECKS


class Case(definition.Case):
    """A check: what the wire does to frames (`changes`, of a wire's profile), or the function of
    checks.py that a peer does by hand. `itself`: who asks runs the same stack."""

    changes: dict[str, float] = {}
    itself: bool = False
    by_hand: str = ""

    @model_validator(mode="after")
    def _one(self) -> Case:
        if bool(self.changes) == bool(self.by_hand) or self.by_hand not in ("", *CHECKS):
            raise ValueError(f"{self.id}: changes of the wire, or by_hand one of {list(CHECKS)}")
        return self


class Definition(definition.Definition):
    """The file. `asks`: the TCP/IP of the guest that asks."""

    asks: str
    case: tuple[Case, ...] = Field(min_length=1)
