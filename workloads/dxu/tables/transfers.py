# SPDX-License-Identifier: MIT
"""Tables 1 and 2: FTP through loopback, and over the wire, published beside reproduced. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from accounting.costs import TrialCost
from accounting.models import Model
from accounting.tables.group import rate_kb_s
from accounting.tables.table import Row, Section, Table, word
from accounting.tables.utilization import saturation
from workloads.dxu.tables.figures import (
    against,
    cell,
    estimate,
    heads,
    interval,
    of_table,
    param,
    printed_cell,
    published_row,
    rate_of_each,
    source_note,
)

WHOLE = (
    "{names}, whose own client sends to its own server over lo (APPE). A KB's cost is all"
    " instructions of the guest, less what it executes when idle; what the model takes for the"
    " bytes that one instruction moves or sums is in VM/KB's cost and not in this one, as nobody"
    " counts them there: so the speed at 100 % is at most that."
)


def loopback_table(found: Iterable[TrialCost], model: Model) -> Table | None:
    """KB/s through loopback as run, and where one engine of the model is full; None without
    trials."""
    rows = []
    beside: dict[str, str] = {}
    for (case, release), group in of_table(found, 1).items():
        if title := param(group[0], "beside"):
            beside[release] = title
        theirs = published_row(1, param(group[0], "row")).get("kb_s", "")
        full = estimate(group, saturation)
        rows.append(
            Row(
                case,
                (
                    word(release),
                    printed_cell(theirs, "KB/s"),
                    cell(group, rate_kb_s, "KB/s"),
                    interval(group, rate_kb_s, "KB/s"),
                    cell(group, saturation, "KB/s"),
                    interval(group, saturation, "KB/s"),
                    against(full, theirs, "(IC)"),
                    word(str(len(group))),
                ),
            )
        )
    if not rows:
        return None
    head = heads(
        "Case", "Release", "Published KB/s (PB)", "As run KB/s (FT)", "Interval",
        "KB/s at 100 % of the model (IC)", "Interval", "Ratio of that (IC)", "n",
    )  # fmt: skip
    notes = (
        f"At 100 %: one engine of {model.describe()}, if nothing else were in the way, from what a"
        " kilobyte costs all machines of the guest. As run is this computer's speed.",
        "The report's RISC System/6000 (1100) and RT (1500) are no guests and are not here.",
        *([WHOLE.format(names=" and ".join(f"{k}: {v}" for k, v in beside.items()))]
          if beside else []),
        source_note(1),
    )  # fmt: skip
    body = Section("body", tuple(rows))
    return Table("loopback", "Table 1: FTP through loopback to the null file",
                 (Section("head", (head,)), body), notes, keys=1)  # fmt: skip


def tcp_table(found: Iterable[TrialCost]) -> Table | None:
    """KB/s of each sender over the wire; None without trials."""
    rows = []
    for (case, _), group in of_table(found, 2).items():
        line = published_row(2, param(group[0], "row"))
        ours = estimate(group, rate_of_each)
        rows.append(
            Row(
                case,
                (
                    word(param(group[0], "title")),
                    word(param(group[0], "case_mtu")),
                    word(param(group[0], "senders")),
                    printed_cell(line.get("kb_s", ""), "KB/s"),
                    cell(group, rate_of_each, "KB/s"),
                    interval(group, rate_of_each, "KB/s"),
                    against(ours, line.get("kb_s", ""), "(FT)"),
                    cell(group, rate_kb_s, "KB/s"),
                    word(str(len(group))),
                ),
            )
        )
    if not rows:
        return None
    head = heads(
        "Case", "Test", "MTU", "Senders", "Published KB/s (PB)", "Each KB/s (FT)", "Interval",
        "Ratio (FT)", "All KB/s (FT)", "n",
    )  # fmt: skip
    return Table("tcp", "Table 2: FTP over the wire to the null file",
                 (Section("head", (head,)), Section("body", tuple(rows))), (source_note(2),),
                 keys=2)  # fmt: skip
