# SPDX-License-Identifier: MIT
"""Console texts as a runner would get them, and results made from them."""

import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Item, Record
from vmkb.accounting.store import Store, Trial

META = {
    "workload": "ftp",
    "emulator": "hercules",
    "emulator_version": "3.13",
    "guest": "vmkb",
    "guest_image": "sha256:1234",
    "model": "2064-109",
    "wire": "token-ring-16",
    "mtu": "4000",
    "host": "testhost",
}
START = datetime(2026, 11, 21, 10, 0, 0)


def minutes(us: float) -> str:
    hundredths = round(us / 10_000)
    return f"{hundredths // 6000:03}:{hundredths // 100 % 60:02}.{hundredths % 100:02}"


def query_time(
    at: datetime,
    connect_s: int,
    virt_us: float,
    total_us: float,
    counts: tuple[int, int, int] | None = None,
    model: str = "2064-109",
    user: str = "",
) -> str:
    """QUERY TIME's text; COUNTS (total instructions, moved, summed) makes it (FULL."""
    c = f"{connect_s // 3600:02}:{connect_s // 60 % 60:02}:{connect_s % 60:02}"
    lines = [
        f"TIME IS {at:%H:%M:%S} GMT {at:%A}".upper() + f" {at:%m/%d/%y}",
        f"CONNECT= {c} VIRTCPU= {minutes(virt_us)} TOTCPU= {minutes(total_us)}",
    ]
    if counts:
        instr, moved, summed = counts
        lines += [
            f"VIRT {int(virt_us)} US {instr // 2} INSTR {moved // 2} MOVED {summed // 2} SUMMED",
            f"TOTAL {int(total_us)} US {instr} INSTR {moved} MOVED {summed} SUMMED",
            f"MODEL {model} CORRECTIONS 0" + (f" USER {user}" if user else ""),
        ]
    return "\n".join(lines) + "\n"


def parse(text: str, file: str = "console") -> list[Item]:
    return list(scan([text.encode()], file, keep_text=True))


def records_of(text: str) -> tuple[Record, ...]:
    return tuple(i for i in parse(text) if isinstance(i, Record))


def transfer_text(kb: int, seconds: float) -> str:
    rate = int(kb / seconds)
    return (
        f"{kb * 1024} bytes transferred in {seconds:.2f} seconds."
        f" Transfer rate {rate} Kbytes/sec.\n"
    )


def trial_text(
    kb: int, instr_kb: float, seconds: float, start: datetime = START, files: int = 4
) -> str:
    """A whole trial: QUERY TIME for both machines, transfers, QUERY TIME again."""
    text, mips = "", 156
    machines = {"TCPIP": instr_kb, "VMUSER1": instr_kb * 0.4}
    for when in (0, 1):
        at = start + timedelta(seconds=when * seconds)
        for user, per_kb in machines.items():
            instr = int(when * per_kb * kb) + 1000
            # The CPU timer at the emulator's speed: 200 MIPS.
            text += query_time(
                at, 100 + round(when * seconds), instr / mips / 2 + 5e6, instr / mips + 9e6,
                (instr, 10 * instr, instr), user=user,
            )  # fmt: skip
        if not when:
            text += "Ready; T=0.01/0.02 10:00:01\n"
            text += transfer_text(kb // files, seconds / files) * files
    return text


def make_results(
    path: Path,
    *,
    cases: Sequence[str] = ("G2M_B",),
    releases: Mapping[str, float] | None = None,
    trials: int = 5,
    spread: float = 0.001,
    seed: int = 1,
    **meta: str,
) -> Path:
    """A results directory: interleaved trials of CASES under RELEASES (name -> instr/KB)."""
    rng = random.Random(seed)
    store = Store(path)
    store.begin_run("r1", {**META, **meta}, at="2026-11-21T10:00:00")
    seq = 0
    for case in cases:
        for pair in range(1, trials + 1):
            for release, per_kb in (releases or {"2.1.3": 3000.0, "2.2.1": 2850.0}).items():
                seq += 1
                noise = 1 + spread * rng.uniform(-1, 1)
                trial = Trial(
                    id=f"{case}/{release}/{pair}", run="r1", case=case, release=release,
                    pair=pair, seq=seq, table="Get 2MB Files", mode="Binary",
                    run_id=f"{case}{release.replace('.', '')}"[:8],
                    parts={"TCPIP": "TCPIP", "VMUSER1": "VM Client"},
                    params={"direction": "get", "file": "2 MB", "mode": "binary",
                            "size": case.removeprefix("S") if case[0] == "S" else "2M"},
                    records=records_of(trial_text(102_400, per_kb * noise, 112 * noise)),
                )  # fmt: skip
                store.write_trial(trial)
    return path
