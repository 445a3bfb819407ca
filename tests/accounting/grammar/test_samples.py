# SPDX-License-Identifier: MIT
"""Lines from real systems (captures and manuals; each named), and what they must say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import ParseError, Record, Source, Text, Unit, Value

SHARED = Path(__file__).parents[4] / "shared"


def read(text: str, **options: Any) -> list[Any]:
    return list(scan([text.encode("latin-1")], **options))


def one(text: str) -> dict[str, object]:
    (found,) = read(text)
    assert isinstance(found, Record), found
    plain = {n: v.value if isinstance(v, Value) else v for n, v in found.fields.items()}
    return {"kind": found.kind, **plain}


LINES = [
    # two VM/370 R6 systems' LOGOFF captures; then the ACNT line as its manual prints it
    ("CONNECT= 00:00:02 VIRTCPU= 000:00.10 TOTCPU= 000:00.24",
     {"connect": 2_000_000, "virtcpu": 100_000, "totcpu": 240_000}),
    ("CONNECT= 00:31:03 VIRTCPU= 000:59.44 TOTCPU= 003:05.67",
     {"connect": 1_863_000_000, "virtcpu": 59_440_000, "totcpu": 185_670_000}),
    ("CONNECT=01:02:03 VIRTCPU=004:05.06 TOTCPU=007:08.09",
     {"connect": 3_723_000_000, "virtcpu": 245_060_000, "totcpu": 428_090_000}),
    ("LOGON AT 21:48:25 GMT MONDAY 08/17/26",
     {"kind": "logon", "clock": 78505, "date": "2026-08-17", "zone": "GMT", "weekday": "MONDAY"}),
    ("LOGON AT 18:41:51 GMT THURSDAY 01/01/26", {"date": "2026-01-01"}),
    ("LOGOFF AT 12:44:14 GMT MONDAY 01/19/26", {"kind": "logoff", "date": "2026-01-19"}),
    # z/VM 7.3: two blanks after the zone, ISO date
    ("TIME IS 16:45:28 EDT  FRIDAY 2025-05-30",
     {"kind": "time_is", "clock": 60328, "date": "2025-05-30", "zone": "EDT"}),
    ("TIME IS 16:45:28 EDT FRIDAY 05/30/2025", {"date": "2025-05-30"}),
    # a weekday tells the century of a two-digit year: 1 January 1926 was a FRIDAY
    ("TIME IS 00:00:01 GMT FRIDAY 01/01/26", {"date": "1926-01-01"}),
    ("DISCONNECT AT 12:44:14 GMT MONDAY 01/19/26", {"kind": "disconnect"}),
    ("Ready; T=0.01/0.01 21:48:26",
     {"kind": "ready", "rc": 0, "virtcpu": 10_000, "totcpu": 10_000, "form": "long"}),
    ("Ready; T=0.84/2.59 23:39:34", {"virtcpu": 840_000, "totcpu": 2_590_000}),
    ("R; T=3.36/22.41 01:20:58", {"virtcpu": 3_360_000, "totcpu": 22_410_000, "form": "short"}),
    ("R;", {"kind": "ready", "rc": 0, "form": "short"}),
    ("Ready(00028)", {"kind": "ready", "rc": 28}),
    ("Ready(00008); T=0.37/0.38 17:14:46", {"rc": 8, "totcpu": 380_000}),
    # from a list that kept no clock, and a console without times
    ("Ready(00008); T=19.30/19.51", {"rc": 8, "virtcpu": 19_300_000, "totcpu": 19_510_000}),
    ("Ready; 15:24:53", {"rc": 0, "totcpu": None}),
    ("Ready(-0003); T=0.37/0.38 17:14:46", {"rc": -3}),
    ("MECAFF   AT VM370CE  VIA RSCS     09:37:31 09/04/24 GMT     WEDNESDAY",
     {"kind": "identify", "userid": "MECAFF", "node": "VM370CE", "rscs": "RSCS",
      "date": "2024-09-04", "clock": 34651, "zone": "GMT"}),
    ("LCLEF02  - DSC , LTROTH1  - DSC , LSTAGE1  - DSC , ...",
     {"kind": "names", "users": (("LCLEF02", "DSC"), ("LTROTH1", "DSC"), ("LSTAGE1", "DSC"))}),
    ("    53 USERS,      0 DIALED,      0 NET",
     {"kind": "users", "users": 53, "dialed": 0, "net": 0}),
    ("FILES: 0016 RDR, 0001 PRT,   NO PUN",
     {"kind": "files", "reader": 16, "printer": 1, "punch": 0}),
    ("15:29:50 AUTO LOGON   ***   AUTOLOG1 USERS = 002  BY  OPERATOR",
     {"kind": "auto_logon", "userid": "AUTOLOG1", "users": 2, "by": "OPERATOR"}),
    ("AUTO LOGON *** A USERS =2", {"kind": "auto_logon", "userid": "A", "users": 2, "by": None}),
    ("[ 320] TIME IS 16:45:28 EDT FRIDAY 05/30/2025", {"kind": "time_is", "date": "2025-05-30"}),
    ("[    12.345678] 15:29:50 TCPIP   : R;", {"kind": "ready"}),
    # tnftp in Debian's Linux 6.1: time and rate are cut
    ("1362944 bytes sent in 00:00 (22.75 MiB/s)",
     {"kind": "ftp_transfer", "bytes": 1362944, "elapsed": 500_000, "rate": 23296}),
    ("2097152 bytes transferred in 1.65 seconds. Transfer rate 1241 Kbytes/sec.",
     {"kind": "ftp_transfer", "bytes": 2097152, "elapsed": 1_650_000, "rate": 1241}),
    ("     50/36          48.8K           291K          16%",
     {"kind": "tenex_rate", "string_bytes": 50, "byte_bits": 36, "real_rate": 48.8,
      "cpu_rate": 291, "cpu": 16}),
    ("     2 sri-arc    STOR 73/08/09 18:19:49   121392  1395  21 I 36 U",
     {"kind": "tenex_transfer", "date": "1973-08-09", "real_rate": 1.395,
      "cpu_per_mbit": 21_000_000, "host": "sri-arc"}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "said"), LINES)
def test_a_line_says(line: str, said: dict[str, object]) -> None:
    found = one(line)
    assert {name: found.get(name) for name in said} == said


ZVM_LOAD = """\
AVGPROC-027% 0017
MDC READS-000000/SEC WRITES-000000/SEC HIT RATIO-000%
PAGING-3/SEC
Q0-00001 Q1-00007           Q2-00002 EXPAN-002 Q3-00068 EXPAN-002
Ready; T=0.01/0.01 23:06:38"""
ZVM63_LOAD = """\
AVGPROC-000% 05
MDC READS-000000/SEC WRITES-000000/SEC HIT RATIO-000%
PAGING-0/SEC
Q0-00000(00000)                           DORMANT-00001
Q1-00000(00000)           E1-00000(00000)
Q2-00000(00000) EXPAN-001 E2-00000(00000)
Q3-00000(00000) EXPAN-001 E3-00000(00000)

