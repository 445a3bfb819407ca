# SPDX-License-Identifier: MIT
"""What VM/KB's CP, CMS and TCPIP print; FTP's two forms."""

from __future__ import annotations

from tests.accounting.grammar.printed.parts import hms, numbers
from vmkb.accounting.grammar.ftp import _KB, SECOND
from vmkb.accounting.grammar.netstat import _BLOCKS, _COUNTERS, _FRAMES
from vmkb.accounting.grammar.rtm import _SYSTEM, _SYSTEM_MORE, _USER, _USER_MORE
from vmkb.accounting.grammar.rxperf import _rates
from vmkb.accounting.records import Record, Unit


def accounts(record: Record) -> str:
    """RECORD as CP prints it, below the heading."""
    number = numbers(record)
    if record.kind == "acnt_sum":
        apart = number["accounted"] - number["elapsed"]
        percent = 100 * abs(apart) / number["elapsed"] if number["elapsed"] else 0
        line = (
            f"SUM {number['accounted']} US, ELAPSED {number['elapsed']} US,"
            f" DIFFERENCE {apart} US, {percent:.2f}%"
        )
    else:
        who = record.word("userid", "TOTAL")
        line = (
            f"{who:<8} {number['virt_time']:14} {number['cp_time']:14} {number['instr']:18}"
            f" {number['corrections']:6}"
        )
    return f"USERID          VIRTUAL US          CP US       INSTRUCTIONS CORR'D\n{line}"


def answers(record: Record) -> str:
    """RECORD as VM/KB prints it."""
    if record.kind == "model":
        return f"MODEL {record.word('model')} OF {record.word('known')}"
    if record.kind == "rtm_settings":
        seconds = int(record.value("interval").value) // 1_000_000
        return f"INTERVAL {seconds} S, LOG {record.word('log')}, CONSOLE {record.word('console')}"
    if record.kind == "gms_calls":
        calls, size, callers, us, failed = _numbers(
            record, "calls", "bytes", "callers", "elapsed", "failed"
        )
        return f"GMS CALLS {calls} OF {size} BYTES BY {callers} IN {us} US FAILED {failed}"
    if record.kind == "ftp_data":
        many, size, us = _numbers(record, "connections", "bytes", "elapsed")
        return f"FTP DATA {many} CONNECTIONS {size} BYTES IN {us} US"
    if record.kind in ("gms_read", "gms_write"):
        size, ahead, us = _numbers(record, "bytes", "ahead", "elapsed")
        what = record.kind.removeprefix("gms_").upper()
        return f"GMS {what} {size} BYTES {ahead} AHEAD IN {us} US SUM {record.word('sum')}"
    error, worst = (record.value(name).value for name in ("error", "worst"))
    return (
        f"LAYOUT ERROR {error:07.2f} PERCENT WORST {worst:07.2f}"
        f" LAYOUTS {int(record.value('layouts').value):04} COUNTER {record.word('counter')}"
    )


def _numbers(record: Record, *names: str) -> tuple[int, ...]:
    return tuple(int(record.value(name).value) for name in names)


def ftp(record: Record) -> str:
    """RECORD as its client prints it: hundredths of a second and whole Kbytes, or time cut to
    seconds."""
    elapsed = record.value("elapsed")
    if elapsed.tick == SECOND and elapsed.value % SECOND:
        return _cut(record)
    hundredths = int(record.value("elapsed").value) // 10_000
    count, rate = int(record.value("bytes").value), int(record.value("rate").value)
    seconds = f"{hundredths // 100}.{hundredths % 100:02}"
    return f"{count} bytes transferred in {seconds} seconds. Transfer rate {rate} Kbytes/sec."


def _cut(record: Record) -> str:
    seconds, rate = int(record.value("elapsed").value) // SECOND, record.value("rate")
    scale = round(rate.tick * 100)
    unit = next(unit for unit, each in _KB.items() if each == scale)
    hundredths = round(rate.value * 100 / scale)
    at = f"{seconds // 60 % 60:02}:{seconds % 60:02}"
    at = f"{seconds // 3600:2}:{at}" if seconds >= 3600 else at
    speed = f"{hundredths // 100}.{hundredths % 100:02}"
    return f"{int(record.value('bytes').value)} bytes sent in {at} ({speed} {unit}"


