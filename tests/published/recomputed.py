# SPDX-License-Identifier: MIT
"""python recomputed.py PAGE.md RUN.tar.xz: figures of a page once more, from the consoles' texts.

It imports nothing of the project and reads no results file. It says which rows differ (exit code
1), or how many agree. A figure agrees if it is the page's, rounded as that is.
"""

from __future__ import annotations

import json
import re
import sys
import tarfile
from collections.abc import Iterator
from statistics import fmean

# Instructions, bytes moved and bytes summed a millisecond of a 2064-109: accounting/machines.toml
RATES = 156_000, 3_076_923, 624_000
Texts = dict[str, str]
Row = tuple[tuple[str, ...], float]


def texts(archive: str) -> Texts:
    """The transcripts by name, without `.txt`; of others the last letters stay."""
    found = {}
    with tarfile.open(archive) as kept:
        for member in kept.getmembers():
            name = r".*/transcripts/(.+?)(?:\.txt|(?<=\.json)|(?<=\.jsonl))"
            if match := re.fullmatch(name, member.name):
                handle = kept.extractfile(member)
                assert handle is not None
                found[match[1]] = handle.read().decode()
    return found


def like(kept: Texts, pattern: str) -> list[str]:
    """The transcripts whose whole name fits PATTERN."""
    return [text for name, text in kept.items() if re.fullmatch(pattern, name)]


def rpc(kept: Texts) -> Iterator[Row]:
    """Microseconds, calls or megabytes a second of the calls beyond the few."""
    for way in ("2-way", "3-way"):
        for wait in ("Wait", "Cont", "Defer"):
            for kind, size in (("Unsolicited", 0), ("Unsol+Copy", 4096), ("Solicited", 8192)):
                for many in (False, True):
                    middle = f"_{kind}_{size}" if size else "_0"
                    number = "MANY" if many and wait != "Wait" else "ALONE"
                    head = f"{way}_{wait}{middle}_{number}1-".upper()
                    mine = [
                        t
                        for name, t in kept.items()
                        if re.fullmatch(f"{re.escape(head)}\\d+", name)
                    ]
                    us = fmean(each_call(text) for text in mine)
                    unit = "us" if not many else "MB/s" if size else "msgs/s"
                    value = us if not many else (size or 1e6) / us
                    yield (way, wait, kind, f"{size} B, {unit}"), value


def each_call(text: str) -> float:
    """Microseconds of a call: what many took longer than few."""
    said = re.findall(r"GMS CALLS (\d+) OF \d+ BYTES BY \d+ IN (\d+) US FAILED 0", text)
    (few, short), (many, long) = [(int(n), int(us)) for n, us in said]
    return (long - short) / (many - few)


def line(kept: Texts) -> Iterator[Row]:
    """Bytes a second of the transfers that stand for the post's, in its order."""
    nis, merit = (
        ("NIS.NSF.NET", "IBM 4381P02 VM/HPO-5 FAL 1.2.1"),
        ("MERIT.EDU", "Sun 3/150 SunOS 3.5"),
    )
    for k, printed in enumerate((320, 353, 299, 382), start=1):
        yield (*nis, "9600", str(printed)), speed(kept[f"96NFAL-{k}"])
    for k, printed in enumerate((54, 49), start=1):
        yield (*nis, "1200", str(printed)), speed(kept[f"12NFAL-{k}"])
    for k, printed in enumerate((77, 85), start=1):
        yield (*merit, "1200", str(printed)), speed(kept[f"12NB42-{k}"])
    yield ("TERMINATOR.CC.UMICH.EDU", "Sun-3/160", "1200", "92"), speed(kept["12NTAH-1"])
    yield ("THUMPER.BELLCORE.COM", "Sun 4/490 SunOS 4.1", "1200", "84"), speed(kept["12NTAH-2"])
    for k, printed in enumerate((73, 78, 74, 76), start=1):
        yield ("NIC.DDN.MIL", "DEC 2060 TOPS-20", "1200", str(printed)), speed(kept[f"12PRFC-{k}"])


def speed(text: str) -> float:
    """Bytes a second of the one transfer."""
    ((size, seconds),) = re.findall(r"(\d+) bytes transferred in ([\d.]+) seconds", text)
    return int(size) / float(seconds)


def ftp(kept: Texts) -> Iterator[Row]:
    """Milliseconds of TCPIP and the client a KB by instructions, and ratios of two releases."""
    for case, key in (("G2M_A", ("get", "2MB", "ascii")), ("G2M_B", ("get", "2MB", "binary")),
                      ("P24KB", ("put", "24KB", "binary"))):  # fmt: skip
        old, new = (
            [t for n, t in kept.items() if re.fullmatch(f"{case}{r}-[1-9]\\d*", n)]
            for r in (213, 221)
        )
        for release, mine in (("320", old), ("3A0", new)):
            for user, figure in (("TCPIP", "TCPIP CPU/KB (msec)"), ("", "VM Client CPU/KB")):
                yield (*key, release, figure), fmean(cost(text, user) for text in mine)
            rate = fmean(connected(text) for text in mine)
            yield (*key, release, "Rate (KB/sec), by the data connection"), rate
        base, other = (fmean(cost(t, "TCPIP") + cost(t, "") for t in x) for x in (old, new))
        yield (*key, "3A0", "ratio: Total CPU/KB"), other / base


