# SPDX-License-Identifier: MIT
"""vmkb capture: what the TCPs in a capture did."""

from __future__ import annotations

from pathlib import Path

import click

from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.number import Number


@click.command("capture")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--capacity", type=Number(0, min_open=True), help="Bytes of data a second"
              " that the line carries at best: each rate is told as a part of it.")  # fmt: skip
@click.option("--sizes", is_flag=True, help="Print how many segments had which size.")
def command(file: Path, capacity: float | None, sizes: bool) -> None:
    """Tell what each TCP in the capture FILE (pcapng or pcap) did: segment sizes, retransmissions,
    bare acknowledgements, round trips, idle gaps.

    A capture of the wire has each frame as its sender made it, before the line could lose it.
    """
    from vmkb.accounting.input.capture.conversation import conversations
    from vmkb.accounting.input.capture.files import CaptureError, packets
    from vmkb.accounting.input.capture.segments import segments
    from vmkb.accounting.input.capture.table import histogram_table, senders_table
    from vmkb.accounting.report.terminal import Output, show

    try:
        talks = conversations(segments(packets(file)))
    except CaptureError as error:
        raise Refused(str(error)) from None
    if not any(sender.sizes for talk in talks for sender in talk.senders):
        raise Refused(f"{file} has no TCP segment with data over IPv4 and Ethernet")
    tables = [senders_table(talks, capacity or 0.0)]
    if sizes:
        tables.append(histogram_table(talks))
    show(tables, Output())
