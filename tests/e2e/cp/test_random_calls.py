# SPDX-License-Identifier: MIT
"""A user of class G who calls every DIAGNOSE and function of IUCV with drawn operands: CP stays up,
and no other machine's storage changes (guests/vmkb/service/exercise/random.c)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cp_console import Console
from vmkb.hercules.deadline import patient
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest, load_guest

pytestmark = pytest.mark.e2e

SEEDS = range(1, 7)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Guest, Hercules]]:
    guest = load_guest("vmkb")
    guest.check_built()
    with boot(guest, tmp_path_factory.mktemp("random")) as machine:
        yield guest, machine


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_calls_harm_nobody(system: tuple[Guest, Hercules], seed: int) -> None:
    operator = Console(*system, 0x0700)
    operator.logon("MAINT")
    for user, what in (("VMUSER2", "GUARD"), ("VMUSER3", "GUARD"), ("VMUSER1", f"RANDOM {seed}")):
        operator.ask(f"XAUTOLOG {user} IPL EXERCISE PARM {what}")
    operator.session.expect(f"RANDOM {seed} HAS ENDED", patient(60))
    assert operator.ask("QUERY CPLEVEL")[0].startswith("VM/KB")
    assert not [line for line in operator.lines if "HAS CHANGED" in line]
    for user in ("VMUSER1", "VMUSER2", "VMUSER3"):
        operator.ask(f"FORCE {user}")
    sums = operator.ask("QUERY ACNT")[-1]
    assert abs(float(sums.rpartition(", ")[2].rstrip("%"))) < 1, sums
    operator.type("LOGOFF")
    operator.expect("LOGOFF AT")
    operator.close()
