# SPDX-License-Identifier: MIT
"""The volume of both nodes: documents, procedures and users; the text of a TYPE. Pure."""

from __future__ import annotations

from vmkb.guests.base import Contents, FileName
from vmkb.guests.contents import Content, Text, document
from vmkb.workloads.base.guest import OPERATOR
from vmkb.workloads.terminal.plan import IDLE_MAX, Definition

TYPE_NAME = "TYPEDOCS"
METER = OPERATOR
"""Who asks CP for the accounts of others, and may start service machines and the monitor."""
METER_NAME = "METERCPU"

TYPE_EXEC = """\
/* SPDX-License-Identifier: MIT */
/* TYPEDOCS n: TYPE the first n documents */
parse arg n .
do i = 1 to n
  'TYPE DOC' || right(i, 2, 0) 'TEXT A'
end
"""

#: CP's own account comes last before and first after, so that asking for the others is not in it.
METER_EXEC = """\
/* SPDX-License-Identifier: MIT */
/* METERCPU BEFORE|AFTER first last server...: what servers, terminal users and CP have used */
parse upper arg when first last servers
if when = 'AFTER' then 'CP QUERY TIME SYSTEM (FULL'
do i = 1 to words(servers)
  'CP QUERY TIME' word(servers, i) '(FULL'
end
do i = first to last
  'CP QUERY TIME TERM' || right(i, 2, 0) '(FULL'
end
if when = 'BEFORE' then 'CP QUERY TIME SYSTEM (FULL'
"""

_TERMINAL_USER = """\
USER {name} {name} 512K 1M G
 CONSOLE 0009 3215
 IPL CMS
 LINK MAINT 0190 0190 RR
 LINK DOCS 0191 0191 RR
 LINK TCPIP 0191 0198 RR
"""
#: What the guest's own directory lacks. The user DOCS owns what is TYPEd and is never logged on.
_ADDED = """\
USER DOCS NOLOG 1M 1M G
 MDISK 0191 3370 AUTO 2048 VMKB01 MR ALL
"""
#: Smaller than the guest's own entries: there are 64 users beside them in 64 MB.
_REPLACED = {
    "OPERATOR": """\
USER OPERATOR OPERATOR 1M 16M ABCDEFG
 INCLUDE CMSUSER
 ACCOUNT 1 SYSTEM
""",
    "TELNETD": """\
USER TELNETD TELNETD 4M 8M ABG 20
 INCLUDE SERVICE
 ACCOUNT 2 NETWORK
 IPL TELNETD
 OPTION MAXCONN 64 COMSRV
""",
    "TCPIP": """\
USER TCPIP TCPIP 10M 32M ABCDG 10
 INCLUDE SERVICE
 ACCOUNT 2 NETWORK
 IPL TCPIP
 OPTION MAXCONN 256 ACCT
 DEDICATE 0500 0500
 DEDICATE 0501 0501
 MDISK 0191 3370 AUTO 2048 VMKB01 MR ALL
""",
    "RTMSF": """\
USER RTMSF RTMSF 2M 8M AEG 30
 INCLUDE SERVICE
 ACCOUNT 2 MONITOR
 IPL RTMSF
 MDISK 0191 3370 AUTO 8192 VMKB01 MR
""",
}
_PROFILE = """\
; PROFILE TCPIP of the terminal workload: TELNETD alone, on one Ethernet
DATABUFFERPOOLSIZE 48 32768
DEVICE CTC1 CTC 500
LINK   LAN1 ETHERNET 0 CTC1
HOME
  10.17.0.1 LAN1
GATEWAY
; Network    First hop  Link  MTU   Subnet mask
  10.17.0.0  =          LAN1  1500  255.255.255.0
PORT
  23 TCP TELNETD
AUTOLOG
  TELNETD
ENDAUTOLOG
START CTC1
"""


JOB = "JOB"
"""Who computes for ever, beside what is measured."""
IDLE = tuple(f"IDLE{n}" for n in range(1, IDLE_MAX + 1))
"""Who is logged on and does nothing."""
JOB_READY = "THE JOB COMPUTES"
_JOB_EXEC = f"""\
/* SPDX-License-Identifier: MIT */
/* PROFILE: compute for ever */
say '{JOB_READY}'
do forever
  n = 1 + 1
end
"""
_JOB_USER = """\
USER JOB JOB 512K 1M G
 IPL CMS
 CONSOLE 0009 3215 T OPERATOR
 LINK MAINT 0190 0190 RR
 MDISK 0191 3370 AUTO 512 VMKB01 MR
"""
_IDLE_USER = """\
USER {name} {name} 512K 1M G
 CONSOLE 0009 3215
 IPL CMS
 LINK MAINT 0190 0190 RR
"""


def user(n: int) -> str:
    """The user of terminal number N, from 1, on either node; the name is the password."""
    return f"TERM{n:02d}"


def added_users(definition: Definition) -> str:
    """Directory entries that the guest's own directory has not."""
    users = (_TERMINAL_USER.format(name=user(n)) for n in range(1, definition.terminals_max + 1))
    idle = (_IDLE_USER.format(name=name) for name in IDLE)
    return _ADDED + _JOB_USER + "".join(idle) + "".join(users)


def contents(definition: Definition) -> Contents:
    """All that is on the volume and not the guest's own."""
    return Contents(_REPLACED, added_users(definition), disks(definition))


def disks(definition: Definition) -> dict[str, dict[FileName, Content]]:
    """Files by the owner of the 191 minidisk that they go on."""
    documents = {
        (f"DOC{k:02d}", "TEXT"): Text(document(size))
        for k, size in enumerate(definition.documents, start=1)
    }
    hosts = "".join(f"HOST : {n.address} : {n.name} :\n" for n in definition.node)
    return {
        "DOCS": {**documents, (TYPE_NAME, "EXEC"): Text(TYPE_EXEC)},
        METER: {(METER_NAME, "EXEC"): Text(METER_EXEC)},
        JOB: {("PROFILE", "EXEC"): Text(_JOB_EXEC)},
        "TCPIP": {("PROFILE", "TCPIP"): Text(_PROFILE), ("HOSTS", "LOCAL"): Text(hosts)},
    }


def shown(definition: Definition, documents: int) -> str:
    """The text of TYPEDOCS on a terminal, from behind the echo of the command to before Ready.
    TYPE leaves out blanks at the end of a line."""
    texts = (document(size) for size in definition.documents[:documents])
    return "".join(f"{line.rstrip(' ')}\r\n" for text in texts for line in text.splitlines())
