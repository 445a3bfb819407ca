# SPDX-License-Identifier: MIT
"""The emulator killed while a file is replaced: after IPL it is the old or the new one, whole."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.e2e.cms_guest import Cms, booted
from vmkb.hercules.deadline import pause
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.guest import load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

MOMENTS = 25
COUNTS = {"ONE": 1200, "TWO": 1500}

WRITER = """\
/* replaces X TEXT by turns, for ever */
say 'WRITING'
do forever
  'COPYFILE ONE TEXT A X TEXT A (REPLACE'
  if rc <> 0 then exit rc
  'COPYFILE TWO TEXT A X TEXT A (REPLACE'
  if rc <> 0 then exit rc
end
"""

CHECK = """\
/* says which file X TEXT is, and how many records agree with the first */
'EXECIO * DISKR X TEXT A (FINIS'
n = queued()
parse pull first
same = 1
do n - 1
  parse pull line
  if line == first then same = same + 1
end
say word(first, 1) n same
"""


def test_killed_at_random_moments(tmp_path: Path) -> None:
    files = {
        "user1/writer.exec": WRITER,
        "user1/check.exec": CHECK,
        **{
            f"user1/{name.lower()}.text": f"{name} {'x' * 46}\n" * count
            for name, count in COUNTS.items()
        },
    }
    when = random.Random(20261121)
    seen = set()
    with booted(tmp_path, files) as (guest, machine):
        user = Cms((guest, machine), 0x0700, "USER1")
        user.run("COPYFILE ONE TEXT A X TEXT A")
        machine.kill()
        user.session.close()
    guest = load_guest("vmkb")
    for moment in range(MOMENTS):
        machine = boot(guest, tmp_path / "run", keep=True)
        try:
            user = Cms((guest, machine), 0x0700, "USER1")
            said = user.run("CHECK")[-1].split()
            assert said == [said[0], *[str(COUNTS[said[0]])] * 2], (moment, said)
            seen.add(said[0])
            mark = user.type("WRITER")
            user.expect("WRITING", mark + 1)
            pause(when.uniform(0.0, 0.1))
        finally:
            machine.kill()
            user.session.close()
    assert seen == set(COUNTS)
