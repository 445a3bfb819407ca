# SPDX-License-Identifier: MIT
"""IBM's two experiments with Linux guests and their network, with VM/KB's CP, beside what IBM has
published, and VM/KB under VM/KB: python tests/bench/bench_sie.py fastccw|vctc|levels [--samples 4].

fastccw: Linux with a CTC pair of its own gets five files from a Linux on the wire to the null
device; SET CCWTRAN FAST and SLOW. vctc: of two Linux machines that a virtual CTC couples one gets a
file of 10 MB from the other to the null device. Costs are instructions, on virtual time; samples
differ in how long the machine rests before it begins.

levels: VM/KB's FTPSERVE natively and in a machine of VM/KB; per KB of a file of 2 MB, less a rest.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from scipy.stats import ttest_ind  # type: ignore[import-untyped] # noqa: E402

from tests.e2e.linux import test_second_level as second_level  # noqa: E402
from tests.e2e.linux import test_virtual_ctc as coupled  # noqa: E402
from tests.e2e.linux.test_linux_under_vmkb import tallies  # noqa: E402
from vmkb.accounting.published import published  # noqa: E402
from vmkb.guests.base import Choice, Running, Wishes, driver  # noqa: E402
from vmkb.guests.linuxkb.driver import SLOW, USER  # noqa: E402
from vmkb.hercules.clock.guest import GuestClock, WorldClock  # noqa: E402
from vmkb.hercules.clock.lan import (  # noqa: E402
    CTCM_READ,
    CTCM_WRITE,
    READ_DEVICE,
    WRITE_DEVICE,
    WorldLan,
)
from vmkb.hercules.clock.messages import PS  # noqa: E402
from vmkb.hercules.clock.world import World  # noqa: E402
from vmkb.hercules.deadline import on  # noqa: E402
from vmkb.hercules.emulator.boot import boot  # noqa: E402
from vmkb.hercules.emulator.choice import choose  # noqa: E402
from vmkb.hercules.emulator.config import LAN_CTC  # noqa: E402
from vmkb.hercules.emulator.machine import Hercules  # noqa: E402
from vmkb.hercules.guest import load_guest  # noqa: E402
from vmkb.workloads.base.guest import FTP_READY  # noqa: E402
from vmkb.workloads.base.virtual import pace  # noqa: E402
from vmkb.workloads.serve import execs  # noqa: E402

WITHIN = 600.0
KERNEL = "6.1"
FILES, FILE_MB = 5, 10
USED = re.compile(r"^(?:VIRT|TOTAL) +\d+ US (\d+) INSTR", re.M)


def used(machine: Hercules, user: str) -> tuple[int, int]:
    """Instructions of its own, and CP's for it."""
    mark = machine.log.mark()
    machine.operator(f"QUERY TIME {user} (FULL")
    machine.wait_log("^MODEL ", WITHIN, mark)
    virt, total = map(int, USED.findall("\n".join(machine.log.since(mark))))
    return virt, total - virt