PROC 0000-000% CP   HZ     PROC 0001-000% CP   HZ
PROC 0004-000% CP   HZ

LIMITED-00000
"""
ZVM_USER = """\
USERID=MAINT    MACH=ESA STOR=256M VIRT=V XSTORE=NONE
IPLSYS=DEV 0190 DEVNUM=00036
PAGES: RES=1622  WS=1601  LOCKEDREAL=0  RESVD=0
       INSTAN=1622
NPREF=0  PREF=0  READS=1  WRITES=13
CPU 00: CTIME=00:38 VTIME=000:00 TTIME=000:00 IO=000603
        RDR=000000 PRT=000432 PCH=000000 TYPE=CP   CPUAFFIN=ON
CPU 01: CTIME=00:38 VTIME=001:02 TTIME=001:03 IO=000001
        RDR=000000 PRT=000000 PCH=000000 TYPE=CP   CPUAFFIN=ON
"""
VAX_ACCOUNTING = """\
  SYSTEM       job terminated at 10-MAY-2022 12:42:41.10

  Accounting information:
  Buffered I/O count:            1214         Peak working set size:     807
  Direct I/O count:               582         Peak page file size:      3344
  Page faults:                   3882         Mounted volumes:             0
  Charged CPU time:           0 00:00:02.19   Elapsed time:     0 00:00:17.02
