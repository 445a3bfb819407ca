# SPDX-License-Identifier: MIT
"""What other clients of AFS ask than the workstations of a run (docs/reference/afs.md)."""
