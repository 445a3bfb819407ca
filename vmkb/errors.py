# SPDX-License-Identifier: MIT
"""The base of all errors whose message is a sentence for whoever gave the input."""


class VmkbError(Exception):
    """Something given, or said by a guest or a file, cannot be used; the message says what, where
    and mostly what to try."""


class UsageError(VmkbError, ValueError):
    """A workload, case, release or option that does not exist or does not fit (exit code 2)."""
