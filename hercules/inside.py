# SPDX-License-Identifier: MIT
"""Sockets of an emulator's own network (hercules/room.py), for who serves the emulator from outside
of it. This imports little: the terminal port is to be there at once."""

from __future__ import annotations

import socket
from pathlib import Path

SECONDS = 10.0
"""For a room to be made, and for it to give a socket, on a busy computer."""


def inside(path: Path | str) -> socket.socket:
    """A TCP socket that was made in the room whose socket is `path`. OSError when it gives none."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
        asked.settimeout(SECONDS)
        asked.connect(str(path))
        _, fds, _, _ = socket.recv_fds(asked, 1, 1)
    if not fds:
        raise ConnectionRefusedError("the emulator's room gave no socket")
    return socket.socket(fileno=fds[0])
