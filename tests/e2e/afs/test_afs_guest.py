# SPDX-License-Identifier: MIT
"""AFSSERVE in a guest: workstations on the wire, the guest's own AFS command, and bad days."""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from tests.e2e.afs_guest import SERVER, AfsGuest, afs_guest, relay
from tests.peers.afs import calls, paths, volumes
from vmkb.hercules.afs import protocol
from vmkb.hercules.afs.client import Client, workstation
from vmkb.hercules.afs.protocol import Code, VnodeType
from vmkb.hercules.rx import Abort
from vmkb.hercules.rx.packets import Flag

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
MTU = 4000
BREAK_S = 3.0


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AfsGuest]:
    """One guest for this file; what its machines used is accounted for when all is done."""
    with afs_guest(tmp_path_factory.mktemp("afs"), MTU) as made:
        yield made
        made.accounts_add_up()


@asynccontextmanager
async def stations(guest: AfsGuest, count: int = 1) -> AsyncIterator[list[Client]]:
    """Workstations on the wire."""
    async with AsyncExitStack() as stack:
        made = [
            await stack.enter_async_context(
                workstation(guest.port(), f"10.17.0.{60 + i}", SERVER, MTU)
            )
            for i in range(count)
        ]
        yield made


def with_stations(
    guest: AfsGuest, count: int, what: Callable[..., Awaitable[None]], within: float = 60.0
) -> None:
    """Runs WHAT with that many workstations."""

    async def go() -> None:
        async with asyncio.timeout(within), stations(guest, count) as made:
            await what(*made)

    asyncio.run(go())


async def code(call: Awaitable[object]) -> int:
    """What a call is aborted with; 0: it is not."""
    try:
        await call
    except Abort as abort:
        return abort.code
    return 0


def test_it_says_that_there_is_no_security(guest: AfsGuest) -> None:
    said = "\n".join(guest.machine.log.since(0))
    assert re.search(r"AFSSERVE: DTCAFS0029W THERE IS NO SECURITY", said)
    for name in ("root.afs", "user", "small"):
        assert re.search(
            rf"AFSSERVE: DTCAFS0027I VOLUME {name}, NUMBER \d+, ON 20\d IS ONLINE", said
        )


def test_a_workstation_stores_and_fetches(guest: AfsGuest) -> None:
    async def go(ws: Client) -> None:
        assert abs(calls.time_reply(await ws.call(calls.get_time())) - time.time()) < 10
        root = await paths.root(ws, "user")
        sub = await paths.make_dir(ws, root, "sub")
        data = random.Random(1).randbytes(1 << 20)
        fid = await ws.create(sub, "one.bin")
        assert (await ws.write(fid, data)).length == len(data)
        assert await paths.find(ws, root, "sub/one.bin") == fid
        assert await ws.read(fid) == data
        assert await paths.fetch(ws, fid, 100_000, 1000) == data[100_000:101_000]
        for behind in (1 << 20, 1 << 30):
            assert await paths.fetch(ws, fid, behind, 10) == b""
        await ws.call(calls.symlink(root, b"link", b"sub/one.bin"))
        ws.flush(root)
        assert await paths.find(ws, await paths.root(ws, "user"), "link") == fid
        with pytest.raises(paths.NotFound, match="sub/none is not there"):
            await paths.find(ws, root, "sub/none")
        with pytest.raises(paths.NotFound, match="volume none is not there"):
            await paths.root(ws, "none")

    with_stations(guest, 1, go)


def test_what_tcpip_moves_is_in_its_account_at_once(guest: AfsGuest) -> None:
    """QUERY TIME after a fetch has all of it, however little it was."""

    def moved() -> int:
        said = guest.user.cp("QUERY TIME TCPIP (FULL").text()
        match = re.search(r"VIRT .* INSTR +(\d+) MOVED", said)
        assert match is not None, said
        return int(match[1])

    async def go(ws: Client) -> None:
        fid = await ws.create(await paths.root(ws, "user"), "moved.bin")
        await ws.write(fid, bytes(50_000))
        for _ in range(3):
            ws.flush(fid)
            before = await asyncio.to_thread(moved)
            await ws.read(fid)
            assert 50_000 < await asyncio.to_thread(moved) - before < 250_000

    with_stations(guest, 1, go)


