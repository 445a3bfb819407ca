# SPDX-License-Identifier: MIT
"""Whose program is at the other end of a TCP connection within this computer, by the kernel's own
tables. It imports little: the terminal port is to be there at once."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_ESTABLISHED = "01"
_IN_IPV6 = bytes(10) + b"\xff\xff"
"""Before an IPv4 address that a program reaches by IPv6."""


def _forms(host: str) -> set[str]:
    """An IPv4 address as the kernel prints it, in both tables: 32 bits at a time, in this
    computer's byte order."""

    def printed(address: bytes) -> str:
        words = (address[at : at + 4] for at in range(0, len(address), 4))
        return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)

    address = socket.inet_aton(host)
    return {printed(address), printed(_IN_IPV6 + address)}


def _connections(port: int) -> Iterator[tuple[str, str, int]]:
    """Both ends, as printed, and the user of each connection from this port, whatever address it
    has, that a program still holds."""
    for path in _TABLES:
        try:
            with open(path, encoding="ascii") as table:
                for line in table:
                    words = line.split()
                    held = words[3] == _ESTABLISHED and words[9] != "0"
                    if held and words[1].endswith(f":{port:04X}"):
                        yield words[1], words[2], int(words[7])
        except FileNotFoundError:  # a kernel without IPv6
            pass


def owner_of(sock: socket.socket) -> int | None:
    """The user id of the program at the other end of a connection within this computer, None if
    that cannot be told: it has gone already."""
    (host, port), (far_host, far_port) = sock.getsockname(), sock.getpeername()
    own = {f"{form}:{port:04X}" for form in _forms(host)}
    far = {f"{form}:{far_port:04X}" for form in _forms(far_host)}
    return next((uid for a, b, uid in _connections(far_port) if a in far and b in own), None)


def owners_at(port: int, server: str) -> set[int]:
    """The user ids of all programs that have a connection from this port of any of this computer's
    addresses to the address `server`: which of them is meant when only the port is known."""
    servers = _forms(server)
    return {uid for _, far, uid in _connections(port) if far.partition(":")[0] in servers}


def may_enter(*uids: int | None) -> bool:
    """Whether they are all this user's, or root's, and there is one."""
    return bool(uids) and all(uid in (0, os.getuid()) for uid in uids)