"""


def test_zvm_indicate_load_from_two_releases() -> None:
    load, ready = read(ZVM_LOAD)
    assert ready.kind == "ready"
    assert {n: load.value(n).value for n in ("cpu", "engines", "paging", "q3", "q3_expan")} == {
        "cpu": 27, "engines": 17, "paging": 3, "q3": 68, "q3_expan": 2,
    }  # fmt: skip
    (old,) = read(ZVM63_LOAD)
    assert old.value("engines").value == 5 and old.raw.endswith("LIMITED-00000")
    assert {n: old.value(n).value for n in ("dormant", "q1_loading", "e3", "limited")} == {
        "dormant": 1, "q1_loading": 0, "e3": 0, "limited": 0,
    }  # fmt: skip
    assert old.fields["processors"] == (
        ("0000", "000", "CP", "HZ"), ("0001", "000", "CP", "HZ"), ("0004", "000", "CP", "HZ"),
    )  # fmt: skip


def test_zvm_indicate_user_gives_one_record_per_cpu_and_the_pages_once() -> None:
    first, second = read(ZVM_USER)
    assert first.word("processor") == "00" and second.word("processor") == "01"
    assert first.value("resident").value == 1622 and "resident" not in second.fields
    assert first.value("connect").value == 38 * 60_000_000
    assert first.value("instantiated").value == 1622 and first.value("devices").value == 36
    words = ("machine", "defined", "virtual", "expanded", "ipl", "type", "affinity")
    assert [first.word(w) for w in words] == [
        "ESA", "256M", "V", "NONE", "DEV 0190", "CP", "ON",
    ]  # fmt: skip
    assert second.value("ttime").value == 63_000_000 and second.where.line == 8
    assert first.raw + "\n" + second.raw + "\n" == ZVM_USER


def test_expanded_storage_of_older_zvms_is_not_the_pages_of_main_storage() -> None:
    older = "WRITES=13\nXSTORE=000007 READS=000021 WRITES=000034 MIGRATES=000002\n"
    first, _ = read(ZVM_USER.replace("WRITES=13\n", older))
    assert first.value("expanded_pages").value == 7
    assert first.value("reads").value == 1 and first.value("writes").value == 13


def test_names_of_logical_terminals_have_no_blank_before_them() -> None:
    rows = [r.fields["users"] for r in read("MAINT    -L0003, TCPIP    - DSC\nBARRY    -L0004\n")]
    assert rows == [(("MAINT", "L0003"), ("TCPIP", "DSC")), (("BARRY", "L0004"),)]
    assert not read("OPTIONS  -LONG  -ADD\n")


def test_vms_accounting_block() -> None:
    logout, block = read(ZVM_LOAD[:0] + VAX_ACCOUNTING)
    assert logout.word("userid") == "SYSTEM" and logout.word("date") == "2022-05-10"
    assert block.value("cpu").value == 2_190_000
    assert block.value("elapsed").value == 17_020_000
    assert block.value("direct_io").value == 582


@pytest.mark.parametrize(
    "title", ["Accounting information:", "Accounting Information:", "Accounting information"]
)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.title(),
        lambda text: text.replace("CPU time:", "CPU time"),
    ],
)
def test_vms_accounting_in_other_spellings(title: str, change: Any) -> None:
    head, _, counts = VAX_ACCOUNTING.partition("  Accounting information:\n")
    _, block = read(f"{head}  {title}\n" + change(counts))
    assert isinstance(block, Record), block
    assert block.value("cpu").value == 2_190_000 and block.value("page_faults").value == 3882
    assert block.value("peak_pages").value == 3344


#: VAX captures; of the first two rows of a long display, and a process without a CPU time.
VMS_SYSTEM = """\
OpenVMS V7.3  on node VAX1  30-JUL-2026 19:53:53.04  Uptime  0 02:02:59
  Pid    Process Name    State  Pri      I/O       CPU       Page flts  Pages
20200201 SWAPPER         HIB     16        0   0 00:00:00.05         0      0
20200215 EVL             HIB      6       55   0 00:00:00.04       413    507  N
2020021C BATCH 12        COMO     4      --   swapped out                 507
$ SHOW PROCESS/ACCOUNTING

30-JUL-2026 19:58:22.97   User: SYSTEM           Process ID:   2020021C
                          Node: VAX1             Process name: "SYSTEM"

Accounting information:
 Buffered I/O count:       273  Peak working set size:        812
 Direct I/O count:          49  Peak virtual size:           5320
 Page faults:             6310  Mounted volumes:                0
 Images activated:          13
 Elapsed CPU time:          0 00:00:00.32
 Connect time:              0 02:01:40.18
