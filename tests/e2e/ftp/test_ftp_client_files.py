# SPDX-License-Identifier: MIT
"""CMS's FTP with real servers: every file is the same there, here and back."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from tests.e2e.ftp_client_peers import FtpUser, Lan, Server, pyftpdlib, vsftpd
from tests.e2e.system import HOST, tap_needed
from tests.guests.ftp.test_null_file import null_sum

pytestmark = [pytest.mark.e2e, pytest.mark.both]

MOVED = re.compile(
    r"(\d+) bytes transferred in (\d+\.\d\d) seconds\. Transfer rate (\d+) Kbytes/sec\."
)
SIZES = {"r2m": 2 << 20, "r24k": 24 << 10, "odd": 12345, "one": 1, "none": 0}
TEXT = "".join(f"{i} {'x' * (i % 90)} äöüß{{}}[]^~\n" for i in range(3000)) + "\n\nlast\n"


@pytest.fixture(scope="module", params=[pyftpdlib, vsftpd])
def server(
    request: pytest.FixtureRequest, file_lan: Lan, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    found: Server = request.param(file_lan, tmp_path_factory.mktemp("server") / "files")
    yield found
    found.end()


def _moved(lines: list[str]) -> list[int]:
    return [int(m[1]) for line in lines if (m := MOVED.fullmatch(line))]


def test_get_to_the_null_file(file_lan: Lan, user: FtpUser, server: Server) -> None:
    data = server.put("nulled.bin", random.Random(3).randbytes(123_457))
    user.ftp(*server.begin, "BINARY")
    lines = user.ftp("GET nulled.bin /dev/null")
    assert f"123457 bytes to the null file, sum {null_sum(data):08X}" in lines, lines
    assert _moved(lines) == [123_457]
    assert file_lan.stored("NULLED.BIN") is None
    user.ftp("QUIT")
    assert user.rc() == 0


def active_needs_tap(how: str) -> None:
    """The server comes to the guest."""
    if how == "SENDPORT ON":
        tap_needed("passt lets no server here connect to the guest")


@pytest.mark.parametrize("how", ["SENDPORT ON", "PASSIVE ON"])
def test_binary_there_and_back(file_lan: Lan, user: FtpUser, server: Server, how: str) -> None:
    active_needs_tap(how)
    data = {n: server.put(f"{n}.bin", random.Random(n).randbytes(s)) for n, s in SIZES.items()}
    user.ftp(*server.begin, how, "BINARY")
    for name in data:
        lines = user.ftp(f"GET {name}.bin (REPLACE", f"PUT {name}.bin {name}.back")
        assert _moved(lines) == [SIZES[name]] * 2, lines
        stored = file_lan.stored(f"{name.upper()}.BIN")
        assert stored is not None and (stored.recfm, stored.data) == ("F", data[name])
        assert server.got(f"{name}.back") == data[name]
    lines = user.ftp("QUIT")
    assert user.rc() == 0
    assert lines[1].startswith(">>>QUIT")
    assert any(line.startswith("221") for line in lines)


@pytest.mark.parametrize("how", ["SENDPORT ON", "PASSIVE ON"])
def test_text_there_and_back(file_lan: Lan, user: FtpUser, server: Server, how: str) -> None:
    active_needs_tap(how)
    for name, text in {"text": TEXT, "empty": ""}.items():
        data = server.put(f"{name}.txt", text.encode("latin-1"))
        user.ftp(*server.begin, how, "ASCII", f"GET {name}.txt (REP")
        stored = file_lan.stored(f"{name.upper()}.TXT")
        assert stored is not None and stored.recfm == "V"
        user.ftp(f"PUT {name}.txt {name}.back", "QUIT")
        assert server.got(f"{name}.back").replace(b"\r\n", b"\n") == data


def test_fixed_records(file_lan: Lan, user: FtpUser, server: Server) -> None:
    server.put("cards.txt", b"one\ntwo\n" + b"x" * 80 + b"\n")
    lines = user.ftp(*server.begin, "LOCSITE FIXRECFM 80", "GET cards.txt cards.data (REP")
    assert "Files are made RECFM F LRECL 80" in lines
    stored = file_lan.stored("CARDS.DATA")
    assert stored is not None and (stored.recfm, stored.lrecl, len(stored.data)) == ("F", 80, 240)
    user.ftp("PUT cards.data cards.back", "LOCSITE VARRECFM 10")
    back = server.got("cards.back").replace(b"\r\n", b"\n").split(b"\n")
    assert [line.rstrip() for line in back] == [b"one", b"two", b"x" * 80, b""]
    lines = user.ftp("GET cards.txt short.data", "QUIT")
    assert "SHORT DATA A: nothing was kept" in lines
    assert file_lan.stored("SHORT.DATA") is None


def test_many_files(user: FtpUser, file_lan: Lan, server: Server) -> None:
    """Of the two servers one takes patterns in its NLST, the other does not."""
    for name in ("m1.dat", "m2.dat", "m3.dat", "toolongname.dat", "other.data"):
        server.put(name, name.encode() * 100)
    lines = user.ftp(*server.begin, "BIN", "MGET *.dat (REP", "MGET x?.dat")
    assert "No file of the server matches x?.dat" in lines
    assert len(_moved(lines)) == 3
    assert any("'toolongname.dat' cannot be a CMS file" in line for line in lines), lines
    for n in (1, 2, 3):
        (server.folder / f"m{n}.dat").unlink()
    lines = user.ftp("MPUT m%.dat", "MPUT nothing.*", "QUIT")
    assert len(_moved(lines)) == 3
    assert "No local file matches NOTHING.*" in lines
    assert [server.got(f"M{n}.DAT") for n in (1, 2, 3)] == [b"m%d.dat" % n * 100 for n in (1, 2, 3)]
    for n in (1, 2, 3):
        assert file_lan.stored(f"M{n}.DAT") is not None


def test_mput_takes_files_of_each_mode_number_in_order(user: FtpUser, server: Server) -> None:
    """All that match, and none that does not: name, type and letter, whatever the number."""
    for name in ("n1.set", "n2.set", "n3.set", "n4.sets", "nn1.set"):
        server.put(name, name.encode())
    user.ftp(*server.begin, "BIN", "MGET n*.set* (REP", "QUIT")
    for number, name in ((0, "N1"), (2, "N2"), (6, "N3")):
        user.cms(f"RENAME {name} SET A = = A{number}")
    for file in server.folder.iterdir():
        file.unlink()
    lines = user.ftp(*server.begin, "BIN", "MPUT n%.set", "MPUT n%.set.q", "QUIT")
    assert len(_moved(lines)) == 3
    assert "DMSFTP069E Filemode Q not accessed" in lines
    assert sorted(f.name for f in server.folder.iterdir()) == ["N1.SET", "N2.SET", "N3.SET"]
    assert [server.got(f"N{n}.SET") for n in (1, 2, 3)] == [b"n%d.set" % n for n in (1, 2, 3)]
    user.cms("ERASE N* SET*")


def test_append(user: FtpUser, file_lan: Lan, server: Server) -> None:
    server.put("piece.txt", b"a line\nand another\n")
    lines = user.ftp(
        *server.begin, "GET piece.txt (REP", "APPEND piece.txt all.txt", "APPEND piece.txt all.txt",
        "AP piece txt all.txt", "APPEND", "APPEND absent.file", "QUIT",
    )  # fmt: skip
    assert server.got("all.txt").replace(b"\r\n", b"\n") == b"a line\nand another\n" * 3
    assert len(_moved(lines)) == 4
    assert "Usage: APPEND fn.ft[.fm] [foreignfile]" in lines
    assert "DMSFTP002E File ABSENT FILE A not found" in lines


def test_the_servers_folders(user: FtpUser, server: Server) -> None:
    user.ftp(*server.begin, "BINARY", "MKDIR sub")
    assert (server.folder / "sub").is_dir()
    server.put("in.txt", b"above\n")
    lines = user.ftp("CD sub", "PWD", "CDUP", "PWD", "SIZE in.txt", "RMDIR sub", "MKDIR", "QUIT")
    assert [line.split()[0] for line in lines if line.startswith("257 ")] == ["257", "257"]
    assert any(line.startswith("213 ") for line in lines), lines
    assert "Usage: MKDIR directory" in lines
    assert not (server.folder / "sub").exists()


def test_the_servers_directory(user: FtpUser, server: Server) -> None:
    server.put("here.txt", b"x" * 321)
    lines = user.ftp(*server.begin, "DIR", "LS", "SIZE here.txt", "RENAME here.txt there.txt")
    assert any("here.txt" in line and "321" in line for line in lines)
    assert "here.txt" in lines
    assert (server.folder / "there.txt").exists()
    lines = user.ftp("DELETE there.txt", "PWD", "SYSTEM", "QUOTE NOOP", "STATUS", "QUIT")
    assert not (server.folder / "there.txt").exists()
    assert any(line.startswith("257 ") for line in lines)
    assert any(line.startswith("215 ") for line in lines)


def test_refusals_are_said(user: FtpUser, file_lan: Lan, server: Server) -> None:
    server.put("noname", b"x")
    server.put("twice.txt", b"one\n")
    lines = user.ftp(
        *server.begin,
        "GET noname",
        "GET absent.txt",
        "GET twice.txt (REP",
        "GET twice.txt",
        "GET twice.txt x.y.q",
        "PUT absent.file",
        "PUT bad*.name",
        "BOGUS",
        "GET twice.txt (BOGUS",
        "QUIT",
    )
    for expected in (
        "'noname' cannot be a CMS file: it has no filetype (fn.ft); give a local name too",
        "ABSENT TXT A: nothing was kept",
        "Local file TWICE TXT A exists; use (REPLACE to replace it",
        "DMSFTP069E Filemode Q not accessed",
        "DMSFTP002E File ABSENT FILE A not found",
        "Unknown subcommand BOGUS; HELP lists them",
        "Unknown option BOGUS",
    ):
        assert expected in lines, (expected, lines)
    assert any(line.startswith("550 ") for line in lines)
    assert file_lan.stored("ABSENT.TXT") is None


def test_return_codes_under_exit(user: FtpUser, server: Server) -> None:
    wrong = server.user == "joe"
    if wrong:
        user.ftp(f"FTP {HOST} {server.port} (EXIT", "joe wrong")
        assert user.rc() == 19530
    start, *rest = server.begin
    user.ftp(f"{start} (EXIT", *rest, "GET absent.txt")
    assert user.rc() == 16550
    user.ftp(f"{start} (EXIT", *rest, "GET noname")
    assert user.rc() == 16001
    user.ftp(f"FTP {HOST} 1 (EXIT")
    assert user.rc() == 10003
    assert any("connection refused" in line for line in user.lines[-3:])


def test_subcommands_from_the_stack_and_from_a_file(user: FtpUser, server: Server) -> None:
    if server.user != "joe":
        pytest.skip("one server is enough")
    queue = [
        "joe",
        "secret",
        *server.begin[2:],
        "ascii",
        "get stack.txt (rep",
        "put stack.txt stack.back",
        "quit",
    ]
    program = "/* */\n" + "".join(f"queue '{line}'\n" for line in queue)
    server.put("stack.exec", f"{program}'FTP {HOST} {server.port} (EXIT'\nexit rc\n".encode())
    server.put("stack.subs", "\n".join(queue).encode())
    data = server.put("stack.txt", b"a line\n" * 10)
    user.ftp(*server.begin, "GET stack.exec (REP", "GET stack.subs (REP", "QUIT")
    for command in ("EXEC STACK", f"FTP {HOST} {server.port} (EXIT FILE STACK SUBS A"):
        lines = user.cms(command)
        assert "Command:" not in lines and "Password:" not in lines
        assert not any("secret" in line for line in lines)
        assert server.got("stack.back") == data
        (server.folder / "stack.back").unlink()


def test_ping(user: FtpUser) -> None:
    tap_needed("passt may not send an echo request for anybody")
    lines = user.cms(f"PING {HOST} (COUNT 2 LENGTH 3000")
    assert sum("response took" in line for line in lines) == 2
    assert lines[-1] == "PING: 2 of 2 answered"
    away = HOST.rsplit(".", 1)[0] + ".77"
    answer = user.session.command(f"PING {away} (TIMEOUT 1", 20)
    assert answer.rc == 8 and "no answer in time" in answer.text()
    assert user.session.command("PING nowhere", 20).rc == 100


def test_netstat(user: FtpUser) -> None:
    assert any("LISTEN" in line for line in user.cms("NETSTAT CONN"))
    assert any("DATA BUFFERS" in line for line in user.cms("NETSTAT POOLSIZE"))
    assert any("READY" in line for line in user.cms("NETSTAT DEVLINKS"))
    assert any(line.startswith("TCP") for line in user.cms("NETSTAT COUNTERS"))
    assert user.session.command("NETSTAT BOGUS", 20).rc == 24
