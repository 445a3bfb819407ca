# SPDX-License-Identifier: MIT
"""The terminal port of a guest that `vmkb boot` starts: a process that takes 3270 connections and
passes them to the emulator, one at a time. It imports little, so that it is there at once.

Hercules 3.13 loses its terminals when two connect in the same moment: the thread of the first takes
the second's socket, and from the first one's end on its console thread selects on a closed one. So
a client negotiates here, for as long as it likes; then the emulator is given a terminal that
answers at once, and the next one only when it has that one or has refused it.

Only this user's own programs and root's are let in, unless it is to be open to all: the guest has
well-known passwords.

It is also who ends the emulator when the `vmkb boot` that starts it dies halfway: `--lease` is a
pipe on which that says `port N ...` (the emulator's own terminal port) and at last `keep`. If the
pipe ends without, whoever holds this process' standard input open is killed, which is the emulator.
When nobody holds that any more, this process ends.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable

from vmkb.hercules.deadline import patient
from vmkb.hercules.inside import inside
from vmkb.hercules.leftover import KEEP, kill_holders
from vmkb.hercules.owners import may_enter, owner_of
from vmkb.hercules.tn3270.negotiation import EOR, IAC, Answering, Asking, NotTn3270
from vmkb.hercules.tn3270.records import ERASING

LOOPBACK = "127.0.0.1"
CLIENT_SECONDS = 20.0
"""For a client to say which terminal it is."""
EMULATOR_SECONDS = 10.0
"""For the emulator to give it a terminal: a busy computer may stop it for seconds."""
PAINTED_SECONDS = 2.0
"""For the guest to show something, beside busy processes too. Hercules 3.13 drops a new terminal's
interruption when a program of the guest's is under way at the device, meant for who sat there
before: then the guest never does, and the terminal is connected anew."""
TOLD_SECONDS = 0.5
"""For the guest to answer that its user has hung up, before it is told again."""
TRIES = 3
AGAIN_SECONDS = 0.1
"""For the emulator to see the end of a connection."""
GREETING = "Hercules".encode("cp037")
"""Is in the emulator's own screen, before the guest's."""
RECORD_END = bytes((IAC, EOR))
CHUNK = 65536


class Front:
    """Serves a listener; `port` is the emulator's, in its `room` if it has one, once that is
    known."""

    def __init__(self, say: Callable[[str], None], open_to_all: bool = False) -> None:
        self.port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._say = say
        self._open_to_all = open_to_all
        self.gone = b""
        self.room = ""
        self._one_at_a_time = asyncio.Lock()

    async def client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from its start to its end."""
        far: asyncio.StreamWriter | None = None
        try:
            if not self._let_in(writer):
                return
            async with asyncio.timeout(CLIENT_SECONDS):
                terminal, typed = await self._ask(reader, writer)
            host, far, shown = await self._connect(terminal)
            writer.write(shown)
            far.write(typed)
            await _relay(reader, writer, host, far)
            await self._tell_gone(host, far)
        except NotTn3270 as error:
            self._say(f"a client is no 3270 terminal: {error}")
            writer.write(b"This port is for 3270 terminals, such as c3270.\r\n")
        except TimeoutError:
            self._say("a terminal was not negotiated in time")
        except (OSError, EOFError):
            pass  # one of the two has gone
        finally:
            for each in (writer, far):
                if each is not None:
                    each.close()

    def _let_in(self, writer: asyncio.StreamWriter) -> bool:
        if self._open_to_all:
            return True
        uid = owner_of(writer.get_extra_info("socket"))
        if may_enter(uid):
            return True
        if uid is not None:
            self._say(f"a program of user {uid} is not let in")
            writer.write(b"This port is its owner's alone.\r\n")
        return False

    async def _ask(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[bytes, bytes]:
        """The type of a client's terminal, and what it has sent behind the negotiation."""
        asking = Asking()
        writer.write(asking.opening)
        while not asking.done:
            writer.write(asking.feed(await _some(reader, writer)))
        return asking.terminal, asking.rest

    async def _connect(
        self, terminal: bytes
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]:
        """A connection to the emulator at which the guest has been seen, if it can be."""
        tries = 1
        while True:
            async with self._one_at_a_time, asyncio.timeout(patient(EMULATOR_SECONDS)):
                host, far, shown = await self._attach(terminal)
            try:
                shown, painted = await _painted(host, far, shown)
            except BaseException:
                far.close()
                raise
            if painted or tries == TRIES:
                return host, far, shown
            tries += 1
            self._say("the guest has not seen a terminal; it is given one again")
            far.close()
            await asyncio.sleep(AGAIN_SECONDS)

    async def _attach(
        self, terminal: bytes
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]:
        """A connection to the emulator on which that has given a terminal, or refused one in words;
        and the beginning of what it shows."""
        there = (LOOPBACK, await self.port)
        sock = inside(self.room) if self.room else socket.socket()
        try:
            sock.setblocking(False)
            await asyncio.get_running_loop().sock_connect(sock, there)
            reader, writer = await asyncio.open_connection(sock=sock)
        except BaseException:
            sock.close()
            raise
        answering = Answering(terminal)
        try:
            while not answering.done:
                writer.write(answering.feed(await _some(reader, writer)))
        except BaseException:
            writer.close()
            raise
        return reader, writer, answering.rest

    async def _tell_gone(self, host: asyncio.StreamReader, far: asyncio.StreamWriter) -> None:
        """The guest learns that its user has hung up: the emulator, of whom it would, says nothing.
        It answers with a new screen. Told while a program is under way at the device it may be
        lost, as any key: then it is told again."""
        for _ in range(TRIES if self.gone else 0):
            far.write(self.gone + RECORD_END)
            shown = b""
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TOLD_SECONDS):
                    while not _erased(shown, greeted=True):
                        shown += await _some(host, far)
                return
        if self.gone:
            self._say("the guest has not been told of a terminal that is gone")