def connected(text: str) -> float:
    """KB a second while data connections were open."""
    ((size, us),) = re.findall(r"FTP DATA \d+ CONNECTIONS (\d+) BYTES IN (\d+) US", text)
    return int(size) / 1024 / (int(us) / 1e6)


def cost(text: str, user: str) -> float:
    """Milliseconds a KB of USER between its two answers; nobody is named for who asks itself."""
    told = re.findall(
        r"TOTAL +\d+ US +(\d+) INSTR +(\d+) MOVED +(\d+) SUMMED\n"
        r".*?COUNTER EXACT(?: USER (\S+))?\n",
        text,
    )
    before, after = (
        sum(int(n) / rate for n, rate in zip(counts, RATES, strict=True))
        for *counts, who in told
        if who == user
    )
    moved = sum(int(n) for n in re.findall(r"(\d+) bytes transferred in", text))
    return (after - before) / (moved / 1024)


def dxu(kept: Texts) -> Iterator[Row]:
    """KB a second by FTP's and RXPERF's lines, seconds by the workstations' clocks, percent and I/O
    a second by the monitor."""
    yield (
        ("AIX/370 loopback FTP", "4100"),
        fmean(ftp_speed(t) for t in like(kept, r"LOOP-213-\d\.lisa")),
    )
    for test, name in (("Two AIX/370 guests", "GG"), ("Two AIX/370 guests, 11 MB", "GG11M")):
        mine = like(kept, rf"{name}-213-\d\.lisa")
        yield (test, "1400"), fmean(map(ftp_speed, mine))
    for size, count, name in (("1.5 K", 1536, "RX1.5K"), ("96 K", 98304, "RX96K")):
        for mtu, suffix in (("4144", ""), ("32767", ".L")):
            mine = like(kept, rf"{re.escape(name + suffix)}-213-\d")
            each = [
                1000 * float(s) / int(n)
                for t in mine
                for n, s in re.findall(r"RXPERF: (\d+) WRITE .* in ([\d.]+) seconds", t)
            ]
            yield (size, f"MTU {mtu}, s of 1000 writes"), fmean(each)
            yield (size, f"MTU {mtu}, KB/s"), fmean(count / 1.024 / s for s in each)
    for place, suffix in (("cache", ""), ("disk", ".DSK")):
        for megabytes in (1, 10):
            (took,) = {
                fmean(
                    json.loads(t)["seconds"]["maggie"]
                    for t in like(
                        kept, rf"AFS{megabytes}M1{re.escape(suffix)}-213-\d\.fetches.jsonl"
                    )
                )
            }
            yield (f"{megabytes} MB", "1", "maggie", f"s, from the {place}"), took
        (log,) = like(kept, rf"AFS10M2{re.escape(suffix)}-213-M1\.lisa-monitor")
        (meter,) = like(kept, rf"AFS10M2{re.escape(suffix)}-213-M1\.lisa-meter")
        cpu, io = inner(log, meter)
        yield ("10 MB", "2", "totals", f"LISA CPU %, from the {place}"), cpu
        yield ("10 MB", "2", "totals", f"LISA IO/s, from the {place}"), io
    for way, name in (("DXU", "LOAD"), ("BTI ELC2", "LOAD.ELC2")):
        (said,) = like(kept, rf"{re.escape(name)}-213-1\.fetches.jsonl")
        seconds = json.loads(said)["seconds"]
        yield ("average", f"s, over the {way}"), fmean(seconds.values())
        yield ("pumper", f"s, over the {way}"), seconds["pumper"]


