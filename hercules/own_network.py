# SPDX-License-Identifier: MIT
"""A network namespace for this process and all that it starts from now on: emulators, wires and
terminals reach each other by a loopback address that is theirs alone, and nobody else calls what
listens there. (hercules/room.py is for one emulator whose users are to reach it from outside.)

A child makes the namespace, and this process joins it when all of it is ready: where half of it is
refused, as Ubuntu's AppArmor does, nothing has changed here.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from vmkb.hercules.inside import SECONDS
from vmkb.hercules.room import NEW_NETWORK, NEW_USER, refusal, separate

_READY = b"ready"
_CAPABILITIES = 0x20080522  # _LINUX_CAPABILITY_VERSION_3: capget(2)


def own_network() -> str:
    """Into a network of its own, for good. Why there is none, in a few words; empty if there is.

    Nothing outside is reached from then on, but by Unix sockets. Call it while the process has one
    thread: others would stay where they are, and who is not root may not leave them."""
    try:
        if len(os.listdir("/proc/self/task")) > 1:
            return "this process has several threads"
        with _made() as (child, why):
            return why or _join(child)
    except OSError as error:
        return refusal(error)


@contextmanager
def _made() -> Iterator[tuple[int, str]]:
    """A child that has made a namespace and keeps it meanwhile; or why it has not."""
    heard, says = os.pipe()
    holds, held = os.pipe()
    child = -1
    try:
        # what is meant for the caller never raises in its copy
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            child = os.fork()
            if child == 0:
                try:
                    os.close(held)
                    _make(says, holds)
                finally:
                    os._exit(0)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(says)
        os.close(holds)
        said = _hear(heard)
        yield child, "" if said == _READY else said.decode("utf-8", "replace")
    finally:
        os.close(heard)
        os.close(held)
        if child > 0:
            os.waitpid(child, 0)


def _make(says: int, holds: int) -> None:
    """The child's part; it ends when who started it lets go of the other end of HOLDS."""
    try:
        separate()
    except OSError as error:
        os.write(says, refusal(error).encode())
        return
    os.write(says, _READY)
    os.read(holds, 1)


def _hear(heard: int) -> bytes:
    poll = select.poll()
    poll.register(heard, select.POLLIN)
    if not poll.poll(SECONDS * 1000):
        return f"none was made within {SECONDS:g} s".encode()
    return os.read(heard, 4096) or b"the process that makes it has ended"


def _join(child: int) -> str:
    """Into the namespaces of CHILD, all or none; why not, or empty."""
    libc = ctypes.CDLL(None, use_errno=True)
    root = os.geteuid() == 0
    process = os.pidfd_open(child)
    try:
        if libc.setns(process, NEW_NETWORK if root else NEW_NETWORK | NEW_USER):
            return os.strerror(ctypes.get_errno())
    finally:
        os.close(process)
    if not root:
        # who enters a user namespace may do anything there until he starts a program: as before,
        # what is read-only stays so
        header = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0)
        libc.capset(header, (ctypes.c_uint32 * 6)())
    return ""
