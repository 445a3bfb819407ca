# SPDX-License-Identifier: MIT
"""GLOBALV's variables, for a command, a session and ever; SYNONYM's other names for commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e import system
from tests.e2e.cms_guest import Cms
from tests.e2e.spool_guest import built, logged_on, running
from vmkb.hercules.clock.guest import GuestClock, WorldClock
from vmkb.hercules.clock.messages import PS
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import on, pause
from vmkb.hercules.emulator.boot import boot
from vmkb.workloads.base.virtual import TIMER_PACE, pace

pytestmark = pytest.mark.e2e

FILES = {
    "sender/puts.exec": """\
/* */
'GLOBALV SELECT MINE SET A 1 bB two'
'GLOBALV SELECT MINE SETLP LONG  a text   with blanks'
'GLOBALV SELECT MINE SETS SES sess'
stem.1 = 'of a stem'
'GLOBALV SELECT OTHER PUTP STEM.1'
""",
    "sender/gets.exec": """\
/* */
'GLOBALV SELECT MINE GET A BB LONG NONE SES'
say a bb '<'long'>' '<'none'>' ses
'GLOBALV SELECT OTHER GET STEM.1'
say stem.1
call inner
exit
inner: procedure
'GLOBALV SELECT MINE GET A'
say a
return
""",
    "sender/stacks.exec": """\
/* */
'GLOBALV SELECT MINE STACK A BB'
do queued(); parse pull line; say line; end
'GLOBALV SELECT MINE SETL BIG' copies('x', 230)
say rc
""",
    "sender/mine.synonym": "* other names\nTYPE SHOW 2\nPUTS GIVES\nQUERY ASK 1\n",
    "sender/bad.synonym": "TYPE SHOW 2\nTYPE SHOW 5\n",
    "sender/x.text": "of X\n",
}


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cms]:
    run = built(tmp_path_factory.mktemp("settings"), FILES)
    with running(run) as pair, logged_on(pair, "SENDER") as (sender,):
        yield sender


def test_globalv(user: Cms) -> None:
    user.run("PUTS")
    everything = ("1 two < a text   with blanks> <> sess", "of a stem", "1")
    assert user.run("GETS") == everything
    assert user.run("STACKS") == ("two", "1", "0")
    assert user.run("GLOBALV GRPLIST") == (" MINE", " OTHER")
    user.run("GLOBALV SELECT OTHER")
    assert user.run("GLOBALV LIST STEM.1") == (" SELECTED TABLE IS: OTHER", " STEM.1=of a stem")
    user.run("GLOBALV SELECT MINE SET A 1")
    user.run("IPL CMS")  # what was for this IPL is gone
    assert user.run("GETS") == ("  < a text   with blanks> <> sess", "of a stem", "")
    user.run("GLOBALV PURGE")
    assert user.run("GLOBALV SELECT MINE LIST") == (" SELECTED TABLE IS: MINE",)
    user.run("IPL CMS")
    assert user.run("GLOBALV SELECT OTHER LIST")[1:] == (" STEM.1=of a stem",)


def test_a_session_ends_with_its_values_and_not_before(
    tmp_path: Path, emulator_needed: None
) -> None:
    """CP tells whole seconds; what was set in the first is asked for in all parts of one."""
    run = built(tmp_path, FILES)
    world = World(3_192_342_400 * 16_000_000)
    with on(WorldClock(world)):
        guest = system.delivered()
        machine = boot(guest, run, keep=True, virtual=GuestClock(world, "kb", pace(TIMER_PACE)))
        with closing(machine):
            pause((-world.now % PS) / PS)
            with logged_on((guest, machine), "SENDER") as (sender,):
                sender.run("GLOBALV SELECT MINE SETS SES sess")
                assert "CONNECT= 00:00:00" in sender.run("QUERY TIME")[-1]
                for _ in range(12):
                    pause(0.1)
                    sender.run("IPL CMS")
                    assert sender.run("GLOBALV SELECT MINE LIST")[1:] == (" SES=sess",)
                sender.session.logoff()
            pause(1.0)
            with logged_on((guest, machine), "SENDER") as (sender,):
                assert sender.run("GLOBALV SELECT MINE LIST")[1:] == ()


def test_values_that_grow_use_storage_again(user: Cms) -> None:
    for n in (5, 30, 70, 5, 60):
        user.run(f"GLOBALV SELECT GROW SETL V {'v' * n}")
        assert user.run("GLOBALV SELECT GROW LIST")[1] == f" V={'v' * n}"


@pytest.mark.parametrize(
    ("command", "rc", "said"),
    [
        ("GLOBALV", 24, "DMSGLB047E No function specified"),
        ("GLOBALV NOTHING", 24, "DMSGLB047E No function specified: NOTHING"),
        ("GLOBALV SELECT NINECHARS SET A B", 24, "DMSGLB029E Invalid group NINECHARS"),
        ("GLOBALV GET A", 24, "DMSGLB631E Variable A can be set from an EXEC only"),
        ("SYNONYM NONE", 28, "DMSSYN002E File NONE SYNONYM * not found"),
        ("SYNONYM BAD", 32, "DMSSYN056E Line 2 of file BAD SYNONYM is no synonym"),
        ("SYNONYM MINE (NO", 24, "DMSSYN003E Invalid option: NO"),
    ],
)
def test_refused(user: Cms, command: str, rc: int, said: str) -> None:
    assert user.run(command, rc) == (said,)


def test_synonyms(user: Cms) -> None:
    assert user.run("SYNONYM") == ("DMSSYN712I No synonyms are in effect",)
    user.run("SHO X TEXT A", -3)
    user.run("SYNONYM MINE")
    assert user.run("SHO X TEXT A") == ("of X",)
    assert user.run("ASK CPLEVEL") == user.run("QUERY CPLEVEL")
    user.run("GIVES")
    assert user.run("QUERY SYNONYM ALL") == (
        "COMMAND  SYNONYM  SHORTEST FORM",
        "TYPE     SHOW     SH",
        "PUTS     GIVES    GIVES",
        "QUERY    ASK      A",
    )
    user.run("S X TEXT A", -3)
    user.run("SYNONYM (CLEAR")
    user.run("SHO X TEXT A", -3)