def terminal(kept: Texts) -> Iterator[Row]:
    """Percent of machines and interruptions, packets and KB a second of a terminal's TYPE, and the
    part of a job beside one."""
    for path, name, user, far in (
        ("TELNET", "TELNET", "TERM01", ""), ("TELNET", "TELNETCMU", "TERM02", ", TELNET CMU"),
        ("SET HOST", "SETHOST", "TERM03", None), ("LAT", "LAT", "TERM04", None),
    ):  # fmt: skip
        mine = [f"{name}221-T{n}" for n in range(1, 10)]
        sure = {trial: half_seconds(kept, trial) for trial in mine}
        for node in ("CLE750", "LNS53") if far is not None else ("CLE750",):
            busy = [interrupt(kept[f"{t}.{node}-meter"]) / 1e4 / sure[t] for t in mine]
            yield (path, node, f"interrupt %{far or ''}"), fmean(busy)
        if far is None:
            continue
        for what, machine in (("TELNET", "TELNETD"), ("IP_ACP (TCPIP)", "TCPIP"),
                              ("TYPE", user)):  # fmt: skip
            part = [used(kept[f"{t}.CLE750-meter"], machine) / 1e4 / sure[t] for t in mine]
            yield (path, "CLE750", f"{what} %{far}"), fmean(part)
        how = "TELNET CMU" if far else "TELNET of VM/KB"
        lan = {trial: crossed(kept[f"{trial}.wire.jsonl"]) for trial in mine}
        yield (
            (path, "an Ethernet packet's bytes, on the average", how),
            fmean(size / frames for frames, size in lan.values()),
        )
        yield (
            (path, "what Ethernet use rose by, KB/s", how),
            fmean(lan[t][1] / 1024 / sure[t] for t in mine),
        )
    meter = kept["SETHOST221-J1.LNS53-meter"]
    every = {who: used(meter, who) for who in ("JOB", "TELNETD", "TCPIP", "TERM03", "SYSTEM")}
    yield ("SET HOST", "> 75"), 100 * every["JOB"] / sum(every.values())


def half_seconds(kept: Texts, trial: str) -> float:
    """A trial's time: half seconds, up to the one in which its terminal's last character came."""
    (shown,) = json.loads(kept[f"{trial}.terminals.json"])
    (rate,) = json.loads(kept[f"{trial}.terminals.jsonl"])["rates"]
    return float(-(-len(shown) / rate // 0.5) * 0.5)


def used(meter: str, machine: str) -> int:
    """Microseconds of a MACHINE between its two answers."""
    said = re.findall(rf"TOTAL +(\d+) US .*\n.*COUNTER EXACT USER {machine}\n", meter)
    before, after = map(int, said)
    return after - before


def interrupt(meter: str) -> int:
    """Microseconds of CP in interruptions between its two answers."""
    before, after = map(int, re.findall(r"INTR +(\d+) US", meter))
    return after - before


def crossed(reading: str) -> tuple[int, int]:
    """Frames and bytes that came into the LAN between two readings of its counters."""
    said = json.loads(reading)
    frames, size = (
        sum(port[what] - said["before"].get(name, {what: 0})[what]
            for name, port in said["after"].items() if not name.startswith("OTHER"))
        for what in ("frames_in", "bytes_in")
    )  # fmt: skip
    return frames, size


def ftp_speed(text: str) -> float:
    """KB a second of all transfers; FTP prints whole KB a second, rounded down."""
    moved = [
        (int(size) / 1024, int(rate) + 0.5)
        for size, rate in re.findall(r"(\d+) bytes transferred in .* rate (\d+) Kbytes", text)
    ]
    return sum(size for size, _ in moved) / sum(size / rate for size, rate in moved)


def inner(log: str, meter: str) -> tuple[float, float]:
    """CPU and I/O a second of RTMSF's intervals that began after METER's accounts before the work;
    clocks are cut to seconds."""
    clocks = re.findall(r"TIME IS \d\d:\d\d:(\d\d)", meter)
    begun = int(clocks[len(clocks) // 2 - 1])
    said = re.findall(r"RTMSF SYSTEM \S+ \d\d:\d\d:(\d\d) .* CPU=([\d.]+) .* IO=([\d.]+) ", log)
    kept = [(float(cpu), float(io)) for clock, cpu, io in said if int(clock) - 1 > begun]
    return fmean(cpu for cpu, _ in kept), fmean(io for _, io in kept)


def printed(page: str, keys: tuple[str, ...]) -> str:
    """Ours in the page's row that has all KEYS, without its letters."""
    rows = [
        [re.sub(r"\\(.)", r"\1", c).strip() for c in row.strip("|").split("|")]
        for row in page.splitlines()
        if row[:1] == "|"
    ]
    found, at = [], 0
    for row in rows:
        if "ours" in row:
            at = row.index("ours")
        elif set(keys) <= set(row):
            found.append(row[at])
    if len(found) != 1:
        raise SystemExit(f"{len(found)} rows of the page have {keys}")
    return found[0].split(" ")[0]


def main() -> int:
    page, archive = sys.argv[1:]
    with open(page, encoding="utf-8") as handle:
        text = handle.read()
    name = re.search(r"^# (\w+), as published", text, re.MULTILINE)
    assert name is not None
    rows = list(
        {"rpc": rpc, "line": line, "ftp": ftp, "dxu": dxu, "terminal": terminal}[name[1]](
            texts(archive)
        )
    )
    wrong = 0
    for keys, value in rows:
        ours = printed(text, keys)
        places = len(ours.partition(".")[2])
        if abs(float(ours) - value) > 0.5001 * 10**-places:
            print(f"{' '.join(keys)}: the page has {ours}, the transcripts {value:.6g}")
            wrong += 1
    print(f"{len(rows) - wrong} of {len(rows)} rows agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