def test_what_is_cached_is_not_fetched_again(guest: AfsGuest) -> None:
    async def go(ws: Client) -> None:
        root = await paths.root(ws, "user")
        fid = await ws.create(root, "cached")
        await ws.write(fid, b"c" * 200_000)
        await ws.status(root)
        await ws.read(fid)
        before = ws.fetches
        assert await ws.read(fid) == b"c" * 200_000 and ws.fetches == before
        ws.flush()
        assert await ws.read(fid) == b"c" * 200_000 and ws.fetches == before + 4

    with_stations(guest, 1, go)


def test_another_one_s_change_is_told(guest: AfsGuest) -> None:
    """And what is read next is what is there."""

    async def go(one: Client, two: Client) -> None:
        root = await paths.root(one, "user")
        fid = await one.create(root, "shared")
        await one.write(fid, b"old")
        assert await two.read(fid) == b"old" and "shared" in await paths.names(two, root)
        await one.write(fid, b"new")
        assert two.callbacks.broken == [fid]
        assert await two.read(fid) == b"new"
        await one.call(calls.remove_file(root, b"shared"))
        assert {*two.callbacks.broken} == {fid, root}
        assert "shared" not in await paths.names(two, root)
        assert await code(two.read(fid)) == Code.VNOVNODE

    with_stations(guest, 2, go)


def test_a_client_that_never_answers(guest: AfsGuest) -> None:
    """One that takes promises and is gone holds the next change up once, for three seconds."""

    async def go(one: Client, two: Client) -> None:
        root = await paths.root(one, "user")
        fid = await one.create(root, "held")
        await two.status(fid)
        stack = two.station.stack
        calls: set[bytes] = set()
        heard = stack.receive

        def unheard(frame: bytes, now: float) -> list[tuple[tuple[str, int], bytes]]:
            """Notes epoch, connection and number of the server's own calls, and answers none."""
            calls.update(data[:12] for _, data in heard(frame, now) if data[21] & Flag.CLIENT)
            return []

        stack.receive = unheard  # type: ignore[method-assign]
        began = time.monotonic()
        await one.write(fid, b"new")
        assert time.monotonic() - began > BREAK_S - 0.1
        await one.write(fid, b"newer")
        assert len(calls) == 1, "what it was promised is forgotten"

    with_stations(guest, 2, go)


def test_a_full_volume(guest: AfsGuest) -> None:
    async def go(ws: Client) -> None:
        root = await paths.root(ws, "small")
        fid = await ws.create(root, "big")
        assert await code(ws.write(fid, bytes(600_000))) == Code.VDISKFULL
        assert await ws.read(fid) == b""
        before = calls.volume_reply(await ws.call(calls.get_volume_status(root.volume)))
        await ws.write(fid, bytes(before.free * 1024 - 20_000))
        assert await code(ws.call(calls.remove_file(root, b"big"))) == 0
        after = calls.volume_reply(await ws.call(calls.get_volume_status(root.volume)))
        assert after.free == before.free

    with_stations(guest, 1, go)


def test_handles_of_removed_files(guest: AfsGuest) -> None:
    async def go(ws: Client) -> None:
        root = await paths.root(ws, "user")
        old = await ws.create(root, "gone")
        await ws.call(calls.remove_file(root, b"gone"))
        new = await ws.create(root, "gone")
        assert new != old
        assert await code(paths.fetch(ws, old, 0, 10)) == Code.VNOVNODE
        assert await code(ws.write(old, b"x")) == Code.VNOVNODE
        assert (await ws.status(new)).kind == VnodeType.FILE

    with_stations(guest, 1, go)


