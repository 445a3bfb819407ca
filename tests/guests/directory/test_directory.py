# SPDX-License-Identifier: MIT
"""CP's directory: a damaged one is refused by name, users are found, and who gets which minidisk
and how is as LINK's modes say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.harness import VMKB, Harness, compiled, rooms

HERE = Path(__file__).parent
FLAGS = rooms("include", "lib", "cp/include", "cp/session", "cp/io")
R, RR, W, WR, M, MR, MW = range(1, 8)
WRONG = "DMKCPI954E DASD 0100 "
NOBODY = "DMKCPI955E NO DIRECTORY; NOBODY CAN LOG ON. BUILD THE VOLUME AGAIN"
USERS = ["ALPHA", "BETA", "GAMMA", "OMEGA678", "ZETA"]


class Directory(Harness):
    def ask(self, *words: object) -> str:
        return self.line(*words)

    def disks(self, machine: int, user: str) -> list[str]:
        return self.ask("logon", machine, user).split()[:-1]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(
        tmp_path_factory.mktemp("directory"), FLAGS,
        HERE / "harness.c", VMKB / "lib/fmt.c", VMKB / "lib/ctype.c",
    )  # fmt: skip


@pytest.fixture
def directory(program: Path) -> Iterator[Directory]:
    directory = Directory(program)
    yield directory
    directory.end()


def written(directory: Directory) -> Directory:
    """ALPHA owns 191 and 192, BETA links them, GAMMA has the network."""
    directory.ask("user", "ALPHA", 0)
    directory.ask("mdisk", "0x191", 1000, 80, MR, "RPASS", "-")
    directory.ask("mdisk", "0x192", 2000, 80, R, "ALL", "-")
    directory.ask("user", "BETA", 0)
    directory.ask("mdisk", "0x191", 3000, 80, MW, "-", "ALL")
    directory.ask("link", "ALPHA", "0x191", "0x291", RR)
    directory.ask("link", "ALPHA", "0x192", "0x191", RR)
    directory.ask("user", "GAMMA", 0)
    directory.ask("dedicate", "0x500")
    for name in USERS[3:]:
        directory.ask("user", name, 0)
    return directory


def test_users_are_found_by_their_whole_names(directory: Directory) -> None:
    assert written(directory).ask("start", -1) == "1"
    assert [directory.ask("find", name) for name in USERS] == ["0", "1", "2", "3", "4"]
    for name in ("AAAA", "ALPH", "ALPHAX", "BETAA", "OMEGA67", "ZZZ", "-"):
        assert directory.ask("find", name) == "-1"


def test_an_empty_directory_has_nobody(directory: Directory) -> None:
    assert directory.ask("start", -1) == "1"
    assert directory.ask("find", "ALPHA") == "-1"


@pytest.mark.parametrize(
    ("flip", "why"),
    [
        (0, "HAS NO VM/KB LABEL"),
        (8, "LABEL IS OF ANOTHER VERSION"),
        (12, "LABEL IS DAMAGED: CHECKSUM WRONG"),
        (500, "LABEL IS DAMAGED: CHECKSUM WRONG"),
        (512, "HAS NO DIRECTORY WHERE ITS LABEL SAYS"),
        (520, "HAS NO DIRECTORY WHERE ITS LABEL SAYS"),
        (524, "DIRECTORY IS DAMAGED: CHECKSUM WRONG"),
        (529, "DIRECTORY IS DAMAGED: CHECKSUM WRONG"),
        (512 + 200, "DIRECTORY IS DAMAGED: CHECKSUM WRONG"),
    ],
)
def test_what_is_damaged_is_refused_by_name(directory: Directory, flip: int, why: str) -> None:
    assert written(directory).ask("start", flip) == f"{WRONG}{why};{NOBODY};0"
    assert directory.ask("find", "ALPHA") == "-1"


def test_a_machine_gets_its_own_minidisks_before_those_it_links(directory: Directory) -> None:
    written(directory).ask("start", -1)
    # 191 is its own already: the link to ALPHA's 192 as 191 is left out.
    assert directory.disks(0, "BETA") == ["191:3000:1", "291:1000:0"]


@pytest.mark.parametrize(
    ("mode", "nobody", "reader", "writer"),
    [
        (R, "0", "0", None), (RR, "0", "0", "0"), (W, "1", None, None), (WR, "1", "0", "0"),
        (M, "1", "1", None), (MR, "1", "1", "0"), (MW, "1", "1", "1"),
    ],
)  # fmt: skip
def test_each_mode_gives_what_others_leave(
    program: Path, mode: int, nobody: str, reader: str | None, writer: str | None
) -> None:
    for other, want in ((None, nobody), (RR, reader), (MW, writer)):
        directory = Directory(program)
        directory.ask("user", "OWNER", 0)
        directory.ask("mdisk", "0x191", 1000, 80, mode, "-", "-")
        directory.ask("user", "SECOND", 0)
        directory.ask("link", "OWNER", "0x191", "0x291", other or RR)
        directory.ask("start", -1)
        if other:
            assert directory.disks(1, "SECOND") == [f"291:1000:{int(other == MW)}"]
        assert directory.disks(0, "OWNER") == ([f"191:1000:{want}"] if want else [])
        directory.ask("logoff", 1)
        directory.ask("logoff", 0)
        assert directory.disks(0, "OWNER") == [f"191:1000:{nobody}"]
        directory.end()


def test_rights_without_a_password(directory: Directory) -> None:
    written(directory).ask("start", -1)
    assert directory.ask("rights", "ALPHA", "ALPHA", "0x191") == "2"
    assert directory.ask("rights", "ALPHA", "ALPHA", "0x192") == "1"
    assert directory.ask("rights", "BETA", "ALPHA", "0x191") == "1"
    assert directory.ask("rights", "GAMMA", "ALPHA", "0x191") == "0"
    assert directory.ask("rights", "GAMMA", "ALPHA", "0x192") == "1"
    assert directory.ask("rights", "GAMMA", "BETA", "0x191") == "2"
    assert directory.ask("rights", "GAMMA", "BETA", "0x192") == "0"
    assert directory.ask("rights", "NOBODY", "NOBODY", "0x191") == "0"


A, B, G = 1, 2, 64


@pytest.mark.parametrize(
    ("owner", "reader", "writer", "rights"),
    [
        (G, G, G, "2"), (A | G, G, G, "0"), (G, B, G, "0"), (A, B, A, "0"), (A, B, A | B, "2"),
        (A, G, A, "2"),
    ],
)  # fmt: skip
def test_who_lacks_a_class_of_those_who_run_its_programs_writes_by_no_password(
    directory: Directory, owner: int, reader: int, writer: int, rights: str
) -> None:
    directory.ask("user", "OWNER", 0)
    directory.ask("classes", owner)
    directory.ask("mdisk", "0x190", 1000, 80, MR, "-", "-")
    directory.ask("mdisk", "0x191", 2000, 80, MR, "-", "ALL")
    directory.ask("user", "READER", 0)
    directory.ask("classes", reader)
    directory.ask("link", "OWNER", "0x190", "0x190", RR)
    directory.ask("link", "OWNER", "0x191", "0x291", RR)
    directory.ask("user", "WRITER", 0)
    directory.ask("classes", writer)
    directory.ask("start", -1)
    assert directory.ask("rights", "WRITER", "OWNER", "0x191") == rights


def test_the_network_is_dedicated_to_one(directory: Directory) -> None:
    written(directory).ask("start", -1)
    assert directory.ask("dedicated", "GAMMA", "0x500") == "1"
    assert directory.ask("dedicated", "GAMMA", "0x600") == "0"
    assert directory.ask("dedicated", "ALPHA", "0x500") == "0"
