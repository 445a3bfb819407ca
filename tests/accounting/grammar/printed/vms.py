# SPDX-License-Identifier: MIT
"""What VAX/VMS prints."""

from __future__ import annotations

from tests.accounting.grammar.printed.parts import hms, numbers
from vmkb.accounting.grammar.base import MONTHS
from vmkb.accounting.grammar.vms_monitor import _COLUMNS, MODES, SYSTEM
from vmkb.accounting.records import Record, Value


def vms_accounting(record: Record) -> str:
    """RECORD as VAX/VMS prints it."""
    if record.kind == "vms_logout":
        return f"  {record.word('userid'):<12} logged out at {stamp(record)}"
    number = numbers(record)
    if record.kind == "vms_usage":
        return (
            "Accounting information:\n"
            f" Buffered I/O count:{number['buffered_io']:10}"
            f"  Peak working set size:{number['peak_wss']:11}\n"
            f" Direct I/O count:{number['direct_io']:12}"
            f"  Peak virtual size:{number['peak_pages']:15}\n"
            f" Page faults:{number['page_faults']:17}  Mounted volumes:{number['mounted']:17}\n"
            f" Images activated:{number['images']:12}\n"
            f" Elapsed CPU time:{delta(number['cpu']):>23}\n"
            f" Connect time:{delta(number['elapsed']):>27}"
        )
    return (
        f"  Accounting information:\n"
        f"  Buffered I/O count: {number['buffered_io']:15}"
        f"         Peak working set size: {number['peak_wss']:7}\n"
        f"  Direct I/O count: {number['direct_io']:17}"
        f"         Peak page file size: {number['peak_pages']:9}\n"
        f"  Page faults: {number['page_faults']:22}"
        f"         Mounted volumes: {number['mounted']:13}\n"
        f"  Charged CPU time: {delta(number['cpu']):>23}"
        f"   Elapsed time: {delta(number['elapsed']):>17}"
    )


def delta(micros: int) -> str:
    """Microseconds as VMS prints a time, 'd hh:mm:ss.cc'."""
    hundredths = micros // 10_000
    days, seconds = divmod(hundredths // 100, 86_400)
    return f"{days} {hms(seconds)}.{hundredths % 100:02}"


def stamp(record: Record) -> str:
    """RECORD's date and clock as VMS prints them, hundredths 00."""
    year, month, day = record.word("date").split("-")
    seconds = int(record.value("clock").value)
    name = next(word for word, number in MONTHS.items() if number == int(month))
    return f"{int(day):2}-{name}-{year} {hms(seconds)}.00"


def vms_monitor(record: Record) -> str:
    """RECORD as a frame; the layout of MODES, SYSTEM and PROCESSES is inferred."""
    titles = {
        "vms_modes": "TIME IN PROCESSOR MODES",
        "vms_topcpu": "TOP CPU TIME PROCESSES",
        "vms_system": "SYSTEM STATISTICS",
        "vms_processes": "PROCESSES",
    }
    lines = [
        " " * 28 + "OpenVMS Monitor Utility",
        " " * 28 + titles[record.kind],
        " " * 33 + f"on node {record.word('node')}",
        " " * 28 + stamp(record).strip(),
        "",
    ]
    if record.kind == "vms_topcpu":
        lines.append(" " * 37 + "0         25        50        75       100")
        if "pid" in record.fields:
            percent = int(record.value("cpu").value)
            bar = "X" * (min(percent, 100) * 2 // 5)
            name = record.word("name")
            lines.append(f" {record.word('pid')}  {name:<15} {percent:>9}  {bar}".rstrip())
    elif record.kind == "vms_processes":
        lines.append("   PID    STATE PRI      NAME          PAGES    DIOCNT  FAULTS  CPU TIME")
        for pid, state, priority, name, pages, dio, faults, micros in _rows(record):
            lines.append(
                f" {pid} {state:<5} {priority:>3}  {name:<15} {pages:>9} {dio:>8} {faults:>8}"
                f"  {delta(int(micros))}"
            )
    else:
        lines.append(" " * 30 + "      CUR        AVE        MIN        MAX")
        labels = [(label, name) for label, name in MODES.items() if label != "Interrupt State"]
        labels += [(label, name) for label, (name, _) in SYSTEM.items()]
        for label, name in labels:
            values = [record.fields.get(name + column) for column in _COLUMNS]
            printed = [f"{each.value:10.2f}" for each in values if isinstance(each, Value)]
            if printed:
                lines.append(f"    {label:<25} {' '.join(printed)}")
    return "\n".join(lines)


def _rows(record: Record) -> tuple[tuple[str, ...], ...]:
    rows = record.fields["processes"]
    assert isinstance(rows, tuple) and not isinstance(rows, Value)
    return rows


def vms_show(record: Record) -> str:
    """RECORD as VAX/VMS prints it."""
    if record.kind == "vms_process":
        return (
            f"{stamp(record)}   User: {record.word('userid'):<17}Process ID:   "
            f"{record.word('pid')}\n{'':26}Node: {record.word('node'):<17}Process name:"
            f' "{record.word("name")}"'
        )
    number = numbers(record)
    kind = record.word("type")
    return (
        f"OpenVMS V7.3  on node {record.word('node')}  {stamp(record)}"
        f"  Uptime  {delta(number['uptime'])}\n"
        "  Pid    Process Name    State  Pri      I/O       CPU       Page flts  Pages\n"
        f"{record.word('pid')} {record.word('name'):<15} {record.word('state'):<5}"
        f"{number['priority']:5}{number['io']:9}{delta(number['cpu']):>16}"
        f"{number['page_faults']:10}{number['pages']:7}{'  ' + kind if kind else ''}"
    )
