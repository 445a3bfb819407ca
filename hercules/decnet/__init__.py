# SPDX-License-Identifier: MIT
"""A DECnet Phase IV end node with SET HOST's protocols, as VM/KB's peer in tests and workloads
(docs/reference/decnet.md): packets, NSP, CTERM's two sides, and a node on the wire."""
