# SPDX-License-Identifier: MIT
"""Virtual time: the clock that guests, wire, stations and terminals share."""
