# SPDX-License-Identifier: MIT
"""The guest's figures beside their targets: python tests/bench/bench_guest.py [--seconds N].

It boots VM/KB as built, and takes some minutes; other work on this computer makes the times worse.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from tests.bench.tn3270 import RawTerminal  # noqa: E402
from tests.busy import busy  # noqa: E402
from vmkb.hercules.emulator.boot import boot, open_session, place_files  # noqa: E402
from vmkb.hercules.emulator.machine import Hercules  # noqa: E402
from vmkb.hercules.guest import GUESTS, Guest, load_guest  # noqa: E402
from vmkb.hercules.tn3270.session import UserSession  # noqa: E402

STARTS = 20
BUSY = 2
COMMANDS = {
    "LISTFILE * * Y": "LISTFILE * * Y",
    "TYPE DOC1K TEXT": "TYPE DOC1K TEXT Y",
    "STATE DOC1K TEXT (no output)": "STATE DOC1K TEXT Y",
    "SUMS EXEC (a loop)": "SUMS 2000",
}
USERS = ("VMUSER3", "VMUSER4")


def row(what: str, got: str, target: str) -> None:
    """One line of the table, at once."""
    print(f"| {what} | {got} | {target} |", flush=True)


def milliseconds(samples: list[float]) -> str:
    """Median and range of samples in seconds."""
    ms = sorted(1000 * x for x in samples)
    return f"{statistics.median(ms):.1f} ms ({ms[0]:.1f} to {ms[-1]:.1f})"


def start_to_logo(guest: Guest, folder: Path) -> tuple[list[float], list[float]]:
    """Seconds from starting the process to the logo, and from LOGON's ENTER to Ready."""
    logo, ready = [], []
    place_files(guest, folder, keep=False)
    for _ in range(STARTS):
        began = time.perf_counter()
        with (
            boot(guest, folder, keep=True) as machine,
            RawTerminal(machine.console_port, 0x0700) as terminal,
        ):
            terminal.expect(guest.session.logo, 10)
            logo.append(time.perf_counter() - began)
            terminal.enter("")
            terminal.expect("CP READ", 10)
            terminal.enter("LOGON VMUSER1")
            terminal.expect("PASSWORD", 10)
            began = time.perf_counter()
            terminal.enter("VMUSER1")
            terminal.expect("Ready;", 10)
            ready.append(time.perf_counter() - began)
    return logo, ready


def start_to_logo_s3270(guest: Guest, folder: Path) -> list[float]:
    """The same through s3270, whose own start is in it."""
    took = []
    for _ in range(5):
        began = time.perf_counter()
        with boot(guest, folder) as machine, open_session(guest, machine, 0x0700):
            took.append(time.perf_counter() - began)
    return took


def exercise(session: UserSession, what: str, within: float = 20.0) -> str:
    """Run one exercise and return what it says; the machine is IPLed with CMS again."""

    def done(pattern: str, mark: int) -> str:
        def found() -> str:
            return next((x for x in session.lines[mark:] if re.search(pattern, x)), "")

        session.terminal.wait(lambda _: found() != "", within, f"/{pattern}/ from {what}")
        return found()

    session.terminal.clear()
    mark = session._enter(f"CP IPL EXERCISE PARM {what}")
    done("CP ENTERED", mark)
    said = done("^EXERCISE: ", mark)
    done("Ready;", session._enter("IPL CMS"))
    return said.removeprefix("EXERCISE: ")


def instructions(session: UserSession) -> tuple[int, int, int]:
    """Instructions of the machine so far, those with CP's work for it, and corrections."""
    text = session.command("CP QUERY TIME (FULL").text()
    virt, total = (int(x) for x in re.findall(r"US +(\d+) INSTR", text)[:2])
    corrections = re.search(r"CORRECTIONS (\d+)", text)
    assert corrections, text
    return virt, total, int(corrections[1])


