# SPDX-License-Identifier: MIT
"""Which layer an instruction is of: a guest's layers.toml against file and function. Pure."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vmkb.accounting.profile.symbols import Frame
from vmkb.errors import VmkbError

OTHER = "other"


class LayerError(VmkbError, ValueError):
    """A layers.toml that cannot be used; the sentence says where and why."""


class _Layer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str = Field(min_length=1)
    of: tuple[str, ...] = Field(min_length=1)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    layer: tuple[_Layer, ...]


class Layer(NamedTuple):
    """A layer's name and what its patterns are of: FILE:FUNCTION."""

    name: str
    pattern: re.Pattern[str]


def parse(text: str, name: str = "layers.toml") -> tuple[Layer, ...]:
    """The layers in order. Raises LayerError with NAME and the key."""
    try:
        made = _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise LayerError(f"{name}: this is not TOML: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise LayerError(f"{name}: {where}: {first['msg']}") from None
    return tuple(Layer(x.name, _pattern(x.of)) for x in made.layer)


def _pattern(of: Sequence[str]) -> re.Pattern[str]:
    whole = (p if ":" in p else f"{p}:*" for p in of)
    return re.compile("|".join(fnmatch.translate(p) for p in whole))


def layer_of(layers: Sequence[Layer], frame: Frame) -> str:
    """The name of the first layer that FRAME is of; OTHER if it is of none."""
    key = f"{frame.file}:{frame.function}"
    return next((x.name for x in layers if x.pattern.match(key)), OTHER)
