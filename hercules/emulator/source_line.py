# SPDX-License-Identifier: MIT
"""Which line of its source a guest's control program was in, by the symbols of its program."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

TOOL = "s390x-linux-gnu-addr2line"
TOOL_WITHIN = 30.0
_FAILED_AT, _CALLED_FROM = "at", "caller"


def where(failed: re.Match[str], symbols: Path) -> str:
    """A sentence about what FAILED, the guest's own line, names by its groups `at` and `caller`,
    addresses in hexadecimal; empty if it has none, or nothing is known of them."""
    groups = failed.groupdict()
    found = []
    for group, word in ((_FAILED_AT, "in"), (_CALLED_FROM, "called from")):
        # An address is of the next instruction: the byte before it is in the one that is meant.
        if groups.get(group) and (line := _line(symbols, int(groups[group], 16) - 1)):
            found.append(f"{word} {line}")
    return f"It was {', '.join(found)}." if found else ""


def _line(symbols: Path, address: int) -> str:
    if address <= 0:
        return ""
    try:
        told = subprocess.run(
            [TOOL, "-f", "-e", str(symbols), f"{address:x}"],
            capture_output=True, text=True, check=True, timeout=TOOL_WITHIN,
        ).stdout.splitlines()  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    if len(told) < 2 or told[0] == "??":
        return ""
    function, place = told[0].partition(".")[0], told[1].partition(" (")[0]
    path, _, number = place.rpartition(":")
    return f"{function}() ({path.removeprefix('./')}:{number})"
