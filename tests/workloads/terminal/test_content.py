# SPDX-License-Identifier: MIT
"""What is put on the volume of both nodes, and what a terminal shows of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.guests.vmkb.disk.build import opened
from vmkb.guests.vmkb.disk.compiler import parse
from vmkb.guests.vmkb.disk.errors import VolumeError
from vmkb.guests.vmkb.disk.records import split, to_text
from vmkb.guests.vmkb.driver import VmkbDriver, make_volume, read_text, records_of, replace_entries
from vmkb.hercules.guest import load_guest
from vmkb.workloads.terminal import Workload, content

WORKLOAD = Workload().definition
VOLUME = load_guest("vmkb").folder / "volume"


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=5))
def test_a_terminal_shows_the_records_without_blanks_at_their_ends(sizes: list[int]) -> None:
    workload = WORKLOAD.model_copy(update={"documents": tuple(sizes)})
    files = content.disks(workload)["DOCS"]
    stored = [records_of(files[f"DOC{k + 1:02d}", "TEXT"]) for k in range(len(sizes))]
    for n in range(1, len(sizes) + 1):
        assert content.shown(workload, n) == "".join(
            to_text(s).replace("\n", "\r\n") for s in stored[:n]
        )


def test_documents_are_as_large_as_the_file_says_and_fit_a_terminals_line() -> None:
    files = content.disks(WORKLOAD)["DOCS"]
    for k, size in enumerate(WORKLOAD.documents, start=1):
        records = split(records_of(files[f"DOC{k:02d}", "TEXT"]))
        assert sum(len(r) + 1 for r in records) == size
        assert max(map(len, records)) <= 72
    assert len(files) == len(WORKLOAD.documents) + 1


def test_names_of_users_differ_and_are_as_long_as_cp_allows() -> None:
    names = [content.user(n) for n in range(1, WORKLOAD.terminals_max + 1)]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 8


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workload's volume, made from the guest's own sources."""
    path = tmp_path_factory.mktemp("volume") / "v.fba"
    VmkbDriver(load_guest("vmkb")).prepare(content.contents(WORKLOAD), path)
    return path


def test_the_directory_compiles_with_the_guests_own(image: Path) -> None:
    with opened(image) as (_, _, extents):
        owners = {e.owner for e in extents}
    assert {"DOCS", "TCPIP", "RTMSF", content.METER} <= owners


def test_every_terminal_has_a_user_with_cms_and_the_documents() -> None:
    source = replace_entries(
        (VOLUME / "user.direct").read_text(), content.contents(WORKLOAD).replaced
    )
    directory, _ = parse("user.direct", source + content.added_users(WORKLOAD))
    users = {u.userid: u for u in directory.users}
    for n in range(1, WORKLOAD.terminals_max + 1):
        user = users[content.user(n)]
        assert user.password == content.user(n)
        assert {(link.userid, link.alias) for link in user.links} >= {
            ("MAINT", 0x190), ("DOCS", 0x191), ("TCPIP", 0x198),
        }  # fmt: skip


def test_every_file_is_on_its_minidisk(image: Path) -> None:
    for owner, files in content.disks(WORKLOAD).items():
        for name, stored in files.items():
            assert read_text(image, owner, 0x191, name) == to_text(records_of(stored))
    hosts = read_text(image, "TCPIP", 0x191, ("HOSTS", "LOCAL")) or ""
    for node in WORKLOAD.node:
        assert f": {node.address} : {node.name} :" in hosts


def test_a_terminal_user_of_the_guest_itself_would_be_refused(tmp_path: Path) -> None:
    """The users are really compiled: one that is there twice is an error."""
    twice = content.added_users(WORKLOAD) + content.added_users(WORKLOAD)
    with pytest.raises(VolumeError, match="DOCS"):
        make_volume(VOLUME, content.contents(WORKLOAD).replaced, tmp_path / "v", twice)
