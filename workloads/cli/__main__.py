# SPDX-License-Identifier: MIT
"""`python -m workloads.cli` is the vmkb command."""

from workloads.cli.main import main

main()
