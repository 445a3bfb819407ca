# SPDX-License-Identifier: MIT
"""Table 5: fifteen clients at once, over the DXU and over the ELC2. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from statistics import mean, median

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.digits import spoken
from vmkb.accounting.measures import Group, figures, throughput, value
from vmkb.accounting.records import Source, Unit
from vmkb.accounting.stats import jain
from vmkb.accounting.tables.listing import Columns, Shown, case, listing
from vmkb.accounting.tables.table import Table
from vmkb.accounting.tables.table import printed as cell
from vmkb.accounting.units import Figure
from vmkb.workloads.dxu.tables.afs import seen
from vmkb.workloads.dxu.tables.figures import (
    SERVER,
    busy,
    fetches,
    of_table,
    on_bus,
    seconds_of,
)

#: A row: its label, and its cell of the trials of a column.
Line = tuple[str, Callable[[Group], Shown]]
HEADS = {"LOAD": "By the DXU (WI)", "LOAD.ELC2": "By the ELC2 (WI)"}


def fairness(cost: TrialCost) -> float:
    """Jain's index of the clients' rates on the common bus."""
    return jain([1 / r.value("elapsed").value for r in on_bus(cost)])


def load_table(costs: Iterable[TrialCost], watched: Sequence[TrialCost]) -> Table | None:
    """Each client's elapsed time with fifteen at once, their average, how fair it was, and how busy
    the server; WATCHED are the trials with the monitor. None without trials."""
    groups = {case(g): g for g in of_table(costs, 5)}
    every = [groups[name] for name in HEADS if name in groups]
    if not every:
        return None
    clients = [r.word("client") for r in fetches(every[0][0])]
    seconds: list[Line] = [(client, value(seconds_of(client))) for client in clients]
    seconds.append(("average", value(average_s)))
    others: list[Line] = [
        ("fourteen clients, KB/s", lambda g: cell(
            mean(f.value for f in figures(g, of_fourteen)), "KB/s", "(WI)")),
        ("Jain's index, all but pumper",
         lambda g: cell(median(fairness(c) for c in g), "ratio", "(WI)")),
        ("all clients, KB/s", value(throughput)),
        ("file server, % (IC/WI)", value(busy(SERVER))),
        ("guest, % (IC/WI)", value(busy(""))),
        ("guest, % (RT)", lambda g: seen(watched, g, "cpu", "%")),
        ("I/O a second (RT)", lambda g: seen(watched, g, "io", "/s")),
    ]  # fmt: skip
    others = [line for line in others if any(line[1](g) for g in every)]
    fair = min(fairness(c) for g in every for c in g)
    notes = (
        f"{len(every[0])} trial(s); means. Of a client and of the average: seconds, by each"
        " client's own clock. Fourteen clients are on one Ethernet behind a router of 131,072"
        " bytes, pumper alone on another.",
        "The report's fourteen clients got 99 KB/s in all, which an Ethernet and even the ELC2"
        " carry several times: what held them back lay between the FDDI ring and the workstations"
        " (its campus ring and routers), and is not modelled, as the report has no figure of it.",
        "Fourteen clients: their bytes over the average of their seconds, as the report's text"
        f" reckons. Jain's index is of the rates; the least of a trial is {spoken(fair)}.",
        *([_VERDICT] if len(every) > 1 else []),
    )
    columns: Columns[Line] = [
        ("Client", itemgetter(0)),
        *((HEADS[case(g)], lambda line, g=g: line[1](g)) for g in every),
    ]
    return listing("clientload", "Table 5: clientload, fifteen clients at once",
                   [*seconds, *others], columns, notes,
                   by=lambda line: line in others, keys=0, lettering=False)  # fmt: skip


_VERDICT = (
    "The ELC2 carries 3 Mb/s at most (IN). The report has 97 to 144 s with it, from an earlier"
    " study, and 142 s with the DXU, so that its clients gained nothing from the DXU. Here they"
    " gain, because nothing but the Ethernet is behind it."
)


def of_fourteen(cost: TrialCost) -> Figure:
    """KB/s of all clients on the common bus, over the average of their seconds."""
    mine = on_bus(cost)
    size = sum(r.value("bytes").to(Unit.KB).value for r in mine)
    took = mean(r.value("elapsed").to(Unit.S).value for r in mine)
    return Figure(size / took, Unit.KB_S, (Source.WI,))


def average_s(cost: TrialCost) -> Figure:
    """The mean of the clients' seconds."""
    every = [r.value("elapsed").to(Unit.S).value for r in fetches(cost)]
    return Figure(mean(every), Unit.S, (Source.WI,))
