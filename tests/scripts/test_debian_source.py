# SPDX-License-Identifier: MIT
"""scripts/debian-source with apt's own downloader and an archive on this machine."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

TARBALL = b"what a tarball has, as far as this script is concerned"
SUM = hashlib.sha256(TARBALL).hexdigest()

pytestmark = pytest.mark.skipif(
    not os.access("/usr/lib/apt/apt-helper", os.X_OK), reason="apt is not on this machine"
)


class Archives:
    """A web server, and an apt-get that names folders of it as archives."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.script = project / "scripts" / "debian-source"
        self.folder = folder
        self.asked: list[str] = []
        asked = self.asked

        class Handler(SimpleHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:
                asked.append(self.path)

        (folder / "www").mkdir()
        handler = functools.partial(Handler, directory=str(folder / "www"))
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        (folder / "bin").mkdir()
        (folder / "apt.conf").write_text('Acquire::http::Proxy::127.0.0.1 "DIRECT";\n')

    def close(self) -> None:
        if self.thread.is_alive():
            self.server.shutdown()
            self.server.server_close()
            self.thread.join(10)

    def holds(self, path: str, content: bytes = TARBALL) -> None:
        file = self.folder / "www" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def apt_knows(self, labelled: str = "", updated: str = "") -> None:
        """LABELLED: archives that apt knows as Debian's; UPDATED: those that it would update."""
        apt = self.folder / "bin" / "apt-get"
        apt.write_text(
            "#!/bin/sh\ncase $1 in\n"
            f"indextargets) printf '%s\\n' {labelled};;\n"
            f"update) for a in {updated}; do echo \"'$a/dists/x/InRelease' x 0\"; done;;\nesac\n"
        )
        apt.chmod(0o755)

    def get(
        self, sum_: str = SUM, package: str = "lwip", to: str = "a folder"
    ) -> subprocess.CompletedProcess[str]:
        env = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "APT_CONFIG": str(self.folder / "apt.conf"),
        }
        return subprocess.run(
            [str(self.script), package, "2.2.1+dfsg1", sum_, str(self.folder / to)],
            env=env, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip


@pytest.fixture
def archives(project: Path, tmp_path: Path) -> Iterator[Archives]:
    made = Archives(project, tmp_path)
    yield made
    made.close()


POOL = "debian/pool/main/l/lwip/lwip_2.2.1+dfsg1.orig.tar"


def test_it_is_fetched_once_and_checked_each_time(archives: Archives) -> None:
    archives.holds(f"{POOL}.gz")
    archives.apt_knows(labelled=f"{archives.url}/debian/")
    wanted = archives.folder / "a folder" / "lwip_2.2.1+dfsg1.orig.tar.gz"
    first = archives.get()
    assert (first.returncode, first.stdout, first.stderr) == (0, f"{wanted}\n", "")
    archives.asked.clear()
    assert archives.get().stdout == f"{wanted}\n"
    assert archives.asked == []
    wanted.write_bytes(TARBALL[:-1])
    assert archives.get().returncode == 0
    assert wanted.read_bytes() == TARBALL
    assert os.listdir(wanted.parent) == [wanted.name]


def test_only_debians_own_archive_is_asked(archives: Archives) -> None:
    archives.holds(f"{POOL}.xz")
    archives.apt_knows(
        labelled=f"{archives.url}/debian/", updated=f"{archives.url}/another {archives.url}/debian"
    )
    assert archives.get().returncode == 0
    assert not [path for path in archives.asked if path.startswith("/another")]


def test_without_lists_each_archive_is_tried(archives: Archives) -> None:
    archives.holds(f"{POOL}.xz")
    archives.apt_knows(updated=f"{archives.url}/another {archives.url}/debian")
    assert archives.get().returncode == 0


def test_the_pool_of_a_library(archives: Archives) -> None:
    archives.holds("debian/pool/main/libx/libxyz/libxyz_2.2.1+dfsg1.orig.tar.bz2")
    archives.apt_knows(labelled=f"{archives.url}/debian/")
    assert archives.get(package="libxyz").returncode == 0


def test_another_sum_is_not_used(archives: Archives) -> None:
    archives.holds(f"{POOL}.xz")
    archives.apt_knows(labelled=f"{archives.url}/debian/")
    result = archives.get(sum_="0" * 64)
    assert (result.returncode, result.stdout) == (3, "")
    assert f"has the sha256 {SUM}, not {'0' * 64}: it is not used" in result.stderr
    assert os.listdir(archives.folder / "a folder") == []


def test_what_the_archive_does_not_have(archives: Archives) -> None:
    archives.apt_knows(labelled=f"{archives.url}/debian/")
    result = archives.get()
    assert (result.returncode, result.stdout) == (4, "")
    assert "lwip 2.2.1+dfsg1 could not be fetched" in result.stderr and "404" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_an_archive_that_does_not_answer(archives: Archives) -> None:
    archives.apt_knows(labelled=f"{archives.url}/debian/")
    archives.close()
    result = archives.get()
    assert result.returncode == 4
    assert re.search("(Could not|Unable to) connect", result.stderr)  # apt 2.6 and 3.0
    assert len(result.stderr.splitlines()) == 1


def test_no_archive_at_all(archives: Archives) -> None:
    archives.apt_knows()
    result = archives.get()
    assert result.returncode == 4
    assert "add Debian's main archive to its sources" in result.stderr


def test_a_folder_that_cannot_be_made(archives: Archives) -> None:
    (archives.folder / "file").touch()
    result = archives.get(to="file/below")
    assert result.returncode == 3
    assert "file/below cannot be made" in result.stderr


def test_usage(archives: Archives) -> None:
    assert archives.get(sum_="short").returncode == 2
