# SPDX-License-Identifier: MIT
"""CMS commands on files: messages, return codes, columns, and the files that they leave."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.e2e.cms_guest import Cms, booted

pytestmark = [pytest.mark.e2e, pytest.mark.both]

SAID = [
    ("LISTFILE NO SUCH A", 28, "DMSLST002E File not found"),
    ("LISTFILE * * Q", 36, "DMSLST069E Filemode Q not accessed"),
    ("LISTFILE * * 1", 24, "DMSLST048E Invalid filemode 1"),
    ("LISTFILE * * A (NOSUCH", 24, "DMSLST003E Invalid option: NOSUCH"),
    ("LISTFILE A/B C", 20, "DMSLST062E Invalid character in fileid A/B C"),
    ("TYPE ONLYONE", 24, "DMSTYP054E Incomplete fileid specified"),
    ("TYPE NO SUCH A", 28, "DMSTYP002E File NO SUCH A not found"),
    ("TYPE LINES TEXT A X", 24, "DMSTYP049E Invalid line number X"),
    ("STATE NO SUCH", 28, "DMSSTT002E File NO SUCH * not found"),
    ("STATEW THREE TEXT Y", 28, "DMSSTT002E File THREE TEXT Y not found"),
    ("ERASE NO SUCH", 28, "DMSERS002E File NO SUCH A not found"),
    ("ERASE THREE TEXT Y", 36, "DMSERS037E Filemode Y is accessed as read/only"),
    ("RENAME LINES TEXT A LINES TEXT Y", 24, "DMSRNM051E Invalid filemode change Y"),
    ("RENAME LINES TEXT A CARDS DATA A", 28, "DMSRNM024E File CARDS DATA A1 already exists"),
    ("RENAME NO SUCH A X Y A", 28, "DMSRNM002E File NO SUCH A not found"),
    ("COPYFILE NO SUCH A X Y A", 28, "DMSCPY002E File NO SUCH A not found"),
    (
        "COPYFILE LINES TEXT A CARDS DATA A",
        28,
        "DMSCPY024E File CARDS DATA A1 already exists -- specify REPLACE option",
    ),
    ("COPYFILE LINES TEXT A X Y S", 36, "DMSCPY037E Filemode S is accessed as read/only"),
    ("COPYFILE LINES TEXT", 24, "DMSCPY054E Incomplete fileid specified"),
    (
        "COPYFILE LINES TEXT A X Y A (FILL ABC",
        24,
        "DMSCPY029E Invalid parameter ABC in the option FILL field",
    ),
    (
        "COPYFILE LINES TEXT A X Y A (LRECL Q",
        24,
        "DMSCPY029E Invalid parameter Q in the option LRECL field",
    ),
    ("ACCESS 999 C", 100, "DMSACC113S C(999) not attached"),
    ("ACCESS 192 ?", 24, "DMSACC048E Invalid filemode ?"),
    ("ACCESS XYZ C", 24, "DMSACC017E Invalid device address XYZ"),
    ("RELEASE Q", 36, "DMSARE069E Filemode Q not accessed"),
    ("HELP NOSUCH", 28, "DMSHLP002E File NOSUCH HELPCMS * not found"),
    ("HELP MESSAGE DMSXYZ999E", 28, "DMSHLP254E There is no help for message DMSXYZ999E"),
    ("HELP MSG DMKLOG050E", 28, "DMSHLP254E There is no help for message DMKLOG050E"),
    ("HELP MESSAGE DMS", 28, "DMSHLP254E There is no help for message DMS"),
    ("QUERY", 24, "DMSQRY047E No function specified"),
    ("QUERY OPTION", 24, "DMSQRY007E OPTION is not in VM/KB"),
    ("QUERY SYSN", 24, "DMSQRY007E SYSN is not in VM/KB"),
    ("SET WINDOW TOP", 24, "DMSSET007E WINDOW is not in VM/KB"),
    ("LISTFILE * * A (BLOCKS", 24, "DMSLST007E BLOCKS is not in VM/KB"),
    ("LISTFILE * * A (BLO", 24, "DMSLST003E Invalid option: BLO"),
    ("COPYFILE LINES TEXT A X Y A (PACK", 24, "DMSCPY007E PACK is not in VM/KB"),
    ("SETPRT", 24, "DMSABS007E SETPRT is not in VM/KB"),
    ("CP SET QDROP OFF", 7, "DMKCFS007E SET QDROP IS NOT IN VM/KB"),
    ("CP SET QDROPS OFF", 3, "DMKCFS003E INVALID OPTION - QDROPS"),
    ("CP QUERY TIMEZONE", 7, "DMKCQG007E QUERY TIMEZONE IS NOT IN VM/KB"),
    ("CP TERMINAL SCRNSAVE ON", 7, "DMKCFT007E TERMINAL SCRNSAVE IS NOT IN VM/KB"),
    ("CP DEFINE TIMER 0FF", 7, "DMKDEF007E DEFINE TIMER IS NOT IN VM/KB"),
    ("CP SCREEN", 7, "DMKCFC007E SCREEN IS NOT IN VM/KB"),
    ("CP LOCK", 7, "DMKCFC007E LOCK IS NOT IN VM/KB"),
    ("CP LOCATE USER", 7, "DMKCFC007E LOCATE IS NOT IN VM/KB"),
    ("CP VARY ONLINE 181", 7, "DMKCFC007E VARY IS NOT IN VM/KB"),
    ("CP QUERY VSWITCH", 7, "DMKCQG007E QUERY VSWITCH IS NOT IN VM/KB"),
    ("CP SET RESERVE USER 5", 7, "DMKCFS007E SET RESERVE IS NOT IN VM/KB"),
    ("CP SET ECMODE ON", 7, "DMKCFS007E SET ECMODE ON IS NOT IN VM/KB"),
    ("CP SET ECMODE MAYBE", 3, "DMKCFS003E INVALID OPTION - MAYBE"),
    ("ESERV", 24, "DMSABS007E ESERV is not in VM/KB"),
    ("QUERY FILEDEF", 0, "DMSQRY324I No user defined FILEDEF in effect"),
    ("QUERY FILED SYSIN", 0, "DMSQRY324I No user defined FILEDEF in effect"),
    ("SET RDYMSG FAT", 24, "DMSSET070E Invalid parameter FAT"),
    ("NOSUCH", -3, "Unknown CP/CMS command"),
]

ELSEWHERE = """\
/* EXECIO's file is open while another disk takes the place of its own */
'ACCESS 192 D'
'EXECIO 1 DISKW WRITTEN TEXT D (STRING one'
'RELEASE D'
'ACCESS 193 E'
"""
FILES = {
    "system/elsewher.exec": ELSEWHERE,
    "user1/labels.text": "one\nALPHA a\ntwo\nOMEGA z\nthree\n",
}


SETTINGS = [
    ("RDYMSG", "RDY", "LMSG", "SMSG"), ("IMPCP", "IMPCP", "ON", "OFF"),
    ("IMPEX", "IMPE", "ON", "OFF"), ("ABBREV", "AB", "ON", "OFF"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "least", "on", "off"), SETTINGS, ids=[s[0] for s in SETTINGS])
def test_query_tells_each_setting_by_its_shortest_name(
    user: Cms, name: str, least: str, on: str, off: str
) -> None:
    """One letter less is not CMS's: CP has nobody of that name."""
    for value in (off, on):
        user.session.command(f"SET {name} {value}", 30)
        for asked in (name, least):
            said = user.session.command(f"QUERY {asked}", 30)
            # without implied CP commands only CMS answers
            assert said.lines == (f"{name:7} = {value}",)
    said = user.session.command(f"QUERY {least[:-1]}", 30)
    assert not any(line.startswith(f"{name:7} =") for line in said.lines), said
    assert user.session.command(f"QUERY {name} X", 30).rc != 0


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cms]:
    with booted(tmp_path_factory.mktemp("cms"), FILES) as system:
        cms = Cms(system, 0x0700, "USER1")
        yield cms
        cms.close()


