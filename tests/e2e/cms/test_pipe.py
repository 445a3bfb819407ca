# SPDX-License-Identifier: MIT
"""PIPE in EXECs on a guest: files, variables, what commands say, and pipelines of any length."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import Cms
from tests.e2e.spool_guest import built, logged_on, running

pytestmark = pytest.mark.e2e

LOCATE = "| locate /line/ " * 30
FILES = {
    "sender/lines.text": "".join(f"line {n}\n" for n in range(1, 301)),
    "sender/vars.exec": f"""/* */
'PIPE < LINES TEXT A {LOCATE}| take 3 | stem S. | var FIRST'
say rc s.0 s.2 first
'PIPE stem S. | specs recno 1.3 right 1-* nextword | stem T.'
say t.0 t.3
x.0 = 1; x.1 = 'a'
'PIPE stem S. | stem X. append | hole'
say x.0 x.4
'PIPE var T.1 | console'
""",
    "sender/outer.exec": """/* */
'PIPE command EXEC INNER | specs /</ 1 1-* next />/ next | > SAID TEXT A | stem S.'
say rc s.0
'PIPE cms TYPE SAID TEXT | console'
'PIPE cms STATE NO SUCH A | var WHY'
say rc why
'PIPE cp QUERY RDR 99 | hole'
say rc
""",
    "sender/both.exec": """/* */
'EXECIO 1 DISKW BOTH TEXT A (STRING by EXECIO'
'PIPE literal by PIPE| >> BOTH TEXT A'
'PIPE < BOTH TEXT A | console'
""",
    "sender/inner.exec": """/* */
say 'inner'
'PIPE literal from inside| console'
'QUERY USERID'
exit 5
""",
}


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cms]:
    run = built(tmp_path_factory.mktemp("pipe"), FILES)
    with running(run) as pair, logged_on(pair, "SENDER") as (sender,):
        yield sender


def test_variables_and_a_long_pipeline(user: Cms) -> None:
    assert user.run("VARS") == ("0 3 line 2 line 1", "3   3 line 3", "4 line 3", "  1 line 1")


def test_what_commands_say_is_taken(user: Cms) -> None:
    said = ["<inner>", "<from inside>", "<SENDER AT VMKB>"]
    assert user.run("OUTER") == (
        "5 3", *said, "28 DMSSTT002E File NO SUCH A not found", "42",
    )  # fmt: skip


def test_files(user: Cms) -> None:
    user.run("PIPE < LINES TEXT A | take 2 | > TWO DATA A fixed 10")
    assert user.run("LISTFILE TWO DATA A (ALLOC NOHEADER")[-1].split()[3:6] == ["F", "10", "2"]
    user.run("PIPE literal one more| >> TWO DATA A")
    assert user.run("TYPE TWO DATA A") == ("line 1", "line 2", "one more")
    user.run("PIPE < TWO DATA A | drop 2 | > TWO DATA A fixed 10")
    assert user.run("PIPE < TWO DATA A | count lines | console") == ("1",)
    assert user.run("PIPE literal 12345678901| > TWO DATA A fixed 10", 32)[0].startswith("FPLDFW")
    assert user.run("TYPE TWO DATA A") == ("one more",), "what failed leaves the file as it was"
    user.run("PIPE literal 12345678901| literal goes too| >> TWO DATA A", 32)
    assert user.run("TYPE TWO DATA A") == ("one more",)
    assert user.run("BOTH") == ("by EXECIO", "by PIPE"), "an open file is closed first"
    assert user.run("PIPE literal x| > NO DISK Z", 36)[0] == "DMSPIP069E Filemode Z not accessed"
