# SPDX-License-Identifier: MIT
"""MAXSPOOL: one user's files take a part of the spool only, and the others' go on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.cp_console import Console
from tests.e2e.spool_guest import built, logged_on, running

pytestmark = pytest.mark.e2e

FILES = {
    "sender/card.text": "ONE CARD\n",
    "sender/big.text": "".join(f"{n:06}{'.' * 60}\n" for n in range(3000)),
    "sender/talk.exec": "/* */\ndo n = 1 to 8000\n  say right(n, 6) copies('.', 60)\nend\n",
    "sender/fill.exec": """\
/* punches a file until there is a refusal */
parse arg file
'CP SET IMSG OFF'
'CP SPOOL PUN TO GETTER'
do n = 1 by 1 until rc <> 0
  'PUNCH' file
end
say 'SENT' n - 1 'RC' rc
""",
}
LIMIT = "DMKSPL437E YOUR SPOOL FILES ARE ALL THAT MAXSPOOL ALLOWS; PURGE SOME"
SHARE = re.compile(
    r"(\w+) +FILES (\d{4}) OF (\d{4}), PAGES (\d{5}) OF (\d{5}), MAXSPOOL (\d+) PERCENT"
)


def share(line: str) -> list[int]:
    """Files, most files, pages, most pages, per cent."""
    found = SHARE.fullmatch(line)
    assert found, line
    return [int(n) for n in found.groups()[1:]]


@pytest.mark.parametrize("file", ["CARD TEXT", "BIG TEXT"])
def test_a_user_fills_his_share_and_others_go_on(tmp_path: Path, file: str) -> None:
    run = built(tmp_path, FILES, spool=4096)
    with running(run, parameter="") as pair, logged_on(pair) as (sender, getter):
        said = sender.run(f"FILL {file}")
        sent = int(said[-1].split()[1])
        assert LIMIT in said
        files, most_files, pages, most_pages, percent = share(sender.run("QUERY MAXSPOOL")[-1])
        assert percent == 25 and files == sent
        assert files == most_files or most_pages - 61 < pages <= most_pages
        getter.run("SPOOL PUN TO SENDER")
        getter.run("COPYFILE SYSEXEC EXEC S CARD TEXT A")
        getter.run("PUNCH CARD TEXT A")
        assert share(getter.run("QUERY MAXSPOOL")[-1])[0] == 1
        assert getter.run("QUERY MAXSPOOL SENDER", 3) == ("DMKCQR003E INVALID OPTION - SENDER",)
        # What is received or purged is given back.
        getter.run("PURGE RDR ALL")
        assert share(sender.run("QUERY MAXSPOOL")[-1])[0] == 0
        sender.run(f"PUNCH {file}")


def test_the_operator_sets_the_share(tmp_path: Path) -> None:
    run = built(tmp_path, FILES, spool=4096)
    with (
        running(run, parameter="MAXSPOOL=2") as pair,
        logged_on(pair, "SENDER") as (sender,),
    ):
        wheel = Console(*pair, 0x0710)
        wheel.logon("WHEEL")
        few = int(sender.run("FILL CARD TEXT")[-1].split()[1])
        assert share(wheel.ask("QUERY MAXSPOOL SENDER")[-1])[4] == 2
        assert wheel.ask("SET MAXSPOOL 101") == ["DMKCFS003E INVALID OPTION - 101"]
        wheel.ask("SET MAXSPOOL 4")
        more = int(sender.run("FILL CARD TEXT")[-1].split()[1])
        assert 0 < few <= more + 1 <= few + 3
        assert sender.run("SET MAXSPOOL 100", 3) == ("DMKCFS003E INVALID OPTION - MAXSPOOL",)


def test_a_console_that_reaches_the_share_stops(tmp_path: Path) -> None:
    run = built(tmp_path, FILES, spool=4096)
    with running(run, parameter="MAXSPOOL=10") as pair, logged_on(pair, "SENDER") as (sender,):
        sender.run("SPOOL CONSOLE START")
        assert "DMKSPL435E CONSOLE SPOOLING STOPPED: MAXSPOOL ALLOWS NO MORE" in sender.run("TALK")
