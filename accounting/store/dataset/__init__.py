# SPDX-License-Identifier: MIT
"""Archives: many runs and logs as one Parquet dataset, a folder for each run."""
