# SPDX-License-Identifier: MIT
"""Rx, the remote procedure calls of AFS, for the workstations of a run: `Rx` is the protocol,
`UdpRx` joins it to a socket, `WireRx` to a port of the wire. What a program needs is named here."""

from hercules.rx.calls import Abort, Address, Call, Connection, Handler
from hercules.rx.core import Rx
from hercules.rx.udp import UdpRx
from hercules.rx.wire import WireRx

__all__ = ["Abort", "Address", "Call", "Connection", "Handler", "Rx", "UdpRx", "WireRx"]
