# SPDX-License-Identifier: MIT
"""Who may do what at FTPSERVE, and what it says to those who may not; clients that mean no good."""

from __future__ import annotations

import contextlib
import fcntl
import ftplib
import os
import random
import re
import select
import signal
import socket
import sys
import termios
import threading
import time

import pytest

from tests.e2e.cp_console import Console
from tests.e2e.net_guest import WITHIN, NetGuest, get, put
from tests.e2e.system import FTP, HOST, NET, tap_needed
from vmkb.hercules.deadline import patient, wait_until

pytestmark = pytest.mark.e2e
COMMAS = NET.replace(".", ",")
WRONG_S = 2.0
"""Until the answer to a wrong password."""
DATA = random.Random(4).randbytes(200_000)


def refused(ftp: ftplib.FTP, command: str) -> str:
    """The words of a refusal."""
    with pytest.raises((ftplib.error_perm, ftplib.error_temp)) as caught:
        ftp.sendcmd(command)
    return str(caught.value)


class Raw:
    """A control connection by hand."""

    def __init__(self, net: NetGuest, receive_buffer: int | None = None) -> None:
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(30)
        self.socket.connect(net.host.at(FTP))
        self.file = self.socket.makefile("rb")

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.socket.close()

    def line(self) -> str:
        """The next line; empty at the end."""
        return self.file.readline().decode("latin-1").rstrip("\r\n")

    def say(self, *lines: str) -> None:
        """Commands, all at once."""
        self.socket.sendall("".join(line + "\r\n" for line in lines).encode("latin-1"))

    def login(self, user: str = "CL01") -> None:
        """USER and PASS."""
        self.say(f"USER {user}", f"PASS {user}")
        assert [self.line()[:3] for _ in range(3)] == ["220", "331", "230"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("NOTYPE", "a file is named filename.filetype"),
        ("LONGFILENAME.TXT", "a file name and type have up to 8 characters each"),
        ("A.LONGFILETYPE", "a file name and type have up to 8 characters each"),
        ("../A.TXT", "minidisks have no levels"),
        ("DIR.X/A.TXT", "CD owner.vaddr"),
        ("LIB.TAR.GZ", "and nothing else"),
        ("A.B.C", "and nothing else"),
        ("A.B.C.D", "and nothing else"),
        ("A..B", "a file is named filename.filetype"),
        ("A!.TXT", "a name is made of letters, digits and"),
        ("", "a file name is needed"),
        ("*.TXT", "a name is made of letters, digits and"),
    ],
)
def test_names_that_do_not_fit(net: NetGuest, name: str, why: str) -> None:
    with net.ftp() as ftp:
        commands = ["STOR", "APPE", "STOU", "RETR", "DELE", "SIZE", "MDTM", "RNFR", "MLST"]
        if not name:
            commands = [c for c in commands if c not in ("STOU", "MLST")]
        for command in commands:
            said = refused(ftp, f"{command} {name}".strip())
            assert said.startswith("553 ") and why in said, (command, said)


def test_files_are_looked_after(net: NetGuest) -> None:
    with net.ftp() as ftp:
        put(ftp, "one.bin", DATA)
        assert ftp.nlst("ONE.*") == ["ONE.BIN"]
        ftp.rename("ONE.BIN", "TWO.BIN")
        assert get(ftp, "TWO.BIN") == DATA
        assert refused(ftp, "RNTO X.Y").startswith("503")
        ftp.delete("TWO.BIN")
        assert refused(ftp, "DELE TWO.BIN").startswith("550")
        with pytest.raises(ftplib.error_perm, match="^550 TWO.BIN"):
            get(ftp, "TWO.BIN")
        for command in ("CDUP", "XCUP", "CWD ..", "CWD 192/.."):
            assert re.match("550 .*[Mm]inidisks have no levels", refused(ftp, command)), command
        for command in ("MKD X", "XMKD 192", "RMD X", "XRMD CL01.191"):
            said = refused(ftp, command)
            assert said.startswith("550 A minidisk is ") and "MDISK" in said, command


