# SPDX-License-Identifier: MIT
"""AFSSERVE's calls, callbacks and location service, from cache managers on a network in virtual
time."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from tests.guests.afs.host import SERVER, VOLUME, A, AfsHost, B, C, Cell
from tests.peers.afs import calls, directory, volumes
from vmkb.hercules.afs import protocol, xdr
from vmkb.hercules.afs.protocol import Code, Fid, VnodeType
from vmkb.hercules.rx import Abort

ROUNDS = int(os.environ.get("VMKB_AFS_FUZZ", "50000"))
ROOT = protocol.root(VOLUME)
BREAK_S = 3.0
PROMISE_S = 3600


def names(cell: Cell, fid: Fid = ROOT) -> dict[bytes, Fid]:
    """What is in a directory, `.` and `..` apart."""
    found = directory.entries(cell.read(fid))
    return {n: Fid(fid.volume, *at) for n, at in found.items() if n not in (b".", b"..")}


def status(cell: Cell, fid: Fid) -> protocol.Status:
    """FetchStatus."""
    return protocol.status_reply(cell.ask(protocol.fetch_status(fid)))[0]


def test_time_and_volume(server: AfsHost) -> None:
    cell = Cell(server)
    now = calls.time_reply(cell.ask(calls.get_time()))
    assert abs(now - 3_000_000_001) < 1
    volume = calls.volume_reply(cell.ask(calls.get_volume_status(VOLUME + 1)))
    assert (volume.volume, volume.online, volume.quota, volume.name) == (VOLUME + 1, True, 0, b"v2")
    assert volume.size == 2000 and 0 < volume.used < 40 and 0 < volume.free < 2000
    assert calls.name_reply(cell.ask(calls.get_root_volume())) == b"v1"
    assert cell.code(calls.get_volume_status(9)) == Code.VNOVOL


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("size", [0, 1, 1443, 4096, 70000, 1_000_000])
def test_what_is_stored_is_fetched(server: AfsHost, size: int, wide: bool) -> None:
    cell = Cell(server, seed=size, loss=0.02, late=0.05)
    data = random.Random(size).randbytes(size)
    fid = cell.create(b"file")
    store = calls.store_data_64 if wide else protocol.store_data
    stored = protocol.stored_reply(cell.ask(store(fid, 0, data, size)))
    assert (stored.length, stored.version, stored.kind) == (size, 2, VnodeType.FILE)
    if wide:
        reply = cell.ask(calls.fetch_data_64(fid, 0, 1 << 40))
        got, seen, promise = calls.data_reply_64(reply)
    else:
        got, seen, promise = protocol.data_reply(cell.ask(protocol.fetch_data(fid, 0, 1 << 30)))
    assert got == data and seen == stored and promise.seconds == PROMISE_S
    server.restart()
    assert server.opened == [0, 0]
    assert Cell(server).read(fid) == data


@pytest.mark.parametrize(
    ("position", "length", "whole"),
    [(0, 10, 0), (5, 10, 0), (100_000, 5000, 0), (40_000, 30_000, 0), (90_000, 20_000, 110_500),
     (130_000, 1000, 0), (0, 0, 50_000), (0, 0, 0), (33_000, 33_000, 200_000)],
)  # fmt: skip
def test_a_part_is_stored(server: AfsHost, position: int, length: int, whole: int) -> None:
    """Bytes before and behind stay; a hole is zeros; a length cuts or grows the file."""
    cell = Cell(server)
    old, new = random.Random(1).randbytes(100_000), random.Random(2).randbytes(length)
    fid = cell.create(b"file", old)
    cell.ask(protocol.store_data(fid, position, new, whole))
    want = bytearray(old.ljust(max(whole, position + length), b"\0"))
    want[position : position + length] = new
    want = want[: max(whole, position + length)]
    assert cell.read(fid) == want


@pytest.mark.parametrize(("position", "length", "got"), [
    (0, 0, 0), (99_999, 10, 1), (100_000, 10, 0), (100_001, 1, 0), (1 << 31, 1 << 31, 0),
    (4095, 2, 2), (50_000, 1 << 31, 50_000),
])  # fmt: skip
def test_fetch_at_the_end_and_beyond(server: AfsHost, position: int, length: int, got: int) -> None:
    cell = Cell(server)
    data = random.Random(1).randbytes(100_000)
    fid = cell.create(b"file", data)
    reply, seen, _ = protocol.data_reply(cell.ask(protocol.fetch_data(fid, position, length)))
    assert reply == data[position : position + got] and seen.length == 100_000


def test_directories_links_and_names(server: AfsHost) -> None:
    cell = Cell(server)
    sub, made, above, _ = protocol.made_reply(cell.ask(calls.make_dir(ROOT, b"sub")))
    assert (made.kind, made.links, above.links) == (
        VnodeType.DIRECTORY,
        2,
        3,
    ) and sub.vnode % 2 == 1
    file = cell.create(b"file", b"bytes", sub)
    linked, of = calls.two_reply(cell.ask(calls.link(sub, b"same", file)))
    assert linked.links == 2 and of.kind == VnodeType.DIRECTORY
    link, kind, _ = calls.symlink_reply(cell.ask(calls.symlink(ROOT, b"to", b"sub/file")))
    assert (kind.kind, kind.length) == (VnodeType.SYMBOLIC, 8) and cell.read(link) == b"sub/file"
    assert names(cell) == {b"sub": sub, b"to": link}
    assert names(cell, sub) == {b"file": file, b"same": file}
    assert directory.entries(cell.read(sub))[b".."] == (1, 1)
    found, seen, _, _ = calls.lookup_reply(cell.ask(calls.lookup(sub, b"same")))
    assert found == file and seen.links == 2
    assert calls.lookup_reply(cell.ask(calls.lookup(sub, b"..")))[0] == ROOT
    cell.ask(calls.remove_file(sub, b"file"))
    assert cell.read(file) == b"bytes" and names(cell, sub) == {b"same": file}
    cell.ask(calls.rename(sub, b"same", ROOT, b"moved"))
    assert names(cell) == {b"sub": sub, b"to": link, b"moved": file} and names(cell, sub) == {}
    assert status(cell, file).parent_vnode == 1
    cell.ask(calls.remove_dir(ROOT, b"sub"))
    assert status(cell, ROOT).links == 2
    server.restart()
    assert names(Cell(server)) == {b"to": link, b"moved": file}


def test_a_rename_onto_another(server: AfsHost) -> None:
    cell = Cell(server)
    one, two = cell.create(b"one", b"1" * 9000), cell.create(b"two", b"2" * 9000)
    cell.ask(calls.rename(ROOT, b"one", ROOT, b"two"))
    assert names(cell) == {b"two": one} and cell.read(one) == b"1" * 9000
    assert cell.code(protocol.fetch_status(two)) == Code.VNOVNODE
    directory_ = protocol.made_reply(cell.ask(calls.make_dir(ROOT, b"dir")))[0]
    below = protocol.made_reply(cell.ask(calls.make_dir(directory_, b"below")))[0]
    assert cell.code(calls.rename(ROOT, b"dir", below, b"loop")) == Code.EINVAL
    assert cell.code(calls.rename(ROOT, b"two", ROOT, b"dir")) == Code.EISDIR
    assert cell.code(calls.rename(ROOT, b"dir", ROOT, b"two")) == Code.ENOTDIR


def test_what_cannot_be_is_refused(server: AfsHost) -> None:
    cell = Cell(server)
    fid = cell.create(b"file", b"x")
    sub = protocol.made_reply(cell.ask(calls.make_dir(ROOT, b"sub")))[0]
    cell.create(b"in", b"x", sub)
    other = protocol.root(VOLUME + 1)
    for request, code in (
        (protocol.create_file(ROOT, b"file"), Code.EEXIST),
        (protocol.create_file(fid, b"x"), Code.ENOTDIR),
        (protocol.create_file(ROOT, b"a/b"), Code.EINVAL),
        (protocol.create_file(ROOT, b".."), Code.EINVAL),
        (protocol.create_file(ROOT, b""), Code.EINVAL),
        (protocol.create_file(ROOT, b"n" * 256), Code.BAD_ARGUMENTS),
        (calls.remove_file(ROOT, b"sub"), Code.EISDIR),
        (calls.remove_dir(ROOT, b"file"), Code.ENOTDIR),
        (calls.remove_dir(ROOT, b"sub"), Code.EEXIST),
        (calls.remove_file(ROOT, b"none"), Code.ENOENT),
        (calls.lookup(ROOT, b"none"), Code.ENOENT),
        (calls.link(ROOT, b"x", sub), Code.EISDIR),
        (calls.link(sub, b"x", fid), Code.EXDEV),
        (calls.link(other, b"x", fid), Code.EXDEV),
        (calls.rename(ROOT, b"file", other, b"file"), Code.EXDEV),
        (protocol.store_data(ROOT, 0, b"x", 1), Code.EISDIR),
        (protocol.store_data(fid, 0, b"x", 1 << 31), Code.EFBIG),
        (protocol.fetch_status(Fid(VOLUME, 2, 77)), Code.VNOVNODE),
        (protocol.fetch_status(Fid(VOLUME, 0, 1)), Code.VNOVNODE),
        (protocol.fetch_status(Fid(VOLUME, 2, 1)), Code.VNOVNODE),
        (protocol.fetch_status(Fid(9, 1, 1)), Code.VNOVOL),
        (b"\0\0\0\x84" + bytes(8), Code.BAD_ARGUMENTS),
        (b"\0\0\0", Code.BAD_ARGUMENTS),
        (b"\0\0\x02\0", Code.BAD_OPERATION),
    ):
        assert cell.code(request) == code, request
    assert cell.read(fid) == b"x"


def test_handles_of_removed_files(server: AfsHost) -> None:
    """What comes in the place of a removed file has another uniquifier."""
    cell = Cell(server)
    old = cell.create(b"file", b"old")
    cell.ask(calls.remove_file(ROOT, b"file"))
    new = cell.create(b"file", b"new")
    assert new.vnode == old.vnode and new.unique != old.unique
    for request in (
        protocol.fetch_status(old), protocol.fetch_data(old, 0, 9),
        protocol.store_data(old, 0, b"bad", 3), calls.set_status(old, calls.store_status()),
        calls.link(ROOT, b"again", old),
    ):  # fmt: skip
        assert cell.code(request) == Code.VNOVNODE
    assert cell.read(new) == b"new"


def test_a_file_removed_while_it_is_fetched(server: AfsHost) -> None:
    """The fetch that has begun ends with the bytes that were there."""
    cell = Cell(server, A, B)
    data = random.Random(3).randbytes(900_000)
    fid = cell.create(b"file", data)
    fetch = cell.start(protocol.fetch_data(fid, 0, 1 << 30), B)
    while not fetch.reply:
        cell.network.step()
    cell.ask(calls.remove_file(ROOT, b"file"))
    got, _, _ = protocol.data_reply(cell.finish(fetch))
    assert got == data


def test_two_stores_of_one_file_at_once(server: AfsHost) -> None:
    """The second is told to come again; nobody's bytes are mixed."""
    cell = Cell(server, A, B)
    fid = cell.create(b"file", b"old" * 1000)
    first = cell.start(protocol.store_data(fid, 0, b"1" * 300_000, 0), A)
    for _ in range(60):
        cell.network.step()
    assert cell.code(protocol.store_data(fid, 0, b"2" * 10, 0), B) == Code.VBUSY
    cell.finish(first)
    assert cell.read(fid) == b"1" * 300_000