@pytest.mark.parametrize(("command", "rc", "message"), SAID, ids=[s[0] for s in SAID])
def test_what_is_wrong_is_said(user: Cms, command: str, rc: int, message: str) -> None:
    assert user.run(command, rc) == (message,)


def test_listfile_shows_names_or_everything(user: Cms) -> None:
    assert "LINES    TEXT     A1" in user.run("LISTFILE * * A")
    heading, line = user.run("listfile cards data a (label")
    assert heading == (
        "FILENAME FILETYPE FM FORMAT LRECL       RECS     BLOCKS     DATE     TIME LABEL"
    )
    assert re.fullmatch(
        r"CARDS    DATA     A1 F         80          2          1 "
        r"[ \d]\d/\d\d/\d\d [ \d]\d:\d\d:\d\d U1D191",
        line,
    )
    assert user.run("LISTFILE C%RDS D* A (FORMAT NOHEADER") == (
        "CARDS    DATA     A1 F         80",
    )


def test_listfile_stacks_lines(user: Cms) -> None:
    mark = user.type("LISTFILE CARDS DATA A (STACK")
    # What is stacked is CMS's next command.
    user.expect("Unknown CP/CMS command", mark)
    user.expect("Ready(-0003);", mark)


def test_type_takes_a_range_and_columns(user: Cms) -> None:
    assert user.run("TYPE LINES TEXT A 29") == ("line 29", "line 30")
    assert user.run("TYPE LINES TEXT A 3 3 (COL 6-6") == ("3",)
    assert user.run("TYPE CARDS DATA A") == ("CARD ONE", "CARD TWO")
    assert user.run("T CARDS DATA A 1 1 (HEX")[1].split()[:2] == ["C3C1D9C4", "40D6D5C5"]


