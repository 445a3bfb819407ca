# SPDX-License-Identifier: MIT
"""Our figures for the cells of the published table. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from vmkb.accounting.compare import Lookup, Ours
from vmkb.accounting.models import Model
from vmkb.workloads.rpc.tables.figures import Found, Machines, difference, estimated

CONTROL_BYTES = 16
"""Of a control message in its frame (struct gms_message)."""
ISSUED = 4
"""Instructions of a 21164's cycle, by which its models were made (accounting/machines.toml)."""


def cells(found: Found, machines: Machines, many: int) -> Lookup:
    """By a published row and its column: latency in us, messages a second, MB/s; with the bound
    that counts and the wire's formula give. A rate is of MANY outstanding, where Wait has one."""

    def ours(row: Mapping[str, str], column: str) -> Ours | None:
        way, wait, receive = row["way"], row["completion"], row["payload_kind"]
        what, size = _column(column)
        alone = what == "lat" or wait == "Wait"
        costs = found.get((way, wait, receive if size else "Solicited", size, 1 if alone else many))
        if not costs or not machines.measured:
            return None
        took = estimated(costs, lambda c: c.elapsed).value
        least = estimated(
            costs,
            lambda c: machines.latency(c, way, size) if alone else machines.interval(c, size),
        ).value
        if what == "lat":
            return Ours(took, "(PM)", least)
        amount = size or 1e6
        return Ours(amount / took, "(PM)", amount / least)

    return ours


def text_cells(found: Found, machines: Machines) -> dict[str, Ours]:
    """Our figures for the paper's text, by the rows' keys."""
    made = {
        "control": Ours(CONTROL_BYTES, "(IN)"),
        "client": Ours(_mhz(machines.caller), "(IN)"),
        "server": Ours(_mhz(machines.server), "(IN)"),
        "bus": Ours(machines.rate / 8e6, "(IN)"),
    }
    empty = found.get(("2-way", "Wait", "Solicited", 0, 1), ())
    for size in (4096, 8192):
        with_page = found.get(("2-way", "Wait", "Solicited", size, 1), ())
        adds = difference(with_page, empty, lambda c: c.elapsed)
        if adds is not None and machines.measured:
            made[f"adds {size}"] = Ours(adds.value, "(PM)")
    return made


def _mhz(model: Model) -> float:
    """The clock of a 21164, which starts four instructions in a cycle at most."""
    return model.kmips / 1000 / ISSUED


def _column(column: str) -> tuple[str, int]:
    """lat4096_us -> lat, 4096."""
    name = column.partition("_")[0]
    what = name.rstrip("0123456789")
    return what, int(name.removeprefix(what))
