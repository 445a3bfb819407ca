# SPDX-License-Identifier: MIT
"""Rx, the remote procedure calls of AFS, for the workstations of a run: `Rx` is the protocol,
`WireRx` joins it to a port of the wire. What a program needs is named here."""

from vmkb.hercules.rx.calls import Abort, Address, Call, Connection, Handler
from vmkb.hercules.rx.core import Rx
from vmkb.hercules.rx.wire import WireRx

__all__ = ["Abort", "Address", "Call", "Connection", "Handler", "Rx", "WireRx"]
