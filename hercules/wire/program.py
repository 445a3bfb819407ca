# SPDX-License-Identifier: MIT
"""`python -m vmkb.hercules.wire`: the program that a wire's process runs."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import signal
import sys
from pathlib import Path

from vmkb.hercules.scratch import LEASE
from vmkb.hercules.wire.client import CONTROL_NAME
from vmkb.hercules.wire.control import Control
from vmkb.hercules.wire.process import READY
from vmkb.hercules.wire.profile import ProfileError, profile
from vmkb.hercules.wire.server import Wire


async def _serve(options: argparse.Namespace) -> int:
    try:
        lan_profile = profile(options.profile)
    except ProfileError as error:
        print(error, file=sys.stderr)
        return 2
    wire = Wire(lan_profile, options.seed, options.folder, options.room)
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
        for name in (*options.guest, *options.ctcm):
            await (wire.add_guest if name in options.guest else wire.add_ctcm)(name)
            print(*wire.configuration(name), sep="\n")
        print(READY, flush=True)
        await control.stopped.wait()
    except OSError as error:
        print(f"the wire cannot run: {error}", file=sys.stderr)
        return 3
    finally:
        await control.close()
        await wire.close()
        with contextlib.suppress(OSError):  # what is not the wire's keeps the folder
            for left in (*options.folder.glob("*.sock"), options.folder / LEASE):
                left.unlink(missing_ok=True)
            options.folder.rmdir()
    return 0


def main(arguments: list[str] | None = None) -> int:
    """`python -m vmkb.hercules.wire`: runs a wire until SIGTERM, `stop`, or its input ends."""
    parser = argparse.ArgumentParser(
        prog="vmkb.hercules.wire", description="A LAN for emulated guests."
    )
    parser.add_argument("--folder", type=Path, required=True, help="where its Unix sockets go")
    parser.add_argument("--profile", default="fast", help="named profile of the links")
    parser.add_argument("--seed", type=int, default=0, help="seed of the impairments")
    parser.add_argument("--guest", action="append", default=[], help="add a guest's port")
    parser.add_argument("--ctcm", action="append", default=[], help="the same, for IP packets")
    parser.add_argument("--room", default="", help="where sockets of the emulators' network are")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input ends")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    logging.basicConfig(
        level=logging.INFO if options.verbose else logging.WARNING,
        format="%(relativeCreated)d ms %(message)s",
    )
    return asyncio.run(_serve(options))