def test_copyfile_changes_form(user: Cms) -> None:
    user.run("COPYFILE CARDS DATA A VCARDS DATA A (RECFM V TRUNC")
    assert user.run("LISTFILE VCARDS DATA A (FORMAT NOH") == ("VCARDS   DATA     A1 V          8",)
    user.run("COPYFILE VCARDS DATA A = = = (APPEND")
    assert user.run("TYPE VCARDS DATA A") == ("CARD ONE", "CARD TWO") * 2
    user.run("COPYFILE VCARDS DATA A SOME DATA A (FROM 2 FOR 2 LOWCASE RECFM F LRECL 10")
    assert user.run("TYPE SOME DATA A") == ("card two", "card one")
    user.run("COPYFILE LINES TEXT A CARDS DATA A BOTH TEXT A")
    assert user.run("TYPE BOTH TEXT A 30") == ("line 30", "CARD ONE", "CARD TWO")
    user.run("ERASE VCARDS DATA A")
    user.run("ERASE SOME DATA A")
    user.run("ERASE BOTH TEXT A")


def asked(user: Cms, command: str, *answers: str) -> str:
    """Type a command and its answers; the Ready message."""
    marks = [user.type(line) for line in (command, *answers)]
    user.expect("Ready", marks[-1])
    return next(line for line in user.session.lines[marks[-1] :] if line.startswith("Ready"))


def test_copyfile_puts_columns_elsewhere(user: Cms) -> None:
    copy = "COPYFILE LINES TEXT A COLS TEXT A (FOR 2 REPLACE"
    mark = user.type(f"{copy} SPECS")
    user.expect("DMSCPY601R Enter specification list:", mark)
    mark = user.type("6 1 /< / 3 ++")
    mark = user.type("1-4 5 h5e 12 90-99 1")
    user.expect("Ready;", mark)
    assert user.run("TYPE COLS TEXT A") == ("1 < line   ;", "2 < line   ;")
    assert asked(user, f"{copy} SPECS FILL + NOPROMPT UPCASE", "1-4 3").startswith("Ready;")
    assert user.run("TYPE COLS TEXT A") == ("++LINE", "++LINE")
    user.run(f"{copy} RECFM F LRECL 9 FILL 5C")
    assert user.run("TYPE COLS TEXT A") == ("line 1***", "line 2***")
    user.run("COPYFILE COLS TEXT A (RECFM V TRUNC FILL *")
    assert user.run("TYPE COLS TEXT A") == ("line 1", "line 2")
    for answer in ("1-4", "4-1 1", "/abc 1", "h4 1", "1-4 0", "1-4 1x", "q1 1"):
        mark = user.type(f"{copy} SPECS")
        user.expect("DMSCPY601R", mark)
        mark = user.type(answer)
        user.expect(f"DMSCPY029E Invalid parameter {answer} in the option SPECS field", mark)
        user.expect("Ready(00024);", mark)
    assert asked(user, f"{copy} SPECS", "").startswith("Ready(00040);")
    assert user.run("TYPE COLS TEXT A") == ("line 1", "line 2"), "what failed changed nothing"
    user.run("ERASE COLS TEXT A")


def test_copyfile_translates_and_overlays(user: Cms) -> None:
    user.run("COPYFILE LINES TEXT A OVER TEXT A (FOR 3")
    assert asked(user, "COPYFILE LINES TEXT A OVER TEXT A (FOR 2 OVLY SPECS", "6 3")[5] == ";"
    assert user.run("TYPE OVER TEXT A") == ("li1e 1", "li2e 2", "line 3")
    mark = user.type("COPYFILE OVER TEXT A (TRANS")
    user.expect("DMSCPY602R Enter translation list:", mark)
    mark = user.type("l L 40 -")
    user.expect("Ready;", mark)
    assert user.run("TYPE OVER TEXT A") == ("Li1e-1", "Li2e-2", "Line-3")
    assert asked(user, "COPYFILE OVER TEXT A (TRANS", "a").startswith("Ready(00024);")
    user.run("COPYFILE LINES TEXT A OVER TEXT A (FOR 1 OVLY")
    assert user.run("TYPE OVER TEXT A")[:2] == ("line 1", "Li2e-2")
    said = user.run("COPYFILE LINES TEXT A OVER TEXT A (OVLY REPLACE", 24)
    assert said == ("DMSCPY066E OVLY and REPLACE are conflicting options",)
    user.run("ERASE OVER TEXT A")


