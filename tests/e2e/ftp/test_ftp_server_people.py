# SPDX-License-Identifier: MIT
"""FTPSERVE as people expect a server to be: mirrors, globs, resumed transfers, paths, true help."""

from __future__ import annotations

import contextlib
import ftplib
import io
import random
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.net_guest import NetGuest, get, get_raw, put, put_raw
from tests.e2e.system import FTP
from tests.guests.ftp.test_null_file import null_sum

pytestmark = pytest.mark.e2e
BINARY = random.Random(8).randbytes(300_000)
TEXT = b"".join(b"Line %06d of a text that has an end\r\n" % n for n in range(600))


@pytest.fixture
def net(file_net: NetGuest) -> Iterator[NetGuest]:
    """The guest; after each test nothing is held, and the minidisks are empty."""
    before = file_net.in_use()
    yield file_net
    with file_net.ftp("READER") as ftp:
        for disk in ("CL01.191", "READER.192"):
            if disk == "CL01.191":
                with file_net.ftp() as own:
                    _empty(own)
            else:
                ftp.cwd(disk)
                _empty(ftp)
    file_net.wait_as_before(before, 40)


def _empty(ftp: ftplib.FTP) -> None:
    for name in ftp.nlst():
        ftp.delete(name)


@pytest.mark.parametrize("size", [0, 1, 57345, 300_000])
def test_the_null_file(net: NetGuest, size: int) -> None:
    """It takes any number of bytes, says how many and their sum; there is no file afterwards."""
    data = BINARY[:size]
    with net.ftp() as ftp:
        for name in ("/dev/null", "/DEV/NULL"):
            said = put(ftp, name, data)
            expected = f"{size} bytes to the null file, sum {null_sum(data):08X}."
            assert said == f"250 Transfer completed successfully; {expected}"
        assert ftp.nlst() == []


def client(folder: Path, program: str, *arguments: str) -> str:
    """What a client says; it must end well and within 60 s."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run(
        [program, *arguments], capture_output=True, text=True, timeout=60, cwd=folder, check=False
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def lftp(net: NetGuest, folder: Path, *commands: str, user: str = "cl01") -> str:
    """What lftp says to these commands."""
    first = "set net:max-retries 1; set net:timeout 10; set cmd:fail-exit true"
    script = f"{first}; open -u {user},{user} {url(net)}; " + "; ".join(commands)
    return client(folder, "lftp", "-c", script)


def url(net: NetGuest) -> str:
    """FTPSERVE's."""
    return "ftp://{}:{}".format(*net.host.at(FTP))


