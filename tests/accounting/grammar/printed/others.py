# SPDX-License-Identifier: MIT
"""What hyptop, smcli and the RFCs of TENEX print."""

from __future__ import annotations

from tests.accounting.grammar.printed.parts import hms
from vmkb.accounting.grammar.image import _LABELS, _UNITS
from vmkb.accounting.grammar.tenex import _COLUMNS, HEADS
from vmkb.accounting.records import Record, Value


def hyptop(record: Record) -> str:
    """RECORD as hyptop -b -f #,c,C:us,o prints it."""
    value = record.value
    row = (
        f"{record.word('system'):<8} {value('cpus').value:>4} {value('cpu').value:>8.2f}"
        f" {value('cpu_time').value:>15}"
    )
    minutes = int(value("online").value) // 60_000_000
    row += f" {minutes // 1440:>4}:{minutes // 60 % 24:02}:{minutes % 60:02}"
    return (
        "cpu-t: UN(16)\n"
        "system   #cpu      cpu            Cpu+     online\n"
        "(str)     (#)      (%)            (us)      (dhm)\n"
        f"{row}\n{'-' * 79}"
    )


def image(record: Record) -> str:
    """RECORD as smcli prints it."""
    lines = [f"Virtual server ID: {record.word('userid')}"]
    for label, (name, unit) in _LABELS.items():
        if name in record.fields:
            text = f"{record.value(name).value} {_UNITS[unit]}".rstrip()
            lines.append(f'{label}: "{text}"')
    return "\n".join(lines)


def tenex(record: Record) -> str:
    """RECORD as the RFC prints it; CSV with its header for the tables that only exist so."""
    fields = record.fields
    if record.kind == "tenex_transfer":
        iso, at = record.word("date"), hms(int(record.value("clock").value))
        volume = round(record.value("volume").value * 1e6)
        bps = round(record.value("real_rate").value * 1e3)
        cost = int(record.value("cpu_per_mbit").value) // 1_000_000
        width = int(record.value("byte_bits").value)
        return (
            f"{record.word('site'):>3} {record.word('host'):<10} {record.word('command')}"
            f" {iso[2:4]}/{iso[5:7]}/{iso[8:]} {at} {volume:8} {bps:5} {cost:3}"
            f" {record.word('type')} {width:2} {record.word('program')}"
        )
    table = record.word("table")
    cells = []
    for name, _, scale in _COLUMNS[table]:
        value = fields.get(name)
        cells.append(_number(value, scale) if isinstance(value, Value) else "")
    if table == "rfc415" and not record.word("case"):
        size, bits, real, cpu, share = cells
        return f"{size + '/' + bits:>9} {real + 'K':>14} {cpu + 'K':>14} {share + '%':>12}"
    return HEADS[table] + "\n" + ",".join([record.word("case"), *cells])


def _number(value: Value, scale: int) -> str:
    number = value.value / scale if scale else value.value
    return f"{number:g}" if isinstance(number, float) else str(number)
