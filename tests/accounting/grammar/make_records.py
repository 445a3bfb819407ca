# SPDX-License-Identifier: MIT
"""Hypothesis strategies: one record of every kind, with fields that its line can print."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Any

from hypothesis import strategies as st

from vmkb.accounting.grammar.times import WEEKDAYS
from vmkb.accounting.records import FIELDS, Field, Record, Source, Unit, Value, Where

USERID = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@", min_size=1, max_size=8).filter(
    lambda name: name[0].isalpha()
)
WORD = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=1, max_size=8)
DAY = st.dates(date(1970, 1, 1), date(2069, 12, 31))
CLOCK = st.integers(0, 86399)


def number(
    unit: Unit, source: Source, tick: float, low: int = 0, high: int = 99_999
) -> st.SearchStrategy[Value]:
    """Values of UNIT in whole ticks between LOW and HIGH ticks."""
    return st.integers(low, high).map(lambda n: Value(n * tick, unit, source, tick))


def clock(source: Source) -> st.SearchStrategy[Value]:
    return CLOCK.map(lambda n: Value(n, Unit.DAY_S, source, 1))


def record(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Record]:
    """Records of KIND from one strategy for each field."""
    assert set(fields) <= set(FIELDS[kind]), set(fields) - set(FIELDS[kind])
    built = st.fixed_dictionaries(fields)
    return built.map(lambda chosen: Record(kind, chosen, "", Where()))


QT, RM, CI, FT, RT, AC, PB, IC = (
    Source.QT, Source.RM, Source.CI, Source.FT, Source.RT, Source.AC, Source.PB, Source.IC,
)  # fmt: skip
COUNT = Unit.COUNT


def _less(rec: Record) -> Record:
    """TOTCPU at least VIRTCPU, as CP counts them."""
    total = rec.value("totcpu")
    virt = min(rec.value("virtcpu").value, total.value)
    fields = {**rec.fields, "virtcpu": total._replace(value=virt)}
    return rec._replace(fields=fields)


_cpu = {
    "connect": number(Unit.US, QT, 1_000_000, high=359_999),
    "virtcpu": number(Unit.US, QT, 10_000, high=5_999_999),
    "totcpu": number(Unit.US, QT, 10_000, high=5_999_999),
}


_used = {
    "virt_time": number(Unit.US, AC, 1),
    "cp_time": number(Unit.US, AC, 1),
    "instr": number(Unit.INSTR, IC, 1),
    "corrections": number(COUNT, IC, 1),
}


def _step_unknown(value: Value) -> Value:
    return value._replace(tick=0)


def _two_decimals(source: Source) -> st.SearchStrategy[Value]:
    return st.integers(0, 99_999).map(lambda n: Value(n / 100, Unit.PERCENT, source, 0.01))


def _counts(*parts: str) -> dict[str, st.SearchStrategy[Value]]:
    return {
        f"{part}_{name}": number(unit, source, 1, high=10**12 - 1)
        for part in parts
        for name, unit, source in (
            ("time", Unit.US, QT),
            ("instr", Unit.INSTR, Source.IC),
            ("moved", Unit.BYTE, Source.IC),
            ("summed", Unit.BYTE, Source.IC),
        )
    }


_full = _counts("virt", "total")


@st.composite
def stamps(draw: st.DrawFn, kind: str) -> Record:
    day = draw(DAY)
    fields: dict[str, Field] = {
        "clock": draw(clock(QT)),
        "date": day.isoformat(),
        "zone": draw(st.sampled_from(["GMT", "EDT", "EST", "UTC", "CEST", "Z"])),
        "weekday": WEEKDAYS[day.weekday()],
    }
    if kind == "identify":
        fields.update(userid=draw(USERID), node=draw(USERID), rscs=draw(USERID))
    return Record(kind, fields, "", Where())


def _dated(strategy: st.SearchStrategy[Record]) -> st.SearchStrategy[Record]:
    return st.tuples(strategy, DAY).map(
        lambda pair: pair[0]._replace(fields={**pair[0].fields, "date": pair[1].isoformat()})
    )


@st.composite
def ftp(draw: st.DrawFn) -> Record:
    """As the client computes it: K = 1024, the rate cut."""
    count, hundredths = draw(st.integers(1, 10**10)), draw(st.integers(1, 10**6))
    rate = count * 100 // hundredths // 1024
    return Record(
        "ftp_transfer",
        {
            "bytes": Value(count, Unit.BYTE, FT),
            "elapsed": Value(hundredths * 10_000, Unit.US, FT, 10_000),
            "rate": Value(rate, Unit.KB_S, FT, 1),
        },
        "",
        Where(),
    )


@st.composite
def ftp_cut(draw: st.DrawFn) -> Record:
    """As tnftp computes it: the time cut to seconds, the rate in the unit with few digits."""
    count, micros = draw(st.integers(1, 10**10)), draw(st.integers(10**5, 10**10))
    speed, scale = count * 10**6 // micros, 1
    while speed >= 1000 << 10:
        speed, scale = speed >> 10, scale << 10
    rate = speed // 1024 * 100 + speed % 1024 * 100 // 1024
    return Record(
        "ftp_transfer",
        {
            "bytes": Value(count, Unit.BYTE, FT),
            "elapsed": Value(micros // 10**6 * 10**6 + 500_000, Unit.US, FT, 10**6),
            "rate": Value(rate * scale / 100, Unit.KB_S, FT, scale / 100),
        },
        "",
        Where(),
    )


@st.composite
def cards(draw: st.DrawFn, code: str) -> Record:
    fields: dict[str, Field] = {"userid": draw(USERID), "code": code}
    kind = "card_c0" if code == "C0" else "card_0" + code[1]
    if code == "C0":
        fields["data"] = draw(st.text("ABC 019-.", min_size=70, max_size=70))
        return Record(kind, fields, "", Where())
    if code != "04":
        fields["account"] = draw(WORD)
    fields |= {"date": draw(DAY).isoformat(), "clock": draw(clock(AC))}
    full = st.integers(0, 2**32 - 1)
    if code[1] in "123":
        fields["connect"] = Value(draw(full) * 1_000_000, Unit.US, AC, 1_000_000)
    if code[1] == "1":
        total = draw(full)
        fields["totcpu"] = Value(total * 1000, Unit.US, AC, 1000)
        fields["virtcpu"] = Value(draw(st.integers(0, total)) * 1000, Unit.US, AC, 1000)
        for name in ("page_reads", "page_writes", "sio", "punch", "printer", "reader"):
            fields[name] = Value(draw(full), COUNT, AC, 1)
    elif code[1] in "23":
        fields["device"] = draw(st.binary(min_size=4, max_size=4)).hex().upper()
        if code[1] == "3":
            fields["cylinders"] = Value(draw(st.integers(0, 65535)), COUNT, AC, 1)
    else:
        words = {"4": ["terminal", "by"], "5": ["terminal", "owner", "minidisk"]}
        words["6"] = ["terminal", "owner", "minidisk"]
        for name in words[code[1]]:
            fields[name] = draw(WORD)[: {"terminal": 4, "minidisk": 3}.get(name, 8)]
        if code[1] in "46":
            fields |= {n: Value(draw(st.integers(0, 99)), COUNT, AC, 1) for n in ("count", "limit")}
    return Record(kind, fields, "", Where())


_PID = st.integers(0x101, 0xFFFFFFFF).map("{:08X}".format)
_PROCESS = st.text("ABCDEFGHIJKLMNOPQRSTUVW$_0123456789", min_size=1, max_size=15).filter(
    lambda name: not name.isdigit()
)
_STATE = st.sampled_from(["LEF", "HIB", "COM", "CUR", "LEFO", "HIBO", "PFW"])
_SMALL = st.integers(0, 99_999).map(str)
_PROCESSES = st.lists(
    st.tuples(
        _PID, _STATE, st.integers(0, 31).map(str), _PROCESS,
        st.tuples(_SMALL, _SMALL).map("/".join), _SMALL, _SMALL,
        st.integers(0, 10**9).map(lambda n: str(n * 10_000)),
    ),
    max_size=8,
).map(tuple)  # fmt: skip
_node = {"node": USERID, "clock": clock(RT)}
_hundredths = st.integers(0, 99_999).map(lambda n: Value(n / 100, Unit.PERCENT, RT, 10**-2))


def _in(unit: Unit, value: Value) -> Value:
    return value._replace(unit=unit)


def _columns(*names: str, unit: Unit = Unit.PERCENT) -> dict[str, st.SearchStrategy[Value]]:
    return {
        name + column: _hundredths.map(partial(_in, unit))
        for name in names
        for column in ("", "_ave", "_min", "_max")
    }


_MODES = _columns(
    "interrupt", "mp_sync", "kernel", "executive", "supervisor", "user", "compatibility", "idle"
)
_SYSTEM = {
    **_MODES,
    **_columns("process_count", unit=COUNT),
    **_columns("page_faults", "page_reads", "direct_io", "buffered_io", unit=Unit.PER_S),
    **_columns("free_list", "modified_list", unit=Unit.PAGE),
}


def _decimal(
    unit: Unit, source: Source, tick: float, digits: int, high: int = 99_999
) -> st.SearchStrategy[Value]:
    return st.integers(0, high).map(
        lambda n: Value(round(n * 10.0**-digits, digits), unit, source, tick)
    )


_rt = {"date": DAY.map(date.isoformat), "clock": clock(RT)}
_rt["interval"] = number(Unit.US, RT, 1000, low=1)
_pc = _decimal(Unit.PERCENT, RT, 10**-2, 2)
_ps = _decimal(Unit.PER_S, RT, 10**-2, 2)
_indicate = number(COUNT, CI, 1)
_page = number(Unit.PAGE, CI, 1)
_percent = number(Unit.PERCENT, CI, 1, high=999)
_rate = number(Unit.PER_S, CI, 1)

_TIME = number(Unit.US, AC, 10_000, high=10**9)
_USED = {
    **{n: number(COUNT, AC, 1) for n in ("buffered_io", "direct_io", "page_faults", "mounted")},
    "peak_wss": number(Unit.PAGE, AC, 1), "peak_pages": number(Unit.PAGE, AC, 1),
    "cpu": _TIME, "elapsed": _TIME,
}  # fmt: skip
RECORDS = {
    "connect": record("connect", **_cpu).map(_less),
    "connect full": record(
        "connect", **_cpu, **_full, model=WORD, corrections=number(COUNT, Source.IC, 1),
        userid=USERID,
    ).map(_less),
    "connect counted": record(
        "connect", **_cpu, **_full, model=WORD, corrections=number(COUNT, Source.IC, 1),
        counter=st.sampled_from(["EXACT", "BATCHED"]), userid=USERID,
    ).map(_less),
    "connect system": record(
        "connect", **_cpu, **_full, model=WORD, corrections=number(COUNT, Source.IC, 1),
        userid=st.just("SYSTEM"), idle_time=number(Unit.US, QT, 1, high=10**12 - 1),
    ).map(_less),
    "connect system interrupts": record(
        "connect", **_cpu, **_full, **_counts("intr"), model=WORD,
        corrections=number(COUNT, Source.IC, 1), userid=st.just("SYSTEM"),
        idle_time=number(Unit.US, QT, 1, high=10**12 - 1),
    ).map(_less),
    "connect system clock": record(
        "connect", **_cpu, **_full, **_counts("intr"), **_counts("clock"), model=WORD,
        corrections=number(COUNT, Source.IC, 1), userid=st.just("SYSTEM"),
        idle_time=number(Unit.US, QT, 1, high=10**12 - 1),
    ).map(_less),
    **{kind: stamps(kind) for kind in ("time_is", "logon", "logoff", "disconnect", "identify")},
    "ready": record("ready", rc=st.integers(-9999, 99999).map(lambda n: Value(n, COUNT, RM)),
                    form=st.sampled_from(["long", "short"])),
    "ready timed": record(
        "ready", rc=st.integers(0, 99999).map(lambda n: Value(n, COUNT, RM)),
        form=st.sampled_from(["long", "short"]), clock=clock(RM),
        virtcpu=number(Unit.US, RM, 10_000), totcpu=number(Unit.US, RM, 10_000),
    ).map(_less),
    "indicate_load": record(
        "indicate_load", cpu=_percent, apu=_percent, q1=_indicate, q2=_indicate, storage=_percent,
        ratio=_decimal(Unit.RATIO, CI, 10.0**-1, 1, 999),
    ),
    "indicate_load zvm": record(
        "indicate_load", cpu=_percent,
        engines=st.integers(1, 64).map(lambda n: Value(n, COUNT, CI)),
        mdc_reads=_rate, mdc_writes=_rate, mdc_hit=_percent, paging=_rate, q0=_indicate,
        q1=_indicate, q2=_indicate, q3=_indicate, q2_expan=_indicate, q3_expan=_indicate,
    ),
    "indicate_user": record(
        "indicate_user", resident=_page, wss=_page, reads=_indicate, writes=_indicate, disk=_page,
        drum=_page, vtime=number(Unit.US, CI, 1_000_000), ttime=number(Unit.US, CI, 1_000_000),
        sio=_indicate, reader=_indicate, printer=_indicate, punch=_indicate,
    ),
    "indicate_user zvm": record(
        "indicate_user", userid=USERID, processor=st.integers(0, 63).map("{:02X}".format),
        resident=_page, wss=_page, reads=_indicate, writes=_indicate,
        connect=number(Unit.US, CI, 60_000_000), vtime=number(Unit.US, CI, 1_000_000),
        ttime=number(Unit.US, CI, 1_000_000), sio=_indicate, reader=_indicate, printer=_indicate,
        punch=_indicate, machine=st.sampled_from(["ESA", "XC"]), defined=WORD, virtual=WORD,
        expanded=WORD, ipl=st.sampled_from(["DEV 0190", "CMS"]), devices=_indicate, locked=_page,
        reserved=_page, not_preferred=_page, preferred=_page,
    ),
    "names": record("names", users=st.lists(
        st.tuples(USERID, st.sampled_from(["DSC", "009", "L0004", "01A0", "0701"])),
        min_size=1, max_size=4).map(tuple)),
    "users": record("users", users=_indicate, dialed=_indicate),
    "files": record("files", reader=_indicate, printer=_indicate, punch=_indicate),
    "auto_logon": record("auto_logon", userid=USERID, users=_indicate, by=USERID),
    "users zvm": record("users", users=_indicate, dialed=_indicate, net=_indicate),
    "ftp_transfer": ftp(),
    "ftp_transfer cut": ftp_cut(),
    "rtm_system": record(
        "rtm_system", **_rt, cpu=_pc, cp=_pc, user=_pc, wait=_pc, io=_ps, iucv=_ps, storage=_pc,
        queue=number(COUNT, RT, 1),
    ),
    "rtm_system whole": record(
        "rtm_system", **_rt, cpu=_pc, cp=_pc, user=_pc, wait=_pc, io=_ps, iucv=_ps, storage=_pc,
        queue=number(COUNT, RT, 1), users=number(COUNT, RT, 1), mdc=_pc, console=_ps,
        instr=number(Unit.PER_S, RT, 1), model=WORD,
    ),
    "rtm_user": record(
        "rtm_user", **_rt, userid=USERID, cpu=_pc, virt=_pc, io=_ps, iucv=_ps,
        storage=number(Unit.KB, RT, 1), state=st.sampled_from(["R", "W", "IDLE"]),
    ),
    "rtm_user whole": record(
        "rtm_user", **_rt, userid=USERID, cpu=_pc, virt=_pc, io=_ps, iucv=_ps,
        storage=number(Unit.KB, RT, 1), state=st.sampled_from(["R", "W", "IDLE"]), console=_ps,
        instr=number(Unit.PER_S, RT, 1), model=WORD,
    ),
    "acnt": record("acnt", userid=st.one_of(USERID, st.just("*SYSTEM")), **_used),
    "acnt_total": record("acnt_total", **_used),
    "acnt_sum": record(
        "acnt_sum", accounted=number(Unit.US, AC, 1), elapsed=number(Unit.US, AC, 1)
    ),
    "model": record("model", model=WORD, known=st.lists(WORD, min_size=1).map(" ".join)),
    "layout_error": record(
        "layout_error", error=_two_decimals(IC), worst=_two_decimals(IC),
        layouts=number(COUNT, IC, 1), counter=st.sampled_from(["EXACT", "BATCHED"]),
    ),
    "gms_calls": record(
        "gms_calls", calls=number(COUNT, Source.PM, 1, 0, 999_999_999),
        bytes=number(Unit.BYTE, Source.PM, 1, 0, 8192), callers=number(COUNT, Source.PM, 1, 0, 64),
        elapsed=number(Unit.US, Source.PM, 1), failed=number(COUNT, Source.PM, 1),
    ),
    "rxperf": record(
        "rxperf", operation=st.sampled_from(["NULL", "WRITE", "READ"]),
        calls=number(COUNT, Source.PM, 1, 0, 99_999_999).map(_step_unknown),
        # of so many bytes at most, a rate has the 18 digits that a grammar takes
        size=number(Unit.BYTE, Source.PM, 1, 0, 9_999_999).map(_step_unknown),
        elapsed=number(Unit.US, Source.PM, 1, 1, 10**11),
        **{name: number(COUNT, Source.PM, 1, 0, 2**40).map(_step_unknown)
           for name in ("sent", "received", "acks_sent", "acks_received", "again")},
    ),
    "rxperf_ended": record(
        "rxperf_ended", calls=number(COUNT, Source.PM, 1).map(_step_unknown),
        code=number(COUNT, Source.PM, 1, -999, 999).map(_step_unknown),
        why=st.sampled_from([
            "nobody answers", "no RXPERFD is there", "the server is busy",
            "no call ended in LIMIT seconds", "the server ended the call",
            "bytes came that were not sent, or not all",
        ]),
    ),
    **{f"gms_{what}": record(
        f"gms_{what}", bytes=number(Unit.BYTE, Source.PM, 1),
        ahead=number(COUNT, Source.PM, 1, 0, 8), elapsed=number(Unit.US, Source.PM, 1),
        sum=st.from_regex(r"[0-9A-F]{8}", fullmatch=True),
    ) for what in ("read", "write")},
    "ftp_data": record(
        "ftp_data", connections=number(COUNT, Source.FT, 1, 0, 999_999_999),
        bytes=number(Unit.BYTE, Source.FT, 1), elapsed=number(Unit.US, Source.FT, 1),
    ),
    "rtm_settings": record(
        "rtm_settings", interval=number(Unit.US, RT, 1_000_000, low=1, high=3600),
        log=st.sampled_from(["OFF", "ON RTMSF LOG"]), console=st.sampled_from(["ON", "OFF"]),
    ),
    "netstat_counters": record(
        "netstat_counters", protocol=st.sampled_from(["LINK", "ARP", "IP", "ICMP", "TCP"]),
        **{name: number(COUNT, RT, 1) for name in FIELDS["netstat_counters"] if name != "protocol"},
    ),
    "netstat_connection": record(
        "netstat_connection", userid=USERID, foreign=st.sampled_from(["*", "10.18.0.9..1024"]),
        local=st.sampled_from(["*..21", "10.18.0.10..20"]),
        state=st.sampled_from(["LISTEN", "ESTABLISHED", "FIN-WAIT-1"]),
        connections=st.just(Value(1, COUNT, RT, 1)),
    ),
    "netstat_connection waiting": record(
        "netstat_connection", state=st.just("TIME-WAIT"), connections=number(COUNT, RT, 1)
    ),
    "netstat_pool": record(
        "netstat_pool", pool=st.sampled_from(["HEAP BYTES", "TCP_PCB"]),
        **{name: number(COUNT, RT, 1) for name in ("free", "size", "most_used", "failed")},
    ),
    "netstat_pool data": record(
        "netstat_pool", pool=st.just("DATA BUFFERS"), free=number(COUNT, RT, 1),
        size=number(COUNT, RT, 1), bytes_each=number(Unit.BYTE, RT, 1),
    ),
    "netstat_device": record(
        "netstat_device", device=WORD, link=WORD, state=st.sampled_from(["READY", "NOT READY"]),
        **{name: number(unit, RT, 1) for name, unit in FIELDS["netstat_device"].items() if unit},
    ),
    **{f"card {code}": cards(code)
       for code in ("01", "02", "03", "04", "05", "06", "C0", "C1", "C2", "C3")},
    "vms_modes": _dated(record("vms_modes", **_node, **_MODES)),
    "vms_system": _dated(record("vms_system", **_node, **_SYSTEM)),
    "vms_topcpu": _dated(record(
        "vms_topcpu", **_node, pid=_PID, name=_PROCESS, cpu=number(Unit.PERCENT, RT, 1, high=400)
    )),
    "vms_processes": _dated(record("vms_processes", **_node, processes=_PROCESSES)),
    "vms_logout": _dated(record("vms_logout", userid=USERID, clock=clock(AC))),
    "vms_accounting": record("vms_accounting", **_USED),
    "vms_usage": record("vms_usage", **_USED, images=number(COUNT, AC, 1)),
    "vms_show_system": _dated(record(
        "vms_show_system", **{**_node, "clock": clock(AC)}, uptime=_TIME, pid=_PID, name=_PROCESS,
        state=st.sampled_from(["HIB", "LEF", "CUR"]), priority=number(COUNT, AC, 1, high=63),
        io=number(COUNT, AC, 1), cpu=_TIME, page_faults=number(COUNT, AC, 1),
        pages=number(Unit.PAGE, AC, 1),
    )),
    "vms_show_system net": _dated(record(
        "vms_show_system", **{**_node, "clock": clock(AC)}, uptime=_TIME, pid=_PID, name=_PROCESS,
        state=st.just("COM"), priority=number(COUNT, AC, 1, high=63),
        io=number(COUNT, AC, 1), cpu=_TIME, page_faults=number(COUNT, AC, 1),
        pages=number(Unit.PAGE, AC, 1), type=st.sampled_from("NBS"),
    )),
    "vms_process": _dated(record(
        "vms_process", **{**_node, "clock": clock(AC)}, userid=USERID, pid=_PID, name=_PROCESS,
    )),
    "hyptop": record(
        "hyptop", system=USERID, cpus=number(COUNT, RT, 1), cpu_time=number(Unit.US, RT, 1),
        cpu=st.integers(0, 9999).map(lambda n: Value(n / 100, Unit.PERCENT, RT, 0.01)),
        online=number(Unit.US, RT, 60_000_000),
    ),
    "image": record(
        "image", userid=USERID, cpu_time=number(Unit.US, RT, 1), online=number(Unit.US, RT, 1),
        memory=number(Unit.KB, RT, 1), cpus=number(COUNT, RT, 1), samples=number(COUNT, RT, 1),
    ),
    "tenex_rate rfc415": record(
        "tenex_rate", table=st.just("rfc415"), case=st.sampled_from(["", "SIN/SOUT unbuffered"]),
        string_bytes=number(COUNT, PB, 1.0).map(lambda v: v._replace(value=int(v.value))),
        byte_bits=st.sampled_from([7, 8, 36]).map(lambda n: Value(n, COUNT, PB, 1.0)),
        real_rate=number(Unit.KBIT_S, PB, 1.0).map(lambda v: v._replace(value=int(v.value))),
        cpu_rate=number(Unit.KBIT_S, PB, 1.0).map(lambda v: v._replace(value=int(v.value))),
        cpu=st.integers(0, 999).map(lambda n: Value(n, Unit.PERCENT, PB, 1.0)),
    ),
    "tenex_rate rfc557": record(
        "tenex_rate", table=st.just("rfc557"), case=st.sampled_from(["BBN FTP", "RJS low (x)"]),
        cpu_per_mbit=number(Unit.US_MBIT, PB, 1_000_000),
    ),
    "tenex_transfer": record(
        "tenex_transfer", site=st.integers(0, 255).map(str), host=st.just("sri-arc"),
        command=st.sampled_from(["STOR", "RETR", "MLFL"]), date=DAY.map(date.isoformat),
        clock=clock(PB),
        volume=st.integers(0, 10**7).map(lambda n: Value(n / 1e6, Unit.MBIT, PB, 1e-6)),
        real_rate=st.integers(0, 10**5).map(lambda n: Value(n / 1e3, Unit.KBIT_S, PB, 1e-3)),
        cpu_per_mbit=number(Unit.US_MBIT, PB, 1_000_000, high=999),
        type=st.sampled_from(["I", "A"]),
        byte_bits=st.sampled_from([8, 36]).map(lambda n: Value(n, COUNT, PB)),
        program=st.sampled_from(["U", "S"]),
    ),
}  # fmt: skip
FAMILY = {
    "time_is": "stamps", "logon": "stamps", "logoff": "stamps", "disconnect": "stamps",
    "identify": "stamps", "names": "users", "files": "users", "auto_logon": "users",
    "ftp_transfer": "ftp", "rtm_system": "rtm", "acnt": "accounts", "acnt_total": "accounts",
    "acnt_sum": "accounts", "model": "answers", "layout_error": "answers",
    "gms_calls": "answers", "gms_read": "answers", "gms_write": "answers", "ftp_data": "answers",
    "rtm_settings": "answers", "netstat_counters": "netstat", "netstat_connection": "netstat",
    "netstat_pool": "netstat", "netstat_device": "netstat",
    "rtm_user": "rtm", "vms_modes": "vms_monitor", "vms_system": "vms_monitor",
    "vms_usage": "vms_accounting", "vms_show_system": "vms_show",
    "vms_topcpu": "vms_monitor", "vms_processes": "vms_monitor", "vms_logout": "vms_accounting",
    "tenex_rate": "tenex", "tenex_transfer": "tenex", "card": "cards",
}  # fmt: skip


def family_of(kind: str) -> str:
    """Name of the family that reads KIND."""
    return FAMILY.get("card" if kind.startswith("card") else kind, kind)
