# SPDX-License-Identifier: MIT
"""The LAN of a guest that `vmkb boot` starts: a wire in a process of its own that lives as long as
the guest's emulator, because that holds the wire's standard input open. So nobody has to end it,
however the guest ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vmkb.hercules.closing import Closing
from vmkb.hercules.sockets import socket_folder
from vmkb.hercules.wire.client import CONTROL_NAME, WireClient, WireError
from vmkb.hercules.wire.process import RunningWire

FOLDER = "lan"
"""In the run folder: the wire's log, and a link to the folder of its sockets."""
SOCKETS = "sockets"
GUEST_PORT = "guest"
_OPTIONS = {"lan": "--guest", "ctcm": "--ctcm"}
"""By what a guest's CTC devices carry (hercules.guest.Network.link)."""


class HeldWire(Closing):
    """A wire with a port for one guest, which ends when nobody holds `held` open any more.

    `lines` are for the configuration of the guest's CTCE devices. Within a `with` block this
    process holds it. The wire holds the file descriptors `holds` open as long as it lives; the
    emulator is in `room`, if it has one. EmulatorError when it does not start."""

    def __init__(
        self, run_dir: Path, holds: Sequence[int] = (), carries: str = "lan",
        room: Path | None = None,
    ) -> None:  # fmt: skip
        folder = run_dir / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "log"
        log.unlink(missing_ok=True)
        sockets = socket_folder()
        link = folder / SOCKETS
        link.unlink(missing_ok=True)
        link.symlink_to(sockets.path)
        options = [_OPTIONS[carries], GUEST_PORT, *(["--room", str(room)] if room else [])]
        self._running = RunningWire(sockets, log, options, holds)
        sockets.release()  # it is the wire's, which removes it
        self.held = self._running.held
        self.lines = self._running.lines

    def close(self) -> None:
        """Holds it no longer."""
        self._running.release()


def join_lan(guest: str, run_dir: Path) -> WireClient:
    """The control channel of a running guest's wire. WireError when it has none."""
    try:
        return WireClient((run_dir / FOLDER / SOCKETS).resolve() / CONTROL_NAME)
    except WireError:
        raise WireError(
            f"Guest '{guest}' is on no LAN; end it with vmkb stop {guest} and start it again with"
            f" vmkb boot {guest}."
        ) from None
