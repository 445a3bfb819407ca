# SPDX-License-Identifier: MIT
"""A user's session on the real guest: through s3270, by script, and through c3270 by expect."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest
from vmkb.hercules.tn3270.screen import Status

pytestmark = pytest.mark.e2e

SCRIPT = """
# two users at two terminals
set timeout 10
logon VMUSER3 VMUSER3 on 0705
cp query time
rc 0
logon VMUSER4 VMUSER4 on 0706
cp query userid
use 0705
expect "TIME IS" within 2
logoff
use 0706
logoff
"""


def test_logon_cp_and_logoff(booted: Hercules) -> None:
    with open_session(load_guest("vmkb"), booted, 0x700) as session:
        session.logon("VMUSER1", "VMUSER1")
        answer = session.cp("QUERY TIME")
        assert answer.rc == 0
        assert re.match(r"TIME IS \d\d:\d\d:\d\d", answer.lines[0])
        spent = r"CONNECT= \d\d:\d\d:\d\d VIRTCPU= \d{3}:\d\d\.\d\d TOTCPU= "
        assert re.match(spent, answer.lines[1])
        said = session.logoff()
        assert any(line.startswith("LOGOFF AT ") for line in said)
        assert "VMUSER1" not in [line.strip() for line in session.terminal.screen.lines]


def test_the_password_is_never_shown(booted: Hercules) -> None:
    with open_session(load_guest("vmkb"), booted, 0x701) as session:
        session.logon("MAINT", "MAINT")
        assert session.lines[:2] == ["LOGON MAINT", "ENTER PASSWORD:"]
        assert session.lines[2].startswith("LOGON AT ")
        session.logoff()


def test_refusals_are_cps_own_words(booted: Hercules) -> None:
    with open_session(load_guest("vmkb"), booted, 0x702) as session:
        with pytest.raises(EmulatorError, match="DMKLOG053E NOSUCH NOT IN CP DIRECTORY"):
            session.logon("NOSUCH", "X")
        with pytest.raises(EmulatorError, match="DMKLOG050E PASSWORD INCORRECT"):
            session.logon("VMUSER1", "WRONG")
        session.logon("VMUSER1", "VMUSER1")
        session.logoff()


def test_a_disconnected_user_is_resumed_at_another_terminal(booted: Hercules) -> None:
    guest = load_guest("vmkb")
    with open_session(guest, booted, 0x703) as session:
        session.logon("VMUSER2", "VMUSER2")
        session.terminal.type("#CP DISCONNECT")
        session.terminal.enter()
        session.terminal.wait(lambda s: s.is_logo(guest.session.logo), 5, "the logo")
    with open_session(guest, booted, 0x704) as session:
        session.logon("VMUSER2", "VMUSER2")
        assert any(line.startswith("RECONNECTED AT ") for line in session.lines)
        assert session.cp("QUERY TIME").rc == 0
        session.logoff()


def test_more_lines_than_a_page_are_all_there(booted: Hercules) -> None:
    with open_session(load_guest("vmkb"), booted, 0x707) as session:
        session.logon("VMUSER5", "VMUSER5")
        for number in range(12):
            assert len(session.cp("QUERY TIME").lines) == 2, number
        times = [line for line in session.lines if line.startswith("TIME IS ")]
        assert len(times) == 12
        assert session.terminal.screen.status is Status.VM_READ
        session.logoff()


def test_a_terminal_that_is_in_use_or_not_there_is_refused(booted: Hercules) -> None:
    guest = load_guest("vmkb")
    with pytest.raises(EmulatorError, match="no terminal 07FF on 'vmkb'; it has 0700 to 071F"):
        open_session(guest, booted, 0x7FF)


@pytest.mark.slow
def test_vmkb_script_boots_a_guest_plays_and_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "two.vm"
    path.write_text(SCRIPT)
    command = [sys.executable, "-m", "vmkb.workloads.cli", "script", "--private", str(path)]
    good = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert good.returncode == 0, good.stderr
    lines = good.stdout.splitlines()
    assert lines[0] == "LOGON VMUSER3"
    assert "--- terminal 0706 ---" in lines
    assert lines[-1].startswith("LOGOFF AT ")
    path.write_text(SCRIPT.replace("rc 0", "rc 7"))
    bad = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert bad.returncode == 3
    assert f"{path}:6: rc: the return code is 0, not 7" in bad.stderr


def test_the_expect_example(booted: Hercules, project: Path) -> None:
    if shutil.which("expect") is None or shutil.which("c3270") is None:
        pytest.skip("expect or c3270 is not installed")
    example = project / "scripts" / "examples" / "logon.exp"
    result = subprocess.run(
        [str(example), str(booted.console_port), "VMUSER6", "VMUSER6"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "> QUERY TIME"
    assert lines[1].startswith("  TIME IS ")
    assert lines[2].startswith("  CONNECT= ")
    assert lines[3] == "> QUERY USERS"
    wrong = subprocess.run(
        [str(example), str(booted.console_port), "NOSUCH", "X"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert wrong.returncode == 3
    assert "waited 10 s for CP to ask for the password" in wrong.stderr
    assert "DMKLOG053E NOSUCH NOT IN CP DIRECTORY" in wrong.stderr


def test_the_ipl_parameter_reaches_cp(tmp_path: Path) -> None:
    with boot(load_guest("vmkb"), tmp_path, parameter="MODEL=NOSUCH") as machine:
        machine.wait_log(r"NOSUCH|MODEL", 5, expected="CP to name the model that it refuses")


def test_several_users_play_one_script(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "three.vmkb"
    file.write_text(
        "logon CMS0{user} CMS0{user}\npick what TIME DISK\nrepeat 2\ncms QUERY {what}\nend\n"
        'type XEDIT A FILE\nenter\nexpect "====>" within 5\npf 3\nlogoff\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "script", "--private", "--users", "3",
         "--times", str(file)],
        cwd=project, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for user in "123":
        mine = [x.removeprefix(f"{user}: ") for x in done.stdout.splitlines() if x[0] == user]
        assert mine[0] == f"LOGON CMS0{user}" and "LOGOFF AT" in mine[-1]
        assert sum(x.startswith("QUERY ") for x in mine) == 2
    assert done.stderr.startswith("18 responses, seconds of this computer's clock: average 0.")


def test_a_script_is_measured_in_place_of_a_command(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "two.vmkb"
    file.write_text("repeat 2\ncms QUERY TIME\nend\n")
    words = [sys.executable, "-m", "vmkb.workloads.cli", "measure", "--user", "CMS01"]
    done = subprocess.run(
        [*words, "--trials", "2", "--repeat", "4", "--out", str(tmp_path / "r"), f"@{file}"],
        cwd=project, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "VMKB_PASSWORD": "CMS01"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert re.search(r"costs [\d.]+ instructions", done.stdout)
    file.write_text("logoff\n")
    done = subprocess.run(
        [*words, "--trials", "1", "--out", str(tmp_path / "s"), f"@{file}"],
        cwd=project, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "VMKB_PASSWORD": "CMS01"},
    )  # fmt: skip
    assert done.returncode == 3
    assert f"{file}:1: logoff: this user is logged on and stays so." in done.stderr