def files_of(folder: Path) -> dict[str, bytes]:
    """What is in a folder and those below it."""
    return {p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def refused(ftp: ftplib.FTP, command: str) -> str:
    """The words of a refusal."""
    with pytest.raises((ftplib.error_perm, ftplib.error_temp)) as caught:
        ftp.sendcmd(command)
    return str(caught.value)


@pytest.mark.parametrize("before", ["", "ls > /dev/null", "cls > /dev/null"])
def test_lftp_mirrors_random_files(net: NetGuest, tmp_path: Path, before: str) -> None:
    """Binary, fixed and text: what MLSD says is what RETR in Image sends."""
    noise = random.Random(9)
    expected = {}
    with net.ftp() as ftp:
        for n in range(100):
            data = noise.randbytes(noise.randrange(noise.choice([1, 100, 5000, 50_000])))
            name = f"R{n:03}.BIN"
            if n % 3 == 0:
                ftp.voidcmd("TYPE A")
                put_raw(ftp, name, data)
                ftp.voidcmd("TYPE I")
                data = get_raw(ftp, name)
            else:
                put(ftp, name, data)
            expected[name] = data
    lftp(net, tmp_path, *filter(None, [before, "mirror . got"]))
    assert files_of(tmp_path / "got") == expected


def test_sizes_are_of_the_type_in_which_files_are_moved(net: NetGuest) -> None:
    """A TYPE A may be for the list alone, and an ASCII without any TYPE is nobody's choice."""
    with net.ftp() as ftp:
        ftp.voidcmd("TYPE A")
        put_raw(ftp, "T.TXT", TEXT)
    image, text = len(TEXT) - 2 * TEXT.count(b"\r\n"), len(TEXT)

    def facts(ftp: ftplib.FTP) -> set[str]:
        with ftp.transfercmd("MLSD") as data, data.makefile("rb") as file:
            listed = file.read().decode()
        ftp.voidresp()
        return {m[1] for m in re.finditer(r"size=(\d+);", listed + ftp.sendcmd("MLST T.TXT"))}

    with net.ftp() as ftp:
        assert facts(ftp) == {str(image)}
        ftp.voidcmd("TYPE A")
        assert facts(ftp) == {str(image)}
        for kind, size in (("A", text), ("I", image), ("A", text)):
            ftp.voidcmd(f"TYPE {kind}")
            assert ftp.sendcmd("SIZE T.TXT") == f"213 {size}"
            assert len(get_raw(ftp, "T.TXT")) == size
            assert facts(ftp) == {str(size)}
        ftp.voidcmd("TYPE I")
        assert facts(ftp) == {str(image)}


def test_names_do_not_fall_together(net: NetGuest, tmp_path: Path) -> None:
    with net.ftp() as ftp:
        put(ftp, "LIB.TAR", b"kept")
        for name in ("lib.tar.gz", "lib.tar.bz2", "a.b.c.d", "main.c.o"):
            with pytest.raises(ftplib.error_perm, match="^553 "):
                put(ftp, name, b"lost")
        put(ftp, "fits.too.a1", b"fm")
        assert sorted(ftp.nlst()) == ["FITS.TOO", "LIB.TAR"]
        assert get(ftp, "LIB.TAR") == b"kept"


def test_wget(net: NetGuest, tmp_path: Path) -> None:
    expected = {f"F{n:03}.BIN": BINARY[: n * 7000] for n in range(6)}
    with net.ftp("READER") as ftp:
        ftp.cwd("192")
        for name, data in expected.items():
            put(ftp, name, data)
        put(ftp, "OTHER.BIN", b"other")
    login = ("--user=reader", "--password=reader", "--tries=1", "-nv", "-nH")
    client(tmp_path, "wget", *login, "-r", "-P", "all", f"{url(net)}/READER.192/")
    assert files_of(tmp_path / "all") == expected | {"OTHER.BIN": b"other"}
    client(tmp_path, "wget", *login, "-P", "some", f"{url(net)}/reader.192/F*.BIN")
    assert files_of(tmp_path / "some") == expected
    client(tmp_path, "wget", *login, "-P", "one", f"{url(net)}/READER.192/F001.BIN")
    (tmp_path / "one" / "F005.BIN").write_bytes(BINARY[:12345])
    client(tmp_path, "wget", *login, "-c", "-P", "one", f"{url(net)}/READER.192/F005.BIN")
    assert files_of(tmp_path / "one") == {n: expected[n] for n in ("F001.BIN", "F005.BIN")}


def test_ncftp(net: NetGuest, tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"N{n}.BIN").write_bytes(BINARY[: n * 9000])
    login = ("-V", "-u", "reader", "-p", "reader")
    address, port = net.host.at(FTP)
    at = ("-P", str(port))
    names = [f"N{n}.BIN" for n in range(3)]
    client(tmp_path, "ncftpput", *login, *at, address, "READER.192", *names)
    (tmp_path / "got").mkdir()
    paths = [f"READER.192/{name}" for name in names]
    client(tmp_path, "ncftpget", *login, *at, address, "got", *paths)
    assert files_of(tmp_path / "got") == {n: (tmp_path / n).read_bytes() for n in names}
    (tmp_path / "glob").mkdir()
    client(tmp_path, "ncftpget", *login, *at, address, "glob", "READER.192/N?.BIN")
    assert sorted(files_of(tmp_path / "glob")) == names
    said = client(tmp_path, "ncftpls", "-u", "reader", "-p", "reader", f"{url(net)}/READER.192/")
    assert said.split() == names


@pytest.mark.parametrize("method", ["multicwd", "singlecwd", "nocwd"])
def test_curl_paths_and_resumes(net: NetGuest, tmp_path: Path, method: str) -> None:
    where = f"{url(net)}/READER.192/C.BIN"
    how = ("-sS", "-u", "reader:reader", "--max-time", "30", "--ftp-method", method)
    (tmp_path / "whole").write_bytes(BINARY)
    (tmp_path / "part").write_bytes(BINARY[:123_457])
    client(tmp_path, "curl", *how, "-T", "part", where)
    client(tmp_path, "curl", *how, "-C", "-", "-T", "whole", where)
    client(tmp_path, "curl", *how, "-o", "down", where)
    assert (tmp_path / "down").read_bytes() == BINARY
    (tmp_path / "down").write_bytes(BINARY[:4097])
    client(tmp_path, "curl", *how, "-C", "-", "-o", "down", where)
    assert (tmp_path / "down").read_bytes() == BINARY
    assert "C        BIN" in client(tmp_path, "curl", *how, f"{url(net)}/READER.192/")


def test_lftp_resumes(net: NetGuest, tmp_path: Path) -> None:
    """What is there already is of other bytes, so that they show that it was not sent again."""
    there, here = b"s" * 77_777, b"c" * 100_001
    with net.ftp() as ftp:
        put(ftp, "UP.BIN", there)
        put(ftp, "DOWN.BIN", BINARY)
    (tmp_path / "UP.BIN").write_bytes(BINARY)
    (tmp_path / "DOWN.BIN").write_bytes(here)
    lftp(net, tmp_path, "put -c UP.BIN", "get -c DOWN.BIN")
    with net.ftp() as ftp:
        assert get(ftp, "UP.BIN") == there + BINARY[len(there) :]
    assert (tmp_path / "DOWN.BIN").read_bytes() == here + BINARY[len(here) :]


@pytest.mark.parametrize("site", ["SITE", "SITE FIXRECFM 100", "SITE VARRECFM 100"])
def test_rest_at_any_byte(net: NetGuest, site: str) -> None:
    data = BINARY[:5000]
    with net.ftp() as ftp:
        ftp.voidcmd(site)
        put(ftp, "R.BIN", data)
        for n in (0, 1, 99, 100, 4096, 4999, 5000):
            got = bytearray()
            ftp.retrbinary("RETR R.BIN", got.extend, rest=n)
            assert got == data[n:]
            ftp.storbinary("STOR R.BIN", io.BytesIO(data[n:]), rest=n)
            assert get(ftp, "R.BIN") == data
        ftp.storbinary("STOR R.BIN", io.BytesIO(b"new end"), rest=1000)
        assert get(ftp, "R.BIN") == data[:1000] + b"new end"


@pytest.mark.parametrize("site", ["SITE VARRECFM", "SITE FIXRECFM 40"])
def test_rest_in_text(net: NetGuest, site: str) -> None:
    with net.ftp() as ftp:
        ftp.voidcmd("TYPE A")
        ftp.voidcmd(site)
        put_raw(ftp, "T.TXT", TEXT)
        whole = get_raw(ftp, "T.TXT")
        for n in (0, 10, 36, 37, 38, 41, 42, 43, len(whole)):
            assert ftp.sendcmd(f"REST {n}").startswith("350")
            assert get_raw(ftp, "T.TXT") == whole[n:]
            assert ftp.sendcmd(f"REST {n}").startswith("350")
            put_raw(ftp, "T.TXT", whole[n:])
            assert get_raw(ftp, "T.TXT") == whole


def test_rest_is_refused_where_it_cannot_be(net: NetGuest) -> None:
    with net.ftp() as ftp:
        put(ftp, "R.BIN", BINARY[:500])
        for wrong in ("REST", "REST x", "REST -1", "REST 1 2", "REST 9999999999999999999"):
            assert refused(ftp, wrong).startswith("501 REST needs a number")
        for command in ("RETR R.BIN", "STOR R.BIN"):
            with pytest.raises(ftplib.error_perm, match="^554 R.BIN has 500 bytes"):
                ftp.transfercmd(command, 501)
        with pytest.raises(ftplib.error_perm, match="^550"):
            ftp.transfercmd("STOR NO.FILE", 5)
        assert get(ftp, "R.BIN") == BINARY[:500]
        # It is for the next command alone, whatever becomes of that.
        for between in ("RETR NO.FILE", "SIZE R.BIN", "PWD"):
            ftp.sendcmd("REST 400")
            ftp.voidcmd("NOOP")
            with contextlib.suppress(ftplib.error_perm, ftplib.error_temp):
                ftp.sendcmd(between)
            assert get(ftp, "R.BIN") == BINARY[:500]


def test_appe_and_stou(net: NetGuest) -> None:
    with net.ftp() as ftp:
        ftp.voidcmd("TYPE A")
        for n in range(3):
            with ftp.transfercmd("APPE LOG.TXT") as data:
                data.sendall(b"line %d\r\n" % n)
            assert ftp.voidresp().startswith("250")
        assert get_raw(ftp, "LOG.TXT") == b"line 0\r\nline 1\r\nline 2\r\n"
        ftp.storbinary("APPE ADD.BIN", io.BytesIO(BINARY[:100]))
        ftp.storbinary("APPE ADD.BIN", io.BytesIO(BINARY[100:50_000]))
        assert get(ftp, "ADD.BIN") == BINARY[:50_000]
        ftp.voidcmd("TYPE I")
        said = []
        for command in ("STOU", "STOU", "STOU EIGHTCHR.BIN", "STOU EIGHTCHR.BIN", "STOU A.B"):
            ftp.voidcmd("TYPE I")
            host, port = ftp.makepasv()
            said.append(ftp.sendcmd(command))
            with socket.create_connection((host, port), 20) as data:
                data.sendall(b"x" * len(said))
            assert ftp.voidresp().startswith("250")
        names = ["UNIQUE.FILE", "UNIQUE1.FILE", "EIGHTCHR.BIN", "EIGHTCH1.BIN", "A.B"]
        assert said == [f"150 FILE: {name}" for name in names]
        assert [len(get(ftp, name)) for name in names] == [1, 2, 3, 4, 5]


def test_two_stou_at_once_are_two_files(net: NetGuest) -> None:
    with net.ftp() as one, net.ftp() as two:
        first, second = one.transfercmd("STOU X.Y"), two.transfercmd("STOU X.Y")
        first.sendall(b"1")
        second.sendall(b"2")
        first.close()
        second.close()
        one.voidresp()
        two.voidresp()
        one.voidcmd("TYPE I")
        assert sorted(one.nlst()) == ["X.Y", "X1.Y"]
        assert {get(one, name) for name in one.nlst()} == {b"\xf1", b"\xf2"}


def test_paths_to_other_minidisks(net: NetGuest) -> None:
    with net.ftp("READER") as ftp, net.ftp("CL02") as other:
        put(ftp, "READER.192/P.BIN", BINARY[:3000])
        assert get(ftp, "192/p.bin") == BINARY[:3000]
        assert ftp.pwd() == "READER.191"
        assert ftp.nlst("192") == ["READER.192/P.BIN"]
        assert ftp.nlst("READER.192/*.BIN") == ["READER.192/P.BIN"]
        assert ftp.sendcmd("MLST READER.192").splitlines()[1] == " type=dir; READER.192"
        assert ftp.sendcmd("MLST").splitlines()[1] == " type=cdir; READER.191"
        assert [name for name, _ in ftp.mlsd("READER.192")] == ["P.BIN"]
        ftp.rename("192/P.BIN", "READER.192/Q.BIN")
        assert ftp.sendcmd("RNFR 192/Q.BIN").startswith("350")
        assert refused(ftp, "RNTO Q.BIN").startswith("553 A file keeps its minidisk, READER.192")
        assert ftp.cwd("READER.191/READER.192") == "250 Working minidisk is READER.192 read/write."
        assert ftp.nlst() == ["Q.BIN"]
        assert ftp.cwd(".").startswith("250 Working minidisk is READER.192")
        assert ftp.cwd("/").startswith("250 Working minidisk is READER.191")
        for command in ("RETR READER.192/Q.BIN", "STOR 192/X.Y", "DELE READER.192/Q.BIN"):
            ftplib_said = refused(other, command)
            assert "there is no such minidisk for you" in ftplib_said
        assert refused(other, "STOR READER.191/X.Y").startswith("550 READER.191 is read only")
        ftp.delete("192/Q.BIN")
    # Nothing of another minidisk is kept when the command is done.
    assert "READER 192" not in "\n".join(net.console.ask("QUERY LINKS 192"))


def test_list_formats(net: NetGuest) -> None:
    with net.ftp() as ftp:
        put(ftp, "F.BIN", BINARY[:12345])

        def listed(command: str) -> str:
            rows: list[str] = []
            ftp.retrlines(command, rows.append)
            (row,) = rows
            return row

        vm = r"F        BIN      F         80        155        4 \d+/\d\d/\d\d .*"
        unix = r"-rw-r--r-- 1 CL01     191           12345 [A-Z][a-z]{2} [ \d]\d \d\d:\d\d F\.BIN"
        assert re.fullmatch(vm, listed("LIST"))
        assert ftp.sendcmd("SITE LISTFORMAT UNIX") == "200 LIST is in UNIX format."
        assert re.fullmatch(unix, listed("LIST"))
        assert ftp.sendcmd("SITE listf vm") == "200 LIST is in VM format."
        assert re.fullmatch(vm, listed("LIST -la"))
        assert refused(ftp, "SITE LISTFORMAT DOS") == "501 SITE LISTFORMAT VM or UNIX."
        ftp.voidcmd("REIN")
        ftp.login("CL01", "CL01")
        assert re.fullmatch(unix, listed("LIST -la F*"))
        assert re.fullmatch(unix, listed("LIST"))


def test_help_is_true(net: NetGuest) -> None:
    with net.ftp() as ftp:
        lines = ftp.sendcmd("HELP").splitlines()
        names = " ".join(lines[1:-1]).split()
        assert len(names) == len(set(names)) and {"REST", "APPE", "STOU", "MLST"} <= set(names)
        for name in names:
            assert ftp.sendcmd(f"HELP {name}").startswith(f"214 {name}")
        for name in sorted(set(names) - {"QUIT", "REIN", "USER", "PASV", "EPSV"}):
            try:
                said = ftp.sendcmd(name)
            except (ftplib.error_perm, ftplib.error_temp) as error:
                said = str(error)
            assert not said.startswith(("500 Unknown", "502")), name
        for name in ("SMNT", "AUTH", "XSEM", "LISTX", "CW"):
            assert name not in names
            assert refused(ftp, name).startswith("500 Unknown command")
            assert refused(ftp, f"HELP {name}").startswith("502 Unknown command")
        assert "LISTFORMAT VM or UNIX" in ftp.sendcmd("HELP SITE")
        assert "LISTFORMAT VM or UNIX" in ftp.sendcmd("SITE HELP")