def test_status_is_set(server: AfsHost) -> None:
    cell = Cell(server)
    fid = cell.create(b"file", b"x")
    request = calls.set_status(fid, calls.store_status(mode=0o600, time=77, owner=5, group=6))
    got = protocol.stored_reply(cell.ask(request))
    assert (got.mode, got.client_time, got.owner, got.group) == (0o600, 77, 5, 6)
    assert got.version == 2 and cell.read(fid) == b"x"


def test_bulk_status(server: AfsHost) -> None:
    cell = Cell(server)
    fids = [cell.create(b"%d" % i, b"x" * i) for i in range(50)]
    found = calls.bulk_reply(cell.ask(calls.bulk_status(fids)))
    assert [s.length for s, _ in found] == list(range(50))
    assert all(promise.seconds == PROMISE_S for _, promise in found)
    gone = Fid(VOLUME, 2, 99)
    assert cell.code(calls.bulk_status([fids[0], gone])) == Code.VNOVNODE
    found = calls.bulk_reply(cell.ask(calls.bulk_status([gone, fids[7]], inline=True)))
    assert (found[0][0].error, found[0][1].seconds) == (Code.VNOVNODE, 0)
    assert found[1][0].length == 7
    assert cell.code(calls.bulk_status([fids[0]] * 51)) == Code.BAD_ARGUMENTS


