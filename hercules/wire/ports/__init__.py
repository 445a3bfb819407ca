# SPDX-License-Identifier: MIT
"""Ports of the wire: guests, the host's network, Python endpoints."""
