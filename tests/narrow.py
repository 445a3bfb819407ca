# SPDX-License-Identifier: MIT
"""What a test expects to be there: each fails where something else is."""

from __future__ import annotations

from typing import TypeVar

from vmkb.accounting.records import Item, ParseError, Record

T = TypeVar("T")


def some(x: T | None) -> T:
    """X, which is not None."""
    assert x is not None
    return x


def a_record(item: Item) -> Record:
    """ITEM, which is a record."""
    assert isinstance(item, Record), item
    return item


def an_error(item: Item) -> ParseError:
    """ITEM, which is an error."""
    assert isinstance(item, ParseError), item
    return item