def test_a_full_volume(server: AfsHost) -> None:
    """Nothing of what did not fit is there, and a full volume can be emptied."""
    cell = Cell(server)
    keep = cell.create(b"keep", b"k" * 5000)
    count = 0
    while (code := cell.code(protocol.create_file(ROOT, b"f%d" % count))) == 0:
        fid = names(cell)[b"f%d" % count]
        data = random.Random(count).randbytes(300_000)
        code = cell.code(protocol.store_data(fid, 0, data, len(data)))
        if code:
            break
        count += 1
    assert code == Code.VDISKFULL and count >= 4
    assert cell.read(fid) == b""
    before = calls.volume_reply(cell.ask(calls.get_volume_status(VOLUME)))
    while cell.code(protocol.create_file(ROOT, b"s%d" % count)) == 0:
        count += 1
        fid = names(cell)[b"s%d" % (count - 1)]
        if cell.code(protocol.store_data(fid, 0, b"x" * 4096, 0)):
            break
    for name in list(names(cell)):
        if name != b"keep":
            assert cell.code(calls.remove_file(ROOT, name)) == 0
    assert cell.read(keep) == b"k" * 5000 and names(cell) == {b"keep": keep}
    after = calls.volume_reply(cell.ask(calls.get_volume_status(VOLUME)))
    assert after.free > before.free + 1000
    cell.create(b"again", b"a" * 900_000)


