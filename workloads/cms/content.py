# SPDX-License-Identifier: MIT
"""The volume: users, their files, a disk of documents that all have, the procedures that
stand for compilers, and the meter. Pure."""

from __future__ import annotations

from vmkb.guests.base import Contents, FileName
from vmkb.guests.contents import Content, Text, document
from vmkb.workloads.base.guest import OPERATOR
from vmkb.workloads.cms.machine import USER_MB
from vmkb.workloads.cms.plan import Definition, user

METER = OPERATOR
METER_NAME = "METERCMS"
SHARED = "CMSDOCS"
"""Who owns the documents of all and the procedures; nobody logs on as."""
REPORT_BYTES = 24_000
SIZES = (400, 900, 1500, 2400, 700, 3600, 1200, 5200, 600, 1900)
"""Bytes of the files of an A disk, in turn."""

#: CP's own account comes last before and first after, so that asking for the others is not in it.
METER_EXEC = """\
/* SPDX-License-Identifier: MIT */
/* METERCMS BEFORE|AFTER users: what they and CP have used */
parse upper arg when users .
if when = 'AFTER' then 'CP QUERY TIME SYSTEM (FULL'
do i = 1 to users
  'CP QUERY TIME U' || right(i, 3, 0) '(FULL'
end
if when = 'BEFORE' then 'CP QUERY TIME SYSTEM (FULL'
"""
PROFILE_EXEC = """\
/* SPDX-License-Identifier: MIT */
/* PROFILE of a user: the disk of documents behind his own */
'CP SET EMSG ON'
'CP TERMINAL MORE 60 60'
'ACCESS 0192 C'
"""
#: Reads a source, takes its lines apart, keeps a table of names, writes a listing with all of that.
COMPILE_EXEC = """\
/* SPDX-License-Identifier: MIT */
/* CMSCOMP fn ft: stands for a compiler */
parse upper arg fn ft .
'EXECIO * DISKR' fn ft 'A (FINIS STEM LINE.'
if rc <> 0 then exit rc
names = ''
words = 0
do i = 1 to line.0
  rest = translate(line.i)
  do while rest <> ''
    parse var rest word rest
    words = words + 1
    if wordpos(word, names) = 0 then if length(names) < 400 then names = names word
  end
  out.i = right(i, 5, 0) line.i
end
n = line.0 + 1
out.n = 'LINES' line.0 'WORDS' words 'NAMES' words(names)
'EXECIO' n 'DISKW' fn 'LISTING A (FINIS STEM OUT.'
say 'CMSCOMP:' out.n
exit 0
"""
ASSEMBLE_EXEC = """\
/* SPDX-License-Identifier: MIT */
/* CMSASM fn: stands for an assembler */
parse upper arg fn .
'EXECIO * DISKR' fn 'ASSEMBLE A (FINIS STEM LINE.'
if rc <> 0 then exit rc
at = 0
do i = 1 to line.0
  parse var line.i label operation operands .
  select
    when left(line.i, 1) = '*' then size = 0
    when operation = 'DS' | operation = 'DC' then size = 8
    when left(operation, 1) = 'B' then size = 2 + 2 * (pos(',', operands) > 0)
    otherwise size = 4
  end
  out.i = d2x(at, 6) left(operation, 8) line.i
  at = at + size
end
'EXECIO' line.0 'DISKW' fn 'LISTING A (FINIS STEM OUT.'
say 'CMSASM:' line.0 'lines,' at 'bytes'
exit 0
"""
RUN_EXEC = """\
/* SPDX-License-Identifier: MIT */
/* CMSRUN n: a program that computes */
parse arg n .
sum = 0
do i = 1 to n
  do j = 1 to 5
    sum = sum + i * j // 7
  end
end
say 'SUM' sum
exit 0
"""
_USER = """\
USER {name} {name} {mb}M 4M G
 IPL CMS
 CONSOLE 0009 3215
 SPOOL 000C 2540R *
 SPOOL 000D 2540P A
 SPOOL 000E 1403 A
 LINK MAINT 0190 0190 RR
 LINK {shared} 0191 0192 RR
 MDISK 0191 3370 AUTO 2048 VMKB01 MR
"""
_SHARED = """\
USER CMSDOCS NOLOG 1M 1M G
 MDISK 0191 3370 AUTO 8192 VMKB01 MR ALL
"""
#: Smaller than the guest's own: nobody transfers files here, and a hundred users have disks.
_REPLACED = {
    "VMUSER1": """\
USER VMUSER1 NOLOG 1M 1M G
 MDISK 0191 3370 AUTO 512 VMKB01 MR
""",
    "VMUSER2": """\
USER VMUSER2 NOLOG 1M 1M G
 MDISK 0191 3370 AUTO 512 VMKB01 MR
""",
}


