# SPDX-License-Identifier: MIT
"""The content of sweep.toml, and the labs that it means. Pure but for reading the file."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from random import Random

from pydantic import Field, ValidationError, field_validator

from vmkb import given
from vmkb.errors import UsageError
from vmkb.workloads.base.definition import Strict

FILE = Path(__file__).resolve().parent.parent / "sweep.toml"


class Point(Strict):
    """The setting of one lab."""

    mtu: int
    buffers: int
    loss: float

    def place(self, folder: Path) -> Path:
        """Its folder in that of a sweep, whose name is the run's: no other sweep has it."""
        setting = f"mtu{self.mtu}-buffers{self.buffers}-loss{self.loss:g}"
        return folder / f"{folder.resolve().name}-{setting}"


class Design(Strict):
    """A full factorial design; each factor's first level is what the others are compared with.
    `trials` are of each combination."""

    question: str
    releases: tuple[str, ...] = Field(min_length=1)
    files: tuple[str, ...] = Field(min_length=1)
    mtu: tuple[int, ...] = Field(min_length=1)
    buffers: tuple[int, ...] = Field(min_length=1)
    loss: tuple[float, ...] = Field(min_length=1)
    wire: str
    trials: int = Field(ge=1, le=99)
    seed: int = 0

    @field_validator("releases", "files", "mtu", "buffers", "loss")
    @classmethod
    def _each_once(cls, levels: tuple[object, ...]) -> tuple[object, ...]:
        if len(set(levels)) != len(levels):
            raise ValueError("each level stands there once")
        return levels

    @field_validator("mtu")
    @classmethod
    def _carried(cls, levels: tuple[int, ...]) -> tuple[int, ...]:
        if not all(576 <= x <= 32767 for x in levels):
            raise ValueError("an MTU is 576 to 32767")
        return levels

    @field_validator("buffers")
    @classmethod
    def _fits(cls, levels: tuple[int, ...]) -> tuple[int, ...]:
        if not all(4096 <= x <= 262144 for x in levels):
            raise ValueError("a data buffer has 4096 to 262144 bytes")
        return levels

    @field_validator("loss")
    @classmethod
    def _possible(cls, levels: tuple[float, ...]) -> tuple[float, ...]:
        if not all(0 <= x < 0.5 for x in levels):
            raise ValueError("a loss is a part of the frames, from 0 to below 0.5")
        return levels

    def points(self) -> list[Point]:
        """The labs, in the order in which they run: one that SEED draws, so that what drifts meets
        no factor alone."""
        every = [
            Point(mtu=m, buffers=b, loss=x)
            for m, b, x in itertools.product(self.mtu, self.buffers, self.loss)
        ]
        Random(self.seed).shuffle(every)
        return every


def load(path: Path = FILE) -> Design:
    """The design in the file PATH; UsageError for what is wrong in it."""
    try:
        return Design.model_validate(tomllib.loads(given.text(path)))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}.") from None
    except ValidationError as error:
        lines = []
        for item in error.errors(include_url=False, include_context=False):
            key = ".".join(map(str, item["loc"]))
            lines.append(f"{path.name}: {key}: {item['msg'].removeprefix('Value error, ')}.")
        raise UsageError("\n".join(lines)) from None
