# SPDX-License-Identifier: MIT
"""AFS for the workstations of a run: `xdr` and `protocol` are what calls say, `client` is a cache
manager over Rx (docs/reference/afs.md)."""
