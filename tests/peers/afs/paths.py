# SPDX-License-Identifier: MIT
"""Names of volumes, directories and files, for a workstation: it follows them to what they name."""

from __future__ import annotations

from tests.peers.afs import calls, directory, volumes
from vmkb.hercules.afs import protocol
from vmkb.hercules.afs.client import Client
from vmkb.hercules.afs.protocol import Fid, VnodeType
from vmkb.hercules.rx import Abort

LINKS_MAX = 8
_NAME = "utf-8"


class NotFound(Exception):
    """A path of which a part is not there; the text says which."""


async def root(client: Client, volume: str) -> Fid:
    """The root directory of the volume of that name. NotFound; Abort."""
    connection = client.station.connect((client.server[0], volumes.PORT), volumes.SERVICE)
    try:
        reply = await client.station.call(connection, volumes.by_name(volume.encode("latin-1")))
    except Abort as abort:
        if abort.code == volumes.NO_ENTRY:
            raise NotFound(f"volume {volume} is not there") from None
        raise
    finally:
        client.station.rx.disconnect(connection)
    return protocol.root(volumes.entry_reply(reply).volume)


async def names(client: Client, fid: Fid) -> dict[str, Fid]:
    """The entries of a directory, `.` and `..` among them. Abort; Malformed."""
    found = directory.entries(await client.read(fid))
    return {
        name.decode(_NAME, "surrogateescape"): Fid(fid.volume, *at) for name, at in found.items()
    }


async def find(client: Client, start: Fid, path: str, links: int = LINKS_MAX) -> Fid:
    """The Fid that PATH names, from the directory START on; LINKS symbolic links at most lead on.
    NotFound; Abort."""
    at, seen = start, ""
    for part in filter(None, path.split("/")):
        if (await client.status(at)).kind != VnodeType.DIRECTORY:
            raise NotFound(f"{seen or 'the start'} is no directory")
        above, at_names = at, await names(client, at)
        seen = f"{seen}/{part}".lstrip("/")
        if part not in at_names:
            raise NotFound(f"{seen} is not there")
        at = at_names[part]
        if at.vnode % 2 == 0 and (await client.status(at)).kind == VnodeType.SYMBOLIC:
            if not links:
                raise NotFound(f"{seen}: symbolic links lead on and on")
            text = (await client.read(at)).decode(_NAME, "surrogateescape")
            begin = protocol.root(at.volume) if text.startswith("/") else above
            at = await find(client, begin, text, links - 1)
    return at


async def make_dir(client: Client, parent: Fid, name: str) -> Fid:
    """A new directory in a directory. Abort."""
    made = protocol.made_reply(await client.call(calls.make_dir(parent, name.encode())))
    client.flush(parent)
    return made[0]


async def fetch(client: Client, fid: Fid, position: int, length: int) -> bytes:
    """Bytes of a file, not by the cache. Abort."""
    reply = await client.call(protocol.fetch_data(fid, position, length))
    return protocol.data_reply(reply)[0]
