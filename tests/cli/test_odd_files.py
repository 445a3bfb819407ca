# SPDX-License-Identifier: MIT
"""Whatever somebody gives as a file: one sentence, an exit code, in bounded storage and time."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from vmkb.accounting.input.archive import LARGE
from vmkb.guests.vm370.configuration import lines as configuration
from vmkb.hercules.deadline import EmulatorError

LOG = b"CONNECT= 00:00:02 VIRTCPU= 000:00.10 TOTCPU= 000:00.24\n"
MEMORY = 512 << 20
"""Bytes of data that a command may hold here; what it is given is larger or without end."""


def vmkb(*words: object, given: bytes = b"") -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))

    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", *map(str, words)],
        input=given, capture_output=True, timeout=60, check=False, preexec_fn=limit,
    )  # fmt: skip
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")
    )


def pipe(path: Path) -> None:
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(5 << 27)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def rubbish(path: Path) -> None:
    path.write_bytes(b"\xff" * 100_000)


ODD: tuple[Callable[[Path], object], ...] = (pipe, loop, sparse, zeros, rubbish, Path.mkdir)
#: Commands that read a file somebody made; FILE stands for it.
READERS = (
    "compare FILE.csv", "compare FILE.jsonl", "table FILE.csv --map cpu=a:us",
    "table GOOD.csv --map FILE.toml", "capture FILE.pcap", "query FILE.csv SELECT*FROM~records",
    "query FILE.parquet SELECT*FROM~records", "sweep FILE.toml", "report FILE.jsonl",
    "measure --connect 127.0.0.1:1 --user A --password-file FILE.txt --dialogue FILE.toml Q",
)  # fmt: skip


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
@pytest.mark.parametrize("reader", READERS, ids=lambda r: " ".join(r.split()[:2]))
def test_a_file_that_is_none_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], object], reader: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "GOOD.csv").write_text("a,b\n1,2\n")
    for word in reader.split():
        if word.startswith("FILE"):
            make(tmp_path / word)
    done = vmkb(*(w.replace("~", " ") for w in reader.split()))
    assert done.returncode in (2, 3), done
    assert "Traceback" not in done.stderr, done.stderr
    assert "FILE" in done.stderr or "takes more than 1024 MB" in done.stderr, done.stderr
    assert len(done.stderr) < 2000, done.stderr


@pytest.mark.parametrize("command", ["parse", "compare"])
@pytest.mark.parametrize("make", [loop, sparse, zeros, rubbish, Path.mkdir],
                         ids=lambda make: make.__name__)  # fmt: skip
def test_a_log_that_is_none_is_a_sentence(
    tmp_path: Path, command: str, make: Callable[[Path], object]
) -> None:
    make(tmp_path / "FILE.log")
    done = vmkb(command, tmp_path / "FILE.log")
    if make is rubbish and command == "parse":  # text of no family
        assert done.returncode == 0 and "no records" in done.stderr
        return
    assert done.returncode in (2, 3) and "Traceback" not in done.stderr, done
    assert "FILE.log" in done.stderr


def test_a_folder_is_called_one(tmp_path: Path) -> None:
    done = vmkb("parse", tmp_path)
    assert done.returncode == 2 and f"{tmp_path} is a folder" in done.stderr
    assert "vmkb query" in done.stderr


@pytest.mark.parametrize("hole", [1, 100, 9000, 3 << 20])
def test_zeros_that_a_crash_left_lose_no_record(hole: int) -> None:
    gap = b"\0" * hole
    for text in (gap + LOG * 10, LOG * 5 + gap + LOG * 5, (LOG + gap) * 10):
        done = vmkb("parse", "--to", "csv", given=text)
        assert done.returncode == 0 and done.stdout.count("totcpu") == 10, done.stderr
    shown = vmkb("parse", given=LOG * 5 + gap + LOG * 5)
    assert f"{hole} bytes of zeros before it were left out" in shown.stdout


def test_utf_16_is_told_by_its_pattern(tmp_path: Path) -> None:
    for text in (LOG.decode(), "A\n" * 50):
        for code in ("utf-16", "utf-16-le", "utf-16-be"):
            done = vmkb("parse", given=text.encode(code))
            assert done.returncode == 2 and "UTF-16" in done.stderr, (code, done.stderr)


def test_an_archive_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LOG * 10)
    for mode in ("w", "w:gz"):
        with tarfile.open(tmp_path / "logs", mode) as made:
            made.add(tmp_path / "a.log", "a.log")
        done = vmkb("parse", tmp_path / "logs")
        assert done.returncode == 2 and "logs is a tar archive: unpack it" in done.stderr
    with zipfile.ZipFile(tmp_path / "logs", "w") as pack:
        pack.write(tmp_path / "a.log")
    assert "is a zip archive: unpack it" in vmkb("parse", tmp_path / "logs").stderr
    nothing = vmkb("parse", given=bytes(1000))
    assert nothing.returncode == 2 and "holds zeros and no record" in nothing.stderr


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_an_included_configuration_is_a_file_or_a_sentence(
    tmp_path: Path, make: Callable[[Path], object]
) -> None:
    (tmp_path / "vm.cnf").write_text("CPUSERIAL 1\nINCLUDE odd\n")
    make(tmp_path / "odd")
    if make is rubbish:
        assert len(configuration(tmp_path / "vm.cnf")) == 2
        return
    with pytest.raises(EmulatorError, match=r"vm\.cnf.*2: .*odd"):
        configuration(tmp_path / "vm.cnf")


def test_a_pipe_with_a_writer_has_a_password_or_a_log(tmp_path: Path) -> None:
    """As <(program) gives it."""
    for command, said in (
        ("measure --connect 127.0.0.1:1 --user A --password-file <(printf 'PW\\n') Q", "127.0.0.1"),
        ("parse <(cat a.log)", "10 connect"),
    ):
        (tmp_path / "a.log").write_bytes(LOG * 10)
        done = subprocess.run(
            ["bash", "-c", f"{sys.executable} -m vmkb.workloads.cli {command}"],
            capture_output=True, timeout=60, check=False, text=True, cwd=tmp_path,
        )  # fmt: skip
        assert said in done.stderr and "password cannot" not in done.stderr, done


def test_few_open_files_are_enough_or_a_sentence(tmp_path: Path) -> None:
    """As under ulimit -n 24."""
    (tmp_path / "a.log").write_bytes(LOG * 10)
    large = tmp_path / "large.log"
    large.write_bytes(b"nothing\n" * (LARGE // 8 + 1))
    for many in (6, 9, 12, 16, 24):
        for words in (
            ("parse", tmp_path / "a.log"), ("query", tmp_path / "a.log", "SELECT 1"),
            ("parse", "--jobs", 4, large),
        ):  # fmt: skip
            done = subprocess.run(
                [sys.executable, "-m", "vmkb.workloads.cli", *map(str, words)],
                capture_output=True, timeout=60, check=False, text=True,
                preexec_fn=lambda many=many: resource.setrlimit(  # type: ignore[misc]
                    resource.RLIMIT_NOFILE, (many, many)),
            )  # fmt: skip
            assert "Traceback" not in done.stderr, (many, words, done.stderr)
            assert done.returncode == 0 or done.stderr.strip(), (many, words)
