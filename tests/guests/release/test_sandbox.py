# SPDX-License-Identifier: MIT
"""A stranger's build reads, writes and reaches nothing but what it is given."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from vmkb.guests.release import cache, making, sandbox
from vmkb.guests.release.build import Build
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.making import made
from vmkb.guests.release.sandbox import Room
from vmkb.hercules.deadline import EmulatorError, wait_until

WAYS = ("bwrap", "unshare")


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each way that this system has."""
    make = {"bwrap": sandbox._bwrap, "unshare": sandbox._unshare}[request.param]
    tried = subprocess.run(
        make(Room(Path("/tmp"), (), ()), ["true"]), capture_output=True, check=False, timeout=30
    ) if shutil.which(request.param) else None  # fmt: skip
    if tried is None or tried.returncode:
        pytest.skip(f"{request.param} does not work here")
    monkeypatch.setattr(sandbox, "_way", lambda: request.param)
    return str(request.param)


def run(tmp_path: Path, script: str) -> str:
    """What SCRIPT says in a room where `seen` can be read and `written` changed."""
    for name in ("seen", "written", "hidden"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "file").write_text(f"content of {name}\n")
    room = Room(tmp_path / "written", (tmp_path / "seen",), (tmp_path / "written",))
    done = subprocess.run(
        sandbox.command(room, ["sh", "-c", script]), env=sandbox.environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
    )  # fmt: skip
    return done.stdout


def test_only_what_is_given_can_be_read(way: str, tmp_path: Path) -> None:
    said = run(tmp_path, f"cat {tmp_path}/*/file; cat /etc/passwd; pwd")
    assert "content of seen" in said and "content of written" in said
    assert "content of hidden" not in said and "root:x" not in said
    assert said.endswith(f"{tmp_path}/written\n")


def test_only_what_is_given_can_be_written(way: str, tmp_path: Path) -> None:
    run(tmp_path, f"echo x >{tmp_path}/seen/new; mount -o remount,rw {tmp_path}/seen;"
        f" echo x >{tmp_path}/seen/new; echo x >new; echo x >/tmp/in-the-room;"
        " echo x >/usr/vmkb-was-here")  # fmt: skip
    assert (tmp_path / "written" / "new").is_file() and not (tmp_path / "seen" / "new").exists()
    assert not Path("/tmp/in-the-room").exists() and not Path("/usr/vmkb-was-here").exists()


def test_no_network_can_be_reached(way: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        asks = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        said = run(tmp_path, f'"$PYTHON" -c "{asks}"; echo done')
        assert "refused" in said or "unreachable" in said, said
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_no_other_process_is_seen_and_no_secret_of_the_environment(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret-token")
    said = run(tmp_path, f"env; cat /proc/{os.getpid()}/environ; kill -9 {os.getpid()};"
               " test -w /proc/sys/kernel/core_pattern && echo kernel; echo done")  # fmt: skip
    assert "secret-token" not in said and "kernel" not in said and "done" in said


def test_a_system_that_makes_no_room_says_so_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sandbox, "_way", lambda: "")
    monkeypatch.setattr(sandbox, "_said", False)
    assert "allows no namespaces" in sandbox.warning()
    assert sandbox.warning() == ""
    assert "content of hidden" in run(tmp_path, f"cat {tmp_path}/hidden/file")


@pytest.mark.parametrize("code", ['#include "{}"\n', '__asm__(".incbin \\"{}\\"");\n'])
def test_a_source_cannot_take_a_file_of_the_host(way: str, tmp_path: Path, code: str) -> None:
    compiles = f"{making.COMPILER} -c x.c -o x.o 2>&1"
    run(tmp_path, "")
    (tmp_path / "written" / "x.c").write_text(code.format(tmp_path / "hidden" / "file"))
    said = run(tmp_path, compiles)
    assert "hidden/file" in said and "content of hidden" not in said
    assert not (tmp_path / "written" / "x.o").exists()


def test_make_runs_nothing_that_a_name_says(kept: Path, tmp_path: Path) -> None:
    """Should such a name ever come so far."""
    build = Build("test-names")
    build.place({"core/$(shell touch PWNED).c": b"", "include/a.h": b""}, "lwip/lwip-own/src")
    with pytest.raises(SourceError, match="a name that make may take for something else"):
        build.program(1)
    assert not list(kept.rglob("PWNED")) and not (cache.VMKB / "PWNED").exists()


def makefile(folder: Path, recipe: str) -> Path:
    """A folder with a Makefile of one rule."""
    (folder / "Makefile").write_text(f"all:\n\t@{recipe}\n")
    return folder


@pytest.mark.parametrize("roomy", [False, True])
def test_a_full_disk_is_not_the_sources_fault(tmp_path: Path, roomy: bool) -> None:
    here = makefile(tmp_path, "echo 'as: No space left on device'; false")
    with pytest.raises(EmulatorError, match="A build stopped: No space left on device"):
        made([], tmp_path / "log", here, Room(here, (), (here,)) if roomy else None)


@pytest.mark.parametrize("roomy", [False, True])
def test_a_build_that_is_killed_is_not_the_sources_fault(tmp_path: Path, roomy: bool) -> None:
    seconds = str(63 + roomy)  # the other one's may not have ended yet
    here = makefile(tmp_path, f"sleep {seconds}")
    room = Room(here, (), (here,)) if roomy else None
    with ThreadPoolExecutor(1) as other:
        build = other.submit(made, [], tmp_path / "log", here, room)
        words = f"sleep\0{seconds}\0"
        sleeps = wait_until(lambda: _running(words), 30, "the build to begin")
        os.kill(int((sleeps[0] / "stat").read_text().split()[3]), signal.SIGKILL)
        with pytest.raises(EmulatorError, match="A build was killed"):
            build.result(30)


def test_a_build_that_takes_too_long_leaves_nothing_running(tmp_path: Path) -> None:
    folder = makefile(tmp_path, f"sleep 61 & echo $$! >{tmp_path}/pid; wait")
    with pytest.raises(SourceError, match="make took over"):
        made([], tmp_path / "log", folder, within=0.5)
    pid = int((tmp_path / "pid").read_text())
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), 10, "the build's programs to end")


STARTS = """
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from vmkb.guests.release.making import made
from vmkb.guests.release.sandbox import Room
here = Path(sys.argv[1])
made([], here / "log", here, Room(here, (), (here,)))
"""


def test_a_build_ends_with_vmkb(tmp_path: Path) -> None:
    if not sandbox._way():
        pytest.skip("no namespaces here: make ends, and what it runs goes on to its end")
    makefile(tmp_path, "touch begun; sleep 62")
    with subprocess.Popen(
        [sys.executable, "-c", STARTS, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(cache.VMKB.parents[1])},
    ) as vmkb:
        wait_until((tmp_path / "begun").exists, 30, "the build to begin")
        vmkb.kill()
    wait_until(lambda: not _running("sleep\0" + "62\0"), 10, "the build to end")


def _running(words: str) -> list[Path]:
    """Where /proc has those that run WORDS."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_text() == words:
                found.append(path.parent)
    return found