def test_the_guest_s_own_command(guest: AfsGuest) -> None:
    """LS, GET, PUT and STAT through the loopback; binary and text, what is refused."""
    rc, said = guest.afs("PUT user/Doc.bin DOC100K TEXT Y")
    assert rc == 0, said
    size = int(re.search(r"AFS: (\d+) bytes of DOC100K TEXT Y are in user/Doc\.bin", said)[1])  # type: ignore[index]
    rc, said = guest.afs("PUT user/doc.txt DOC100K TEXT Y (TEXT")
    assert rc == 0, said
    rc, said = guest.afs("LS user")
    assert rc == 0 and re.search(
        rf"FILE +{size} 0644 \d{{4}}-\d\d-\d\d \d\d:\d\d Doc\.bin", said
    ), said
    assert re.search(r"FILE +102400 0644 .* doc\.txt", said), said
    rc, said = guest.afs("STAT user/doc.txt")
    assert rc == 0 and "102400 bytes, version 2, mode 0644" in said, said
    rc, said = guest.afs("GET user/doc.txt BACK TEXT A (TEXT")
    assert rc == 0 and "102400 bytes of user/doc.txt are in BACK TEXT A" in said, said
    assert "DMSCMP179I" not in guest.user.command("STATE BACK TEXT A").text()
    there = guest.user.command("LISTFILE DOC100K TEXT Y (LABEL").text()
    here = guest.user.command("LISTFILE BACK TEXT A (LABEL").text()
    fields = [re.search(r"TEXT +[AY]1 V +(\d+) +(\d+)", text) for text in (there, here)]
    assert fields[0] and fields[1] and fields[0].groups() == fields[1].groups(), (there, here)
    for text, want, message in (
        ("GET user/doc.txt BACK TEXT A", 28, "DMSAFS024E File BACK TEXT A1 already exists"),
        ("PUT user/doc.txt DOC1K TEXT Y", 28, "is there already; REPLACE replaces it"),
        ("GET user/none NEW TEXT A", 28, "user/none is not there"),
        ("LS none", 28, "none is not there"),
        ("LS user/doc.txt/x", 28, "a part of that is no directory"),
        ("PUT user/no/x DOC1K TEXT Y", 28, "user/no/x is not there"),
        ("GET user NEW TEXT A", 28, "user is no file"),
        ("WALK user", 24, "Invalid parameter WALK"),
        ("GET user/doc.txt", 24, "Incomplete fileid"),
    ):
        rc, said = guest.afs(text)
        assert rc == want and message in said, (text, said)
    guest.user.command("ERASE BACK TEXT A")


def test_the_command_and_a_workstation(guest: AfsGuest) -> None:
    """What the command puts is what the workstation reads, in ISO 8859-1 with line feeds."""

    async def go(ws: Client) -> None:
        root = await paths.root(ws, "user")
        assert "fresh.txt" not in await paths.names(ws, root)
        rc, said = await asyncio.to_thread(guest.afs, "PUT user/fresh.txt DOC1K TEXT Y (TEXT")
        assert rc == 0, said
        assert root in ws.callbacks.broken
        data = await ws.read(await paths.find(ws, root, "fresh.txt"))
        assert len(data) == 1024 and data.startswith(b"000001 the account of a virtual machine")
        fid = await ws.create(root, "ours.txt")
        await ws.write(fid, b"one\ntwo\nthree without an end")
        rc, said = await asyncio.to_thread(guest.afs, "GET user/ours.txt OURS TEXT A (TEXT")
        assert rc == 0, said
        typed = await asyncio.to_thread(guest.user.command, "TYPE OURS TEXT A")
        assert typed.text().split("\n")[:3] == ["one", "two", "three without an end"]
        await asyncio.to_thread(guest.user.command, "ERASE OURS TEXT A")

    with_stations(guest, 1, go)


def test_the_server_is_killed_in_mid_call(guest: AfsGuest) -> None:
    """The client finds out in bounded time; the file is as it was, and the next server serves."""

    async def go(ws: Client) -> None:
        root = await paths.root(ws, "user")
        fid = await ws.create(root, "whole")
        await ws.write(fid, b"whole" * 1000)
        told = ws.callbacks.initialised
        call = asyncio.create_task(ws.write(fid, bytes(30 << 20)))
        while ws.station.rx.counts.get("data out", 0) < 600 and not call.done():
            await ws.station._change()
        await asyncio.to_thread(guest.user.cp, "FORCE AFSSERVE")
        assert not call.done()
        await asyncio.to_thread(guest.start, "AFSSERVE")
        assert await code(call) in (-1, Code.EINVAL)
        assert await ws.read(fid) == b"whole" * 1000
        assert ws.callbacks.initialised > told, "the new server told it to forget"

    with_stations(guest, 1, go)


def test_where_volumes_are(guest: AfsGuest) -> None:
    async def go(ws: Client) -> None:
        conn = ws.station.connect((SERVER, volumes.PORT), volumes.SERVICE)
        for unique in (False, True):
            reply = await ws.station.call(conn, volumes.by_name(b"user", unique))
            found = volumes.entry_reply(reply, unique)
            assert found.name == "user" and found.volume == 536870914
        reply = await ws.station.call(conn, volumes.addresses(found.servers[0]))
        assert volumes.addresses_reply(reply) == (SERVER,)

    with_stations(guest, 1, go)


