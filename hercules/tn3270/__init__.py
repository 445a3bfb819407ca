# SPDX-License-Identifier: MIT
"""Terminals: 3270 sessions through s3270, what their screens say, and the port that serves them."""