def netstat(record: Record) -> str:
    """RECORD as NETSTAT prints it, below its heading."""
    number = numbers(record)
    if record.kind == "netstat_counters":
        counts = " ".join(f"{name.upper()} {number[name]}" for name in _COUNTERS)
        return f"{record.word('protocol'):<5} {counts}"
    if record.kind == "netstat_connection":
        head = "User Id   Conn Foreign Socket          Local Socket            State"
        if "userid" not in record.fields:
            return f"{head}\n{number['connections']} MORE IN TIME-WAIT"
        user, foreign, local, state = (
            record.word(name) for name in ("userid", "foreign", "local", "state")
        )
        return f"{head}\n{user:<8} {0:>5} {foreign:<23} {local:<23} {state}"
    if record.kind == "netstat_pool":
        more = (
            f"{number['bytes_each']:6} BYTES EACH"
            if "bytes_each" in number
            else f"MOST USED {number['most_used']}, FAILED {number['failed']}"
        )
        line = f"{record.word('pool'):<16} {number['free']:6} OF {number['size']:6} FREE, {more}"
        return f"TCPIP Free pool status:\n{line}"
    frames = [number[name] for name in _FRAMES]
    blocks = [number[name] for name in _BLOCKS]
    return "\n".join(
        (
            "Device and link status:",
            f"DEVICE {record.word('device')} LINK {record.word('link')} MTU {number['mtu']}"
            f" {record.word('state')}",
            "  FRAMES IN {} OUT {} BYTES IN {} OUT {}".format(*frames),
            "  BLOCKS IN {} OUT {} BAD {} NO BUFFER {} NO ROOM {}".format(*blocks),
        )
    )


def rtm(record: Record) -> str:
    """RECORD as RTMSF logs it."""
    at = hms(int(record.value("clock").value))
    millis = int(record.value("interval").value) // 1000
    user = record.kind == "rtm_user"
    words = [f"RTMSF USER {record.word('userid'):<8}" if user else "RTMSF SYSTEM"]
    words += [f"{record.word('date')} {at}", f"SECS={millis // 1000}.{millis % 1000:03}"]
    for label, name, unit in _USER if user else _SYSTEM:
        number = record.value(name).value
        whole = unit in (Unit.COUNT, Unit.KB)
        words.append(f"{label}={int(number)}" if whole else f"{label}={number:.2f}")
    if user:
        words.append(f"STATE={record.word('state')}")
    for label, name, unit in _USER_MORE if user else _SYSTEM_MORE:
        if name in record.fields:
            number = record.value(name).value
            whole = unit is Unit.COUNT or name == "instr"
            words.append(f"{label}={int(number)}" if whole else f"{label}={number:.2f}")
    if "model" in record.fields:
        words.append(f"MODEL={record.word('model')}")
    return " ".join(words)


def rxperf(record: Record) -> str:
    """RECORD as RXPERF types it on a terminal without an edge."""
    number = numbers(record)
    if record.kind == "rxperf_ended":
        why = f"{record.word('why')} (code {number['code']})"
        return f"DMSRXP110E After {number['calls']} calls: {why}"
    seconds = f"{number['elapsed'] // 1_000_000}.{number['elapsed'] % 1_000_000:06}"
    rate = _rates(number["calls"], number["size"], number["elapsed"])
    return (
        f"RXPERF: {number['calls']} {record.word('operation')} calls of {number['size']} bytes"
        f" in {seconds} seconds\n"
        f"RXPERF: {rate[0]} calls/second, {rate[1]} KB/second\n"
        f"RXPERF: {number['sent']} packets sent, {number['received']} received,"
        f" {number['acks_sent']} acknowledgements sent, {number['acks_received']} received,"
        f" {number['again']} sent again"
    )