def test_minidisks(net: NetGuest) -> None:
    with net.ftp("READER") as owner, net.ftp("CL02") as other:
        assert owner.pwd() == "READER.191"
        owner.cwd("192")
        assert owner.pwd() == "READER.192"
        put(owner, "MINE.BIN", DATA)
        # READER.191 may be read by all; whoever came first, nobody else may write.
        owner.cwd("READER.191")
        assert other.cwd("READER.191") == "250 Working minidisk is READER.191 read only."
        assert other.nlst() == ["SHARED.TEXT"]
        for command in ("STOR X.Y", "DELE SHARED.TEXT", "RNFR SHARED.TEXT"):
            assert refused(other, command).startswith("550 READER.191 is read only")
        put(owner, "NEW.BIN", DATA[:20_000])
        assert get(other, "NEW.BIN") == DATA[:20_000]
        owner.delete("NEW.BIN")
        with pytest.raises(ftplib.error_perm, match="^550 NEW.BIN"):
            get(other, "NEW.BIN")
        assert "there is no such minidisk for you" in refused(other, "CWD READER.192")
        assert "there is no such minidisk for you" in refused(other, "CWD NOBODY.191")
        assert refused(other, "CWD READER.XYZ").startswith("501")
        assert other.pwd() == "READER.191"
        owner.cwd("192")
        owner.delete("MINE.BIN")


@pytest.mark.parametrize("user", ["CL01", "CLOSED", "NOBODY", "ANONYMOU"])
def test_wrong_passwords(net: NetGuest, user: str) -> None:
    with Raw(net) as raw:
        assert raw.line().startswith("220")
        for n in range(3):
            raw.say(f"USER {user}", "PASS NOLOG")
            if raw.line().startswith("530 Anonymous is not served here"):
                assert user == "ANONYMOU"
                return
            expected = "530 Password not correct." if n < 2 else "421 Password not correct; too"
            asked = time.monotonic()
            assert raw.line().startswith(expected)
            assert time.monotonic() - asked > 0.9 * WRONG_S
        assert raw.line() == ""
    said = rf"DTCFTS0031W 3 WRONG PASSWORDS FOR {user} FROM {HOST}"
    net.machine.wait_log(said, WITHIN, expected="FTPSERVE to tell the operator")


def test_more_sessions_try_no_more_passwords(net: NetGuest) -> None:
    """Four at once, one of which does not wait for its answer, and perhaps has gone before its try;
    then the right one."""
    with contextlib.ExitStack() as stack:
        begun = time.monotonic()
        sessions = [stack.enter_context(Raw(net)) for _ in range(4)]
        for raw in sessions:
            raw.line()
            raw.say("USER CL01", "PASS WRONG")
        sessions[0].socket.shutdown(socket.SHUT_RDWR)
        for raw in sessions[1:]:
            assert raw.line().startswith("331") and raw.line().startswith("530 Password not")
        assert time.monotonic() - begun > 0.9 * 3 * WRONG_S
        with net.ftp() as ftp:
            assert ftp.pwd() == "CL01.191"
    asked = time.monotonic()
    with net.ftp():
        assert time.monotonic() - asked < patient(0.9 * WRONG_S)


def test_who_is_logged_on_is_told_why_he_may_not_write(net: NetGuest) -> None:
    """His own machine has the minidisk read/write; the refusal says what to do, and that works."""
    console = Console(net.guest, net.machine, 0x0701)
    console.logon("CL02")
    with net.ftp("CL02") as ftp:
        for command in ("DELE MINE.BIN", "RNFR MINE.BIN", "MKD NEW"):
            said = refused(ftp, command)
            assert said.startswith("550 ") and len(said.split()) > 8, said
        with pytest.raises(ftplib.error_perm) as caught:
            put(ftp, "MINE.BIN", b"x")
        assert str(caught.value) == (
            "550 CL02.191 is read only here while somebody who is logged on has it read/write:"
            " DETACH it or LOGOFF there."
        )
        console.session.logoff(WITHIN)
        put(ftp, "MINE.BIN", b"x")
        ftp.delete("MINE.BIN")
        ftp.cwd("READER.191")
        assert refused(ftp, "DELE X.Y") == "550 READER.191 is read only for you, by CP's directory."
    console.close()


