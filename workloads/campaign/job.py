# SPDX-License-Identifier: MIT
"""The message to a worker: JSON, one line. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from vmkb.errors import VmkbError


class OtherVersion(VmkbError):
    """A job of another vmkb, guest or emulator; the sentence names both."""


@dataclass(frozen=True)
class Job:
    """Some worlds of a run, by the ids of their first trials. `identity` is what the run is made
    with (workloads.campaign.identity), `run` its id, `settings` what run.json holds."""

    identity: Mapping[str, str]
    workload: str
    guest: str
    settings: Mapping[str, Any]
    run: str
    worlds: tuple[str, ...] = ()

    def line(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def parse(cls, line: str, vmkb: str) -> Job:
        """From its JSON, by the version VMKB. OtherVersion if it is another's."""
        values = json.loads(line)
        theirs = values["identity"]
        check({"vmkb": theirs["vmkb"]}, {"vmkb": vmkb})
        return cls(**{**values, "worlds": tuple(values["worlds"])})


def check(theirs: Mapping[str, str], ours: Mapping[str, str]) -> None:
    """OtherVersion if a worker that has OURS may not run what is made with THEIRS."""
    for what, wanted in theirs.items():
        if ours.get(what) != wanted:
            raise OtherVersion(f"it has {what} {ours.get(what)}, and the run is of {what} {wanted}")
