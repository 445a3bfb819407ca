# SPDX-License-Identifier: MIT
"""What one more file costs each machine of both guests, by layer and function:
python tests/bench/bench_files.py FOLDER [--case ID,ID] [--mtu N] [--release 221] [--top N].

Each case of the FTP workload is run with a few files and with many; the difference over the number
of files is what one costs, without what is done once. The emulator counts every instruction by
address, so other work on this computer changes nothing but where a block of frames ends: 0.5 %.
Server and client each have VM/KB with CP's work for its machines included; the last row of each is
CP's own. The files that a put replaces are deleted before: that is not counted. It takes a minute.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from vmkb.accounting.profile import counts  # noqa: E402
from vmkb.accounting.profile.layers import layer_of, parse  # noqa: E402
from vmkb.errors import UsageError  # noqa: E402
from vmkb.guests.base import LAYERS, Contents, Running, driver  # noqa: E402
from vmkb.guests.contents import Text  # noqa: E402
from vmkb.hercules.emulator.choice import choose, profiling  # noqa: E402
from vmkb.hercules.guest import load_guest  # noqa: E402
from vmkb.workloads.base import transfers  # noqa: E402
from vmkb.workloads.base.guest import OPERATOR, procedure  # noqa: E402
from vmkb.workloads.base.lab import Lab  # noqa: E402
from vmkb.workloads.base.profile import kept as profiles  # noqa: E402
from vmkb.workloads.base.progress import Progress  # noqa: E402
from vmkb.workloads.base.results import TRANSCRIPTS  # noqa: E402
from vmkb.workloads.base.settings import Asked  # noqa: E402
from vmkb.workloads.base.workload import Stage  # noqa: E402
from vmkb.workloads.ftp import execs  # noqa: E402
from vmkb.workloads.ftp.workload import FtpBench, Workload  # noqa: E402

FILES = {"24KB": (6, 42), "2MB": (1, 3)}
SERVING = ("TCPIP", "FTPSERVE", "SYSTEM")
WIRE = "fast"
CLEAR = "FTPCLEAR"
Key = tuple[str, str, str]
"""Case, side and machine."""


def in_two(contents: Contents, user: str) -> Contents:
    """The procedure of a trial in two: what clears the files of the one before is its own."""
    files = {(name, "EXEC"): Text(text) for name, text in procedures().items()}
    return replace(contents, files={user: {**contents.files[user], **files}})


def procedures() -> dict[str, str]:
    """FTPTRIAL, which clears in the warm-up alone, and the clearing, which takes the same words."""
    warm = f"if pos('X', id) = 0 then do\n{transfers.CLEAR}\nend"
    whole = {"clear": warm, "logon": transfers.LOGON, "run": transfers.RUN}
    trial = execs.EXEC.format(**whole, ended=transfers.ended(execs.DONE))
    head = "".join(trial.splitlines(keepends=True)[:4])
    clear = f"{head}{transfers.CLEAR}\ncode = 0\n{transfers.ended(execs.DONE)}\n"
    return {execs.NAME: trial, CLEAR: clear.replace(f"'{execs.NAME}'", f"'{CLEAR}'")}


def clear(bench: FtpBench, trial: Any) -> None:
    """The files that a trial is to make are there no more."""
    client = bench.definition.client
    words = execs.command(bench.definition, trial, 1).split()
    lines = procedure(
        bench.measured(trial), client.user, client.password, " ".join([CLEAR, *words[1:]]),
        execs.DONE, 60.0, "the files to be deleted",
    )  # fmt: skip
    assert list(lines)[-1].endswith(f"{execs.DONE}0")


def sample(server: Running) -> None:
    """The emulator keeps what it has counted for the serving guest's machines."""
    session = server.logon(OPERATOR, OPERATOR)
    for machine in SERVING:
        session.cp(f"QUERY TIME {machine} (FULL")
    server.leave()


