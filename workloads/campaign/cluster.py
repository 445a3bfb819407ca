# SPDX-License-Identifier: MIT
"""Dask's scheduler and workers: our own on this machine, or somebody's."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.config import LOOPBACK

CONNECT_WITHIN = 10.0
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
}
"""Workers of our own share the computer with what is measured: Dask's look at its own Python, a
hundred times a second, took 2 % of a core for each of them."""


@contextmanager
def opened(workers: int, scheduler: str) -> Iterator[Any]:
    """A client of the scheduler at the address SCHEDULER, or of one with WORKERS workers that lives
    as long as this. EmulatorError if it cannot be reached."""
    import dask
    from distributed import Client, LocalCluster

    for name in ("distributed", "distributed.client"):  # what is wrong is said by the campaign
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if scheduler:
        try:
            client = Client(scheduler, timeout=CONNECT_WITHIN, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            said = str(error) or "no answer"
            raise EmulatorError(f"The scheduler {scheduler} cannot be reached: {said}.") from None
        try:
            yield client
        finally:
            client.close()
        return
    with (
        dask.config.set(QUIET),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, host=LOOPBACK, memory_limit=0,
            dashboard_address=f"{LOOPBACK}:0", silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):  # fmt: skip
        yield client