def test_nothing_before_the_password(net: NetGuest) -> None:
    with Raw(net) as raw:
        raw.line()
        for command in ("PASV", "STOR A.B", "LIST", "CWD 191", "PWD", "SITE X", "SIZE A.B"):
            raw.say(command)
            assert raw.line() == "530 USER and PASS first."
        raw.say("PASS X")
        assert raw.line() == "503 USER first."


def test_anonymous_reads_only(net: NetGuest) -> None:
    net.console.ask("FORCE FTPSERVE")
    net.console.ask("XAUTOLOG FTPSERVE IPL FTPSERVE PARM ANONYMOUS")
    net.wait_server()
    try:
        with ftplib.FTP(timeout=20) as ftp:
            ftp.connect(*net.host.at(FTP))
            ftp.login()
            assert ftp.nlst() == ["WELCOME.TEXT"]
            assert len(get(ftp, "WELCOME.TEXT")) == ftp.size("WELCOME.TEXT")
            ftp.cwd("READER.191")
            for command in ("STOR X.Y", "DELE SHARED.TEXT", "RNFR SHARED.TEXT"):
                assert refused(ftp, command).startswith("550 Anonymous may only read")
            assert refused(ftp, "CWD CL01.191").startswith("550")
    finally:
        net.console.ask("FORCE FTPSERVE")
        net.console.ask("XAUTOLOG FTPSERVE")
        net.wait_server()


@pytest.mark.parametrize(
    "command",
    [
        f"PORT {COMMAS},99,200,10", f"EPRT |1|{NET}.99|40000|", "PORT 127,0,0,2,200,10",
        f"PORT {COMMAS},254,0,25", f"EPRT |1|{HOST}|1023|",
    ],
    ids=["PORT to another", "EPRT to another", "PORT to itself", "PORT of SMTP", "EPRT low"],
)  # fmt: skip
def test_port_to_others_and_to_services(net: NetGuest, command: str) -> None:
    with net.ftp() as ftp:
        assert refused(ftp, command).startswith("504 PORT must name your own host")
        assert refused(ftp, "NLST").startswith("425 PORT or PASV first")
        for wrong in ("PORT 1,2,3", "PORT a,b,c,d,e,f", f"PORT {COMMAS},254,999,1", "EPRT |1|x|"):
            assert refused(ftp, wrong).startswith("501")
        assert refused(ftp, "EPRT |2|::1|4000|").startswith("522")


def test_the_same_port_again_and_again(net: NetGuest) -> None:
    with net.ftp() as ftp, socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((net.host.listen, 0))
        listener.listen()
        listener.settimeout(20)
        port = listener.getsockname()[1]
        for _ in range(3):
            ftp.sendport(HOST, port)
            assert ftp.sendcmd("LIST").startswith("125")
            data, peer = listener.accept()
            assert peer[0] == net.host.seen
            with data:
                while data.recv(4096):
                    pass
            assert ftp.voidresp().startswith("250")


def test_nobody_listens_at_the_port(net: NetGuest) -> None:
    with net.ftp() as ftp:
        ftp.voidcmd(f"PORT {COMMAS},254,255,254")
        assert ftp.sendcmd("NLST").startswith("125")
        with pytest.raises(ftplib.error_temp, match="^425 Cannot open the data connection"):
            ftp.voidresp()
        assert ftp.pwd() == "CL01.191"


def test_a_host_that_does_not_answer_is_given_up_with_the_transfer(net: NetGuest) -> None:
    before = net.in_use_at_rest()["sockets"]
    with (
        Raw(net) as raw,
        socket.socket() as listener,
        socket.socket() as one,
        socket.socket() as two,
    ):
        listener.bind((net.host.listen, 0))
        listener.listen(0)  # whose queue these two fill: what comes then is passed over in silence
        for filler in (one, two):
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
        raw.login()
        during = net.in_use_at_rest()["sockets"]
        assert during == before + 1
        port = listener.getsockname()[1]
        raw.say(f"PORT {HOST.replace('.', ',')},{port >> 8},{port & 255}", "NLST")
        assert [raw.line()[:3] for _ in range(2)] == ["200", "125"]
        wait_until(lambda: net.in_use()["sockets"] == during + 1, 10, "the SYN to be out")
        raw.say("ABOR")
        assert [raw.line()[:3] for _ in range(2)] == ["426", "226"]
        wait_until(lambda: net.in_use()["sockets"] == during, 10, "the connection to be given up")


