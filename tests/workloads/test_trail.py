# SPDX-License-Identifier: MIT
"""A trail over commits: which are measured, what is kept, how steps are found."""

from __future__ import annotations

import types
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.guests.release.lwip import committed, git, tree
from vmkb.errors import UsageError
from vmkb.guests.release.git import log
from vmkb.guests.release.kinds import LWIP
from vmkb.hercules.guest import load_guest
from vmkb.workloads.cli.main import group
from vmkb.workloads.sweeping import trail
from vmkb.workloads.sweeping.trail import Commit, Row, Trail


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with sixteen commits that change core/tcp.c, and others that do not."""
    here = tree(tmp_path / "lwip")
    committed(here, "number 0")
    for n in range(1, 16):
        (here / "src/core/tcp.c").write_text(f"int number_{n};\n")
        committed(here, f"number {n}")
        (here / "src/core/ipv6/ip6.c").write_text(f"int other_{n};\n")
        committed(here, "IPv6")
    return here


@pytest.fixture
def costs(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], float | None]:
    """Commits that cost what this says of their first lines, without a guest."""
    kept: dict[str, float | None] = {}

    def measured(self: Trail, commit: Commit) -> Row:
        cost = kept.get(commit.subject, 20.0)
        name = commit.name
        return Row(name, "", "", name, cost, cost, "" if cost else "broken")

    monkeypatch.setattr(Trail, "_build", measured)
    monkeypatch.setattr(trail, "driver", lambda guest: types.SimpleNamespace(digest=lambda: "d"))
    return kept.__setitem__  # type: ignore[return-value]


def walk(repo: Path, folder: Path, case: str = "G2M_B") -> Trail:
    """The trail of REPO from its first commit to its last."""
    first = git(repo, "rev-list", "--max-parents=0", "HEAD")
    return Trail(LWIP, repo, first, "HEAD", case, load_guest("vmkb"), folder, lambda said: None)


def subjects(found: Trail) -> set[int]:
    """The numbers of the commits that were measured."""
    return {int(c.subject.split()[1]) for c in found.commits if c.name in found.rows}


def test_a_commit_counts_that_changes_a_file_which_can_be_linked(repo: Path) -> None:
    first = git(repo, "rev-list", "--max-parents=0", "HEAD")
    found = log(repo, first, "HEAD", LWIP.logged)
    assert [subject for _, _, subject in found] == [f"number {n}" for n in range(16)]
    assert found[0][0] == first


def test_all_are_measured_and_none_twice(repo: Path, tmp_path: Path, costs: object) -> None:
    once = walk(repo, tmp_path / "t")
    once.measure(once.commits[:5])
    again = walk(repo, tmp_path / "t")
    assert subjects(again) == set(range(5))
    again.measure(again.commits)
    assert len((tmp_path / "t" / "trail.jsonl").read_text().splitlines()) == 17


def test_a_commit_has_one_build_and_one_trial(repo: Path, tmp_path: Path, costs: object) -> None:
    settings = walk(repo, tmp_path / "t")._settings
    assert (settings.builds, settings.trials) == (1, 1)


def test_what_was_written_when_it_was_killed_is_measured_again(
    repo: Path, tmp_path: Path, costs: object
) -> None:
    once = walk(repo, tmp_path / "t")
    once.measure(once.commits[:3])
    path = tmp_path / "t" / "trail.jsonl"
    path.write_text(path.read_text()[:-20])
    again = walk(repo, tmp_path / "t")
    assert subjects(again) == {0, 1}
    again.measure(again.commits)
    assert subjects(walk(repo, tmp_path / "t")) == set(range(16))


def test_a_trial_that_failed_is_tried_again_and_a_build_is_not(
    repo: Path, tmp_path: Path, costs: object
) -> None:
    once = walk(repo, tmp_path / "t")
    failed, broken = once.commits[:2]
    once._keep(Row(failed.name, "s", "text", "program", why="no space left"))
    once._keep(Row(broken.name, "s", why="error: expected ;"))
    assert subjects(once) == {0, 1}
    assert subjects(walk(repo, tmp_path / "t")) == {1}


def test_a_counter_that_miscounts_is_said_and_another_trail(
    repo: Path, tmp_path: Path, costs: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk(repo, tmp_path / "t")
    said: list[str] = []
    stock = types.SimpleNamespace(name="Hercules 3.0, stock counter", exact=False)
    monkeypatch.setattr(trail, "choose", lambda: stock)
    first = git(repo, "rev-list", "--max-parents=0", "HEAD")
    words = (LWIP, repo, first, "HEAD", "G2M_B", load_guest("vmkb"))
    Trail(*words, tmp_path / "u", said.append)
    assert said[0].startswith("Hercules 3.0, stock counter: its counter miscounts")
    with pytest.raises(UsageError, match="not of .*stock counter"):
        Trail(*words, tmp_path / "t", said.append)


def test_another_case_is_another_trail(repo: Path, tmp_path: Path, costs: object) -> None:
    walk(repo, tmp_path / "t")
    with pytest.raises(UsageError, match="has costs of .*G2M_B"):
        walk(repo, tmp_path / "t", "G24KB")
    with pytest.raises(UsageError, match="--case G is G2M_A, .*: choose one"):
        walk(repo, tmp_path / "u", "G")


def test_bisecting_finds_each_step_with_few_trials(
    repo: Path, tmp_path: Path, costs: Callable[[str, float | None], None]
) -> None:
    for n in range(16):
        costs(f"number {n}", 20.0 + 0.5 * (n >= 5) + 0.01 * (n >= 11))
    found = walk(repo, tmp_path / "t")
    found.steps(0.01)
    assert {4, 5} < subjects(found) and len(subjects(found)) < 8
    assert not {9, 10, 11, 12} & subjects(found)


def test_bisecting_goes_around_what_does_not_build(
    repo: Path, tmp_path: Path, costs: Callable[[str, float | None], None]
) -> None:
    for n in range(16):
        costs(f"number {n}", None if n in (6, 7, 8) else 20.0 + (n >= 5))
    found = walk(repo, tmp_path / "t")
    found.steps(0.01)
    assert {4, 5} < subjects(found)


@pytest.mark.parametrize(
    "words, said",
    [
        (["HEAD"], "is no range of commits; give A..B"),
        (["A...B"], "is no range of commits"),
        (["HEAD..HEAD", "--bisect", "some"], "give a percentage above 0"),
        (["HEAD..HEAD", "--bisect", "0%"], "give a percentage above 0"),
    ],
)
def test_a_range_or_percentage_that_is_none_is_refused(words: list[str], said: str) -> None:
    done = CliRunner().invoke(group, ["trail", "lwip", ".", *words])
    assert done.exit_code == 2 and said in done.output
