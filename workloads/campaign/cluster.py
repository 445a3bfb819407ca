# SPDX-License-Identifier: MIT
"""Somebody's scheduler of Dask."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vmkb.hercules.deadline import EmulatorError

CONNECT_WITHIN = 10.0


@contextmanager
def opened(scheduler: str) -> Iterator[Any]:
    """A client of the scheduler at the address SCHEDULER. EmulatorError if it cannot be reached."""
    from distributed import Client

    for name in ("distributed", "distributed.client"):  # what is wrong is said by the campaign
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(scheduler, timeout=CONNECT_WITHIN, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        said = str(error) or "no answer"
        raise EmulatorError(f"The scheduler {scheduler} cannot be reached: {said}.") from None
    try:
        yield client
    finally:
        client.close()
