# SPDX-License-Identifier: MIT
"""A network namespace for an emulator, with nothing but a loopback address of its own: what it
listens on there, nobody else can call. Who serves the emulator gets sockets that were made inside
of it (hercules/inside.py).

The process that makes the room (`python -m vmkb.hercules.room`) needs no right for that where a
user may have namespaces; it gives each caller at its Unix socket, in a folder that is its user's
alone, one TCP socket, and ends when nobody holds its standard input open any more.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import errno
import fcntl
import os
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from vmkb.hercules.inside import SECONDS
from vmkb.hercules.scratch import LEASE
from vmkb.hercules.sockets import socket_folder

NAME = "room.sock"
NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000  # clone(2)
_SET_FLAGS, _UP = 0x8914, 1  # SIOCSIFFLAGS, IFF_UP: netdevice(7)
_CHUNK = 4096
_READY = b"ready\n"


class Room:
    """A room for one emulator, or the reason why there is none.

    It ends when nobody holds `held` open any more. Within a `with` block this process does; the
    emulator is to hold it. The room holds the file descriptors `holds` open as long as it lives.
    `refused` is a sentence where it cannot be had, else empty."""

    def __init__(self, holds: Sequence[int] = ()) -> None:
        folder = socket_folder()
        self.path = folder.path / NAME
        # a session of its own: Ctrl-C in the window is not for it
        self._process = subprocess.Popen(
            [sys.executable, "-m", "vmkb.hercules.room", "--socket", str(self.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True, pass_fds=(folder.lease, *holds),
        )  # fmt: skip
        folder.release()  # it is the room's, which removes it
        assert self._process.stdin is not None
        self.held = self._process.stdin.fileno()
        self._said: str | None = None

    @property
    def refused(self) -> str:
        """Why there is no room; waits until that is known."""
        if self._said is None:
            self._said = self._hear()
        return self._said

    def _hear(self) -> str:
        assert self._process.stdout is not None
        if shutil.which("nsenter") is None:
            return "the program nsenter (util-linux) is not there"
        said = b""
        with selectors.DefaultSelector() as ready:
            ready.register(self._process.stdout, selectors.EVENT_READ)
            while not said.endswith(b"\n"):
                if not ready.select(SECONDS):
                    return f"no network namespace was made within {SECONDS:g} s"
                piece = os.read(self._process.stdout.fileno(), _CHUNK)
                if not piece:
                    return "the process that makes network namespaces has ended"
                said += piece
        return self._try() if said == _READY else said.decode("utf-8", "replace").strip()

    def _try(self) -> str:
        """Why a program cannot enter, though the room has been made; empty if it can."""
        try:
            entered = subprocess.run(
                self.entered(["true"]), capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"nsenter fails: {error}"
        said = entered.stderr.strip().splitlines()
        return "" if entered.returncode == 0 else said[-1] if said else "nsenter fails"

    def entered(self, command: Sequence[str]) -> list[str]:
        """The command line that runs `command` in the room, as the process that it starts."""
        own = ["--user", "--preserve-credentials"] if os.geteuid() else []
        return ["nsenter", "--target", str(self._process.pid), *own, "--net", *command]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.release()

    def release(self) -> None:
        """Hold it no longer."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def end(self) -> None:
        """Hold it no longer, and see it end."""
        self.release()
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def separate() -> None:
    """This process goes into a new network namespace, and its loopback address is up there. OSError
    when it may not: it is not of use then."""
    libc = ctypes.CDLL(None, use_errno=True)
    root = os.geteuid() == 0
    uid, gid = os.geteuid(), os.getegid()
    if libc.unshare(NEW_NETWORK if root else NEW_NETWORK | NEW_USER):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    if not root:
        # the same user inside, so that what an emulator writes is its user's
        for name, text in (
            ("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")
        ):  # fmt: skip
            Path(f"/proc/self/{name}").write_text(text, encoding="ascii")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, _SET_FLAGS, struct.pack("16sh22x", b"lo", _UP))


def refusal(error: OSError) -> str:
    """Why `separate` has failed, in a few words."""
    full = error.errno == errno.ENOSPC  # as clone(2) says it
    return "the limit in /proc/sys/user is reached" if full else error.strerror or str(error)


def _serve(listener: socket.socket) -> None:
    """Gives sockets until standard input ends."""
    with selectors.DefaultSelector() as ready:
        ready.register(listener, selectors.EVENT_READ)
        ready.register(sys.stdin, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fileobj is not listener:
                    if not os.read(sys.stdin.fileno(), _CHUNK):
                        return
                    continue
                with contextlib.suppress(OSError):
                    caller, _ = listener.accept()
                    with caller, socket.socket(socket.AF_INET, socket.SOCK_STREAM) as made:
                        socket.send_fds(caller, [b"s"], [made.fileno()])


def main(arguments: list[str] | None = None) -> int:
    """`python -m vmkb.hercules.room --socket PATH`; says `ready`, or why there can be no room."""
    parser = argparse.ArgumentParser(
        prog="vmkb.hercules.room", description="An emulator's network."
    )
    parser.add_argument("--socket", type=Path, required=True, help="where it gives sockets")
    path: Path = parser.parse_args(arguments).socket
    # Ctrl-C and the end of the window are for who started this, and then for its input's end.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(path))
            listener.listen(64)
            separate()
            os.write(sys.stdout.fileno(), _READY)
            _serve(listener)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.write(sys.stdout.fileno(), f"{refusal(error)}\n".encode())
        return 1
    finally:
        with contextlib.suppress(OSError):  # what is not the room's keeps the folder
            for left in (path, path.with_name(LEASE)):
                left.unlink(missing_ok=True)
            path.parent.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main())
