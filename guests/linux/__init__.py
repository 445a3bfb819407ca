# SPDX-License-Identifier: MIT
"""Linux for s390x as a guest, made from Debian's packages. docs/guests/linux.md tells the whole."""
