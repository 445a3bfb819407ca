# SPDX-License-Identifier: MIT
"""The host's network through a TAP device. Needs root; without it use passt."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import ipaddress
import os
import socket
import struct
from pathlib import Path

from vmkb.hercules.wire.attachment import Attachment
from vmkb.hercules.wire.block import FRAME_MAX, FRAME_MIN

# linux/if_tun.h, linux/if.h, linux/sockios.h
_TUNSETIFF, _IFF_TAP, _IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x0001
_SIOCSIFADDR, _SIOCSIFNETMASK, _SIOCSIFMTU = 0x8916, 0x891C, 0x8922
_NAME_MAX = 15
_BATCH = 64


class TapPort:
    """A TAP device on the LAN. It goes away with the wire."""

    def __init__(self, port: Attachment, device: str, address: str, mtu: int) -> None:
        self._port = port
        self._mtu = mtu
        self.device = device
        self.address = ipaddress.IPv4Interface(address)
        self._fd = -1

    async def open(self) -> None:
        """Creates the device, gives it address and MTU, and sets it up.

        PermissionError without root; OSError if the kernel refuses the name, the address or the
        MTU."""
        if not 0 < len(self.device.encode()) <= _NAME_MAX or "/" in self.device:
            raise ValueError(f"{self.device!r} is no device name: 1 to 15 bytes, no slash")
        try:
            self._fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            request = struct.pack("16sH22x", self.device.encode(), _IFF_TAP | _IFF_NO_PI)
            fcntl.ioctl(self._fd, _TUNSETIFF, request)
            self._configure()
        except OSError as error:
            await self.close()
            raise type(error)(
                error.errno,
                f"cannot make the TAP device {self.device} ({error.strerror}); "
                "it needs root and /dev/net/tun: try a passt port",
            ) from None
        asyncio.get_running_loop().add_reader(self._fd, self._read)
        self._port.join(self._send)

    def _configure(self) -> None:
        name = self.device.encode()
        with contextlib.suppress(OSError):
            # the host's router solicitations are not part of anybody's experiment
            Path(f"/proc/sys/net/ipv6/conf/{self.device}/disable_ipv6").write_text("1")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            fcntl.ioctl(sock, _SIOCSIFMTU, struct.pack("16si20x", name, self._mtu))
            for code, value in (
                (_SIOCSIFADDR, self.address.ip),
                (_SIOCSIFNETMASK, self.address.netmask),
            ):
                fcntl.ioctl(
                    sock, code, struct.pack("16sHH4s16x", name, socket.AF_INET, 0, value.packed)
                )
            flags = fcntl.ioctl(sock, _SIOCGIFFLAGS, struct.pack("16sH22x", name, 0))
            (old,) = struct.unpack_from("H", flags, 16)
            fcntl.ioctl(sock, _SIOCSIFFLAGS, struct.pack("16sH22x", name, old | _IFF_UP))

    def _read(self) -> None:
        frames = []
        for _ in range(_BATCH):
            try:
                frame = os.read(self._fd, FRAME_MAX)
            except BlockingIOError:
                break
            except OSError:
                asyncio.get_running_loop().remove_reader(self._fd)
                self._port.gone()
                break
            if len(frame) >= FRAME_MIN:
                frames.append(frame)
        self._port.ingress(frames)

    def _send(self) -> None:
        while frames := self._port.take(FRAME_MAX, 0):
            for frame in frames:
                try:
                    os.write(self._fd, frame)
                except OSError:
                    # the kernel refuses, for example, a frame above the device's MTU
                    self._port.refuse(frame)

    async def close(self) -> None:
        """Removes the device."""
        if self._fd >= 0:
            asyncio.get_running_loop().remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1
