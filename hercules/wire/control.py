# SPDX-License-Identifier: MIT
"""The control channel: one JSON object a line, request and answer, on a Unix socket of the wire.

A request is `{"do": NAME, ...arguments}`; the answer `{"ok": true, "value": ...}` or
`{"ok": false, "error": SENTENCE}`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from vmkb.hercules.wire.server import Wire

LINE_MAX = 65536
Command = Callable[..., Any]


class Control:
    """Answers control connections for a wire; `stopped` is set by the command `stop`."""

    def __init__(self, wire: Wire) -> None:
        self.stopped = asyncio.Event()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._commands: dict[str, Command] = {
            "ping": lambda: "pong",
            "ports": lambda: {
                name: {"kind": port.kind, "connected": port.connected, "cut": port.up.cut}
                for name, port in wire.lan.ports.items()
            },
            "counters": wire.snapshot,
            "profile": wire.set_profile,
            "cut": wire.cut,
            "restore": wire.restore,
            "capture": wire.start_capture,
            "capture-stop": wire.stop_capture,
            "add-guest": wire.add_guest,
            "add-ctcm": wire.add_ctcm,
            "add-stream": wire.add_stream,
            "add-tap": wire.add_tap,
            "add-passt": wire.add_passt,
            "config": wire.configuration,
            "remove": wire.remove,
            "stop": self.stopped.set,
        }

    async def open(self, path: Path) -> None:
        """Listens. OSError if the path cannot be a socket."""
        self._server = await asyncio.start_unix_server(self._client, path, limit=LINE_MAX)

    async def close(self) -> None:
        """Listens no more."""
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def answer(self, line: bytes) -> dict[str, Any]:
        """The answer to one request line; a bad request is answered in words."""
        try:
            request = json.loads(line)
            if not isinstance(request, dict) or request.get("do") not in self._commands:
                known = ", ".join(sorted(self._commands))
                raise ValueError(f'the request needs a "do" that is one of: {known}')
            command = self._commands[request.pop("do")]
            value = command(**request)
            if isinstance(value, Awaitable):
                value = await value
        except (ValueError, TypeError, OSError, RuntimeError) as error:
            return {"ok": False, "error": str(error)}
        return {"ok": True, "value": value}

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while line := await reader.readline():
                answer = await self.answer(line)
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        except (ValueError, ConnectionError, asyncio.CancelledError):
            # a line above the limit, or the client is gone, or the wire ends
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
