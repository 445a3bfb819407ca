# SPDX-License-Identifier: MIT
"""AFS for the workstations of a run: `xdr` and `protocol` are what calls say, `directory` is how a
directory's bytes are read, `client` is a cache manager over Rx (docs/reference/afs.md)."""
