# SPDX-License-Identifier: MIT
"""The tables of the terminal workload, from the trials in a results folder."""
