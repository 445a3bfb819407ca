# SPDX-License-Identifier: MIT
"""vmkb measure against replayed VM/370 and z/VM systems: real 3270 streams, known CPU."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.peers.host3270 import Host3270, line_write, page_write
from tests.peers.replayed_vm import ROWS, VM370, ZVM, ReplayedVm
from vmkb.hercules.tn3270 import dialogue

pytestmark = pytest.mark.usefixtures("s3270_needed")
Serve = Callable[..., tuple[ReplayedVm, Host3270]]


@pytest.fixture
def s3270_needed() -> None:
    if shutil.which("s3270") is None:
        pytest.skip("s3270 is not installed")


@pytest.fixture
def serve() -> Iterator[Serve]:
    made: list[Host3270] = []

    def begin(vm: ReplayedVm, **more: object) -> tuple[ReplayedVm, Host3270]:
        made.append(Host3270(vm.logo, vm, **more))  # type: ignore[arg-type]
        return vm, made[-1]

    yield begin
    for host in made:
        host.close()


def measure(
    host: Host3270, folder: Path, *words: str, password: str = "SECRET"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "measure", "--connect",
         f"127.0.0.1:{host.port}", "--user", "cmsuser", "--out", str(folder / "out"), *words],
        env={**os.environ, "VMKB_PASSWORD": password}, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip


def rows(folder: Path, kind: str) -> list[dict[str, object]]:
    lines = (folder / "out" / "results.jsonl").read_text().splitlines()
    return [row for row in map(json.loads, lines) if row["row"] == kind]


@pytest.mark.parametrize(("words", "name"), [(VM370, "vm370ce"), (ZVM, "zvm")])
def test_a_command_costs_what_the_system_says(
    serve: Serve, tmp_path: Path, words: object, name: str
) -> None:
    vm, host = serve(ReplayedVm(words, {"COPY": (30.0, 50.0)}, system="HOME"))  # type: ignore[arg-type]
    done = measure(host, tmp_path, "COPY", "--kb", "100", "--all")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "One 'COPY' costs 500 ms of TOTCPU" in done.stdout
    row, _ = [x for x in done.stdout.splitlines() if x.startswith(" COPY")]
    # 300 of 500 ms are VIRTCPU, and 100 KB are moved.
    assert re.match(r" COPY +300 +500 +\S+ +1\.67 +5\.0", row)
    (run,) = rows(tmp_path, "run")
    assert run["meta"] == {"workload": "measure", "guest": name, "system": "HOME"}
    assert host.served == 1, "what found the dialogue is not the connection that is used"
    assert vm.given[-1] == "LOGOFF"


def test_nothing_but_the_question_is_in_an_interval(serve: Serve, tmp_path: Path) -> None:
    vm, host = serve(ReplayedVm(costs={"COPY": (300.0, 500.0)}))
    words = ("--trials", "2", "--repeat", "2", "--before", "SET X", "--after", "ERASE B")
    done = measure(host, tmp_path, "COPY", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    ask = "CP QUERY TIME"
    once = ["SET X", ask, "COPY", "COPY", ask, "ERASE B"]
    first = [ask, ask, "CP INDICATE USER", "SET X", ask, "COPY", "COPY", ask, "ERASE B"]
    assert vm.given == [*first, *once, *once, "LOGOFF"]


def test_two_settings_are_interleaved_and_compared(serve: Serve, tmp_path: Path) -> None:
    vm, host = serve(ReplayedVm())

    def priced(vm: ReplayedVm, text: str) -> None:
        if text.startswith("SET MODE"):
            vm.costs["COPY"] = (100.0, 220.0 if text.endswith("NEW") else 200.0)

    vm.quirk = priced
    done = measure(host, tmp_path, "COPY", "--variant", "old=SET MODE OLD",
                   "--variant", "new=SET MODE NEW")  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.match(r"'new' costs 10\S* % more CPU than 'old'", done.stdout)
    ran = [row["release"] for row in rows(tmp_path, "trial")]
    assert ran == ["old", "new", "new", "old"] * 3


def test_a_command_that_is_cheap_is_said_to_be(serve: Serve, tmp_path: Path) -> None:
    _, host = serve(ReplayedVm(costs={"COPY": (0.1, 0.2)}))
    done = measure(host, tmp_path, "COPY", "--repeat", "3")
    assert "< " in done.stdout and "0.000" not in done.stdout
    assert "the counter does not move in an interval of 3" in done.stderr


def test_a_command_that_cannot_be_repeated_runs_once(serve: Serve, tmp_path: Path) -> None:
    def exists(vm: ReplayedVm, text: str) -> list[bytes] | None:
        if text == "COPY" and vm.given[-2:-1] == ["COPY"]:
            return vm.show(text, "DMSCPY024E FILE EXISTS", vm.ready(28), status="VM READ")
        return None

    _, host = serve(ReplayedVm(costs={"COPY": (30.0, 50.0)}, quirk=exists))
    done = measure(host, tmp_path, "COPY", "--after", "ERASE B")
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert "cannot be repeated in one interval" in done.stderr
    assert "DMSCPY024E" in done.stderr


class TlsFront:
    """A port that takes TLS connections and passes what they say to another port."""

    def __init__(self, context: ssl.SSLContext, to: int) -> None:
        self._context, self._to = context, to
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> int:
        self._thread.start()
        return int(self._listener.getsockname()[1])

    def __exit__(self, *error: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                plain, _ = self._listener.accept()
                with contextlib.suppress(OSError), plain:
                    self._relay(self._context.wrap_socket(plain, server_side=True))

    def _relay(self, near: ssl.SSLSocket) -> None:
        with near, socket.create_connection(("127.0.0.1", self._to), 5) as far:
            while True:
                for one in select.select([near, far], [], [], 30)[0]:
                    data = one.recv(65536)
                    if not data:
                        return
                    (far if one is near else near).sendall(data)


def bytes_one_by_one(data: bytes) -> Iterable[bytes]:
    return (data[k : k + 1] for k in range(len(data)))


def anywhere(data: bytes) -> Iterable[bytes]:
    rng, at = Random(len(data)), 0
    while at < len(data):
        step = rng.randint(1, 90)
        yield data[at : at + step]
        at += step


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [bytes_one_by_one, anywhere])
def test_screens_split_at_any_byte(
    serve: Serve, tmp_path: Path, pieces: Callable[[bytes], Iterable[bytes]]
) -> None:
    _, host = serve(ReplayedVm(ZVM, {"COPY": (300.0, 500.0)}), pieces=pieces)
    done = measure(host, tmp_path, "COPY", "--trials", "2", "--repeat", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5000 ms of TOTCPU" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("enhanced", [False, True], ids=["TN3270", "TN3270E"])
def test_the_logical_unit_that_is_asked_for(serve: Serve, tmp_path: Path, enhanced: bool) -> None:
    _, host = serve(ReplayedVm(costs={"COPY": (300.0, 500.0)}), enhanced=enhanced)
    done = measure(host, tmp_path, "COPY", "--trials", "1", "--repeat", "1", "--lu", "LUCMS7")
    assert "5000 ms of TOTCPU" in done.stdout, done.stderr
    assert host.wanted == "LUCMS7"


def slowly(data: bytes) -> Iterable[bytes]:
    """Three pieces of a record, each a while after the one before."""
    third = -(-len(data) // 3)
    for at in range(0, len(data), third):
        time.sleep(0.02)
        yield data[at : at + third]


@pytest.mark.slow
def test_a_slow_system_that_speaks_out_of_step(serve: Serve, tmp_path: Path) -> None:
    """An operator's line comes as a record of its own: before the end of the command, and behind
    its Ready message, when the next question may have been typed already."""
    said = "MSG FROM OPERATOR: TAPE DRIVE 181 PLEASE"

    def talks(vm: ReplayedVm, text: str) -> list[bytes] | None:
        if text != "COPY":
            return None
        vm.virtual, vm.total = vm.virtual + 300.0, vm.total + 500.0
        if len(vm.page) > ROWS - 4:  # MORE... is another test's
            vm.page = []
        first = vm.show(text, said, status="RUNNING")
        last = vm.show(vm.ready(), status="VM READ")
        vm.page.append(said)
        return [*first, *last, line_write(len(vm.page) - 1, said, "VM READ")]

    vm, host = serve(ReplayedVm(quirk=talks), pieces=slowly)
    done = measure(host, tmp_path, "COPY", "--trials", "3", "--repeat", "2")
    assert "5000 ms of TOTCPU" in done.stdout, done.stderr
    assert set(vm.given) == {"CP QUERY TIME", "CP INDICATE USER", "COPY", "LOGOFF"}
    text = "".join(p.read_text() for p in sorted((tmp_path / "out" / "transcripts").iterdir()))
    assert (text.count(said), text.count("COPY")) == (16, 8)


@pytest.mark.slow
def test_a_form_of_ready_that_only_a_users_dialogue_knows(serve: Serve, tmp_path: Path) -> None:
    house = replace(ZVM, ready="FERTIG RC=0 {v:.2f}/{t:.2f}")
    known = (Path(dialogue.FOLDER) / "zvm.toml").read_text()
    assert "logon_within = 30.0" in known
    known = known.replace("logon_within = 30.0", "logon_within = 2.0")
    mine = tmp_path / "mine.toml"
    words = ("COPY", "--trials", "1", "--repeat", "1", "--dialogue", str(mine))
    mine.write_text(known)
    _, host = serve(ReplayedVm(house, costs={"COPY": (300.0, 500.0)}))
    unknown = measure(host, tmp_path, *words)
    assert unknown.returncode == 3
    assert "FERTIG RC=0" in unknown.stderr and "--learn" in unknown.stderr
    mine.write_text(f"{known}\nready = '^FERTIG RC=(?P<rc>\\d+)'\n")
    _, host = serve(ReplayedVm(house, costs={"COPY": (300.0, 500.0)}))
    done = measure(host, tmp_path, *words)
    assert "5000 ms of TOTCPU" in done.stdout, done.stderr


def test_more_and_a_message_in_mid_command(serve: Serve, tmp_path: Path) -> None:
    def talks(vm: ReplayedVm, text: str) -> list[bytes] | None:
        if text != "TYPE":
            return None
        vm.total += 500.0
        said = [f"line {n}" for n in range(60)]
        said.insert(30, "MSG FROM OPERATOR: SYSTEM GOES DOWN AT 6")
        return vm.show(text, *said, vm.ready(), "MSG FROM OPERATOR: AGAIN", status="VM READ")

    _, host = serve(ReplayedVm(quirk=talks))
    done = measure(host, tmp_path, "TYPE", "--trials", "2", "--repeat", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5000 ms of TOTCPU" in done.stdout
    text = (tmp_path / "out" / "transcripts" / "trial-001.txt").read_text()
    assert [f"line {n}" for n in range(60)] == re.findall(r"^line \d+$", text, re.M)


@pytest.mark.parametrize("password", ["WRONG", "ELSEWHERE"])
def test_a_logon_that_is_refused_says_the_systems_words(
    serve: Serve, tmp_path: Path, password: str
) -> None:
    _, host = serve(ReplayedVm(ZVM))
    done = measure(host, tmp_path, "COPY", password=password)
    assert done.returncode == 3
    assert "HCPLGA05" in done.stderr and password not in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_session_that_was_left_is_left_again(serve: Serve, tmp_path: Path) -> None:
    vm, host = serve(ReplayedVm(costs={"COPY": (300.0, 500.0)}, left=True))
    done = measure(host, tmp_path, "COPY", "--trials", "1", "--repeat", "1")
    assert "5000 ms" in done.stdout, done.stdout + done.stderr
    assert vm.given[-1] == "CP DISCONN" and vm.left


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["hangs up", "is forced", "never Ready"])
def test_a_session_that_is_lost_keeps_what_was_done(
    serve: Serve, tmp_path: Path, ends: str
) -> None:
    def breaks(vm: ReplayedVm, text: str) -> list[bytes] | None:
        if vm.given.count("COPY") < 4 or text != "COPY":
            return None
        if ends == "hangs up":
            return [b""]
        if ends == "is forced":
            vm.state = "logo"
            said = ("CONNECT= 00:01:00 VIRTCPU= 000:00.00 TOTCPU= 000:00.00", "LOGOFF AT 12:34:56")
            return [*vm.show(*said, status="RUNNING"), vm.logo]
        return vm.show("COPY", "EXECUTION BEGINS...", status="RUNNING")

    _, host = serve(ReplayedVm(costs={"COPY": (300.0, 500.0)}, quirk=breaks))
    done = measure(host, tmp_path, "COPY", "--trials", "5", "--repeat", "1", "--within", "2")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "2 of 5 trials came to their end" in done.stderr
    assert len(rows(tmp_path, "end")) == 2
    assert "Traceback" not in done.stderr and "SECRET" not in done.stderr


def test_the_password_is_in_no_file(serve: Serve, tmp_path: Path) -> None:
    def echoes(vm: ReplayedVm, text: str) -> list[bytes] | None:
        return (
            vm.show(text, "PASS SECRET", vm.ready(), status="VM READ") if text == "COPY" else None
        )

    _, host = serve(ReplayedVm(quirk=echoes))
    measure(host, tmp_path, "COPY", "--trials", "1", "--repeat", "1")
    kept = [p for p in (tmp_path / "out").rglob("*") if p.is_file()]
    assert any("PASS ********" in p.read_text() for p in kept)
    assert not any("SECRET" in p.read_text() for p in kept)


def test_learn_shows_every_screen_and_what_it_rests_on(serve: Serve, tmp_path: Path) -> None:
    _, host = serve(ReplayedVm(ZVM, system="HOME"))
    done = measure(host, tmp_path, "--learn")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("recognised:") == 6
    assert "the logo: 'z/VM ONLINE' in row 1 (logo)" in done.stdout
    assert "the state CP READ of system HOME" in done.stdout
    assert "VIRTCPU= 000:00.00" in done.stdout and "SECRET" not in done.stdout


@pytest.mark.slow
def test_learn_names_the_key_that_does_not_fit(serve: Serve, tmp_path: Path) -> None:
    vm = ReplayedVm(ZVM)
    _, host = serve(vm)
    mine = tmp_path / "mine.toml"
    mine.write_text(
        'title = "mine"\nproved = "nothing"\n[session]\nlogo = "z/VM ONLINE"\n'
        'asks_password = "^PASSWORT"\nlogon_within = 1.0\n'
    )
    done = measure(host, tmp_path, "--learn", "--dialogue", str(mine))
    assert done.returncode == 3
    assert re.search(
        r"The password's prompt was not recognised within \d+ s; it rests on logon, asks_password",
        done.stderr,
    )
    assert "Enter your password," in done.stdout


@pytest.mark.slow
def test_an_unknown_logo_is_shown(serve: Serve, tmp_path: Path) -> None:
    host = Host3270(page_write(["", "HOUSE SYSTEM"], ""), lambda key, text: [])
    try:
        done = measure(host, tmp_path, "COPY")
    finally:
        host.close()
    assert done.returncode == 3
    assert "HOUSE SYSTEM" in done.stderr and "--learn" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give the command to measure"),
        (("A", "B", "--label", "x"), "--label names one command"),
        (("A", "--variant", "x"), "is not LABEL=COMMAND"),
        (("A", "A"), "two variants have the same name"),
        (("A", "--dialogue", "tss"), "There is no dialogue 'tss'"),
        (("A", "--password-file", "/dev/null"), "its first line is empty"),
    ],
)
def test_what_is_asked_for_wrongly(
    serve: Serve, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    _, host = serve(ReplayedVm())
    done = measure(host, tmp_path, *words)
    assert done.returncode in (2, 3) and said in done.stderr and "Traceback" not in done.stderr


@pytest.fixture
def certified(tmp_path: Path) -> Path:
    """A folder with key.pem and cert.pem for localhost, signed by itself."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out",
         "cert.pem"], cwd=tmp_path, check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    return tmp_path


