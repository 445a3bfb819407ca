# SPDX-License-Identifier: MIT
"""The kinds of records, and what their fields are called.

A grammar may leave a field out when the line does not print it, but never uses another name or
unit.
"""

from __future__ import annotations

from vmkb.accounting.records.value import Unit

_CLOCK = {"clock": Unit.DAY_S}
_STAMP = {**_CLOCK, "date": None, "zone": None, "weekday": None}
_CARD = {"userid": None, "account": None, "date": None, "clock": Unit.DAY_S, "code": None}
_USED = {
    "virt_time": Unit.US,
    "cp_time": Unit.US,
    "instr": Unit.INSTR,
    "corrections": Unit.COUNT,
}
_VMS_USED = {
    "buffered_io": Unit.COUNT,
    "direct_io": Unit.COUNT,
    "page_faults": Unit.COUNT,
    "mounted": Unit.COUNT,
    "peak_wss": Unit.PAGE,
    "peak_pages": Unit.PAGE,
    "cpu": Unit.US,
    "elapsed": Unit.US,
}
_PROTOCOL = dict.fromkeys(
    ("sent", "received", "dropped", "checksum", "length", "memory"), Unit.COUNT
)

#: kind -> field -> unit (None: a word). date is ISO yyyy-mm-dd.
FIELDS: dict[str, dict[str, Unit | None]] = {
    # CONNECT= VIRTCPU= TOTCPU=, and with VM/KB's QUERY TIME (FULL the lines below it.
    # virt_* / total_* are what is behind virtcpu / totcpu: microseconds under the machine
    # model named (CPU-timer microseconds if that is "host"), instructions, bytes moved, bytes
    # summed. counter: EXACT or BATCHED, as the guest has found its emulator's count to be; none
    # in answers of before. idle_time (CPU-timer time), intr_* and clock_* are of userid SYSTEM
    # only. userid if the answer has one.
    "connect": {
        "connect": Unit.US,
        "virtcpu": Unit.US,
        "totcpu": Unit.US,
        "virt_time": Unit.US,
        "virt_instr": Unit.INSTR,
        "virt_moved": Unit.BYTE,
        "virt_summed": Unit.BYTE,
        "total_time": Unit.US,
        "total_instr": Unit.INSTR,
        "total_moved": Unit.BYTE,
        "total_summed": Unit.BYTE,
        "model": None,
        "corrections": Unit.COUNT,
        "counter": None,
        "idle_time": Unit.US,
        "intr_time": Unit.US,
        "intr_instr": Unit.INSTR,
        "intr_moved": Unit.BYTE,
        "intr_summed": Unit.BYTE,
        "clock_time": Unit.US,
        "clock_instr": Unit.INSTR,
        "clock_moved": Unit.BYTE,
        "clock_summed": Unit.BYTE,
        "userid": None,
    },
    "time_is": dict(_STAMP),
    "logon": dict(_STAMP),
    "logoff": dict(_STAMP),
    "disconnect": dict(_STAMP),
    # rc 0 if not printed; virtcpu, totcpu, clock only in the T= form. form: long | short
    "ready": {
        "rc": Unit.COUNT,
        "virtcpu": Unit.US,
        "totcpu": Unit.US,
        **_CLOCK,
        "form": None,
    },
    "identify": {"userid": None, "node": None, "rscs": None, **_STAMP},
    # VM/370: cpu, apu, q1, q2, storage, ratio. z/VM: cpu (average of all), engines, and the rest.
    # Smoothed by CP: never difference them.
    "indicate_load": {
        "cpu": Unit.PERCENT,
        "apu": Unit.PERCENT,
        "engines": Unit.COUNT,
        "storage": Unit.PERCENT,
        "ratio": Unit.RATIO,
        "mdc_reads": Unit.PER_S,
        "mdc_writes": Unit.PER_S,
        "mdc_hit": Unit.PERCENT,
        "paging": Unit.PER_S,
        "q0": Unit.COUNT,
        "q1": Unit.COUNT,
        "q2": Unit.COUNT,
        "q3": Unit.COUNT,
        "q1_expan": Unit.COUNT,
        "q2_expan": Unit.COUNT,
        "q3_expan": Unit.COUNT,
        **{f"e{n}": Unit.COUNT for n in range(4)},
        **{f"{q}{n}_loading": Unit.COUNT for n in range(4) for q in "qe"},
        "dormant": Unit.COUNT,
        "limited": Unit.COUNT,
        "steal": Unit.PERCENT,
        "xstore": Unit.PER_S,
        "migrate": Unit.PER_S,
        "processors": None,  # rows (address, percent, type, polarity)
    },
    # vtime / ttime tick in whole seconds; connect (z/VM CTIME, hh:mm) in minutes.
    "indicate_user": {
        "userid": None,
        "processor": None,
        "machine": None,
        "defined": None,
        "virtual": None,
        "expanded": None,
        "ipl": None,
        "devices": Unit.COUNT,
        "locked": Unit.PAGE,
        "reserved": Unit.PAGE,
        "instantiated": Unit.PAGE,
        "not_preferred": Unit.PAGE,
        "preferred": Unit.PAGE,
        "expanded_pages": Unit.PAGE,
        "type": None,
        "affinity": None,
        "resident": Unit.PAGE,
        "wss": Unit.PAGE,
        "reads": Unit.COUNT,
        "writes": Unit.COUNT,
        "disk": Unit.PAGE,
        "drum": Unit.PAGE,
        "connect": Unit.US,
        "vtime": Unit.US,
        "ttime": Unit.US,
        "sio": Unit.COUNT,
        "reader": Unit.COUNT,
        "printer": Unit.COUNT,
        "punch": Unit.COUNT,
    },
    "names": {"users": None},  # rows (userid, terminal address or DSC), one record per line
    "users": {"users": Unit.COUNT, "dialed": Unit.COUNT, "net": Unit.COUNT},
    "files": {"reader": Unit.COUNT, "printer": Unit.COUNT, "punch": Unit.COUNT},
    "auto_logon": {"userid": None, "users": Unit.COUNT, "by": None},
    # RXPERF's report: calls of `size` bytes each, and what went over the network for them.
    "rxperf": {
        "operation": None,
        "calls": Unit.COUNT,
        "size": Unit.BYTE,
        "elapsed": Unit.US,
        "sent": Unit.COUNT,
        "received": Unit.COUNT,
        "acks_sent": Unit.COUNT,
        "acks_received": Unit.COUNT,
        "again": Unit.COUNT,
    },
    # Why its calls ended early: the code is Rx's, or RXPERF's own.
    "rxperf_ended": {"calls": Unit.COUNT, "why": None, "code": Unit.COUNT},
    # A write that may never end: who ended it.
    "hang": {"size": Unit.BYTE, "elapsed": Unit.US, "calls": Unit.COUNT, "ended": None},
    # What an endpoint of the wire fetched from a guest's file server, by its own clock.
    "fetch": {"client": None, "bytes": Unit.BYTE, "elapsed": Unit.US},
    "ftp_transfer": {"bytes": Unit.BYTE, "elapsed": Unit.US, "rate": Unit.KB_S},
    # VM/KB's RTMSF log (our own format, docs/reference/formats.md). Percent of one engine.
    # hyptop -b: a guest or LPAR; cpu, management: percent of one engine; the times are since it
    # began. SMAPI's Image_Performance_Query: since LOGON
    "hyptop": {
        "system": None,
        "cpus": Unit.COUNT,
        "cpu": Unit.PERCENT,
        "management": Unit.PERCENT,
        "cpu_time": Unit.US,
        "managed": Unit.US,
        "online": Unit.US,
    },
    "image": {
        "userid": None,
        "cpu_time": Unit.US,
        "online": Unit.US,
        **dict.fromkeys(("memory", "memory_least", "memory_most", "memory_shared"), Unit.KB),
        **dict.fromkeys(("engines", "cpus", "samples"), Unit.COUNT),
        **{f"samples_{n}": Unit.COUNT for n in ("cpu", "delay", "page", "idle", "other")},
    },
    "rtm_system": {
        **_CLOCK,
        "date": None,
        "interval": Unit.US,
        "cpu": Unit.PERCENT,
        "cp": Unit.PERCENT,
        "user": Unit.PERCENT,
        "wait": Unit.PERCENT,
        "io": Unit.PER_S,
        "iucv": Unit.PER_S,
        "storage": Unit.PERCENT,
        "queue": Unit.COUNT,
        "users": Unit.COUNT,
        "mdc": Unit.PERCENT,
        "console": Unit.PER_S,
        "instr": Unit.PER_S,
        "model": None,
    },
    "rtm_user": {
        **_CLOCK,
        "date": None,
        "interval": Unit.US,
        "userid": None,
        "cpu": Unit.PERCENT,
        "virt": Unit.PERCENT,
        "io": Unit.PER_S,
        "iucv": Unit.PER_S,
        "storage": Unit.KB,
        "state": None,
        "console": Unit.PER_S,
        "instr": Unit.PER_S,
        "model": None,
    },
    # Accounting cards. code is the card's own (C1 has the layout of 01, charged elsewhere).
    "card_01": {
        **_CARD,
        "connect": Unit.US,
        "totcpu": Unit.US,
        "virtcpu": Unit.US,
        "page_reads": Unit.COUNT,
        "page_writes": Unit.COUNT,
        "sio": Unit.COUNT,
        "punch": Unit.COUNT,
        "printer": Unit.COUNT,
        "reader": Unit.COUNT,
    },
    "card_02": {**_CARD, "connect": Unit.US, "device": None},
    "card_03": {**_CARD, "connect": Unit.US, "device": None, "cylinders": Unit.COUNT},
    "card_04": {
        **_CARD,
        "terminal": None,
        "by": None,
        "count": Unit.COUNT,
        "limit": Unit.COUNT,
    },
    "card_05": {**_CARD, "terminal": None, "owner": None, "minidisk": None},
    "card_06": {
        **_CARD,
        "terminal": None,
        "owner": None,
        "minidisk": None,
        "count": Unit.COUNT,
        "limit": Unit.COUNT,
    },
    "card_c0": {"userid": None, "data": None, "code": None},
    # VMS MONITOR. column: CUR AVE MIN MAX become <item>, <item>_ave, _min, _max.
    "vms_modes": {
        "node": None,
        "date": None,
        **_CLOCK,
        **{
            item + suffix: Unit.PERCENT
            for item in (
                "interrupt",
                "mp_sync",
                "kernel",
                "executive",
                "supervisor",
                "user",
                "compatibility",
                "idle",
            )
            for suffix in ("", "_ave", "_min", "_max")
        },
    },
    # one record for each process of a frame; one without a process if the frame shows none
    "vms_topcpu": {
        "node": None,
        "date": None,
        **_CLOCK,
        "pid": None,
        "name": None,
        "cpu": Unit.PERCENT,
    },
    # rows (pid, state, priority, name, pages, direct I/O, faults, CPU time in microseconds)
    "vms_processes": {"node": None, "date": None, **_CLOCK, "processes": None},
    "vms_system": {
        "node": None,
        "date": None,
        **_CLOCK,
        **{
            item + suffix: unit
            for item, unit in {
                "interrupt": Unit.PERCENT,
                "mp_sync": Unit.PERCENT,
                "kernel": Unit.PERCENT,
                "executive": Unit.PERCENT,
                "supervisor": Unit.PERCENT,
                "user": Unit.PERCENT,
                "compatibility": Unit.PERCENT,
                "idle": Unit.PERCENT,
                "process_count": Unit.COUNT,
                "page_faults": Unit.PER_S,
                "page_reads": Unit.PER_S,
                "free_list": Unit.PAGE,
                "modified_list": Unit.PAGE,
                "direct_io": Unit.PER_S,
                "buffered_io": Unit.PER_S,
            }.items()
            for suffix in ("", "_ave", "_min", "_max")
        },
    },
    # SHOW SYSTEM: one record for each process, cpu since it began; uptime is the system's
    "vms_show_system": {
        "node": None,
        "date": None,
        **_CLOCK,
        "uptime": Unit.US,
        "pid": None,
        "name": None,
        "state": None,
        "priority": Unit.COUNT,
        "io": Unit.COUNT,
        "cpu": Unit.US,
        "page_faults": Unit.COUNT,
        "pages": Unit.PAGE,
        "type": None,
    },
    # The lines above SHOW PROCESS; its /ACCOUNTING block, of the process so far, is vms_usage
    "vms_process": {
        "userid": None,
        "pid": None,
        "node": None,
        "name": None,
        "date": None,
        **_CLOCK,
    },
    "vms_usage": {**_VMS_USED, "images": Unit.COUNT},
    "vms_logout": {"userid": None, "date": None, **_CLOCK},
    "vms_accounting": dict(_VMS_USED),
    # QUERY ACNT: an account since IPL, by the CPU timer whatever the model, and the sums below
    "acnt": {"userid": None, **_USED},
    "acnt_total": dict(_USED),
    "acnt_sum": {"accounted": Unit.US, "elapsed": Unit.US},
    # Single answers of VM/KB's. model: the one in force; known: the names of all.
    "model": {"model": None, "known": None},
    # GMSBENCH: calls of so many bytes each, by so many callers at one time; GMSREAD, GMSWRITE
    "gms_calls": {
        "calls": Unit.COUNT,
        "bytes": Unit.BYTE,
        "callers": Unit.COUNT,
        "elapsed": Unit.US,
        "failed": Unit.COUNT,
    },
    # VM/KB's FTP: its data connections so far, from open to the last byte (LOCSTAT)
    "ftp_data": {"connections": Unit.COUNT, "bytes": Unit.BYTE, "elapsed": Unit.US},
    "gms_read": {"bytes": Unit.BYTE, "ahead": Unit.COUNT, "elapsed": Unit.US, "sum": None},
    "gms_write": {"bytes": Unit.BYTE, "ahead": Unit.COUNT, "elapsed": Unit.US, "sum": None},
    "layout_error": {
        "error": Unit.PERCENT,
        "worst": Unit.PERCENT,
        "layouts": Unit.COUNT,
        "counter": None,
    },
    "rtm_settings": {"interval": Unit.US, "log": None, "console": None},
    # NETSTAT of VM/KB's TCPIP machine, since its IPL. connections: more than one if only counted
    "netstat_counters": {"protocol": None, **_PROTOCOL, "route": Unit.COUNT},
    "netstat_connection": {
        "userid": None,
        "foreign": None,
        "local": None,
        "state": None,
        "connections": Unit.COUNT,
    },
    "netstat_pool": {
        "pool": None,
        "free": Unit.COUNT,
        "size": Unit.COUNT,
        "bytes_each": Unit.BYTE,
        "most_used": Unit.COUNT,
        "failed": Unit.COUNT,
    },
    "netstat_device": {
        "device": None,
        "link": None,
        "mtu": Unit.BYTE,
        "state": None,
        "frames_in": Unit.COUNT,
        "frames_out": Unit.COUNT,
        "bytes_in": Unit.BYTE,
        "bytes_out": Unit.BYTE,
        "blocks_in": Unit.COUNT,
        "blocks_out": Unit.COUNT,
        "bad_blocks": Unit.COUNT,
        "no_buffer": Unit.COUNT,
        "no_room": Unit.COUNT,
    },
    # What workloads make of several answers or of other programs' counters, over one trial.
    "accounts": {"accounted": Unit.US, "elapsed": Unit.US, "corrections": Unit.COUNT},
    "tcp": dict(_PROTOCOL),
    "wire": {
        "frames_in": Unit.COUNT,
        "frames_out": Unit.COUNT,
        "bytes_in": Unit.BYTE,
        "bytes_out": Unit.BYTE,
        "dropped": Unit.COUNT,
    },
    # One direction of a TCP connection as a capture tells it (accounting/input/capture), and what
    # its other end said meanwhile. sent: bytes of data, with those sent again; lone: segments of
    # the other end with nothing but an acknowledgement; elapsed: from the first data to the last
    # acknowledgement; trip: median round trip, wait: the shortest time to a retransmission.
    "tcp_sender": {
        "bytes": Unit.BYTE,
        "sent": Unit.BYTE,
        "resent": Unit.BYTE,
        "elapsed": Unit.US,
        "segments": Unit.COUNT,
        "again": Unit.COUNT,
        "lone": Unit.COUNT,
        "commanded": Unit.COUNT,
        "answered": Unit.COUNT,
        "largest": Unit.BYTE,
        "trip": Unit.US,
        "wait": Unit.US,
        "idle": Unit.COUNT,
        "longest": Unit.US,
        "flight": Unit.BYTE,
    },
    "lan": {
        "frames": Unit.COUNT,
        "bytes": Unit.BYTE,
        "lat_frames": Unit.COUNT,
        "lat_bytes": Unit.BYTE,
        "other_bytes": Unit.BYTE,
        "dropped": Unit.COUNT,
    },
    "sessions": {
        "slowest": Unit.PER_S,
        "median": Unit.PER_S,
        "fastest": Unit.PER_S,
        "jain": Unit.RATIO,
        "terminals": Unit.COUNT,
        "characters": Unit.BYTE,
        "wrong": Unit.COUNT,
    },
    "echo": {"median": Unit.US, "p95": Unit.US, "most": Unit.US, "keys": Unit.COUNT},
    # Users at displays: their commands, how many in the time measured, the mean first and last
    # response, what was executed
    "commands": {
        "commands": Unit.COUNT,
        "given": Unit.COUNT,
        "first": Unit.US,
        "last": Unit.US,
        "instructions": Unit.INSTR,
    },
    # Somebody's printed figures, and CPU time of the emulator's thread by the host's clock
    "figures": {"userid": None, "cpu_per_kb": Unit.US_KB, "rate": Unit.KB_S},
    "host_cpu": {"userid": None, "cpu": Unit.US},
    "world": {"digest": None, "time": Unit.US},
    # Published PDP-10 / TENEX figures, one record per row; table: rfc415 | rfc557 | rfc573
    "tenex_rate": {
        "table": None,
        "case": None,
        "string_bytes": Unit.COUNT,
        "byte_bits": Unit.COUNT,
        "real_rate": Unit.KBIT_S,
        "cpu_rate": Unit.KBIT_S,
        "cpu": Unit.PERCENT,
        "files": Unit.COUNT,
        "volume": Unit.MBIT,
        "file_size": Unit.KBIT,
        "cpu_per_mbit": Unit.US_MBIT,
        "cpu_per_kb": Unit.US_KB,
        "cost": Unit.USD_MBIT,
    },
    # One transfer as MIT-DMS's PFTPST printed it (RFC 573 Table III)
    "tenex_transfer": {
        "site": None,
        "host": None,
        "command": None,
        "date": None,
        **_CLOCK,
        "volume": Unit.MBIT,
        "real_rate": Unit.KBIT_S,
        "cpu_per_mbit": Unit.US_MBIT,
        "type": None,
        "byte_bits": Unit.COUNT,
        "program": None,
    },
}