def test_space_is_given_back(server: AfsHost) -> None:
    """What a store replaces, a removal frees, or a store that was given up had taken."""
    cell = Cell(server, A, B)
    before = calls.volume_reply(cell.ask(calls.get_volume_status(VOLUME)))
    fid = cell.create(b"file")
    for _ in range(6):
        cell.ask(protocol.store_data(fid, 0, bytes(800_000), 0))
    assert cell.code(protocol.store_data(fid, 0, bytes(2_500_000), 0)) == Code.VDISKFULL
    cell.ask(calls.remove_file(ROOT, b"file"))
    after = calls.volume_reply(cell.ask(calls.get_volume_status(VOLUME)))
    assert before.free - after.free <= 4, "its directory's block, if any"


def test_a_directory_of_many(server: AfsHost) -> None:
    """Several pages, names of all lengths, until there is no more room for names or files."""
    cell = Cell(server)
    made = {}
    for i in range(600):
        name = (b"%d-" % i).ljust(1 + i % 255, b"x")
        made[name] = cell.create(name)
    assert names(cell) == made
    for name in list(made)[::2]:
        cell.ask(calls.remove_file(ROOT, name))
        del made[name]
    assert names(cell) == made
    server.restart()
    assert names(Cell(server)) == made


def test_a_directory_that_is_too_large(server: AfsHost) -> None:
    """128 pages are the most, or the names' room; what is there stays."""
    server.format(1, 40_000)
    cell = Cell(server)
    count = 0
    while True:
        code = cell.code(protocol.create_file(ROOT, (b"%d" % count).ljust(255, b"x")))
        if code:
            break
        count += 1
    assert code in (Code.EFBIG, Code.VDISKFULL) and count > 300
    assert len(names(cell)) == count
    cell.ask(calls.remove_file(ROOT, b"0".ljust(255, b"x")))
    cell.create(b"short")


# --- callbacks


