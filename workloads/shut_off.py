# SPDX-License-Identifier: MIT
"""Shuts a command's guests off from other users, who else could call what the emulators listen on:
terminals with passwords that everybody knows, and channels, which take any address."""

from __future__ import annotations

from vmkb.hercules.own_network import own_network, refused_network
from vmkb.workloads.output import say

EXPOSED = (
    "other users can reach the guests' own ports while they run: there is no network namespace for"
    " them"
)


def shut_off(workers: bool = False) -> None:
    """All guests from now on are in a network of this command's own; with WORKERS, those of each
    are in one of his own. Where there can be none it is said, and all goes on. Nothing outside is
    reached from then on (not so with WORKERS). Call it before the command has other threads."""
    why = refused_network() if workers else own_network()
    if why:
        say(f"vmkb: {EXPOSED}: {why}", err=True)
