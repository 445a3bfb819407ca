# SPDX-License-Identifier: MIT
"""scripts/setup on copies of the project with programs taken away or stood in for."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from vmkb.hercules.deadline import wait_until

NEEDED = (
    "bash env awk cat dirname mkdir flock id sha256sum grep rm tee tail touch readlink"
    " basename find wc sed cut printf sleep mv head nproc make true"
).split()


@pytest.fixture
def copy(project: Path, tmp_path: Path) -> Path:
    """A project with scripts and pins but without guests, and a venv that is 'there'."""
    top = tmp_path / "a copy whose path has blanks" / ("and is long" * 8)
    (top / "scripts").mkdir(parents=True)
    for name in ("setup", "vmkb", "packages.txt", "constraints.txt"):
        shutil.copy2(project / "scripts" / name, top / "scripts" / name)
    shutil.copy2(project / "pyproject.toml", top)
    (top / "guests").mkdir()
    # The counting emulator is there already: tests/scripts/test_exact_emulator.py is about it.
    program(top / "scripts" / "exact-emulator", "echo 0123456789ab")
    program(top / ".setup" / "emulator" / "0123456789ab" / "hercules", "exit 0")
    return top


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def apt(path: Path, uid: int, apt_get: str) -> None:
    """Put an apt-get that does APT_GET into the folder PATH, for a user whose id is UID: setup goes
    through sudo unless that is 0."""
    program(path / "apt-get", apt_get)
    program(path / "sudo", f'[ {uid} != 0 ] && exec "$@"')
    program(path / "dpkg", "")
    (path / "id").unlink(missing_ok=True)
    program(path / "id", f'[ "$1" = -u ] && echo {uid} || echo somebody')


@pytest.fixture(params=[0, 1000], ids=["root", "sudo"])
def uid(request: pytest.FixtureRequest) -> int:
    """The id of root, and of a user who has sudo."""
    return int(request.param)


def tools(folder: Path, *more: str) -> Path:
    """A folder with links to the few programs that the script itself uses."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*NEEDED, *more):
        found = shutil.which(name)
        if found and not (folder / name).exists():
            (folder / name).symlink_to(found)
    return folder


