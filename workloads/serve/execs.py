# SPDX-License-Identifier: MIT
"""The procedure that the client runs, as REXX text, and the line that starts it. Pure."""

from __future__ import annotations

NAME, MARK_NAME = "SERVTRY", "SERVMARK"
DONE = "SERVTRY ENDED RC="
BEFORE, AFTER = "SERVMARK BEFORE", "SERVMARK AFTER"
"""What is typed when the servers' guest is to be read; then nothing happens for PAUSE_S."""
PAUSE_S = 1

#: Read while the client sleeps inside of FTP: the logon to the server is outside of the interval.
TRY = """\
/* SPDX-License-Identifier: MIT */
/* SERVTRY host user password directory GET|PUT A|I files source pause: one trial */
parse upper arg host user password directory verb type files source pause .
'CP DISCONN'
say 'SERVTRY' verb type files source
if verb = 'GET' then 'ERASE * OUT A'
else do
  queue user password
  queue 'CD' directory
  do i = 1 to files
    queue 'DELETE F' || right(i, 3, 0) || '.OUT'
  end
  queue 'QUIT'
  'FTP' host
end
queue user password
queue 'CD' directory
queue 'TYPE' type
queue 'CMS SERVMARK BEFORE' pause
do i = 1 to files
  queue verb source'.SOURCE' 'F' || right(i, 3, 0) || '.OUT'
end
queue 'CMS SERVMARK AFTER' pause
queue 'QUIT'
'FTP' host '(EXIT'
code = rc
say '{done}' || code
exit code
"""
MARK = """\
/* SPDX-License-Identifier: MIT */
/* SERVMARK BEFORE|AFTER seconds: somebody reads the server's guest meanwhile */
parse upper arg when seconds .
say 'SERVMARK' when
if seconds > 0 then 'CP SLEEP' seconds 'SEC'
"""
SEED = """\
/* SPDX-License-Identifier: MIT */
/* SERVSEED host user password directory A|I source ..: these files go to the server */
parse upper arg host user password directory files
'CP DISCONN'
queue user password
queue 'CD' directory
do while files <> ''
  parse var files type source files
  queue 'TYPE' type
  queue 'PUT' source'.SOURCE' source'.SOURCE'
end
queue 'QUIT'
'FTP' host '(EXIT'
code = rc
say '{done}' || code
exit code
"""
SEED_NAME = "SERVSEED"


def texts() -> dict[str, str]:
    """The procedures by name."""
    return {
        NAME: TRY.format(done=DONE),
        MARK_NAME: MARK,
        SEED_NAME: SEED.format(done=DONE),
    }
