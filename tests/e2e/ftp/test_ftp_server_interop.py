# SPDX-License-Identifier: MIT
"""FTPSERVE with the clients that people have: curl, lftp, tnftp and Python's ftplib."""

from __future__ import annotations

import ftplib
import random
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.net_guest import NetGuest, get, get_raw, net_guest, put, put_raw
from tests.e2e.system import FTP, tap_needed

pytestmark = pytest.mark.e2e
BINARY = random.Random(3).randbytes(2 << 20)
TEXT = b"".join(b"Line %06d of a text that has an end\r\n" % n for n in range(600))


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetGuest]:
    """One guest for this file, with lwIP 2.2.1."""
    with net_guest(tmp_path_factory.mktemp("net"), "TCPIP=221") as net:
        yield net


def run(program: str, *arguments: str, script: str = "", folder: Path | None = None) -> str:
    """What a client says; it must end well and within 30 s."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run(
        [program, *arguments], input=script, capture_output=True, text=True, timeout=30,
        cwd=folder, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


@pytest.mark.parametrize("active", [False, True], ids=["passive", "active"])
@pytest.mark.parametrize("extended", [False, True], ids=["ipv4-words", "extended"])
def test_curl(net: NetGuest, tmp_path: Path, active: bool, extended: bool) -> None:
    if active:
        tap_needed("curl names its own address in PORT")
    before = net.in_use()
    (tmp_path / "up").write_bytes(BINARY)
    how = ["-sS", "-u", "cl01:cl01", "--max-time", "20"]
    if active:
        how += ["--ftp-port", "-"] + ([] if extended else ["--disable-eprt"])
    elif not extended:
        how += ["--disable-epsv"]
    url = "ftp://{}:{}".format(*net.host.at(FTP))
    file = f"{url}/CURL.BIN"
    run("curl", *how, "-T", str(tmp_path / "up"), file)
    run("curl", *how, "-o", str(tmp_path / "down"), file)
    assert (tmp_path / "down").read_bytes() == BINARY
    assert "CURL     BIN" in run("curl", *how, f"{url}/")
    assert "CURL.BIN" in run("curl", *how, "-l", f"{url}/").split()
    head = run("curl", *how, "-I", file)
    assert f"Content-Length: {len(BINARY)}" in head
    run("curl", *how, "-Q", "DELE CURL.BIN", "-l", f"{url}/")
    net.wait_as_before(before)


@pytest.mark.parametrize("passive", ["true", "false"])
def test_lftp(net: NetGuest, tmp_path: Path, passive: str) -> None:
    if passive == "false":
        tap_needed("lftp names its own address in PORT")
    url = "ftp://{}:{}".format(*net.host.at(FTP))
    for n in range(5):
        (tmp_path / f"LF{n}.BIN").write_bytes(BINARY[: n * 100_000])
    script = f"""
set ftp:passive-mode {passive}
set net:max-retries 1
set net:timeout 10
set cmd:fail-exit true
open -u cl02,cl02 {url}
mput LF0.BIN LF1.BIN LF2.BIN LF3.BIN LF4.BIN
cls -1
ls
pwd
mv LF4.BIN MOVED.BIN
rm LF0.BIN
lcd got
mget LF*.BIN
get MOVED.BIN
bye
"""
    (tmp_path / "got").mkdir()
    (tmp_path / "script").write_text(script)
    said = run("lftp", "-f", "script", folder=tmp_path)
    assert "LF3.BIN" in said
    with net.ftp("CL02") as ftp:
        assert sorted(ftp.nlst()) == ["LF1.BIN", "LF2.BIN", "LF3.BIN", "MOVED.BIN"]
        for name in ftp.nlst():
            ftp.delete(name)
    got = {p.name: p.read_bytes() for p in (tmp_path / "got").iterdir()}
    expected = {f"LF{n}.BIN": BINARY[: n * 100_000] for n in (1, 2, 3)}
    assert got == expected | {"MOVED.BIN": BINARY[:400_000]}


def test_tnftp(net: NetGuest, tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"TN{n}.BIN").write_bytes(BINARY[n * 1000 : n * 70_000])
    (tmp_path / "TEXT.TXT").write_bytes(TEXT.replace(b"\r\n", b"\n"))
    (tmp_path / "got").mkdir()
    address, port = net.host.at(FTP)
    script = f"""\
