# SPDX-License-Identifier: MIT
"""The worlds of a run on the workers of Dask's scheduler, on many computers."""