def run(top: Path, path: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(path / "bash"), str(top / "scripts" / "setup"), *args],
        env={"PATH": str(path), "HOME": str(top)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def pretend_venv(top: Path) -> None:
    """A Python that makes a 'virtual environment' in no time and whose pip installs nothing."""
    program(
        top / "stand-in",
        f'case "$*" in\n'
        f'*"-m venv"*) mkdir -p .venv/bin; cp "{top}/stand-in" .venv/bin/python;;\n'
        f'*"-m pip"*) echo "Collecting click"; echo pip >>"{top}/calls"; echo "$*" >"{top}/pip";;\n'
        f"-V) echo Python 3.11.0;;\n"
        f"esac",
    )


def test_python_only_needs_no_emulator_and_is_done_once(copy: Path, tmp_path: Path) -> None:
    path = tools(tmp_path / "bin", "mkdir", "cp")
    pretend_venv(copy)
    (path / "python3").symlink_to(copy / "stand-in")
    first = run(copy, path, "--python")
    assert first.returncode == 0, first.stderr
    assert "installing" in first.stderr and "Python packages" in first.stderr
    second = run(copy, path, "--python")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert (copy / "calls").read_text() == "pip\n"
    with (copy / "scripts" / "constraints.txt").open("a") as pins:
        pins.write("more==1\n")
    assert "installing" in run(copy, path, "--python").stderr


def test_what_only_tests_use_comes_with_test_and_stays(copy: Path, tmp_path: Path) -> None:
    path = tools(tmp_path / "bin", "mkdir", "cp")
    pretend_venv(copy)
    (path / "python3").symlink_to(copy / "stand-in")
    for name in ("packages.txt", "packages-test.txt"):
        (copy / "scripts" / name).write_text("")
    assert "installing 28 Python packages" in run(copy, path).stderr
    assert (copy / "pip").read_text().endswith("--editable .\n")
    assert "installing 67 Python packages" in run(copy, path, "--test").stderr
    assert (copy / "pip").read_text().endswith("--editable .[history,campaign,test,dev]\n")
    for args in (["--python"], [], ["--test"]):
        assert run(copy, path, *args).stderr == ""
    with (copy / "scripts" / "constraints.txt").open("a") as pins:
        pins.write("more==1\n")
    assert "installing" in run(copy, path, "--python").stderr
    assert (copy / "pip").read_text().endswith("--editable .[history,campaign,test,dev]\n")


def test_elsewhere_one_sentence_names_the_missing_programs(copy: Path, tmp_path: Path) -> None:
    path = tools(tmp_path / "bin", "mkdir", "cp")
    pretend_venv(copy)
    (path / "python3").symlink_to(copy / "stand-in")
    assert run(copy, path, "--python").returncode == 0
    result = run(copy, path)
    assert result.returncode == 3
    lines = result.stderr.splitlines()
    assert len(lines) == 1
    for name in ("hercules", "s3270", "c3270", "expect", "s390x-linux-gnu-gcc"):
        assert name in lines[0]


def test_a_failing_install_shows_the_end_of_its_log(copy: Path, tmp_path: Path) -> None:
    path = tools(tmp_path / "bin", "mkdir", "cp")
    program(path / "python3", 'case "$*" in "-m venv"*) echo no space left; exit 1;; esac')
    result = run(copy, path, "--python")
    assert result.returncode == 3
    assert "no space left" in result.stderr


def test_usage(copy: Path, tmp_path: Path) -> None:
    assert run(copy, tools(tmp_path / "bin"), "--everything").returncode == 2


def test_packages_are_installed_with_progress(copy: Path, tmp_path: Path, uid: int) -> None:
    if not Path("/etc/debian_version").exists():
        pytest.skip("not a Debian system")
    path = tools(tmp_path / "bin", "mkdir", "cp")
    pretend_venv(copy)
    (path / "python3").symlink_to(copy / "stand-in")
    apt(
        path,
        uid,
        f'echo "$*" >>"{copy}/apt"\n'
        'case "$*" in\n'
        '*"install -s"*) for n in 1 2 3 4 5 6; do echo "Inst p$n"; done;;\n'
        '*"install -y --no-install-recommends hercules"*)\n'
        '  for n in 1 2 3 4 5 6; do echo "Unpacking p$n"; echo "Setting up p$n"; done;;\n'
        "esac",
    )
    result = run(copy, path)
    assert result.returncode == 0, result.stderr
    assert "installing Debian packages: hercules s3270 c3270 expect" in result.stderr
    assert "10 of 12" in result.stderr
    calls = (copy / "apt").read_text().splitlines()
    assert calls[0].endswith(" update")
    assert " install -y --no-install-recommends hercules s3270 c3270 expect" in calls[-1]


@pytest.mark.slow
def test_nothing_missing_costs_under_two_seconds(project: Path) -> None:
    if not (project / ".setup" / "python.stamp").exists():
        pytest.skip("this checkout was not set up by scripts/setup")
    command = [str(project / "scripts" / "setup"), "--python"]
    subprocess.run(command, capture_output=True, timeout=300, check=True)
    before = os.times()
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    after = os.times()  # CPU seconds: what else the computer does costs time, but none of these
    assert sum(after[2:4]) - sum(before[2:4]) < 2.0


def ready(copy: Path, tmp_path: Path) -> Path:
    """A PATH with the stand-in Python, every program that packages.txt names, and no apt."""
    path = tools(tmp_path / "bin", "cp")
    pretend_venv(copy)
    (path / "python3").symlink_to(copy / "stand-in")
    for line in (copy / "scripts" / "packages.txt").read_text().splitlines():
        if line and not line.startswith("#") and not (path / line.split()[1]).exists():
            program(path / line.split()[1], "")
    return path


def guest(copy: Path) -> Path:
    """A guest whose build says what it does; `slow` there makes its link wait until it goes."""
    folder = copy / "guests" / "tiny"
    folder.mkdir()
    (folder / "Makefile").write_text(
        "all: build/tiny\n"
        "sources: build/got\n"
        "build/got:\n\t@mkdir -p build; echo got >>made; touch $@\n"
        "build/tiny: build/got\n"
        "\techo cc -c one -o one.o; : >$@; while [ -e slow ]; do sleep 0.01; done; echo ok >$@\n"
        "\techo built >>made\n"
        "clean:\n\trm -rf build; echo cleaned >>made\n"
        ".PHONY: all sources clean\n"
    )
    return folder


def start(top: Path, path: Path, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(path / "bash"), str(top / "scripts" / "setup"), *args],
        env={"PATH": str(path)}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def wait_for(condition: Callable[[], bool]) -> None:
    wait_until(lambda: condition() or None, 30, "what setup does next")


def test_a_guest_is_built_once(copy: Path, tmp_path: Path) -> None:
    path, folder = ready(copy, tmp_path), guest(copy)
    assert run(copy, path).returncode == 0
    assert (folder / "made").read_text() == "got\nbuilt\n"
    again = run(copy, path)
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_build_that_was_stopped_is_taken_up(
    copy: Path, tmp_path: Path, number: signal.Signals
) -> None:
    path, folder = ready(copy, tmp_path), guest(copy)
    (folder / "slow").touch()
    setup = start(copy, path)
    wait_for((folder / "build" / "tiny").exists)
    os.killpg(setup.pid, number)
    said = setup.communicate(timeout=30)[1]
    assert setup.returncode == (130 if number == signal.SIGINT else -number)
    if number == signal.SIGINT:
        assert "setup: stopped; scripts/setup takes it up again" in said.splitlines()
    (folder / "slow").unlink()
    assert run(copy, path).returncode == 0
    assert (folder / "build" / "tiny").read_text() == "ok\n"


def test_apt_that_was_stopped_says_so(copy: Path, tmp_path: Path, uid: int) -> None:
    if not Path("/etc/debian_version").exists():
        pytest.skip("not a Debian system")
    path = tools(tmp_path / "bin", "cp")
    apt(path, uid, f'touch "{tmp_path}/at-it"; exec sleep 60')
    setup = start(copy, path)
    wait_for((tmp_path / "at-it").exists)
    os.killpg(setup.pid, signal.SIGINT)
    said = setup.communicate(timeout=30)[1]
    assert setup.returncode == 130
    assert said.splitlines()[1:] == ["setup: stopped; scripts/setup takes it up again"]


def test_python_packages_that_were_stopped_are_taken_up(copy: Path, tmp_path: Path) -> None:
    path = ready(copy, tmp_path)
    whole = (copy / "stand-in").read_text()
    pretend = copy / "stand-in"
    pretend.write_text(
        whole.replace('echo "Collecting click"', f'touch "{copy}/at-it"; exec sleep 60')
    )
    setup = start(copy, path, "--python")
    wait_for((copy / "at-it").exists)
    (copy / ".venv" / "half").touch()
    os.killpg(setup.pid, signal.SIGINT)
    setup.communicate(timeout=30)
    assert setup.returncode == 130
    pretend.write_text(whole)
    assert run(copy, path, "--python").returncode == 0
    assert not (copy / ".venv" / "half").exists()


def test_progress_comes_as_it_happens(copy: Path, tmp_path: Path) -> None:
    path = ready(copy, tmp_path)
    text = (copy / "stand-in").read_text()
    (copy / "stand-in").write_text(text.replace(
        'echo "Collecting click"',
        'for n in 1 2 3 4 5 6 7 8 9 10; do echo "Collecting p$n"; done; exec 1>&-; '
        f'while [ ! -e "{copy}/seen" ]; do sleep 0.01; done',
    ))  # fmt: skip
    setup = start(copy, path, "--python")
    assert setup.stderr is not None
    assert "installing" in setup.stderr.readline()
    assert "10 of" in setup.stderr.readline()
    (copy / "seen").touch()
    setup.communicate(timeout=30)
    assert setup.returncode == 0


def without_emulator(copy: Path, build: str) -> None:
    """A COPY whose emulator is missing and is built by BUILD."""
    shutil.rmtree(copy / ".setup" / "emulator")
    made = ".setup/emulator/0123456789ab"
    program(
        copy / "scripts" / "exact-emulator",
        f'[ "$1" = --id ] && {{ echo 0123456789ab; exit; }}\n{build}\n'
        f"mkdir -p {made}; cp /bin/true {made}/hercules",
    )


@pytest.mark.parametrize("n, other", [(1, False), (3, True), (1, True)],
                         ids=["one file", "files now and then", "lines of others"])  # fmt: skip
def test_a_long_step_is_not_silent(copy: Path, tmp_path: Path, n: int, other: bool) -> None:
    path = ready(copy, tmp_path)
    script = copy / "scripts" / "setup"
    script.write_text(script.read_text().replace("SILENT_S=8", "SILENT_S=1"))
    seen = f'while [ ! -e "{copy}/seen" ]; do sleep 0.01; done'
    files = "sleep 0.6; ".join(f"echo cc -c x.c -o {k}.o; " for k in range(1, n + 1))
    lines = f"while :; do sleep 0.6; echo; [ ! -e '{copy}/seen' ] || break; done"
    without_emulator(copy, f"echo compiling 119; {files}{lines if other else seen}")
    setup = start(copy, path)
    assert setup.stderr is not None
    told = any(f"{n} of 119  {n}.o" in line for line in iter(setup.stderr.readline, ""))
    (copy / "seen").touch()
    setup.communicate(timeout=30)
    assert told and setup.returncode == 0


def test_python_comes_while_the_emulator_is_built(copy: Path, tmp_path: Path) -> None:
    path = ready(copy, tmp_path)
    without_emulator(copy, f'while [ ! -e "{copy}/calls" ]; do sleep 0.01; done')
    done = run(copy, path)
    assert done.returncode == 0, done.stderr
    again = run(copy, path)
    assert (again.returncode, again.stderr) == (0, "")


def test_python_that_fails_meanwhile_ends_setup(copy: Path, tmp_path: Path) -> None:
    path = ready(copy, tmp_path)
    without_emulator(copy, "")
    whole = (copy / "stand-in").read_text()
    (copy / "stand-in").write_text(
        whole.replace('echo "Collecting click"', "echo ERROR: no such version; exit 1")
    )
    done = run(copy, path)
    assert done.returncode == 4
    assert "packages could not be installed: no such version" in done.stderr


def test_both_end_when_setup_is_stopped(copy: Path, tmp_path: Path) -> None:
    path = ready(copy, tmp_path)
    without_emulator(copy, f'touch "{copy}/emulator"; exec sleep 60')
    whole = (copy / "stand-in").read_text()
    waits = f'echo $$ >"{copy}/pip.new"; mv "{copy}/pip.new" "{copy}/pip"; exec sleep 60'
    (copy / "stand-in").write_text(whole.replace('echo "Collecting click"', waits))
    setup = start(copy, path)
    wait_for(lambda: (copy / "pip").exists() and (copy / "emulator").exists())
    pip = int((copy / "pip").read_text())
    os.killpg(setup.pid, signal.SIGINT)
    setup.communicate(timeout=30)
    assert setup.returncode == 130
    wait_for(lambda: not Path(f"/proc/{pip}").exists())


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("[Errno -3] Temporary failure in name resolution", "no connection: "),
        ("ERROR: No matching distribution found for click==8.5.1", "found for click==8.5.1"),
    ],
)
def test_packages_that_cannot_be_installed_are_one_sentence(
    copy: Path, tmp_path: Path, printed: str, said: str
) -> None:
    path = ready(copy, tmp_path)
    whole = (copy / "stand-in").read_text()
    (copy / "stand-in").write_text(
        whole.replace('echo "Collecting click"', f'echo "{printed}"; exit 1')
    )
    result = run(copy, path, "--python")
    assert result.returncode == 4
    lines = result.stderr.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("setup: the Python packages could not be installed: ")
    assert said in lines[1]
    (copy / "stand-in").write_text(whole)
    assert run(copy, path, "--python").returncode == 0