def test_copyfile_goes_from_label_to_label(user: Cms) -> None:
    copy = "COPYFILE LABELS TEXT A PART TEXT A (REPLACE"
    for options, lines in (
        ("FRLABEL ALPHA", ("ALPHA a", "two", "OMEGA z", "three")),
        ("TOLABEL OMEGA", ("one", "ALPHA a", "two")),
        ("FRLABEL ALPHA TOLABEL OMEGA", ("ALPHA a", "two")),
        ("FRLABEL ALPHA FOR 1", ("ALPHA a",)),
    ):
        user.run(f"{copy} {options}")
        assert user.run("TYPE PART TEXT A") == lines
    said = user.run(f"{copy} FRLABEL NOSUCH", 32)
    assert said == ("DMSCPY157E Label NOSUCH not found in file LABELS TEXT A",)
    assert user.run(f"{copy} TOLABEL NOSUCH", 32)[0].startswith("DMSCPY157E")
    said = user.run(f"{copy} FRLABEL ALPHA FROM 2", 24)
    assert said == ("DMSCPY066E FRLABEL and FROM are conflicting options",)
    assert user.run("TYPE PART TEXT A") == ("ALPHA a",)
    user.run("ERASE PART TEXT A")


def test_copyfile_of_large_files_keeps_every_byte(user: Cms) -> None:
    user.run("ACCESS 192 C")
    user.run("COPYFILE DOC2M TEXT Y BIG TEXT C (FOR 1000")
    assert user.run("LISTFILE BIG TEXT C (ALLOC NOH")[0].split()[5] == "1000"
    assert user.run("TYPE BIG TEXT C 1000") == user.run("TYPE DOC2M TEXT Y 1000 1000")
    user.run("COPYFILE BIG TEXT C FIXED TEXT C (RECFM F LRECL 80")
    user.run("COPYFILE FIXED TEXT C AGAIN TEXT C")
    assert user.run("TYPE AGAIN TEXT C 1000") == user.run("TYPE BIG TEXT C 1000")
    said = user.run("COPYFILE DOC2M TEXT Y HUGE TEXT C", 100)
    assert said == ("DMSCPY107S Disk C(192) is full",)
    user.run("STATE HUGE TEXT C", 28)
    assert len(user.run("ERASE * TEXT C (TYPE")) == 3
    user.run("RELEASE C")


def test_rename_with_equal_signs_and_patterns(user: Cms) -> None:
    user.run("COPYFILE LINES TEXT A ONE OLD A")
    user.run("COPYFILE LINES TEXT A TWO OLD A")
    assert user.run("RENAME * OLD A = NEW = (TYPE") == (
        "ONE      NEW      A1",
        "TWO      NEW      A1",
    )
    user.run("RENAME ONE NEW A = = A4")
    assert user.run("LISTFILE * NEW A4") == ("ONE      NEW      A4",)
    user.run("ERASE * NEW A")
    user.run("STATE LINES TEXT A")


def test_disks_come_and_go(user: Cms) -> None:
    assert user.run("ACCESS 192 D/A") == ("DMSACC723I D (192) R/O",)
    assert "D/A" in user.run("QUERY DISK D")[1]
    user.run("ACCESS 192 D")
    assert re.fullmatch(
        r".{6} 192  D   R/W    FB 3370 4096        0 {10}\d-\d\d {7,9}\d+ {7,9}128",
        user.run("QUERY DISK D")[1],
    )
    assert [line[13] for line in user.run("QUERY SEARCH")] == ["A", "D", "S", "Y"]
    user.run("COPYFILE LINES TEXT A = = D (REPLACE")
    user.run("RELEASE 192")
    user.run("LISTFILE * * D", 36)
    user.run("ACCESS 192 D")
    assert user.run("TYPE LINES TEXT D 30") == ("line 30",)
    user.run("RELEASE D")


