# SPDX-License-Identifier: MIT
"""A network namespace for an emulator: what listens in it is reached by sockets of it alone."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vmkb.hercules.deadline import wait_until
from vmkb.hercules.inside import inside
from vmkb.hercules.room import Room

WITHIN = 10.0


@pytest.fixture
def room() -> Iterator[Room]:
    made = Room()
    try:
        if made.refused:
            pytest.skip(f"no network namespace can be had here: {made.refused}")
        yield made
    finally:
        made.end()


def test_what_listens_inside_is_reached_from_inside_alone(room: Room) -> None:
    with inside(room.path) as listener, inside(room.path) as caller, socket.socket() as stranger:
        listener.bind(("0.0.0.0", 0))
        listener.listen(1)
        port = listener.getsockname()[1]
        with pytest.raises(ConnectionRefusedError):
            stranger.connect(("127.0.0.1", port))
        caller.connect(("127.0.0.1", port))
        taken, _ = listener.accept()
        with taken:
            caller.sendall(b"within")
            assert taken.recv(6) == b"within"


def test_a_program_runs_in_it_as_its_user_and_as_the_process_that_was_started(
    room: Room, tmp_path: Path
) -> None:
    script = f"id -u; echo $$; readlink /proc/self/ns/net; echo x > {tmp_path / 'made'}"
    child = subprocess.Popen(room.entered(["sh", "-c", script]), stdout=subprocess.PIPE, text=True)
    said, _ = child.communicate(timeout=WITHIN)
    uid, pid, network = said.split()
    assert (int(uid), int(pid)) == (os.getuid(), child.pid)
    assert network != os.readlink("/proc/self/ns/net")
    assert (tmp_path / "made").stat().st_uid == os.getuid()


def test_it_ends_with_who_holds_it(room: Room) -> None:
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=[room.held])
    room.release()
    assert room.path.exists()
    inside(room.path).close()  # the other one still holds it
    child.communicate(timeout=WITHIN)
    wait_until(lambda: not room.path.parent.exists(), WITHIN, "the room's folder to go")


def test_a_refusal_is_a_sentence() -> None:
    """Real: a namespace of users in which no network may be made."""
    limit = "echo 0 > /proc/sys/user/max_net_namespaces"
    script = "from vmkb.hercules.room import Room\nwith Room() as room: print(room.refused)"
    ran = subprocess.run(
        ["unshare", "--map-root-user", "--user", "sh", "-c", f'{limit} && exec "$0" "$@"',
         sys.executable, "-c", script],
        capture_output=True, text=True, timeout=WITHIN * 2, check=False,
    )  # fmt: skip
    if ran.returncode:
        pytest.skip(f"no user namespace can be had here: {ran.stderr.strip()}")
    assert ran.stdout == "the limit in /proc/sys/user is reached\n"
