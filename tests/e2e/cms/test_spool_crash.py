# SPDX-License-Identifier: MIT
"""The emulator killed while a user closes and purges spool files: after each IPL every file that
was closed and not purged is there and whole; and a spool of 10,000 files."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from tests.e2e.spool_guest import built, logged_on, running
from vmkb.hercules.deadline import pause

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

MOMENTS = int(os.environ.get("SPOOL_MOMENTS", "15"))
MANY = 10_000
RECORDS = {"ONE": 3, "TWO": 150, "SIX": 600}

TOLD = re.compile(r"MSG FROM SENDER  : CLOSED (\d+)$")

FILES = {
    "sender/closer.exec": """\
/* Sends files for ever, numbered by their DIST, and tells the operator which are closed: the
   machine waits for CLOSE. Each fourth time the oldest is purged. */
'CP SET IMSG OFF'
'SPOOL PUNCH TO SENDER'
do n = 1
  name = word('ONE TWO SIX', n // 3 + 1)
  'SPOOL PUNCH DIST' n
  'PUNCH' name 'TEXT A (NOHEADER'
  if rc <> 0 then exit rc
  'CP MSG OP CLOSED' n
  if n // 4 = 0 then do
    parse value diag(8, 'QUERY RDR') with '15'x . id .
    'PURGE RDR' id
  end
end
""",
    "sender/check.exec": """\
/* Says DIST, name, records and how many of them are right of each file, reading and purging it. */
'CP SET IMSG OFF'
do forever
  parse value diag(8, 'QUERY RDR ALL') with '15'x . id . . records . . . . name . dist . '15'x .
  if id = '' then leave
  'READCARD CHECK FILE A'
  'EXECIO * DISKR CHECK FILE A (FINIS'
  same = 0
  do queued()
    parse pull text
    if text = name || copies('.', 40) then same = same + 1
  end
  say 'IS' dist name records + 0 same
end
say 'ALL'
""",
    **{
        f"sender/{name.lower()}.text": f"{name}{'.' * 40}\n" * count
        for name, count in RECORDS.items()
    },
    "sender/many.exec": """\
/* so many files of one card, half of them to each of two users */
parse arg many
'CP SET IMSG OFF'
do k = 1 to 2
  'SPOOL PUNCH TO' word('GETTER THIRD', k)
  do many / 2
    'PUNCH CARD TEXT A (NOHEADER'
    if rc <> 0 then exit rc
  end
end
""",
    "sender/card.text": "ONE CARD\n",
}


def test_killed_at_random_moments(tmp_path: Path) -> None:
    """Files are closed in the order of their numbers and purged in it: what is there has no hole,
    the last that was told is there, and as many at most are gone as the last allows."""
    run = built(tmp_path, FILES)
    when = random.Random(20261123)
    told = total = 0
    for moment in range(MOMENTS + 1):
        with running(run, kill=True) as pair, logged_on(pair, "SENDER") as (sender,):
            said = sender.run("CHECK")
            assert said[-1] == "ALL", (moment, said)
            there = {int(w[1]): w[2:] for line in said[:-1] if (w := line.split())[0] == "IS"}
            for number, (name, *counts) in there.items():
                assert counts == [str(RECORDS[name])] * 2, (moment, number, name, counts)
            last = max(there, default=0)
            gone = min(there, default=1) - 1
            assert told <= last, (moment, told, sorted(there))
            assert sorted(there) == list(range(gone + 1, last + 1)), moment
            assert gone <= last // 4, (moment, sorted(there))
            total += len(there)
            mark = pair[1].log.mark()
            sender.type("CLOSER")
            pair[1].wait_log("CLOSED 1", 30.0, mark)
            pause(when.uniform(0.0, 0.15))
            pair[1].kill()
            lines = pair[1].log.since(mark)
            told = max(int(m[1]) for line in lines if (m := TOLD.search(line)))
    print(f"{MOMENTS} moments, {total} files whole")
    assert total > MOMENTS


def test_ten_thousand_files(tmp_path: Path) -> None:
    run = built(tmp_path, FILES, spool=MANY * 10)
    with running(run, kill=True) as pair, logged_on(pair, "SENDER") as (sender,):
        sender.session.command(f"MANY {MANY}", 300.0)
    with running(run) as pair, logged_on(pair, "GETTER", "THIRD") as users:
        for user in users:
            assert f"FILES:  {MANY // 2:04} RDR,  NO PRT,  NO PUN" in user.start
            user.run("READCARD A FILE A")
            assert user.run("TYPE A FILE A") == ("ONE CARD",)
            assert user.run("PURGE RDR ALL") == (f"{MANY // 2 - 1:04} FILES PURGED",)
