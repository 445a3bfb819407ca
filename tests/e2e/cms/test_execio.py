# SPDX-License-Identifier: MIT
"""EXECIO between files, CP and devices, and the variables of the EXEC that gives it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import Cms
from tests.e2e.spool_guest import built, logged_on, running

pytestmark = pytest.mark.e2e

CASES = {
    "stem": (
        "'EXECIO * DISKR LINES TEXT A (FINIS STEM L.'\nsay rc l.0 l.1 l.3 '<'l.2'>'\n"
        "'EXECIO 5 DISKR LINES TEXT A (FINIS STEM M. MARGINS 2 4'\nsay rc m.0 m.1\n",
        ("0 3 first last of all < >", "2 3 irs"),
    ),
    "var": (
        "'EXECIO 1 DISKR LINES TEXT A 3 (FINIS VAR ONE'\nsay rc one\n"
        "'EXECIO 1 DISKW OUT TEXT A (FINIS VAR ONE'\n'TYPE OUT TEXT A'\n",
        ("0 last of all", "last of all"),
    ),
    "line": (
        "'EXECIO * DISKR LINES TEXT A (FINIS STEM L.'; l.2 = 'two'\n"
        "'EXECIO * DISKW NEW TEXT A (STEM L.'\n"
        "'EXECIO 1 DISKW NEW TEXT A 2 (STRING TWO'\nsay rc\n"
        "n.0 = 2; n.1 = 'LAST OF ALL'; n.2 = 'and more'\n"
        "'EXECIO * DISKW NEW TEXT A 3 (STEM N.'\nsay rc\n"
        "'EXECIO 1 DISKW NEW TEXT A 1 (STRING longer'\nsay rc\n"
        "'EXECIO 1 DISKW NEW TEXT A 9 (STRING far'\nsay rc\n"
        "'EXECIO 1 DISKW NEW TEXT A X (STRING x'\nsay rc\n'TYPE NEW TEXT A'\n"
        "'EXECIO 1 DISKW FIX TEXT A 1 F 5 (STRING a'\n"
        "'EXECIO 2 DISKW FIX TEXT A 1 (STRING too long'\nsay rc\n"
        "'EXECIO 1 DISKW FIX TEXT A 2 (STRING b'\nsay rc\n'TYPE FIX TEXT A'\n"
        "'ERASE NEW TEXT A'; 'ERASE FIX TEXT A'\n",
        (
            "0",
            "0",
            "DMSEIO070E Invalid parameter 1: line 1 has 5 characters, not 6",
            "24",
            "DMSEIO070E Invalid parameter 9: the file has 4 lines",
            "24",
            "DMSEIO070E Invalid parameter X",
            "24",
            "first",
            "TWO",
            "LAST OF ALL",
            "and more",
            "1",
            "0",
            "too l",
            "b",
        ),
    ),
    "locate": (
        "'EXECIO * DISKR LINES TEXT A (FINIS LOCATE /of a/ STEM F.'\nsay rc f.0 f.1 f.2\n"
        "'EXECIO * DISKR LINES TEXT A 2 (FINIS FIND /last/ STEM F.'\nsay rc f.0 f.1 f.2\n"
        "'EXECIO * DISKR LINES TEXT A (FINIS AVOID /f/ STEM F.'\nsay rc f.0 f.1 '<'f.2'>'\n"
        "'EXECIO * DISKR LINES TEXT A (FINIS FIND /ast/ STEM F.'\nsay rc f.0\n"
        "'EXECIO * DISKR LINES TEXT A (FINIS ZONE 1 3 LOCATE /st/'\nsay rc queued()\n",
        ("0 2 3 3 last of all", "0 2 2 3 last of all", "0 2 2 2 < >", "3 0", "3 0"),
    ),
    "devices": (
        "a.0 = 2; a.1 = 'one'; a.2 = copies('x', 81)\n"
        "'EXECIO * PUNCH (STEM A.'\nsay rc\n'EXECIO 1 PUNCH (FINIS STRING last'\nsay rc\n"
        "'EXECIO * PRINT CC DATA (FINIS STEM A.'\nsay rc\n"
        "parse value diag(8, 'QUERY PRT') with '15'x . . class made records .\n"
        "say class made records\n"
        "'PURGE ALL'\n",
        ("1", "0", "0", "A PRT 00000002", "0002 FILES PURGED"),
    ),
    "cp": (
        "'EXECIO * CP (STEM C. STRING QUERY FILES'\nsay rc c.0 c.1\n"
        "'EXECIO 1 CP (VAR V STRING QUERY RDR 9'\nsay rc v\n",
        ("0 1 FILES:  NO RDR,  NO PRT,  NO PUN", "1042 DMKCQR042E SPOOLID 0009 DOES NOT EXIST"),
    ),
    "exposed": (
        "s.1 = 'old'; call sub; say s.1 t.1; exit\nsub: procedure expose s.\n"
        "'EXECIO 1 DISKR LINES TEXT A (FINIS STEM S.'\n"
        "'EXECIO 1 DISKR LINES TEXT A (FINIS STEM T.'\nreturn\n",
        ("first T.1",),
    ),
    "storage": (
        "big = copies('y', 1000); x.0 = 20000\n'EXECIO * DISKW BIG TEXT A (FINIS STEM X.'\n"
        "say rc\n'EXECIO * DISKR BIG TEXT A (FINIS STEM Y.'\nsay rc\nsay 'GOES ON'\n"
        "'ERASE BIG TEXT A'\n",
        ("0", "DMSEIO109S Virtual storage capacity exceeded", "41", "GOES ON"),
    ),
}


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cms]:
    files = {f"sender/{name}.exec": f"/* */\n{text}" for name, (text, _) in CASES.items()}
    files["sender/lines.text"] = "first\n\nlast of all\n"
    run = built(tmp_path_factory.mktemp("execio"), files)
    with running(run) as pair, logged_on(pair, "SENDER") as (sender,):
        yield sender


@pytest.mark.parametrize("name", CASES)
def test_lines_and_variables(user: Cms, name: str) -> None:
    assert user.run(f"EXEC {name}") == CASES[name][1]


@pytest.mark.parametrize(
    ("operands", "said"),
    [
        ("1 DISKR LINES TEXT A (STEM", "DMSEIO070E Invalid parameter "),
        ("1 DISKR LINES TEXT A (STEM 9X", "DMSEIO070E Invalid parameter 9X"),
        ("1 DISKR LINES TEXT A (LOCATE", "DMSEIO070E Invalid parameter: no text to search for"),
        ("1 DISKR LINES TEXT A (ZONE 3 2", "DMSEIO070E Invalid parameter 2"),
        ("1 DISKR LINES TEXT A (VAR X", "DMSEIO631E Variable X can be set from an EXEC only"),
        ("1 DISKR LINES TEXT A (NEITHER", "DMSEIO003E Invalid option: NEITHER"),
        ("X DISKR LINES TEXT A", "DMSEIO070E Invalid parameter X"),
        ("1 READS LINES TEXT A", "DMSEIO070E Invalid parameter READS"),
    ],
)
def test_refused(user: Cms, operands: str, said: str) -> None:
    assert user.run(f"EXECIO {operands}", 24) == (said.strip(),)
    user.run("FINIS * * *")
