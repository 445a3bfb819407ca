# SPDX-License-Identifier: MIT
"""Speaks to a running wire on its control channel."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from vmkb.hercules.deadline import HOST, Deadline, EmulatorError, wait_until

REQUEST_SECONDS = 10.0
CONTROL_NAME = "control.sock"
"""The control channel's name in the folder of a wire's sockets."""


class WireError(EmulatorError):
    """The wire refused, failed or did not answer in time: the text says which."""


class WireClient:
    """Speaks to a running wire. Every request has a deadline; a refusal is a WireError in words."""

    def __init__(self, control: Path | str, seconds: float = REQUEST_SECONDS) -> None:
        self.control = Path(control)
        self._seconds = seconds
        self._open()

    def _open(self) -> None:
        self._rest = b""
        self._broken = False
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(self._seconds)
        try:
            self._socket.connect(str(self.control))
        except OSError as error:
            self._drop()
            raise WireError(
                f"no wire answers at {self.control} ({error.strerror}); is it running?"
            ) from None

    def _drop(self) -> None:
        """End a connection on which an answer is outstanding: it would be the next request's."""
        self._socket.close()
        self._broken = True

    def request(self, do: str, **arguments: Any) -> Any:
        """One request; its value. After a failed one the next has a connection of its own."""
        if self._broken:
            self._open()
        deadline = Deadline(self._seconds, HOST)
        try:
            self._socket.settimeout(self._seconds)
            self._socket.sendall(json.dumps({"do": do, **arguments}).encode() + b"\n")
            while b"\n" not in self._rest:
                self._socket.settimeout(max(deadline.left, 0.001))
                data = self._socket.recv(65536)
                if not data:
                    self._drop()
                    raise WireError(f"the wire ended while it was asked to {do}; see its log")
                self._rest += data
        except TimeoutError:
            self._drop()
            raise WireError(f"the wire did not answer {do} in {deadline.elapsed:.1f} s") from None
        except OSError as error:
            self._drop()
            raise WireError(f"the wire is gone ({error.strerror}) and cannot {do}") from None
        line, self._rest = self._rest.split(b"\n", 1)
        answer = json.loads(line)
        if not answer["ok"]:
            raise WireError(f"the wire refused to {do}: {answer['error']}")
        return answer["value"]

    def add_guest(
        self, name: str, write_device: int = 0x0500, read_device: int = 0x0501
    ) -> list[str]:
        """A port for a guest: the lines of its Hercules configuration
        (`MachineConfig.with_ctce`)."""
        lines: list[str] = self.request(
            "add-guest", name=name, write_device=write_device, read_device=read_device
        )
        return lines

    def add_ctcm(
        self, name: str, read_device: int = 0x0E20, write_device: int = 0x0E21
    ) -> list[str]:
        """A port for a guest whose CTC devices carry IP packets: the lines of its Hercules
        configuration."""
        lines: list[str] = self.request(
            "add-ctcm", name=name, read_device=read_device, write_device=write_device
        )
        return lines

    def config(self, name: str) -> list[str]:
        """The lines of `add_guest` again."""
        lines: list[str] = self.request("config", name=name)
        return lines

    def add_stream(self, name: str) -> str:
        """A port for an endpoint (ports/endpoint.py): the path of its Unix socket."""
        return str(self.request("add-stream", name=name))

    def add_tap(self, name: str, address: str, mtu: int = 1500) -> str:
        """The host by a TAP device (root only): the device's name."""
        return str(self.request("add-tap", name=name, address=address, mtu=mtu))

    def add_passt(
        self, name: str, guest: str, gateway: str, options: list[str] | None = None,
        open_to_all: bool = True,
    ) -> str:  # fmt: skip
        """The host by passt (no root): the gateway's address. Unless `open_to_all`, connections of
        other users of this computer are refused."""
        return str(
            self.request(
                "add-passt", name=name, guest=guest, gateway=gateway, options=options or [],
                open_to_all=open_to_all,
            )
        )  # fmt: skip

    def remove(self, name: str) -> None:
        """Takes a port off the LAN."""
        self.request("remove", name=name)

    def ports(self) -> dict[str, Any]:
        """The ports: kind, connected, cut."""
        value: dict[str, Any] = self.request("ports")
        return value

    def counters(self) -> dict[str, Any]:
        """All counts, source WI."""
        value: dict[str, Any] = self.request("counters")
        return value

    def set_profile(self, port: str, name: str = "", **changes: Any) -> str:
        """A link (or all, `*`) gets a named profile, or keeps its own, with changes
        (`loss=0.01`)."""
        return str(self.request("profile", port=port, name=name, changes=changes))

    def cut(self, port: str, seconds: float | None = None) -> None:
        """Cuts a link (or all, `*`), for good or for some seconds."""
        self.request("cut", port=port, seconds=seconds)

    def restore(self, port: str) -> None:
        """Restores a link that was cut."""
        self.request("restore", port=port)

    def start_capture(self, path: Path | str) -> None:
        """Captures to a pcapng file, from now on."""
        self.request("capture", path=str(Path(path).absolute()))

    def stop_capture(self) -> int:
        """Ends the capture; its number of frames."""
        return int(self.request("capture-stop"))

    def wait_connected(self, port: str, seconds: float) -> None:
        """Waits until a guest has used its devices. `deadline.Timeout` after `seconds`."""
        wait_until(
            lambda: self.ports()[port]["connected"] or None,
            within=seconds,
            expected=f"the guest {port!r} on the wire",
        )

    def close(self) -> None:
        """Ends the connection; the wire goes on."""
        self._socket.close()
