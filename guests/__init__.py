# SPDX-License-Identifier: MIT
"""The systems that are measured: a folder each, with its description and its driver."""
