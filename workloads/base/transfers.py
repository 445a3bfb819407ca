# SPDX-License-Identifier: MIT
"""Parts of procedures that move files by FTP, as REXX text. Pure.

They have variables HOST, USER, PASSWORD and DIRECTORY; CLEAR wants VERB and FILES too, and numbers
the files that come F001.OUT and so on.
"""

from __future__ import annotations

LOGON = """\
queue user password
queue 'CD' directory"""
"""The first lines that FTP reads."""

CLEAR = """\
if verb = 'GET' then 'ERASE * OUT A'
else do
  queue user password
  queue 'CD' directory
  do i = 1 to files
    queue 'DELETE F' || right(i, 3, 0) || '.OUT'
  end
  queue 'QUIT'
  'FTP' host
end"""
"""No file is there that the trial is to make: neither here nor, when files go, at the server."""

RUN = """\
queue 'QUIT'
'FTP' host '(EXIT'
code = rc"""
"""FTP reads what is queued, and ends at its first failure."""


def ended(done: str) -> str:
    """The end of a procedure: a line with DONE and the return code of FTP."""
    return f"say '{done}' || code\nexit code"
