# SPDX-License-Identifier: MIT
"""Where Unix sockets live: a short private folder, since a socket's path has 107 bytes at most and
a checkout's may be longer."""

from __future__ import annotations

import os
from collections.abc import Mapping

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.scratch import PREFIX, Scratch

PATH_MAX = 107
"""Bytes of a Unix socket's path (Linux: sun_path without its end)."""
NAME_MAX = 32
"""Bytes that are kept for a socket's name in the folder."""
_RANDOM = 8  # characters that Scratch adds


def socket_folder(environment: Mapping[str, str] = os.environ) -> Scratch:
    """A new folder that only this user may enter, for sockets with names of up to NAME_MAX bytes.

    It is made in $XDG_RUNTIME_DIR, $TMPDIR or /tmp: the first one that is short enough and can be
    written. Who asked for it removes it. Raises EmulatorError when there is none.
    """
    room = PATH_MAX - NAME_MAX - len(f"/{PREFIX}/") - _RANDOM
    tried = []
    for parent in (environment.get("XDG_RUNTIME_DIR"), environment.get("TMPDIR"), "/tmp"):
        if not parent or not os.path.isabs(parent):
            continue
        if len(os.fsencode(parent)) > room:
            tried.append(f"{parent} is too long a path")
            continue
        try:
            return Scratch(parent)
        except OSError as error:
            tried.append(f"{parent}: {error.strerror}")
    raise EmulatorError(f"No folder for sockets can be made ({'; '.join(tried)}).")
