# SPDX-License-Identifier: MIT
"""Rx, the remote procedure calls of AFS, for the workstations of a run: `core` is the protocol,
`udp` joins it to a socket, `wire` to a port of the wire."""