"""
VMS_SYSTEM_FULL = """\
    OpenVMS V7.3  on node CGXVAX  14-JAN-2009 20:28:15.61  Uptime  1 21:25:15
            VAXserver 3900 Series
      Pid    Process Name    State  Pri      I/O       CPU       Page flts  Pages
    00000201 SWAPPER         HIB     16        0   0 00:00:00.15         0      0
             [SYSTEM]                                                           0Kb
    00000216 SYSTEM          CUR      5    20474   0 00:02:13.67      7147    336
             [SYSTEM]                                                         168Kb
    00000218 HTTPd:80        HIB      6      840   0 00:00:05.02      3764   3091
             [HTTP$SERVER]                                                   1545Kb
"""


def test_vms_show_system_and_show_process() -> None:
    swapper, evl, process, used = read(VMS_SYSTEM)
    assert swapper.notes == ("1 processes show no CPU time and are left out",)
    assert swapper.value("uptime").value == 7_379_000_000 and swapper.word("date") == "2026-07-30"
    assert (evl.word("name"), evl.word("type"), evl.where.line) == ("EVL", "N", 4)
    assert evl.value("cpu").value == 40_000 and evl.value("pages").value == 507
    assert (process.word("userid"), process.word("pid")) == ("SYSTEM", "2020021C")
    assert (process.word("node"), process.word("name")) == ("VAX1", "SYSTEM")
    assert used.kind == "vms_usage" and used.value("images").value == 13
    assert used.value("cpu").value == 320_000 and used.value("elapsed").value == 7_300_180_000


def test_vms_show_system_full() -> None:
    found = read(VMS_SYSTEM_FULL)
    assert [r.word("name") for r in found] == ["SWAPPER", "SYSTEM", "HTTPd:80"]
    assert [r.value("cpu").value for r in found] == [150_000, 133_670_000, 5_020_000]
    assert {r.word("node") for r in found} == {"CGXVAX"} and found[2].where.line == 8
    assert "".join(r.raw + "\n" for r in found) == VMS_SYSTEM_FULL


#: IBM's page on hyptop: a display in an LPAR; what it shows in a guest begins in the same way.
HYPTOP = """\
12:30:48 | cpu-t: IFL(18)  CP(3)  UN(3)                           ?=help
system   #core    core    mgm    Core+  Mgm+   online
(str)      (#)     (%)    (%)     (hm)  (hm)    (dhm)
S05LP30     10  461.14  10.18  1547:41  8:15 11:05:59
S05LP33      4  133.73   7.57   220:53  6:12 11:05:54
TRX1        19    1.22   0.14    13:57  0:22 11:06:01
           413  823.39  23.86  3159:57 38:08 11:06:01
"""
#: No capture: what -f "#,c,C:us,m,o" prints in a guest, made after hyptop's source.
HYPTOP_GUEST = """\
12:32:21 cpu-t: UN(16)
system    #cpu     cpu         Cpu+   mgm    online
(str)      (#)     (%)         (us)   (%)     (dhm)
LINUX01      6  100.31  36031234567     -  11:05:59
            16  100.31  36031234567     -  11:05:59
-------------------------------------------------------------------------------
"""
#: The answer that a client of SMAPI keeps in its tests, with its prefix.
IMAGE = """\
zhcp2: Number of virtual server IDs: 1
zhcp2: Virtual server ID: fakevm
zhcp2: Record version: "1"
zhcp2: Guest flags: "0"
zhcp2: Used CPU time: "26238001893 uS"
zhcp2: Elapsed time: "89185770400 uS"
zhcp2: Minimum memory: "0 KB"
zhcp2: Max memory: "8388608 KB"
zhcp2: Shared memory: "5222192 KB"
zhcp2: Used memory: "5222184 KB"
zhcp2: Active CPUs in CEC: "44"
zhcp2: Logical CPUs in VM: "6"
zhcp2: Guest CPUs: "2"
zhcp2: Minimum CPU count: "2"
zhcp2: Max CPU limit: "10000"
zhcp2: Processor share: "100"
zhcp2: Samples CPU in use: "16659"
zhcp2: ,Samples CPU delay: "638"
zhcp2: Samples page wait: "0"
zhcp2: Samples idle: "71550"
zhcp2: Samples other: "337"
zhcp2: Samples total: "89184"
zhcp2: Guest name: "FAKEVM  "
"""


def test_hyptop_of_an_lpar_and_of_a_guest() -> None:
    first, _, third = read(HYPTOP)
    assert (first.word("system"), first.stamp) == ("S05LP30", "12:30:48")
    assert first.value("cpu_time") == Value(92_861 * 60_000_000, Unit.US, Source.RT, 60_000_000)
    assert first.value("online").value == (11 * 1440 + 5 * 60 + 59) * 60_000_000
    assert first.value("managed").value == 495 * 60_000_000 and first.value("cpu").value == 461.14
    assert third.word("system") == "TRX1" and third.where.line == 6
    (guest,) = read(HYPTOP_GUEST)
    assert guest.value("cpu_time") == Value(36_031_234_567, Unit.US, Source.RT, 1)
    assert "management" not in guest.fields and not guest.notes
    (odd,) = read(HYPTOP_GUEST.replace("(us)", "(xx)"))
    assert "cpu_time" not in odd.fields and "no column of CPU time" in odd.notes[0]


def test_smapi_s_image_performance_query() -> None:
    for text in (IMAGE, IMAGE.replace("zhcp2: ", "")):
        (found,) = (item for item in read(text) if isinstance(item, Record))
        assert found.word("userid") == "FAKEVM" and found.value("cpus").value == 2
        assert found.value("cpu_time").value == 26_238_001_893
        assert found.value("online").value == 89_185_770_400
        assert found.value("samples_delay").value == 638


def test_a_heading_without_counts_is_no_accounting_block() -> None:
    text = "Accounting information\nis collected by the job controller.\n"
    assert all(isinstance(item, Text) for item in read(text, keep_text=True))


def test_rfc573_table_two() -> None:
    table = """\
   Subset of data  # Files  # bits  Av. File  Speed    CPU-use
                             Mbits    Kbits    Kbps     sec/Mb

   Total             304     57.6      189     7.56       4

   ASCII-8 mode       81      4.0       49     2.09      19

   The entire display"""
    found = read(table, keep_text=True)
    rows = [item for item in found if isinstance(item, Record)]
    assert [row.word("case") for row in rows] == ["Total", "ASCII-8 mode"]
    assert rows[1].value("cpu_per_mbit").value == 19_000_000
    assert rows[1].where.line == 6
    assert isinstance(found[-1], Text) and "entire display" in found[-1].raw


VMKB_FULL = (
    "CONNECT= 00:00:10 VIRTCPU= 000:00.59 TOTCPU= 000:00.69\n"
    "VIRT  000000594400 US 000001234567 INSTR 000000004567 MOVED 000000000089 SUMMED\n"
    "TOTAL 000000694400 US 000002234567 INSTR 000000014567 MOVED 000000000189 SUMMED\n"
    "MODEL 2064-109 CORRECTIONS 0"
)


@pytest.mark.parametrize("code", ["HHCTE009I", "HHC1C001A", "HHC01065I"])
def test_vmkb_query_acnt_among_messages_of_the_emulator(code: str) -> None:
    """Of Hercules 3.13, its prompt for a console, and of SDL Hyperion."""
    found = read(
        "USERID          VIRTUAL US          CP US       INSTRUCTIONS CORR'D\n"
        "VMUSER1                  1              2                  3      0\n"
        f"{code} Enter input for console device 0009\n"
        "TOTAL                    1              2                  3      0\n"
    )
    assert [each.kind for each in found if isinstance(each, Record)] == ["acnt", "acnt_total"]


def test_vmkb_query_time_full() -> None:
    found = one(f"{VMKB_FULL} USER TCPIP")
    assert found["virt_time"] == 594_400 and found["total_instr"] == 2_234_567
    assert found["model"] == "2064-109" and found["userid"] == "TCPIP"
    assert "counter" not in found


@pytest.mark.parametrize(("user", "said"), [("", None), (" USER TCPIP", "TCPIP")])
@pytest.mark.parametrize("counter", ["EXACT", "BATCHED"])
def test_vmkb_names_its_counter(counter: str, user: str, said: str | None) -> None:
    found = one(f"{VMKB_FULL} COUNTER {counter}{user}")
    assert found["counter"] == counter
    assert found.get("userid") == said


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("CONNECT= 00:00:02 TOTCPU= 000:00.24", 19, "VIRTCPU= mmm:ss.hh"),
        ("CONNECT= 00:61:02 VIRTCPU= 000:00.10 TOTCPU= 000:00.24", 1, "CONNECT= hh:mm:ss"),
        ("CONNECT= 00:00:02 VIRTCPU= 000:00.10", 37, "TOTCPU= mmm:ss.hh"),
        ("TIME IS 16:45:28 EDT FRIDAY 02/30/25", 29, "a day of the calendar"),
        ("TIME IS 16:45:28 FRIDAY 05/30/25", 18, "a name or time zone"),
        ("Ready; T=0.37/0.38 noon", 20, "hh:mm:ss"),
        ("Ready(00008x); T=0.37/0.38 17:14:46", 1, "Ready; or Ready(nnnnn);"),
        ("12 bytes transferred in 1.65 minutes.", 25, "n.nn seconds."),
        ("RTMSF SYSTEM 2026-11-21 06:40:10 SECS=1.000 CP=1.00", 45, "CPU="),
        ("RTMSF SYSTEM 2026-11-21 06:40:10 SECS=1.000 CPU=1.00", 53, "CP="),
        ("CPU-012% Q1-x", 10, "name"),
        ("PAGES: RES-12 WS-xx READS=1", 15, "READS"),
    ],
)
def test_a_malformed_record_says_where_and_what_was_expected(
    text: str, column: int, expected: str
) -> None:
    (error,) = read("some text\n" + text)
    assert isinstance(error, ParseError)
    assert error.line == 2 and error.column == column, error
    assert expected in str(error)
    assert error.raw == text


NO_RECORDS = [
    "TIME IS MONEY", "Reading the manual", "R is a letter", "CHAPTER1 - INTRODUCTION",
    "NOTE - SEE PAGE 4", "CONNECTED= 1", "0000 is a number", "PAGES: 12", "AT THE VIA APPIA",
    "ACCOUNTING INFORMATION:", "CPU-bound job", "a CONNECT= 00:00:02 in the middle",
    "0000  48 65 6C 6C 6F 20 77 6F 72 6C 64 21 0A 00 00 00", "12/34 of them",
    "FILES: see the manual", "FILES: 12 of them", "AUTO LOGON of AUTOLOG1", "[320] people",
    "Accounting information is kept", "Ready; set; go", "R; i++",
    "Virtual server ID: 5", "cpu-t: what is it?",
    "TCPIP logged out at noon", "USERS, 5 DIALED", "\xd3\xd6\xc7\xd6\xd5",
]  # fmt: skip


@pytest.mark.parametrize("line", NO_RECORDS)
def test_what_is_no_record_is_text(line: str) -> None:
    assert [type(item) for item in read(line, keep_text=True)] == [Text]


def test_the_rate_of_an_ftp_message_is_doubted_when_bytes_and_seconds_do_not_give_it() -> None:
    (good,) = read("2097152 bytes transferred in 1.65 seconds. Transfer rate 1241 Kbytes/sec.")
    (bad,) = read("2097152 bytes transferred in 1.65 seconds. Transfer rate 1271 Kbytes/sec.")
    assert not good.notes and "1271" not in bad.notes[0] and "rate" in bad.notes[0]


def test_a_wrong_weekday_and_a_small_totcpu_are_said() -> None:
    (wrong,) = read("TIME IS 16:45:28 EDT  FRIDAY 2025-05-31")
    assert wrong.notes == ("printed FRIDAY, but 2025-05-31 was SATURDAY",)
    (less,) = read("CONNECT= 00:00:02 VIRTCPU= 000:00.10 TOTCPU= 000:00.09")
    assert "less" in less.notes[0]


def shared(name: str) -> str:
    path = SHARED / name
    if not path.is_file():
        pytest.skip(f"{name} is not beside the checkout")
    return path.read_text(encoding="latin-1")


def test_the_shared_topcpu_frame() -> None:
    found = read(shared("samples/05_vms_monitor_topcpu.txt"))
    assert [(r.word("node"), r.word("date")) for r in found] == [("PROD1", "1995-10-27")] * 2
    assert [(r.word("pid"), r.word("name"), r.value("cpu").value) for r in found] == [
        ("23C000E8", "BIGJOB1", 99),
        ("23C0006F", "DECW$TE_006F", 1),
    ]
    assert found[1].where.line == found[0].where.line + 9


def test_the_shared_cpq_replies() -> None:
    replies = [
        line.partition(": ")[2] if line.startswith("CPQ") else line
        for line in shared("samples/04_zvm_cpq_responses_uft.txt").splitlines()
    ]
    kinds = [item.kind for item in read("\n".join(replies))]
    assert kinds == ["files", "indicate_load", "names", "time_is", "users", "names"]


@pytest.mark.parametrize(
    ("name", "rows"),
    [("rfc415_tenex_bandwidth", 20), ("rfc557_bbn_rjs", 7), ("rfc573_ftp_summary", 7)],
)
def test_the_published_csv_of_an_rfc(name: str, rows: int) -> None:
    found = read(shared(f"published/{name}.csv"))
    assert len(found) == rows and all(isinstance(item, Record) for item in found)