def test_rxdebug_asks_the_port(guest: AfsGuest) -> None:
    """OpenAFS's: version, counters, connections and peers."""
    program = os.environ.get("VMKB_RXDEBUG") or shutil.which("rxdebug")
    if program is None:
        pytest.skip("rxdebug (Debian's openafs-client) is not here; VMKB_RXDEBUG may name one")

    async def ask(*options: str) -> str:
        async with relay(guest.port(), "10.17.0.50", protocol.PORT) as port:
            done = await asyncio.create_subprocess_exec(
                program, "127.0.0.1", str(port), *options, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
            said, _ = await asyncio.wait_for(done.communicate(), 30)
        assert done.returncode == 0, said
        return said.decode()

    async def go(ws: Client) -> None:
        await ws.call(calls.get_time())
        assert "AFS version: VM/KB AFSSERVE" in await ask("-version")
        said = await ask("-allconnections", "-rxstats", "-peers", "-long")
        assert "WARNING" not in said, said
        assert "Connection from host 10.17.0.60, port 7001" in said, said
        assert re.search(r"Peer at host 10\.17\.0\.60, port 7001", said), said
        read = re.search(r"data (\d+) \(not dups\)", said) or re.search(r"data (\d+)", said)
        assert read is not None and int(read[1]) > 0, said

    with_stations(guest, 1, go)


def test_tshark_finds_no_fault(guest: AfsGuest, tmp_path: Path) -> None:
    """A capture of all kinds of calls is Rx and AFS to Wireshark, without a malformed packet."""
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    capture = tmp_path / "afs.pcapng"

    async def go(one: Client, two: Client) -> None:
        root = await paths.root(one, "user")
        sub = await paths.make_dir(one, root, "shark")
        fid = await one.create(sub, "file")
        await one.write(fid, bytes(100_000))
        await two.read(fid)
        await two.call(protocol.fetch_status(fid))
        await one.call(calls.link(sub, b"second", fid))
        await one.call(calls.symlink(sub, b"symbolic", b"file"))
        await one.call(calls.rename(sub, b"second", sub, b"third"))
        await one.call(calls.set_status(fid, calls.store_status(mode=0o600)))
        await one.call(calls.bulk_status([root, sub, fid]))
        await one.call(calls.fetch_data_64(fid, 0, 1 << 20))
        await one.call(calls.lookup(sub, b"file"))
        await one.call(calls.get_volume_status(root.volume))
        await one.call(calls.get_root_volume())
        await one.call(calls.give_up_callbacks([fid]))
        await paths.names(one, sub)
        for name in (b"file", b"third", b"symbolic"):
            await one.call(calls.remove_file(sub, name))
        await one.call(calls.remove_dir(root, b"shark"))
        assert await code(one.read(fid)) == Code.VNOVNODE
        conn = one.station.connect((SERVER, volumes.PORT), volumes.SERVICE)
        await one.station.call(conn, volumes.by_id(root.volume))
        await one.station.call(conn, volumes.by_name(b"user", True))

    guest.wire.start_capture(capture)
    with_stations(guest, 2, go)
    guest.wire.stop_capture()
    done = subprocess.run(
        ["tshark", "-r", capture, "-Y", "udp", "-T", "fields", "-e", "frame.protocols",
         "-e", "afs.fs.opcode", "-e", "afs.cb.opcode", "-e", "afs.vldb.opcode",
         "-e", "_ws.malformed", "-e", "_ws.expert.message"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    # of GetVolumeStatus' reply Wireshark 4.0 knows the strings, and not what is before them
    bad = [row for row in rows if row[1] != "149" and (row[4] or "alformed" in row[5])]
    assert not bad, bad[:5]
    assert all(":rx" in row[0] for row in rows)
    seen = {int(op) for row in rows for op in row[1].split(",") if op}
    assert {130, 132, 133, 135, 136, 137, 138, 139, 140, 141, 142, 147, 149, 151, 155, 161} <= seen
    assert {op for row in rows for op in row[2].split(",") if op} >= {"204", "205"}
    assert {op for row in rows for op in row[3].split(",") if op} >= {"503", "504", "527"}
