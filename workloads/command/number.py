# SPDX-License-Identifier: MIT
"""The numbers that options take."""

from __future__ import annotations

import math
from typing import Any

import click


class Number(click.FloatRange):
    """A finite number in a range. NaN is below no bound and above none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """VALUE as a number, or click's usage error."""
        made = super().convert(value, param, ctx)
        if not math.isfinite(made):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return made
