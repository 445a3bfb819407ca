# SPDX-License-Identifier: MIT
"""The procedures that the client's machine runs, as REXX text. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from vmkb.guests.base import Driver
from vmkb.workloads.base import transfers
from vmkb.workloads.base.definition import Part
from vmkb.workloads.base.guest import in_rexx
from vmkb.workloads.ftp.plan import Definition, Planned

NAME = "FTPTRIAL"
DONE = "FTPTRIAL ENDED RC="
"""The last words of the procedure; its return code follows."""

#: The work is done disconnected, so that every line goes to the operator's console and none waits
#: on a full screen. FTPTIME asks for the times as FTP's CMS subcommand: the logon to the server
#: and FTP's own start are outside the interval, however few files are moved.
EXEC = """\
/* SPDX-License-Identifier: MIT */
/* FTPTRIAL id host user password directory GET|PUT A|I sources files prefix: one trial */
parse upper arg id host user password directory verb type sources files prefix .
'CP DISCONN'
say 'FTPTRIAL' id verb type files
'NETSTAT COUNTERS'
{clear}
{logon}
queue 'TYPE' type
queue 'CMS FTPTIME BEFORE'
do i = 1 to files
  from = prefix || (i - 1) // sources + 1 || '.SOURCE'
  queue verb from 'F' || right(i, 3, 0) || '.OUT'
end
queue 'CMS FTPTIME AFTER'
queue 'LOCSTAT'
{run}
'NETSTAT COUNTERS'
'CP QUERY MODEL'
{ended}
"""
TIME_NAME = "FTPTIME"
TIME = """\
/* SPDX-License-Identifier: MIT */
/* FTPTIME BEFORE|AFTER: what each machine has used; of its own the client asks inmost */
parse upper arg when .
if when = 'BEFORE' then do
{before}
end
else do
{after}
end
"""


def exec_texts(driver: Driver, parts: Sequence[Part], client: str) -> dict[str, str]:
    """The procedures by name, for the machines PARTS, of which CLIENT is the one that runs them;
    DRIVER says how the guest is asked for CPU."""
    before, after = driver.cpu_questions([p.user for p in parts], client)
    return {
        NAME: EXEC.format(
            clear=transfers.CLEAR,
            logon=transfers.LOGON,
            run=transfers.RUN,
            ended=transfers.ended(DONE),
        ),
        TIME_NAME: TIME.format(before=in_rexx(before, "  "), after=in_rexx(after, "  ")),
    }


def command(definition: Definition, planned: Planned, sources: int) -> str:
    """The line that starts one trial. It is the same for all releases: a name, its letters or its
    length, would change the counts."""
    trial = planned.id.replace(f"{planned.release.name}-", "-", 1)
    client = definition.client
    directory = f"{client.user}.{client.minidisk}"
    case = planned.case
    return " ".join(
        (
            NAME, trial, definition.server.address, client.user, client.password, directory,
            case.direction.upper(), "A" if case.mode == "ASCII" else "I", str(sources),
            str(planned.files), f"{case.mode[0]}{case.size.upper()}",
        )
    )  # fmt: skip
