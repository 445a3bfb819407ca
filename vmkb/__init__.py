# SPDX-License-Identifier: MIT
"""vmkb: what a kilobyte costs, in CPU. The rooms beside this folder are its packages."""
