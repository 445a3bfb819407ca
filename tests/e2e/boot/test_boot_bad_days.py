# SPDX-License-Identifier: MIT
"""vmkb boot when something is missing, taken or killed: a sentence, and nothing left behind."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.e2e.boot_guest import WITHIN, Boots, boots, uses
from vmkb.guests.vmkb.disk.codepage import field

pytestmark = pytest.mark.e2e


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Boots]:
    with boots(tmp_path) as both:
        yield both


def test_without_passt_the_guest_is_up_alone(both: Boots, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("hercules", "s3270"):
        (programs / name).symlink_to(shutil.which(name) or name)
    done = both.run("boot", path=str(programs))
    assert done.returncode == 0
    assert "passt" in done.stderr and "not installed" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "3270" in done.stdout and "FTP" not in done.stdout
    assert "  network    none" in both.run("status").stdout


def test_a_wanted_port_that_is_taken_starts_nothing(both: Boots) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = both.run("boot", "--publish", f"{port}:21")
    assert done.returncode == 3
    assert f"Port {port} of this computer is taken" in done.stderr
    both.wait_nothing_left()
    assert "No guest is running" in both.run("status").stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--publish", "21"], "HOST:GUEST"),
        (["--publish", "1:21", "--tap"], "--publish is for a network through passt"),
        (["--tap", "--no-network"], "exclude each other"),
    ],
)
def test_options_that_make_no_sense(both: Boots, args: list[str], said: str) -> None:
    done = both.run("boot", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_capture_that_cannot_be_written_starts_nothing(both: Boots, tmp_path: Path) -> None:
    done = both.run("boot", "--capture", str(tmp_path / "no" / "lan.pcapng"))
    assert done.returncode == 3
    assert "cannot be written" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    both.wait_nothing_left()


def test_a_capture_has_what_crossed_the_lan(both: Boots, tmp_path: Path) -> None:
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed; scripts/setup --test installs it")
    file = tmp_path / "lan.pcapng"
    file.touch(0o644)  # of an earlier boot
    done = both.run("boot", "--capture", str(file))
    assert f"  capture    {file}" in done.stdout.splitlines()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    line = uses(done.stdout)["FTP curl"]
    assert subprocess.run(line, shell=True, capture_output=True).returncode == 0
    assert "ended." in both.run("stop").stdout
    both.wait_nothing_left()
    seen = subprocess.run(["tshark", "-r", file, "-Y", "ftp.request.command == USER"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert len(seen.stdout.splitlines()) == 1


def test_by_a_tap_device_the_guest_has_its_own_address(both: Boots) -> None:
    if os.geteuid() != 0 or not os.path.exists("/dev/net/tun"):
        pytest.skip("a TAP device needs root and /dev/net/tun")
    done = both.run("boot", "--tap")
    assert done.returncode == 0, done.stderr
    line = uses(done.stdout)["FTP curl"]
    assert "@10.17.0.1:21/" in line
    assert subprocess.run(line, shell=True, capture_output=True).returncode == 0


def test_a_terminal_port_that_died_is_told(both: Boots) -> None:
    assert both.run("boot", "--no-network").returncode == 0
    fronts = [p for p in both.holders() if "vmkb.hercules.tn3270.front" in p.cmdline()]
    assert len(fronts) == 1
    fronts[0].kill()
    fronts[0].wait(WITHIN)
    assert "NOT REACHED: The terminal port" in both.run("status").stdout


@pytest.mark.parametrize(
    ("numbers", "code"),
    [
        ((signal.SIGINT,), 130),
        ((signal.SIGTERM,), 130),
        ((signal.SIGHUP,), 130),
        ((signal.SIGINT, signal.SIGINT), 130),
        ((signal.SIGKILL,), -9),
    ],
    ids=["ctrl-c", "term", "window-closed", "ctrl-c-twice", "kill-9"],
)
def test_a_start_that_is_ended_leaves_nothing(
    both: Boots, numbers: tuple[signal.Signals, ...], code: int
) -> None:
    child = both.started()
    for number in numbers:
        child.send_signal(number)
    said, errors = child.communicate(timeout=WITHIN)
    assert child.returncode == code, errors
    assert "Traceback" not in errors
    assert "end it" not in said, "it was not up yet"
    both.wait_nothing_left()
    assert "No guest is running" in both.run("status").stdout
    again = both.run("boot", "--no-network")
    assert again.returncode == 0, again.stderr


def test_an_emulator_that_is_killed_takes_all_with_it(both: Boots) -> None:
    done = both.run("boot")
    port = int(uses(done.stdout)["FTP curl"].rsplit(":", 1)[1].strip("/"))
    pid = int(done.stdout.split("(pid ")[1].split(")")[0])
    psutil.Process(pid).kill()
    both.wait_nothing_left()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    assert both.run("boot").returncode == 0


def test_new_passwords_are_the_guests_until_it_is_booted_without(both: Boots) -> None:
    """What everybody knows lets nobody in; what is printed does; each is its owner's alone."""

    def listed(url: str) -> bool:
        return subprocess.run(["curl", "-sS", "-m", "20", url], capture_output=True,
                              check=False).returncode == 0  # fmt: skip

    done = both.run("boot", "--new-passwords")
    assert done.returncode == 0, done.stderr
    url = uses(done.stdout)["FTP curl"].split()[1]
    known = re.sub(r":[A-Z2-9]{8}@", ":VMUSER1@", url)
    assert url != known and listed(url) and not listed(known)
    assert url in both.run("status").stdout
    kept = both.folder / "passwords"
    assert kept.stat().st_mode & 0o777 == 0o600
    words = dict(line.split() for line in kept.read_text().splitlines())
    assert words["VMUSER1"] in url and len(set(words.values())) == len(words) > 20
    assert {"MAINT.190.W", "MAINT.190.M", "VMUSER1.191.R"} < set(words)
    with next(both.folder.glob("*.fba")).open("rb") as image:
        begin = image.read(1 << 20)  # the directory is in it
    usual = ("MSYSTEM", "WSYSTEM", "WTCPIP", "RVMUSER1")
    assert not [word for word in usual if field(word, 8) in begin]
    both.run("stop")
    again = both.run("boot")
    url = uses(again.stdout)["FTP curl"].split()[1]
    assert "VMUSER1:VMUSER1@" in url and listed(url)
    assert not kept.exists()


def test_a_reader_who_has_seen_enough_does_not_end_the_guest(both: Boots) -> None:
    """As in vmkb boot | head -1."""
    with both.started() as child:
        assert child.stdout is not None and child.stderr is not None
        child.stdout.close()
        assert (child.stderr.read(), child.wait(WITHIN)) == ("", 0)
    status = both.run("status").stdout
    assert "VM/KB" in status and "FTP" in status
    assert "ended." in both.run("stop").stdout


def test_two_boots_at_once_both_have_a_network(tmp_path: Path) -> None:
    with contextlib.ExitStack() as ended:
        pair = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            pair.append(ended.enter_context(boots(tmp_path / name)))
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started = [subprocess.Popen(each.words("boot"), **pipes) for each in pair]  # type: ignore[call-overload]
        told = [child.communicate(timeout=WITHIN) for child in started]
        assert [child.returncode for child in started] == [0, 0]
        ports = set()
        for said, errors in told:
            assert errors == "" and "FTP curl" in uses(said), errors
            ports.add(uses(said)["FTP curl"].rsplit(":", 1)[1])
        assert len(ports) == 2