def contents(definition: Definition, users: int) -> Contents:
    """The volume of a run with so many USERS."""
    entries = "".join(
        _USER.format(name=user(n), mb=USER_MB, shared=SHARED) for n in range(1, users + 1)
    )
    mine = own_files(definition)
    files: dict[str, dict[FileName, Content]] = {user(n): mine for n in range(1, users + 1)}
    files[SHARED] = shared_files(definition)
    files[METER] = {(METER_NAME, "EXEC"): Text(METER_EXEC)}
    return Contents(_REPLACED, added=_SHARED + entries, files=files)


def own_files(definition: Definition) -> dict[FileName, Content]:
    """The files of a user's A disk."""
    named: dict[FileName, Content] = {
        ("PROFILE", "EXEC"): Text(PROFILE_EXEC),
        ("REPORT", "SCRIPT"): Text(document(REPORT_BYTES)),
        ("PROG", "ASSEMBLE"): Text(program(120)),
        ("PAYROLL", "COBOL"): Text(payroll(90)),
        ("MATRIX", "FORTRAN"): Text(matrix(60)),
    }
    left = definition.files - len(named)
    texts = [Text(document(size)) for size in SIZES]
    return named | {(f"D{n:03d}", "SCRIPT"): texts[n % len(SIZES)] for n in range(1, left + 1)}


def shared_files(definition: Definition) -> dict[FileName, Content]:
    """The files of the disk that all have: documents, and the procedures."""
    texts = [Text(document(size)) for size in SIZES]
    named: dict[FileName, Content] = {
        ("CMSCOMP", "EXEC"): Text(COMPILE_EXEC),
        ("CMSASM", "EXEC"): Text(ASSEMBLE_EXEC),
        ("CMSRUN", "EXEC"): Text(RUN_EXEC),
    }
    left = definition.shared_files - len(named)
    return named | {(f"M{n:04d}", "MEMO"): texts[n % len(SIZES)] for n in range(1, left + 1)}


def program(lines: int) -> str:
    body = ("         LR    3,4", "         A     3,TOTAL", "         ST    3,TOTAL",
            "         L     4,RECORD", "         BC    8,DONE")  # fmt: skip
    head = ["PROG     CSECT", "         BALR  12,0", "         USING *,12"]
    tail = ["DONE     BR    14", "TOTAL    DC    F'0'", "RECORD   DS    F", "         END   PROG"]
    middle = [body[n % len(body)] for n in range(lines - len(head) - len(tail))]
    return "".join(f"{line}\n" for line in (*head, *middle, *tail))


def payroll(lines: int) -> str:
    body = ("           MOVE HOURS TO WORKED.", "           MULTIPLY RATE BY WORKED GIVING PAY.",
            "           PERFORM WRITE-LINE.", "           ADD PAY TO TOTAL.")  # fmt: skip
    return "".join(f"{body[n % len(body)]}\n" for n in range(lines))


def matrix(lines: int) -> str:
    body = ("      DO 10 I = 1, N", "      A(I) = B(I) * C(I)", "   10 CONTINUE")
    return "".join(f"{body[n % len(body)]}\n" for n in range(lines))
