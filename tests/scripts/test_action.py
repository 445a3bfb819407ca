# SPDX-License-Identifier: MIT
"""The Action's steps, as a runner starts them: real repositories, a real check, and a stand-in for
GitHub's API alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.e2e.workloads.test_workload_own import LOOP, put
from tests.guests.release.lwip import committed, copied, git, tree

HOSTILE = "::set-output name=x::y"


class Hub(ThreadingHTTPServer):
    """Comments of one pull request. It says 403 to whoever writes if `refuses`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.comments: list[dict[str, object]] = [
            {"id": 1, "body": "<!-- vmkb x -->", "user": {"type": "User"}}
        ]
        self.asked: list[str] = []
        self.refuses = False


class _Answers(BaseHTTPRequestHandler):
    server: Hub

    def _answer(self) -> None:
        hub, path = self.server, self.path
        hub.asked.append(f"{self.command} {path}")
        if "/releases/" in path:
            self.send_error(404)
            return
        if self.command != "GET":
            if hub.refuses:
                self.send_error(403)
                return
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
            if self.command == "POST":
                number = len(hub.comments) + 1
                hub.comments.append({"id": number, "body": body, "user": {"type": "Bot"}})
            else:
                hub.comments[int(path.rpartition("/")[2]) - 1]["body"] = body
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(hub.comments).encode())

    do_GET = do_POST = do_PATCH = _answer

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""


@pytest.fixture
def hub() -> Iterator[Hub]:
    """The stand-in for GitHub."""
    server = Hub()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


class Runner:
    """A workspace, and what the Action's steps say there."""

    def __init__(self, project: Path, folder: Path, hub: Hub) -> None:
        self._script = project / "scripts" / "action"
        self.workspace = folder / "work space"
        self.page = folder / "page.md"
        self.env = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "VMKB_"))},
            "RUNNER_TEMP": str(folder / "temp"), "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_ACTION_PATH": str(folder / "_actions" / "me" / "vmkb" / "v1"),
            "GITHUB_SERVER_URL": f"http://127.0.0.1:{hub.server_port}",
            "GITHUB_API_URL": f"http://127.0.0.1:{hub.server_port}",
            "GITHUB_REPOSITORY": "maintainer/product", "GITHUB_STEP_SUMMARY": str(self.page),
            "GITHUB_EVENT_PATH": str(folder / "event.json"), "VMKB_STACK": "lib/lwip",
        }  # fmt: skip
        where = folder / "temp" / "vmkb" / "bin"
        where.mkdir(parents=True)
        (where / "vmkb").symlink_to(Path(sys.executable).with_name("vmkb"))

    def event(self, **about: object) -> None:
        """What the workflow is started by."""
        Path(self.env["GITHUB_EVENT_PATH"]).write_text(json.dumps(about), "utf-8")

    def step(self, name: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run the step NAME."""
        return subprocess.run(
            [sys.executable, self._script, name], env={**self.env, **settings},
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip


@pytest.fixture
def runner(project: Path, tmp_path: Path, hub: Hub) -> Runner:
    """A runner that has vmkb installed, and an empty workspace."""
    return Runner(project, tmp_path, hub)


def superproject(tmp_path: Path, lwip: Path) -> tuple[Path, str]:
    """A product with LWIP as its submodule, and its first commit."""
    product = tmp_path / "product"
    product.mkdir()
    git(product, "init", "-q")
    git(product, "-c", "protocol.file.allow=always", "submodule", "add", "-q", f"file://{lwip}",
        "lib/lwip")  # fmt: skip
    return product, committed(product)


def checked_out(product: Path, to: Path) -> None:
    """PRODUCT as actions/checkout leaves it: shallow, its submodule, too."""
    git(product.parent, "clone", "-q", "--depth", "1", f"file://{product}", str(to))
    git(to, "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init", "--depth",
        "1")  # fmt: skip
    for repository in (product, product.parent / "lwip"):
        git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")


def merged(product: Path, change: str) -> None:
    """A pull request's branch with CHANGE (a commit's message) merged into PRODUCT's main."""
    git(product, "checkout", "-q", "-b", "topic")
    committed(product, change)
    git(product, "checkout", "-q", "main")
    git(product, "merge", "-q", "--no-ff", "-m", "merge", "topic")


