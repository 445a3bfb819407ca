# SPDX-License-Identifier: MIT
"""A network namespace for a process and what it starts: whole, or not at all and said why."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from vmkb.hercules.deadline import wait_until

WITHIN = 20.0
PROJECT = Path(__file__).resolve().parents[2]
SAME = ["unshare", "--user", "--map-root-user"]
ORDINARY = ["unshare", "--user", "--map-user=4711", "--map-group=4711"]
"""A user without rights, whose files are yet this one's."""

JOINED = """
import os, socket, subprocess, sys
from pathlib import Path
from vmkb.hercules.own_network import own_network
before = os.getuid(), os.getgid(), os.readlink("/proc/self/ns/net")
print(own_network() or "joined", flush=True)
assert (os.getuid(), os.getgid()) == before[:2]
assert os.readlink("/proc/self/ns/net") != before[2]
listener = socket.create_server(("0.0.0.0", 0))
socket.create_connection(("127.0.0.1", listener.getsockname()[1])).close()
child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
os.listdir(f"/proc/{child.pid}/fd"), Path(f"/proc/{child.pid}/syscall").read_text()
assert os.readlink(f"/proc/{child.pid}/ns/net") == os.readlink("/proc/self/ns/net")
file = Path(sys.argv[1])
file.touch(mode=0o444)
try:
    file.write_text("x")
    print("written")
except PermissionError:
    print("read-only")
print(listener.getsockname()[1], flush=True)
sys.stdin.read()
"""
"""What a process in it does, until its input ends."""


def python(before: list[str], script: str, *words: str, limit: str = "") -> subprocess.Popen[str]:
    """SCRIPT behind the words BEFORE, in a user namespace with the LIMIT."""
    shell = ["sh", "-c", f'{limit} exec "$0" "$@"'] if limit else []
    return subprocess.Popen(
        [*before, *shell, sys.executable, "-c", script, *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=PROJECT,
    )  # fmt: skip


@pytest.mark.parametrize("before", [[], ORDINARY], ids=["as it is", "ordinary"])
def test_what_listens_in_it_is_its_own(before: list[str], tmp_path: Path) -> None:
    with python(before, JOINED, str(tmp_path / "file")) as child:
        assert child.stdout is not None and child.stderr is not None and child.stdin is not None
        said = child.stdout.readline().strip()
        if said != "joined":
            child.stdin.close()
            pytest.skip(f"no network namespace can be had here: {said}{child.stderr.read()}")
        root = not before and os.geteuid() == 0
        assert child.stdout.readline() == ("written\n" if root else "read-only\n")
        port = child.stdout.readline()
        assert port, child.stderr.read()
        with socket.socket() as stranger, pytest.raises(ConnectionRefusedError):
            stranger.connect(("127.0.0.1", int(port)))
        child.stdin.close()
    assert child.returncode == 0
    assert (tmp_path / "file").stat().st_uid == os.getuid()


SAYS = """
import os
from vmkb.hercules.own_network import own_network
before = os.readlink("/proc/self/ns/net"), os.readlink("/proc/self/ns/user")
{}
print(own_network())
assert before == (os.readlink("/proc/self/ns/net"), os.readlink("/proc/self/ns/user"))
"""


def test_a_refusal_is_said_and_nothing_has_changed() -> None:
    """Real: a namespace of users in which no network may be made."""
    limit = "echo 0 > /proc/sys/user/max_net_namespaces &&"
    said, error = python(SAME, SAYS.format(""), limit=limit).communicate(timeout=WITHIN)
    if "unshare" in error or "sh:" in error:
        pytest.skip(f"no user namespace can be had here: {error.strip()}")
    why = "the limit in /proc/sys/user is reached"
    assert (said, error) == (f"{why}\n", "")


HALF = """
import errno
import vmkb.hercules.room
def refuse(*words):
    raise PermissionError(errno.EPERM, "not the loopback address")
vmkb.hercules.room.fcntl.ioctl = refuse
"""


@pytest.mark.parametrize("before", [[], ORDINARY], ids=["as it is", "ordinary"])
def test_what_is_refused_half_is_refused_whole(before: list[str]) -> None:
    """As AppArmor does it: the namespace, but no right in it."""
    said, error = python(before, SAYS.format(HALF)).communicate(timeout=WITHIN)
    if said != "not the loopback address\n":
        assert not error or "unshare" in error, error
        pytest.skip(f"no network namespace can be had here: {said}{error}")


THREADS = """
import threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
"""


def test_with_other_threads_it_is_refused() -> None:
    said, error = python([], SAYS.format(THREADS)).communicate(timeout=WITHIN)
    assert said.startswith("this process has several threads"), error


KILLED = """
import os, signal
import vmkb.hercules.own_network as own
def killed(child):
    print(child, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
own._join = killed
print(own.own_network())
"""


def test_who_makes_it_ends_with_who_is_killed() -> None:
    said, _ = python([], KILLED).communicate(timeout=WITHIN)
    if not said.strip().isdigit():
        pytest.skip(f"no network namespace can be had here: {said}")
    wait_until(lambda: gone(int(said)), WITHIN, "its end")


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True
