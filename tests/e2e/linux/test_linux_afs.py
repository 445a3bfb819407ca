# SPDX-License-Identifier: MIT
"""Linux' own client of AFS (kAFS, 6.1) at AFSSERVE and VLSERVE: it mounts a volume and does there
what people do with files; two clients see each other's changes; the server begins again.

Skipped, in words, where Debian's packages cannot be had."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from tests.e2e.afs_guest import SERVER, WITHIN, AfsGuest, afs_guest
from tests.e2e.linux.linux_guest import running, typed
from vmkb.guests.base import Running, Wishes, driver
from vmkb.hercules.guest import Guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
MTU = 1500
LONG = 120.0


@dataclass
class Cell:
    """The server, and two Linuxes that have its volume `user` at /afs."""

    server: AfsGuest
    clients: tuple[Running, Running]

    def do(self, line: str, client: int = 0, within: float = WITHIN) -> list[str]:
        """What LINE prints there, in a folder of /afs; it must end well."""
        said = typed(self.clients[client], f"( cd /afs; {line} ) 2>&1; echo CODE $?", within)
        lines = [row.strip() for row in said.splitlines() if row.strip()]
        last = max(n for n, row in enumerate(lines) if row.startswith("CODE "))
        first = max(n for n, row in enumerate(lines[:last]) if row.startswith("GOT"))
        assert lines[last] == "CODE 0", (line, lines[first:])
        return lines[first + 1 : last]


@pytest.fixture(scope="module")
def cell(kernel: Guest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    folder = tmp_path_factory.mktemp("kafs")
    with afs_guest(folder, MTU) as server, ExitStack() as stack:
        clients = []
        for n in (1, 2):
            lines = server.wire.add_ctcm(f"linux{n}")
            wishes = Wishes(address=f"10.17.0.{20 + n}", mtu=MTU)
            linux = stack.enter_context(running(kernel, folder / f"linux{n}", tuple(lines), wishes))
            driver(kernel).bring_up(linux.machine)
            said = typed(linux, f"afsup {SERVER} user")
            assert f"VMKB: AFS volume user of {SERVER} is at /afs" in said, said
            clients.append(linux)
        made = Cell(server, (clients[0], clients[1]))
        yield made
        for linux in made.clients:
            assert "BUG" not in "\n".join(linux.log.since(0))
            typed(linux, "umount /afs")


def test_files_and_folders(cell: Cell) -> None:
    assert cell.do("mkdir d; echo one >d/f; echo two >>d/f; cat d/f") == ["one", "two"]
    cell.do("mv d/f d/g; ln d/g d/h; ln -s g d/s; chmod 640 d/g")
    assert cell.do("cat d/s d/h") == ["one", "two"] * 2
    assert cell.do("ls -1 d") == ["g", "h", "s"]
    assert cell.do("stat -c '%a %h %s' d/g") == ["640 2 8"]
    assert cell.do("ls -d d/none || true")[0].endswith("No such file or directory")
    cell.do("rm d/h d/s d/g; rmdir d")
    assert cell.do("ls") == []


def test_a_file_of_four_megabytes(cell: Cell) -> None:
    cell.do("dd if=/dev/urandom of=/tmp/big bs=1M count=4; cp /tmp/big big", within=LONG)
    assert cell.do("wc -c <big") == ["4194304"]
    cell.do("cmp /tmp/big big")
    ours = cell.do("sha256sum </tmp/big")
    assert cell.do("sha256sum <big", 1, LONG) == ours
    cell.do("rm big")


def test_df_tells_what_the_volume_has(cell: Cell) -> None:
    """By GetVolumeStatus."""
    blocks, used = (int(word) for word in cell.do("df -k /afs | tail -n 1")[-1].split()[1:3])
    assert 1000 < blocks <= 98304 // 2 and 0 <= used < blocks


def test_what_another_client_changes_is_seen(cell: Cell) -> None:
    cell.do("echo first >shared")
    assert cell.do("cat shared", 1) == ["first"]
    cell.do("echo second >shared")
    assert cell.do("cat shared", 1) == ["second"]
    cell.do("echo third >>shared; mkdir made", 1)
    assert cell.do("cat shared; ls -1") == ["second", "third", "made", "shared"]
    cell.do("rm shared; rmdir made", 1)
    assert cell.do("ls") == []


def test_the_server_begins_again(cell: Cell) -> None:
    cell.do("echo kept >before")
    cell.server.user.cp("FORCE AFSSERVE")
    cell.server.start("AFSSERVE")
    assert cell.do("cat before; echo more >>before; cat before", within=LONG) == [
        "kept", "kept", "more",
    ]  # fmt: skip
    assert cell.do("cat before", 1, LONG) == ["kept", "more"]
    cell.do("rm before")
