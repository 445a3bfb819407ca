# SPDX-License-Identifier: MIT
"""The volume of each guest: the files that are sent, procedures, and users. Pure."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from vmkb.guests.base import Contents, Driver, FileName
from vmkb.guests.contents import Content, Fixed, Text
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.base.guest import OPERATOR, in_rexx
from vmkb.workloads.dxu.plan import SENDERS_MAX, Case, Definition, Kind

SEED = 168
LRECL = 1024
SENDERS = tuple(f"VMUSER{k}" for k in range(1, SENDERS_MAX + 1))
"""Who sends, in the order of a case's pairs; the name is the password."""
AT_SERVER = "VMUSER3"
"""Who a sender is at FTPSERVE: somebody who is logged on nowhere, so that no minidisk is in use."""
SERVERS: dict[Kind, str] = {
    "ftp": "FTPSERVE", "rx": "RXPERFD", "hang": "RXPERFD", "afs": "AFSSERVE",
}  # fmt: skip
SENT_BY: dict[Kind, int] = {"ftp": SENDERS_MAX, "rx": 1, "hang": 1, "afs": 0}
"""How many of them may send in a trial of a kind."""
SEND, GO, METER = "DXUSEND", "DXUGO", "DXUMETER"
READY, DONE = "IS READY", "ENDED RC="
NULL_FILE = "/dev/null"
LOAD = "MVS"
"""The machine that wants a guest's processor, too, in trials that say so."""
LOAD_READY = f"DXU {LOAD} WORKS"

#: The user stays at the terminal until the line comes that lets all senders go at once; then what
#: FTP types goes to the operator's console, and none of it waits on a full screen.
GO_EXEC = f"""\
/* SPDX-License-Identifier: MIT */
/* {GO} trial: wait for a line at the terminal, and go on without it */
parse arg trial
say 'DXU' trial userid() '{READY}'
parse external line
'CP DISCONN'
"""
SEND_EXEC = f"""\
/* SPDX-License-Identifier: MIT */
/* {SEND} trial host file count: put a file COUNT times on the null file of a server */
parse upper arg trial host file count .
queue '{AT_SERVER} {AT_SERVER}'
queue 'TYPE I'
queue 'CMS {GO}' trial
do count
  queue 'PUT' file '{NULL_FILE}'
end
queue 'QUIT'
'FTP' host '(EXIT'
code = rc
say 'DXU' trial userid() '{DONE}' || code
exit code
"""
#: CP's SLEEP counts whole seconds, so the machine works a part of a second for each that it sleeps.
LOAD_EXEC = """\
/* SPDX-License-Identifier: MIT */
/* PROFILE: work {percent} per cent of the time, for ever */
say '{ready}'
do forever
  call time 'R'
  do while time('E') < {percent} / (100 - {percent})
  end
  'CP SLEEP 1 SEC'
end
"""
_LOAD_USER = f"""\
USER {LOAD} {LOAD} 1M 1M G
 IPL CMS
 CONSOLE 0009 3215 T OPERATOR
 ACCOUNT 10 USERS
 LINK MAINT 0190 0190 RR
 MDISK 0191 3370 AUTO 512 VMKB01 MR
"""
_SENDER = """\
USER {name} {name} 2M 16M G
 IPL CMS
 CONSOLE 0009 3215 T OPERATOR
 ACCOUNT 10 USERS
 LINK MAINT 0190 0190 RR
 LINK MAINT 019E 019E RR
 LINK TCPIP 0191 0198 RR
 MDISK 0191 3370 AUTO 32768 VMKB01 MR RVMUSER1 WVMUSER1
"""

#: Smaller than the guest's own entries: FTPSERVE, AFSSERVE, senders and the monitor are all there
#: at once, and what storage is left is the minidisk cache.
_SMALLER = {
    "TELNETD": """\
USER TELNETD TELNETD 4M 8M ABG 20
 INCLUDE SERVICE
 ACCOUNT 2 NETWORK
 IPL TELNETD
 OPTION MAXCONN 64 COMSRV
""",
    "RTMSF": """\
USER RTMSF RTMSF 2M 8M AEG 30
 INCLUDE SERVICE
 ACCOUNT 2 MONITOR
 IPL RTMSF
 MDISK 0191 3370 AUTO 8192 VMKB01 MR
""",
}


def asked(kind: Kind) -> list[str]:
    """The machines of a guest whose CPU is asked for in a trial of KIND; CP's own work last. A
    server that a trial starts anew has no account over it."""
    servers = [] if kind == "hang" else [SERVERS[kind]]
    return ["TCPIP", *servers, *SENDERS[: SENT_BY[kind]], SYSTEM]


def meter_exec(driver: Driver, kinds: Iterable[Kind]) -> str:
    """The procedure of whoever asks CP for the accounts of others: METER kind BEFORE|AFTER."""
    made = [
        "/* SPDX-License-Identifier: MIT */",
        f"/* {METER} kind BEFORE|AFTER: what the machines of a trial have used */",
        "parse upper arg kind when .",
        "select",
    ]
    for kind in kinds:
        for when, questions in zip(
            ("BEFORE", "AFTER"), driver.cpu_questions(asked(kind)), strict=True
        ):
            made.append(f"  when kind = '{kind.upper()}' & when = '{when}' then do")
            made += [in_rexx(questions, "    "), "  end"]
    return "\n".join([*made, "  otherwise exit 24", "end"]) + "\n"


def file_name(size: int) -> FileName:
    """The file of SIZE bytes."""
    return f"F{size // 1024}K", "SOURCE"


def source_files(sizes: Iterable[int]) -> dict[FileName, Content]:
    """A file of random bytes for each of SIZES; the same in every run."""
    return {
        file_name(size): Fixed(random.Random(f"{SEED} {size}").randbytes(size), LRECL)
        for size in sizes
    }


def afs_file(size: int) -> bytes:
    """The file that workstations fetch: SIZE random bytes, the same in every run."""
    return random.Random(f"{SEED} afs {size}").randbytes(size)


def contents(definition: Definition, driver: Driver, cases: Sequence[Case]) -> Contents:
    """The entries that all guests have: any of them may be any system."""
    kinds = dict.fromkeys(c.kind for c in cases)
    sizes = dict.fromkeys(c.bytes for c in cases if c.kind == "ftp")
    execs = {(GO, "EXEC"): Text(GO_EXEC), (SEND, "EXEC"): Text(SEND_EXEC)}
    meter = {(METER, "EXEC"): Text(meter_exec(driver, kinds))}
    senders = {name: _SENDER.format(name=name) for name in SENDERS}
    files = {name: {**execs, **source_files(sizes)} for name in SENDERS}
    profile = LOAD_EXEC.format(percent=definition.load_percent, ready=LOAD_READY)
    load = {("PROFILE", "EXEC"): Text(profile)}
    return Contents({**_SMALLER, **senders}, _LOAD_USER, {**files, OPERATOR: meter, LOAD: load})
