# SPDX-License-Identifier: MIT
"""Linux 6.1 for the tests of this folder, made if it is not here."""

from __future__ import annotations

import shutil

import pytest

from vmkb.guests.base import driver
from vmkb.guests.linux.driver import LinuxDriver
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import Guest, load_guest


@pytest.fixture(scope="session")
def kernel() -> Guest:
    """The guest. Skipped, in words, where Debian's packages cannot be had."""
    for program in ("hercules", "s3270", "apt-get", "s390x-linux-gnu-gcc"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    hands = driver(load_guest("linux"))
    assert isinstance(hands, LinuxDriver)
    try:
        (choice,) = hands.choices(["6.1"])
    except EmulatorError as error:
        pytest.skip(f"Linux cannot be made here: {error}")
    return choice.guest
