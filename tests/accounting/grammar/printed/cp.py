# SPDX-License-Identifier: MIT
"""What CP and CMS of VM/370 and z/VM print."""

from __future__ import annotations

from tests.accounting.grammar.printed.parts import hms, numbers
from vmkb.accounting.grammar.stamps import _WORDS
from vmkb.accounting.grammar.times import fixed
from vmkb.accounting.grammar.users import _SPOOL
from vmkb.accounting.records import Record, Value


def stamps(record: Record) -> str:
    """RECORD as VM/370 prints it (IDENTIFY in the columns of the capture)."""
    at = hms(int(record.value("clock").value))
    iso = record.word("date")
    day = f"{iso[5:7]}/{iso[8:]}/{iso[2:4]}" if "1970" <= iso[:4] < "2070" else iso
    zone, weekday = record.word("zone"), record.word("weekday")
    if record.kind == "identify":
        user, node, rscs = (record.word(name) for name in ("userid", "node", "rscs"))
        return f"{user:<8} AT {node:<8} VIA {rscs:<8} {at} {day} {zone:<8} {weekday}"
    return f"{_WORDS[record.kind]} {at} {zone} {weekday} {day}"


def ready(record: Record) -> str:
    """RECORD as CMS prints it."""
    code = int(record.value("rc").value)
    digits = f"({code:05})" if code else ""
    line = ("Ready" if record.word("form") == "long" else "R") + digits + ";"
    if "totcpu" in record.fields:
        virt, tot = (int(record.value(n).value) // 10_000 for n in ("virtcpu", "totcpu"))
        line += f" T={virt // 100}.{virt % 100:02}/{tot // 100}.{tot % 100:02}"
    if "clock" in record.fields:
        line += " " + hms(int(record.value("clock").value))
    return line


def users(record: Record) -> str:
    """RECORD in z/VM's layout; VM/370's form of USERS if NET is not in it."""
    if record.kind == "names":
        rows = record.fields["users"]
        assert isinstance(rows, tuple) and not isinstance(rows, Value)
        return ", ".join(f"{user:<8} - {terminal:<4}" for user, terminal in rows)
    if record.kind == "auto_logon":
        by = f"  BY  {record.word('by')}" if "by" in record.fields else ""
        many = int(record.value("users").value)
        return f"AUTO LOGON   ***   {record.word('userid'):<8} USERS = {many:03}{by}"
    if record.kind == "files":
        parts = [
            f"{int(record.value(name).value) or 'NO':>4} {word}" for word, name in _SPOOL.items()
        ]
        return f"FILES: {', '.join(parts)}"
    counts = {name: int(record.value(name).value) for name in record.fields}
    if "net" in counts:
        return f"{counts['users']:6} USERS, {counts['dialed']:6} DIALED, {counts['net']:6} NET"
    return f"{counts['users']:03} USERS, {counts['dialed']:03} DIALED"


def indicate_load(record: Record) -> str:
    """RECORD in the form of the system that it came from: z/VM if it has engines."""
    number = {name: v.value for name, v in record.fields.items() if isinstance(v, Value)}
    if "engines" not in number:
        words = [f"CPU-{number['cpu']:03}%"]
        if "apu" in number:
            words.append(f"APU-{number['apu']:03}%")
        words += [f"Q1-{number['q1']:02}", f"Q2-{number['q2']:02}"]
        ratio = fixed(str(number["ratio"]), 10)
        words += [f"STORAGE-{number['storage']:03}%", f"RATIO-{ratio // 10:02}.{ratio % 10}"]
        return " ".join(words)
    return "\n".join(
        (
            f"AVGPROC-{number['cpu']:03}% {number['engines']:04}",
            f"MDC READS-{number['mdc_reads']:06}/SEC WRITES-{number['mdc_writes']:06}/SEC"
            f" HIT RATIO-{number['mdc_hit']:03}%",
            f"PAGING-{number['paging']}/SEC",
            f"Q0-{number['q0']:05} Q1-{number['q1']:05}           Q2-{number['q2']:05}"
            f" EXPAN-{number['q2_expan']:03} Q3-{number['q3']:05} EXPAN-{number['q3_expan']:03}",
        )
    )


def indicate_user(record: Record) -> str:
    """RECORD in the form of the system that it came from: z/VM if it names the user."""
    number = numbers(record)
    seconds = {n: number[n] // 1_000_000 for n in ("vtime", "ttime")}
    vtime, ttime = (f"{s // 60:03}:{s % 60:02}" for s in seconds.values())
    if "userid" not in record.fields:
        return (
            f"PAGES: RES-{number['resident']:04} WS-{number['wss']:04} READS={number['reads']:06}"
            f" WRITES={number['writes']:06} DISK-{number['disk']:04} DRUM-{number['drum']:04}\n"
            f"VTIME={vtime} TTIME={ttime} SIO={number['sio']:06} RDR-{number['reader']:06}"
            f" PRT-{number['printer']:06} PCH-{number['punch']:06}"
        )
    minutes = number["connect"] // 60_000_000
    return (
        f"USERID={record.word('userid')} MACH={record.word('machine')}"
        f" STOR={record.word('defined')} VIRT={record.word('virtual')}"
        f" XSTORE={record.word('expanded')}\n"
        f"IPLSYS={record.word('ipl')} DEVNUM={number['devices']:05}\n"
        f"PAGES: RES={number['resident']}  WS={number['wss']}  LOCKEDREAL={number['locked']}"
        f"  RESVD={number['reserved']}\n"
        f"NPREF={number['not_preferred']}  PREF={number['preferred']}"
        f"  READS={number['reads']}  WRITES={number['writes']}\n"
        f"CPU {record.word('processor')}: CTIME={minutes // 60:02}:{minutes % 60:02}"
        f" VTIME={vtime} TTIME={ttime} IO={number['sio']:06}\n"
        f"        RDR={number['reader']:06} PRT={number['printer']:06} PCH={number['punch']:06}"
    )