async def _some(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """The next item. EOFError at the end."""
    data = await reader.read(CHUNK)
    # Neither Hercules nor c3270 switches Nagle's algorithm off: the second of two short writes
    # waits for our acknowledgement, which the kernel would hold back. It forgets this wish.
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
    if not data:
        raise EOFError
    return data


async def _painted(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, shown: bytes
) -> tuple[bytes, bool]:
    """The first screens of a new terminal, up to the guest's own first screen; whether that
    came."""
    with contextlib.suppress(TimeoutError, EOFError):
        async with asyncio.timeout(PAINTED_SECONDS):
            while not _erased(shown):
                shown += await _some(reader, writer)
    return shown, _erased(shown) or reader.at_eof()


def _erased(shown: bytes, greeted: bool = False) -> bool:
    """Whether the guest has begun with the screen, behind the emulator's greeting if that comes.
    Anything but an erasure was meant for who sat there before."""
    records = iter(shown.split(RECORD_END)[:-1])
    greeted = greeted or any(GREETING in record for record in records)
    return greeted and any(record[0] in ERASING for record in records if record)


async def _relay(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
    host: asyncio.StreamReader, far: asyncio.StreamWriter,
) -> None:  # fmt: skip
    """Both ways, until either side ends."""

    async def copy(
        source: asyncio.StreamReader, its: asyncio.StreamWriter, to: asyncio.StreamWriter
    ) -> None:
        while True:
            to.write(await _some(source, its))
            await to.drain()

    ways = [
        asyncio.create_task(copy(reader, writer, far)),
        asyncio.create_task(copy(host, far, writer)),
    ]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
    # what the host said last, as it refused
    with contextlib.suppress(OSError):
        await writer.drain()


async def _serve(listener: socket.socket, lease: int, open_to_all: bool) -> None:
    began = time.monotonic()
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:.3f} s {text}", file=sys.stderr, flush=True)

    front = Front(say, open_to_all)
    said = b""

    def held() -> None:
        if not os.read(sys.stdin.fileno(), CHUNK):
            loop.remove_reader(sys.stdin.fileno())
            ended.set()

    def told() -> None:
        nonlocal said
        data = os.read(lease, CHUNK)
        said += data
        lines = said.split(b"\n")
        for line in lines[:-1]:
            if line.startswith(b"port ") and not front.port.done():
                _, port, gone, room = line.split(b" ")
                front.gone = bytes.fromhex(gone.decode("ascii"))
                front.room = os.fsdecode(bytes.fromhex(room.decode("ascii")))
                front.port.set_result(int(port))
        if data:
            return
        loop.remove_reader(lease)
        if KEEP.encode() not in lines:
            killed = kill_holders(sys.stdin.fileno())
            say(f"who started this died before all was up: {killed} killed")

    loop.add_reader(sys.stdin.fileno(), held)
    loop.add_reader(lease, told)
    server = await asyncio.start_server(front.client, sock=listener, backlog=socket.SOMAXCONN)
    await ended.wait()
    server.close()


def main(arguments: list[str] | None = None) -> int:
    """`python -m vmkb.hercules.tn3270.front --listener FD --lease FD`."""
    parser = argparse.ArgumentParser(
        prog="vmkb.hercules.tn3270.front", description="Terminals, one by one."
    )
    parser.add_argument("--listener", type=int, required=True, help="a socket that listens")
    parser.add_argument("--lease", type=int, required=True, help="what the starter says")
    parser.add_argument("--open-to-all", action="store_true", help="other users are let in, too")
    options = parser.parse_args(arguments)
    # Ctrl-C and the end of the window are for who started this, and then for the lease.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(KeyboardInterrupt):
        listener = socket.socket(fileno=options.listener)
        asyncio.run(_serve(listener, options.lease, options.open_to_all))
    return 0


if __name__ == "__main__":
    os._exit(main())
