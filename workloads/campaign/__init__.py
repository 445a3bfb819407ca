# SPDX-License-Identifier: MIT
"""One run on many workers: Dask's, on this machine or on many."""
