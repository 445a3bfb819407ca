# SPDX-License-Identifier: MIT
"""TCPIP built with an lwIP of the user's own, as a release beside VM/KB's."""