@pytest.mark.parametrize(
    ("failing", "status", "said"),
    [
        ("update", 4, "Debian's package lists could not be fetched: no connection: "),
        ("--download-only", 4, "Debian packages could not be fetched: no connection: "),
        ("-recommends hercules", 3, "Debian packages could not be installed"),
    ],
)
def test_apt_that_fails_is_one_sentence(
    copy: Path, tmp_path: Path, uid: int, failing: str, status: int, said: str
) -> None:
    if not Path("/etc/debian_version").exists():
        pytest.skip("not a Debian system")
    path = tools(tmp_path / "bin", "cp")
    pretend_venv(copy)
    (path / "python3").symlink_to(copy / "stand-in")
    apt(
        path,
        uid,
        f'case "$*" in *"{failing}"*)'
        ' echo "E: Failed to fetch x  Temporary failure resolving y"; exit 100;; esac',
    )
    result = run(copy, path)
    assert result.returncode == status
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 2


def test_a_checkout_that_cannot_be_written(copy: Path, tmp_path: Path) -> None:
    path = ready(copy, tmp_path)
    shutil.rmtree(copy / ".setup")
    (copy / ".setup").touch()  # root may write anywhere, but not in a file as in a folder
    result = run(copy, path, "--python")
    assert result.returncode == 3
    assert f"{copy} cannot be written by " in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("changed", ["place", "interpreter"])
