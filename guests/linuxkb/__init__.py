# SPDX-License-Identifier: MIT
"""Linux in a machine of VM/KB under SIE."""
