# SPDX-License-Identifier: MIT
"""The procedures that the near host's user runs, as REXX text. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from vmkb.guests.base import Driver, FileName
from vmkb.workloads.base.guest import in_rexx

NAME, TIME = "LINETRY", "LINETIME"
DONE = "LINETRY ENDED RC="
BEGINS, GOES_ON, ENDS = "LINETIME BEGINS", "LINETIME GOES ON", "LINETIME ENDS"
REST_S = 10
"""Seconds, of the guest's clock, in which the far host is asked before and after."""
TARGET: FileName = ("RFC", "OUT")
SMALL_FILES = 24
"""Files beside it, which `dir` lists."""
TEXT = """\
/* SPDX-License-Identifier: MIT */
/* LINETRY id host user GET|DIR file: one trial */
parse upper arg id host user what file .
'CP DISCONN'
say 'LINETRY' id what
'ERASE {target} A'
queue user user
queue 'CD' user || '.191'
queue 'TYPE A'
queue 'CMS {time} BEFORE'
if what = 'DIR' then queue 'DIR'
else queue 'GET' file '{target_name}'
queue 'CMS {time} AFTER'
queue 'QUIT'
'FTP' host '(TIMEOUT 1800'
code = rc
'CP QUERY MODEL'
say '{done}' || code
exit code
"""
ASK = """\
/* SPDX-License-Identifier: MIT */
/* LINETIME BEFORE|AFTER: what each machine here has used; a rest while the far host is asked */
parse upper arg when .
if when = 'BEFORE' then do
  say '{begins}'
  'CP SLEEP {rest} SEC'
  say '{goes_on}'
{before}
end
else do
{after}
  say '{ends}'
  'CP SLEEP {rest} SEC'
  say '{goes_on}'
end
"""


def texts(driver: Driver, user: str, machines: Sequence[str]) -> dict[str, str]:
    """The procedures by name; DRIVER says how the guest is asked for the CPU of MACHINES."""
    before, after = driver.cpu_questions([*machines, user], user)
    return {
        NAME: TEXT.format(
            target=" ".join(TARGET), time=TIME,
            target_name=".".join(TARGET), done=DONE,
        ),
        TIME: ASK.format(
            begins=BEGINS, ends=ENDS, goes_on=GOES_ON, rest=REST_S,
            before=in_rexx(before, "  "), after=in_rexx(after, "  "),
        ),
    }  # fmt: skip


def source(size: int) -> FileName:
    """The file of SIZE bytes on the far host."""
    return f"RFC{size}", "TEXT"


def command(trial: str, host: str, user: str, what: str, file: str) -> str:
    """The line that starts a trial."""
    return " ".join((NAME, trial, host, user, what.upper(), file))