def test_garbage_and_endless_lines(net: NetGuest) -> None:
    noise = random.Random(5)
    with Raw(net) as raw:
        raw.line()
        for _ in range(50):
            junk = bytes(b for b in noise.randbytes(200) if b not in (10, 255))
            raw.socket.sendall(junk + b"\r\n")
            assert raw.line()[:3] in ("500", "501", "530", "503")
        raw.socket.sendall(b"A" * 300_000 + b"\r\nNOOP\r\n")
        assert raw.line() == "500 Command line over 512 bytes."
        assert raw.line() == "200 OK."
        raw.socket.sendall(b"B" * 300_000)  # and goes away in the middle
    with Raw(net) as raw:
        raw.login()
        raw.socket.sendall(noise.randbytes(100_000) + b"\nQUIT\r\n")
        while raw.line():
            pass


def test_commands_typed_ahead_and_abor(net: NetGuest) -> None:
    with Raw(net) as raw:
        raw.login()
        raw.say(*["NOOP"] * 2000)
        assert [raw.line() for _ in range(2000)] == ["200 OK."] * 2000
        raw.say("EPSV", "STOR A.B", "ABOR", "NOOP")
        said = [raw.line()[:3] for _ in range(5)]
        assert said == ["229", "150", "426", "226", "200"]


