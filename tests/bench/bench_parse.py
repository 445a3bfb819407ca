# SPDX-License-Identifier: MIT
"""How fast vmkb parse reads, beside plain ply, lark, RE2, re and awk, all in one run.

    python tests/bench/bench_parse.py [--mb N] [--huge GB]

Every figure is the best of several passes, in MB (10^6 bytes) a second: of CPU time for one
core, so that a busy machine changes little, of wall time for many.  The last column is the
ratio to vmkb's own figure on the same bytes.  --huge also writes a log
of that size to a temporary file and measures memory.  A comparison that is not installed
is said and left out.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from vmkb.accounting.grammar.families import hints
from vmkb.accounting.input.listing import make
from vmkb.accounting.input.parallel import scan_parallel
from vmkb.accounting.input.scan import scan

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.plain_ply_rules import plain_ply

LINE = "CONNECT= 00:31:03 VIRTCPU= 000:59.44 TOTCPU= 003:05.67"
RECORD = (
    r"CONNECT= *(\d+):(\d\d):(\d\d) +VIRTCPU= *(\d+):(\d\d)\.(\d\d) +TOTCPU= *(\d+):(\d\d)\.(\d\d)"
)
MIXED = [
    LINE,
    "TIME IS 16:45:28 EDT  FRIDAY 2025-05-30",
    "Ready; T=0.01/0.01 21:48:26",
    "2097152 bytes transferred in 1.65 seconds. Transfer rate 1241 Kbytes/sec.",
    "LOGOFF AT 21:48:27 GMT MONDAY 08/17/26",
    "CPU-012% APU-003% Q1-01 Q2-02 STORAGE-034% RATIO-01.0",
    "LCLEF02  - DSC , LTROTH1  - DSC , LSTAGE1  - DSC",
]
TEXT = [
    "DMKLOG050E PASSWORD INCORRECT - REINITIATE LOGON PROCEDURE",
    "FILENAME FILETYPE FM FORMAT LRECL       RECS     BLOCKS     DATE     TIME",
    "PROFILE  EXEC     A1 V         71         18          1  4/12/26 10:22:31",
    "TCPIP    FTPSERVE opened connection to 10.1.2.3 port 1042",
    "GRAF 0700 DSCONNECT VMUSER1  USERS = 006   OPERATOR",
    "DASD 0190 3380 CMS190 R/O        107 CYL",
    "#CP QUERY TIME",
    "",
    "RDR FILE 0123 SENT FROM RSCS     PUN WAS 0044 RECS 0018 CPY  001 A NOHOLD NOKEEP",
    "the quick brown fox jumps over the lazy dog and types the rest of the line",
]
CHUNK = 1 << 20


def sparse(size: int) -> bytes:
    """A console log with one record in 200 lines."""
    rng = random.Random(1)
    lines: list[str] = []
    total = 0
    while total < size:
        line = rng.choice(MIXED) if len(lines) % 200 == 0 else rng.choice(TEXT)
        lines.append(line)
        total += len(line) + 1
    return ("\n".join(lines) + "\n").encode()


def ordinary(size: int) -> bytes:
    """Console text without a record."""
    rng = random.Random(2)
    return dense(size, [rng.choice(TEXT) for _ in range(20_000)])


def documents(size: int) -> bytes:
    """This project's documents and C sources, again and again; a few lines of them are records."""
    root = Path(__file__).resolve().parents[2]
    paths = [*sorted((root / "docs").rglob("*.md")), *sorted((root / "guests").rglob("*.c"))]
    return dense(size, ["\n".join(path.read_text("utf-8") for path in paths)])