def spread(session: UserSession, command: str) -> str:
    """Twenty times the same command: the range of its instruction counts over their median."""
    counts = []
    for _ in range(STARTS + 1):
        session.terminal.clear()
        before = instructions(session)
        session.command(command)
        after = instructions(session)
        counts.append([b - a for a, b in zip(before, after, strict=True)])
    virt, total, corrected = zip(*counts[1:], strict=True)  # the first fills CP's cache

    def percent(values: tuple[int, ...]) -> str:
        middle = statistics.median(values)
        return f"{100 * (max(values) - min(values)) / middle:.3f} % of {middle:.0f}"

    return f"machine {percent(virt)}, with CP {percent(total)}, {sum(corrected)} corrected"


def accounts(guest: Guest, machine: Hercules, session: UserSession, seconds: float) -> str:
    """QUERY ACNT's last line after mixed work: computing, IUCV, disk and console."""
    for user in USERS:
        session.cp(f"XAUTOLOG {user} IPL EXERCISE PARM LOOP")
    session.cp("XAUTOLOG VMUSER2 IPL EXERCISE PARM ECHO")
    with open_session(guest, machine) as other:
        other.logon("VMUSER5", "VMUSER5")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            other.command("TYPE DOC1K TEXT Y")
            other.command("LISTFILE * * Y")
            other.command("COPYFILE DOC100K TEXT Y = = A (REPLACE")
            exercise(other, "IUCV 2000")
        other.logoff()
    for user in (*USERS, "VMUSER2"):
        session.cp(f"FORCE {user}")
    return session.cp("QUERY ACNT").lines[-1]


def build_times() -> tuple[float, float]:
    """Seconds of a build into a fresh folder with the same lwIP sources, real and CPU."""
    folder = GUESTS / "vmkb"
    with tempfile.TemporaryDirectory() as fresh:
        (Path(fresh) / "lwip").symlink_to((folder / "build" / "lwip").resolve())
        began, cpu = time.perf_counter(), os.times()
        subprocess.run(
            ["make", "-s", "-C", folder, f"B={fresh}", f"{fresh}/vmkb.ins"],
            check=True, capture_output=True, env={**os.environ, "PYTHON": sys.executable},
        )  # fmt: skip
        end = os.times()
        used = end.children_user - cpu.children_user + end.children_system - cpu.children_system
        return time.perf_counter() - began, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of mixed work (60)")
    parser.add_argument("--guests", type=Path, default=GUESTS, help="folder of guests")
    parser.add_argument("--no-build", action="store_true", help="leave the build out")
    args = parser.parse_args()
    guest = load_guest("vmkb", args.guests)
    guest.check_built()
    print("| what | measured | target |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        logo, ready = start_to_logo(guest, folder / "start")
        row("Hercules start to logo, median of 20", milliseconds(logo), "30 ms")
        row("the same through s3270", milliseconds(start_to_logo_s3270(guest, folder / "s")), "")
        row("ENTER on LOGON's password to CMS Ready", milliseconds(ready), "60 ms")
        with (
            boot(guest, folder / "run") as machine,
            open_session(guest, machine) as maint,
            open_session(guest, machine) as user,
        ):
            maint.logon("MAINT", "MAINT")
            user.logon("VMUSER1", "VMUSER1")
            row("DIAGNOSE round trip", exercise(user, "DIAG 10000"), "250")
            maint.cp("XAUTOLOG VMUSER2 IPL EXERCISE PARM ECHO")
            row("IUCV send-reply round trip", exercise(user, "IUCV 10000"), "1500")
            maint.cp("FORCE VMUSER2")
            for what, command in COMMANDS.items():
                row(f"spread of {what}, idle", spread(user, command), "0.2 %")
            with busy(BUSY, 0):
                for what, command in COMMANDS.items():
                    row(f"spread of {what}, {BUSY} busy", spread(user, command), "0.2 %")
            what = f"accounts, {args.seconds:.0f} s of mixed work"
            row(what, accounts(guest, machine, maint, args.seconds), "1 %")
        row("guest storage", f"{guest.machine.memory_mb} MB", "64 MB")
    if not args.no_build:
        real, used = build_times()
        row("build from clean", f"{real:.1f} s ({used:.1f} s of CPU)", "20 s")


if __name__ == "__main__":
    main()
