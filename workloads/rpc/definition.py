# SPDX-License-Identifier: MIT
"""The content of rpc.toml, and the cases that it makes: every cell of the published table. Pure."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from vmkb.workloads.base import definition

Way = Literal["2-way", "3-way", "no"]
Wait = Literal["Wait", "Cont", "Defer", "Nap"]
Receive = Literal["Solicited", "Unsolicited", "Unsol+Copy"]


class Case(definition.Case):
    """A cell: `callers` at one time, each of whose calls draws `size` bytes.

    Way `no`, wait `Nap`: the machine sleeps as Wait does and CP wakes it, without a call.
    """

    way: Way
    wait: Wait
    receive: Receive
    size: int
    callers: int


class Definition(definition.Definition):
    """rpc.toml. `few`, `calls` (of one caller) and `many_calls`: a trial's cost is what the calls
    beyond the few ones cost."""

    server_model: str
    user: str
    entry: str
    few: int = Field(ge=1)
    calls: definition.Amount
    many_calls: definition.Amount
    many: int = Field(ge=2, le=16)
    ways: tuple[Way, ...] = Field(min_length=1)
    waits: tuple[Wait, ...] = Field(min_length=1)
    receives: tuple[Receive, ...] = Field(min_length=1)
    sizes: tuple[Literal[4096, 8192], ...] = Field(min_length=1)
    case: tuple[Case, ...] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _cells(cls, values: dict[str, Any]) -> dict[str, Any]:
        """The cases of all ways, waits, receives and sizes. Of nothing there is one way to receive
        it; who waits for each call has one outstanding."""
        made = [{**_case("no", "Nap", "Solicited", 0, 1), "id": "NAP"}]
        for way in values.get("ways", ()):
            for wait in values.get("waits", ()):
                for size in (0, *values.get("sizes", ())):
                    for receive in values.get("receives", ())[: None if size else 1]:
                        for callers in (1,) if wait == "Wait" else (1, values.get("many", 1)):
                            made.append(_case(way, wait, receive, size, callers))
        return {**values, "case": made}


def _case(way: str, wait: str, receive: str, size: int, callers: int) -> dict[str, Any]:
    kind = f" {receive}" if size else ""
    number = "ALONE" if callers == 1 else "MANY"
    title = f"{way}, {wait},{kind.lower()} {size} bytes, {callers} outstanding"
    return {
        "id": f"{way} {wait}{kind} {size} {number}".upper(),
        "title": "a sleep and a wake-up, no call" if way == "no" else title,
        "way": way, "wait": wait, "receive": receive, "size": size, "callers": callers,
    }  # fmt: skip