open {address} {port}
user cl03 cl03
prompt
binary
mput TN0.BIN TN1.BIN TN2.BIN
ascii
put TEXT.TXT
dir
ls
cd cl03.191
pwd
lcd got
get TEXT.TXT
binary
mget TN*.BIN
passive
get TN2.BIN ACTIVE.BIN
size TN2.BIN
modtime TN2.BIN
rename TN1.BIN OTHER.BIN
delete TN0.BIN
nlist
quit
"""
    said = run("tnftp", "-n", "-v", script=script, folder=tmp_path)
    assert "CL03.191" in said
    for n in range(3):
        assert (tmp_path / "got" / f"TN{n}.BIN").read_bytes() == BINARY[n * 1000 : n * 70_000]
    assert (tmp_path / "got" / "ACTIVE.BIN").read_bytes() == BINARY[2000:140_000]
    assert (tmp_path / "got" / "TEXT.TXT").read_bytes() == TEXT.replace(b"\r\n", b"\n")
    ftp = net.ftp("CL03")
    assert sorted(ftp.nlst()) == ["OTHER.BIN", "TEXT.TXT", "TN2.BIN"]
    ftp.quit()


@pytest.mark.parametrize("release", ["213", "221"])
@pytest.mark.parametrize("mtu", [1500, 4000])
def test_both_releases_and_mtus(tmp_path: Path, release: str, mtu: int) -> None:
    with net_guest(tmp_path, f"TCPIP={release}", mtu) as net:
        level = {"213": "LWIP 2.1.3", "221": "LWIP 2.2.1"}[release]
        assert net.machine.log.find(rf"DTCIPI008I TCP/IP LEVEL {re.escape(level)}")
        assert f" MTU {mtu} " in net.netstat("DEVICES")[0]
        before = net.in_use()
        for passive in (True, False):
            with net.ftp() as ftp:
                ftp.set_pasv(passive)
                assert put(ftp, "TWO.BIN", BINARY).startswith("250")
                assert get(ftp, "TWO.BIN") == BINARY
                ftp.voidcmd("TYPE A")
                put_raw(ftp, "TEXT.TXT", TEXT)
                assert get_raw(ftp, "TEXT.TXT") == TEXT
                for n in range(50 if net.host.tap else 5):
                    assert put(ftp, f"S{n}.BIN", BINARY[n : n + 24576]).startswith("250")
                    assert get(ftp, f"S{n}.BIN") == BINARY[n : n + 24576]
        net.wait_as_before(before)


def test_rfc_3659(net: NetGuest) -> None:
    with net.ftp("CL04") as ftp:
        features = ftp.sendcmd("FEAT").splitlines()
        assert {" SIZE", " MDTM", " EPSV", " EPRT", " REST STREAM"} <= set(features)
        assert " MLST type*;size*;modify*;" in features
        ftp.voidcmd("TYPE A")
        put_raw(ftp, "FACTS.TXT", TEXT)
        assert ftp.sendcmd("SIZE FACTS.TXT") == f"213 {len(TEXT)}"
        facts = dict(ftp.mlsd())
        assert facts["FACTS.TXT"]["size"] == str(len(TEXT))
        modified = ftp.sendcmd("MDTM FACTS.TXT").split()[1]
        assert facts["FACTS.TXT"]["modify"] == modified
        stamp = time.strptime(modified + "UTC", "%Y%m%d%H%M%S%Z")
        assert abs(time.mktime(stamp) - time.mktime(time.gmtime())) < 60
        assert ftp.sendcmd("MLST facts.txt").splitlines()[1] == (
            f" type=file;size={len(TEXT)};modify={modified}; FACTS.TXT"
        )
        assert ftp.sendcmd("OPTS MLST Size;UNIX.mode;") == "200 MLST OPTS size;"
        assert " MLST type;size*;modify;" in ftp.sendcmd("FEAT").splitlines()
        assert [f"size={len(TEXT)}; FACTS.TXT"] == lines(ftp, "MLSD")
        ftp.voidcmd("TYPE I")
        unix = len(TEXT) - 2 * TEXT.count(b"\r\n")
        assert ftp.sendcmd("SIZE FACTS.TXT") == f"213 {unix}"
        for command in ("SIZE NO.FILE", "MDTM NO.FILE", "MLST NO.FILE"):
            with pytest.raises(ftplib.error_perm, match="^550"):
                ftp.sendcmd(command)
        with pytest.raises(ftplib.error_perm, match="^501"):
            lines(ftp, "MLSD FACTS.TXT")


def lines(ftp: ftplib.FTP, command: str) -> list[str]:
    """The lines of a listing, the type being left as it is set."""
    with ftp.transfercmd(command) as data, data.makefile("rb") as file:
        got = [line.decode("latin-1").rstrip("\r\n") for line in file]
    ftp.voidresp()
    return got
