# SPDX-License-Identifier: MIT
"""A trail over commits: which are measured, what is kept, how steps are found, which pages tell of
them."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from tests.guests.release.lwip import committed, git, tree
from vmkb.accounting.tables.table import Cell, Section, Table, header
from vmkb.accounting.tables.table import Row as Line
from vmkb.accounting.tables.trail import Change
from vmkb.errors import UsageError
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.git import log, tags
from vmkb.guests.release.kinds import LWIP, VMKB
from vmkb.guests.release.sizes import Sizes
from vmkb.hercules.guest import load_guest
from vmkb.workloads.cli.main import group
from vmkb.workloads.sweeping import commits, site, trail
from vmkb.workloads.sweeping.commits import Stacks
from vmkb.workloads.sweeping.kept import Commit, Row
from vmkb.workloads.sweeping.trail import Trail


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
        sizes = Sizes(1000 + int(10 * (cost or 0)), 20, 3)
        return Row(name, "", "", name, cost, cost, "" if cost else "broken", sizes)

    monkeypatch.setattr(Trail, "_build", measured)
    monkeypatch.setattr(commits, "driver", lambda guest: types.SimpleNamespace(digest=lambda: "d"))
    return kept.__setitem__  # type: ignore[return-value]


def walk(repo: Path, folder: Path, case: str = "G2M_B") -> Trail:
    """The trail of REPO from its first commit to its last."""
    first = git(repo, "rev-list", "--max-parents=0", "HEAD")
    lwip = Stacks(LWIP, load_guest("vmkb"))
    return Trail(lwip, repo, first, "HEAD", case, folder, lambda said: None)


def subjects(found: Trail) -> set[int]:
    """The numbers of the commits that were measured."""
    return {int(c.subject.split()[1]) for c in found.commits if c.name in found.rows}


def test_a_commit_counts_that_changes_a_file_which_can_be_linked(repo: Path) -> None:
    first = git(repo, "rev-list", "--max-parents=0", "HEAD")
    found = log(repo, first, "HEAD", LWIP.logged)
    assert [subject for _, _, subject in found] == [f"number {n}" for n in range(16)]
    assert found[0][0] == first


def test_the_older_commit_stands_first(repo: Path) -> None:
    with pytest.raises(SourceError, match=r"^HEAD~2 is older than HEAD: give the older .* first$"):
        log(repo, "HEAD", "HEAD~2", LWIP.logged)
    assert len(log(repo, "HEAD", "HEAD", LWIP.logged)) == 1


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
    words = (Stacks(LWIP, load_guest("vmkb")), repo, first, "HEAD", "G2M_B")
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


def test_other_checksums_are_another_trail_and_need_a_stack(
    repo: Path, tmp_path: Path, costs: object
) -> None:
    guest = load_guest("vmkb")
    walk(repo, tmp_path / "t")
    first = git(repo, "rev-list", "--max-parents=0", "HEAD")
    with pytest.raises(UsageError, match="has costs of"):
        Trail(Stacks(LWIP, guest, "own"), repo, first, "HEAD", "G2M_B", tmp_path / "t", print)
    with pytest.raises(UsageError, match="--checksum is for a TCP/IP stack"):
        Stacks(VMKB, guest, "own")


HOSTILE = (
    "<script>alert(1)</script> ]]> & 'quotes\" \x01\x1b[31m \u202eevil\u202c \u2066x "
    "<!-- =cmd " + 10_000 * "z"
)
GREW = Table("step-functions", "What grew", (
    header("Function", ("Machine", "G2M_B")),
    Section("body", (Line("tcp.c <tcp_input>", (Cell("TCPIP"), Cell("+3.4~", 3.4))),)),
), keys=1)  # fmt: skip
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def published(
    repo: Path, tmp_path: Path, costs: Callable[[str, float | None], None],
    monkeypatch: pytest.MonkeyPatch,
) -> Path:  # fmt: skip
    """The folder of a trail with three steps, one of a hostile commit, a release on a commit that
    changes no linked file, and a commit without a cost."""
    git(repo, "tag", "V2.1.0", "HEAD~20")
    (repo / "src/core/tcp.c").write_text("int last;\n")
    committed(repo, HOSTILE)
    costs("number 3", None)
    costs("number 7", 20.5)
    monkeypatch.setattr(Trail, "functions", lambda self, change: GREW)
    found = walk(repo, tmp_path / "t")
    hostile = found.commits[-1]
    costs(hostile.subject, 21.0)
    found.measure(found.commits)
    site.write(found, 0.002, tmp_path / "t")
    return tmp_path / "t" / "site"


def test_a_site_has_a_page_for_each_step_and_stands_alone(published: Path) -> None:
    index = (published / "index.html").read_text("utf-8")
    pages = list(dict.fromkeys(re.findall(r'href="(step-[0-9a-f]{10}\.html)"', index)))
    assert len(pages) == 3 and set(pages) == {p.name for p in published.glob("step-*.html")}
    assert index.count("<svg") == 2 and "Commits without a cost" in index
    assert index.index("<svg") < index.index("By release") < index.index("Text and data of")
    for path in published.iterdir():
        text = path.read_text("utf-8")
        assert str(published.parents[1]) not in text and "//" not in re.sub(
            r'(xmlns="http://www.w3.org/2005/Atom")', "", text
        ), path
    seventh = (published / pages[0]).read_text("utf-8")
    assert "number 7" in seventh and "+2.50 %" in seventh and 'href="index.html"' in seventh
    assert "tcp.c &lt;tcp_input&gt;" in seventh and "<details" not in seventh


def test_no_commit_s_subject_gets_out_of_its_place(published: Path) -> None:
    for path in published.iterdir():
        text = path.read_text("utf-8")
        assert "<script" not in text
        assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", text)
        assert not re.search("z{400}", text)
    last = sorted(p.read_text("utf-8") for p in published.glob("step-*.html"))
    assert any("&lt;script&gt;alert(1)" in page for page in last)


def test_a_feed_has_the_steps_newest_first(published: Path) -> None:
    root = ElementTree.parse(published / "feed.xml").getroot()
    entries = root.findall(f"{ATOM}entry")
    assert [(e.findtext(f"{ATOM}title") or "")[:7] for e in entries] == ["+5.00 %", "-2.44 %",
                                                                        "+2.50 %"]  # fmt: skip
    ids = [e.findtext(f"{ATOM}id") or "" for e in (root, *entries)]
    assert len(set(ids)) == 4 and all(i.startswith("urn:uuid:") for i in ids)
    for entry in entries:
        link = entry.find(f"{ATOM}link")
        assert link is not None and (published / link.attrib["href"]).is_file()
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", entry.findtext(f"{ATOM}updated") or "")
        assert "tcp.c <tcp_input> +3.4." in (entry.findtext(f"{ATOM}content") or "")


def test_equal_results_are_equal_pages_and_old_steps_go(
    published: Path, repo: Path, tmp_path: Path
) -> None:
    before = {p.name: p.read_bytes() for p in published.iterdir()}
    (published / "step-0123456789.html").touch()
    (published / "CNAME").touch()
    again = walk(repo, tmp_path / "t")
    again.measure(again.commits)
    site.write(again, 0.002, tmp_path / "t")
    assert {p.name: p.read_bytes() for p in published.iterdir()} == {**before, "CNAME": b""}


def test_a_release_stands_at_the_last_commit_that_changes_a_linked_file(published: Path) -> None:
    index = (published / "index.html").read_text("utf-8")
    table = index[index.index("By release") : index.index("Text and data of")]
    rows = re.findall(r'<th scope="row">(?:<a[^>]*>)?([^<]*)', table)
    assert len(rows) == 3 and rows[1] == "V2.1.0" and "2.1.0</text>" in index


def test_tags_of_a_range_are_those_of_its_first_parents(repo: Path) -> None:
    first = git(repo, "rev-list", "--max-parents=0", "HEAD")
    known = [name for name, _, _ in log(repo, first, "HEAD", LWIP.logged)]
    git(repo, "tag", "v1", first)
    git(repo, "tag", "-am", "annotated", "v2", "HEAD")
    git(repo, "checkout", "-qb", "side", "HEAD~4")
    (repo / "src/core/tcp.c").write_text("int side;\n")
    git(repo, "tag", "v3", committed(repo, "side"))
    git(repo, "checkout", "-q", "-")
    assert tags(repo, first, "HEAD", known) == [("v1", first), ("v2", known[-1])]
    assert tags(repo, known[1], "HEAD", known[1:]) == [("v2", known[-1])]


def test_rows_without_sizes_are_read(repo: Path, tmp_path: Path, costs: object) -> None:
    once = walk(repo, tmp_path / "t")
    once.measure(once.commits[:2])
    path = tmp_path / "t" / "trail.jsonl"
    about, *lines = path.read_text().splitlines()
    older = [{k: v for k, v in json.loads(x).items() if k != "sizes"} for x in lines]
    path.write_text("".join(f"{x}\n" for x in (about, *map(json.dumps, older))))
    again = walk(repo, tmp_path / "t")
    assert [p.sizes for p in again.points()] == [None, None]
    again.measure(again.commits)
    assert walk(repo, tmp_path / "t").points()[2].sizes == (1200, 20, 3)
    page = site.write(again, 0.002, tmp_path / "t").read_text("utf-8")
    assert page.count("<svg") == 2


def test_functions_are_found_once(
    repo: Path, tmp_path: Path, costs: Callable[[str, float | None], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Also where the builds of both commits are gone."""
    costs("number 1", 21.0)
    found = walk(repo, tmp_path / "t")
    found.measure(found.commits[:2])
    _, after = found.points()
    change = Change(after, 0.05, False, found.points()[0])
    asked = iter([GREW])
    monkeypatch.setattr(Trail, "_functions", lambda self, names, folder: next(asked))
    assert found.functions(change) == GREW == walk(repo, tmp_path / "t").functions(change)


def test_bisecting_measures_the_releases(
    repo: Path, tmp_path: Path, costs: Callable[[str, float | None], None]
) -> None:
    """So a change and its reverse are found if a release lies between."""
    git(repo, "tag", "V1", git(repo, "log", "-1", "--format=%H", "--grep", "number 6$"))
    for n in range(16):
        costs(f"number {n}", 20.0 + (5 <= n < 9))
    found = walk(repo, tmp_path / "t")
    found.steps(0.01)
    assert {4, 5, 6, 8, 9} < subjects(found)


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