def test_a_change_is_told(server: AfsHost) -> None:
    """Before the one who changes is answered; who changes is not told, nor who was not promised."""
    cell = Cell(server, A, B, C)
    fid = cell.create(b"file", b"old")
    a, b, c = (cell.stations[who].callbacks for who in (A, B, C))
    cell.ask(protocol.fetch_status(fid), B)
    cell.ask(calls.get_time(), C)
    assert (a.initialised, b.initialised, c.initialised) == (1, 1, 1)
    cell.ask(protocol.store_data(fid, 0, b"new", 3), A)
    assert (a.broken, b.broken, c.broken) == ([], [fid], [])
    cell.ask(protocol.store_data(fid, 0, b"newer", 5), A)
    assert b.broken == [fid], "it is told once"
    cell.ask(protocol.fetch_data(fid, 0, 9), B)
    cell.ask(protocol.fetch_data(ROOT, 0, 9000), B)
    cell.ask(calls.remove_file(ROOT, b"file"), A)
    assert sorted(b.broken[1:]) == sorted([fid, ROOT])


def test_each_change_is_told(server: AfsHost) -> None:
    cell = Cell(server, A, B)
    sub = protocol.made_reply(cell.ask(calls.make_dir(ROOT, b"sub")))[0]
    fid = cell.create(b"file", b"x")
    broken = cell.stations[B].callbacks.broken
    for request, told in (
        (protocol.create_file(ROOT, b"new"), [ROOT]),
        (calls.make_dir(ROOT, b"dir"), [ROOT]),
        (calls.symlink(ROOT, b"sym", b"x"), [ROOT]),
        (calls.link(ROOT, b"link", fid), [ROOT, fid]),
        (calls.remove_file(ROOT, b"link"), [ROOT, fid]),
        (calls.rename(ROOT, b"file", sub, b"file"), [ROOT, sub]),
        (calls.remove_dir(ROOT, b"dir"), [ROOT]),
        (calls.set_status(fid, calls.store_status(mode=0)), [fid]),
    ):
        cell.ask(calls.bulk_status([ROOT, sub, fid]), B)
        broken.clear()
        cell.ask(request, A)
        assert sorted(broken) == sorted(told), request


def test_a_promise_ends(server: AfsHost) -> None:
    cell = Cell(server, A, B)
    fid = cell.create(b"file", b"old")
    cell.ask(protocol.fetch_status(fid), B)
    cell.network.run(PROMISE_S + 1)
    cell.ask(protocol.store_data(fid, 0, b"new", 3), A)
    assert cell.stations[B].callbacks.broken == []
    assert server.counts()["expired"] == 1


def test_a_promise_is_given_up(server: AfsHost) -> None:
    cell = Cell(server, A, B)
    one, two = cell.create(b"one", b"x"), cell.create(b"two", b"x")
    cell.ask(calls.bulk_status([one, two]), B)
    cell.ask(calls.give_up_callbacks([one]), B)
    cell.ask(protocol.store_data(one, 0, b"n", 1), A)
    cell.ask(protocol.store_data(two, 0, b"n", 1), A)
    assert cell.stations[B].callbacks.broken == [two]
    cell.ask(calls.bulk_status([one, two]), B)
    cell.ask(protocol.give_up_all_callbacks(), B)
    cell.ask(protocol.store_data(one, 0, b"m", 1), A)
    assert cell.stations[B].callbacks.broken == [two]


def test_a_client_that_never_answers(server: AfsHost) -> None:
    """It holds a change up once, for three seconds; then it gets no promises until it answers."""
    cell = Cell(server, A, B)
    fid = cell.create(b"file", b"old")
    cell.ask(protocol.fetch_status(fid), B)
    cell.network.cut.add(B)
    began = cell.network.now
    cell.ask(protocol.store_data(fid, 0, b"new", 3), A)
    assert BREAK_S <= cell.network.now - began < BREAK_S + 0.2
    began = cell.network.now
    cell.ask(protocol.store_data(fid, 0, b"newer", 5), A)
    assert cell.network.now - began < 0.2
    cell.network.cut.clear()
    _, promise = protocol.status_reply(cell.ask(protocol.fetch_status(fid), B))
    assert promise.seconds == 0
    cell.network.run(31)
    cell.ask(calls.get_time(), B)
    cell.network.run(1)
    assert cell.stations[B].callbacks.initialised == 2, "it forgets what it was promised before"
    _, promise = protocol.status_reply(cell.ask(protocol.fetch_status(fid), B))
    assert promise.seconds == PROMISE_S


