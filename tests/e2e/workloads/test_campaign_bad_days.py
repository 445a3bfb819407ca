# SPDX-License-Identifier: MIT
"""vmkb run --scheduler on Dask's own scheduler and workers, and what befalls these: a full disk,
another version, a scheduler that goes, a campaign that is killed, two at once."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.workloads.campaign.cluster import WITHIN, Cluster, ended
from vmkb.accounting.store import Trial, read
from vmkb.hercules.deadline import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("emulator_needed")]


@pytest.fixture
def cluster(project: Path, tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler without workers."""
    pytest.importorskip("distributed")
    with ExitStack() as stack:
        yield Cluster(project, tmp_path / "dask", stack)


@contextmanager
def campaign(
    project: Path, out: Path, *words: str, resume: bool = False
) -> Iterator[subprocess.Popen[str]]:
    """vmkb run echo into OUT; what it says is in the file OUT.said."""
    new = ("--case", "1B", "--builds", "1", "--out", str(out))
    what = ("--resume", str(out)) if resume else new
    with out.with_suffix(".said").open("a") as said:
        child = subprocess.Popen(
            [sys.executable, "-m", "vmkb.workloads.cli", "run", "echo", *what, *words],
            cwd=project, stdout=said, stderr=said, text=True,
        )  # fmt: skip
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def said(out: Path) -> str:
    """All that campaigns into OUT have said, on one line."""
    return " ".join(out.with_suffix(".said").read_text().split())


def trials(out: Path) -> list[Trial]:
    """Those that have ended."""
    return list(read(out).trials) if (out / "results.jsonl").exists() else []


def until(child: subprocess.Popen[str], out: Path, there: Callable[[], bool], what: str) -> None:
    """Wait until WHAT is THERE while the campaign into OUT goes on."""
    wait_until(
        lambda: there() or child.poll() is not None,
        WITHIN, what, log=lambda: [said(out)], poll=0.1,
    )  # fmt: skip
    assert child.poll() is None, said(out)


def heard(child: subprocess.Popen[str], out: Path, what: str) -> None:
    """Wait until the campaign into OUT has said WHAT."""
    until(child, out, lambda: what in said(out), what)


def more(child: subprocess.Popen[str], out: Path, than: int = 0) -> None:
    """Wait until more than THAN trials have ended in OUT."""
    until(child, out, lambda: len(trials(out)) > than, "a trial")


def whole(out: Path, count: int) -> None:
    """COUNT trials, each once, none torn."""
    found = read(out)
    assert len({t.id for t in found.trials}) == len(found.trials) == count, said(out)
    assert not found.unfinished


def small_disk(folder: Path) -> tuple[str, ...]:
    """What is put before a command that is to have a small disk at FOLDER. Skips where nobody may
    mount one for himself."""
    alone = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")
    mount = f"mount -t tmpfs -o size=1m tmpfs {folder}"
    folder.mkdir(exist_ok=True)
    tried = subprocess.run([*alone, mount], capture_output=True, text=True, timeout=30)
    folder.rmdir()
    if tried.returncode:
        pytest.skip(f"no disk of one's own can be mounted here: {tried.stderr.strip()}")
    return (*alone, f'{mount} && exec "$@"', "sh")


@contextmanager
def held(worker: subprocess.Popen[bytes]) -> Iterator[None]:
    """Meanwhile the job that WORKER runs does not go on, however long what is done takes."""
    child = wait_until(lambda: part_of(worker), WITHIN, "the next part", poll=0.02)
    child.suspend()
    try:
        yield
    finally:
        child.resume()


def part_of(worker: subprocess.Popen[bytes]) -> psutil.Process | None:
    """The process of the part that WORKER runs; None between two. What it forks bears its command
    until that starts a program, or to its end as the one that makes its network."""
    found = {p.pid: p for p in below(psutil.Process(worker.pid), "vmkb.workloads.campaign.child")}
    with suppress(psutil.NoSuchProcess):
        return next((p for p in found.values() if p.ppid() not in found), None)
    return None


def below(process: psutil.Process, word: str) -> list[psutil.Process]:
    """The processes below one whose command has WORD."""
    found = []
    for each in process.children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it ended just now
            if word in " ".join(each.cmdline()):
                found.append(each)
    return found


@pytest.mark.timeout(2400)
def test_a_full_disk_another_version_and_a_scheduler_that_goes_lose_nothing(
    project: Path, tmp_path: Path, cluster: Cluster
) -> None:
    disk, out, other = tmp_path / "dask" / "small", tmp_path / "run", tmp_path / "other"
    for package in ("accounting", "guests", "hercules", "workloads"):
        left_out = shutil.ignore_patterns("build", "__pycache__")
        shutil.copytree(project / package, other / package, ignore=left_out)
    shutil.copytree(project / "vmkb", other / "vmkb", symlinks=True)
    with (other / "workloads" / "sweep.toml").open("a") as file:
        file.write("# another version\n")
    good, _ = cluster.worker("good")
    with campaign(project, out, "--trials", "2", "--scheduler", cluster.address) as child:
        with held(good):  # it has the first trial, and there are others to give
            _, port = cluster.worker("small", small_disk(disk))
            heard(child, out, f"{port} gets no more trials: ")
            _, old = cluster.worker("old", tree=other)
            heard(child, out, f"{old} gets no more trials: it has vmkb")
        more(child, out)
        with held(good):
            cluster.scheduler.kill()
            assert child.wait(WITHIN) == 3, said(out)
    text = said(out)
    assert "and the run is of vmkb" in text
    assert f"{port} gets no more trials" in text and "No space left on device" in text
    assert "The scheduler has gone" in text and f"--resume {out} goes on" in text
    with campaign(project, out, "--workers", "2", resume=True) as child:
        assert child.wait(WITHIN) in (0, 1), said(out)
    whole(out, 4)


@pytest.mark.timeout(2400)
def test_a_run_goes_on_with_a_scheduler_that_is_restarted(
    project: Path, tmp_path: Path, cluster: Cluster
) -> None:
    out = tmp_path / "run"
    before, _ = cluster.worker("before")
    with campaign(project, out, "--trials", "2", "--scheduler", cluster.address) as child:
        more(child, out)
        with held(before):
            cluster.restart()
            ended(before)
        cluster.worker("after")
        assert child.wait(WITHIN) in (0, 1), said(out)
    whole(out, 4)


@pytest.mark.timeout(2400)
def test_of_two_campaigns_at_once_one_is_killed_and_both_end_whole(
    project: Path, tmp_path: Path, cluster: Cluster
) -> None:
    worker, _ = cluster.worker("both")  # it takes the second's part when the first's has ended
    one, two = tmp_path / "one", tmp_path / "two"
    on = ("--scheduler", cluster.address)
    with (
        campaign(project, one, "--trials", "2", *on) as first,
        campaign(project, two, "--trials", "2", *on) as second,
    ):
        more(first, one)
        first.send_signal(signal.SIGSTOP)  # it is there still when the next one comes
        with campaign(project, one, *on, resume=True) as third:
            assert third.wait(WITHIN) == 2
        assert "Another vmkb is running in" in said(one)
        first.kill()
        assert second.wait(WITHIN) in (0, 1), said(two)
    whole(two, 4)
    with campaign(project, one, *on, resume=True) as child:
        assert child.wait(WITHIN) in (0, 1), said(one)
    whole(one, 4)
    process = psutil.Process(worker.pid)
    wait_until(lambda: not below(process, "hercules"), WITHIN, "all of the killed one to end")