def counted(running: Running, since: int) -> dict[str, Counter[int]]:
    """By machine: what was counted between its samples behind SINCE, by address."""
    with (running.folder / profiles.COUNTS).open("rb") as file:
        head = file.read(counts.HEAD_BYTES)
        file.seek(max(since, counts.HEAD_BYTES))
        samples = counts.read(head + file.read())
    found: dict[str, Counter[int]] = {}
    for one in samples:
        if one.userid not in found:
            found[one.userid] = Counter()  # it begins the interval
        else:
            found[one.userid].update(one.counts)
    return found


def measure(
    folder: Path, cases: tuple[str, ...], mtu: int, release: str
) -> dict[Key, Counter[int]]:
    """Instructions of all further files, by address."""
    workload = Workload()
    workload.definition = workload.definition.model_copy(update={"mtu": mtu})
    asked = Asked(trials=1, builds=1, releases=release, cases=cases, wire=WIRE, profile=True)
    settings = workload.settings(asked)
    guest, volume = load_guest("vmkb"), folder / "volume.fba"
    (folder / TRANSCRIPTS).mkdir(parents=True, exist_ok=True)
    contents = in_two(workload.contents(driver(guest)), workload.definition.client.user)
    driver(guest).prepare(contents, volume)
    profiles.keep_programs(guest, folder, 1)
    plan, progress = workload.plan(settings), Progress()
    cost: dict[Key, Counter[int]] = {}
    with Lab(guest, folder / "guests", volume, WIRE, profiling(choose())) as lab:
        stage = Stage(lab, settings, folder, plan, progress)
        with closing(workload.begin(stage)) as bench:
            for planned in plan:
                few, many = FILES[planned.case.size]
                for files, sign in ((few, -1), (many, 1)):
                    trial = planned.model_copy(
                        update={"files": files, "id": f"{planned.id}x{files}"}
                    )
                    for side, found in both(bench, trial, progress):
                        for machine, by_address in found.items():
                            sums = cost.setdefault((planned.case.id, side, machine), Counter())
                            for address, count in by_address.items():
                                sums[address] += sign * count
    volume.unlink()
    return cost


def both(bench: FtpBench, trial: Any, progress: Any) -> list[tuple[str, dict[str, Counter[int]]]]:
    """What a trial cost the client's guest and the server's."""
    client, server = bench.measured(trial), bench._server
    clear(bench, trial)
    since = profiles.mark(client.folder), profiles.mark(server.folder)
    sample(server)
    for outcome in bench.trial(trial, progress):
        assert not outcome.broken and not outcome.doubts, (outcome.broken, outcome.doubts)
    sample(server)
    return [("client", counted(client, since[0])), ("server", counted(server, since[1]))]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="for results: a new one")
    parser.add_argument("--case", default="G24KB,P24KB,G2M_B,P2M_B")
    parser.add_argument("--mtu", type=int, default=4000)
    parser.add_argument("--release", default="221")
    parser.add_argument("--top", type=int, default=12, help="functions of each machine")
    asked = parser.parse_args()
    try:
        cost = measure(asked.folder, tuple(asked.case.split(",")), asked.mtu, asked.release)
    except UsageError as error:
        parser.error(str(error))
    names = profiles.places(asked.folder, 1, {a for sums in cost.values() for a in sums})
    file = asked.folder / profiles.FOLDER / LAYERS
    layers = parse(file.read_text("utf-8"), str(file))
    for (case, side, machine), sums in cost.items():
        by_layer: Counter[str] = Counter()
        by_function: Counter[str] = Counter()
        for address, count in sums.items():
            frame = names[address].frame
            by_layer[layer_of(layers, frame)] += count
            by_function[f"{frame.file}:{frame.function}"] += count
        few, many = FILES["24KB" if "24K" in case else "2MB"]
        more = many - few
        print(f"{case} MTU {asked.mtu}, {side}'s {machine}: {sums.total() / more:.0f} a file")
        print("  " + ", ".join(f"{name} {n / more:.0f}" for name, n in by_layer.most_common()))
        for name, n in by_function.most_common(asked.top):
            print(f"  {n / more:9.0f} {name}")


if __name__ == "__main__":
    main()