def test_a_client_without_a_callback_service(server: AfsHost) -> None:
    """It is served at once, and gets no promise."""
    cell = Cell(server)
    cell.stations[A].rx.services.clear()
    began = cell.network.now
    _, promise = protocol.status_reply(cell.ask(protocol.fetch_status(ROOT)))
    assert promise.seconds == 0 and cell.network.now - began < 0.1


def test_the_server_begins_again(server: AfsHost) -> None:
    """Clients are told to forget what the last one promised."""
    cell = Cell(server, A, B)
    fid = cell.create(b"file", b"old")
    cell.ask(protocol.fetch_status(fid), B)
    server.restart()
    cell = Cell(server, A, B)
    _, promise = protocol.status_reply(cell.ask(protocol.fetch_status(fid), B))
    assert promise.seconds == PROMISE_S and cell.stations[B].callbacks.initialised == 1


def test_the_server_ends_in_mid_call(server: AfsHost) -> None:
    """A store of which it had a part is not there, and the client finds out in bounded time."""
    cell = Cell(server)
    fid = cell.create(b"file", b"old" * 1000)
    call = cell.start(protocol.store_data(fid, 0, b"n" * 900_000, 0))
    for _ in range(80):
        cell.network.step()
    server.restart()
    began = cell.network.now
    with pytest.raises(Abort) as stopped:
        cell.finish(call)
    assert stopped.value.code == -1 and cell.network.now - began < 30
    assert Cell(server).read(fid) == b"old" * 1000
    assert server.opened == [0, 0]


def test_a_client_that_is_gone(server: AfsHost) -> None:
    """Its store is dropped; what it held is free again."""
    cell = Cell(server, A, B)
    fid = cell.create(b"file", b"old")
    call = cell.start(protocol.store_data(fid, 0, b"n" * 900_000, 0), B)
    for _ in range(80):
        cell.network.step()
    cell.network.cut.add(B)
    cell.network.run(70)
    assert not call.done or call.error
    cell.ask(protocol.store_data(fid, 0, b"new", 3), A)
    assert cell.read(fid) == b"new"
    cell.network.run(1)  # what is on its way is acknowledged
    assert server.counts()["packets"] == 0


def test_a_client_that_does_not_go_on(server: AfsHost) -> None:
    """One that is there, and sends no more of its store, is not waited for for ever."""
    cell = Cell(server, A, B)
    fid = cell.create(b"file", b"old")
    station = cell.stations[B]
    call = station.start(protocol.store_data(fid, 0, b"n" * 9000, 0), cell.network.now)
    call.out = b"n" * 100_000  # more than has been cut into packets is never sent:
    call.ended = True
    cell.network.send(B, station.gone())
    cell.network.run(5)
    assert cell.code(protocol.store_data(fid, 0, b"x", 1), A) == Code.VBUSY
    cell.network.run(70)
    cell.ask(protocol.store_data(fid, 0, b"new", 3), A)
    assert cell.read(fid) == b"new"


# --- bad days


def test_the_minidisk_fails(server: AfsHost) -> None:
    """The call says so; what was there is there again when the disk is."""
    cell = Cell(server)
    fid = cell.create(b"file", b"old")
    server.fail_disk()
    assert cell.code(protocol.create_file(ROOT, b"new")) == Code.EIO
    assert cell.code(protocol.fetch_status(fid)) == Code.VOFFLINE
    assert cell.code(protocol.fetch_status(protocol.root(VOLUME + 1))) == 0
    server.restart()
    assert server.opened == [0, 0]
    assert names(Cell(server)) == {b"file": fid}


def test_a_damaged_index_is_found(server: AfsHost) -> None:
    """The volume is offline then, and nothing is erased."""
    cell = Cell(server)
    cell.create(b"name" * 20, b"x" * 5000)
    for at in range(8 * 512, 200 * 512, 512):
        server.damage(at + 100, 1)
    server.restart()
    assert server.opened[0] != 0 and server.opened[1] == 0
    assert Cell(server).code(protocol.fetch_status(ROOT)) == Code.VOFFLINE


