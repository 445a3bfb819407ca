# SPDX-License-Identifier: MIT
"""Transcripts of trials as the guest types them, from numbers, for tests."""

from __future__ import annotations

from vmkb.workloads.ftp.plan import Definition, Planned


def times(user: str, instr: int, moved: int, own: bool) -> list[str]:
    """One QUERY TIME (FULL answer."""
    tail = "" if own else f" USER {user.lstrip('*')}"
    us = instr // 156
    return [
        "TIME IS 08:14:50 UTC SATURDAY 11/21/26",
        f"CONNECT= 00:00:20 VIRTCPU= 000:00.{us // 10000:02d} TOTCPU= 000:00.{us // 10000:02d}",
        f"VIRT  {us:012d} US {instr:012d} INSTR {moved:012d} MOVED {0:012d} SUMMED",
        f"TOTAL {us:012d} US {instr:012d} INSTR {moved:012d} MOVED {0:012d} SUMMED",
        f"MODEL 2064-109 CORRECTIONS 0{tail}",
    ]


def acnt(
    accounted: int, elapsed: int, corrected: int = 0, used: dict[str, int] | None = None
) -> list[str]:
    """A QUERY ACNT answer in which each account of USED has so many instructions."""
    rows = [f"{u:8} {n // 200:14d} {n // 200:14d} {n:18d} {0:6d}" for u, n in (used or {}).items()]
    return [
        "USERID          VIRTUAL US          CP US       INSTRUCTIONS CORR'D",
        *rows,
        f"TOTAL {accounted - 500:17d} {500:14d} {1000000:18d} {corrected:6d}",
        f"SUM {accounted} US, ELAPSED {elapsed} US, DIFFERENCE {accounted - elapsed} US, 0.00%",
    ]


def tcp(sent: int, dropped: int = 0) -> list[str]:
    """TCP's line of NETSTAT COUNTERS."""
    return [
        f"TCP   SENT {sent} RECEIVED {sent} DROPPED {dropped} CHECKSUM 0 LENGTH 0 MEMORY 0 ROUTE 0"
    ]


def transfer(size: int, hundredths: int) -> list[str]:
    """FTP's message about one file."""
    rate = size * 100 // hundredths // 1024
    return [
        f"{size} bytes transferred in {hundredths / 100:.2f} seconds."
        f" Transfer rate {rate} Kbytes/sec."
    ]


def trial(
    workload: Definition,
    planned: Planned,
    instructions: dict[str, int],
    files: int | None = None,
    code: str = "0",
    elapsed: int = 2_000_000,
    accounted: int | None = None,
    others: int = 0,
) -> bytes:
    """A whole trial; INSTRUCTIONS is what each machine used between the samples."""
    size = workload.size[planned.case.size].bytes
    client = workload.client.user
    users = sorted(instructions, key=lambda u: u == client)
    before = dict.fromkeys([*users, "MAINT", "*IDLE"], 1_000_000)
    after = {u: n + instructions.get(u, 0) for u, n in before.items()}
    after["MAINT"] += others
    lines = [f"FTPTRIAL {planned.id}", *tcp(10), *acnt(1_000_000, 1_000_000, used=before)]
    for user in users:
        lines += times(user, 1_000_000, 5000, user == client)
    for _ in range(planned.files if files is None else files):
        lines += [">>>RETR X", *transfer(size, 100)]
    for user in reversed(users):
        lines += times(user, 1_000_000 + instructions[user], 9000, user == client)
    end = 1_000_000 + elapsed
    lines += acnt(end if accounted is None else 1_000_000 + accounted, end, used=after)
    lines += [*tcp(250), "MODEL 2064-109 OF HOST 2064-109", f"FTPTRIAL ENDED RC={code}"]
    shown = [f"{client:8}: {line}" for line in lines]
    shown.insert(3, "HHCTE007I 3270 device 0700 client 127.0.0.1 connection closed")
    return "".join(f"{line}\n" for line in shown).encode()