def test_a_venv_of_another_place_or_python_is_made_anew(
    copy: Path, tmp_path: Path, changed: str
) -> None:
    path = ready(copy, tmp_path)
    assert run(copy, path, "--python").returncode == 0
    if changed == "place":
        copy = copy.rename(copy.parent / "moved")
        pretend_venv(copy)
        (path / "python3").unlink()
        (path / "python3").symlink_to(copy / "stand-in")
    else:
        (copy / ".venv" / "bin" / "python").rename(copy / ".venv" / "bin" / "python3.10")
        (copy / ".venv" / "bin" / "python").symlink_to("python3.10")
    (copy / ".venv" / "old").touch()
    assert "installing" in run(copy, path, "--python").stderr
    assert not (copy / ".venv" / "old").exists()


def test_called_through_a_link_from_elsewhere_without_home(copy: Path, tmp_path: Path) -> None:
    path = ready(copy, tmp_path)
    assert run(copy, path, "--python").returncode == 0
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "setup"
    link.symlink_to(copy / "scripts" / "setup")
    result = subprocess.run(
        [str(path / "bash"), str(link), "--python"], cwd=link.parent, env={"PATH": str(path)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    assert os.listdir(link.parent) == ["setup"]


def test_a_second_setup_waits_for_the_first(copy: Path, tmp_path: Path) -> None:
    path, folder = ready(copy, tmp_path), guest(copy)
    (folder / "slow").touch()
    first = start(copy, path)
    wait_for((folder / "build" / "tiny").exists)
    second = start(copy, path)
    assert second.stderr is not None
    assert "another setup is at work here; waiting for it" in second.stderr.readline()
    (folder / "slow").unlink()
    first.communicate(timeout=30)
    second.communicate(timeout=30)
    assert (first.returncode, second.returncode) == (0, 0)
    assert (folder / "made").read_text() == "got\nbuilt\n"


@pytest.mark.parametrize(
    ("words", "tier"),
    [
        ("boot", "--run"),
        ("run ftp", "--run"),
        ("sweep --trials 2", "--run"),
        ("measure --guest vmkb IDENTIFY", "--run"),
        ("measure --disks=here IDENTIFY", "--run"),
        ("measure --connect host:23 IDENTIFY", "--python"),
        ("parse console.log", "--python"),
        ("", "--python"),
    ],
)
def test_what_boots_a_guest_builds_it_first(copy: Path, words: str, tier: str) -> None:
    program(copy / "scripts" / "setup", 'echo "$@"')
    program(copy / ".venv" / "bin" / "python", 'echo "$@"')
    ran = subprocess.run(
        [copy / "scripts" / "vmkb", *words.split()], capture_output=True, text=True, timeout=20,
        check=True,
    )  # fmt: skip
    assert ran.stdout == f"{tier}\n-m vmkb.workloads.cli {words}".rstrip() + "\n"
