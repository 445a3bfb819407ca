# SPDX-License-Identifier: MIT
"""What is sent to a worker, and what comes back: JSON, a line each. Pure."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from vmkb.errors import VmkbError


class OtherVersion(VmkbError):
    """A job of another vmkb; the sentence names both."""


@dataclass(frozen=True)
class Job:
    """A part of a run: TRIALS of it, by their ids; none: only say who you are. `vmkb` names the
    version that has made it, `run` is the run's id, `settings` what run.json holds."""

    vmkb: str
    workload: str
    guest: str
    settings: Mapping[str, Any]
    run: str
    trials: tuple[str, ...] = ()

    def line(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def parse(cls, line: str, vmkb: str) -> Job:
        """From its JSON, by the version VMKB. OtherVersion if it is another's."""
        values = json.loads(line)
        theirs = values.get("vmkb")
        if theirs != vmkb:
            raise OtherVersion(f"it has vmkb {vmkb}, and the run is of vmkb {theirs}")
        return cls(**{**values, "trials": tuple(values["trials"])})


@dataclass(frozen=True)
class Finished:
    """A trial that has ended: the ROWS that it added to the worker's store, and the FILES that it
    wrote or lengthened beside it."""

    trial: str
    rows: tuple[Mapping[str, Any], ...]
    files: Mapping[str, bytes] = field(default_factory=dict)

    def message(self) -> dict[str, Any]:
        """As plain values that JSON and Dask carry; the rows as text, since Dask makes tuples of
        lists."""
        packed = {k: base64.b64encode(zlib.compress(v)).decode() for k, v in self.files.items()}
        return {"trial": self.trial, "rows": json.dumps(self.rows), "files": packed}

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Finished:
        """From what `message` made."""
        files = {k: zlib.decompress(base64.b64decode(v)) for k, v in message["files"].items()}
        return cls(message["trial"], tuple(json.loads(message["rows"])), files)
