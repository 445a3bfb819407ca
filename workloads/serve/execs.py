# SPDX-License-Identifier: MIT
"""The procedure that the client runs, as REXX text, and the line that starts it. Pure."""

from __future__ import annotations

from vmkb.workloads.base import transfers

NAME, MARK_NAME = "SERVTRY", "SERVMARK"
DONE = "SERVTRY ENDED RC="
BEFORE, AFTER = "SERVMARK BEFORE", "SERVMARK AFTER"
"""The command that reads the servers' guest; then the client sleeps until it is woken."""
WAITS = "60"
"""Seconds after which it goes on in any case."""

#: The client sleeps inside of FTP: the logon to the server is outside of the interval.
TRY = """\
/* SPDX-License-Identifier: MIT */
/* SERVTRY host user password directory GET|PUT A|I files source seconds: one trial */
parse upper arg host user password directory verb type files source seconds .
'CP DISCONN'
say 'SERVTRY' verb type files source
{clear}
{logon}
queue 'TYPE' type
queue 'CMS SERVMARK BEFORE' seconds
do i = 1 to files
  queue verb source'.SOURCE' 'F' || right(i, 3, 0) || '.OUT'
end
queue 'CMS SERVMARK AFTER' seconds
{run}
{ended}
"""
MARK = """\
/* SPDX-License-Identifier: MIT */
/* SERVMARK BEFORE|AFTER seconds: the operator reads the server's guest, then types SEND */
parse upper arg when seconds .
say 'SERVMARK' when
if seconds > 0 then 'CP SLEEP' seconds 'SEC'
"""
SEED = """\
/* SPDX-License-Identifier: MIT */
/* SERVSEED host user password directory A|I source ..: these files go to the server */
parse upper arg host user password directory files
'CP DISCONN'
{logon}
do while files <> ''
  parse var files type source files
  queue 'TYPE' type
  queue 'PUT' source'.SOURCE' source'.SOURCE'
end
{run}
{ended}
"""
SEED_NAME = "SERVSEED"


def texts() -> dict[str, str]:
    """The procedures by name."""
    logon, run, ended = transfers.LOGON, transfers.RUN, transfers.ended(DONE)
    return {
        NAME: TRY.format(clear=transfers.CLEAR, logon=logon, run=run, ended=ended),
        MARK_NAME: MARK,
        SEED_NAME: SEED.format(logon=logon, run=run, ended=ended),
    }