def test_release_of_a_letter_leaves_the_disks_other_letters(user: Cms) -> None:
    user.run("ACCESS 192 D")
    user.run("COPYFILE LINES TEXT A = = D (REPLACE")
    both = ("DMSACC723I B (192) R/O", "DMSACC725I 192 also = D disk")
    assert user.run("ACCESS 192 B") == both
    user.run("RELEASE B")
    user.run("STATEW LINES TEXT D")
    user.run("ACCESS 192 B")
    user.run("RELEASE D")
    user.run("STATE LINES TEXT B")
    # No other letter writes it: D does again.
    assert user.run("ACCESS 192 D") == ("DMSACC725I 192 also = B disk",)
    user.run("STATEW LINES TEXT D")
    user.run("RELEASE 192")
    user.run("LISTFILE * * B", 36)
    user.run("LISTFILE * * D", 36)


def test_release_with_det_takes_all_letters(user: Cms) -> None:
    user.run("CP LINK * 193 293 RR")
    user.run("ACCESS 293 D")
    user.run("ACCESS 293 E")
    assert user.run("RELEASE E (DET") == ("DASD 293 DETACHED",)
    user.run("LISTFILE * * D", 36)


def test_a_file_that_is_being_written_goes_to_its_own_disk(user: Cms) -> None:
    """RELEASE keeps what EXECIO wrote; the next disk does not get it."""
    user.run("EXEC ELSEWHER")
    user.run("LISTFILE * * E", 28)
    user.run("ACCESS 192 D")
    assert user.run("TYPE WRITTEN TEXT D") == ("one",)
    user.run("ERASE WRITTEN TEXT D")
    user.run("RELEASE D")
    user.run("RELEASE E")


def test_a_disk_that_a_command_reads_stays(user: Cms) -> None:
    user.run("ACCESS 192 D")
    user.run("COPYFILE LINES TEXT A = = D (REPLACE")
    used = "DMS{}069E Filemode D is in use; a command reads its files"
    for command, module in (("RELEASE D", "ARE"), ("ACCESS 193 D", "ACC")):
        said = user.run(f"PIPE < LINES TEXT D | SPECS /{command}/ 1 | CMS | CONSOLE", 36)
        assert used.format(module) in said, said
    user.run("ERASE LINES TEXT D")
    user.run("RELEASE D")


def test_the_system_disk_stays(user: Cms) -> None:
    assert user.run("ACCESS 192 S", 24) == (
        "DMSACC048E Invalid filemode S: the system disk keeps it",
    )
    assert user.run("ACCESS 190 B")[1] == "DMSACC725I 190 also = S disk"
    assert user.run("RELEASE 190", 36)[0].startswith("DMSARE069E Filemode S is the system disk")
    assert user.run("RELEASE B (DET", 36)[0].startswith("DMSARE069E Filemode S is the system disk")
    user.run("RELEASE B")
    user.run("STATE SYSEXEC EXEC S")


def test_format_asks_first(user: Cms) -> None:
    user.run("ACCESS 193 F")
    user.run("COPYFILE CARDS DATA A = = F")
    mark = user.type("FORMAT 193 F")
    user.expect("Enter 1 (YES) or 0 (NO).", mark)
    mark = user.type("NO")
    user.expect("Ready(00088)", mark)
    user.run("STATE CARDS DATA F")
    mark = user.type("FORMAT 193 F")
    user.expect("Enter 1 (YES) or 0 (NO).", mark)
    mark = user.type("YES")
    user.expect("DMSFOR605R Enter disk label:", mark)
    mark = user.type("fresh")
    user.expect("DMSFOR732I 64 FB-512 blocks formatted on F(193)", mark)
    user.expect("Ready;", mark)
    assert user.run("QUERY DISK F")[1].startswith("FRESH  193  F   R/W")
    user.run("LISTFILE * * F", 28)
    user.run("RELEASE F")


def test_identify_has_fixed_columns(user: Cms) -> None:
    (line,) = user.run("IDENTIFY")
    assert re.fullmatch(
        r"USER1    AT .{8} VIA RSCS     \d\d:\d\d:\d\d \d\d/\d\d/\d\d UTC     [A-Z]+DAY", line
    )
    assert line[52:55] == "UTC"


def test_help_finds_abbreviated_names_and_cp(user: Cms) -> None:
    assert user.run("HELP LISTF") == ("LISTFILE lists files.",)
    assert user.run("HELP IPL") == ("IPL loads a system.",)
    assert user.run("HELP MESSAGE") == user.run("HELP CP MESSAGE") == ("MESSAGE sends a line.",)
    for asked in ("MESSAGE DMSLST002E", "MSG dmslst002e", "MESS DMS002"):
        assert user.run(f"HELP {asked}") == ("There is no such file.",)
    assert "LISTFILE" in user.run("HELP")[1]