def dense(size: int, lines: list[str]) -> bytes:
    block = "\n".join(lines) + "\n"
    return block.encode() * (size // len(block) + 1)


def cpu_time() -> float:
    """CPU seconds of this process and of its children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def best(
    work: Callable[[], object], passes: int = 5, clock: Callable[[], float] = time.process_time
) -> float:
    """Seconds of the fastest pass, on CLOCK."""
    times = []
    for _ in range(passes):
        begin = clock()
        work()
        times.append(clock() - begin)
    return max(min(times), 0.001)


def ours(data: bytes) -> int:
    return sum(1 for _ in scan(data[at : at + CHUNK] for at in range(0, len(data), CHUNK)))


def lark_parser() -> Any:
    from lark import Lark

    grammar = r"""
        start: CONNECT VIRTCPU TOTCPU
        CONNECT: /CONNECT= *\d+:\d\d:\d\d/
        VIRTCPU: /VIRTCPU= *\d+:\d\d\.\d\d/
        TOTCPU: /TOTCPU= *\d+:\d\d\.\d\d/
        %ignore " "
    """
    return Lark(grammar, parser="lalr")


def with_lark(parse: Callable[[str], object], lines: list[str]) -> int:
    from lark.exceptions import LarkError

    found = 0
    for line in lines:
        try:
            parse(line)
            found += 1
        except LarkError:
            pass
    return found


def with_re(pattern: re.Pattern[bytes], data: bytes) -> int:
    return sum(1 for _ in pattern.finditer(data))


def awk(path: Path) -> Callable[[], object]:
    program = r"/^CONNECT= *[0-9]+:/ { n++ } END { print n }"
    return partial(subprocess.run, ["mawk", program, str(path)], stdout=subprocess.DEVNULL)


def parallel(path: Path, jobs: int, to: str) -> int:
    return sum(
        sum(part.kinds.values()) for part in scan_parallel(path, partial(make, to=to), jobs=jobs)
    )


def show(what: str, size: int, seconds: float, base: float) -> float:
    rate = size / seconds / 1e6
    print(f"  {what:<52} {rate:9.1f}   {rate / base if base else 1:8.3f}", flush=True)
    return rate


def one_core(title: str, data: bytes, path: Path, slow_size: int) -> None:
    """vmkb and the others on DATA; those under 10 MB/s get SLOW_SIZE bytes of it."""
    path.write_bytes(data)
    part = data[: data.rfind(b"\n", 0, slow_size)]
    lines = part.decode().split("\n")
    print(f"\n{title}: {len(data) / 1e6:.0f} MB{'':30} MB/s    ratio")
    base = show("vmkb, all families, one core", len(data), best(lambda: ours(data)), 0)
    show("ply alone, one rule, every line", len(part), best(lambda: plain_ply(lines), 3), base)
    try:
        parse = lark_parser().parse
        show("lark (LALR), one rule, every line", len(part),
             best(lambda: with_lark(parse, lines), 3), base)  # fmt: skip
    except ImportError:
        print("  lark is not installed")
    show("RE2 alone, vmkb's hints of all families", len(data),
         best(lambda: sum(1 for _ in hints().finditer(data))), base)  # fmt: skip
    eight = re.compile(rb"(?m)^(?:CONNECT=|TIME IS|LOGON AT|LOGOFF AT|Ready|R;|CPU-|AVGPROC)[^\n]*")
    show("re, eight prefixes, lines only", len(data), best(lambda: with_re(eight, data)), base)
    one = re.compile(rb"(?m)^" + RECORD.encode())
    show("re, the one pattern, anchored", len(data), best(lambda: with_re(one, data)), base)
    if shutil.which("mawk"):
        show("mawk, the one pattern, lines only", len(data), best(awk(path), 3, cpu_time), base)
    else:
        print("  mawk is not installed")


def many_cores(title: str, path: Path) -> None:
    size, cores = path.stat().st_size, os.cpu_count() or 1
    print(f"\n{title}, read, parsed and written as CSV: {size / 1e6:.0f} MB{'':10} MB/s    ratio")
    base = 0.0
    for jobs in dict.fromkeys((1, cores)):
        begin = cpu_time()
        seconds = best(partial(parallel, path, jobs, "csv"), 3, time.perf_counter)
        spent = (cpu_time() - begin) / 3
        what = f"{jobs} process{'es' * (jobs > 1)}, {spent:.2f} s of CPU in all"
        rate = show(what, size, seconds, base)
        base = base or rate


def kinds(path: Path, size: int) -> None:
    """What a CPU-second reads of each kind of text, as `vmkb parse --to csv` does it."""
    jobs = os.cpu_count() or 1
    print(f"\nRead, parsed and written as CSV by {jobs} processes{'':9} MB/CPU-s    ratio")
    base = 0.0
    for title, data in (
        ("console text without a record", ordinary(size * 4)),
        ("documents and C sources", documents(size * 4)),
        ("one record in 200 lines", sparse(size * 4)),
        ("records only, CONNECT lines", dense(size // 4, [LINE])),
        ("records only, seven families", dense(size // 4, MIXED)),
    ):
        path.write_bytes(data)
        seconds = best(lambda: parallel(path, jobs, "csv"), 3, cpu_time)
        rate = show(title, len(data), seconds, base)
        base = base or rate


def small() -> None:
    path = Path(tempfile.mkstemp(suffix=".log")[1])
    path.write_text("\n".join(MIXED))
    command = [sys.executable, "-m", "vmkb.workloads.cli.parse", str(path)]
    seconds = best(
        lambda: subprocess.run(command, capture_output=True, check=True), 7, time.perf_counter
    )
    path.unlink()
    print(f"\nvmkb parse on a small file, whole process: {seconds:.3f} s")


def huge(gigabytes: float, folder: Path) -> None:
    """Peak memory of the command and its processes on a log of that many GB."""
    import psutil

    path = folder / "huge.log"
    block = sparse(64_000_000)
    with path.open("wb") as out:
        for _ in range(int(gigabytes * 1e9 / len(block)) + 1):
            out.write(block)
    command = [
        sys.executable,
        "-m",
        "vmkb.workloads.cli.parse",
        str(path),
        "--to",
        "csv",
        "--progress",
    ]
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    watched, peak = psutil.Process(process.pid), 0
    while process.poll() is None:
        try:
            family = [watched, *watched.children(recursive=True)]
            peak = max(peak, sum(one.memory_full_info().pss for one in family))
        except psutil.Error:
            pass
        time.sleep(0.2)
    seconds = time.perf_counter() - begin
    size = path.stat().st_size
    print(
        f"\n{size / 1e9:.2f} GB through the command: {seconds:.1f} s,"
        f" {size / seconds / 1e6:.0f} MB/s, peak {peak / 1e6:.0f} MB in all its processes"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--mb", type=float, default=32, help="size of the logs")
    options.add_argument("--huge", type=float, default=0, metavar="GB")
    given = options.parse_args()
    size = int(given.mb * 1e6)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, Python {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        one_core("Console text without a record", ordinary(size), path, 2_000_000)
        one_core("One record in 200 lines", sparse(size), path, 2_000_000)
        one_core("Records only, CONNECT lines", dense(size // 4, [LINE]), path, 2_000_000)
        one_core("Records only, seven families", dense(size // 4, MIXED), path, 2_000_000)
        kinds(path, size)
        path.write_bytes(sparse(size * 8))
        many_cores("One record in 200 lines", path)
        path.write_bytes(dense(size, [LINE]))
        many_cores("Records only", path)
        small()
        if given.huge:
            huge(given.huge, Path(folder))


if __name__ == "__main__":
    main()
