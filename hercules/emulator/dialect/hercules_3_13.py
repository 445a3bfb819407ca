# SPDX-License-Identifier: MIT
"""Hercules 3.13, as Debian has it and as scripts/exact-emulator builds it."""

from __future__ import annotations

from vmkb.hercules.emulator.dialect.base import Dialect, Messages
from vmkb.hercules.wire.ctce import Layout

DIALECT = Dialect(
    key="hercules-3.13",
    name="Hercules",
    series="3.13",
    version_form=r"\bHercules version (3\.\d+[\w.]*)",
    messages=Messages(
        listening=r"^HHCTE003I ",
        port_busy=r"^HHCTE002W ",
        reads_commands=r"^HHCPN008I ",
        cpu_started=r"^HHCCP002I CPU0000 .*tid=([0-9A-F]+)",
        # Device initialization failed (it goes on without the device), or any severe message.
        refused=r"^HHCCF044E |^HHC[A-Z]{2}\d{3}S ",
        error=r"^HHC[A-Z]{2}\d{3}[ES] ",
        ipl_failed=r"^HHCCP029E |^HHCPN053E ",
        disabled_wait=r"^HHCCP011I ",
        own=r"HHC[A-Z0-9]{2}\d{3}[A-Z] ",
    ),
    # Daemon mode: standard input is not read, and the start-up script is, line by line.
    arguments=("-d", "-f"),
    # The priorities keep the guest's share of the host beside busy processes; OSTAILOR QUIET keeps
    # program checks from costing ten log lines each. TIMERINT: microseconds between two looks for a
    # timer's interruption; by default it wakes some 8,000 times a second for that.
    settings=(
        "CPUPRIO 0",
        "HERCPRIO 0",
        "DEVPRIO 0",
        "TODPRIO -20",
        "OSTAILOR QUIET",
        "TIMERINT 500",
    ),
    ctce=Layout("=BBHHHHH"),
    # It adds the 1 itself: it listens on the odd port above its own and connects to the other's.
    ctce_ports=lambda guest, wire: (guest, wire),
)
