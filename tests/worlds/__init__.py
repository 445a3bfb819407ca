# SPDX-License-Identifier: MIT
"""Short worlds with faults drawn by a seed: what must hold in spite of them.

`python -m tests.worlds SEED` replays one."""
