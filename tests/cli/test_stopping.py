# SPDX-License-Identifier: MIT
"""What signals do to a command that runs guests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from vmkb.hercules.deadline import wait_until

WAITS = """
import sys
from vmkb.workloads.command.stopping import STOPPED, stop_in_order
stop_in_order()
try:
    print("waits", flush=True)
    sys.stdin.read()
    print("went on")
except KeyboardInterrupt:
    sys.exit(STOPPED)
"""


@pytest.mark.parametrize(("before", "ends"), [([], True), (["nohup"], False)])
def test_the_end_of_the_window_stops_it_unless_under_nohup(
    before: list[str], ends: bool, project: Path
) -> None:
    with subprocess.Popen(
        [*before, sys.executable, "-c", WAITS], cwd=project, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as child:  # fmt: skip
        assert child.stdout is not None and child.stdout.readline() == "waits\n"
        child.send_signal(signal.SIGHUP)
        if ends:
            assert child.wait(20) == 130
        else:
            assert child.communicate(timeout=20)[0] == "went on\n"
    assert child.returncode == (130 if ends else 0)


SLOW = """
import sys, time
from pathlib import Path
if Path(sys.executable).parent == Path({bin!r}):
    Path({began!r}).touch()
    for _ in range(100):
        time.sleep(0.01)
"""


@pytest.mark.parametrize("module", ["sitecustomize", "click"], ids=["starting", "importing"])
def test_an_early_ctrl_c_is_one_line(project: Path, tmp_path: Path, module: str) -> None:
    """While Python itself starts, and while the command imports what it is made of."""
    if not (project / ".venv" / "bin" / "python").exists():
        pytest.skip("this checkout was not set up by scripts/setup")
    began = tmp_path / "began"
    (tmp_path / f"{module}.py").write_text(
        SLOW.format(bin=str(project / ".venv" / "bin"), began=str(began))
    )
    with subprocess.Popen(
        [project / "scripts" / "vmkb", "list"], text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    ) as child:  # fmt: skip
        wait_until(began.exists, 20, "the module to be imported")
        os.killpg(child.pid, signal.SIGINT)
        said, errors = child.communicate(timeout=20)
    assert (child.returncode, said, errors) == (130, "", "vmkb: stopped.\n")


def test_what_ignores_ctrl_c_goes_on_to_ignore_it(project: Path) -> None:
    """As a job that a shell without job control has put into the background."""
    code = (
        "import os, signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from vmkb.workloads.command.early import at_once\n"
        "with at_once():\n    os.kill(os.getpid(), signal.SIGINT)\n"
        "os.kill(os.getpid(), signal.SIGINT); print('went on')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=project, capture_output=True, text=True, timeout=20,
        check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, "went on\n"), ran.stderr


ENDS = """
import os, sys, time
from vmkb.workloads.command.stopping import STOPPED, stop_in_order

class Late:
    def __del__(self, write=os.write, sleep=time.sleep):
        write(1, b"ends\\n")
        for _ in range(100):
            sleep(0.01)

late = Late()
stop_in_order()
sys.exit(STOPPED)
"""


def test_a_second_ctrl_c_does_not_change_how_a_command_has_ended(project: Path) -> None:
    """Python gives the signals back before it takes its modules apart."""
    with subprocess.Popen(
        [sys.executable, "-c", ENDS], cwd=project, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:  # fmt: skip
        assert child.stdout is not None and child.stdout.readline() == "ends\n"
        child.send_signal(signal.SIGINT)
        errors = child.communicate(timeout=20)[1]
    assert (child.returncode, errors) == (130, "")
