# SPDX-License-Identifier: MIT
"""The wire: a LAN in user space, in a process of its own. docs/wire.md tells the whole.

with WireProcess(profile="token-ring-16", seed=1) as wire:
    machine = machine.with_ctce(wire.add_guest("vm1"))
    ...
    wire.counters()
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
import weakref
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hercules.deadline import Deadline, EmulatorError, wait_until
from hercules.sockets import socket_folder
from hercules.wire.control import Control
from hercules.wire.profile import ProfileError, profile
from hercules.wire.server import Wire

START_SECONDS = 10.0
REQUEST_SECONDS = 10.0
CONTROL_NAME = "control.sock"
_READY = "ready"


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
        deadline = time.monotonic() + self._seconds
        try:
            self._socket.settimeout(self._seconds)
            self._socket.sendall(json.dumps({"do": do, **arguments}).encode() + b"\n")
            while b"\n" not in self._rest:
                self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
                data = self._socket.recv(65536)
                if not data:
                    self._drop()
                    raise WireError(f"the wire ended while it was asked to {do}; see its log")
                self._rest += data
        except TimeoutError:
            self._drop()
            raise WireError(f"the wire did not answer {do} in {self._seconds} s") from None
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
        self, name: str, guest: str, gateway: str, options: list[str] | None = None
    ) -> str:
        """The host by passt (no root): the gateway's address."""
        return str(
            self.request(
                "add-passt", name=name, guest=guest, gateway=gateway, options=options or []
            )
        )

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


def await_ready(process: subprocess.Popen[bytes], log: Path) -> list[str]:
    """Waits until a wire that was started says that it is ready; the configuration lines that it
    said before. WireError when it ends or takes too long, with the end of its log."""
    assert process.stdout is not None
    fd = process.stdout.fileno()
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    deadline = Deadline(START_SECONDS)
    said = b""
    while not said.endswith(f"{_READY}\n".encode()):
        if not poll.poll(deadline.left * 1000):
            raise WireError(f"the wire was not ready in {START_SECONDS} s; see {log}")
        piece = os.read(fd, 4096)
        if not piece:
            code = process.wait(START_SECONDS)
            why = log.read_text(errors="replace").strip()
            raise WireError(f"the wire ended at its start with code {code}: {why}")
        said += piece
    return said.decode().splitlines()[:-1]


class WireProcess(WireClient):
    """A wire in a process of its own, which ends with this object or with this process."""

    def __init__(self, profile: str = "fast", seed: int = 0, log: Path | None = None) -> None:
        folder = socket_folder()
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.log = log or folder / "wire.log"
        with self.log.open("ab") as log_file:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "hercules.wire", "--folder", str(folder), "--profile",
                 profile, "--seed", str(seed), "--until-eof"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log_file,
            )  # fmt: skip
        try:
            await_ready(self._process, self.log)
            super().__init__(folder / CONTROL_NAME)
        except WireError:
            self._end()
            raise

    @property
    def pid(self) -> int:
        """The process, for whoever measures its CPU."""
        return self._process.pid

    def close(self) -> None:
        """Ends the wire."""
        super().close()
        self._end()

    def _end(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


async def _serve(options: argparse.Namespace) -> int:
    try:
        lan_profile = profile(options.profile)
    except ProfileError as error:
        print(error, file=sys.stderr)
        return 2
    wire = Wire(lan_profile, options.seed, options.folder)
    control = Control(wire)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, control.stopped.set)
    if options.until_eof:
        os.set_blocking(sys.stdin.fileno(), False)

        def ended() -> None:
            with contextlib.suppress(BlockingIOError):
                if not os.read(sys.stdin.fileno(), 4096):
                    loop.remove_reader(sys.stdin.fileno())
                    control.stopped.set()

        loop.add_reader(sys.stdin.fileno(), ended)
    try:
        await control.open(options.folder / CONTROL_NAME)
        for name in options.guest:
            await wire.add_guest(name)
            print(*wire.configuration(name), sep="\n")
        print(_READY, flush=True)
        await control.stopped.wait()
    except OSError as error:
        print(f"the wire cannot run: {error}", file=sys.stderr)
        return 3
    finally:
        await control.close()
        await wire.close()
        with contextlib.suppress(OSError):  # what is not the wire's keeps the folder
            for left in options.folder.glob("*.sock"):
                left.unlink()
            options.folder.rmdir()
    return 0


def main(arguments: list[str] | None = None) -> int:
    """`python -m hercules.wire`: runs a wire until SIGTERM, `stop`, or the end of its input."""
    parser = argparse.ArgumentParser(prog="hercules.wire", description="A LAN for emulated guests.")
    parser.add_argument("--folder", type=Path, required=True, help="where its Unix sockets go")
    parser.add_argument("--profile", default="fast", help="named profile of the links")
    parser.add_argument("--seed", type=int, default=0, help="seed of the impairments")
    parser.add_argument("--guest", action="append", default=[], help="add a guest's port")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input ends")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    logging.basicConfig(
        level=logging.INFO if options.verbose else logging.WARNING,
        format="%(relativeCreated)d ms %(message)s",
    )
    return asyncio.run(_serve(options))
