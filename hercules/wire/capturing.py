# SPDX-License-Identifier: MIT
"""A LAN's traffic, in a capture file while somebody wants it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from vmkb.hercules.wire.attachment import Place
from vmkb.hercules.wire.pcapng import Capture


class Watched(Protocol):
    """A LAN that tells somebody of each frame that reaches the switch."""

    watch: Callable[[float, Place, bytes], None] | None


class Capturing:
    """The capture file of LAN, or none. CLOCK is the LAN's, in seconds."""

    def __init__(self, lan: Watched, clock: Callable[[], float]) -> None:
        self._lan = lan
        self._clock = clock
        self._capture: Capture | None = None

    def start(self, path: str | Path, offset: float) -> None:
        """Write every frame that reaches the switch to a pcapng file from now on. OFFSET is the
        Unix time at which the clock was 0. OSError if the file cannot be made."""
        self.stop()
        capture = self._capture = Capture(path)

        def watch(seconds: float, port: Place, frame: bytes) -> None:
            capture.write(seconds + offset, port.name, frame, self._clock() + offset)

        self._lan.watch = watch

    def stop(self) -> int:
        """End the file; how many frames it has, 0 if there was none."""
        self._lan.watch = None
        capture, self._capture = self._capture, None
        if capture is None:
            return 0
        capture.close()
        return capture.frames
