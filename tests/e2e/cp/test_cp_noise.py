# SPDX-License-Identifier: MIT
"""Malformed commands: words of CP's commands in any order, and plain noise. CP answers each,
nothing ends, and the accounts still add up."""

from __future__ import annotations

import random
import re
import string
from pathlib import Path

import pytest

from tests.e2e.cp_console import Console, booted

pytestmark = pytest.mark.e2e

# Without what ends the session, hands the terminal to a program or changes how it echoes.
VERBS = """
ACNT ATTN AUTOLOG CALIBRATE CP DEFINE DETACH DISPLAY D INDICATE IND LINK MESSAGE MSG M MONITOR
QUERY Q REQUEST SET SMSG SYSTEM TERMINAL TERM WARNING WNG XAUTOLOG
""".split()
WORDS = """
* ALL OFF ON ( (FULL FULL ) - . .. / 0 1 00 191 7FF FFFF 10000 99999999999 -1 1.5 G G1-F GFF PSW
10000.FFF 0-FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFFF STORAGE 1K 4M 999999M K M VIRTUAL DASD NAMES
USERS TIME SYSTEM WHEEL GENERAL GUARDED NOBODY SERVER ABCDEFGHIJKLMNOP TO AS R RR MW PASS=
PASS=X PF PF1 PF99 IMMED RETRIEVE LINESIZE EMSG LOGMSG PRIORITY FAVORED MDC MODEL 2064-109
ENABLE DISABLE INTERVAL CLASS USER LOAD QUEUES I/O IPL PARM CMS EXERCISE LOOP CLEAR RESET % & < >
? @ # $ ' " , ;
""".split()


def _lines(count: int) -> list[str]:
    choose = random.Random(370)
    printable = [*string.ascii_letters, *string.digits, *".,:;*/-+=()#@$%&'<>?", *" " * 20]
    lines = []
    for i in range(count):
        if i % 4 == 0:
            text = "".join(choose.choices(printable, k=choose.randint(1, 130)))
            lines.append("?" + text.strip())
            continue
        words = [choose.choice(VERBS), *choose.choices(WORDS, k=choose.randint(0, 6))]
        lines.append(" ".join(words)[:130])
    return lines


def test_noise_is_answered(tmp_path: Path) -> None:
    with booted(tmp_path) as (guest, machine):
        console = Console(guest, machine, 0x0700)
        console.logon("WHEEL")
        for line in _lines(300):
            answer = console.ask(line)
            if line.startswith("?"):
                assert len(answer) == 1 or "#" in line, line  # behind a # there is another
                assert answer[0].startswith("DMKCFC001E ?CP: ?") or answer == [], line
                console.ask("SET EMSG ON")
            assert machine.running
        assert console.ask("SET EMSG ON") == []
        last = console.ask("QUERY ACNT")[-1]
        percent = re.search(r"(\d+\.\d\d)%$", last)
        assert percent is not None
        assert float(percent[1]) < 1
        console.close()
