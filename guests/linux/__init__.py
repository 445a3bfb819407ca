# SPDX-License-Identifier: MIT
"""Linux for s390x as a guest, made from Debian's packages. docs/guide/linux.md tells the whole."""
