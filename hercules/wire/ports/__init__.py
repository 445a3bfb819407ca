# SPDX-License-Identifier: MIT
"""What can be plugged into the wire: guests, the host's network, Python endpoints."""