@contextmanager
def both(mode: str) -> Iterator[Running]:
    """Linux under VM/KB, and a Linux that serves it, on a LAN."""
    (under,) = driver(load_guest("linuxkb")).choices([f"{KERNEL}{mode}"])
    (native,) = driver(load_guest("linux")).choices([KERNEL])
    world = World(coupled.TOD, 1)
    lan = WorldLan(world, "lan", "fast", 1)
    lines = [f"{number:04X} {LAN_CTC} ctcm" for number in (CTCM_READ, CTCM_WRITE)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(on(WorldClock(world)))

        def start(name: str, choice: Choice, host: int) -> Running:
            hands, clock = driver(choice.guest), GuestClock(world, name, pace("2064-109"))
            lan.join(name, clock, "ctcm")
            at = folder / name
            at.mkdir()
            wishes = Wishes(choice.level, f"10.17.0.{host}", 1500)
            words = hands.parameter(wishes)
            running = hands.start(name, at, at, lines, words, choose(), (), clock)
            stack.callback(running.close)
            hands.bring_up(running.machine)
            return running

        server = start("serves", native, 3)
        make(server.machine, "")
        yield start("vmkb", under, 2)


def make(machine: Hercules, to: str) -> None:
    """A file among those that are served; what is typed goes there."""
    mark = machine.log.mark()
    size = FILE_MB << 20
    machine.operator(f"{to}head -c {size} /dev/urandom >/srv/ftp/pub/f; echo MADE$((1 + 1))")
    machine.wait_log("MADE2", WITHIN, mark)


def fastccw(samples: int) -> None:
    costs: dict[str, list[tuple[int, int]]] = {}
    for mode in ("KB", SLOW):
        with both(mode) as running:
            machine = running.machine
            get = "ftpget -u anonymous -p none 10.17.0.3 /dev/null pub/f"
            for sample in range(samples):
                coupled.says(machine, USER, f"usleep {1000 * (1 + 7 * sample)}")
                before = used(machine, USER)
                coupled.says(machine, USER, f"for i in 1 2 3 4 5; do {get}; done")
                after = used(machine, USER)
                costs.setdefault(mode, []).append((after[0] - before[0], after[1] - before[1]))
                print(mode, costs[mode][-1], flush=True)
    kb = FILES * FILE_MB * 1024
    for name, part in (
        ("CP CPU", lambda cost: cost[1]), ("virtual CPU", lambda cost: cost[0]),
        ("total CPU", sum),
    ):  # fmt: skip
        fast, slow = ([part(cost) / kb for cost in costs[mode]] for mode in ("KB", SLOW))
        change = 100 * (statistics.mean(fast) / statistics.mean(slow) - 1)
        print(
            f"{name}: fast {len(fast)}/{statistics.mean(fast):.1f}/{statistics.stdev(fast):.2f},"
            f" slow {len(slow)}/{statistics.mean(slow):.1f}/{statistics.stdev(slow):.2f}"
            f" instr/KB (N/m/sd), {change:+.1f} %, t-test p {ttest_ind(fast, slow).pvalue:.2g}"
        )


def vctc(samples: int) -> None:
    (native,) = driver(load_guest("linux")).choices([KERNEL])
    with (
        tempfile.TemporaryDirectory() as folder,
        coupled.pair(native.guest, Path(folder), "MTU=32760") as machine,
    ):
        make(machine, "SEND RIGHT ")
        for _ in range(samples):
            before = [used(machine, user) for user in ("LEFT", "RIGHT")]
            began = coupled.says(machine, "LEFT", "cut -d ' ' -f 1 /proc/uptime")
            coupled.says(machine, "LEFT", f"ftpget {coupled.REACHED} /dev/null pub/f")
            ended = coupled.says(machine, "LEFT", "cut -d ' ' -f 1 /proc/uptime")
            after = [used(machine, user) for user in ("LEFT", "RIGHT")]
            virt, cp = (
                sum(b[n] - a[n] for a, b in zip(before, after, strict=True)) for n in (0, 1)
            )
            print(
                f"{float(ended[0]) - float(began[0]):.2f} s; instructions: CP {cp}, virtual"
                f" {virt}, total {virt + cp}; CP is {100 * cp / (virt + cp):.1f} % of it",
                flush=True,
            )


def executed(machine: Hercules, of: str = "") -> Counter[str]:
    """Instructions of the accounts of a VM/KB, or of the one in the machine OF."""
    mark = machine.log.mark()
    machine.operator(f"SEND {of} QUERY ACNT" if of else "QUERY ACNT")
    said = f"{of:<8}: " if of else ""
    machine.wait_log(f"^{said}SUM ", WITHIN, mark)
    rows = re.findall(
        rf"^{said}(\S+) +\d+ +\d+ +(\d+) +\d+ *$", "\n".join(machine.log.since(mark)), re.M
    )
    return Counter({who: int(count) for who, count in rows})


def level(second: bool, samples: int) -> None:
    """What the accounts of a VM/KB say of a file that its FTPSERVE takes and gives, and those of
    its host, if it is a second level."""
    file = second_level.FILE.model_copy(update={"bytes": 2 << 20, "id": "L2M_B"})
    world = World(second_level.TOD, 1)
    lan = WorldLan(world, "lan", "fast", 1)
    with tempfile.TemporaryDirectory() as name, on(WorldClock(world)), ExitStack() as stack:
        folder = Path(name)
        if second:
            machine = stack.enter_context(second_level.levels(folder, world, lan)).machine
            machine.operator("SEND SECOND XAUTOLOG TCPIP")
        else:
            second_level.volume(folder)
            clock = GuestClock(world, "vmkb", pace("2064-109"))
            lan.join("vmkb", clock, "lan")
            lines = [f"{number:04X} {LAN_CTC} lan" for number in (WRITE_DEVICE, READ_DEVICE)]
            machine = boot(
                load_guest("vmkb"), folder / "run", True, lines, second_level.WORDS, virtual=clock
            )
            stack.callback(machine.stop)
            machine.operator("XAUTOLOG TCPIP")
        machine.wait_log(FTP_READY, WITHIN)
        client = stack.enter_context(second_level.peer(folder / "peer", world, lan, file))
        of = "SECOND" if second else ""

        def reading() -> tuple[Counter[str], Counter[str]]:
            world.run(world.now + second_level.REST_S * PS)
            if not second:
                return executed(machine), Counter()
            virt, cp = used(machine, of)
            own, mark = executed(machine, of), machine.log.mark()
            machine.operator(f"INDICATE SIE {of}")
            machine.wait_log("^TOTAL", WITHIN, mark)
            causes = tallies(list(machine.log.since(mark)))
            events = {f"{cause} times": times for cause, (times, _) in causes.items()}
            cost = {f"{cause} instr": instr for cause, (_, instr) in causes.items()}
            return own, Counter({"VIRT": virt, "CP": cp, **events, **cost})

        def difference(line: str) -> tuple[Counter[str], Counter[str]]:
            before = reading()
            if line:
                second_level.play(client, line)
            after = reading()
            return after[0] - before[0], after[1] - before[1]

        for _ in range(samples):
            rest = difference("")
            for what, line in (
                ("put", f"{execs.SEED_NAME} {second_level.REACHED} I {file.source}"),
                ("get", f"{execs.NAME} {second_level.REACHED} GET I 1 {file.source} 0"),
            ):
                found = difference(line)
                for one, other in zip(found, rest, strict=True):
                    costs = {name: round((n - other[name]) / 2048, 2) for name, n in one.items()}
                    print(what, costs, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="IBM's experiments with VM/KB's CP.")
    parser.add_argument("what", choices=("fastccw", "vctc", "levels"))
    parser.add_argument("--samples", type=int, default=4)
    options = parser.parse_args()
    coupled.WITHIN = WITHIN
    if options.what == "levels":
        for second in (False, True):
            level(second, options.samples)
        return
    {"fastccw": fastccw, "vctc": vctc}[options.what](options.samples)
    name = {"fastccw": "zvm410_fastccw", "vctc": "zvm310_vctc"}[options.what]
    for row in published(name).rows:
        print("published: " + ", ".join(f"{column} {text}" for column, text in row.items()))


if __name__ == "__main__":
    main()