@pytest.mark.e2e
@pytest.mark.slow
@pytest.mark.usefixtures("emulator_needed")
def test_a_pull_request_that_updates_a_submodule_gets_one_comment(
    tmp_path: Path, runner: Runner, hub: Hub
) -> None:
    lwip = tmp_path / "lwip"
    committed(copied(lwip))
    product, _ = superproject(tmp_path, lwip)
    put(lwip, LOOP)
    new = committed(lwip, HOSTILE)
    git(product / "lib" / "lwip", "-c", "protocol.file.allow=always", "pull", "-q")
    merged(product, "update lwIP")
    checked_out(product, runner.workspace)
    runner.event(pull_request={"number": 7, "base": {"sha": "f" * 40}, "title": "`<script>`"})
    done = runner.step("check", VMKB_CASES="G24KB", VMKB_FAIL_ABOVE="0.3")
    assert done.returncode == 1, done.stderr
    assert "::error title=vmkb::" in done.stdout and new in done.stdout
    body = str(hub.comments[1]["body"])
    assert body.startswith("<!-- vmkb ") and "dearer by more than 0.3 %" in body
    assert "dearer by more than 0.3 %" in runner.page.read_text("utf-8")


def test_a_submodule_that_did_not_move_is_not_measured(tmp_path: Path, runner: Runner) -> None:
    committed(tree(tmp_path / "lwip"))
    product, _ = superproject(tmp_path, tmp_path / "lwip")
    (product / "README").write_text("more\n", "utf-8")
    merged(product, "words")
    checked_out(product, runner.workspace)
    runner.event(pull_request={"number": 7, "base": {"sha": "f" * 40}})
    done = runner.step("check", VMKB_FAIL_ABOVE="1")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    assert "lib/lwip is at the same commit before and after" in done.stdout


@pytest.mark.parametrize(("limit", "code"), [("", 0), ("1", 1)])
def test_a_base_that_is_gone_is_told(
    tmp_path: Path, runner: Runner, hub: Hub, limit: str, code: int
) -> None:
    committed(tree(runner.workspace / "lib" / "lwip"))
    runner.event(pull_request={"number": 7, "base": {"sha": "f" * 40}})
    done = runner.step("check", VMKB_BASE="gone", VMKB_FAIL_ABOVE=limit)
    assert done.returncode == code
    body = str(hub.comments[1]["body"])
    assert "not measured" in body and "has no commit or tag gone" in body
    hub.comments[1]["body"] = f"{body.partition(chr(10))[0]}\nold"
    runner.step("check", VMKB_BASE="gone")
    assert len(hub.comments) == 2 and hub.comments[1]["body"] == body, "it is written over"
    assert hub.asked[-1] == "PATCH /repos/maintainer/product/issues/comments/2"


def test_a_fork_that_may_not_write_gets_the_page_alone(runner: Runner, hub: Hub) -> None:
    committed(tree(runner.workspace / "lib" / "lwip"))
    runner.event(pull_request={"number": 7, "base": {"sha": "f" * 40}})
    hub.refuses = True
    done = runner.step("check", VMKB_BASE="gone")
    assert done.returncode == 0
    assert "a pull request from a fork does not have" in done.stdout
    assert "has no commit or tag gone" in runner.page.read_text("utf-8")


def test_without_a_pull_request_or_a_push_a_base_is_asked_for(
    tmp_path: Path, runner: Runner
) -> None:
    committed(tree(runner.workspace / "lib" / "lwip"))
    runner.event(schedule="0 0 * * 0")
    done = runner.step("check")
    assert (done.returncode, done.stdout.partition("title=vmkb::")[2]) == (
        0, "not measured: nothing says what to compare with: give the input base\n",
    )  # fmt: skip


@pytest.mark.slow
def test_no_text_of_a_change_is_obeyed(tmp_path: Path, runner: Runner, hub: Hub) -> None:
    lwip = tree(runner.workspace / "lib" / "lwip")
    first = committed(lwip)
    git(lwip, "checkout", "-q", "-b", HOSTILE.split()[0].replace("::", "__"))
    broken = f"#error `````` <script> @everyone \\\n{HOSTILE}\n"
    (lwip / "src" / "core" / "tcp.c").write_text(broken, "utf-8")
    committed(lwip, f"\n{HOSTILE}")
    runner.event(pull_request={"number": 7, "base": {"sha": first}, "title": HOSTILE})
    done = runner.step("check", VMKB_BASE=first)
    assert done.returncode == 0
    before, stopped, rest = done.stdout.partition("::stop-commands::")
    word = rest.partition("\n")[0]
    assert stopped and len(word) == 32 and f"\n::{word}::\n" in rest
    after = rest.rpartition(f"::{word}::")[2]
    assert "::set-output" not in before + after
    inside = str(hub.comments[1]["body"]).split("````")
    assert len(inside) == 3, "what is quoted does not end the quotation"
    assert "does not build" in inside[1]


def test_a_release_without_a_wheel_is_told(runner: Runner, hub: Hub) -> None:
    shutil.rmtree(runner.env["RUNNER_TEMP"])
    done = runner.step("install")
    assert done.returncode == 1
    assert "/me/vmkb/releases/download/v1/vmkb-" in done.stderr and "404" in done.stderr