def test_fuzzed_packets(program: Path) -> None:
    """A million and more with VMKB_AFS_FUZZ=1000000."""
    done = subprocess.run(
        [program, "fuzz", "7", str(ROUNDS)], capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert int(done.stdout.split()[0]) >= ROUNDS


# --- where volumes are


def test_location(server: AfsHost) -> None:
    cell = Cell(server)
    for request in (volumes.by_name(b"v2"), volumes.by_id(VOLUME + 1), volumes.by_name(b"1002")):
        found = volumes.entry_reply(cell.ask(request, A, volumes.SERVICE))
        assert found == volumes.Entry("v2", VOLUME + 1, (SERVER[0],))
    for request in (volumes.by_name(b"v2", True), volumes.by_id(VOLUME + 1, True)):
        found = volumes.entry_reply(cell.ask(request, A, volumes.SERVICE), True)
        assert (found.name, found.volume, len(found.servers)) == ("v2", VOLUME + 1, 1)
    reply = cell.ask(volumes.addresses(found.servers[0]), A, volumes.SERVICE)
    assert volumes.addresses_reply(reply) == (SERVER[0],)
    assert cell.ask(volumes.probe(), A, volumes.SERVICE) == b""
    for request in (volumes.by_name(b"none"), volumes.by_id(7), volumes.by_id(7, True)):
        with pytest.raises(Abort) as refused:
            cell.ask(request, A, volumes.SERVICE)
        assert refused.value.code == volumes.NO_ENTRY


def test_volumes_are_listed_as_the_administrators_tools_ask(server: AfsHost) -> None:
    cell = Cell(server)
    one, two = (volumes.Entry(f"v{n + 1}", VOLUME + n, (SERVER[0],)) for n in range(2))

    def listed(request: bytes, tail: bytes = b"") -> list[volumes.Entry]:
        reply = cell.ask(request, A, volumes.SERVICE)
        assert reply.endswith(tail)
        return volumes.entries_reply(reply.removesuffix(tail))

    for request, found in (
        (volumes.list_volumes(), [one, two]),
        (volumes.list_volumes(server=SERVER[0]), [one, two]),
        (volumes.list_volumes(server="10.9.9.9"), []),
        (volumes.list_volumes(partition=0), [one, two]),
        (volumes.list_volumes(partition=1), []),
        (volumes.list_volumes(volume=VOLUME + 1), [two]),
    ):
        assert listed(request) == found
    last = b"\xff" * 4
    assert listed(volumes.list_volumes(name=b""), last) == [one, two]
    assert listed(volumes.list_volumes(name=b"v2"), last) == [two]
    for request in (volumes.by_name_n(b"v2"), volumes.by_id_n(VOLUME + 1)):
        assert volumes.entries_reply(cell.ask(request, A, volumes.SERVICE), 1) == [two]
    reply = cell.ask(volumes.servers(), A, volumes.SERVICE)
    assert volumes.servers_reply(reply) == [SERVER[0]]


def test_capabilities_are_never_an_empty_list(server: AfsHost) -> None:
    """Linux 6.1's client stops its kernel on one."""
    cell = Cell(server)
    assert calls.capabilities_reply(cell.ask(calls.get_capabilities())) == [2]
    reply = cell.ask(volumes.capabilities(), A, volumes.SERVICE)
    assert calls.capabilities_reply(reply) == [0]


def test_the_access_list_says_that_everybody_has_all_rights(server: AfsHost) -> None:
    cell = Cell(server)
    said = calls.acl_reply(cell.ask(calls.fetch_acl(ROOT)))
    assert said == b"1\n0\nsystem:anyuser 127\n\0"
    assert cell.code(calls.fetch_acl(Fid(VOLUME, 9, 9))) == Code.VNOVNODE


@pytest.mark.parametrize("operation", [134, 146, 150, 156, 157, 158, 159, 160, 65542, 1, 0])
def test_calls_that_are_not_there_are_refused_as_elsewhere(server: AfsHost, operation: int) -> None:
    """What xstat_fs_test and other tools ask: RXGEN_OPCODE."""
    assert Cell(server).code(xdr.words(operation)) == Code.BAD_OPERATION