def test_tls_with_a_certificate_that_is_trusted_or_not(
    serve: Serve, tmp_path: Path, certified: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, host = serve(ReplayedVm(costs={"COPY": (300.0, 500.0)}))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certified / "cert.pem", certified / "key.pem")
    words = ("COPY", "--trials", "1", "--repeat", "1", "--dialogue", "vm370ce", "--tls")
    with TlsFront(context, host.port) as port:
        refused = measure(host, tmp_path, *words, "--connect", f"localhost:{port}")
        assert refused.returncode == 3 and "certificate" in refused.stderr, refused.stderr
        monkeypatch.setenv("SSL_CERT_FILE", str(certified / "cert.pem"))
        taken = measure(host, tmp_path, *words, "--connect", f"localhost:{port}")
        assert "5000 ms" in taken.stdout, taken.stderr


def test_an_address_that_nobody_serves(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "measure", "--connect", "127.0.0.1:1",
         "--user", "X", "COPY"], env={**os.environ, "VMKB_PASSWORD": "X"}, capture_output=True,
        text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 3 and "127.0.0.1:1 cannot be reached" in done.stderr


@pytest.mark.slow
def test_what_was_measured_is_compared_and_reported(serve: Serve, tmp_path: Path) -> None:
    """Two sessions, the second dearer by a tenth: one table of both, and no empty release table."""
    for name, total in (("before", 500.0), ("after", 550.0)):
        _, host = serve(ReplayedVm(costs={"COPY": (300.0, total)}))
        words = ("COPY", "--repeat", "1", "--trials", "5", "--label", name)
        assert measure(host, tmp_path / name, *words).returncode == 0
    folders = [str(tmp_path / name / "out") for name in ("before", "after")]
    both = vmkb("compare", *folders)
    assert both.returncode == 0, both.stderr
    assert re.match(r"'after' costs 10\S* % more CPU than 'before'", both.stdout)
    one = vmkb("report", folders[0])
    assert one.returncode == 0, one.stderr
    assert one.stdout.startswith("One 'before' costs 5000 ms of TOTCPU.")
    assert (tmp_path / "before" / "out" / "report.html").is_file()


def vmkb(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "vmkb.workloads.cli", *words], capture_output=True,
                          text=True, timeout=60, check=False)  # fmt: skip
