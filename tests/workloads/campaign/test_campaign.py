# SPDX-License-Identifier: MIT
"""Who gets which worlds, and who is refused: on Dask's own scheduler and workers, no guests."""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.workloads.campaign.cluster import Cluster, ended
from vmkb.guests.base import driver
from vmkb.hercules.deadline import EmulatorError, wait_until
from vmkb.hercules.scratch import LEASE, sweep
from vmkb.workloads.base.found import workload
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.campaign import campaign, child
from vmkb.workloads.campaign.job import Job, OtherVersion, check
from vmkb.workloads.campaign.worker import Ran

OURS = {"vmkb": "1", "guest image": "2", "emulator": "Hercules 3.13, exact counter 3"}
WITHIN = 120.0


def a_job(*worlds: str, settings: dict[str, object] | None = None) -> Job:
    return Job(OURS, "echo", "vmkb", settings or {}, "run-1", worlds)


def test_what_is_sent_comes_as_it_was() -> None:
    job = a_job("a", "b", settings={"trials": 6, "cases": ["1B"]})
    assert Job.parse(job.line(), "1") == job
    with pytest.raises(OtherVersion, match="it has vmkb 6, and the run is of vmkb 1"):
        Job.parse(job.line(), "6")
    with pytest.raises(OtherVersion, match="the run is of vmkb 7"):
        Job.parse('{"identity": {"vmkb": "7"}, "what": "a job of then had nobody knows"}', "5")


@pytest.mark.parametrize("key", OURS)
def test_another_version_is_refused_in_words(key: str) -> None:
    check(OURS, dict(OURS))
    with pytest.raises(OtherVersion, match=f"it has {key} other, .* of {key} {OURS[key]}"):
        check(OURS, {**OURS, key: "other"})


def test_what_a_killed_child_leaves_is_swept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its folder has a lease, which ends with its process, however that does."""
    held: list[Path] = []

    def looks(*given: object) -> None:
        (folder,) = tmp_path.glob("vmkb-part-*")
        held.append(folder)
        assert sweep(tmp_path) == [] and (folder / LEASE).is_file()
        raise EmulatorError("no further")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(child, "driver", Mock(spec=driver))
    monkeypatch.setattr(child, "Run", looks)
    settings = workload("echo").settings(Asked()).model_dump()
    with pytest.raises(EmulatorError, match="no further"):
        child.serve(a_job(settings=settings))
    assert len(held) == 1 and list(tmp_path.iterdir()) == []


def upper(line: str) -> Ran:
    """A worker's work: each world left its name in capitals. One called wait-FILE makes FILE.begun
    and is run until FILE is there; bad fails."""
    ran = Ran()
    for name in Job.parse(line, "1").worlds:
        what, _, rest = name.partition("-")
        if what == "wait":
            Path(f"{rest}.begun").touch()
            wait_until(lambda rest=rest: Path(rest).exists(), WITHIN, rest, poll=0.05)  # type: ignore[misc]
        elif what == "bad":
            return Ran(ran.worlds, failed="no guest starts")
        ran.worlds.append(pickle.dumps(name.upper()))
    return ran


@pytest.fixture
def cluster(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A scheduler without workers; campaigns do `upper`."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(campaign, "work", upper)
    with ExitStack() as stack:
        yield Cluster(project, tmp_path / "dask", stack)


class Going:
    """A campaign of WORLDS in a thread. `said` is what its progress was told."""

    def __init__(self, cluster: Cluster, *worlds: str) -> None:
        self.left: list[str] = []
        self.error = ""
        self.said: list[str] = []
        progress = Mock()
        progress.say = self.said.append
        self._campaign = campaign.Campaign(cluster.address, a_job(*worlds), progress)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for left, _ in self._campaign.results():
                self.left.append(pickle.loads(left))
        except EmulatorError as error:
            self.error = str(error)

    def heard(self, what: str) -> None:
        """Wait until it has said WHAT."""
        self.until(lambda: any(what in said for said in self.said), what)

    def until(self, there: Callable[[], bool], what: str) -> None:
        """Wait until WHAT is THERE while it goes on."""
        wait_until(
            lambda: there() or not self._thread.is_alive(), WITHIN, what, log=lambda: self.said,
            poll=0.05,
        )  # fmt: skip
        assert there(), (self.said, self.error)

    def end(self) -> None:
        """Wait until it has ended."""
        self._thread.join(WITHIN)
        assert not self._thread.is_alive(), self.said


@pytest.mark.slow
def test_worlds_come_in_order_though_a_worker_and_the_scheduler_are_killed(
    cluster: Cluster, tmp_path: Path
) -> None:
    file = tmp_path / "go"
    wait = f"wait-{file}"
    worker, port = cluster.worker("one")
    going = Going(cluster, "a", "b", wait, "c", "d")
    going.until(lambda: going.left == ["A"], "the first world")
    ended(worker)
    going.heard(f"{port} has gone; ")
    begun = Path(f"{file}.begun")
    begun.unlink()
    second, _ = cluster.worker("two")
    going.until(begun.exists, "the world that waits")
    cluster.restart()
    going.heard("was restarted")
    ended(second)
    cluster.worker("three")
    file.touch()
    going.end()
    assert (going.left, going.error) == (["A", "B", wait.upper(), "C", "D"], "")


@pytest.mark.slow
def test_a_scheduler_that_goes_for_good_ends_the_campaign(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here its connection stays, but it answers no more; e2e's test_campaign_bad_days kills one."""
    monkeypatch.setattr(campaign, "ANSWER_S", 5.0)
    monkeypatch.setattr(campaign, "GONE_S", 6.0)
    cluster.worker("one")
    going = Going(cluster, "a", f"wait-{tmp_path / 'go'}")
    going.until(lambda: going.left == ["A"], "the first world")
    os.kill(cluster.scheduler.pid, signal.SIGSTOP)
    try:
        going.end()
    finally:
        os.kill(cluster.scheduler.pid, signal.SIGCONT)
    assert going.error == "The scheduler has gone, and its workers with it."


@pytest.mark.slow
def test_a_worker_that_fails_gets_no_more_and_without_another_one_it_ends(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign, "NOBODY_S", 0.5)
    nobody = Going(cluster, "a")
    nobody.end()
    assert nobody.error == "No worker runs trials: none has come in 0.5 s."
    monkeypatch.setattr(campaign, "NOBODY_S", WITHIN)
    _, port = cluster.worker("one")
    going = Going(cluster, "a", "bad")
    going.end()
    assert going.left == ["A"]
    assert f"{port} gets no more trials: no guest starts." in going.said[-1]
    assert going.error == "No worker runs trials: no guest starts."
    cluster.worker("two")
    cluster.worker("three")
    third = Going(cluster, "bad", "a")
    third.end()
    assert third.error == "Workers failed 3 times, the last so: no guest starts"
