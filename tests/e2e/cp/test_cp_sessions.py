# SPDX-License-Identifier: MIT
"""Sessions: LOGON and its refusals, DISCONN and reconnect, AUTOLOG, FORCE, messages between users,
accounting cards, SHUTDOWN. One boot for all; each test leaves its users logged off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.cp_console import WITHIN, Console, booted, check
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.tn3270.screen import Status

pytestmark = pytest.mark.e2e

TIME = r"\d\d:\d\d:\d\d"
STAMP = rf"{TIME} UTC [A-Z]{{6,9}} \d\d/\d\d/\d\d"
CONNECT = rf"CONNECT= {TIME} VIRTCPU= \d{{3}}:\d\d\.\d\d TOTCPU= \d{{3}}:\d\d\.\d\d"

System = tuple[Guest, Hercules]
Opener = Callable[[int], Console]


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    with booted(tmp_path_factory.mktemp("cp")) as pair:
        yield pair


@pytest.fixture(scope="module")
def janitor(system: System) -> Iterator[Console]:
    """A class A user who is there all the time, to force others off. (Not the operator's console:
    Hercules drops the attention of a line that is typed while that device ends a write.)"""
    console = Console(*system, 0x071F)
    try:
        console.logon("CLASSA")
        yield console
    finally:
        console.close()


@pytest.fixture
def at(system: System, janitor: Console) -> Iterator[Opener]:
    """Opens a terminal; all are closed, and their users logged off, at the end."""
    opened: list[Console] = []

    def open_one(device: int) -> Console:
        opened.append(Console(*system, device))
        return opened[-1]

    yield open_one
    for console in opened:
        console.close()
    for user in ("GENERAL", "SECOND", "WHEEL", "SERVER", "GUARDED", "WARD"):
        assert janitor.ask(f"FORCE {user}") in ([], [f"DMKCPV045E {user} NOT LOGGED ON"])


def cards(machine: Hercules) -> list[bytes]:
    """What the punch has written so far; Hercules makes its file with the first card."""
    path = machine.run_dir / "punch.cards"
    data = path.read_bytes() if path.is_file() else b""
    assert len(data) % 80 == 0
    return [data[i : i + 80] for i in range(0, len(data), 80)]


def wait_count(console: Console, line: str, count: int) -> None:
    """Wait until the console has shown `line` that often."""
    console.session.terminal.wait(
        lambda screen: console.lines.count(line) >= count, WITHIN, f"'{line}' {count} times"
    )


def test_operator_is_told_who_comes_and_goes(system: System, at: Opener) -> None:
    _, machine = system
    mark = machine.log.mark()
    console = at(0x0705)
    said = console.logon("GENERAL")
    check(said[-1:], f"LOGON AT {STAMP}")
    machine.wait_log(rf"^{TIME} GRAF 0705 LOGON  AS GENERAL  USERS = 003$", WITHIN, mark)
    check(list(console.session.logoff(WITHIN)), CONNECT, f"LOGOFF AT {STAMP}")
    machine.wait_log(rf"^{TIME} GRAF 0705 LOGOFF AS GENERAL  USERS = 002$", WITHIN, mark)


@pytest.mark.parametrize(
    ("user", "message"),
    [
        ("STRANGER", "DMKLOG053E STRANGER NOT IN CP DIRECTORY"),
        ("GENERAL NOIPL X Y", "DMKLOG003E INVALID OPTION - Y"),
        ("FARTOOLONG", "DMKLOG020E USERID MISSING OR INVALID"),
    ],
)
def test_logon_refused(at: Opener, user: str, message: str) -> None:
    console = at(0x0705)
    with pytest.raises(EmulatorError, match=re.escape(message)):
        console.logon(user, "X", "")


def test_before_logon_little_is_allowed(at: Opener) -> None:
    console = at(0x0705)
    console.session.begin()
    assert console.ask("QUERY TIME") == ["LOGON MUST BE THE FIRST COMMAND: LOGON USERID"]
    assert console.ask("XYZZY") == ["INVALID COMMAND BEFORE LOGON: XYZZY"]
    assert console.ask("MSG NOBODY HELLO") == ["DMKMSG045E NOBODY NOT LOGGED ON"]
    assert console.ask("MSG * HELLO") == ["DMKMSG020E USERID MISSING OR INVALID"]


def test_three_wrong_passwords_end_in_the_logo(system: System, at: Opener) -> None:
    _, machine = system
    console = at(0x0705)
    session = console.session
    session.begin()
    before = len(cards(machine))
    mark = machine.log.mark()
    wrong = "DMKLOG050E PASSWORD INCORRECT - REINITIATE LOGON PROCEDURE"
    for attempt in range(1, 4):
        console.type("LOGON GENERAL")
        wait_count(console, "ENTER PASSWORD:", attempt)
        console.type("WRONG")
        wait_count(console, wrong, attempt)
    session.terminal.wait(lambda screen: screen.has("VM/KB ONLINE"), WITHIN, "the logo")
    assert not any("WRONG" in line for line in console.lines)
    machine.wait_log(r"GRAF 0705 3 WRONG PASSWORDS FOR GENERAL", WITHIN, mark)
    card = cards(machine)[before]
    assert card[78:].decode("cp037") == "04"
    assert card[:8].decode("cp037") == "GENERAL "
    assert card[28:32].decode("cp037") == "0705"
    assert card[51:55] == bytes([0, 3, 0, 3])


def test_disconnect_and_reconnect(system: System, at: Opener) -> None:
    _, machine = system
    first = at(0x0705)
    first.logon("GENERAL")
    mark = machine.log.mark()
    first.type("DISCONN")
    first.expect("DISCONNECT AT")
    machine.wait_log(rf"^{TIME} GRAF 0705 DSCONNECT GENERAL  USERS = 003$", WITHIN, mark)
    second = at(0x0706)
    said = second.logon("GENERAL", options="")
    check(said[-1:], f"RECONNECTED AT {STAMP}")
    machine.wait_log(rf"^{TIME} GRAF 0706 RECONNECT GENERAL  USERS = 003$", WITHIN, mark)
    assert second.ask("QUERY GENERAL") == ["GENERAL  - 0706"]


def test_a_user_is_at_one_terminal(at: Opener) -> None:
    first, second = at(0x0705), at(0x0706)
    first.logon("GENERAL")
    with pytest.raises(EmulatorError, match="DMKLOG054E ALREADY LOGGED ON GRAF 0705"):
        second.logon("GENERAL")
    second.type("LOGON GENERAL HERE")
    second.expect("ENTER PASSWORD:", len(second.lines) - 2)
    second.type("GENERAL")
    second.expect("RECONNECTED AT")
    first.expect("DISCONNECT AT")
    assert second.ask("QUERY GENERAL") == ["GENERAL  - 0706"]


def test_force(system: System, at: Opener, janitor: Console) -> None:
    _, machine = system
    console = at(0x0705)
    console.logon("GENERAL")
    mark = machine.log.mark()
    assert janitor.ask("FORCE GENERAL") == []
    console.expect("BY SYSTEM")
    check(console.lines[-2:], CONNECT, f"LOGOFF AT {STAMP} BY SYSTEM")
    machine.wait_log(rf"^{TIME} GRAF 0705 LOGOFF AS GENERAL  USERS = 002  FORCED$", WITHIN, mark)


def test_autolog(system: System, at: Opener, janitor: Console) -> None:
    _, machine = system
    console = at(0x0705)
    console.logon("GENERAL")
    mark = machine.log.mark()
    assert console.ask("AUTOLOG GUARDED") == [
        "DMKALG026E OPERAND MISSING OR INVALID; PASSWORD REQUIRED"
    ]
    assert console.ask("XAUTOLOG GUARDED") == ["DMKALG261E NOT AUTHORIZED TO AUTOLOG GUARDED"]
    assert console.ask("AUTOLOG GUARDED SECRET") == ["AUTO LOGON   ***   GUARDED  USERS = 004"]
    machine.wait_log(
        rf"^{TIME} AUTO LOGON   \*\*\*   GUARDED  USERS = 004  BY  GENERAL$", WITHIN, mark
    )
    assert console.ask("XAUTOLOG SERVER") == ["AUTO LOGON   ***   SERVER   USERS = 005"]
    assert console.ask("QUERY SERVER") == ["SERVER   - DSC"]
    assert console.ask("XAUTOLOG SERVER") == ["DMKALG054E SERVER ALREADY LOGGED ON USER DSC"]
    mark = machine.log.mark()
    assert janitor.ask("FORCE SERVER") == []
    machine.wait_log(rf"^{TIME} USER DSC LOGOFF AS SERVER   USERS = 004  FORCED$", WITHIN, mark)


def test_autologs_passwords_are_counted_with_links(at: Opener) -> None:
    general = at(0x0705)
    general.logon("GENERAL")
    for _ in range(5):
        assert general.ask("AUTOLOG GUARDED NO") == ["DMKALG050E PASSWORD INCORRECT"]
        general.ask("LINK PILOT 192 392 RR NO")
    excessive = "INVALID; EXCESSIVE INCORRECT PASSWORDS"
    assert general.ask("AUTOLOG GUARDED SECRET") == [f"DMKALG115E AUTOLOG {excessive}"]
    assert general.ask("LINK PILOT 192 392 RR RPILOT") == [f"DMKLNK115E LINK {excessive}"]
    assert general.ask("QUERY GUARDED") == ["DMKCQG045E GUARDED NOT LOGGED ON"]


def test_a_line_end_makes_several_lines_of_one(at: Opener) -> None:
    console = at(0x0705)
    console.logon("GENERAL")
    assert console.ask("QUERY PF03#QUERY PF04 #*") == ["PF03 UNDEFINED", "PF04 UNDEFINED"]
    assert console.ask("#CP QUERY PF03#QUERY PF04#") == ["PF03 UNDEFINED", "PF04 UNDEFINED"]
    assert console.ask("TERMINAL LINEND %") == []
    assert console.ask("QUERY TERMINAL")[0].startswith("LINEND %  , ")
    assert console.ask("QUERY PF03%MSG * ONE#TWO")[0] == "PF03 UNDEFINED"
    console.expect(": ONE#TWO")
    assert console.ask("TERMINAL LINEND OFF") == []
    console.type("MSG * A%B#C")
    console.expect(": A%B#C")
    assert console.ask("TERMINAL LINEND ON") == []
    assert console.ask("QUERY PF03#QUERY PF04") == ["PF03 UNDEFINED", "PF04 UNDEFINED"]
    assert console.ask("TERMINAL LINEND X") == ["DMKCFT002E INVALID OPERAND - X"]
    console.type("IPL CMS#QUERY CMSLEVEL#QUERY IMPEX")
    console.expect("VM/KB CMS LEVEL 1")
    console.expect("IMPEX   = ON")


def test_a_user_without_a_line_end(at: Opener, janitor: Console) -> None:
    console = at(0x0705)
    console.logon("PLAIN")
    assert console.ask("QUERY TERMINAL")[0].startswith("LINEND OFF, ")
    assert console.ask("QUERY A#B") == ["DMKCQG045E A#B NOT LOGGED ON"]
    assert janitor.ask("FORCE PLAIN") == []


def test_messages(at: Opener) -> None:
    general, wheel = at(0x0705), at(0x0706)
    general.logon("GENERAL")
    wheel.logon("WHEEL")
    assert wheel.ask("MSG GENERAL Hello, you") == []
    general.expect("MSG FROM")
    assert re.fullmatch(rf"{TIME} MSG FROM WHEEL   : Hello, you", general.lines[-1])
    assert wheel.ask("WNG ALL Down at noon") != []
    general.expect("WNG FROM")
    assert re.fullmatch(rf"{TIME} WNG FROM WHEEL   : Down at noon", general.lines[-1])
    wheel.ask("MSGNOH GENERAL The text alone")
    general.expect("The text alone")
    assert general.lines[-1] == "The text alone"
    check(general.ask("MSG * me"), rf"{TIME} MSG FROM GENERAL : me")
    assert general.ask("SET MSG OFF") == []
    assert wheel.ask("MSG GENERAL again") == ["DMKMSG057W GENERAL NOT RECEIVING; MSG OFF"]
    assert general.ask("SET WNG OFF") == []
    assert wheel.ask("WNG GENERAL again") == ["DMKMSG057W GENERAL NOT RECEIVING; WNG OFF"]
    assert general.ask("SET MSG ON") == []
    general.type("DISCONN")
    general.expect("DISCONNECT AT")
    assert wheel.ask("MSG GENERAL gone") == ["DMKMSG057W GENERAL NOT RECEIVING; DISCONNECTED"]


def test_special_messages_have_a_limit(at: Opener) -> None:
    console = at(0x0705)
    console.logon("GENERAL")
    assert console.ask("SET SMSG ON") == []
    for i in range(8):
        assert console.ask(f"SMSG * {i}") == []
    assert console.ask("SMSG * 8") == [
        "DMKMSG057W GENERAL NOT RECEIVING; 8 SPECIAL MESSAGES ARE WAITING"
    ]


def test_accounting_cards(system: System, at: Opener, janitor: Console) -> None:
    _, machine = system
    console = at(0x0705)
    console.logon("GENERAL")
    before = len(cards(machine))
    assert janitor.ask("ACNT GENERAL") == []
    console.expect("CONNECT=")
    check(console.lines[-1:], CONNECT)
    assert console.ask("SET ACNT OFF") == []
    mark = machine.log.mark()
    check(janitor.ask("ACNT ALL"), CONNECT)
    machine.wait_log(CONNECT, WITHIN, mark)  # the operator's own
    assert list(console.session.logoff(WITHIN))[-1].startswith("LOGOFF AT")
    machine.wait_log(r"LOGOFF AS GENERAL ", WITHIN, mark)
    made = cards(machine)[before:]
    mine = [card for card in made if card[:8].decode("cp037") == "GENERAL "]
    assert len(mine) == 3
    for card in mine:
        assert card[78:].decode("cp037") == "01"
        assert card[8:16].decode("cp037") == "42      "
        assert re.fullmatch(r"\d{12}", card[16:28].decode("cp037"))
        total, virtual = (int.from_bytes(card[i : i + 4], "big") for i in (32, 36))
        assert total >= virtual


def test_set_changes_what_it_says(at: Opener) -> None:
    console = at(0x0705)
    console.logon("WHEEL")
    assert console.ask("SET EMSG TEXT") == []
    assert console.ask("XYZZY") == ["?CP: XYZZY"]
    assert console.ask("SET EMSG CODE") == []
    assert console.ask("XYZZY") == ["DMKCFC001E"]
    assert console.ask("SET EMSG OFF") == []
    assert console.ask("XYZZY") == []
    assert console.ask("QUERY SET")[0] == "MSG ON , WNG ON , EMSG OFF , ACNT ON , RUN OFF"
    assert console.ask("SET EMSG ON") == []
    assert console.ask("SET IMSG OFF") == []
    assert console.ask("SYSTEM RESET") == []
    assert console.ask("SET IMSG ON") == []
    assert console.ask("SET PRIORITY OPERATOR 3") == []
    assert console.ask("SET FAVORED OPERATOR") == []
    assert console.ask("QUERY PRIORITY OPERATOR") == ["OPERATOR PRIORITY = 03 FAVORED"]
    assert console.ask("SET FAVORED OPERATOR OFF") == []
    assert console.ask("QUERY PRIORITY OPERATOR") == ["OPERATOR PRIORITY = 03"]
    assert console.ask("SET MODEL 9021-720") == ["MODEL 9021-720 IN FORCE"]
    assert console.ask("QUERY TIME (FULL")[-1].startswith("MODEL 9021-720 CORRECTIONS ")
    assert console.ask("SET MODEL HOST") == ["MODEL HOST IN FORCE"]
    assert console.ask("SET MDC OFF") == []
    check(console.ask("QUERY MDC"), r"MDC OFF, .*")
    assert console.ask("SET MDC ON") == []
    assert console.ask("SET MDC PURGE") == []
    check(console.ask("QUERY MDC"), r"MDC ON, .*")
    assert console.ask("TERMINAL MORE 5 2 HILIGHT ON") == []
    assert console.ask("QUERY TERMINAL")[1].endswith("HILIGHT ON")
    assert console.ask("QUERY TERMINAL")[2] == "MORE 005 002"
    assert console.ask("MONITOR ENABLE USER") == ["COMMAND COMPLETE"]
    assert console.ask("MONITOR DISPLAY")[1] == " 0  PERFORM  DISABLED"


def test_pf_keys(at: Opener) -> None:
    console = at(0x0705)
    console.logon("GENERAL")
    assert console.ask("SET PF1 IMMED QUERY USERS") == []
    assert console.ask("SET PF02 Delayed text") == []
    assert console.ask("SET PF3 IMMED X") == []
    assert console.ask("SET PF3") == []
    assert console.ask("QUERY PF1") == ["PF01 IMMED QUERY USERS"]
    assert console.ask("QUERY PF2") == ["PF02 DELAYED text"]
    assert console.ask("QUERY PF03") == ["PF03 UNDEFINED"]
    console.session.terminal.pf(1)
    console.expect("003 USERS, 000 DIALED")


def test_log_message(at: Opener) -> None:
    wheel, general = at(0x0706), at(0x0705)
    wheel.logon("WHEEL")
    assert wheel.ask("SET LOGMSG Service at noon") == []
    said = general.logon("GENERAL")
    assert "* Service at noon" in said
    assert general.ask("QUERY LOGMSG") == ["* Service at noon"]
    assert wheel.ask("SET LOGMSG NULL") == []
    assert general.ask("QUERY LOGMSG") == ["NO LOG MESSAGE"]


@pytest.mark.parametrize("mode", ["W", "WR", "M", "MR", "MW"])
def test_no_password_writes_where_the_privileged_run_programs(at: Opener, mode: str) -> None:
    """What a class G user plants there would be run with their privileges."""
    second = at(0x0706)
    second.logon("SECOND")
    word = "WPILOT" if mode.startswith("W") else "MPILOT"
    for disk, password in (("PILOT 192", word), ("PILOT 193", ""), ("KEEPER 195", "")):
        refused = f"DMKLNK298E {disk} NOT LINKED; PRIVILEGED USERS RUN ITS PROGRAMS"
        assert second.ask(f"LINK {disk} 391 {mode} {password}".strip()) == [refused]
        assert second.ask("QUERY 391") == ["DMKCQG045E 391 NOT LOGGED ON"]
    assert second.ask("LINK PILOT 192 392 RR RPILOT") == ["DASD 392 LINKED R/O"]
    wheel = at(0x0705)
    wheel.logon("WHEEL")
    linked = wheel.ask(f"LINK KEEPER 195 395 {mode}")
    assert linked == ["DASD 395 LINKED R/W"]


def test_links(system: System, at: Opener) -> None:
    _, machine = system
    general, second = at(0x0705), at(0x0706)
    general.logon("GENERAL")
    said = second.logon("SECOND")
    assert "DASD 292 LINKED R/O; R/W BY GENERAL" in said
    assert second.ask("QUERY VIRTUAL DASD") == ["DASD 292 3370 TESTVL R/O     64 BLK"]
    assert second.ask("LINK TO GENERAL 191 AS 291 RR PASS= RPASS") == [
        "DASD 291 LINKED R/O; R/W BY GENERAL"
    ]
    assert second.ask("LINK GENERAL 191 391 MW MPASS") == ["DASD 391 LINKED R/W; R/W BY GENERAL"]
    assert second.ask("LINK GENERAL 191 491 W WPASS") == [
        "DMKLNK103E GENERAL 191 NOT LINKED; R/W BY 002 USERS; R/O BY SECOND"
    ]
    assert second.ask("DETACH 291 391") == ["DASD 291 DETACHED", "DASD 391 DETACHED"]
    assert second.ask("QUERY 291") == ["DMKCQG045E 291 NOT LOGGED ON"]
    assert second.ask("LINK GENERAL 194 294 RR") == ["DASD 294 LINKED R/O; R/W BY GENERAL"]
    general.session.logoff(WITHIN)
    assert "DMKLNK102E GENERAL 194 NOT LINKED; R/O BY SECOND" in general.logon("GENERAL")
    before = len(cards(machine))
    for _ in range(10):
        assert second.ask("LINK GENERAL 191 291 RR NO") == [
            "DMKLNK114E GENERAL 191 NOT LINKED; READ PASSWORD INCORRECT"
        ]
    assert second.ask("LINK GENERAL 191 291 RR RPASS") == [
        "DMKLNK115E LINK INVALID; EXCESSIVE INCORRECT PASSWORDS"
    ]
    card = cards(machine)[before]
    assert card[78:].decode("cp037") == "06"
    assert card[40:51].decode("cp037") == "GENERAL 191"


def test_define_storage_takes_effect_at_ipl(at: Opener) -> None:
    console = at(0x0705)
    console.logon("GENERAL", options="")
    terminal = console.session.terminal
    terminal.pa(1)
    terminal.wait(lambda screen: screen.status is Status.CP_READ, WITHIN, "CP READ")
    assert console.ask("DEFINE STORAGE 4M") == ["STORAGE = 04096K"]
    assert console.ask("BEGIN") == ["DMKCFM004E NOTHING TO BEGIN; IPL A SYSTEM FIRST"]
    console.type("IPL CMS")
    terminal.wait(lambda screen: screen.status is Status.VM_READ, WITHIN, "VM READ after IPL")
    terminal.pa(1)
    terminal.wait(lambda screen: screen.status is Status.CP_READ, WITHIN, "CP READ")
    assert console.ask("QUERY VIRTUAL STORAGE") == ["STORAGE = 04096K"]
    check(console.ask("DISPLAY PSW"), r"PSW = [0-9A-F]{16} 0{8}10[0-9A-F]{6}")
    check(console.ask("DISPLAY 10000000.10"), r"10000000 ( [0-9A-F]{8}){4}  \*.{8}CMS {5}\*")
    check(console.ask("INDICATE USER")[:1], r"PAGES: RES-1\d{3} WS-1\d{3} .*")
    cms = [line for line in console.ask("QUERY NSS") if line.startswith("NSS CMS ")]
    check(cms, r"NSS CMS      \d{5}K SHARED 001 USERS")
    assert console.ask("BEGIN THERE") == ["DMKCDB004E INVALID HEXLOC - THERE"]
    console.type("BEGIN")
    terminal.wait(lambda screen: screen.status is Status.VM_READ, WITHIN, "VM READ after BEGIN")
    console.type("#CP BEGIN 0")
    console.expect("DMKDSP450W CP ENTERED; ")
    terminal.wait(lambda screen: screen.status is Status.CP_READ, WITHIN, "CP READ")
    for command, said in (
        ("DEFINE STORAGE 2M", "STORAGE = 02048K"), ("SYSTEM CLEAR", "STORAGE CLEARED"),
    ):  # fmt: skip
        console.type("IPL CMS")
        terminal.wait(lambda screen: screen.status is Status.VM_READ, WITHIN, "VM READ after IPL")
        console.type(command)  # CMS gives it to CP, with a reply buffer in what is cleared
        console.expect(said)
        terminal.wait(lambda screen: screen.status is Status.CP_READ, WITHIN, "CP READ")


def test_each_named_system_is_ipled_by_its_whole_name(at: Opener, janitor: Console) -> None:
    console = at(0x0705)
    console.logon("WHEEL")
    names = [line.split()[1] for line in console.ask("QUERY NSS")]
    assert len(names) > 5 and len(set(names)) == len(names)
    for name in ("CMSX", "CM", "TCPIP21X", "FTPSERV", *(f"{n[:7]}$" for n in names)):
        assert console.ask(f"IPL {name}") == [f"DMKCFG044E {name} NOT FOUND OR CANNOT BE LOADED"]

    def running() -> dict[str, int]:
        return {words[1]: int(words[4]) for words in map(str.split, janitor.ask("QUERY NSS"))}

    console.ask("DEFINE STORAGE 4M")
    begun = running()
    for name in ("CMS", "ECHO", "EXERCISE"):
        if name not in names:
            continue
        console.type(f"IPL {name}")
        janitor.ask(f"* {name}")
        now = running()
        assert {n: now[n] - begun[n] for n in names if now[n] != begun[n]} == {name: 1}
        console.session.terminal.pa(1)


@pytest.mark.parametrize("hexloc", ["12345678", "0FEDCBA987654320", "9"])
def test_begin_goes_on_at_that_address(at: Opener, hexloc: str) -> None:
    """Nothing is there: the program check has the address, all of it."""
    console = at(0x0705)
    console.logon("GENERAL", options="")
    console.type(f"#CP BEGIN {hexloc}")
    address = int(hexloc, 16)
    console.expect("DMKDSP450W CP ENTERED; ")
    console.session.terminal.wait(lambda screen: screen.status is Status.CP_READ, WITHIN, "CP READ")
    (psw,) = console.ask("DISPLAY PSW")
    assert 0 <= int(psw.split()[-1], 16) - address <= 6, psw
    assert console.ask("BEGIN 12345678901234567")[0].startswith("DMKCDB004E INVALID HEXLOC")


def test_run_on_keeps_the_program_going(at: Opener) -> None:
    console = at(0x0705)
    console.logon("GENERAL", options="")
    terminal = console.session.terminal
    console.type("#CP SET RUN ON")
    terminal.pa(1)
    terminal.wait(lambda screen: screen.status is Status.CP_READ, WITHIN, "CP READ")
    assert console.ask("QUERY SET")[0].endswith("RUN ON")
    assert console.ask("INDICATE USER")[0].startswith("PAGES: RES-0")
    console.type("BEGIN")
    terminal.wait(lambda screen: screen.status is Status.VM_READ, WITHIN, "VM READ")


def test_sleep_ends_by_time_and_by_attention(at: Opener) -> None:
    console = at(0x0705)
    console.logon("GENERAL")
    terminal = console.session.terminal
    console.type("SLEEP 1 SEC")
    terminal.wait(lambda screen: screen.status is Status.RUNNING, WITHIN, "RUNNING")
    terminal.wait(lambda screen: screen.status is Status.CP_READ, WITHIN, "CP READ after 1 s")
    console.type("SLEEP")
    terminal.wait(lambda screen: screen.status is Status.RUNNING, WITHIN, "RUNNING")
    console.type("* good morning")
    terminal.wait(lambda screen: screen.status is Status.CP_READ, WITHIN, "CP READ after a line")
    console.type("SLEEP 9 HRS")
    terminal.wait(lambda screen: screen.status is Status.RUNNING, WITHIN, "RUNNING")
    terminal.pa(1)
    terminal.wait(lambda screen: screen.status is Status.CP_READ, WITHIN, "CP READ after PA1")
    assert console.ask("SLEEP 0 SEC") == []


def test_a_secondary_user_types_for_a_machine_and_wakes_it(at: Opener) -> None:
    wheel, general, ward = at(0x0701), at(0x0705), at(0x0706)
    wheel.logon("WHEEL")
    general.logon("GENERAL")
    ward.logon("WARD", options="")
    ward.type("#CP DISCONN")
    ward.expect("DISCONNECT AT")
    refused = ["DMKSND057W WARD NOT RECEIVING; NOT ITS SECONDARY USER"]
    assert general.ask("SEND WARD CP MSG WHEEL STRANGE") == refused
    mark = wheel.type("SEND WARD CP MSG WHEEL TYPED")
    wheel.expect("FROM WARD    : TYPED", mark)
    mark = wheel.type("SEND WARD CP SLEEP 9 HRS")
    wheel.type("SEND WARD CP MSG WHEEL AWAKE")
    wheel.expect("FROM WARD    : AWAKE", mark)


def test_shutdown(tmp_path: Path) -> None:
    with booted(tmp_path) as (guest, machine):
        machine.wait_log(rf"^{TIME} VM/KB VERSION \S+ IPL AT {STAMP}$", WITHIN)
        machine.wait_log(rf"^{TIME} CONS 0009 LOGON  AS OPERATOR USERS = 001$", WITHIN)
        machine.wait_log(rf"^{TIME} DMKCPI966I INITIALIZATION COMPLETE$", WITHIN)
        console = Console(guest, machine, 0x0700)
        console.logon("GENERAL")
        machine.operator("SHUTDOWN", rf"^{TIME} DMKCKP961W SYSTEM SHUTDOWN COMPLETE$", WITHIN)
        machine.wait_log(r"00020001 ?80000000 ?00000000 ?00000006", WITHIN)
        console.close()
        users = [card[:8].decode("cp037") for card in cards(machine)]
        assert users == ["GENERAL ", "OPERATOR"]
