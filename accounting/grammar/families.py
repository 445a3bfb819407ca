# SPDX-License-Identifier: MIT
"""All families, and the one anchored pattern that finds their candidate lines in bytes.

ply reads only candidates.  The pattern starts at a new line, passes what may stand before
a record (below), and tries the families' beginnings; everything else is left as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from vmkb.accounting.grammar.base import Family
from vmkb.accounting.grammar.first import first_bytes, one_of
from vmkb.accounting.input.cards import CODES

_HEX2 = rb"(?:[0-9A-Fa-f]{2} {0,2}){16}"
_EOL = rb"(?=[ \t\r]*(?:\n|\Z))"
#: A userid padded to 8 columns.
_NAME = rb"[A-Z0-9@#$_][A-Z0-9@#$_+: -]{7}"
_VMS_COUNTS = (
    rb"(?i:Buffered I/O count|Direct I/O count|Page faults|Charged CPU time|Images activated"
    rb"|Elapsed CPU time|Connect time)[: ] *\d"
)
_VMS_ROW = rb"[0-9A-F]{8} \S[^\n]{14} [A-Z]{2,5} +\d|\[[^]\n]{1,24}\] +\d{1,12}K[bB]" + _EOL
_CODE = rb"(?:[Ff]0 ?[Ff][1-6]|[Cc]3 ?[Ff][0-3])"

#: What follows Ready; of CMS: its times, a clock or nothing. (The quote ends a trace's line.)
_ALONE = rb"(?=[ \t\r\f\0]*+(?:[Tt]=|[\[(]?\d\d:\d\d|'? *+(?:\n|\Z)))"
#: What CP says of a clock, in full, and CMS of a return code: without it, only capital letters tell
#: a record from a sentence.
_STAMPED = rb"+\d\d:\d\d:\d\d +[A-Za-z]{1,8} +[A-Za-z]{3,6}(?i:day) +\d"
_RETURNED = rb"(?i:ready) ?\((?:\d{5}|-\d{4})\)(?=;|[ \t\r]*(?:\n|\Z))"

#: A number, a time, or none of them.
_HYPTOP = rb"(?:-?\d[\d.:]*+|-)(?![^ \t\r\n])"
#: How the makers of VAXes and Alphas call them.
_VMS_MODEL = rb"(?:(?:Micro)?VAX|Alpha|DEC|Digital|DIGITAL|Compaq|COMPAQ|HP|hp)[^\n:]{0,60}" + _EOL

#: What may be left of RXPERF's report behind a line's end: nothing but words of it.
_RX_WORD = (
    rb"(?:\d[\d.]*|NULL|WRITE|READ|calls|of|bytes|in|seconds|calls/second,|KB/second|packets"
    rb"|sent,?|received,|acknowledgements|again)"
)
_RX_TAIL = rb"(?:[A-Za-z,]{1,10} ){0,2}?(?:\(code +)?-?\d{1,10}\)" + _EOL

FAMILIES = (
    Family("connect", (rb"CONNECT=", rb"(?i:connect= *\d{1,6}:\d\d:\d\d )"),
           rb"(?:VIRT|TOTAL|INTR|CLOCK) +\d+ US |MODEL \S+ CORRECTIONS |IDLE +\d+ US ", 6,
           "QUERY TIME, LOGOFF, ACNT; QUERY TIME (FULL"),
    Family("stamps", (rb"TIME IS +\d", rb"LOGO(?:N|FF) AT +\d", rb"DISCONNECT AT +\d",
                      rb"(?i:time is|logo(?:n|ff) at|disconnect at) " + _STAMPED),
           named=(rb" AT +[A-Z0-9@#$_+:-]{1,8} +VIA +[^ \n]{1,8} +\d\d:",),
           about="TIME IS, LOGON AT, LOGOFF AT, DISCONNECT AT, IDENTIFY"),
    Family("ready",
           (rb"R(?:eady)?(?:;" + _ALONE + rb"|\(-?\d)", rb"(?i:ready); ?(?i:t)=\d", _RETURNED),
           about="CMS Ready; long and short"),
    Family("indicate_load", (rb"AVGPROC-", rb"CPU-\d+% "),
           rb"MDC READS|PAGING-|STEAL-|Q[0-3]-\d|(?:[ \t\r]*+\n[ \t]*+)?(?:PROC \d{4}-|LIMITED-)",
           100, "INDICATE LOAD, VM/370 and z/VM"),
    Family("indicate_user", (rb"USERID=\S+ +MACH=", rb"PAGES: +RES(?!=\d+ +WS=\d+ +LOCKED)"),
           rb"VTIME|IPLSYS=|PAGES: +RES=|INSTAN=|NPREF=|XSTORE= *\d|CPU [0-9A-F]{2}:|RDR=", 200,
           "INDICATE USER, VM/370 and z/VM"),
    Family("users", (rb"\d{1,9} +USERS,", rb"FILES: +(?:NO|\d{1,9}) +RDR,",
                     rb"AUTO LOGON +\*\*\* +[A-Z0-9@#$_+:-]{1,8} +USERS ="),
           named=(rb" - +(?:DSC|SYSC|L?[0-9A-F]{3,4})(?=[ ,\r\n]|\Z)",
                  rb" -L[0-9A-F]{3,4}(?=[ ,\r\n]|\Z)"),
           about="QUERY NAMES, QUERY USERS, QUERY FILES, AUTO LOGON"),
    Family("ftp",
           (rb"\d{1,18} +bytes? transferred in ",
            rb"\d{1,18} bytes? (?:sent|received) in (?: ?\d{1,2}:)?\d\d:\d\d \("),
           about="FTP client messages"),
    Family("rtm", (rb"RTMSF (?:SYSTEM|USER) ",), about="VM/KB's RTMSF log (synthetic)"),
    Family("accounts", (rb"USERID +VIRTUAL US ",),
           rb"HHC[A-Z0-9]{2}\d{3}[A-Z] |SUM \d+ US, |[*A-Z0-9@#$_][A-Z0-9@#$_+:-]{0,7}(?: +\d+){4}"
           + _EOL, 1000, "VM/KB's QUERY ACNT"),
    Family("netstat",
           (rb"(?:LINK|ARP|IP|ICMP|TCP) +SENT +\d", rb"User Id +Conn +Foreign Socket ",
            rb"TCPIP Free pool status:", rb"Device and link status:"),
           rb"DEVICE \S+ LINK |FRAMES IN |BLOCKS IN |\d+ MORE IN TIME-WAIT|[A-Z][A-Z0-9_ ]{0,40}"
           rb"\d+ OF +\d+ FREE, |[A-Z0-9@#$_+:-]{1,8} +\d+ +(?:\*|\S+\.\.\d+) +\S+\.\.\d+ ", 1000,
           "VM/KB's NETSTAT"),
    Family("answers",
           (rb"MODEL +\S+ +OF ", rb"LAYOUT ERROR +\d", rb"INTERVAL +\d+ S, LOG O",
            rb"GMS (?:CALLS|READ|WRITE) \d", rb"FTP DATA \d"),
           about="VM/KB's QUERY MODEL, CALIBRATE LAYOUT, RTMSF's settings, GMSBENCH, GMSREAD,"
           " GMSWRITE, FTP's LOCSTAT"),
    Family("rxperf", (rb"RXPERF: +\d+ +(?:NULL|WRITE|READ) +calls ",),
           rb"(?:[ \t\r]*+\n[ \t]*+)?RXPERF: +\d+ +(?:calls/second|packets)|" + _RX_WORD
           + rb"(?: +" + _RX_WORD + rb")*" + _EOL, 8, "VM/KB's RXPERF", loose=True),
    Family("rxperf_ended", (rb"DMSRXP110E +After +\d",), _RX_TAIL, 1, "why RXPERF's calls ended",
           module="rxperf"),
    Family("cards",
           (rb"[0-9A-Fa-f]{8} ?(?:[0-9A-Fa-f]{8} ?){18}[0-9A-Fa-f]{4}" + _CODE
            + rb"(?![0-9A-Fa-f])",
           ),
           named=(rb"[^\n]{8}\d{12}[^\n]{50}0[456]" + _EOL,),
           about="accounting cards as text or hexadecimal", module="card_text", secret=True),
    Family("card_dump", (rb"0(?:0000)?000:? +" + _HEX2,),
           rb"(?:0000)?00[1-4]0:? +" + _HEX2, 4, "accounting cards as a hex dump, 16 bytes a line",
           module="card_text", maybe=True, secret=True),
    Family("vms_monitor",
           (rb"OpenVMS Monitor Util", rb"VAX/VMS Monitor Util", rb"VMS Monitor Util"),
           _EOL + rb"|TIME IN PROCESSOR|TOP CPU TIME|SYSTEM STATISTICS|PROCESSES|Process Count"
           rb"|on node |\d{1,2}-[A-Z]{3}-\d{4} \d|CUR%? +AVE|PID +STATE|[+|]| *0 +25 +50"
           rb"|(?:Interrupt St|MP Synch|(?:Kernel|Executive|Supervisor|User|Compatibility) Mode"
           rb"|Idle Time|Page (?:Fault|Read)|(?:Free|Modified) List|(?:Direct|Buffered) I/O) ?"
           rb"|[0-9A-F]{8} +\S[^\n]* \d", 100,
           "VMS MONITOR MODES, SYSTEM, PROCESSES, TOPCPU", loose=True),
    Family("vms_accounting",
           (rb"Accounting [Ii]nformation:",
            rb"(?<=[ \0])[A-Z0-9$_@#]{1,12}+ ++(?:job terminated|logged out) at +\d"),
           _VMS_COUNTS, 8, "VMS accounting at logout or job end, and of SHOW PROCESS/ACCOUNTING"),
    Family("vms_accounting_bare", (rb"Accounting [Ii]nformation" + _EOL,), _VMS_COUNTS, 8,
           "the same without its colon", module="vms_accounting", maybe=True),
    Family("vms_show",
           (rb"(?:OpenVMS|VAX/VMS) V\S{1,12} +on node +\S{1,12} +\d[^\n]{14,26} Uptime +\d",),
           rb"Pid +Process Name +State +Pri +I/O +CPU +Page flts +Pages|" + _VMS_ROW
           + rb"|" + _VMS_MODEL, 10_000,
           "VMS SHOW SYSTEM, also /FULL"),
    Family("vms_process",
           (rb"\d{1,2}-[A-Z]{3}-\d{4} [\d:.]{8,11} +User: +\S{1,12} +Process ID: ",),
           rb"Node: +\S{1,12} +Process name: ", 1, "the lines above VMS SHOW PROCESS",
           module="vms_show"),
    Family("hyptop", (rb"\|? *cpu-t: ",),
           rb"system +#?[a-zA-Z]|\(str\) +\(|-{40}|(?:[A-Z0-9@#$_-]{1,8} +)?" + _HYPTOP + rb"(?: +"
           + _HYPTOP + rb")*" + _EOL, 10_000,
           "hyptop -b of Linux on z/VM or an LPAR", maybe=True),
    Family("image", (rb"Virtual server ID: +\S{1,8}" + _EOL,),
           rb',?[A-Z][A-Za-z ]{2,30}: +"[^"\n]{0,20}"', 40,
           "SMAPI's Image_Performance_Query by smcli", maybe=True),
    Family("tenex", (rb"\d{1,6}/\d{1,2} +[\d.]+K ", rb"Subset of data +# Files",
            rb"mode,bytes_per_string,", rb"case,cpu_sec_per_megabit,", rb"subset,files,Mbits,",
            rb"\d{1,3} +[A-Za-z0-9-]{1,12} +[A-Z]{4} +\d\d/\d\d/\d\d "),
           rb"(?:[ \t\r]*+\n[ \t]*+)?(?:Mbits +Kbits"
           rb"|[A-Z][A-Za-z0-9 -]{0,24}?(?: +[\d.]+){5}" + _EOL
           + rb"|[A-Za-z][^,\n]{0,60}(?:,[\d.]*){2,6}" + _EOL + rb")", 200,
           "PDP-10 / TENEX figures of RFCs 415, 557, 573", loose=True),
)  # fmt: skip
BY_NAME = {family.name: family for family in FAMILIES}

# What may stand before a record: a byte order mark, a carriage control character, blanks and nulls
# of a 3270 screen, terminal escapes, what programs on the way put there, and who said it (below).
# Each part is a branch with an empty second arm: cheaper for the matcher than an optional
# group, and an arm is skipped by its first character.
_ESC = rb"\x1b\[[0-9;?]*[A-Za-z]"
_BEFORE = (b"\xef\xbb\xbf", b"data: ", rb"[01+-]", rb"[ \t\f\r\0\x0e\x0f]", _ESC, rb"\[", rb"\d")
# No group is repeated possessively, (?:...)*+: Python before 3.11.5 (Debian 12's) then keeps a part
# of the repetition that failed halfway.
_BLANKS = rb"[ \t\f\r\0\x0e\x0f]*+(?:" + _ESC + rb"(?>(?:[ \t\f\r\0]|" + _ESC + rb")*)|)"
_MARKS = (
    rb"(?>\xef\xbb\xbf|)(?>[01+-](?= *+(?:[A-Z@#$_d]|\d\d:))"
    rb"(?! +(?:USERS,|MORE IN )|[0-9A-F]{7} )|)"  # nor is a digit of VMS's Pid one
)
#: The month of a stamp as syslog writes it: with an emulator's message, the only thing that begins
#: with a capital letter.
_MONTH = rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ 1-3]?\d "
_MESSAGE = rb"HHC00001I "
_DAY = rb"(?:\d\d(?:\d\d)?[-/]\d\d[-/]\d\d(?:\d\d)?(?:T| ++)|" + _MONTH + rb"(?:\d{4} )?|)"
_STAMP = rb"%s" + _DAY + rb"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?%s ++"
#: The number of a virtual processor, as z/VM shows it of a machine that has several.
_CPU = rb"[0-3][0-9A-F]: ++"
#: What loggers, emulators and terminals put before a line, in any order: s3270's answer, a count or
#: seconds in brackets, a stamp, SDL Hyperion's thread and message, a processor, and what a trace of
#: s3270 shows of a screen.
_EACH = rb"|".join((
    rb"data: ++", rb"\[ *\d{1,9}(?:\.\d{1,6})?\] ++", _STAMP, rb"0x[0-9A-Fa-f]{8,16} ++",
    _MESSAGE + rb" *+", _CPU, rb"\d{8}\.\d{6}\.\d{3} Output for \S{1,64}: '" + _BLANKS,
))  # fmt: skip
#: The userid in small letters is no console's: annotated logs have it, unpadded. (But hyptop says
#: which types of processors it counts.)
_SMALL = rb"(?!cpu-t: )[a-z][a-z0-9_.-]{0,31}+(?=: )"
_WORD = rb"[A-Z0-9@#$_][A-Z0-9@#$_+-]{0,7}+"
#: Who said it, up to the colon: a secondary user's console pads the userid to 8 columns or does
#: not; RSCS names the node, with the userid or without; behind a stamp, the log of a programmable
#: operator has userid and node in columns, or blanks, and syslog has the host.
_PADDED = rb"[A-Z0-9@#$_](?=[^\n]{7}: )[A-Z0-9@#$_+-]*+"
_RSCS = (
    rb"(?:DMTRGX171I +(?i:from) +|(?i:from) +(?=[^\n(]{1,8}\())"
    + _WORD
    + rb"(?:\("
    + _WORD
    + rb"\))?"
)
_OPERATOR = rb"(?:(?<=[\dZ] )|(?<=   ))(?:" + _WORD + rb" ++){0,2}(?=: )"
_SYSLOG = rb"(?<=[\dZ] )[A-Za-z][A-Za-z0-9_.-]{0,63} " + _WORD + rb"(?:\[\d{1,10}\])?(?=: )"
_SAID = (
    rb"(?:%s(?:"
    + rb"|".join((_PADDED, _WORD + rb"(?=: )", _RSCS, _OPERATOR, _SYSLOG))
    + rb")%s *: ++)"
)
_TIMED = _MARKS + _BLANKS + rb"(?>(?:" + _EACH + rb")*)"
_BARE = _TIMED % (b"", b"") + rb"(?>" + _SMALL + rb": ++|)"
#: Behind who said it: his processor, and the time again.
_BEHIND = rb"(?>(?:" + _CPU + rb"|" + _STAMP + rb")*)"
_FROM = _SAID % (b"", b"") + _BEHIND % (b"", b"")
PREFIX = _BARE + rb"(?:" + _FROM + rb"|)"
#: The same with time stamp and userid as groups, for the few lines that become records; of a
#: record that stands behind no name, and of one that does, with the stamp behind that.
BARE_PARTS = re.compile(_TIMED % (b"(", b")") + rb"(?>(" + _SMALL + rb"): ++|)()")
PREFIX_PARTS = re.compile(_TIMED % (b"(", b")") + _SAID % (b"(", b")") + _BEHIND % (b"(", b")"))
BEHIND = re.compile(_BEHIND % (b"", b""))


#: Something that every first line of a family's records has in it, for RE2, which knows nothing of
#: what stands before or behind but takes one step for each byte, however many these are.
_HINTS = {
    "connect": rb"(?i:CONNECT=)",
    "stamps": rb"(?i:TIME IS|LOGO(?:N|FF) AT|DISCONNECT AT) +\d| VIA ",
    "ready": rb"R(?:eady)?(?:;|\()|(?i:ready); ?(?i:t)=|(?i:ready) ?\([\d-]",
    "indicate_load": rb"AVGPROC-|CPU-\d+%",
    "indicate_user": rb"USERID=|PAGES: ",
    "users": rb" USERS,|FILES: |AUTO LOGON | - +(?:DSC|SYSC|L?[0-9A-F]{3})| -L[0-9A-F]{3}",
    "ftp": rb" transferred in | (?:sent|received) in [ \d:]{5,10}\(",
    "rtm": rb"RTMSF ",
    "accounts": rb" VIRTUAL US ",
    "netstat": rb" SENT +\d|User Id +Conn|Free pool status|Device and link",
    "rxperf": rb"RXPERF: ",
    "rxperf_ended": rb"DMSRXP110E ",
    "answers": rb"MODEL +\S+ +OF |LAYOUT ERROR|INTERVAL +\d|GMS (?:CALLS|READ|WRITE) |FTP DATA ",
    "cards": rb"(?:[0-9A-Fa-f]{8} ?){4}|0[456][ \t\r]*$",
    "card_dump": rb"000:? +(?:[0-9A-Fa-f]{2} {0,2}){4}",
    "vms_monitor": rb"VMS Monitor Util",
    "vms_accounting": rb"Accounting [Ii]n|(?:job terminated|logged out) at ",
    "vms_accounting_bare": rb"Accounting [Ii]n",
    "vms_show": rb" on node +\S{1,12} +\d",
    "vms_process": rb" Process ID: +[0-9A-F]",
    "hyptop": rb"cpu-t: ",
    "image": rb"Virtual server ID: ",
    "tenex": rb"/\d{1,2} +[\d.]+K |Subset of data |mode,bytes|case,cpu|subset,files"
    rb"| [A-Z]{4} +\d\d/\d\d/\d\d ",
}


@lru_cache(maxsize=8)
def hints(names: tuple[str, ...] = ()) -> Any:
    """A pattern of RE2 that finds something in every line in which a match of candidates() begins.

    It finds it in other lines too; it reads three times as fast as candidates() does.
    """
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    chosen = names or tuple(BY_NAME)
    return re2.compile(b"(?m)" + b"|".join(_HINTS[name] for name in chosen), options)


@lru_cache(maxsize=8)
def candidates(
    names: tuple[str, ...] = (),
) -> tuple[re.Pattern[bytes], tuple[Family, ...], int]:
    """The pattern for the families NAMES (all if empty), the family of each group, and the
    number of the first group whose record stands behind who said it.

    A match runs from the new line before a record to the end of its first line.  Its last
    group is empty, at the end, and its number tells the family; group 1 is empty too, behind the
    prefix.  (Groups around the
    alternatives would hide their first characters from the matcher, which skips most
    alternatives by these.)
    """
    chosen = tuple(BY_NAME[name] for name in names) or FAMILIES
    owners = [chosen[0], chosen[0]]
    tree = _tree(chosen, rb"[^\n]*+()", owners)
    head = rb"\n(?=" + begins(chosen) + rb"|" + _SMALL + rb")"
    head += rb"(?>(?=[^A-Z]|" + _MONTH + rb"|" + _MESSAGE + rb")"
    head += _BARE + rb"|)()"
    return (
        re.compile(head + rb"(?:" + tree + rb")"),
        tuple(owners),
        len(owners) - sum(len(family.start) for family in chosen),
    )


def begins(chosen: tuple[Family, ...]) -> bytes:
    """The first characters of lines that are records of the families CHOSEN, as a set.

    The matcher skips the rest of a log by it: most of a log's lines are words.
    """
    starts = [start for family in chosen for start in family.start]
    return one_of(frozenset().union(*map(first_bytes, [_NAME, *_BEFORE, *starts])))


def _tree(chosen: tuple[Family, ...], rest: bytes, owners: list[Family]) -> bytes:
    """One alternation: plain starts, starts that follow a padded name, and the plain ones again
    behind who said them."""
    plain = [start + rest for family in chosen for start in family.start]
    named = [start + rest for family in chosen for start in family.named]
    plain_owners = [family for family in chosen for _ in family.start]
    owners += plain_owners + [family for family in chosen for _ in family.named] + plain_owners
    said = _FROM + rb"(?:" + rb"|".join(plain) + rb")"
    named_tree = [_NAME + rb"(?:" + rb"|".join(named) + rb")"] if named else []
    return rb"|".join([*plain, *named_tree, said])


@cache
def continuation(name: str) -> Callable[[bytes, int, int], re.Match[bytes] | None]:
    """Matcher of the further lines of a record of family NAME; it always matches."""
    family = BY_NAME[name]
    guard = rb""
    if family.loose:
        guard = rb"(?!" + _BARE + rb"(?:" + _tree(FAMILIES, b"", []) + rb"))"
    line = rb"\n" + guard + PREFIX + rb"(?:" + family.more + rb")[^\n]*+"
    return re.compile(rb"(?:" + line + rb"){0,%d}" % family.limit).match


@lru_cache(maxsize=8)
def further(names: tuple[str, ...] = ()) -> Callable[[bytes], re.Match[bytes] | None]:
    """Matcher of a line that may continue a record of one of the families NAMES (all if empty)."""
    chosen = (BY_NAME[name] for name in names) if names else FAMILIES
    every = [_EOL, *(family.more for family in chosen if family.more)]  # a blank line may
    return re.compile(PREFIX + rb"(?:" + rb"|".join(every) + rb")").match


def family_names() -> list[str]:
    """Names for --format, in the order in which they are tried."""
    return [family.name for family in FAMILIES]


__all__ = [
    "BARE_PARTS",
    "BEHIND",
    "BY_NAME",
    "CODES",
    "FAMILIES",
    "PREFIX_PARTS",
    "begins",
    "candidates",
    "family_names",
    "further",
    "hints",
]