def test_twenty_clients_at_once(net: NetGuest) -> None:
    wrong: list[str] = []

    def client(n: int) -> None:
        user = f"CL{n + 1:02}"
        data = random.Random(n).randbytes(1 << 20)
        try:
            with net.ftp(user, 60) as ftp:
                ftp.set_pasv(n % 2 == 0)
                for name in ("A.BIN", "B.BIN"):
                    put(ftp, name, data)
                    if get(ftp, name) != data:
                        wrong.append(f"{user}: {name} differs")
                    ftp.delete(name)
        except Exception as error:
            wrong.append(f"{user}: {error!r}")

    threads = [threading.Thread(target=client, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90)
    assert not wrong


def test_who_finds_no_session_is_told(net: NetGuest) -> None:
    """28 users are there; those who come then get 421 and a sentence, at once."""
    with contextlib.ExitStack() as sessions:
        for n in range(28):
            sessions.enter_context(net.ftp(f"CL{n % 20 + 1:02}"))
        for _ in range(4):
            with Raw(net) as raw:
                assert raw.line() == "421 All sessions are in use, try later."
                assert raw.line() == ""
    net.wait_server()


@pytest.mark.slow
def test_clients_that_hardly_read_hold_nobody_up_and_are_ended(net: NetGuest) -> None:
    """20 of them: another's files go as ever, and 60 of the guest's seconds later, here 6, they get
    426."""
    data = DATA * 5
    with contextlib.ExitStack() as stack:
        slow = []
        for n in range(20):
            ftp = net.ftp(f"CL{n + 1:02}")
            stack.callback(ftp.close)
            put(ftp, "A.BIN", data)
            sink = stack.enter_context(socket.socket())
            sink.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            sink.connect(ftp.makepasv())
            assert ftp.sendcmd("RETR A.BIN").startswith("150")
            sink.settimeout(WITHIN)
            slow.append((ftp, sink))
        with net.ftp("READER") as ftp:
            for _ in range(3):
                began = time.monotonic()
                put(ftp, "B.BIN", DATA[:20_000])
                assert get(ftp, "B.BIN") == DATA[:20_000]
                assert time.monotonic() - began < patient(5)
            ftp.delete("B.BIN")
        stack.callback(net.machine.command, "toddrag 1.0")
        net.machine.command("toddrag 0.1")
        ends: list[str] = []
        while not ends:
            for ftp, sink in slow:
                if sink.recv(1) == b"":
                    break
                assert ftp.sock is not None
                ready, _, _ = select.select([ftp.sock], [], [], 0.05)
                if ready:
                    ends.append(ftp.getline())
        assert ends[0] == "426 Data connection did not move; transfer ended."
        for _, sink in slow:
            sink.close()
    for n in range(20):
        with net.ftp(f"CL{n + 1:02}") as ftp:
            ftp.delete("A.BIN")


@pytest.mark.parametrize("passive", [True, False])
def test_disk_full(net: NetGuest, passive: bool) -> None:
    """A client that sends all and then reads gets the reply."""
    with net.ftp("SMALL") as ftp:
        ftp.set_pasv(passive)
        put(ftp, "KEPT.BIN", DATA[:50_000])
        for name in ("BIG.BIN", "KEPT.BIN"):
            with pytest.raises(ftplib.error_perm, match="552 The minidisk is full; nothing was"):
                put(ftp, name, DATA * 50)
        assert ftp.nlst() == ["KEPT.BIN"]
        assert get(ftp, "KEPT.BIN") == DATA[:50_000]
        put(ftp, "FITS.BIN", DATA[:100_000])
        ftp.delete("FITS.BIN")


def test_two_write_one_file(net: NetGuest) -> None:
    """The last to end wins; each file is whole."""
    with net.ftp() as one, net.ftp() as two:
        one.voidcmd("TYPE I")
        two.voidcmd("TYPE I")
        first, second = one.transfercmd("STOR SAME.BIN"), two.transfercmd("STOR SAME.BIN")
        for _ in range(10):
            first.sendall(DATA[:10_000])
            second.sendall(DATA[10_000:20_000])
        second.close()
        assert two.voidresp().startswith("250")
        first.close()
        assert one.voidresp().startswith("250")
        assert get(two, "SAME.BIN") == DATA[:10_000] * 10
        one.delete("SAME.BIN")


def storing(net: NetGuest) -> tuple[ftplib.FTP, socket.socket]:
    """A session that is in the midst of writing OLD.BIN, and its data connection."""
    ftp = net.ftp()
    ftp.voidcmd("TYPE I")
    data = ftp.transfercmd("STOR OLD.BIN")
    data.sendall(b"new" * 50_000)
    return ftp, data


def in_the_kernel(sock: socket.socket) -> int:
    """Bytes that are not acknowledged yet."""
    return int.from_bytes(fcntl.ioctl(sock, termios.TIOCOUTQ, bytes(4)), sys.byteorder)


def test_the_client_goes_away_in_mid_transfer(net: NetGuest) -> None:
    with net.ftp() as ftp:
        put(ftp, "OLD.BIN", DATA)
    for reset in (False, True):
        ftp, data = storing(net)
        assert ftp.sock is not None
        if reset:
            for end in (ftp.sock, data):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        ftp.close()
        if not reset:
            with pytest.raises(ConnectionResetError):
                data.recv(1)
        data.close()
    with net.ftp() as ftp:
        assert get(ftp, "OLD.BIN") == DATA
        ftp.delete("OLD.BIN")


def test_a_client_that_ends_has_not_sent_the_whole_file(net: NetGuest) -> None:
    """Its control connection is closed first, its data connection in the same moment. Both come at
    once to a guest that stood still, behind bytes of the file."""
    tap_needed("passt may close a client's connections in another order")
    with net.ftp() as ftp:
        put(ftp, "OLD.BIN", DATA)
    ftp, data = storing(net)
    data.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    wait_until(lambda: in_the_kernel(data) == 0, WITHIN, "the guest to have what was sent")

    def taken() -> int:
        return int(net.wire.counters()["ports"]["host"]["frames_in"])

    os.kill(net.machine.pid, signal.SIGSTOP)
    try:
        before = taken()
        for n in (1, 2):  # the first one goes by itself
            data.sendall(b"new")
            wait_until(lambda: taken() >= before + n, WITHIN, "the wire to take a segment")  # noqa: B023
        ftp.close()
        data.close()
        wait_until(lambda: taken() >= before + 4, WITHIN, "the wire to take the ends")
    finally:
        os.kill(net.machine.pid, signal.SIGCONT)
    with net.ftp() as ftp:
        assert get(ftp, "OLD.BIN") == DATA
        ftp.delete("OLD.BIN")
