# SPDX-License-Identifier: MIT
"""Shuts a command's guests off from other users, who else could call what the emulators listen on:
terminals with passwords that everybody knows, and channels, which take any address."""

from __future__ import annotations

from vmkb.hercules.own_network import own_network
from vmkb.workloads.command.output import say

EXPOSED = (
    "other users can reach the guests' own ports while they run: there is no network namespace for"
    " them"
)


def shut_off() -> None:
    """All guests from now on are in a network of this command's own. Where there can be none it is
    said, and all goes on. Nothing outside is reached from then on. Call it before the command has
    other threads."""
    if why := own_network():
        say(f"vmkb: {EXPOSED}: {why}", err=True)
