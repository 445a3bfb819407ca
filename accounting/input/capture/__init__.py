# SPDX-License-Identifier: MIT
"""What a capture of the wire says of the TCPs at its ends."""
