# SPDX-License-Identifier: MIT
"""The file userid NAMES: who a nickname is, for TELL, SENDFILE and NAMEFIND."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import Cms
from tests.e2e.spool_guest import built, logged_on, running

pytestmark = pytest.mark.e2e

NAMES = """\
:nick.fred   :userid.GETTER
             :name.Fred Q. Getter :phone.1:2 34
:nick.BOTH   :list.fred, NOBODY sender
:nick.LOOP   :list.fred inner
:nick.INNER  :list.LOOP
:nick.SECOND :userid.getter
:nick.AFAR   :userid.getter :node.FARAWAY
"""
FILES = {"sender/sender.names": NAMES, "sender/x.text": "x\n"}


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cms, Cms]]:
    run = built(tmp_path_factory.mktemp("people"), FILES)
    with running(run) as pair, logged_on(pair) as (sender, getter):
        yield sender, getter


def test_tell(users: tuple[Cms, Cms]) -> None:
    sender, getter = users
    sender.run("TELL fred  Hello, (Fred)  there")
    getter.expect("MSG FROM SENDER  : Hello, (Fred)  there", 0)
    told = sender.run("TELL BOTH of you", 45)
    assert told[0] == "DMSTEL045E NOBODY not logged on"
    assert told[1].endswith("MSG FROM SENDER  : of you")
    getter.expect("MSG FROM SENDER  : of you", 0)
    sender.run("TELL getter at vmkb we are near")
    getter.expect("MSG FROM SENDER  : we are near", 0)


def test_nothing_goes_to_another_system(users: tuple[Cms, Cms]) -> None:
    sender, getter = users
    refused = "650E Node FARAWAY cannot be reached: this is VMKB, and it has no RSCS"
    for command in ("TELL GETTER AT FARAWAY x", "TELL AFAR x"):
        assert sender.run(command, 24) == (f"DMSTEL{refused}",)
    for to in ("TO SENDER GETTER AT FARAWAY", "GETTER AT VMKB AFAR"):
        assert sender.run(f"SENDFILE X TEXT A {to}", 24) == (f"DMSSDS{refused}",)
    assert sender.run("QUERY RDR") == getter.run("QUERY RDR") == ("NO RDR FILES",)
    assert sender.run("SENDFILE X TEXT A TO GETTER AT VMKB")[1].startswith("File X TEXT A1 sent")
    getter.run("PURGE RDR ALL")


@pytest.mark.parametrize(
    ("command", "rc", "said"),
    [
        ("TELL", 24, "DMSTEL647E No userid specified"),
        ("TELL FRED", 24, "DMSTEL644E No message specified"),
        ("TELL LONGERTHAN8 x", 24, "DMSTEL646E LONGERTHAN8 is no userid"),
        ("TELL LOOP x", 24, "DMSTEL648E The list of LOOP leads back to itself, or on over 8 lists"),
        ("SENDFILE X TEXT A INNER", 24,
         "DMSSDS648E The list of fred leads back to itself, or on over 8 lists"),
        ("SENDFILE X TEXT A TO NOBODY", 53, "DMKCSP053E NOBODY NOT IN CP DIRECTORY"),
        ("SENDFILE X TEXT A", 24, "DMSSDS647E No userid specified"),
        ("SENDFILE Y TEXT A TO FRED", 28, "DMSSDS002E File Y TEXT A not found"),
        ("NAMEFIND :NICK NONE", 32, "DMSNAM634E No entry matches"),
        ("NAMEFIND", 24, "DMSNAM386E Missing operand: NAMEFIND :tag value"),
        ("NAMEFIND :NICK X (FILE OTHERS", 28, "DMSNAM002E File OTHERS NAMES * not found"),
    ],
)  # fmt: skip
def test_refused(users: tuple[Cms, Cms], command: str, rc: int, said: str) -> None:
    assert users[0].run(command, rc) == (said,)


def test_namefind(users: tuple[Cms, Cms]) -> None:
    sender, _ = users
    assert sender.run("NAMEFIND :NICK FRED :NAME :PHONE :NODE :USERID") == (
        "Fred Q. Getter", "1:2 34", "", "GETTER",
    )  # fmt: skip
    assert sender.run("NAMEFIND :USERID GETTER :NICK (START 2") == ("SECOND",)
    assert sender.run("NAMEFIND :NAME FRED Q. GETTER :NICK") == ("fred",)
    assert sender.run("NAMEFIND :NICK SECOND") == (":nick.SECOND", ":userid.getter")


def test_sendfile_by_nickname(users: tuple[Cms, Cms]) -> None:
    sender, getter = users
    sender.run("SENDFILE X TEXT A TO FRED SECOND (NOTYPE")
    assert getter.run("QUERY FILES")[-1] == "FILES:  0001 RDR,  NO PRT,  NO PUN"
    getter.run("RECEIVE")
